//! `[[demands]]` and `[[analyses]]`: what every answer must keep, and what answers are for.

use crate::choice::words;
use crate::nodes::Zone;
use crate::rules::{FOR, For};
use crate::tables::names;
use paravent_job::keys::{self, Key, Takes, key, needed};
use paravent_job::walk::{Item, Walk};
use paravent_job::{DecimalText, Metric, Model, read_models};

pub(crate) const KEYS: &[Key] = &[
    needed("table", Takes::Text, "The table"),
    key(
        "min_people",
        Takes::Whole(2, u32::MAX as u64),
        "People in a group, in what a condition leaves out, and in every difference to an earlier answer",
    ),
    key(
        "dominance",
        Takes::Decimal,
        "Largest share of a sum that one person may have, above 0 and at most 1",
    ),
    key("models", Takes::Models, "What rows keep"),
    key("suppression_limit", Takes::Decimal, "Share of rows that may be left out, from 0 to 1"),
    key("metric", Takes::Choice(keys::words::<Metric>), "What counts as loss"),
    key("operators", Takes::List(&Takes::Choice(keys::words::<Means>)), "By what means, in this order"),
    key(
        "parts_to",
        Takes::Choice(keys::words::<Zone>),
        "The farthest zone of nodes that parts of answers are handed to; left out: region",
    ),
];

pub(crate) const ANALYSIS_KEYS: &[Key] = &[
    key("for", Takes::Table(FOR), "Whose analysis it is"),
    needed("regression", Takes::List(&Takes::List(&Takes::Text)), "Columns that stay together"),
];

/// By what means an answer is anonymised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// Coarser labels.
    Generalize,
    /// Column groups permuted inside buckets.
    Slice,
    /// Noise.
    Noise,
}
words!(Means { Generalize: "generalize", Slice: "slice", Noise: "noise" });

/// What every answer that shows rows or groups of a table must keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// Fewest people of a group, of what a condition leaves out, and of a difference.
    pub min_people: Option<u32>,
    /// Largest share of a sum that one person may have.
    pub dominance: Option<DecimalText>,
    /// What rows keep; all of them.
    pub models: Vec<Model>,
    /// Share of rows that may be left out.
    pub suppression_limit: Option<DecimalText>,
    /// What counts as loss.
    pub metric: Option<Metric>,
    /// By what means, in this order. None: any.
    pub operators: Option<Vec<Means>>,
    /// The farthest zone of nodes that parts of answers are handed to.
    pub parts_to: Option<Zone>,
}

impl Demand {
    /// What keeps both: more people, smaller shares, all models, means that both allow.
    ///
    /// Of two orders of means neither is stricter; the meet of different lists is in the usual order. Two metrics are refused when the policy
    /// is read, so the first that is there is the only one.
    #[must_use]
    pub fn meet(&self, other: &Demand) -> Demand {
        fn both<T: Clone>(one: &Option<T>, other: &Option<T>, meet: impl FnOnce(T, T) -> T) -> Option<T> {
            match (one.clone(), other.clone()) {
                (Some(one), Some(other)) => Some(meet(one, other)),
                (one, other) => one.or(other),
            }
        }
        let mut models = self.models.clone();
        models.extend(other.models.iter().filter(|model| !self.models.contains(model)).cloned());
        models.sort_by_cached_key(|model| format!("{model:?}"));
        models.dedup();
        Demand {
            min_people: both(&self.min_people, &other.min_people, u32::max),
            dominance: both(&self.dominance, &other.dominance, DecimalText::min),
            models,
            suppression_limit: both(&self.suppression_limit, &other.suppression_limit, DecimalText::min),
            metric: both(
                &self.metric,
                &other.metric,
                |one, other| if one.name() <= other.name() { one } else { other },
            ),
            operators: both(&self.operators, &other.operators, |one, other| {
                if one == other {
                    return one;
                }
                let mut shared: Vec<Means> = one.into_iter().filter(|means| other.contains(means)).collect();
                shared.sort_unstable();
                shared
            }),
            parts_to: both(&self.parts_to, &other.parts_to, Zone::min),
        }
    }

    /// The table, and the demand.
    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<(String, Demand)> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, KEYS);
        let table = section.require(walk, "table", "\"patients\"").and_then(|item| item.name(walk));
        let min_people = match section.get(walk, "min_people", "10") {
            Some(item) => item.u32(walk, 2).map(Some),
            None => Some(None),
        };
        let mut share = |key: &'static str, example: &str, from_zero: bool| match section
            .get(walk, key, example)
        {
            Some(item) => {
                let words = if from_zero { "between 0 and 1" } else { "above 0 and at most 1" };
                let fits = |share: &DecimalText| {
                    (share.scaled() > 0 || from_zero && share.scaled() == 0) && *share <= DecimalText::from(1)
                };
                item.decimal_in(walk, words, fits).map(Some)
            }
            None => Some(None),
        };
        let (dominance, limit) = (share("dominance", "0.5", false), share("suppression_limit", "0.05", true));
        let models = match section.get(walk, "models", MODELS) {
            Some(item) => read_models(walk, &item),
            None => Some(Vec::new()),
        };
        let metric = match section.get(walk, "metric", "\"loss\"") {
            Some(item) => item.choice::<Metric>(walk, "a metric").map(Some),
            None => Some(None),
        };
        let operators = match section.get(walk, "operators", "[\"generalize\", \"noise\"]") {
            Some(item) => {
                let list = item.list(walk, 1, |walk, entry| entry.choice::<Means>(walk, "an operator"));
                list.and_then(|list| once(walk, &item, list)).map(Some)
            }
            None => Some(None),
        };
        let parts_to = match section.get(walk, "parts_to", "\"region\"") {
            Some(item) => item.choice::<Zone>(walk, "a zone").map(Some),
            None => Some(None),
        };
        let demand = Demand {
            min_people: min_people?,
            dominance: dominance?,
            models: models?,
            suppression_limit: limit?,
            metric: metric?,
            operators: operators?,
            parts_to: parts_to?,
        };
        if demand == Demand::default() {
            let advice = "Say how many people an answer must be about: min_people = 10";
            walk.report(section.line, &section.path, "the demand asks for nothing", advice);
            return None;
        }
        Some((table?.to_owned(), demand))
    }
}

const MODELS: &str = "[{ model = \"k-anonymity\", k = 10 }]";

fn once(walk: &mut Walk, item: &Item<'_>, list: Vec<Means>) -> Option<Vec<Means>> {
    let mut sorted = list.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < list.len() {
        item.report(walk, "names an operator twice");
        return None;
    }
    Some(list)
}

/// What recipients have declared to do with answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Whose.
    pub whom: For,
    /// Columns that stay together, each list at least two.
    pub regression: Vec<Vec<String>>,
}

impl Analysis {
    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Analysis> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, ANALYSIS_KEYS);
        let whom = For::read(walk, section.get(walk, "for", "{ purpose = \"gait-study\" }"));
        let regression =
            section.require(walk, "regression", "[[\"age\", \"gait_speed\"]]").and_then(|item| {
                item.list(walk, 1, |walk, entry| {
                    let columns = names(walk, entry)?;
                    if columns.len() < 2 {
                        entry.report(walk, "must name at least two columns");
                        return None;
                    }
                    Some(columns)
                })
            });
        Some(Analysis { whom: whom?, regression: regression? })
    }
}
