//! `recursive-l-diversity`

use super::diversity::{covers, largest_share, others, remains_recursive};
use super::reading::{Reading, count, factor};
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Words, Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// No value outweighs the rarer ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecursiveLDiversity {
    /// The sensitive attribute.
    pub attribute: String,
    /// c > 0; larger is weaker.
    pub c: DecimalText,
    /// l ≥ 1.
    pub l: u32,
}

pub(super) static CARD: Card = Card {
    name: "recursive-l-diversity",
    title: "recursive ℓ-diversity",
    statement: "With the counts of a class in descending order, the first is below c times the sum from the l-th on.",
    meaning: "No value of a class becomes too certain, even after others were ruled out.",
    source: "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, \"ℓ-Diversity: privacy beyond k-anonymity\", TKDD 1(1), 2007.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "c", says: "how much more frequent the first value may be, above 0; larger is weaker", example: "3.0" },
        Key { name: "l", says: "where the tail of rarer values starts, at least 1", example: "3" },
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
) -> Option<RecursiveLDiversity> {
    let attribute = reading.attribute(walk, section);
    let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
    Some(RecursiveLDiversity { attribute: attribute?, c: c?, l: l? })
}

impl PrivacyModel for RecursiveLDiversity {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("attribute", Parameter::Text(&self.attribute)),
            ("c", Parameter::Decimal(&self.c)),
            ("l", Parameter::Count(self.l)),
        ]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let (sensitive, c) = (table.histogram(self.sensitive()), table.number("c", &self.c)?);
        Ok(Box::new(criteria::RecursiveLDiversity { sensitive, c, l: u64::from(self.l) }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("c")
    }

    // The comparison is strict: stay above what was achieved.
    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let c = two_digits((figure(achieved, "c")? * 100.0).floor() / 100.0 + 0.01)?;
        Some(("c", RecursiveLDiversity { c, ..self.clone() }.into()))
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, c) = (promise.columns(), promise.figure(promise.number("c")));
        let (l, share) = (promise.number("l") as u64, promise.percent(largest_share(promise)));
        let meaning = if l <= 1 {
            format!(
                "Among rows that look alike, the most frequent value of {column} makes up less than {c} times the \
                 rows of the class."
            )
        } else {
            format!(
                "Among rows that look alike, the most frequent value of {column} occurs less than {c} times as \
                 often as {}. Its share of a class stays below {share}.",
                others(l),
            )
        };
        Wording {
            title: format!("Recursive (c, ℓ)-diversity of {column}, c = {c}, ℓ = {l}"),
            short: format!("No value of {column} reaches {share} of a class"),
            meaning,
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        vec![Measure::of(promise, "c", "c", Side::Below)]
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        promise.number("l") <= 1.0 && promise.number("c") > 1.0
    }

    fn class_size(&self, promise: &dyn Words) -> u64 {
        promise.number("l").ceil() as u64
    }

    fn covers(&self, promise: &dyn Words, attack: Attack) -> Coverage {
        covers(promise, true, attack)
    }

    // Below c = 1 and with ℓ = 1 the most frequent value is still not the only one.
    fn distinct_values(&self, promise: &dyn Words) -> u64 {
        (promise.number("l") as u64).max(2)
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        remains_recursive(promise, attack)
    }
}
