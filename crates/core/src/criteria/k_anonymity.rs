//! k-anonymity.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::grouping::Class;

/// Every class has at least `k` rows, so a correct linkage has a confidence of at most `1/k`.
///
/// Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.
#[derive(Debug, Clone, Copy)]
pub struct KAnonymity {
    /// Smallest class size; 1 always holds.
    pub k: u64,
}

impl ClassCriterion for KAnonymity {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    // Merging classes only makes them larger, also when the small ones were to be suppressed.
    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn implied_class_size(&self) -> u64 {
        self.k
    }

    // The people of a merged class are the union of those of its parts.
    fn more_people_never_hurt(&self) -> bool {
        true
    }

    fn implied_people(&self) -> u64 {
        self.k
    }

    fn is_a_class_size(&self) -> bool {
        true
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.rows >= self.k
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        achieved.at_least("k", class.rows as f64);
    }
}
