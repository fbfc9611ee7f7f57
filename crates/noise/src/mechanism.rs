//! Answers with differential privacy: true answer plus noise that hides any one person.
//!
//! A mechanism K is (ε, δ)-differentially private when `Pr[K(D) ∈ S] ≤ e^ε · Pr[K(D') ∈ S] + δ` for all sets S and all tables D, D'
//! that differ by one person, who is *added or removed*. δ = 0 is answered with the discrete Laplace distribution, δ > 0 with the
//! discrete Gaussian; both are drawn exactly, in whole numbers. All arithmetic on answers is in whole numbers as well: noise in
//! floating point has been shown to give the truth away in its last bits (Mironov, CCS 2012).
//!
//! These draws are not keyed and cannot be repeated: repeating a draw would mean keeping what takes the noise off again.

mod gaussian;
mod grid;
mod histogram;
mod laplace;
mod mean;
mod sum;

pub use grid::{Grid, OffGrid};
pub use histogram::{OpenHistogram, histogram, open_histogram, sums};
pub use mean::{NoisyMean, means};
pub use sum::ClampedSum;

use std::fmt;

use crate::budget::{Cost, Grant};
use crate::exact::Ratio;
use crate::sensitivity::{Contribution, Sensitivity};

/// Half widths are for this chance of a miss: 95 % confidence.
pub const MISS: f64 = 0.05;

/// The distribution that an answer is hidden in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Noise {
    /// `P(x) = (1−r)/(1+r) · r^|x|` with `r = e^(−1/scale)`: the geometric mechanism. Ghosh, Roughgarden & Sundararajan, STOC 2009.
    Laplace {
        /// Sensitivity / ε.
        scale: Ratio,
    },
    /// `P(x) ∝ e^(−x²/2σ²)` on the whole numbers. Canonne, Kamath & Steinke, NeurIPS 2020.
    Gaussian {
        /// σ; a little more than the standard deviation where it is small.
        sigma: Ratio,
    },
}

/// An answer that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noisy {
    /// True answer plus noise. May be negative; setting it to zero then is allowed, but biases sums.
    pub value: i128,
    /// The true answer lies within `value ± half_width` with a probability of at least 95 %.
    pub half_width: u128,
    /// What the noise was drawn from; public.
    pub noise: Noise,
}

/// Why there is no answer. No variant depends on the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MechanismError {
    /// Noise that does not fit our integers.
    #[error(
        "the noise would be wider than 2^100: use tighter bounds, a coarser grid, fewer rows per person or a greater ε"
    )]
    TooWide,
    /// δ so small, or ε so small, that no Gaussian is wide enough.
    #[error("no Gaussian noise keeps this ε and δ: use a greater δ, or none")]
    NoGaussian,
    /// Pure ε cannot hide that a key exists.
    #[error("without a δ the cells of a histogram must be declared: give the list of keys, or a δ")]
    KeysNotDeclared,
    /// The operating system has no randomness.
    #[error("the noise could not be drawn: the operating system gives no random numbers")]
    NoRandomness,
    /// Sums of one query are over the same bounds.
    #[error("all sums of one query must have the same bounds")]
    BoundsDiffer,
}

/// Noise wider than this is refused before it is drawn, so that adding it cannot overflow.
const WIDEST_BITS: u32 = 100;

impl Noise {
    /// The noise that keeps `cost` for answers of this sensitivity.
    pub fn calibrated(sensitivity: Sensitivity, cost: &Cost) -> Result<Noise, MechanismError> {
        let sensitivity = Ratio::whole(sensitivity.get());
        let noise = if cost.is_pure() {
            Noise::Laplace { scale: &sensitivity / cost.epsilon() }
        } else {
            Noise::Gaussian { sigma: &sensitivity * &gaussian::multiplier(cost)? }
        };
        if *noise.width() > Ratio::whole(1 << WIDEST_BITS) { Err(MechanismError::TooWide) } else { Ok(noise) }
    }

    /// The smallest whole h with `P(|noise| > h) ≤ miss`, for `0 < miss < 1`.
    pub fn half_width(&self, miss: f64) -> u128 {
        match self {
            Noise::Laplace { scale } => laplace::half_width(scale.to_f64(), miss),
            Noise::Gaussian { sigma } => gaussian::half_width(sigma.to_f64(), miss),
        }
    }

    /// The parameter of width: scale or σ.
    fn width(&self) -> &Ratio {
        match self {
            Noise::Laplace { scale } => scale,
            Noise::Gaussian { sigma } => sigma,
        }
    }

    fn draw(&self) -> Result<i128, MechanismError> {
        match self {
            Noise::Laplace { scale } => laplace::draw(scale),
            Noise::Gaussian { sigma } => gaussian::draw(sigma),
        }
    }

    /// Adds a fresh draw to the truth.
    fn hide(&self, truth: i128) -> Result<Noisy, MechanismError> {
        self.hidden(truth, self.half_width(MISS))
    }

    /// A fresh draw for each; the half width is computed once.
    fn hide_all(&self, truths: impl Iterator<Item = i128>) -> Result<Vec<Noisy>, MechanismError> {
        let half_width = self.half_width(MISS);
        truths.map(|truth| self.hidden(truth, half_width)).collect()
    }

    fn hidden(&self, truth: i128, half_width: u128) -> Result<Noisy, MechanismError> {
        Ok(Noisy { value: truth.saturating_add(self.draw()?), half_width, noise: self.clone() })
    }
}

impl Noisy {
    /// The ends of the 95 % interval.
    pub fn interval(&self) -> (i128, i128) {
        let width = i128::try_from(self.half_width).unwrap_or(i128::MAX);
        (self.value.saturating_sub(width), self.value.saturating_add(width))
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Noise::Laplace { scale } => write!(f, "discrete Laplace, scale {scale}"),
            Noise::Gaussian { sigma } => write!(f, "discrete Gaussian, σ {:.4}", sigma.to_f64()),
        }
    }
}

/// The number of rows, hidden.
pub fn count(rows: u64, contribution: Contribution, grant: Grant) -> Result<Noisy, MechanismError> {
    Noise::calibrated(Sensitivity::of_count(contribution), grant.cost())?.hide(i128::from(rows))
}

#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;
