//! k-map.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::grouping::Class;

/// Every released class has at least `k` rows in the population, or different people where people are counted.
///
/// Like k-anonymity, but counted where the attacker looks. Sweeney, PhD thesis, MIT 2001.
#[derive(Debug, Clone, Copy)]
pub struct KMap {
    /// Smallest class size in the population.
    pub k: u64,
}

impl ClassCriterion for KMap {
    fn needs(&self) -> Needs {
        Needs { population: true, ..Needs::default() }
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn implied_class_size(&self) -> u64 {
        1
    }

    // Everybody of the table is in the population.
    fn more_people_never_hurt(&self) -> bool {
        true
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.population >= self.k
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        achieved.at_least("k", class.population as f64);
    }
}
