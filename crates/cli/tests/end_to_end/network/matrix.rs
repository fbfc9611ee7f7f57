//! Protocols × splits × metrics × models over real processes: each makes the release of a single place, or is refused before anybody connects.
//!
//! A sample runs with the other tests; everything with
//! `cargo test -p paravent-cli --test end_to_end -- --ignored matrix`, a part of it with `PARAVENT_MATRIX=2/8` in front.

use super::federation::{Federation, Pooled, Split};
use super::makes_the_central_release;
use crate::support::{JOB, Place, patients};

const METRICS: [&str; 11] = [
    "height",
    "precision",
    "precision-m",
    "loss",
    "loss-geometric",
    "aecs",
    "discernibility",
    "discernibility-m",
    "entropy",
    "nuem",
    "nmnuem",
];

/// Promises beside k-anonymity.
const MODELS: [&str; 6] = [
    "",
    "{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 },",
    "{ model = \"entropy-l-diversity\", attribute = \"diagnosis\", l = 1.5 },",
    "{ model = \"recursive-l-diversity\", attribute = \"diagnosis\", c = 3.0, l = 2 },",
    "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.6, distance = \"equal\" },",
    "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.9, distance = \"kullback-leibler\" },",
];

/// Metrics that charge for which values are suppressed; C answers them where nothing is.
const OF_VALUES: [&str; 5] = ["loss", "loss-geometric", "entropy", "nmnuem", "precision"];

struct Case {
    protocol: &'static str,
    split: Split,
    metric: &'static str,
    model: &'static str,
}

impl Case {
    fn all() -> Vec<Case> {
        let mut cases = Vec::new();
        for protocol in ["a", "b", "c"] {
            for split in [Split::Horizontal, Split::Vertical] {
                for metric in METRICS {
                    cases.extend(MODELS.map(|model| Case { protocol, split, metric, model }));
                }
            }
        }
        cases
    }

    fn job(&self) -> String {
        let limit = if self.protocol == "c" && OF_VALUES.contains(&self.metric) { "0.0" } else { "0.1" };
        JOB.replace("{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 },", self.model)
            .replace("suppression_limit = 0.1", &format!("suppression_limit = {limit}"))
            .replace("[output]", &format!("[search]\nmetric = \"{}\"\n\n[output]", self.metric))
    }

    /// Over real processes, three parties.
    fn over_the_network(&self) {
        let pooled = Pooled { job: self.job(), table: patients(), hierarchy: None, files: Vec::new() };
        let wishes: &[&str] = if self.protocol == "c" { &["--pseudo-percent", "20"] } else { &[] };
        println!("{} {:?} {} {}", self.protocol, self.split, self.metric, self.model);
        makes_the_central_release(&Federation::of(&pooled, self.protocol, self.split, wishes), self.split);
    }

    /// In one process, by the number of parties.
    fn simulated(&self, parties: &str) {
        let place = Place::with(&self.job(), patients());
        let split = if self.split == Split::Vertical { "vertical" } else { "horizontal" };
        let mut args =
            vec!["party", "simulate", "paravent.toml", "--protocol", self.protocol, "--split", split];
        args.extend(["--parties", parties]);
        if self.protocol == "c" {
            args.extend(["--pseudo", "0.2"]);
        }
        let ran = place.run(&args);
        let told = format!(
            "{} {split} {} {} {parties}: {}{}",
            self.protocol, self.metric, self.model, ran.out, ran.err
        );
        assert_eq!(ran.code, Some(0), "{told}");
    }
}

/// Columns are three, so three parties at most hold some.
fn numbers_of_parties(split: Split) -> &'static [&'static str] {
    match split {
        Split::Horizontal => &["2", "3", "4", "5"],
        Split::Vertical | Split::Hybrid => &["2", "3"],
    }
}

fn every(step: usize) -> impl Iterator<Item = (usize, Case)> {
    Case::all().into_iter().enumerate().filter(move |(number, _)| number % step == 0)
}

#[test]
fn a_sample_of_all_runs_makes_the_release_of_a_single_place() {
    every(67).for_each(|(_, case)| case.over_the_network());
    for (number, case) in every(29) {
        let parties = numbers_of_parties(case.split);
        case.simulated(parties[number % parties.len()]);
    }
}

#[test]
#[ignore = "takes many minutes"]
fn all_runs_make_the_release_of_a_single_place() {
    let part = std::env::var("PARAVENT_MATRIX").unwrap_or_else(|_| "1/1".to_owned());
    let (part, of): (usize, usize) =
        part.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?))).unwrap();
    let mine = |number: usize| number % of == part % of;
    for (_, case) in every(1).filter(|(number, _)| mine(*number)) {
        case.over_the_network();
        numbers_of_parties(case.split).iter().for_each(|parties| case.simulated(parties));
    }
}
