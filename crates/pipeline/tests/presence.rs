//! δ-presence counts people who are not in the table at all.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use paravent_assess::check::check;
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use std::fs;

const JOB: &str = r#"version = 1
[input]
path = "people.csv"
[[attributes]]
name = "town"
role = "quasi-identifier"
[privacy]
models = [{ model = "delta-presence", min = MIN, max = 1.0, subset = "in_study" }]
"#;

/// Nobody of town B is in the study; in town A everybody is.
const PEOPLE: &str = "town,in_study\nA,1\nA,1\nB,0\nB,0\n";

#[test]
fn a_class_without_rows_breaks_a_promise_from_below() {
    let folder = tempfile::tempdir().unwrap();
    let (data, job) = (folder.path().join("people.csv"), folder.path().join("paravent.toml"));
    fs::write(&data, PEOPLE).unwrap();
    fs::write(&job, JOB.replace("MIN", "0.4")).unwrap();
    let checked = check(&data, (&job, &[]), false, &Unwatched).unwrap();
    assert!(!checked.holds);
    assert_eq!((checked.privacy[0].violating_classes, checked.privacy[0].violating_rows), (1, 0));
    // Suppression cannot mend it, generalization can: under `*` two of four are in the study.
    let finished = anonymize(&job, &RunOptions::default(), &Unwatched).unwrap();
    assert_eq!(finished.document.solution.transformation["town"], 1);
    assert_eq!(finished.document.privacy[0].achieved["min"], 0.5);
}

#[test]
fn the_least_share_counts_those_who_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("paravent.toml");
    fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    fs::write(&job, JOB.replace("MIN", "0.0")).unwrap();
    let finished = anonymize(&job, &RunOptions::default(), &Unwatched).unwrap();
    assert_eq!(finished.document.solution.transformation["town"], 0);
    assert_eq!(finished.document.privacy[0].achieved["min"], 0.0);
}
