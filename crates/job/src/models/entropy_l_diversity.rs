//! `entropy-l-diversity`

use super::diversity::{covers, remains_entropy};
use super::reading::{Reading, effective_l};
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Words, Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Every class has an effective number of values of at least l.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntropyLDiversity {
    /// The sensitive attribute.
    pub attribute: String,
    /// Effective number of values in each class, l ≥ 1.
    pub l: DecimalText,
}

pub(super) static CARD: Card = Card {
    name: "entropy-l-diversity",
    title: "entropy ℓ-diversity",
    statement: "The entropy of the sensitive attribute in every class is at least ln l.",
    meaning: "A class is as mixed as l equally frequent values, or more. Rare values count little.",
    source: "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, \"ℓ-Diversity: privacy beyond k-anonymity\", TKDD 1(1), 2007.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "l", says: "effective number of values, at least 1", example: "2.5" },
    ],
    more_people_never_hurt: false,
    asks_for_values: true,
    unions: Unions::Survives,
    result: Kept::Always,
    tokens: Tokens::Suffice,
    telling: &Told,
};

pub(super) fn read(
    reading: &mut Reading<'_>,
    walk: &mut Walk,
    section: &Section<'_>,
) -> Option<EntropyLDiversity> {
    let (attribute, l) = (reading.attribute(walk, section), effective_l(walk, section));
    Some(EntropyLDiversity { attribute: attribute?, l: l? })
}

impl PrivacyModel for EntropyLDiversity {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("attribute", Parameter::Text(&self.attribute)), ("l", Parameter::Decimal(&self.l))]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let sensitive = table.histogram(self.sensitive());
        Ok(Box::new(criteria::EntropyLDiversity { sensitive, l: table.number("l", &self.l)? }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("l").map(|l| -l)
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let l = two_digits((figure(achieved, "l")? * 100.0).floor() / 100.0)?;
        Some(("l", EntropyLDiversity { l, ..self.clone() }.into()))
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, l) = (promise.columns(), promise.figure(promise.number("l")));
        Wording {
            title: format!("Entropy ℓ-diversity of {column}, ℓ = {l}"),
            short: format!("Every class mixes {column} like {l} equally frequent values or more"),
            meaning: format!(
                "Among rows that look alike, the values of {column} are at least as mixed as {l} equally frequent \
                 ones. Rare values count little here: a few odd rows do not make a class diverse."
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        vec![Measure::of(promise, "l", "ℓ", Side::AtLeast)]
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        promise.number("l") <= 1.0
    }

    fn class_size(&self, promise: &dyn Words) -> u64 {
        promise.number("l").ceil() as u64
    }

    fn covers(&self, promise: &dyn Words, attack: Attack) -> Coverage {
        covers(promise, true, attack)
    }

    // The effective number of values never exceeds their number.
    fn distinct_values(&self, promise: &dyn Words) -> u64 {
        promise.number("l").ceil() as u64
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        remains_entropy(promise, attack)
    }
}
