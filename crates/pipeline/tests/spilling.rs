//! Whole runs with hardly any memory: the same bytes as with plenty of it.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod cases;

use cases::{Case, case};
use paravent_job::Memory;
use paravent_pipeline::demo;
use paravent_pipeline::run::{Finished, RunError, RunOptions, anonymize, dry_run};
use paravent_tables::watch::Unwatched;
use paravent_tables::write::Replace;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What must not depend on memory: the files of the release, and what the document says of it.
#[derive(Debug, PartialEq)]
struct Released {
    data: Vec<u8>,
    transform: Vec<u8>,
    manifest: Value,
    document: Value,
}

fn released(folder: &Path, format: &str, finished: Finished) -> Released {
    let release = folder.join("release");
    let file = |name: &str| fs::read(release.join(name)).unwrap();
    // How it was searched may differ, what is handed out may not.
    let manifest: Value = serde_json::from_slice(&file("manifest.json")).unwrap();
    let document = finished.document;
    Released {
        data: file(&format!("data.{format}")),
        transform: fs::read(folder.join("release.private/transform.json")).unwrap(),
        manifest,
        document: json!({ "solution": document.solution, "privacy": document.privacy }),
    }
}

/// A run with so many bytes of memory, or as many as it likes; and whether tuples were spilled.
fn run(case: &Case, order: &str, memory: Option<u64>) -> Option<(Released, Value, bool)> {
    let folder = tempfile::tempdir().unwrap();
    case.write(folder.path(), false, 2, "");
    let job = folder.path().join("paravent.toml");
    let text = fs::read_to_string(&job).unwrap();
    fs::write(&job, format!("{text}{order}\n")).unwrap();
    let options = RunOptions { memory: memory.map(Memory::of_bytes), ..RunOptions::default() };
    match anonymize(&job, &options, &Unwatched) {
        Ok(finished) => {
            assert!(finished.document.output.as_ref().unwrap().verified);
            let spilled = finished.document.input.spilled_bytes.is_some();
            let risk = json!(finished.document.risk);
            Some((released(folder.path(), case.format, finished), risk, spilled))
        }
        Err(RunError::Infeasible { .. } | RunError::Problems(_)) => None,
        Err(RunError::Refuted(verification)) => {
            panic!("refuted: {:#?}", verification.violations().collect::<Vec<_>>())
        }
        Err(other) => panic!("{other}"),
    }
}

/// Equal, but for the last digits of sums that are added up in another order.
fn agree(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| agree(a, b)))
        }
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn memory_changes_no_release(
        case in case(),
        order in prop::sample::select(vec!["", "order = \"shuffled\"\nseed = 7", "order = \"input\""]),
        memory in prop_oneof![Just(1u64), 500u64..4_000],
    ) {
        let (plenty, little) = (run(&case, order, None), run(&case, order, Some(memory)));
        match (plenty, little) {
            (Some((plenty, risk, spilled)), Some((little, other_risk, _))) => {
                prop_assert!(!spilled);
                prop_assert_eq!(plenty, little);
                prop_assert!(agree(&risk, &other_risk), "{} and {}", risk, other_risk);
            }
            (plenty, little) => prop_assert_eq!(plenty.is_none(), little.is_none()),
        }
    }
}

#[test]
fn the_tour_with_a_mebibyte() {
    let folder = tempfile::tempdir().unwrap();
    let job = demo::write_rows(folder.path(), 30_000).unwrap().job;
    let text = fs::read_to_string(&job).unwrap();
    assert!(text.contains("\n[search]\n"));
    let plenty = anonymize(&job, &RunOptions::default(), &Unwatched).unwrap();
    assert_eq!(plenty.document.input.spilled_bytes, None);
    let expected = released(folder.path(), "csv", plenty);
    let little = text.replace("\n[search]\n", "\n[search]\nmemory = \"1MiB\"\n");
    fs::write(&job, &little).unwrap();
    let force = RunOptions { replace: Replace::Force, ..RunOptions::default() };
    let finished = anonymize(&job, &force, &Unwatched).unwrap();
    assert!(finished.document.input.spilled_bytes.unwrap() > 0);
    let found = released(folder.path(), "csv", finished);
    assert_eq!(found, expected);
    let seen = dry_run(&job, &RunOptions::default(), &Unwatched).unwrap();
    assert_eq!(json!(seen.document.solution), found.document["solution"]);
}
