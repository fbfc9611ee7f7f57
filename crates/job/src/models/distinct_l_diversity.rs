//! `distinct-l-diversity`

use super::diversity::{covers, remains_distinct};
use super::reading::{Reading, count};
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Wording, Words, whole,
};
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Every class shows at least l values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctLDiversity {
    /// The sensitive attribute.
    pub attribute: String,
    /// Different values in each class, l ≥ 1.
    pub l: u32,
}

pub(super) static CARD: Card = Card {
    name: "distinct-l-diversity",
    title: "distinct ℓ-diversity",
    statement: "Every class shows at least l different values of the sensitive attribute.",
    meaning: "How often each value occurs is not looked at: one may be far more frequent than the others.",
    source: "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, \"ℓ-Diversity: privacy beyond k-anonymity\", TKDD 1(1), 2007.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "l", says: "different values in each class, at least 1", example: "3" },
    ],
    more_people_never_hurt: true,
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
) -> Option<DistinctLDiversity> {
    let (attribute, l) = (reading.attribute(walk, section), count(walk, section, "l", "3"));
    Some(DistinctLDiversity { attribute: attribute?, l: l? })
}

impl PrivacyModel for DistinctLDiversity {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("attribute", Parameter::Text(&self.attribute)), ("l", Parameter::Count(self.l))]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let sensitive = table.histogram(self.sensitive());
        Ok(Box::new(criteria::DistinctLDiversity { sensitive, l: u64::from(self.l) }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("l").map(|l| -l)
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        Some(("l", DistinctLDiversity { l: whole(achieved, "l")?, ..self.clone() }.into()))
    }

    fn counts(&self, _: &str) -> bool {
        true
    }

    fn counts_values_only(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, l) = (promise.columns(), promise.figure(promise.number("l")));
        Wording {
            title: format!("Distinct ℓ-diversity of {column}, ℓ = {l}"),
            short: format!("Every class shows at least {l} values of {column}"),
            meaning: format!(
                "Rows that look alike show at least {l} different values of {column}. How often each occurs is not \
                 looked at: one value may still be far more frequent than the others."
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
        covers(promise, false, attack)
    }

    fn distinct_values(&self, promise: &dyn Words) -> u64 {
        promise.reached("l").unwrap_or(promise.number("l")) as u64
    }

    fn promised_values(&self, promise: &dyn Words) -> u64 {
        promise.number("l") as u64
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        remains_distinct(promise, self.distinct_values(promise), attack)
    }
}
