//! `[search]`: what is best, and how hard to look for it.

use std::time::Duration;

use toml::de::DeValue;

use super::decimal::DecimalText;
use super::keys::{Key, Takes, key, words};
use super::memory::Memory;
use super::names::{Named, names};
use super::suggest::shortened;
use super::walk::{Item, Section, Walk};
use paravent_core::quality::Metric;
use paravent_core::search;

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("metric", Takes::Choice(words::<Metric>), "What counts as loss"),
    key("algorithm", Takes::Choice(words::<Algorithm>), "How the best is found"),
    key("force", Takes::Truth, "Even where the algorithm may miss the best"),
    key("threads", Takes::Whole(0, 1024), "0: all cores"),
    key(
        "memory",
        Takes::Either(&[Takes::Text, Takes::Whole(0, u64::MAX)]),
        "For what grows with distinct tuples",
    ),
    key("seconds", Takes::Size, "Above 0: the best found in that time"),
    key("practical_monotonicity", Takes::Truth, "Prune as if every model were monotone"),
    key("recoding", Takes::Choice(words::<Recoding>), "Whether all rows show the same levels"),
    key("moves", Takes::Whole(0, u64::MAX), "With local recoding: how hard to look"),
    key("gs_factor", Takes::Decimal, "Balance of generalization and suppression, 0 to 1"),
];

/// What is best, and how hard to look for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// What a release loses; the least is best.
    pub metric: Metric,
    /// How the best is found.
    pub algorithm: Algorithm,
    /// Run the algorithm even where it cannot guarantee the best.
    pub force: bool,
    /// 0 to 1024; 0: all cores.
    pub threads: u32,
    /// Upper limit; `None`: the engine's own.
    pub memory: Option<Memory>,
    /// 0: until the best is found; above 0: the best found in that time. Finite, at most 10⁹.
    pub seconds: f64,
    /// Prune as if every model were monotone: fast, without a guarantee.
    pub practical_monotonicity: bool,
    /// Whether all rows show the same levels.
    pub recoding: Recoding,
    /// With local recoding: how often classes are dissolved and clustered anew; `None`: a number for each tuple.
    pub moves: Option<u64>,
    /// Balance of generalization and suppression, 0 to 1: below 0.5 a suppressed cell costs less, above it a generalized one; `None` is
    /// 0.5, where both count as the metric says.
    pub gs_factor: Option<DecimalText>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            metric: Metric::NonUniformEntropy,
            algorithm: Algorithm::Auto,
            force: false,
            threads: 0,
            memory: None,
            seconds: 0.0,
            practical_monotonicity: false,
            recoding: Recoding::Global,
            moves: None,
            gs_factor: None,
        }
    }
}

impl Search {
    /// How long to look; `None`: until the best is found.
    pub fn time_limit(&self) -> Option<Duration> {
        (self.seconds > 0.0).then(|| Duration::from_secs_f64(self.seconds))
    }
}

impl Named for Metric {
    const ALL: &'static [Self] = &Metric::ALL;
    fn name(self) -> &'static str {
        self.name()
    }
}

/// Whether all rows show the same levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recoding {
    /// One level per column for all rows (full-domain).
    Global,
    /// A box of labels for every class, each from any level.
    Local,
    /// The same with original values and fully generalized ones only: single cells are suppressed.
    Cells,
}
names!(Recoding { Global: "global", Local: "local", Cells: "cells" });

/// How the best release is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// What suits the job.
    Auto,
    /// This one.
    Named(search::Algorithm),
}

impl Algorithm {
    /// All choices, in the order in which they are listed to users.
    pub const ALL: &'static [Self] = &{
        let mut all = [Self::Auto; search::Algorithm::ALL.len() + 1];
        let mut at = 0;
        while at < search::Algorithm::ALL.len() {
            all[at + 1] = Self::Named(search::Algorithm::ALL[at]);
            at += 1;
        }
        all
    };

    /// How the choice is written in the job file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(algorithm) => algorithm.name(),
        }
    }

    /// The algorithm that is named, or the one that suits.
    pub fn or(self, suits: search::Algorithm) -> search::Algorithm {
        match self {
            Self::Auto => suits,
            Self::Named(algorithm) => algorithm,
        }
    }
}

impl Named for Algorithm {
    const ALL: &'static [Self] = Self::ALL;
    fn name(self) -> &'static str {
        self.name()
    }
}

impl std::fmt::Display for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Search {
    /// Reads `[search]`.
    pub(super) fn read(walk: &mut Walk, section: &Section<'_>) -> Self {
        section.allow_keys(walk, KEYS);
        let default = Self::default();
        let metric = section.get(walk, "metric", "\"nuem\"").and_then(|item| item.choice(walk, "a metric"));
        let algorithm = section.get(walk, "algorithm", "\"auto\"");
        let algorithm = algorithm.and_then(|item| item.choice(walk, "an algorithm"));
        let force = section.get(walk, "force", "false").and_then(|item| item.truth(walk));
        let threads = section.get(walk, "threads", "0").and_then(|item| item.whole(walk, 0..=1024));
        let memory = section.get(walk, "memory", "\"4GiB\"").and_then(|item| read_memory(walk, &item));
        let seconds = section.get(walk, "seconds", "60").and_then(|item| item.size(walk, 1e9));
        let practical =
            section.get(walk, "practical_monotonicity", "false").and_then(|item| item.truth(walk));
        let recoding_item = section.get(walk, "recoding", "\"global\"");
        let recoding: Option<Recoding> = recoding_item.and_then(|item| item.choice(walk, "a recoding"));
        let moves_item = section.get(walk, "moves", "100000");
        let moves = moves_item.as_ref().and_then(|item| item.whole(walk, 0..=MOST_MOVES));
        if let (Some(item), Some(Recoding::Global) | None) = (&moves_item, recoding) {
            let advice = "Add recoding = \"local\" or \"cells\", or leave it out";
            walk.report(item.line, &item.key, "is for local recoding", advice);
        }
        Self {
            metric: metric.unwrap_or(default.metric),
            algorithm: algorithm.unwrap_or(default.algorithm),
            force: force.unwrap_or(default.force),
            threads: threads.and_then(|threads| u32::try_from(threads).ok()).unwrap_or(default.threads),
            memory,
            seconds: seconds.unwrap_or(default.seconds),
            practical_monotonicity: practical.unwrap_or(default.practical_monotonicity),
            recoding: recoding.unwrap_or(default.recoding),
            moves,
            gs_factor: gs_factor(walk, section, metric.unwrap_or(default.metric)),
        }
    }
}

/// The balance of generalization and suppression, for metrics that know both.
fn gs_factor(walk: &mut Walk, section: &Section<'_>, metric: Metric) -> Option<DecimalText> {
    let item = section.get(walk, "gs_factor", "0.5")?;
    let one = DecimalText::from(1);
    let factor = item.decimal_in(walk, "from 0 to 1", |factor| factor.scaled() >= 0 && *factor <= one)?;
    if !metric.has_balance() {
        let advice = format!("Write metric = {}, or leave it out", Metric::listed("\"", Metric::has_balance));
        let message = format!("{metric} has no balance of generalization and suppression");
        walk.report(item.line, &item.key, message, &advice);
    }
    Some(factor)
}

/// More moves than anybody waits for.
const MOST_MOVES: u64 = 1_000_000_000_000;

/// A string with a unit, or a number of bytes.
fn read_memory(walk: &mut Walk, item: &Item<'_>) -> Option<Memory> {
    let bytes = match item.value.get_ref() {
        DeValue::Integer(_) => item.whole(walk, 0..=u64::MAX)?,
        DeValue::String(text) => match Memory::parse_bytes(text) {
            Some(bytes) => bytes,
            None => {
                item.report(walk, format!("{} is not an amount of memory", shortened(text)));
                return None;
            }
        },
        other => return item.wrong_type(walk, "a string with a unit", other),
    };
    let memory = Memory::from_bytes(bytes);
    if memory.is_none() {
        item.report(walk, format!("must be at least {}", Memory::LEAST));
    }
    memory
}
