//! `multi-attribute-l-diversity`

use super::diversity::{covers, largest_share, remains_distinct, remains_entropy, remains_recursive};
use super::reading::{Reading, count, effective_l, factor};
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Wording, Words, whole,
};
use crate::decimal::DecimalText;
use crate::names::names;
use crate::problem::Problems;
use crate::suggest::shortened;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Diversity of several attributes at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiAttributeLDiversity {
    /// Two or more sensitive attributes.
    pub attributes: Vec<String>,
    /// What is asked of each, the others counted to the quasi-identifiers.
    pub base: Diversity,
}

/// The kind of diversity that is asked of each attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Diversity {
    /// `base = "distinct"`
    Distinct {
        /// l ≥ 1.
        l: u32,
    },
    /// `base = "entropy"`
    Entropy {
        /// l ≥ 1.
        l: DecimalText,
    },
    /// `base = "recursive"`
    Recursive {
        /// c > 0.
        c: DecimalText,
        /// l ≥ 1.
        l: u32,
    },
}

pub(super) static CARD: Card = Card {
    name: "multi-attribute-l-diversity",
    title: "multi-attribute ℓ-diversity",
    statement: "Each sensitive attribute is diverse in every class, the others counted to the quasi-identifiers.",
    meaning: "It holds against somebody who already knows all sensitive values of a person but one.",
    source: "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, \"ℓ-Diversity: privacy beyond k-anonymity\", TKDD 1(1), 2007.",
    keys: &[
        Key {
            name: "attributes",
            says: "two or more sensitive attributes",
            example: "[\"diagnosis\", \"treatment\"]",
        },
        Key { name: "base", says: "`distinct`, `entropy` or `recursive`", example: "\"distinct\"" },
        Key { name: "c", says: "with `recursive`: above 0", example: "3.0" },
        Key { name: "l", says: "at least 1", example: "3" },
    ],
    more_people_never_hurt: false,
    asks_for_values: false,
    unions: Unions::Unknown,
    result: Kept::Always,
    tokens: Tokens::Suffice,
    telling: &Told,
};

/// What it is made from.
#[derive(Clone, Copy)]
enum Base {
    Distinct,
    Entropy,
    Recursive,
}
names!(Base { Distinct: "distinct", Entropy: "entropy", Recursive: "recursive" });

pub(super) fn read(
    reading: &mut Reading<'_>,
    walk: &mut Walk,
    section: &Section<'_>,
) -> Option<MultiAttributeLDiversity> {
    let attributes = section.require(walk, "attributes", "[\"diagnosis\", \"treatment\"]").and_then(|item| {
        let mut seen: Vec<String> = Vec::new();
        item.list(walk, 2, |walk, entry| {
            let name = reading.declared.sensitive(walk, entry)?;
            if seen.contains(&name) {
                let message = format!("{} is listed twice", shortened(&name));
                walk.report(entry.line, &entry.key, message, "List each attribute once");
            }
            seen.push(name.clone());
            Some(name)
        })
    });
    let base = match section.get(walk, "base", "\"distinct\"") {
        Some(item) => item.choice(walk, "a kind of l-diversity"),
        None => Some(Base::Distinct),
    };
    if let (Some(Base::Distinct | Base::Entropy), Some(c)) = (base, section.get(walk, "c", "3")) {
        let advice = "Write base = \"recursive\", or leave it out";
        walk.report(c.line, &c.key, "goes with base = \"recursive\" only", advice);
    }
    let base = match base? {
        Base::Distinct => count(walk, section, "l", "3").map(|l| Diversity::Distinct { l }),
        Base::Entropy => effective_l(walk, section).map(|l| Diversity::Entropy { l }),
        Base::Recursive => {
            let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
            c.zip(l).map(|(c, l)| Diversity::Recursive { c, l })
        }
    };
    Some(MultiAttributeLDiversity { attributes: attributes?, base: base? })
}

impl PrivacyModel for MultiAttributeLDiversity {
    fn counts_values_only(&self) -> bool {
        matches!(self.base, Diversity::Distinct { .. })
    }

    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::Joint(&self.attributes)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut parameters = vec![("attributes", Parameter::List(&self.attributes))];
        parameters.extend(match &self.base {
            Diversity::Distinct { l } => {
                vec![("l", Parameter::Count(*l)), ("base", Parameter::Text("distinct"))]
            }
            Diversity::Entropy { l } => {
                vec![("l", Parameter::Decimal(l)), ("base", Parameter::Text("entropy"))]
            }
            Diversity::Recursive { c, l } => vec![
                ("c", Parameter::Decimal(c)),
                ("l", Parameter::Count(*l)),
                ("base", Parameter::Text("recursive")),
            ],
        });
        parameters
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let joint = table.histogram(self.sensitive());
        let diversity = match &self.base {
            Diversity::Distinct { l } => criteria::Diversity::Distinct { l: u64::from(*l) },
            Diversity::Entropy { l } => criteria::Diversity::Entropy { l: table.number("l", l)? },
            Diversity::Recursive { c, l } => {
                criteria::Diversity::Recursive { c: table.number("c", c)?, l: u64::from(*l) }
            }
        };
        let combinations = table.combinations(&self.attributes);
        Ok(Box::new(criteria::MultiAttributeLDiversity { joint, combinations, diversity }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("l").map(|l| -l).or(achieved.get("c"))
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        match &self.base {
            Diversity::Distinct { .. } => {
                let base = Diversity::Distinct { l: whole(achieved, "l")? };
                Some(("l", MultiAttributeLDiversity { base, ..self.clone() }.into()))
            }
            Diversity::Entropy { .. } | Diversity::Recursive { .. } => None,
        }
    }

    fn counts(&self, figure: &str) -> bool {
        matches!(self.base, Diversity::Distinct { .. }) && figure == "l"
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let columns = promise.columns();
        let l = promise.figure(promise.number("l"));
        let (base, what) = match promise.text("base") {
            "entropy" => {
                (format!("entropy, ℓ = {l}"), format!("is at least as mixed as {l} equally frequent values"))
            }
            "recursive" => (
                format!("recursive, c = {}, ℓ = {l}", promise.figure(promise.number("c"))),
                format!("has no value that reaches {}", promise.percent(largest_share(promise))),
            ),
            _ => (format!("distinct, ℓ = {l}"), format!("shows at least {l} different values")),
        };
        Wording {
            title: format!("Multi-attribute ℓ-diversity of {columns} ({base})"),
            short: format!("Each of {columns} stays diverse even when the others are known ({base})"),
            meaning: format!(
                "Even for somebody who already knows all but one of {columns}, the remaining column {what} among \
                 rows that look alike."
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        match promise.text("base") {
            "recursive" => vec![Measure::of(promise, "c", "c", Side::Below)],
            _ => vec![Measure::of(promise, "l", "ℓ", Side::AtLeast)],
        }
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        match promise.text("base") {
            "recursive" => promise.number("l") <= 1.0 && promise.number("c") > 1.0,
            _ => promise.number("l") <= 1.0,
        }
    }

    fn class_size(&self, promise: &dyn Words) -> u64 {
        promise.number("l").ceil() as u64
    }

    fn covers(&self, promise: &dyn Words, attack: Attack) -> Coverage {
        covers(promise, matches!(promise.text("base"), "entropy" | "recursive"), attack)
    }

    fn distinct_values(&self, promise: &dyn Words) -> u64 {
        match promise.text("base") {
            "entropy" => promise.number("l").ceil() as u64,
            "recursive" => (promise.number("l") as u64).max(2),
            _ => promise.reached("l").unwrap_or(promise.number("l")) as u64,
        }
    }

    fn promised_values(&self, promise: &dyn Words) -> u64 {
        match promise.text("base") {
            "entropy" | "recursive" => self.distinct_values(promise),
            _ => promise.number("l") as u64,
        }
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        match promise.text("base") {
            "entropy" => remains_entropy(promise, attack),
            "recursive" => remains_recursive(promise, attack),
            _ => remains_distinct(promise, self.distinct_values(promise), attack),
        }
    }
}
