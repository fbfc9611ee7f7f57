//! What the true counts were, as far as the noisy ones can tell.
//!
//! With true counts `t` the expected noisy counts are `tᵀM`; so `t̂ᵀ = oᵀM⁻¹` is unbiased for observed counts `o`. An unbiased
//! estimate can be negative: cutting it at zero would bias every sum it enters. Static noise needs no inversion:
//! `t̂_v = (o_v − n·p·q_v) / (1−p)` (Sherman–Morrison). The variance over the noise, `Σ_w E[o_w]·C[w][v]² − t_v` with `C = M⁻¹`,
//! is itself estimated without bias by the observed counts. Chaudhuri & Mukerjee, "Randomized Response", 1988.

mod inverse;

use crate::distribution::Distribution;
use crate::exact::Ratio;
use crate::response::Response;
use inverse::Matrix;

/// A figure with its standard error over the noise; the table itself is taken as fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The unbiased estimate; may lie outside the range of true figures.
    pub value: f64,
    /// Standard error, from the noise alone.
    pub standard_error: f64,
}

/// Undoes one response in counts; never in single rows.
#[derive(Debug, Clone)]
pub struct Estimator {
    undo: Undo,
    values: u32,
}

#[derive(Debug, Clone)]
enum Undo {
    /// p and the weights.
    ClosedForm { p: Ratio, weights: Vec<Ratio> },
    /// M⁻¹.
    Inverse(Matrix),
}

/// Why nothing can be estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// The noise maps different tables to the same expectation.
    #[error(
        "the noise cannot be undone: different true counts give the same noisy ones (or nearly so); use a smaller probability"
    )]
    Singular,
    /// One count per value.
    #[error("{found} counts for {expected} values")]
    WrongLength {
        /// Counts given.
        found: usize,
        /// Values of the response.
        expected: usize,
    },
    /// A mean of nothing.
    #[error("no rows, no proportion and no mean")]
    NoRows,
    /// The inversion takes the cube of the domain.
    #[error("noise that depends on the old value can be undone for at most {most} values, not {found}", most = inverse::MOST_VALUES)]
    TooManyValues {
        /// Values of the response.
        found: u32,
    },
}

impl Estimator {
    /// Prepares to undo `response`.
    pub fn new(response: &Response) -> Result<Estimator, EstimateError> {
        let undo = match &response.distribution {
            Distribution::Static(weights) => {
                if *response.p.ratio() == Ratio::one() && response.domain() > 1 {
                    return Err(EstimateError::Singular);
                }
                // A single value: nothing to undo, whatever p.
                let p = if response.domain() == 1 { Ratio::zero() } else { response.p.ratio().clone() };
                Undo::ClosedForm { p, weights: weights.as_slice().to_vec() }
            }
            Distribution::Dynamic(_) => Undo::Inverse(inverse::of(response)?),
        };
        Ok(Estimator { undo, values: response.domain() })
    }

    /// The true count of each value.
    pub fn counts(&self, observed: &[u64]) -> Result<Vec<Estimate>, EstimateError> {
        let estimates = self.values_of(observed)?;
        let squares = self.weighted_squares(observed);
        let with_error =
            |(value, squares): (f64, f64)| Estimate { value, standard_error: root(squares - value) };
        Ok(estimates.into_iter().zip(squares).map(with_error).collect())
    }

    /// The true share of each value among the rows.
    pub fn proportions(&self, observed: &[u64]) -> Result<Vec<Estimate>, EstimateError> {
        let rows = rows(observed)?;
        let share = |count: Estimate| Estimate {
            value: count.value / rows,
            standard_error: count.standard_error / rows,
        };
        Ok(self.counts(observed)?.into_iter().map(share).collect())
    }

    /// The true mean of a numeric attribute, where code `v` stands for `numbers[v]`.
    pub fn mean(&self, observed: &[u64], numbers: &[f64]) -> Result<Estimate, EstimateError> {
        self.check(numbers.len())?;
        let counts = self.values_of(observed)?;
        let rows = rows(observed)?;
        let total: f64 = counts.iter().zip(numbers).map(|(count, number)| count * number).sum();
        let squares: f64 = counts.iter().zip(numbers).map(|(count, number)| count * number * number).sum();
        let undone = self.undone_numbers(numbers);
        let spread: f64 =
            observed.iter().zip(undone).map(|(count, number)| *count as f64 * number * number).sum();
        Ok(Estimate { value: total / rows, standard_error: root(spread - squares) / rows })
    }

    /// `t̂` of static noise as exact fractions; `None` for noise that depends on the old value.
    pub fn exact_counts(&self, observed: &[u64]) -> Result<Option<Vec<Ratio>>, EstimateError> {
        self.check(observed.len())?;
        let Undo::ClosedForm { p, weights } = &self.undo else { return Ok(None) };
        let rows = Ratio::whole(observed.iter().map(|count| u128::from(*count)).sum());
        let kept = &Ratio::one() - p;
        let redrawn = &rows * p;
        let undo = |(count, weight): (&u64, &Ratio)| {
            &(&Ratio::whole(u128::from(*count)) - &(&redrawn * weight)) / &kept
        };
        Ok(Some(observed.iter().zip(weights).map(undo).collect()))
    }

    fn values_of(&self, observed: &[u64]) -> Result<Vec<f64>, EstimateError> {
        if let Some(exact) = self.exact_counts(observed)? {
            return Ok(exact.iter().map(Ratio::to_f64).collect());
        }
        let Undo::Inverse(inverse) = &self.undo else { unreachable!("every other form is exact") };
        Ok((0..self.values as usize).map(|to| inverse.dot_column(observed, to, |entry| entry)).collect())
    }

    /// `Σ_w o_w · C[w][v]²` for every v.
    fn weighted_squares(&self, observed: &[u64]) -> Vec<f64> {
        match &self.undo {
            Undo::Inverse(inverse) => (0..self.values as usize)
                .map(|to| inverse.dot_column(observed, to, |entry| entry * entry))
                .collect(),
            Undo::ClosedForm { p, weights } => {
                // C[w][v] = (δ_wv − p·q_v) / (1−p): one entry for v itself, one for all others.
                let p = p.to_f64();
                let rows: f64 = observed.iter().map(|count| *count as f64).sum();
                let square = |(own, weight): (&u64, &Ratio)| {
                    let (own, shift) = (*own as f64, p * weight.to_f64());
                    (own * (1.0 - shift).powi(2) + (rows - own) * shift.powi(2)) / (1.0 - p).powi(2)
                };
                observed.iter().zip(weights).map(square).collect()
            }
        }
    }

    /// `Σ_v C[w][v]·x_v` for every w: the number that an observed w contributes to the unbiased total.
    fn undone_numbers(&self, numbers: &[f64]) -> Vec<f64> {
        match &self.undo {
            Undo::Inverse(inverse) => {
                (0..self.values as usize).map(|from| inverse.dot_row(from, numbers)).collect()
            }
            Undo::ClosedForm { p, weights } => {
                let p = p.to_f64();
                let expected: f64 =
                    weights.iter().zip(numbers).map(|(weight, number)| weight.to_f64() * number).sum();
                numbers.iter().map(|number| (number - p * expected) / (1.0 - p)).collect()
            }
        }
    }

    fn check(&self, found: usize) -> Result<(), EstimateError> {
        let expected = self.values as usize;
        if found == expected { Ok(()) } else { Err(EstimateError::WrongLength { found, expected }) }
    }
}

fn rows(observed: &[u64]) -> Result<f64, EstimateError> {
    let rows: u128 = observed.iter().map(|count| u128::from(*count)).sum();
    if rows == 0 { Err(EstimateError::NoRows) } else { Ok(rows as f64) }
}

/// An estimated variance can fall below zero by chance.
fn root(variance: f64) -> f64 {
    variance.max(0.0).sqrt()
}

#[cfg(test)]
mod tests;
