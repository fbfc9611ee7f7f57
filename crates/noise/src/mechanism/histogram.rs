//! Many cells at once: a person is in few of them, so the noise does not grow with their number.

use std::collections::BTreeMap;

use super::laplace::upper_tail;
use super::sum::ClampedSum;
use super::{MechanismError, Noise, Noisy};
use crate::budget::{Cost, Grant};
use crate::exact::Ratio;
use crate::sensitivity::{Bounds, Contribution, Sensitivity};

/// Counts per cell of a list that was *declared before the data was seen*; empty cells are in it, as 0.
pub fn histogram(
    counts: &[u64],
    contribution: Contribution,
    grant: Grant,
) -> Result<Vec<Noisy>, MechanismError> {
    let noise = Noise::calibrated(Sensitivity::of_count(contribution), grant.cost())?;
    noise.hide_all(counts.iter().map(|count| i128::from(*count)))
}

/// Sums per cell of a declared list.
pub fn sums(
    cells: &[ClampedSum],
    contribution: Contribution,
    grant: Grant,
) -> Result<Vec<Noisy>, MechanismError> {
    let Some(bounds) = common_bounds(cells)? else { return Ok(Vec::new()) };
    let noise = Noise::calibrated(Sensitivity::of_sum(bounds, contribution), grant.cost())?;
    noise.hide_all(cells.iter().map(|cell| cell.total))
}

pub(super) fn common_bounds(cells: &[ClampedSum]) -> Result<Option<Bounds>, MechanismError> {
    let first = cells.first().map(ClampedSum::bounds);
    let same = cells.iter().all(|cell| Some(cell.bounds()) == first);
    if same { Ok(first) } else { Err(MechanismError::BoundsDiffer) }
}

/// Counts of the cells that were found in the data and are large enough to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenHistogram<K: Ord> {
    /// The cells whose hidden count reached the threshold.
    pub cells: BTreeMap<K, Noisy>,
    /// Public: follows from ε, δ and m alone.
    pub threshold: i128,
}

/// Counts per cell, where the data itself says which cells there are: the stability histogram.
///
/// That a key exists may be one person's secret, so a cell is shown only when its hidden count reaches a threshold that the cells of
/// one person alone reach with a probability of at most δ. Korolova et al., "Releasing search queries and clicks privately", WWW 2009;
/// Bun, Nissim & Stemmer, "Simultaneous private learning of multiple concepts", ITCS 2016. The noise is Laplace with the whole ε; all
/// of δ goes into the threshold.
pub fn open_histogram<K: Ord + Clone>(
    counts: &BTreeMap<K, u64>,
    contribution: Contribution,
    grant: Grant,
) -> Result<OpenHistogram<K>, MechanismError> {
    let cost = grant.cost();
    if cost.is_pure() {
        return Err(MechanismError::KeysNotDeclared);
    }
    let sensitivity = Ratio::whole(Sensitivity::of_count(contribution).get());
    let noise = Noise::Laplace { scale: &sensitivity / cost.epsilon() };
    let threshold = threshold(contribution, cost)?;
    // A cell without rows is no cell: whether the caller lists it must not matter.
    let present: BTreeMap<&K, &u64> = counts.iter().filter(|(_, count)| **count > 0).collect();
    let noisy = noise.hide_all(present.values().map(|count| i128::from(**count)))?;
    let shown = present.into_keys().zip(noisy).filter(|(_, noisy)| noisy.value >= threshold);
    Ok(OpenHistogram { cells: shown.map(|(key, noisy)| (key.clone(), noisy)).collect(), threshold })
}

/// The smallest T, up to rounding on the safe side, at which the cells that only one person is in are shown with a probability of at
/// most δ: with k such cells none has more than m−k+1 rows, so it is at most `max_k k · P(noise ≥ T − (m−k+1))`.
pub(super) fn threshold(contribution: Contribution, cost: &Cost) -> Result<i128, MechanismError> {
    let m = f64::from(contribution.rows());
    let (epsilon, delta) = (cost.epsilon().f64_below(), cost.delta().f64_below());
    let scale = m / epsilon;
    // k·e^(−kε/m) rises up to k = m/ε and falls from there.
    let peak = (m / epsilon).clamp(1.0, m);
    let worst = |t: f64| {
        let shown = |k: f64| k * upper_tail(scale, t - (m - k + 1.0));
        [1.0, peak.floor(), peak.ceil(), m].map(shown).into_iter().fold(0.0, f64::max)
    };
    // Beyond this even m cells of m rows each are rare enough.
    let mut enough = m + 1.0 + (scale * (m / delta).ln()).ceil();
    if !enough.is_finite() || enough > 2f64.powi(50) {
        return Err(MechanismError::TooWide);
    }
    // Only the upper tail (t ≥ 1) has the closed form, and no threshold below m+1 is considered.
    let mut too_low = m;
    while enough - too_low > 1.0 {
        let middle = ((enough + too_low) / 2.0).floor();
        *(if worst(middle) <= delta * (1.0 - 1e-9) { &mut enough } else { &mut too_low }) = middle;
    }
    Ok(enough as i128)
}
