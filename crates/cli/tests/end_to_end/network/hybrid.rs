//! Some parties hold rows, others columns of the same people.

use super::federation::{Federation, Pooled, Split};
use super::makes_the_central_release;
use crate::support::{JOB, Place, patients};

fn pooled(job: &str) -> Pooled {
    let job = job.replace("[output]", "[search]\nmetric = \"loss\"\n\n[output]");
    Pooled { job, table: patients(), hierarchy: None, files: Vec::new() }
}

#[test]
fn rows_and_columns_at_once_make_the_release_of_a_single_place() {
    let federation = Federation::of(&pooled(JOB), "b", Split::Hybrid, &[]);
    let agreed = federation.read("federation.toml");
    assert!(agreed.contains("split = \"hybrid\"") && agreed.contains("also_held_by = [\"ben\"]"), "{agreed}");
    let shown = federation.party("ben", &["--preview"]).expect(0).out;
    assert!(shown.contains("age") && shown.contains("zip") && !shown.contains("diagnosis ("), "{shown}");
    makes_the_central_release(&federation, Split::Hybrid);
}

#[test]
fn people_are_counted_before_anybody_approves() {
    let federation = Federation::of(&pooled(JOB), "b", Split::Hybrid, &[]);
    for (name, outcome) in federation.match_all() {
        assert_eq!(outcome.code, Some(0), "{name}: {} {}", outcome.out, outcome.err);
    }
    // A patient of both clinics: told by the count, and the run ends without a release.
    let ann = federation.read("ann/patients.csv");
    let row = ann.lines().nth(1).unwrap();
    federation.place.write("ben/patients.csv", federation.read("ben/patients.csv") + row + "\n");
    for (name, outcome) in federation.match_all() {
        assert_eq!(outcome.code, Some(1), "{name}: {} {}", outcome.out, outcome.err);
    }
    let outcomes = federation.run_all(&[]);
    assert!(outcomes.iter().any(|(_, outcome)| outcome.err.contains("the same column at two parties")));
    federation.nobody_has_a_release(outcomes);
    // Somebody whom only the registry knows.
    federation.place.write("ben/patients.csv", {
        let table = federation.read("ben/patients.csv");
        let lines: Vec<&str> = table.lines().collect();
        lines[..lines.len() - 2].join("\n") + "\n"
    });
    for (name, outcome) in federation.match_all() {
        assert_eq!(outcome.code, Some(1), "{name}: {} {}", outcome.out, outcome.err);
    }
    let outcomes = federation.run_all(&[]);
    assert!(outcomes.iter().any(|(_, outcome)| outcome.err.contains("a party lacks some")));
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn a_shared_column_must_be_the_same_everywhere() {
    let federation = Federation::of(&pooled(JOB), "b", Split::Hybrid, &[]);
    let job = federation.read("ben/paravent.toml");
    federation
        .place
        .write("ben/paravent.toml", job.replacen("role = \"quasi-identifier\"", "role = \"insensitive\"", 1));
    federation.party("ben", &["--yes"]).expect(2).says(&["columns[", "role"]);
    // In a vertical split one party holds a column.
    federation.edit("cat", "split = \"hybrid\"", "split = \"vertical\"");
    federation.party("cat", &["--yes"]).expect(2).says(&["also_held_by", "hybrid split"]);
    federation.edit("ann", "also_held_by = [\"ben\"]", "also_held_by = [\"eve\"]");
    federation.party("ann", &["--yes"]).expect(2).says(&["also_held_by", "primary parties"]);
}

#[test]
fn a_hybrid_split_is_simulated_with_protocol_b_and_refused_with_the_others() {
    let place = Place::with(JOB, patients());
    let columns = ["--columns", "age,zip", "--columns", "age,zip", "--columns", "sex,diagnosis"];
    for (protocol, code) in [("a", 2), ("b", 0), ("c", 2)] {
        let args = ["party", "simulate", "paravent.toml", "--protocol", protocol, "--split", "hybrid"];
        let args = [&args[..], &["--parties", "3", "--metric", "nuem"], &columns].concat();
        let ran = place.run(&args);
        assert_eq!(ran.code, Some(code), "{} {}", ran.out, ran.err);
        match protocol {
            "b" => assert!(ran.out.contains("rows and columns split"), "{}", ran.out),
            _ => assert!(ran.err.contains("Use protocol B"), "{}", ran.err),
        }
    }
    let args =
        ["party", "simulate", "paravent.toml", "--protocol", "b", "--split", "hybrid", "--parties", "3"];
    place.run(&args).expect(2).says(&["--columns"]);
}

#[test]
fn a_hybrid_split_is_refused_when_inviting_where_nobody_can_join_the_rows() {
    let place = Place::with(&pooled(JOB).job.replace("\"loss\"", "\"nuem\""), patients());
    let invite = |protocol: &str, more: &[&str]| {
        let args =
            ["party", "invite", "paravent.toml", "--run", "x", "--protocol", protocol, "--split", "hybrid"];
        let args = [&args[..], &["--identifier", "name", "--me", "ann", "--party", "ann", "--party", "ben"]]
            .concat();
        place.run(&[&args[..], &["--party", "cat"], more].concat())
    };
    invite("a", &[]).expect(2).says(&["the helper of protocol B", "Use protocol B"]);
    invite("c", &["--helper", "hal"]).expect(2).says(&["the helper of protocol B", "Use protocol B"]);
    invite("b", &["--helper", "hal", "--private-keys"]).expect(2).says(&["encrypt equal cells alike"]);
    assert!(!place.path("federation.toml").exists());
    invite("b", &["--helper", "hal"]).expect(0);
}
