//! Distinct ℓ-diversity.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::grouping::Class;

/// Every class shows at least ℓ different values of the sensitive column.
///
/// Holds for class `E` when `|{ s(r) : r ∈ E }| ≥ ℓ`; where people are counted, when ℓ people show ℓ different values, one each. Frequencies are ignored: 99 × flu and 1 × HIV is
/// 2-diverse; see [`EntropyLDiversity`](super::EntropyLDiversity) where that matters.
/// Machanavajjhala et al., "ℓ-Diversity: Privacy beyond k-anonymity", TKDD 1(1), 2007.
#[derive(Debug, Clone, Copy)]
pub struct DistinctLDiversity {
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// Fewest different values.
    pub l: u64,
}

impl ClassCriterion for DistinctLDiversity {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    // Merging classes can only add values.
    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn implied_class_size(&self) -> u64 {
        self.l
    }

    // ℓ people with ℓ different values are still there when others join them.
    fn more_people_never_hurt(&self) -> bool {
        true
    }

    fn implied_people(&self) -> u64 {
        self.l
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let values = &class.distributions[self.sensitive];
        values.represented(values.present, self.l) >= self.l
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let values = &class.distributions[self.sensitive];
        achieved.at_least("l", values.represented(values.present, u64::MAX) as f64);
    }
}
