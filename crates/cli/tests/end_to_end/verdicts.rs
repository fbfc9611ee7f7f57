//! The verdict on what leaves by other ways than `anonymize`: by the same threshold, in the same words.

use crate::support::{Outcome, Place};
use std::fmt::Write;

const JOB: &str = r#"version = 1

[input]
path = "patients.csv"

[[attributes]]
name = "pid"
role = "identifying"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }

[[attributes]]
name = "potassium"
role = "insensitive"

[[attributes]]
name = "illness"
role = "sensitive"

[privacy]
suppression_limit = 0.1
models = [ { model = "k-anonymity", k = 5 } ]

[output]
path = "release"
"#;

/// Nothing was released before.
fn anew(place: &Place) {
    let _ = std::fs::remove_file(place.path("paravent-register.jsonl"));
    for folder in ["sliced", "noisy", "answer"] {
        for folder in [folder.to_owned(), format!("{folder}.private")] {
            let _ = std::fs::remove_dir_all(place.path(&folder));
        }
    }
}

/// A hundred people, so many of them with a potassium level that nobody else has.
fn table(alone: usize) -> String {
    let mut text = String::from("pid,age,potassium,illness\n");
    for row in 0..100usize {
        let level = if row < alone { format!("3.{}", 101 + row) } else { ["4.1", "4.2"][row % 2].to_owned() };
        let illness = ["flu", "gout", "asthma", "angina"][row / 3 % 4];
        writeln!(text, "p{row},{},{level},{illness}", 30 + row * 7 % 20).unwrap();
    }
    text
}

/// The verdict of a document, its figure, and what the pages say.
fn judged(place: &Place, outcome: Outcome, folder: &str) -> (String, u64) {
    let document = outcome.expect(0).json();
    let own = match document["release"].is_null() {
        true => &document,
        false => &document["release"],
    };
    assert_eq!(document["verdict"], own["verdict"]);
    let light = own["verdict"]["light"].as_str().unwrap().to_owned();
    let singled_out = own["unchanged"]["singled_out"].as_u64().unwrap_or(0);
    let reasons = own["verdict"]["reasons"].to_string();
    for page in [folder.to_owned(), format!("{folder}.private")] {
        let html = place.read(&format!("{page}/report.html"));
        let (tone, yellow) = (html.contains("class=\"verdict half\""), light == "yellow");
        assert_eq!((tone, html.contains("and yet singles people out")), (yellow, yellow), "{page}");
        if yellow {
            let told = format!(
                "{singled_out} of 100 people ({singled_out}.0 %) are singled out by what is released as it is"
            );
            assert!(reasons.contains(&told) && html.contains(&told), "{page}: {reasons}");
        }
    }
    assert_eq!(place.json(&format!("{folder}.private/report.json"))["verdict"]["light"], light.as_str());
    (light, singled_out)
}

fn slice(place: &Place, groups: &str, more: &[&str]) -> Outcome {
    anew(place);
    let args = ["slice", "patients.csv", "--job", "paravent.toml", "--groups", groups, "--bucket", "20"];
    let limits = ["--allow-identifying", "--most-linked", "1", "--most-constant", "1", "--release", "sliced"];
    place.run(&[&args[..], &limits, &["--force"], more].concat())
}

#[test]
fn a_sliced_release_is_green_up_to_one_in_ten() {
    for (alone, light) in [(0, "green"), (10, "green"), (11, "yellow"), (60, "yellow")] {
        let place = Place::with(JOB, table(alone));
        for groups in ["potassium,illness;age", "age;potassium;illness"] {
            let found = judged(&place, slice(&place, groups, &["--json"]), "sliced");
            // No age is one person's, and no illness.
            assert_eq!(found, (light.to_owned(), alone as u64), "{groups}");
        }
    }
    let place = Place::with(JOB, table(60));
    let told = slice(&place, "potassium,illness;age", &[]).expect(0);
    let told = told.says(&["no green verdict", "60 of 100 people (60.0 %)", "potassium"]);
    assert!(told.out.contains("yellow") && told.out.contains("No green verdict"), "{}", told.out);
    slice(&place, "potassium,illness;age", &["--quiet"]).expect(0).says(&["no green verdict"]);
    place.run(&["verify", "sliced"]).expect(0);
    // A draw that can be repeated is no release, whoever is singled out.
    let seeded = slice(&place, "potassium,illness;age", &["--seed", "7", "--json"]).expect(0).json();
    assert_eq!(seeded["verdict"]["light"], "red");
}

#[test]
fn groups_stand_together_and_apart_from_each_other() {
    // Nobody is alone in a column; in both together everybody is.
    let mut text = String::from("pid,age,potassium,illness\n");
    for row in 0..100 {
        writeln!(text, "p{row},{},{},{}", 30 + row % 10, row / 10, ["flu", "gout"][row % 2]).unwrap();
    }
    let place = Place::with(JOB, text);
    let together = judged(&place, slice(&place, "age,potassium;illness", &["--json"]), "sliced");
    assert_eq!(together, ("yellow".to_owned(), 100));
    let apart = judged(&place, slice(&place, "age;potassium,illness", &["--json"]), "sliced");
    assert_eq!(apart, ("green".to_owned(), 0));
    // Buckets of a column give it away to every group.
    let by = ["slice", "patients.csv", "--job", "paravent.toml", "--by", "potassium"];
    let by = [&by[..], &["--groups", "age;potassium;illness", "--release", "sliced", "--force", "--json"]]
        .concat();
    let limits = ["--allow-identifying", "--most-linked", "1", "--most-constant", "1"];
    anew(&place);
    let known = judged(&place, place.run(&[&by[..], &limits].concat()), "sliced");
    assert_eq!(known, ("yellow".to_owned(), 100));
}

#[test]
fn people_of_a_slicing_are_those_of_the_job() {
    let job = JOB.replace("suppression_limit", "person = \"pid\"\nsuppression_limit");
    let mut text = String::from("pid,age,potassium,illness\n");
    for row in 0..400 {
        let person = row / 4;
        writeln!(text, "p{person},{},3.{},{}", 30 + person % 10, 100 + person, ["flu", "gout"][row % 2])
            .unwrap();
    }
    let place = Place::with(&job, &text);
    let found = judged(&place, slice(&place, "potassium,illness;age", &["--json"]), "sliced");
    assert_eq!(found, ("yellow".to_owned(), 100), "four rows each, and every level is one person's");
}

#[test]
fn a_noisy_release_is_judged_by_its_exact_columns() {
    let noise =
        ["noise", "patients.csv", "--job", "paravent.toml", "--release", "noisy", "--force", "--json"];
    let ages = (30..50).map(|age| format!("'{age}'")).collect::<Vec<_>>().join(", ");
    let column = format!("age=0.5:uniform({ages})");
    for (alone, light) in [(10, "green"), (11, "yellow")] {
        let place = Place::with(JOB, table(alone));
        place.run(&["ledger", "start", "--job", "paravent.toml", "--epsilon", "100"]).expect(0);
        let found = judged(&place, place.run(&[&noise[..], &["--column", &column]].concat()), "noisy");
        assert_eq!(found, (light.to_owned(), alone as u64));
    }
}

#[cfg(feature = "sql")]
#[test]
fn an_answer_is_judged_by_its_exact_columns() {
    let sql = |place: &Place, statement: &str| {
        let release = ["--job", "paravent.toml", "--release", "answer", "--json"];
        anew(place);
        place.run(&[&["sql", statement][..], &release].concat())
    };
    let rows = "SELECT age, potassium, illness FROM generalize(patients, k => 5)";
    for (alone, light) in [(10, "green"), (11, "yellow"), (60, "yellow")] {
        let place = Place::with(JOB, table(alone));
        assert_eq!(judged(&place, sql(&place, rows), "answer"), (light.to_owned(), alone as u64));
        // Without the column there is nothing to tell.
        let coarse = "SELECT age, illness FROM generalize(patients, k => 5)";
        assert_eq!(judged(&place, sql(&place, coarse), "answer"), ("green".to_owned(), 0));
    }
}

#[cfg(feature = "sql")]
#[test]
fn rows_that_stand_for_groups_are_no_people() {
    let place = Place::with(JOB, table(60));
    let verdict = |statement: &str| -> serde_json::Value {
        let release = ["--job", "paravent.toml", "--release", "answer", "--json"];
        anew(&place);
        place.run(&[&["sql", statement][..], &release].concat()).expect(0).json()["release"].clone()
    };
    // Every row of the answer is one of its kind, and stands for many people.
    let by_illness =
        verdict("SELECT illness, count(*) AS n FROM generalize(patients, k => 5) GROUP BY illness");
    assert_eq!(by_illness["verdict"]["light"], "green", "{by_illness}");
    // Grouped by what singles out, a row stands for one.
    for statement in [
        "SELECT potassium, count(*) AS n FROM generalize(patients, k => 5) GROUP BY potassium",
        "SELECT DISTINCT potassium, age FROM generalize(patients, k => 5)",
    ] {
        let told = verdict(statement);
        assert_eq!(told["verdict"]["light"], "yellow", "{statement}");
        assert_eq!(told["unchanged"]["singled_out"], 60, "{statement}");
        assert_eq!(told["unchanged"]["people"], 100, "{statement}");
        // The answer does not say how many rows it was made of.
        let outside = place.json("answer/report.json");
        assert!(outside["unchanged"].is_null() && outside["verdict"]["light"] == "yellow", "{outside}");
        assert!(!outside.to_string().contains("of 100 people"), "{outside}");
        let told = "more than one in ten people are singled out by what is released as it is: potassium";
        assert!(place.read("answer/report.html").contains(told));
    }
}

/// What makes a release of the other kinds, into a folder of this name.
fn other_kinds(place: &Place) -> Vec<(&'static str, Vec<String>)> {
    place.run(&["ledger", "start", "--job", "paravent.toml", "--epsilon", "100"]).expect(0);
    let ages = (30..50).map(|age| format!("'{age}'")).collect::<Vec<_>>().join(", ");
    let owned = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<String>>();
    let sliced = ["slice", "patients.csv", "--groups", "age;potassium;illness", "--bucket", "20"];
    let noisy = owned(&["noise", "patients.csv", "--column", &format!("age=0.5:uniform({ages})")]);
    let mut kinds = vec![("sliced", owned(&sliced)), ("noisy", noisy)];
    if cfg!(feature = "sql") {
        kinds.push(("answer", owned(&["sql", "SELECT age, illness FROM generalize(patients, k => 5)"])));
    }
    kinds
}

fn run(place: &Place, args: &[String], more: &[&str]) -> Outcome {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(["--job", "paravent.toml"]).collect();
    place.run(&[&args, more].concat())
}

#[test]
fn what_was_not_tried_together_with_an_earlier_release_is_not_green() {
    let place = Place::with(JOB, table(0));
    let kinds = other_kinds(&place);
    for (folder, args) in &kinds {
        anew(&place);
        let alone = run(&place, args, &["--release", folder, "--json"]).expect(0).json();
        assert_eq!(alone["verdict"]["light"], "green", "{folder}: {alone}");
    }
    anew(&place);
    place.anonymize(&[]).expect(0);
    for (line, (folder, args)) in (1..).zip(&kinds) {
        let told = run(&place, args, &["--release", folder, "--json"]).expect(0).json();
        let verdict = &told["verdict"];
        let more = if line == 1 { String::new() } else { format!(" and {} more", line - 1) };
        let reason =
            format!("what it tells together with release {line}{more} of the register could not be tried");
        assert_eq!((&verdict["light"], &verdict["reasons"][0]), (&"yellow".into(), &reason.into()), "{told}");
        let page = place.read(&format!("{folder}.private/report.html"));
        assert!(page.contains("with reservations") && page.contains("could not be tried"), "{folder}");
        // What is handed out speaks of the release alone.
        assert!(!place.read(&format!("{folder}/report.html")).contains("could not be tried"));
    }
}

#[test]
fn a_bare_table_is_held_against_the_register() {
    let place = Place::with(JOB, table(0));
    let kinds = other_kinds(&place);
    let bare = |folder: &str, args: &[String]| match folder {
        "answer" => run(&place, args, &["--format", "csv"]),
        _ => run(&place, args, &["--output", "-"]),
    };
    for (folder, args) in &kinds {
        let alone = bare(folder, args).expect(0);
        assert!(!alone.err.contains("released before"), "{folder}: {}", alone.err);
    }
    place.anonymize(&[]).expect(0);
    let register = place.read("paravent-register.jsonl");
    for (folder, args) in &kinds {
        let told = bare(folder, args).expect(0);
        assert!(told.out.lines().count() > 50, "{folder}: the rows are printed");
        let before = "this table was released before, as release 1 of the register paravent-register.jsonl";
        assert!(told.err.contains(before), "{folder}: {}", told.err);
        assert!(told.err.contains("no green verdict"), "{folder}: {}", told.err);
    }
    assert_eq!(place.read("paravent-register.jsonl"), register, "nothing was added");
}

#[test]
fn a_registered_release_is_not_replaced_by_one_without_a_line() {
    let place = Place::with(JOB, table(0));
    let kinds = other_kinds(&place);
    place.anonymize(&[]).expect(0);
    let (data, register) = (place.read("release/data.csv"), place.read("paravent-register.jsonl"));
    let refused = |outcome: Outcome| {
        outcome.expect(2).says(&["is release 1 of the register", "another folder", "register withdraw 1"]);
        assert_eq!(place.read("release/data.csv"), data);
    };
    let without = ["--set", "output.register=false"];
    refused(place.anonymize(&[&["--force"][..], &without].concat()));
    for (_, args) in &kinds {
        refused(run(&place, args, &["--release", "release", "--force", "--no-register"]));
    }
    // The register is as good as before, and a run with a line goes on.
    assert_eq!(place.read("paravent-register.jsonl"), register);
    place.anonymize(&["--force"]).expect(0);
    place.run(&["register", "verify"]).expect(0);
    // Taken back, it may be replaced, and the next run is not disturbed.
    for line in ["1", "2"] {
        place.run(&["register", "withdraw", line]).expect(0);
    }
    place.anonymize(&[&["--force"][..], &without].concat()).expect(0);
    place.anonymize(&["--force"]).expect(0);
}
