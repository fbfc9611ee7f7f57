//! `npd-recursive-l-diversity`

use super::diversity::{certainty, covers_but_for_harmless, remains_with_harmless};
use super::pd_recursive_l_diversity::PdRecursiveLDiversity;
use super::reading::{Reading, allowed, count, factor};
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Words, Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Recursive diversity with harmless values, and some values must not be ruled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpdRecursiveLDiversity {
    /// The sensitive attribute.
    pub attribute: String,
    /// c > 0.
    pub c: DecimalText,
    /// Percentage of each class that every protected value has at least, 0 ≤ c2 ≤ 100.
    pub c2: DecimalText,
    /// l ≥ 1.
    pub l: u32,
    /// Harmless values that may be disclosed.
    pub allowed: Vec<String>,
    /// Values whose absence must not be disclosed; not empty.
    pub protected: Vec<String>,
}

pub(super) static CARD: Card = Card {
    name: "npd-recursive-l-diversity",
    title: "npd-recursive ℓ-diversity",
    statement: "As pd-recursive diversity, and every protected value makes up at least c2 percent of every class.",
    meaning: "That somebody does not have a protected value cannot be learnt.",
    source: "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, \"ℓ-Diversity: privacy beyond k-anonymity\", TKDD 1(1), 2007.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "c", says: "how much more frequent the first value may be, above 0; larger is weaker", example: "3.0" },
        Key { name: "c2", says: "share of every protected value, a percentage from 0 to 100", example: "10" },
        Key { name: "l", says: "where the tail of rarer values starts, at least 1", example: "3" },
        Key { name: "allowed", says: "harmless values that may be disclosed", example: "[\"healthy\"]" },
        Key { name: "protected", says: "values whose absence must not be disclosed; not empty", example: "[\"HIV\"]" },
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
) -> Option<NpdRecursiveLDiversity> {
    let attribute = reading.attribute(walk, section);
    let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
    let c2 = section.require(walk, "c2", "10").and_then(|item| {
        let percent = |c2: &DecimalText| 0 <= c2.scaled() && *c2 <= DecimalText::from(100);
        item.decimal_in(walk, "a percentage from 0 to 100", percent)
    });
    let allowed = allowed(walk, section);
    let protected = section.require(walk, "protected", "[\"HIV\"]").and_then(|item| item.cells(walk, 1));
    Some(NpdRecursiveLDiversity {
        attribute: attribute?,
        c: c?,
        c2: c2?,
        l: l?,
        allowed: allowed?,
        protected: protected?,
    })
}

impl PrivacyModel for NpdRecursiveLDiversity {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("attribute", Parameter::Text(&self.attribute)),
            ("c", Parameter::Decimal(&self.c)),
            ("c2", Parameter::Decimal(&self.c2)),
            ("l", Parameter::Count(self.l)),
            ("allowed", Parameter::List(&self.allowed)),
            ("protected", Parameter::List(&self.protected)),
        ]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let half = PdRecursiveLDiversity {
            attribute: self.attribute.clone(),
            c: self.c.clone(),
            l: self.l,
            allowed: self.allowed.clone(),
        };
        let code = |value: &String| table.code(&self.attribute, value).unwrap_or(u32::MAX);
        Ok(Box::new(criteria::NpdRecursiveLDiversity {
            positive: half.positive(table)?,
            c2: table.number("c2", &self.c2)?,
            protected: self.protected.iter().map(code).collect(),
        }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("c")
    }

    // The comparison is strict: stay above what was achieved.
    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let c = two_digits((figure(achieved, "c")? * 100.0).floor() / 100.0 + 0.01)?;
        Some(("c", NpdRecursiveLDiversity { c, ..self.clone() }.into()))
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, c, l) =
            (promise.columns(), promise.figure(promise.number("c")), promise.figure(promise.number("l")));
        let c2 = promise.figure(promise.number("c2"));
        Wording {
            title: format!(
                "Negative/positive-disclosure recursive (c, c₂, ℓ)-diversity of {column}, c = {c}, c₂ = {c2}%, \
                 ℓ = {l}"
            ),
            short: format!(
                "Delicate values of {column} neither reach {} of a class nor drop out of one",
                promise.percent(certainty(promise.number("c")))
            ),
            meaning: format!(
                "Like recursive diversity, but {} may become known, and {} can never be ruled out: every class \
                 shows each of them in at least {c2}% of its rows.",
                promise.values("allowed"),
                promise.values("protected"),
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        let share = Measure::of(promise, "c2", "c₂", Side::AtLeast);
        vec![
            Measure::of(promise, "c", "c", Side::Below),
            Measure { largest: Some(100.0), unit: "%", ..share },
        ]
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
