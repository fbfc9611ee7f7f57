//! `beta-likeness`

use super::reading::Reading;
use super::t_closeness::Distance;
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Words, Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use crate::names::names;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// No value is much more frequent in a class than in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetaLikeness {
    /// The sensitive attribute.
    pub attribute: String,
    /// Largest relative gain, β > 0.
    pub beta: DecimalText,
    /// Whether frequent values are limited further.
    pub form: LikenessForm,
}

/// Which gain is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LikenessForm {
    /// At most β.
    Basic,
    /// At most β and at most −ln p, so that frequent values gain less.
    #[default]
    Enhanced,
}
names!(LikenessForm { Basic: "basic", Enhanced: "enhanced" });

pub(super) static CARD: Card = Card {
    name: "beta-likeness",
    title: "β-likeness",
    statement: "For every value with share p of the whole table and share q of a class, (q − p)/p is at most β; \
                in the enhanced form also at most −ln p.",
    meaning: "It limits the relative gain in confidence about every single value, so that rare values are guarded as well as \
              frequent ones. Values that become rarer are not limited. The whole table is the original one, rows that are \
              left out included.",
    source: "Cao & Karras, \"Publishing microdata with a robust privacy guarantee\", PVLDB 5(11), 2012.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "beta", says: "largest relative gain, above 0", example: "1.0" },
        Key { name: "form", says: "`enhanced` (unless said otherwise) or `basic`", example: "\"enhanced\"" },
    ],
    more_people_never_hurt: false,
    asks_for_values: false,
    unions: Unions::OfOneTable,
    result: Kept::WithoutSuppression("compares with the whole table, which is another one once rows are left out"),
    tokens: Tokens::DoNot,
    telling: &Told,
};

pub(super) fn read(reading: &mut Reading<'_>, walk: &mut Walk, section: &Section<'_>) -> Option<BetaLikeness> {
    let attribute = reading.attribute(walk, section);
    let beta = section
        .require(walk, "beta", "1.0")
        .and_then(|item| item.decimal_in(walk, "above 0", |beta| beta.scaled() > 0));
    let form = match section.get(walk, "form", "\"enhanced\"") {
        Some(item) => item.choice(walk, "a form of β-likeness"),
        None => Some(LikenessForm::default()),
    };
    Some(BetaLikeness { attribute: attribute?, beta: beta?, form: form? })
}

impl PrivacyModel for BetaLikeness {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("attribute", Parameter::Text(&self.attribute)),
            ("beta", Parameter::Decimal(&self.beta)),
            ("form", Parameter::Text(self.form.name())),
        ]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let form = match self.form {
            LikenessForm::Basic => criteria::LikenessForm::Basic,
            LikenessForm::Enhanced => criteria::LikenessForm::Enhanced,
        };
        let (sensitive, beta) = (table.histogram(self.sensitive()), table.number("beta", &self.beta)?);
        Ok(Box::new(criteria::BetaLikeness::new(sensitive, beta, form, table.totals(&self.attribute))))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("beta")
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let beta = two_digits((figure(achieved, "beta")? * 100.0).ceil() / 100.0)?;
        Some(("beta", BetaLikeness { beta, ..self.clone() }.into()))
    }

    fn reference(&self) -> Option<(&str, Distance)> {
        Some((&self.attribute, Distance::Equal))
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, beta) = (promise.columns(), promise.figure(promise.number("beta")));
        let (name, further) = match promise.text("form") {
            "basic" => ("Basic", ""),
            _ => ("Enhanced", " Values that are frequent in the table may gain less."),
        };
        Wording {
            title: format!("{name} β-likeness of {column}, β = {beta}"),
            short: format!("No value of {column} is more than 1 + {beta} times as frequent in a class as in the table"),
            meaning: format!(
                "In no class does a value of {column} have more than 1 + {beta} times its share of the whole original \
                 table.{further} Rare values are guarded as well as frequent ones; values may become rarer."
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        vec![Measure::of(promise, "beta", "β", Side::AtMost)]
    }

    fn is_empty(&self, _: &dyn Words) -> bool {
        false
    }

    fn covers(&self, _: &dyn Words, attack: Attack) -> Coverage {
        match attack {
            Attack::Disclosure | Attack::Skewness => Coverage::Full,
            Attack::Homogeneity | Attack::BackgroundKnowledge => Coverage::Partly,
            // All values count as equally different.
            Attack::Similarity => Coverage::None,
        }
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        let reached = promise.reached("beta").unwrap_or(promise.number("beta"));
        match attack {
            Attack::Disclosure | Attack::Skewness => Some(format!(
                "in no class is a value more than {} times as frequent as in the table.",
                promise.figure(1.0 + reached)
            )),
            Attack::Homogeneity => Some(format!(
                "a class with a single value passes only if that value makes up at least {} of the table.",
                promise.percent(1.0 / (1.0 + promise.number("beta")))
            )),
            Attack::BackgroundKnowledge | Attack::Similarity => None,
        }
    }
}
