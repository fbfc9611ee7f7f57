//! δ-presence.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::exact::Fraction;
use crate::grouping::Class;
use std::cmp::Ordering;

/// Nobody learns too surely that a person of the population is, or is not, in the table.
///
/// For a class with `|E ∩ T|` rows of the table and `|E ∩ P|` of the population, `min ≤ |E ∩ T| / |E ∩ P| ≤ max`. Population classes
/// without a row have δ = 0; with `min > 0` they violate the criterion and nothing can be suppressed to mend it.
/// Where people are counted, both numbers are different people; shares are then no mixtures of the shares of parts, since somebody may be in
/// several parts of the population and in one of the table.
/// Nergiz, Atzori & Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007.
#[derive(Debug, Clone, Copy)]
pub struct DeltaPresence {
    /// Smallest share.
    pub min: Fraction,
    /// Largest share.
    pub max: Fraction,
}

impl ClassCriterion for DeltaPresence {
    fn needs(&self) -> Needs {
        Needs { population: true, ..Needs::default() }
    }

    // The share of a merged class lies between those of its parts.
    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn implied_class_size(&self) -> u64 {
        1
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let (rows, population) = (u128::from(class.rows), u128::from(class.population.max(1)));
        self.min.compare_with(rows, population) != Ordering::Less
            && self.max.compare_with(rows, population) != Ordering::Greater
    }

    // Whoever is left out is left out of the population's class as well: `m` rows can stay if `m ≤ max · (population − (rows − m))`. Where
    // the share is too small, some part has too small a share as well.
    fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        let (max, others) = (self.max, class.population.saturating_sub(class.rows));
        let most = match max.denominator().checked_sub(max.numerator()) {
            Some(rest) if rest > 0 => {
                u64::try_from(u128::from(others).saturating_mul(max.numerator()) / rest).unwrap_or(u64::MAX)
            }
            _ => u64::MAX,
        };
        let shares = (u128::from(class.rows), u128::from(class.population.max(1)));
        let too_few = self.min.compare_with(shares.0, shares.1) == Ordering::Less;
        class.rows.saturating_sub(most).max(u64::from(too_few && class.rows > 0))
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let share = class.rows as f64 / class.population as f64;
        achieved.at_least("min", share);
        achieved.at_most("max", share);
    }

    fn gauge_absent(&self, achieved: &mut Achieved) {
        achieved.at_least("min", 0.0);
    }

    fn judges_absent_classes(&self) -> bool {
        self.min > Fraction::ZERO
    }
}
