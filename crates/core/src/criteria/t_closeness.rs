//! t-closeness.

use super::distance::Reference;
use super::{Achieved, ClassCriterion, Distance, Needs, Suppression};
use crate::exact::Fraction;
use crate::grouping::Class;

/// The sensitive values of every class are distributed almost as in the whole table: `D[P, Q] ≤ t`.
///
/// `Q` is the original table, suppressed rows included. Thresholds are compared exactly.
/// Li, Li & Venkatasubramanian, "t-Closeness: Privacy beyond k-anonymity and ℓ-diversity", ICDE 2007.
#[derive(Debug, Clone)]
pub struct TCloseness {
    sensitive: usize,
    t: Fraction,
    distance: Distance,
    reference: Reference,
}

impl TCloseness {
    /// The criterion for one sensitive column, given how often each value occurs in the whole table.
    pub fn new(sensitive: usize, t: Fraction, distance: Distance, totals: Vec<u64>) -> TCloseness {
        let reference = Reference::new(totals, &distance);
        TCloseness { sensitive, t, distance, reference }
    }

    /// The distance in use.
    pub fn distance(&self) -> &Distance {
        &self.distance
    }
}

impl ClassCriterion for TCloseness {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    // All distances are convex in the class's distribution, and a merged class is a mixture of its parts, so it is no
    // further away than the furthest part. With suppression the far part may have been the one left out.
    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn implied_class_size(&self) -> u64 {
        1
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let distribution = &class.distributions[self.sensitive];
        self.distance.at_most(self.t, distribution, distribution.total, &self.reference)
    }

    fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        let distribution = &class.distributions[self.sensitive];
        class.rows - self.distance.most_kept(self.t, distribution, class.rows, &self.reference)
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let distribution = &class.distributions[self.sensitive];
        achieved.at_most("t", self.distance.value(distribution, distribution.total, &self.reference));
    }
}
