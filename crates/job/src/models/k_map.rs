//! `k-map`

use super::reading::{Reading, count};
use super::{
    Card, Kept, Key, Measure, Model, Parameter, PrivacyModel, Side, TableFacts, Telling, Tokens, Unions, Words,
    Wording, whole,
};
use super::population::Population;
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Every class has at least k people in the population.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KMap {
    /// Smallest class in the population, k ≥ 1.
    pub k: u32,
    /// Among whom the people of the table could be.
    pub population: Population,
}

pub(super) static CARD: Card = Card {
    name: "k-map",
    title: "k-map",
    statement: "Every released combination of quasi-identifiers fits at least k people of a known population.",
    meaning: "It holds against somebody who does not know whether the person sought is in the table.",
    source: "Sweeney, \"Computational disclosure control\", PhD thesis, MIT, 2001.",
    keys: &[
        Key { name: "k", says: "smallest class in the population, at least 1", example: "5" },
        Key { name: "population", says: "a table of the population", example: "\"population.csv\"" },
        Key { name: "subset", says: "or a column that says who is in the table", example: "\"in_study\"" },
    ],
    more_people_never_hurt: true,
    asks_for_values: false,
    unions: Unions::Unknown,
    result: Kept::No("counts in a population, which is not lifted with the table"),
    tokens: Tokens::Suffice,
    telling: &Told,
};

pub(super) fn read(reading: &mut Reading<'_>, walk: &mut Walk, section: &Section<'_>) -> Option<KMap> {
    let (k, population) = (count(walk, section, "k", "5"), reading.population(walk, section));
    Some(KMap { k: k?, population: population? })
}

impl PrivacyModel for KMap {
    fn population(&self) -> Option<&Population> {
        Some(&self.population)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("k", Parameter::Count(self.k)), ("population", Parameter::Population(&self.population))]
    }

    fn criterion(&self, _: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        Ok(Box::new(criteria::KMap { k: u64::from(self.k) }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("k").map(|k| -k)
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        Some(("k", KMap { k: whole(achieved, "k")?, ..self.clone() }.into()))
    }

    fn counts(&self, _: &str) -> bool {
        true
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let k = promise.count(promise.number("k") as u64);
        Wording {
            title: format!("k-map, k = {k}"),
            short: format!("Every row fits at least {k} people of the population"),
            meaning: format!(
                "Every released combination of {} fits at least {k} people of the known population. This holds \
                 against somebody who does not know whether the person sought is in the table.",
                promise.quasi_identifiers(),
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        vec![Measure::of(promise, "k", "k", Side::AtLeast)]
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        promise.number("k") <= 1.0
    }
}
