//! The noise distribution of one attribute: what a redrawn cell becomes.
//!
//! *Static* noise ignores the old value (all rows of the kernel are equal), *dynamic* noise depends on it. Values are codes
//! `0..domain`; what they mean is the caller's business.

mod steps;

pub use steps::{Ends, Rest};

use crate::exact::Ratio;

/// What a redrawn cell becomes: exact probabilities that sum to 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Independent of the old value.
    Static(Weights),
    /// Depends on the old value.
    Dynamic(Kernel),
}

/// A weight per value; they sum to 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Weights(Vec<Ratio>);

/// `K(a → ·)`: a row of weights per old value, each sums to 1. Zeros are not stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kernel(Vec<Vec<(u32, Ratio)>>);

/// Why numbers are not a noise distribution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// Nothing to draw.
    #[error("a noise distribution needs at least one value")]
    Empty,
    /// More values than codes.
    #[error("a noise distribution has at most {} values", u32::MAX)]
    TooManyValues,
    /// A weight below zero.
    #[error("{place}: a weight is negative")]
    Negative {
        /// Which weights.
        place: Place,
    },
    /// The weights are not a distribution.
    #[error("{place}: the weights sum to {sum}, not to 1")]
    NotOne {
        /// Which weights.
        place: Place,
        /// What they sum to.
        sum: Ratio,
    },
    /// A kernel needs one weight per pair of values.
    #[error("{place}: {found} weights for {expected} values")]
    NotSquare {
        /// Which row.
        place: Place,
        /// Weights in the row.
        found: usize,
        /// Rows of the kernel.
        expected: usize,
    },
    /// All counts are zero.
    #[error("no distribution can be learnt from no rows")]
    NothingCounted,
    /// Steps that leave something open, without a rule for the rest.
    #[error(
        "the steps sum to {sum}, not to 1: say whether the rest stays or is spread over the other values"
    )]
    RestOpen {
        /// What the steps sum to.
        sum: Ratio,
    },
    /// Two entries for one step.
    #[error("step {step} is given twice")]
    StepTwice {
        /// The distance.
        step: i32,
    },
}

/// Where in a distribution something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The weights of static noise.
    Weights,
    /// The row of the kernel for this old value.
    Row(u32),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Weights => write!(f, "noise distribution"),
            Place::Row(row) => write!(f, "kernel row {row}"),
        }
    }
}

impl Distribution {
    /// Every value with the same weight.
    pub fn uniform(values: u32) -> Result<Distribution, DistributionError> {
        let weight = Ratio::new(1, u64::from(values)).ok_or(DistributionError::Empty)?;
        Ok(Distribution::Static(Weights(vec![weight; values as usize])))
    }

    /// Static noise with these weights, which must sum to exactly 1.
    pub fn given(weights: Vec<Ratio>) -> Result<Distribution, DistributionError> {
        count(weights.len())?;
        check(&weights, Place::Weights)?;
        Ok(Distribution::Static(Weights(weights)))
    }

    /// Static noise with the shares of these counts.
    ///
    /// Redrawing from the column's own distribution keeps its marginal, but the shares are facts about the data: whoever publishes
    /// them has published the histogram. A value without rows is never drawn.
    pub fn learnt(counts: &[u64]) -> Result<Distribution, DistributionError> {
        count(counts.len())?;
        let total = counts.iter().map(|count| u128::from(*count)).sum();
        if total == 0 {
            return Err(DistributionError::NothingCounted);
        }
        let total = Ratio::whole(total);
        let shares = counts.iter().map(|count| &Ratio::whole(u128::from(*count)) / &total);
        Ok(Distribution::Static(Weights(shares.collect())))
    }

    /// Dynamic noise with this square matrix, each row of which must sum to exactly 1.
    pub fn kernel(rows: Vec<Vec<Ratio>>) -> Result<Distribution, DistributionError> {
        count(rows.len())?;
        for (row, weights) in (0..).zip(&rows) {
            let place = Place::Row(row);
            if weights.len() != rows.len() {
                return Err(DistributionError::NotSquare {
                    place,
                    found: weights.len(),
                    expected: rows.len(),
                });
            }
            check(weights, place)?;
        }
        Ok(Distribution::Dynamic(Kernel(rows.into_iter().map(sparse).collect())))
    }

    /// Dynamic noise on an ordered domain: from `a` to `a + step` with the given weight.
    ///
    /// `ends` says what becomes of steps beyond the first and last value, `rest` what becomes of weight that the steps leave open.
    pub fn steps(
        values: u32,
        steps: &[(i32, Ratio)],
        ends: Ends,
        rest: Rest,
    ) -> Result<Distribution, DistributionError> {
        steps::kernel(values, steps, ends, rest).map(Distribution::Dynamic)
    }

    /// Whether the redraw ignores the old value. A kernel with equal rows is not looked at for it.
    pub fn is_static(&self) -> bool {
        matches!(self, Distribution::Static(_))
    }

    /// The number of values; codes are `0..domain`.
    pub fn domain(&self) -> u32 {
        let values = match self {
            Distribution::Static(weights) => weights.0.len(),
            Distribution::Dynamic(kernel) => kernel.0.len(),
        };
        values as u32
    }

    /// `K(from → to)`: the probability that a redrawn `from` becomes `to`; 0 outside the domain.
    pub fn probability(&self, from: u32, to: u32) -> Ratio {
        match self {
            Distribution::Static(weights) if from < self.domain() => {
                weights.0.get(to as usize).cloned().unwrap_or_else(Ratio::zero)
            }
            Distribution::Static(_) => Ratio::zero(),
            Distribution::Dynamic(kernel) => kernel.probability(from, to),
        }
    }
}

impl Weights {
    /// The weights, by code.
    pub fn as_slice(&self) -> &[Ratio] {
        &self.0
    }

    /// Weights that are known to be non-negative and to sum to 1.
    pub(crate) fn trusted(weights: Vec<Ratio>) -> Weights {
        debug_assert!(check(&weights, Place::Weights).is_ok());
        Weights(weights)
    }
}

impl Kernel {
    /// The values that `from` can become, in order, with their positive weights; empty outside the domain.
    pub fn row(&self, from: u32) -> &[(u32, Ratio)] {
        self.0.get(from as usize).map_or(&[], Vec::as_slice)
    }

    fn probability(&self, from: u32, to: u32) -> Ratio {
        let row = self.row(from);
        row.binary_search_by_key(&to, |(code, _)| *code)
            .map_or_else(|_| Ratio::zero(), |at| row[at].1.clone())
    }

    /// Rows that are known to be sorted, positive and to sum to 1.
    pub(crate) fn trusted(rows: Vec<Vec<(u32, Ratio)>>) -> Kernel {
        debug_assert!(
            rows.iter().all(|row| row.iter().map(|(_, weight)| weight).sum::<Ratio>() == Ratio::one())
        );
        debug_assert!(rows.iter().all(|row| row.is_sorted_by_key(|(code, _)| *code)));
        Kernel(rows)
    }
}

fn count(values: usize) -> Result<u32, DistributionError> {
    if values == 0 {
        return Err(DistributionError::Empty);
    }
    u32::try_from(values).map_err(|_| DistributionError::TooManyValues)
}

fn check(weights: &[Ratio], place: Place) -> Result<(), DistributionError> {
    if weights.iter().any(Ratio::is_negative) {
        return Err(DistributionError::Negative { place });
    }
    let sum: Ratio = weights.iter().sum();
    if sum == Ratio::one() { Ok(()) } else { Err(DistributionError::NotOne { place, sum }) }
}

fn sparse(weights: Vec<Ratio>) -> Vec<(u32, Ratio)> {
    (0..).zip(weights).filter(|(_, weight)| !weight.is_zero()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(text: &str) -> Vec<Ratio> {
        text.split_whitespace().map(|word| Ratio::parse(word).unwrap()).collect()
    }

    #[test]
    fn the_blood_groups_sum_to_one() {
        let blood = Distribution::given(ratios("0.410 0.358 0.078 0.102 0.045 0.007")).unwrap();
        assert_eq!(blood.domain(), 6);
        assert_eq!(blood.probability(3, 0), Ratio::parse("0.41").unwrap());
        let short = Distribution::given(ratios("0.410 0.358 0.078 0.102 0.045 0.006")).unwrap_err();
        assert_eq!(short.to_string(), "noise distribution: the weights sum to 0.999, not to 1");
    }

    #[test]
    fn a_day_of_the_year_has_four_chances_in_1461_and_the_leap_day_one() {
        let mut counts = vec![4; 366];
        counts[31 + 28] = 1;
        let days = Distribution::learnt(&counts).unwrap();
        assert_eq!(days.probability(0, 0).to_string(), "4/1461");
        assert_eq!(days.probability(0, 59).to_string(), "1/1461");
    }

    #[test]
    fn a_matrix_that_is_not_stochastic_is_refused() {
        let rows = |text: &[&str]| Distribution::kernel(text.iter().map(|row| ratios(row)).collect());
        assert!(rows(&["0 0.5 0.5", "0.5 0 0.5", "0.5 0.5 0"]).is_ok());
        assert_eq!(
            rows(&["0.5 0.5", "0.5 0.4"]),
            Err(DistributionError::NotOne { place: Place::Row(1), sum: Ratio::parse("0.9").unwrap() })
        );
        assert!(matches!(rows(&["1 0", "1"]), Err(DistributionError::NotSquare { .. })));
        let negative = Ratio::new(-1, 2).unwrap();
        let weights = vec![negative, Ratio::new(3, 2).unwrap()];
        assert_eq!(Distribution::given(weights), Err(DistributionError::Negative { place: Place::Weights }));
        assert_eq!(Distribution::given(vec![]), Err(DistributionError::Empty));
        assert_eq!(Distribution::uniform(0), Err(DistributionError::Empty));
        assert_eq!(Distribution::learnt(&[0, 0]), Err(DistributionError::NothingCounted));
    }
}
