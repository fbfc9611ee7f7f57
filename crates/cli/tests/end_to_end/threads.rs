//! A system that makes no threads.

use crate::support::{Outcome, Place};
use std::process::Stdio;

/// Runs with stacks that no address space has room for, so that no thread can be made.
fn without_threads(place: &Place, args: &[&str]) -> Outcome {
    let mut command = place.command(args);
    command.env("RUST_MIN_STACK", (1u64 << 50).to_string()).stdin(Stdio::null());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn work_is_done_on_the_one_thread_there_is_and_comes_out_the_same() {
    let (with, without) = (Place::new(), Place::new());
    with.anonymize(&[]).expect(0);
    without_threads(&without, &["anonymize", "paravent.toml"]).expect(0);
    for file in ["release/data.csv", "release/report.json"] {
        assert_eq!(with.bytes(file), without.bytes(file), "{file}");
    }
    let job = ["--job", "paravent.toml"];
    without_threads(&without, &["verify", "release"]).expect(0);
    without_threads(&without, &[&["attack", "release"][..], &[]].concat()).expect(0);
    without_threads(&without, &[&["risk", "patients.csv"], &job[..]].concat()).expect(0);
    without_threads(&without, &[&["check", "patients.csv"], &job[..]].concat()).expect(1);
    without_threads(&without, &["init", "patients.csv", "--output", "proposed.toml"]).expect(0);
    let sliced = ["slice", "patients.csv", "--groups", "age,sex;diagnosis", "--bucket", "20"];
    without_threads(&without, &[&sliced[..], &["--most-unique", "1", "--output", "sliced.csv"]].concat())
        .expect(0);
    let parties =
        ["party", "simulate", "paravent.toml", "--metric", "nuem", "--protocol", "b", "--parties", "2"];
    without_threads(&without, &parties).expect(0);
}

#[test]
fn what_needs_a_thread_says_so() {
    let place = Place::new();
    let counting =
        ["party", "simulate", "paravent.toml", "--metric", "nuem", "--protocol", "c", "--parties", "2"];
    let told = without_threads(&place, &counting);
    assert_ne!(told.code, Some(101), "{}", told.err);
    assert!(told.code == Some(0) || told.err.contains("thread"), "{}", told.err);
}
