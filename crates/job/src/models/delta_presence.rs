//! `delta-presence`

use super::reading::Reading;
use super::{
    Card, Kept, Key, Measure, Model, Parameter, PrivacyModel, Side, TableFacts, Telling, Tokens, Unions, Words,
    Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use super::population::Population;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Whether somebody is in the table stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaPresence {
    /// 0 ≤ min ≤ max.
    pub min: DecimalText,
    /// max ≤ 1.
    pub max: DecimalText,
    /// Among whom the people of the table could be.
    pub population: Population,
}

pub(super) static CARD: Card = Card {
    name: "delta-presence",
    title: "δ-presence",
    statement: "Of the people of the population who fit a class, a share between min and max is in the table.",
    meaning: "It limits how certain anybody can be that a person is in the table, or is not.",
    source: "Nergiz, Atzori & Clifton, \"Hiding the presence of individuals from shared databases\", SIGMOD 2007.",
    keys: &[
        Key { name: "min", says: "smallest share, between 0 and max", example: "0.0" },
        Key { name: "max", says: "largest share, at most 1", example: "0.2" },
        Key { name: "population", says: "a table of the population", example: "\"population.csv\"" },
        Key { name: "subset", says: "or a column that says who is in the table", example: "\"in_study\"" },
    ],
    more_people_never_hurt: false,
    asks_for_values: false,
    unions: Unions::Unknown,
    result: Kept::No("counts in a population, which is not lifted with the table"),
    tokens: Tokens::Suffice,
    telling: &Told,
};

pub(super) fn read(reading: &mut Reading<'_>, walk: &mut Walk, section: &Section<'_>) -> Option<DeltaPresence> {
    let share = |share: &DecimalText| 0 <= share.scaled() && *share <= DecimalText::from(1);
    let min = section.require(walk, "min", "0.0");
    let min = min.and_then(|item| item.decimal_in(walk, "between 0 and 1", share));
    let max_item = section.require(walk, "max", "0.2");
    let max = max_item.as_ref().and_then(|item| item.decimal_in(walk, "between 0 and 1", share));
    if let (Some(min), Some(max), Some(item)) = (&min, &max, max_item)
        && min > max
    {
        let advice = format!("Write e.g. max = {min}");
        walk.report(item.line, &item.key, format!("must not be below min, which is {min}"), &advice);
    }
    let population = reading.population(walk, section);
    Some(DeltaPresence { min: min?, max: max?, population: population? })
}

impl PrivacyModel for DeltaPresence {
    fn population(&self) -> Option<&Population> {
        Some(&self.population)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("min", Parameter::Decimal(&self.min)),
            ("max", Parameter::Decimal(&self.max)),
            ("population", Parameter::Population(&self.population)),
        ]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let (min, max) = (table.number("min", &self.min)?, table.number("max", &self.max)?);
        Ok(Box::new(criteria::DeltaPresence { min, max }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("max")
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let max = two_digits((figure(achieved, "max")? * 100.0).ceil() / 100.0)?;
        Some(("max", DeltaPresence { max, ..self.clone() }.into()))
    }

    fn judges_absent_classes(&self) -> bool {
        self.min.as_str() != "0"
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (min, max) = (promise.number("min"), promise.number("max"));
        let floor = if min > 0.0 {
            format!(" It is at least {} as well, so that nobody can be ruled out.", promise.percent(min))
        } else {
            String::new()
        };
        Wording {
            title: format!("δ-presence, δ from {} to {}", promise.figure(min), promise.figure(max)),
            short: format!("Presence in the table stays at most {} certain", promise.percent(max)),
            meaning: format!(
                "For anyone in the known population, the chance to be in this table can be narrowed down to no more \
                 than {}.{floor}",
                promise.percent(max),
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        let max = Measure { largest: Some(1.0), ..Measure::of(promise, "max", "δ max", Side::AtMost) };
        let min = Measure { largest: Some(1.0), ..Measure::of(promise, "min", "δ min", Side::AtLeast) };
        if min.required > 0.0 { vec![max, min] } else { vec![max] }
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        promise.number("min") <= 0.0 && promise.number("max") >= 1.0
    }
}
