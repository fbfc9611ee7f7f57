//! Shannon's entropy.

/// How far a sum of probabilities may be from 1: printed tables are rounded.
pub(super) const ROUNDING: f64 = 1e-6;

/// Why numbers are not probabilities.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotProbabilities {
    /// None at all.
    #[error("no probability is given")]
    Empty,
    /// One is below 0, above 1 or not a number.
    #[error("probability {position} is {value}, not between 0 and 1")]
    OutOfRange {
        /// Which one, from 1.
        position: usize,
        /// What it is.
        value: f64,
    },
    /// They do not sum to 1.
    #[error("the probabilities sum to {sum}, not to 1")]
    Sum {
        /// What they sum to.
        sum: f64,
    },
}

/// `−Σ p log₂ p` in bits, from 0 (certain) to log₂ n (uniform).
///
/// # Errors
/// If the numbers are not probabilities that sum to 1, up to rounding.
pub fn entropy(probabilities: &[f64]) -> Result<f64, NotProbabilities> {
    check(probabilities)?;
    let sum: f64 = probabilities.iter().sum();
    if (sum - 1.0).abs() > ROUNDING {
        return Err(NotProbabilities::Sum { sum });
    }
    Ok(bits(probabilities))
}

/// Each of them between 0 and 1.
pub(super) fn check(probabilities: &[f64]) -> Result<(), NotProbabilities> {
    if probabilities.is_empty() {
        return Err(NotProbabilities::Empty);
    }
    match probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
        Some(place) => Err(NotProbabilities::OutOfRange { position: place + 1, value: probabilities[place] }),
        None => Ok(()),
    }
}

/// The sum, unchecked; never below 0.
pub(super) fn bits(probabilities: &[f64]) -> f64 {
    probabilities.iter().filter(|&&p| p > 0.0).map(|p| -p * p.log2()).sum::<f64>().max(0.0)
}
