//! β-likeness.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::exact::Fraction;
use crate::grouping::Class;
use std::cmp::Ordering;

/// No value is much more frequent in a class than in the whole table: `(q − p)/p ≤ β` for every value, `q` being its share of the class
/// and `p` its share of the table; in the enhanced form also `(q − p)/p ≤ −ln p`.
///
/// `p` is taken from the original table, suppressed rows included. β is compared exactly. −ln p is no fraction unless p is 1, so it is never
/// met exactly; what doubles cannot decide counts as a violation.
/// Cao & Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012.
#[derive(Debug, Clone)]
pub struct BetaLikeness {
    sensitive: usize,
    beta: Fraction,
    form: LikenessForm,
    totals: Vec<u64>,
    /// The sum of the totals.
    all: u128,
}

/// Which gain is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikenessForm {
    /// At most β.
    Basic,
    /// At most β and at most −ln p.
    Enhanced,
}

/// The gain of a value as the fraction `gained / before`.
struct Gain {
    gained: u128,
    before: u128,
    /// The total of the value.
    total: u64,
}

impl BetaLikeness {
    /// The criterion for one sensitive column, given how often each value occurs in the whole table.
    pub fn new(sensitive: usize, beta: Fraction, form: LikenessForm, totals: Vec<u64>) -> BetaLikeness {
        let all = totals.iter().map(|&count| u128::from(count)).sum();
        BetaLikeness { sensitive, beta, form, totals, all }
    }

    /// The gains of the values of a class that are more frequent in it than in the table.
    fn gains<'a>(&'a self, class: &'a Class<'_>) -> impl Iterator<Item = Gain> + 'a {
        let distribution = &class.distributions[self.sensitive];
        let rows = u128::from(distribution.total);
        distribution.present.iter().filter_map(move |&value| {
            let total = self.totals.get(value as usize).copied().unwrap_or(0);
            let (here, before) = (u128::from(distribution.dense[value as usize]), u128::from(total) * rows);
            let gained = (here * self.all).saturating_sub(before);
            (gained > 0).then_some(Gain { gained, before, total })
        })
    }

    fn allows(&self, gain: &Gain) -> bool {
        // A value that the table does not have gains without bound.
        gain.before > 0
            && self.beta.compare_with(gain.gained, gain.before) != Ordering::Greater
            && (self.form == LikenessForm::Basic || self.is_below_logarithm(gain))
    }

    fn is_below_logarithm(&self, gain: &Gain) -> bool {
        let relative = gain.gained as f64 / gain.before as f64;
        let logarithm = (self.all as f64 / gain.total as f64).ln();
        // Both are off by a few units in the last place, the logarithm by those of its argument as well.
        let margin = 16.0 * f64::EPSILON * (1.0 + relative + logarithm);
        relative + margin <= logarithm
    }
}

impl ClassCriterion for BetaLikeness {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    // A merged class is a mixture of its parts, so a value has at most the largest of its shares in them. With suppression the part with
    // the larger share may have been the one left out.
    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn implied_class_size(&self) -> u64 {
        1
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.gains(class).all(|gain| self.allows(&gain))
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let gain = |gain: Gain| gain.gained as f64 / gain.before as f64;
        achieved.at_most("beta", self.gains(class).map(gain).fold(0.0, f64::max));
    }

    // −ln p limits gains whatever β is.
    fn own_bound(&self) -> Option<Box<dyn ClassCriterion>> {
        let basic = || BetaLikeness { form: LikenessForm::Basic, ..self.clone() };
        (self.form == LikenessForm::Enhanced).then(|| -> Box<dyn ClassCriterion> { Box::new(basic()) })
    }
}
