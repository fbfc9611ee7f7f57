//! The mean: a hidden sum over a hidden count, half of the budget each.

use super::sum::ClampedSum;
use super::{MISS, MechanismError, Noise, Noisy};
use crate::budget::Grant;
use crate::sensitivity::{Bounds, Contribution, Sensitivity};

/// A mean that may be shown, in units of the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyMean {
    /// The mean, within the bounds.
    pub value: f64,
    /// Lower end of the interval that holds the true mean of the clamped values with a probability of at least 95 %.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The hidden sum of the distances to the middle of the bounds: the middle halves the sensitivity of one-sided bounds.
    pub centred_sum: Noisy,
    /// The hidden number of values.
    pub count: Noisy,
}

impl ClampedSum {
    /// The mean, hidden.
    pub fn mean(&self, contribution: Contribution, grant: Grant) -> Result<NoisyMean, MechanismError> {
        let (for_sum, for_count) = grant.halves();
        let middle = self.bounds.middle();
        let sensitivity = Sensitivity::of_centred_sum(self.bounds, middle, contribution);
        let of_sum = Noise::calibrated(sensitivity, for_sum.cost())?;
        let of_count = Noise::calibrated(Sensitivity::of_count(contribution), for_count.cost())?;
        let centred = self.total.saturating_sub(i128::from(middle) * i128::from(self.rows));
        Ok(combined(self.bounds, of_sum.hide(centred)?, of_count.hide(i128::from(self.rows))?))
    }
}

/// What the two hidden figures say together; looks at nothing else.
pub(super) fn combined(bounds: Bounds, sum: Noisy, count: Noisy) -> NoisyMean {
    let middle = bounds.middle() as f64;
    let within = |mean: f64| mean.clamp(bounds.lower() as f64, bounds.upper() as f64);
    let value = within(middle + sum.value as f64 / count.value.max(1) as f64);
    // Each figure misses with half the chance, so both hold together with 95 %.
    let (sum_width, count_width) =
        (sum.noise.half_width(MISS / 2.0) as f64, count.noise.half_width(MISS / 2.0) as f64);
    let fewest = (count.value as f64 - count_width).max(1.0);
    let most = (count.value as f64 + count_width).max(1.0);
    let end = |sum: f64, toward: fn(f64, f64) -> f64| within(middle + toward(sum / fewest, sum / most));
    let (low, high) =
        (end(sum.value as f64 - sum_width, f64::min), end(sum.value as f64 + sum_width, f64::max));
    NoisyMean { value, low, high, centred_sum: sum, count }
}
