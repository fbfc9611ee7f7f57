//! `k-anonymity`

use super::reading::{Reading, count};
use super::{
    Card, Kept, Key, Measure, Model, Parameter, PrivacyModel, Side, TableFacts, Telling, Tokens, Unions, Words,
    Wording, whole,
};
use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Every class has at least k rows, or people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KAnonymity {
    /// Smallest class, k ≥ 1.
    pub k: u32,
}

pub(super) static CARD: Card = Card {
    name: "k-anonymity",
    title: "k-anonymity",
    statement: "Every released row agrees with at least k − 1 others in all quasi-identifiers.",
    meaning: "Nobody who knows the quasi-identifiers of a person finds fewer than k rows that fit. \
              It says nothing about the sensitive values of these rows.",
    source: "Samarati, \"Protecting respondents' identities in microdata release\", TKDE 13(6), 2001.",
    keys: &[Key { name: "k", says: "smallest class, at least 1", example: "5" }],
    more_people_never_hurt: true,
    asks_for_values: false,
    unions: Unions::Survives,
    result: Kept::Always,
    tokens: Tokens::Suffice,
    telling: &Told,
};

pub(super) fn read(_: &mut Reading<'_>, walk: &mut Walk, section: &Section<'_>) -> Option<KAnonymity> {
    Some(KAnonymity { k: count(walk, section, "k", "5")? })
}

impl PrivacyModel for KAnonymity {
    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("k", Parameter::Count(self.k))]
    }

    fn criterion(&self, _: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        Ok(Box::new(criteria::KAnonymity { k: u64::from(self.k) }))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("k").map(|k| -k)
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        Some(("k", KAnonymity { k: whole(achieved, "k")? }.into()))
    }

    fn counts(&self, _: &str) -> bool {
        true
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let k = promise.number("k") as u64;
        let others = promise.count(k.saturating_sub(1));
        Wording {
            title: format!("k-anonymity, k = {}", promise.count(k)),
            short: format!("Every row looks like at least {others} others"),
            meaning: format!(
                "Every released row agrees with at least {others} others in {}. Whoever knows these facts about a \
                 person finds no fewer than {} rows that fit, and picks the right one with a chance of at most {}.",
                promise.quasi_identifiers(),
                promise.count(k),
                promise.percent(1.0 / k.max(1) as f64),
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        vec![Measure::of(promise, "k", "k", Side::AtLeast)]
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        promise.number("k") <= 1.0
    }

    fn class_size(&self, promise: &dyn Words) -> u64 {
        promise.number("k") as u64
    }
}
