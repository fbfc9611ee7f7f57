//! `pd-recursive-l-diversity`

use super::diversity::{certainty, covers_but_for_harmless, others, remains_with_harmless};
use super::reading::{Reading, allowed, count, factor};
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Words, Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Recursive diversity, but some values may be disclosed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdRecursiveLDiversity {
    /// The sensitive attribute.
    pub attribute: String,
    /// c > 0.
    pub c: DecimalText,
    /// l ≥ 1.
    pub l: u32,
    /// Harmless values that may be disclosed.
    pub allowed: Vec<String>,
}

pub(super) static CARD: Card = Card {
    name: "pd-recursive-l-diversity",
    title: "pd-recursive ℓ-diversity",
    statement: "As recursive diversity, for the most frequent value that is not declared harmless.",
    meaning: "Classes of harmless values always pass.",
    source: "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, \"ℓ-Diversity: privacy beyond k-anonymity\", TKDD 1(1), 2007.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "c", says: "how much more frequent the first value may be, above 0; larger is weaker", example: "3.0" },
        Key { name: "l", says: "where the tail of rarer values starts, at least 1", example: "3" },
        Key { name: "allowed", says: "harmless values that may be disclosed", example: "[\"healthy\"]" },
    ],
    more_people_never_hurt: false,
    asks_for_values: true,
    unions: Unions::Unknown,
    result: Kept::Always,
    tokens: Tokens::DoNot,
    telling: &Told,
};

pub(super) fn read(
    reading: &mut Reading<'_>,
    walk: &mut Walk,
    section: &Section<'_>,
) -> Option<PdRecursiveLDiversity> {
    let attribute = reading.attribute(walk, section);
    let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
    let allowed = allowed(walk, section);
    Some(PdRecursiveLDiversity { attribute: attribute?, c: c?, l: l?, allowed: allowed? })
}

impl PdRecursiveLDiversity {
    /// The predicate.
    pub(super) fn positive(
        &self,
        table: &dyn TableFacts,
    ) -> Result<criteria::PdRecursiveLDiversity, Problems> {
        let mut allowed = vec![false; table.values(&self.attribute)];
        for code in self.allowed.iter().filter_map(|value| table.code(&self.attribute, value)) {
            allowed[code as usize] = true;
        }
        let (sensitive, c) = (table.histogram(self.sensitive()), table.number("c", &self.c)?);
        Ok(criteria::PdRecursiveLDiversity { sensitive, c, l: u64::from(self.l), allowed })
    }
}

impl PrivacyModel for PdRecursiveLDiversity {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("attribute", Parameter::Text(&self.attribute)),
            ("c", Parameter::Decimal(&self.c)),
            ("l", Parameter::Count(self.l)),
            ("allowed", Parameter::List(&self.allowed)),
        ]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        Ok(Box::new(self.positive(table)?))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("c")
    }

    // The comparison is strict: stay above what was achieved.
    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let c = two_digits((figure(achieved, "c")? * 100.0).floor() / 100.0 + 0.01)?;
        Some(("c", PdRecursiveLDiversity { c, ..self.clone() }.into()))
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, c, l) =
            (promise.columns(), promise.figure(promise.number("c")), promise.figure(promise.number("l")));
        Wording {
            title: format!("Positive-disclosure recursive (c, ℓ)-diversity of {column}, c = {c}, ℓ = {l}"),
            short: format!(
                "No delicate value of {column} reaches {} of a class",
                promise.percent(certainty(promise.number("c")))
            ),
            meaning: format!(
                "Like recursive diversity, but {} may become known. Among rows that look alike, every other value \
                 of {column} occurs less than {c} times as often as {}.",
                promise.values("allowed"),
                others(promise.number("l") as u64),
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        vec![Measure::of(promise, "c", "c", Side::Below)]
    }

    fn is_empty(&self, _: &dyn Words) -> bool {
        false
    }

    fn covers(&self, _: &dyn Words, attack: Attack) -> Coverage {
        covers_but_for_harmless(attack)
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        remains_with_harmless(promise, attack)
    }
}
