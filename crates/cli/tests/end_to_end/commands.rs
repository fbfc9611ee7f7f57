//! The other commands, and what all have in common.

use crate::support::{JOB, Place, patients};
use std::io::Read;
use std::process::Stdio;

#[test]
fn the_demo_runs_again_and_again() {
    let place = Place::new();
    let first = place.run(&["demo"]).expect(0);
    for told in ["report.html", "paravent verify", "paravent check", "paravent anonymize", "k-anonymity"] {
        assert!(first.out.contains(told), "{told:?} is not in {}", first.out);
    }
    let data = place.bytes("paravent-demo/release/data.csv");
    let again = place.run(&["demo"]).expect(0);
    assert_eq!(first.out, again.out);
    assert_eq!(place.bytes("paravent-demo/release/data.csv"), data);
    place.run(&["verify", "paravent-demo/release"]).expect(0);
    let check = ["check", "paravent-demo/patients.csv", "--job", "paravent-demo/paravent.toml"];
    place.run(&check).expect(1);
    assert_eq!(place.run(&["demo", "--json"]).expect(0).json()["report"]["output"]["verified"], true);
}

#[test]
fn the_demo_overwrites_nothing_of_yours() {
    let place = Place::new();
    place.run(&["demo", "tour"]).expect(0);
    place.write("tour/paravent.toml", JOB);
    place.run(&["demo", "tour"]).expect(4).says(&["tour/paravent.toml"]);
    assert_eq!(place.read("tour/paravent.toml"), JOB);
}

#[test]
fn a_proposed_job_runs_as_it_is() {
    let place = Place::new();
    std::fs::remove_file(place.path("paravent.toml")).unwrap();
    let run = place.run(&["init", "patients.csv"]).expect(0);
    for told in ["identifying", "quasi-identifier", "sensitive", "why", "paravent anonymize paravent.toml"] {
        assert!(run.out.contains(told), "{told:?} is not in {}", run.out);
    }
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn a_job_file_is_not_overwritten_unless_forced() {
    let place = Place::new();
    place.run(&["init", "patients.csv"]).expect(4).says(&["paravent.toml", "--force"]);
    assert_eq!(place.read("paravent.toml"), JOB);
    let printed = place.run(&["init", "patients.csv", "-o", "-"]).expect(0);
    assert_eq!(place.read("paravent.toml"), JOB);
    place.run(&["init", "patients.csv", "--force"]).expect(0);
    assert_eq!(place.read("paravent.toml"), printed.out);
    let json = place.run(&["init", "patients.csv", "--force", "--json"]).expect(0).json();
    assert_eq!(json["job"], printed.out.as_str());
    assert_eq!(json["columns"][0]["role"], "identifying");
}

#[test]
fn a_proposed_job_never_replaces_the_table() {
    let place = Place::new();
    let before = place.bytes("patients.csv");
    let run = place.run(&["init", "patients.csv", "--output", "./patients.csv", "--force"]).expect(4);
    run.says(&["patients.csv", "would replace the table"]);
    assert_eq!(place.bytes("patients.csv"), before);
}

#[test]
fn a_larger_demo_begins_like_the_small_one() {
    let place = Place::new();
    place.run(&["demo", "small", "--rows", "300"]).expect(0);
    place.run(&["demo", "large", "--rows", "600"]).expect(0);
    assert!(place.read("large/patients.csv").starts_with(&place.read("small/patients.csv")));
    place.run(&["verify", "large/release"]).expect(0);
}

#[test]
fn check_measures_and_changes_nothing() {
    let place = Place::new();
    let run = place.run(&["check", "patients.csv", "--job", "paravent.toml"]).expect(1);
    assert!(run.out.contains("BROKEN") && run.out.contains("k-anonymity"));
    let json = place.run(&["check", "patients.csv", "--job", "paravent.toml", "--json"]).expect(1).json();
    assert_eq!((&json["holds"], &json["rows"]), (&false.into(), &60.into()));
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
    let weak = JOB.replace("k = 3", "k = 1").replace("l = 2", "l = 1");
    place.write("weak.toml", weak);
    place.run(&["check", "patients.csv", "--job", "weak.toml"]).expect(0);
    place.run_with(&["check", "-", "--job", "weak.toml"], patients().as_bytes()).expect(0);
}

#[test]
fn hierarchies_are_built_shown_validated_and_repaired() {
    let place = Place::new();
    let build = ["hierarchy", "build", "--data", "patients.csv", "--column", "age"];
    let described =
        [&build[..], &["--widths", "5,10", "--min", "0", "--max", "100", "--output", "age.csv"]].concat();
    place.run(&described).expect(0);
    assert!(place.read("age.csv").starts_with("20;20-24;20-29;*\n"));
    place.run(&described).expect(4).says(&["age.csv", "--force"]);
    let proposed = place.run(&build).expect(0);
    assert!(proposed.out.starts_with("20;"));
    let shown = place.run(&["hierarchy", "show", "age.csv"]).expect(0);
    assert!(shown.out.contains("20-29"));
    let covered = ["hierarchy", "validate", "age.csv", "--data", "patients.csv", "--column", "age"];
    place.run(&covered).expect(0);
    place.write("age.csv", place.read("age.csv").replace("20;20-24;20-29;*\n", ""));
    let missing = place.run(&covered).expect(1);
    assert!(missing.out.contains("no line for 1 value"));
    assert_eq!(place.run(&[&covered[..], &["--json"]].concat()).expect(1).json()["valid"], false);
    let repair = ["hierarchy", "repair", "age.csv", "--data", "patients.csv", "--column", "age"];
    let before = place.read("age.csv");
    place.run(&[&repair[..], &["--dry-run"]].concat()).expect(0);
    assert_eq!(place.read("age.csv"), before);
    let printed = place.run(&[&repair[..], &["--output", "-"]].concat()).expect(0);
    assert_eq!(place.read("age.csv"), before);
    place.run(&repair).expect(0);
    assert_eq!(place.read("age.csv"), printed.out);
    place.run(&covered).expect(0);
    place.write("hopeless.csv", "a;x;*\na;y;*\n");
    place.run(&["hierarchy", "repair", "hopeless.csv"]).expect(2).says(&["hopeless.csv"]);
    let unknown = ["hierarchy", "validate", "age.csv", "--data", "patients.csv", "--column", "Age"];
    place.run(&unknown).expect(2).says(&["`Age`", "`age`"]);
}

#[test]
fn usage_errors_exit_with_2() {
    let place = Place::new();
    place.run(&[]).expect(2);
    place.run(&["anonimize", "paravent.toml"]).expect(2).says(&["anonymize"]);
    place.run(&["anonymize"]).expect(2).says(&["JOB"]);
    place.run(&["check", "patients.csv"]).expect(2).says(&["--job"]);
    let json = place.run(&["anonymize", "--json"]).expect(2);
    assert_eq!(json.err, "");
    assert_eq!(json.json()["error"]["kind"], "usage");
}

#[test]
fn help_has_examples() {
    let place = Place::new();
    assert!(place.run(&["--version"]).expect(0).out.starts_with("paravent 0."));
    for command in ["demo", "init", "check", "anonymize", "verify", "completions"] {
        let help = place.run(&[command, "--help"]).expect(0);
        assert!(help.out.contains("Examples:"), "{command}");
    }
    for command in ["build", "validate", "repair", "show"] {
        assert!(
            place.run(&["hierarchy", command, "--help"]).expect(0).out.contains("Examples:"),
            "{command}"
        );
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.run(&["completions", shell]).expect(0).out.contains("anonymize"));
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::new();
    let mut child = place.command(&["completions", "bash"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 1]).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(not(feature = "sql"))]
#[test]
fn a_program_without_sql_says_how_to_get_one_with_it() {
    let place = Place::new();
    for command in ["sql", "rewrite"] {
        place.run(&[command, "patients.csv", "--anything"]).expect(2).says(&["--features sql"]);
    }
}
