//! The mean: a hidden sum over a hidden count, half of the budget each.

use super::histogram::common_bounds;
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
        let mut means = means(std::slice::from_ref(self), contribution, grant)?;
        Ok(means.swap_remove(0))
    }
}

/// Means per cell of a list that was declared before the data was seen: half of the budget for the sums, half for the counts.
pub fn means(
    cells: &[ClampedSum],
    contribution: Contribution,
    grant: Grant,
) -> Result<Vec<NoisyMean>, MechanismError> {
    let Some(bounds) = common_bounds(cells)? else { return Ok(Vec::new()) };
    let (for_sums, for_counts) = grant.halves();
    let middle = bounds.middle();
    let sensitivity = Sensitivity::of_centred_sum(bounds, middle, contribution);
    let of_sums = Noise::calibrated(sensitivity, for_sums.cost())?;
    let of_counts = Noise::calibrated(Sensitivity::of_count(contribution), for_counts.cost())?;
    let centred = |cell: &ClampedSum| cell.total.saturating_sub(i128::from(middle) * i128::from(cell.rows));
    let sums = of_sums.hide_all(cells.iter().map(centred))?;
    let counts = of_counts.hide_all(cells.iter().map(|cell| i128::from(cell.rows)))?;
    // Each figure misses with half the chance, so both hold together with 95 %.
    let widths = (of_sums.half_width(MISS / 2.0) as f64, of_counts.half_width(MISS / 2.0) as f64);
    Ok(sums.into_iter().zip(counts).map(|(sum, count)| combined(bounds, sum, count, widths)).collect())
}

/// What the two hidden figures say together; looks at nothing else.
fn combined(bounds: Bounds, sum: Noisy, count: Noisy, (sum_width, count_width): (f64, f64)) -> NoisyMean {
    let middle = bounds.middle() as f64;
    let within = |mean: f64| mean.clamp(bounds.lower() as f64, bounds.upper() as f64);
    let value = within(middle + sum.value as f64 / count.value.max(1) as f64);
    let fewest = (count.value as f64 - count_width).max(1.0);
    let most = (count.value as f64 + count_width).max(1.0);
    let end = |sum: f64, toward: fn(f64, f64) -> f64| within(middle + toward(sum / fewest, sum / most));
    let (low, high) =
        (end(sum.value as f64 - sum_width, f64::min), end(sum.value as f64 + sum_width, f64::max));
    NoisyMean { value, low, high, centred_sum: sum, count }
}
