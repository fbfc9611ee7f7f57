//! Protocols × splits × parties × metrics × hierarchies × promises over real processes: each makes the release of a single place, or is
//! refused before anybody connects, and a simulation says the same of it.
//!
//! A sample runs with the other tests. Two larger ones take a command:
//! - `cargo test -p paravent-cli --test end_to_end -- --ignored --nocapture matrix::pairs`: every two settings of the matrix meet in a run.
//! - `cargo test -p paravent-cli --test end_to_end -- --ignored --nocapture matrix::all`: everything, which takes days.
//!
//! `PARAVENT_MATRIX=2/8` in front takes the second of eight parts. Parts are as mixed as the whole. At the end a line tells how many runs there
//! were, how many of them were refused, and how long they took; failures are told together.

use super::federation::{Federation, HIERARCHY, Pooled, Split};
use super::makes_the_central_release;
use crate::support::{Outcome, Place};
use paravent_core::quality::Metric;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Who holds what, and how they go about it: protocol, split, parties with data.
type Setting = (&'static str, Split, usize);

/// Promises beside k-anonymity. The last one computes with values, which no joint run does.
const PROMISES: [&str; 11] = [
    "",
    "{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 },",
    "{ model = \"entropy-l-diversity\", attribute = \"diagnosis\", l = 1.5 },",
    "{ model = \"recursive-l-diversity\", attribute = \"diagnosis\", c = 3.0, l = 2 },",
    "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.5, distance = \"equal\" },",
    "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.5, distance = \"variation\" },",
    "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.9, distance = \"kullback-leibler\" },",
    "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.4, distance = \"hierarchical\" },",
    "{ model = \"delta-presence\", min = 0.3, max = 0.9, subset = \"in_study\" },",
    "{ model = \"k-map\", k = 3, subset = \"in_study\" },",
    "{ model = \"beta-likeness\", attribute = \"diagnosis\", beta = 3.0 },",
];

/// A hierarchy of every kind, by column. Those of the last three are made from the rows, and refused.
const KINDS: [(&str, &str); 14] = [
    ("ward", ""),
    ("ward", "{ file = \"ward.csv\" }"),
    ("ward", "{ order = [[\"north\", \"south\"], [\"east\", \"west\"]] }"),
    ("ward", "{ ordering = { sizes = [2], order = [\"north\", \"south\", \"east\", \"west\"] } }"),
    ("age", "{ intervals = { widths = [10, 20], min = 0, max = 100 } }"),
    ("age", "{ breaks = [[30, 40, 50], [40]] }"),
    ("born", "{ dates = [\"year\", \"decade\"] }"),
    ("born", "{ chain = [{ age = { on = \"2024-12-31\" } }, { breaks = [[40, 50, 60], [50]] }] }"),
    ("zip", "{ redact = { from = \"right\" } }"),
    ("zip", "{ redact = { from = \"right\", alphabet = 10, length = 3 } }"),
    ("zip", "{ codes = { keep = [2, 1] } }"),
    ("ward", "{ ordering = { sizes = [2] } }"),
    ("ward", "{ lump = { least = [10] } }"),
    ("age", "{ cluster = { sizes = [4, 2] } }"),
];

const FROM_ROWS: usize = 3;

/// What the columns have otherwise.
const USUAL: [(&str, &str); 5] = [
    ("age", "{ breaks = [[30, 45]] }"),
    ("sex", ""),
    ("zip", "{ redact = { from = \"right\", alphabet = 10, length = 3 } }"),
    ("born", "{ dates = [\"decade\"] }"),
    ("ward", ""),
];

const WARDS: &str = "north,N/S,*\nsouth,N/S,*\neast,E/W,*\nwest,E/W,*\n";
const DIAGNOSES: &str = "flu,lung,*\nasthma,lung,*\ngout,other,*\nangina,other,*\n";
/// Rows of the whole table.
const PEOPLE: usize = 72;

fn settings() -> Vec<Setting> {
    let mut settings = vec![("b", Split::Hybrid, 3)];
    for protocol in ["a", "b", "c"] {
        for split in [Split::Horizontal, Split::Vertical] {
            settings.extend((2..=5).map(|parties| (protocol, split, parties)));
        }
    }
    settings
}

#[derive(Debug, Clone, Copy)]
struct Case {
    setting: Setting,
    metric: Metric,
    /// Position in `KINDS`.
    kind: usize,
    /// Position in `PROMISES`.
    promise: usize,
}

impl Case {
    /// Every combination there is.
    fn all() -> Vec<Case> {
        let mut cases = Vec::new();
        for setting in settings() {
            for metric in Metric::ALL {
                for kind in 0..KINDS.len() {
                    cases.extend((0..PROMISES.len()).map(|promise| Case { setting, metric, kind, promise }));
                }
            }
        }
        cases
    }

    /// Few combinations in which every setting, metric, hierarchy and promise meets every other one.
    fn pairs() -> Vec<Case> {
        let mut cases = Vec::new();
        for (number, setting) in settings().into_iter().enumerate() {
            cases.extend((0..KINDS.len()).map(|kind| Case {
                setting,
                metric: Metric::ALL[(kind + number) % Metric::ALL.len()],
                kind,
                promise: (3 * kind + number) % PROMISES.len(),
            }));
        }
        cases
    }

    /// Every tenth, say, and of every dimension something.
    fn some(cases: Vec<Case>, (part, of): (usize, usize)) -> Vec<Case> {
        // A step without a common divisor visits every place, those of one setting far from each other.
        let total = cases.len();
        let common = |mut a: usize, mut b: usize| {
            while b > 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let step = (total * 5 / 8..).find(|&step| common(step, total) == 1).unwrap_or(1);
        (0..total).filter(|place| place % of == part % of).map(|place| cases[place * step % total]).collect()
    }

    /// Why parties cannot make such a release at all. Of two reasons the party that meets one first tells its own.
    fn refusals(&self) -> Vec<&'static str> {
        let mut refusals = Vec::new();
        if self.kind >= KINDS.len() - FROM_ROWS {
            refusals.push("is made from the rows of one table");
        }
        if PROMISES[self.promise].contains("beta-likeness") {
            refusals.push("names or computes with values");
        }
        refusals
    }

    /// C answers metrics that charge for which values are suppressed only where none are.
    fn limit(&self) -> &'static str {
        if self.setting.0 == "c" && self.metric.reads_suppressed_values() { "0.0" } else { "0.1" }
    }

    fn pooled(&self) -> Pooled {
        let mut table = String::from("name,age,sex,zip,born,ward,diagnosis,in_study\n");
        for i in 0..PEOPLE {
            let mixed = i * 7919 % 10_007;
            let (age, zip) = (22 + mixed % 40, 310 + mixed / 3 % 7 * 13);
            let born = format!("{}-{:02}-11", 1950 + mixed / 5 % 40, 1 + mixed % 12);
            let sex = ["f", "m"][mixed / 2 % 2];
            let ward = ["north", "south", "east", "west"][mixed / 7 % 4];
            let diagnosis = ["flu", "gout", "asthma", "angina"][mixed % 4];
            let in_study = ["no", "yes", "yes"][mixed % 3];
            table.push_str(&format!("person {i},{age},{sex},{zip},{born},{ward},{diagnosis},{in_study}\n"));
        }
        let mut job = String::from("version = 1\n\n[input]\npath = \"patients.csv\"\n\n");
        job.push_str("[[attributes]]\nname = \"name\"\nrole = \"identifying\"\n\n");
        for (column, usual) in USUAL {
            let (of, kind) = KINDS[self.kind];
            let hierarchy = if of == column { kind } else { usual };
            let data_type = match column {
                "age" => "type = \"integer\"\n",
                "born" => "type = \"date\"\n",
                _ => "type = \"string\"\n",
            };
            job.push_str(&format!(
                "[[attributes]]\nname = \"{column}\"\nrole = \"quasi-identifier\"\n{data_type}"
            ));
            if !hierarchy.is_empty() {
                job.push_str(&format!("hierarchy = {hierarchy}\n"));
            }
            job.push('\n');
        }
        job.push_str(&format!(
            "[[attributes]]\nname = \"diagnosis\"\nrole = \"sensitive\"\nhierarchy = {{ file = \"{HIERARCHY}\" }}\n\n"
        ));
        job.push_str(&format!(
            "[privacy]\nsuppression_limit = {}\nmodels = [\n  {{ model = \"k-anonymity\", k = 2 }},\n  {}\n]\n\n",
            self.limit(),
            PROMISES[self.promise]
        ));
        job.push_str(&format!(
            "[search]\nmetric = \"{}\"\n\n[output]\npath = \"release\"\n",
            self.metric.name()
        ));
        let files = vec![("ward.csv".to_owned(), WARDS.to_owned())];
        Pooled { job, table, hierarchy: Some(DIAGNOSES.to_owned()), files }
    }

    fn told(&self) -> String {
        let (protocol, split, parties) = self.setting;
        let (metric, kind, promise) = (self.metric.name(), KINDS[self.kind], PROMISES[self.promise]);
        format!("{protocol} {split:?} {parties} parties, {metric}, {kind:?}, {promise}")
    }

    /// Over real processes. Refused: whether it was.
    fn over_the_network(&self) -> bool {
        let (protocol, split, parties) = self.setting;
        let mut wishes: Vec<&str> = Vec::new();
        if protocol == "c" {
            wishes.extend(["--pseudo-percent", "25"]);
        }
        if (protocol, split, parties) == ("a", Split::Horizontal, 2) {
            wishes.extend(["--without-data", "dan"]);
        }
        let agreed = Federation::between(parties, &self.pooled(), protocol, split, &wishes);
        match (agreed, &self.refusals()[..]) {
            (Ok(federation), []) => {
                makes_the_central_release(&federation, split);
                false
            }
            (Err(refused), []) => panic!("refused: {}{}", refused.out, refused.err),
            (Err(refused), reasons) => {
                is_refusal(&refused, reasons);
                true
            }
            (Ok(_), reasons) => panic!("agreed on, though {reasons:?}"),
        }
    }

    /// In one process.
    fn simulated(&self) {
        let (protocol, split, parties) = self.setting;
        let pooled = self.pooled();
        let place = Place::with(&pooled.job, &pooled.table);
        place.write(HIERARCHY, DIAGNOSES);
        place.write("ward.csv", WARDS);
        let parties = parties.to_string();
        let mut args = vec!["party", "simulate", "paravent.toml", "--protocol", protocol];
        args.extend(["--parties", &parties]);
        args.extend(match split {
            Split::Horizontal => vec!["--split", "horizontal"],
            Split::Vertical => vec!["--split", "vertical"],
            Split::Hybrid => {
                let clinic = "age,zip,born,ward";
                // A column that nothing is promised about takes no part in simulations.
                let guarded = PROMISES[self.promise].contains("diagnosis");
                let registry = if guarded { "sex,diagnosis" } else { "sex" };
                vec!["--split", "hybrid", "--columns", clinic, "--columns", clinic, "--columns", registry]
            }
        });
        if protocol == "c" {
            args.extend(["--pseudo", "0.25"]);
        }
        let ran = place.run(&args);
        match &self.refusals()[..] {
            [] => assert_eq!(ran.code, Some(0), "simulated: {}{}", ran.out, ran.err),
            reasons => is_refusal(&ran, reasons),
        }
    }
}

fn is_refusal(outcome: &Outcome, reasons: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.out, outcome.err);
    let is_told = reasons.iter().any(|reason| outcome.err.contains(reason));
    assert!(is_told, "none of {reasons:?} is in {}", outcome.err);
}

/// The part of the matrix that was asked for.
fn asked_for() -> (usize, usize) {
    let part = std::env::var("PARAVENT_MATRIX").unwrap_or_else(|_| "1/1".to_owned());
    let parts = part.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    let (part, of) = parts.unwrap_or_else(|| panic!("PARAVENT_MATRIX={part} is no part like 2/8"));
    assert!((1..=of).contains(&part), "PARAVENT_MATRIX: parts go from 1 to {of}");
    (part, of)
}

/// Runs all cases, tells what became of them, and fails at the end if one did.
fn run(cases: Vec<Case>) {
    let (total, began) = (cases.len(), Instant::now());
    let (mut refused, mut failed) = (0, Vec::new());
    for (number, case) in cases.iter().enumerate() {
        let once = || {
            case.simulated();
            case.over_the_network()
        };
        match catch_unwind(AssertUnwindSafe(once)) {
            Ok(was_refused) => refused += usize::from(was_refused),
            Err(_) => failed.push(case.told()),
        }
        let seconds = began.elapsed().as_secs();
        println!("{} of {total}, {seconds} s, {} failed: {}", number + 1, failed.len(), case.told());
    }
    let equal = total - refused - failed.len();
    println!(
        "{total} runs in {} s: {equal} make the release of a single place, {refused} are refused by all, {} failed",
        began.elapsed().as_secs(),
        failed.len()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_sample_makes_the_release_of_a_single_place() {
    let some = Case::some(Case::pairs(), (1, 70));
    assert!(some.len() >= 5);
    run(some);
    Case::some(Case::pairs(), (2, 25)).iter().for_each(Case::simulated);
}

#[test]
fn every_two_settings_meet_in_the_matrix_of_pairs() {
    let pairs = Case::pairs();
    let count = |of: &dyn Fn(&Case) -> (String, String)| {
        pairs.iter().map(of).collect::<std::collections::BTreeSet<_>>().len()
    };
    let setting = |case: &Case| format!("{:?}", case.setting);
    let metric = |case: &Case| case.metric.name().to_owned();
    let kind = |case: &Case| case.kind.to_string();
    let promise = |case: &Case| case.promise.to_string();
    let (settings, metrics) = (settings().len(), Metric::ALL.len());
    assert_eq!(count(&|case| (setting(case), metric(case))), settings * metrics);
    assert_eq!(count(&|case| (setting(case), kind(case))), settings * KINDS.len());
    assert_eq!(count(&|case| (setting(case), promise(case))), settings * PROMISES.len());
    assert_eq!(count(&|case| (metric(case), kind(case))), metrics * KINDS.len());
    assert_eq!(count(&|case| (metric(case), promise(case))), metrics * PROMISES.len());
    assert_eq!(count(&|case| (kind(case), promise(case))), KINDS.len() * PROMISES.len());
    // Parts put together are the whole.
    let parts: usize = (1..=8).map(|part| Case::some(Case::pairs(), (part, 8)).len()).sum();
    assert_eq!(parts, pairs.len());
}

#[test]
#[ignore = "takes about half an hour"]
fn pairs_make_the_release_of_a_single_place() {
    run(Case::some(Case::pairs(), asked_for()));
}

#[test]
#[ignore = "takes days"]
fn all_make_the_release_of_a_single_place() {
    run(Case::some(Case::all(), asked_for()));
}
