//! Classes that stand up to a participant.

use paravent_core::criteria::{Achieved, ClassCriterion, Needs, Suppression};
use paravent_core::grouping::Class;

/// A class has at least `k` rows even after any one party has taken away its own: `|E| − max_p |E ∩ T_p| ≥ k`.
///
/// A class with rows of one party only fails: without them nothing is left. Goryczka, Xiong & Fung, "m-Privacy for collaborative data
/// publishing", TKDE 26(10), 2014, with m = 1 and k-anonymity as the constraint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KWithoutAnyOne {
    /// Position of the view of the parties.
    pub(crate) origins: usize,
    /// Smallest remainder.
    pub(crate) k: u64,
}

impl KWithoutAnyOne {
    fn remainder(&self, class: &Class<'_>) -> u64 {
        let largest = class.distributions.get(self.origins).and_then(|parties| parties.counts().max());
        class.rows.saturating_sub(largest.unwrap_or(class.rows))
    }
}

impl ClassCriterion for KWithoutAnyOne {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.origins), ..Needs::default() }
    }

    // Without party p, a merged class has the rows of its parts; so the smallest remainder never shrinks, whatever was suppressed.
    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn implied_class_size(&self) -> u64 {
        1
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.remainder(class) >= self.k
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        achieved.at_least("k without any one party", self.remainder(class) as f64);
    }
}
