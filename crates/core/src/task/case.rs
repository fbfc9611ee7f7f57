//! The six cases of monotonicity.

use crate::criteria::{Criteria, Monotonicity, Suppression};
use crate::quality::Metric;

/// What one verdict says about other nodes.
///
/// |                     | fully monotone criterion | partly | not |
/// |---------------------|------|------|------|
/// | monotone metric     | 1: tag below, tag above, exclude above | 3: tag below by the monotone part, exclude above | 5: exclude above |
/// | non-monotone metric | 2: tag below and above; every anonymous node's loss is needed | 4: tag below by the monotone part | 6: nothing |
///
/// Kohlmayer, "Datenschutz und biomedizinische Forschung", TU München 2015, chapter 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// Of the criterion.
    pub criterion: Monotonicity,
    /// Of the metric.
    pub monotone_metric: bool,
}

impl Case {
    /// The case that criteria and a metric make, where rows may be suppressed or not.
    pub fn of(criteria: &Criteria, metric: Metric, suppression: Suppression) -> Case {
        Case { criterion: criteria.monotonicity(), monotone_metric: metric.is_monotone(suppression) }
    }

    /// The case's number in the literature, 1 to 6.
    pub fn number(self) -> u8 {
        let column = match self.criterion {
            Monotonicity::Full => 0,
            Monotonicity::Partly => 1,
            Monotonicity::None => 2,
        };
        2 * column + if self.monotone_metric { 1 } else { 2 }
    }
}
