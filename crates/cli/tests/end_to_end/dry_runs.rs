//! Dry runs of `slice`, `noise` and `sql`: they say what the run would say, refuse what it would refuse, and write nothing.

use super::support::{JOB, Outcome, Place};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.display().to_string(), fs::read(&path).unwrap())),
        }
    }
    found
}

/// With a budget, so that noise with the job can be paid for.
fn place() -> Place {
    Place::with(
        &JOB.replace("[privacy]\n", "[privacy]\nbudget = { epsilon = 20 }\n"),
        super::support::patients(),
    )
}

const SLICE: [&str; 10] = [
    "slice",
    "patients.csv",
    "--job",
    "paravent.toml",
    "--groups",
    "age;sex;zip;diagnosis",
    "--bucket",
    "20",
    "--release",
    "out",
];
const NOISE: [&str; 12] = [
    "noise",
    "patients.csv",
    "--job",
    "paravent.toml",
    "--column",
    "sex=0.5:uniform('f', 'm')",
    "--column",
    "age=epsilon(1):laplace(min => 0, max => 100)",
    "--column",
    "zip=0.5:uniform('81660', '81661', '81662', '81663', '81664', '81665', '81666')",
    "--release",
    "out",
];
#[cfg(feature = "sql")]
const SQL: [&str; 6] = [
    "sql",
    "SELECT age, sex, zip, diagnosis FROM generalize(patients, k => 3)",
    "--job",
    "paravent.toml",
    "--release",
    "out",
];

fn commands() -> Vec<Vec<&'static str>> {
    let mut commands = vec![SLICE.to_vec(), NOISE.to_vec()];
    #[cfg(feature = "sql")]
    commands.push(SQL.to_vec());
    commands
}

fn run(place: &Place, command: &[&str], more: &[&str]) -> Outcome {
    place.run(&[command, more].concat())
}

/// The dry run, which must change nothing.
fn dry(place: &Place, command: &[&str], more: &[&str]) -> Outcome {
    let folder = place.path("");
    let before = files(&folder);
    let outcome = run(place, command, &[&["--dry-run"], more].concat());
    assert!(files(&folder) == before, "{command:?} wrote something: {:?}", place.names());
    outcome
}

fn verdict(document: &Value) -> (&str, &Value, &Value) {
    let release = &document["release"];
    (document["verdict"]["light"].as_str().unwrap(), &release["verdict"], &release["warnings"])
}

#[test]
fn they_tell_the_verdict_of_the_run() {
    for command in commands() {
        let fresh = place();
        let planned = dry(&fresh, &command, &["--json"]).expect(0).json();
        assert!(planned.get("output").is_none() && planned["release"].get("output").is_none(), "{planned}");
        assert_eq!(
            verdict(&planned),
            verdict(&run(&fresh, &command, &["--json"]).expect(0).json()),
            "{command:?}"
        );
        // The same people again, and without a line.
        for more in [&["--force"][..], &["--force", "--no-register"]] {
            let place = place();
            place.anonymize(&[]).expect(0);
            let planned = dry(&place, &command, &[&["--json"], more].concat()).expect(0).json();
            let done = run(&place, &command, &[&["--json"], more].concat()).expect(0).json();
            assert_eq!(verdict(&planned), verdict(&done), "{command:?} {more:?}");
            assert_eq!(verdict(&planned).0, "yellow", "{command:?} {more:?}");
        }
        let place = place();
        place.anonymize(&[]).expect(0);
        let told = dry(&place, &command, &["--quiet"]).expect(0);
        assert!(told.out.is_empty() && told.err.contains("release 1 of the register"), "{}", told.err);
        let told = dry(&place, &command, &[]).expect(0);
        assert!(told.out.contains("a dry run of a") && told.out.contains("released before"), "{}", told.out);
    }
}

/// A table that a database makes is made at once: a dry run of it is refused before anybody connects.
#[test]
fn none_makes_a_table_in_a_database() {
    let place = place();
    let slice = "slice postgres://nowhere.invalid/db#t --groups a;b --bucket 5 --row-key id --into t --dry-run --force";
    let told = place.run(&slice.split(' ').collect::<Vec<_>>()).expect(2);
    assert!(told.err.contains("'--into <TABLE>' cannot be used with '--dry-run'"), "{}", told.err);
}

#[test]
fn they_refuse_what_the_run_refuses() {
    for command in commands() {
        // A place that is taken.
        let taken = place();
        fs::create_dir(taken.path("out")).unwrap();
        taken.write("out/note.txt", "mine");
        dry(&taken, &command, &[]).expect(4);
        run(&taken, &command, &[]).expect(4);
        // A registered release whose files were changed.
        let changed = place();
        changed.anonymize(&[]).expect(0);
        changed.write("release/data.csv", changed.read("release/data.csv").replacen("flu", "gout", 1));
        dry(&changed, &command, &[]).expect(1);
        run(&changed, &command, &[]).expect(1);
        // A register that was cut.
        let cut = place();
        cut.anonymize(&[]).expect(0);
        let register = cut.read("paravent-register.jsonl");
        let first = register.lines().next().unwrap();
        cut.write("paravent-register.jsonl", format!("{first}\n"));
        dry(&cut, &command, &[]).expect(1);
        run(&cut, &command, &[]).expect(1);
        // A registered release that would be replaced by one without a line.
        let vanishing = place();
        run(&vanishing, &command, &[]).expect(0);
        dry(&vanishing, &command, &["--force", "--no-register"]).expect(2);
        run(&vanishing, &command, &["--force", "--no-register"]).expect(2);
        // A key that is none.
        let signed = place();
        signed.write("paravent.key", "no key");
        dry(&signed, &command, &[]).expect(4);
        run(&signed, &command, &[]).expect(4);
    }
}

#[test]
fn noise_is_priced_and_not_paid() {
    let place = place();
    let planned = dry(&place, &NOISE, &["--json"]).expect(0).json();
    let paid = run(&place, &NOISE, &["--json"]).expect(0).json();
    for figure in ["epsilon", "delta", "spent", "left"] {
        assert_eq!(planned[figure], paid["operators"][0][figure], "{figure}");
    }
    let columns = planned["release"]["columns"].as_array().unwrap();
    assert!(columns.iter().all(|column| column["estimates"].is_null() && column.get("mean").is_none()));
    // What is left counts, also for somebody who only asks.
    let again = [&NOISE[..11], &["again"]].concat();
    let told = dry(&place, &again, &["--budget", "6"]).expect(2);
    assert_eq!(told.err, run(&place, &again, &["--budget", "6"]).expect(2).err);
    let unbounded = ["noise", "patients.csv", "--column", "sex=0", "--output", "plain.csv"];
    dry(&place, &unbounded, &[]).expect(2).says(&["--allow-unbounded"]);
    dry(&place, &unbounded, &["--allow-unbounded"]).expect(0);
    // A ledger that was cut gives nothing.
    let ledger = place.read("paravent.ledger.jsonl");
    place.write("paravent.ledger.jsonl", &ledger[..ledger.len() - 5]);
    assert_eq!(dry(&place, &again, &[]).code, run(&place, &again, &[]).code);
}

#[test]
fn bare_tables_are_held_against_registers_too() {
    let place = place();
    place.anonymize(&[]).expect(0);
    for command in [&SLICE[..], &NOISE[..]] {
        let bare = [&command[..command.len() - 2], &["--output", "bare.csv"]].concat();
        let told = dry(&place, &bare, &[]).expect(0);
        assert!(told.err.contains("release 1 of the register"), "{}", told.err);
        assert!(told.out.starts_with("A dry run: 60 rows"), "{}", told.out);
    }
}

#[cfg(feature = "sql")]
#[test]
fn statements_with_noise_are_held_against_registers_and_not_run() {
    let place = place();
    place.anonymize(&[]).expect(0);
    let noisy =
        "SELECT * FROM private(patients, by => (sex), keys => ('f', 'm'), count => true, epsilon => 1)";
    let redrawn = "SELECT * FROM randomize((SELECT sex, diagnosis FROM patients), columns => ((sex, 0.5, uniform('f', 'm'))))";
    for statement in [noisy, redrawn] {
        let command = ["sql", statement, "--job", "paravent.toml", "--release", "out"];
        let told = dry(&place, &command, &[]).expect(0);
        assert!(told.out.contains("draws and pays for none"), "{}", told.out);
        assert!(told.err.contains("release 1 of the register"), "{}", told.err);
    }
    dry(&place, &["sql", "SELECT nothing FROM patients", "--job", "paravent.toml", "--release", "out"], &[])
        .expect(2);
    place.run(&["sql", noisy, "--job", "paravent.toml", "--dry-run"]).expect(2).says(&["--release"]);
}
