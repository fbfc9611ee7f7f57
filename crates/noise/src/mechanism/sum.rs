//! Sums of values that are cut to bounds.

use super::{MechanismError, Noise, Noisy};
use crate::budget::Grant;
use crate::sensitivity::{Bounds, Contribution, Sensitivity};

/// The sum of values, each cut to the bounds, and their number. Holds true figures: never to be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ClampedSum {
    pub(super) bounds: Bounds,
    pub(super) rows: u64,
    pub(super) total: i128,
}

impl ClampedSum {
    /// No values yet.
    pub fn new(bounds: Bounds) -> ClampedSum {
        ClampedSum { bounds, rows: 0, total: 0 }
    }

    /// The sum of `rows` values that were cut to the bounds and added elsewhere. A total that the bounds do not allow is cut, too.
    pub fn of(bounds: Bounds, rows: u64, total: i128) -> ClampedSum {
        let reach = |bound: i64| i128::from(bound) * i128::from(rows);
        ClampedSum { bounds, rows, total: total.clamp(reach(bounds.lower()), reach(bounds.upper())) }
    }

    /// One more value, in units of the grid.
    pub fn add(&mut self, value: i64) {
        // 2^64 rows of 2^63 each stay below 2^127.
        self.total += i128::from(self.bounds.clamp(value));
        self.rows = self.rows.saturating_add(1);
    }

    /// The values of another part of the table.
    pub fn merge(&mut self, other: &ClampedSum) -> Result<(), MechanismError> {
        if self.bounds != other.bounds {
            return Err(MechanismError::BoundsDiffer);
        }
        self.total = self.total.saturating_add(other.total);
        self.rows = self.rows.saturating_add(other.rows);
        Ok(())
    }

    /// The bounds that values are cut to.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The sum, hidden, in units of the grid.
    pub fn sum(&self, contribution: Contribution, grant: Grant) -> Result<Noisy, MechanismError> {
        Noise::calibrated(Sensitivity::of_sum(self.bounds, contribution), grant.cost())?.hide(self.total)
    }

    /// The number of values, hidden.
    pub fn count(&self, contribution: Contribution, grant: Grant) -> Result<Noisy, MechanismError> {
        super::count(self.rows, contribution, grant)
    }
}

impl std::fmt::Debug for ClampedSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClampedSum").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}
