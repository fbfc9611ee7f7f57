//! Noise that is added to a number: Laplace, geometric or Gaussian, on declared bounds and a declared step.
//!
//! A column with the bounds `[a, b]` and the step `s` has the values `a, a + s, …, b`, with codes `0..values`. The noise is a whole number of
//! steps; what would go beyond a bound is shown as the bound. One person can change the value from one bound to the other, so the noise is as wide
//! as that asks for:
//!
//! | law | steps ≥ m with probability, m ≥ 1 | promise |
//! | --- | --- | --- |
//! | geometric | `α^m / (1+α)`, `α = e^(−ε/(values−1))` | ε (Ghosh, Roughgarden & Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009) |
//! | Laplace | `½·e^(−(m−½)·ε/(values−1))`: Laplace noise, rounded to steps | ε (Dwork et al. 2006) |
//! | Gaussian | `∝ Σ_{k≥m} e^(−k²/2σ²)` | (ε, δ) (Canonne, Kamath & Steinke, "The discrete Gaussian", 2020) |
//!
//! These probabilities are no fractions. So they are rounded to multiples of 2⁻⁶⁰, and ε and δ are computed from the *rounded* ones, exactly; noise
//! that misses its promise by the rounding is made wider until it keeps it. A draw compares one word of 60 bits with the thresholds.

mod tails;

use crate::distribution::Distribution;
use crate::draw::{OutsideDomain, TICKET, WORDS, Words};
use crate::exact::{Delta, Epsilon, Probability, Ratio};
use crate::likelihood::LikelihoodRatio;
use crate::response::Response;

/// More steps than anybody needs; a list of thresholds has as many lines.
pub const MOST_VALUES: u32 = 10_001;

/// Which noise is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Law {
    /// Laplace noise, rounded to steps.
    Laplace,
    /// Two-sided geometric noise, which is the discrete Laplace distribution.
    Geometric,
    /// The discrete Gaussian distribution; needs a δ.
    Gaussian,
}

impl Law {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Law::Laplace => "laplace",
            Law::Geometric => "geometric",
            Law::Gaussian => "gaussian",
        }
    }
}

/// Noise ready to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Additive {
    law: Law,
    values: u32,
    /// `tails[m−1]`: words for which the noise is at least m steps, `1 ≤ m < values`; as many go down.
    tails: Vec<u64>,
}

/// Why there is no such noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdditiveError {
    /// No value, or too many.
    #[error("bounds and step give {values} values; there must be 1 to {MOST_VALUES}: choose another step")]
    Values {
        /// How many.
        values: u64,
    },
    /// Gaussian noise keeps no ε alone.
    #[error("gaussian noise keeps (ε, δ) only: give a delta, or choose laplace")]
    NeedsDelta,
    /// The others need no δ.
    #[error("laplace and geometric noise keep ε without a δ: leave delta out, or choose gaussian")]
    NoDelta,
    /// The steps are too fine for the ε.
    #[error("the noise is too narrow for its steps: choose a smaller epsilon or a larger step")]
    TooFine,
    /// Too large.
    #[error("an ε above {} protects nobody", Ratio::LARGEST_EXPONENT)]
    LargeEpsilon,
}

impl Additive {
    /// The narrowest noise of this law over this number of values that keeps ε, or (ε, δ) if it is Gaussian.
    pub fn new(
        law: Law,
        values: u32,
        epsilon: &Epsilon,
        delta: Option<&Delta>,
    ) -> Result<Additive, AdditiveError> {
        if !(1..=MOST_VALUES).contains(&values) {
            return Err(AdditiveError::Values { values: u64::from(values) });
        }
        let power = epsilon.ratio().exp_below().ok_or(AdditiveError::LargeEpsilon)?;
        let steps = values - 1;
        let made = |tails| Additive { law, values, tails };
        match (law, delta) {
            (Law::Gaussian, None) => Err(AdditiveError::NeedsDelta),
            (Law::Laplace | Law::Geometric, Some(_)) => Err(AdditiveError::NoDelta),
            _ if steps == 0 => Ok(made(Vec::new())),
            (Law::Gaussian, Some(delta)) => {
                let keeps = |noise: &Additive| noise.gaussian_delta(&power) <= *delta.ratio();
                let widths = tails::gaussian_widths(steps, epsilon, delta);
                let of_width = |width: &Ratio| made(tails::gaussian(steps, width));
                // Wider noise keeps more; rounding may blur the last few, so the one that is taken is looked at itself.
                let from = widths.partition_point(|width| !keeps(&of_width(width)));
                widths[from..].iter().map(of_width).find(keeps).ok_or(AdditiveError::TooFine)
            }
            (Law::Laplace | Law::Geometric, None) => {
                let keeps = |noise: &Additive| noise.ratio().is_some_and(|ratio| ratio <= power);
                tails::slightly_less(epsilon.ratio())
                    .map(|epsilon| made(tails::of(law, steps, &epsilon)))
                    .find(keeps)
                    .ok_or(AdditiveError::TooFine)
            }
        }
    }

    /// Noise with these thresholds, as they were written down.
    pub fn of_tails(law: Law, tails: Vec<u64>) -> Option<Additive> {
        let values = u32::try_from(tails.len()).ok()?.checked_add(1)?;
        let falling =
            tails.is_sorted_by(|a, b| a >= b) && tails.first().is_none_or(|first| *first <= WORDS / 2);
        (falling && values <= MOST_VALUES).then_some(Additive { law, values, tails })
    }

    /// Which noise.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The number of values; codes are `0..domain`.
    pub fn domain(&self) -> u32 {
        self.values
    }

    /// Number of the 2⁶⁰ words that move a value up by at least `m` steps; as many move it down. `m` is at least 1.
    pub fn tail(&self, m: u32) -> u64 {
        m.checked_sub(1).and_then(|at| self.tails.get(at as usize)).copied().unwrap_or(0)
    }

    /// All of [`Additive::tail`], from one step on.
    pub fn tails(&self) -> &[u64] {
        &self.tails
    }

    /// What `code` in row `row` is shown as, with the integers of that row.
    pub fn draw(&self, words: &mut Words, row: u64, code: u32) -> Result<u32, OutsideDomain> {
        if code >= self.values {
            return Err(OutsideDomain { values: self.values });
        }
        Ok(self.shown(code, words.below(row, TICKET, WORDS)))
    }

    /// What `code` is shown as for a word.
    fn shown(&self, code: u32, word: u64) -> u32 {
        // The thresholds fall, so as many of them are above the word as there are steps.
        let steps = |word: u64| self.tails.partition_point(|tail| word < *tail) as u32;
        let (up, down) = (steps(word), steps(WORDS - 1 - word));
        code.saturating_add(up).saturating_sub(down).min(self.values - 1)
    }

    /// Number of words that move a value by exactly this number of steps in one direction.
    fn weight(&self, m: u32) -> u64 {
        match m {
            0 => WORDS - 2 * self.tail(1),
            m => self.tail(m) - self.tail(m + 1),
        }
    }

    /// The greatest ratio of likelihoods of two values; `None` where an answer rules a value out.
    ///
    /// At a bound the likelihoods are tails, elsewhere weights; the answer beside a bound sees the weights of all distances but the greatest.
    fn ratio(&self) -> Option<Ratio> {
        let steps = self.values - 1;
        if steps == 0 {
            return Some(Ratio::one());
        }
        let quotient = |most: u64, least: u64| {
            (least > 0).then(|| &Ratio::whole(u128::from(most)) / &Ratio::whole(u128::from(least)))
        };
        let at_a_bound = quotient(WORDS - self.tail(1), self.tail(steps))?;
        if steps == 1 {
            return Some(at_a_bound);
        }
        let weights = || (0..steps).map(|m| self.weight(m));
        let between = quotient(weights().max()?, weights().min()?)?;
        Some(at_a_bound.max(between))
    }

    /// The greatest ratio of likelihoods of two values, from which ε follows.
    pub fn likelihood_ratio(&self) -> LikelihoodRatio {
        self.ratio().map_or(LikelihoodRatio::Infinite, LikelihoodRatio::Finite)
    }

    /// A δ that is kept with this ε; `None` for an ε beyond [`Ratio::LARGEST_EXPONENT`].
    pub fn delta_at(&self, epsilon: &Ratio) -> Option<Ratio> {
        let power = epsilon.exp_below()?;
        match self.ratio() {
            Some(ratio) if ratio <= power => Some(Ratio::zero()),
            _ => Some(self.gaussian_delta(&power)),
        }
    }

    /// The δ of the two bounds, and what rounding can add to it.
    ///
    /// Before the rounding, the likelihood of a step falls ever faster, so the best event is "at most j", and the two bounds are told apart best. Rounding
    /// changes every weight by at most 2 words.
    fn gaussian_delta(&self, power: &Ratio) -> Ratio {
        let steps = self.values - 1;
        let whole = |number: u64| Ratio::whole(u128::from(number));
        // Shown as j where the value is the lower bound, and where it is the upper one.
        let low = |j: u32| match j {
            0 => WORDS - self.tail(1),
            j if j == steps => self.tail(steps),
            j => self.weight(j),
        };
        let mut more = Ratio::zero();
        for j in 0..=steps {
            let part = &whole(low(j)) - &(power * &whole(low(steps - j)));
            more = &more + &part.max(Ratio::zero());
        }
        let rounding = &(&Ratio::whole(2 * u128::from(self.values)) * &(&Ratio::one() + power));
        &(&more + rounding) / &whole(WORDS)
    }

    /// The same noise as a matrix: for estimates, and the slow twin of everything here.
    pub fn response(&self) -> Response {
        let whole = |number: u64| &Ratio::whole(u128::from(number)) / &Ratio::whole(u128::from(WORDS));
        let last = self.values - 1;
        let row = |from: u32| {
            let to = |to: u32| match to {
                _ if last == 0 => Ratio::one(),
                0 if from == 0 => whole(WORDS - self.tail(1)),
                0 => whole(self.tail(from)),
                to if to == last && from == last => whole(WORDS - self.tail(1)),
                to if to == last => whole(self.tail(last - from)),
                to => whole(self.weight(to.abs_diff(from))),
            };
            (0..self.values).map(to).collect()
        };
        let kernel = Distribution::kernel((0..self.values).map(row).collect());
        let kernel = kernel.unwrap_or_else(|_| unreachable!("the thresholds add up to all words"));
        let certain = Probability::new(Ratio::one()).unwrap_or_else(|_| unreachable!("1 is a probability"));
        Response::new(certain, kernel)
    }
}

#[cfg(test)]
mod tests;
