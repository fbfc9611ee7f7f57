//! Who was handed out a release has one folder: what can be measured is measured, and what cannot is said. And a table is the original only if
//! the release can have been made of it.

use crate::support::{JOB, Place};
use serde_json::Value;
use std::fs;

/// A release as its recipient has it.
fn handed_out(place: &Place) -> &Place {
    place.anonymize(&[]).expect(0);
    fs::remove_dir_all(place.path("release.private")).unwrap();
    place
}

fn warned(document: &Value, text: &str) -> bool {
    document["warnings"].as_array().unwrap().iter().any(|warning| warning.as_str().unwrap().contains(text))
}

#[test]
fn attack_risk_and_measure_need_the_handed_out_folder_only() {
    let place = Place::new();
    handed_out(&place);
    let found = place.run(&["attack", "release", "--seed", "1", "--json"]).expect(0).json();
    assert!(warned(&found, "the private folder is not here"), "{found}");
    let attacks: Vec<&str> =
        found["attacks"].as_array().unwrap().iter().map(|told| told["attack"].as_str().unwrap()).collect();
    assert!(attacks.contains(&"homogeneity"), "{attacks:?}");
    let told = place.run(&["attack", "release", "--seed", "1"]).expect(0);
    assert!(told.out.contains("the private folder is not here"), "{}", told.out);
    let risk = place.run(&["risk", "release", "--json"]).expect(0).json();
    assert!(warned(&risk, "the private folder is not here"), "{risk}");
    assert_eq!(risk["kind"], "release");
    let bits = place.run(&["measure", "information", "release", "--json"]).expect(0).json();
    assert!(warned(&bits, "the private folder is not here"), "{bits}");
    place.run(&["measure", "beliefs", "release"]).expect(0);
    // What cannot be run is an error where it was asked for.
    let refused =
        place.run(&["attack", "release", "--only", "downcoding", "--against", "patients.csv"]).expect(2);
    assert!(refused.err.contains("downcoding"), "{}", refused.err);
}

#[test]
fn labels_are_read_as_they_are_written() {
    let place = Place::new();
    handed_out(&place);
    // Intervals, stars and equal texts: the original is found in them, and a list with names is linked.
    let found = place
        .run(&["attack", "release", "--against", "patients.csv", "--seed", "1", "--json"])
        .expect(0)
        .json();
    let given = found["given"].to_string();
    assert!(given.contains("its rows can be made of them"), "{given}");
    let linking =
        found["attacks"].as_array().unwrap().iter().find(|told| told["attack"] == "linking").unwrap();
    assert_eq!(linking["severity"], "covered");
    place.run(&["attack", "release", "--external", "patients.csv", "--seed", "1"]).expect(0);
    let population =
        place.run(&["risk", "release", "--population-table", "patients.csv", "--json"]).expect(0);
    assert_eq!(population.json()["journalist"]["source"], "population-table");
}

#[test]
fn names_of_groups_need_the_private_folder() {
    let place = Place::new();
    let groups = JOB.replacen(
        "name = \"sex\"\nrole = \"quasi-identifier\"\n",
        "name = \"sex\"\nrole = \"quasi-identifier\"\nmin_level = 1\nmax_level = 1\nhierarchy = { file = \"sex.csv\" }\n",
        1,
    );
    place.write("paravent.toml", groups);
    let values: std::collections::BTreeSet<String> = place
        .read("patients.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).unwrap().to_owned())
        .collect();
    let lines: String = values.iter().map(|value| format!("{value};anybody;*\n")).collect();
    place.write("sex.csv", lines);
    handed_out(&place);
    let found = place
        .run(&["attack", "release", "--against", "patients.csv", "--seed", "1", "--json"])
        .expect(0)
        .json();
    assert!(warned(&found, "behind the labels of \"sex\""), "{found}");
    let attacks = found["attacks"].as_array().unwrap();
    assert!(attacks.iter().all(|told| told["attack"] != "linking"), "nothing is judged by it: {found}");
    // Of a list with names the other columns are used.
    let listed = place
        .run(&["attack", "release", "--external", "patients.csv", "--seed", "1", "--json"])
        .expect(0)
        .json();
    assert!(listed["attacks"].as_array().unwrap().iter().any(|told| told["attack"] == "linking"), "{listed}");
}

#[test]
fn two_handed_out_releases_are_intersected() {
    let place = Place::new();
    place.anonymize(&["--node", "age=2,sex=1,zip=2", "--set", "privacy.suppression_limit=1.0"]);
    place.anonymize(&[
        "--output",
        "second",
        "--node",
        "age=3,sex=0,zip=2",
        "--set",
        "privacy.suppression_limit=1.0",
    ]);
    let args =
        ["attack", "second", "--previous", "release", "--seed", "1", "--json", "--only", "composition"];
    let both = place.run(&args);
    for folder in ["release.private", "second.private"] {
        fs::remove_dir_all(place.path(folder)).unwrap();
    }
    let without = place.run(&args);
    assert_eq!(both.code, without.code, "{}{}", both.err, without.err);
    let figure = |run: &crate::support::Outcome| run.json()["attacks"][0]["figure"].clone();
    assert_eq!(figure(&both), figure(&without));
}

/// The rows of a table with one column moved down by a row.
fn rotated(table: &str, column: usize) -> String {
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mut text = format!("{}\n", table.lines().next().unwrap());
    for (at, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        row[column] = rows[(at + 1) % rows.len()][column];
        text += &format!("{}\n", row.join(","));
    }
    text
}

#[test]
fn a_permuted_or_changed_secret_column_is_another_table() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let table = place.read("patients.csv");
    // The same rows in another order are the original.
    let mut lines: Vec<&str> = table.lines().collect();
    lines[1..].reverse();
    place.write("reversed.csv", lines.join("\n") + "\n");
    place.run(&["attack", "release", "--against", "reversed.csv", "--seed", "1"]).expect(0);
    place.write("permuted.csv", rotated(&table, 4));
    let changed = table.lines().enumerate().map(|(at, line)| match at {
        1..=9 => format!("{},measles\n", line.rsplit_once(',').unwrap().0),
        _ => format!("{line}\n"),
    });
    place.write("changed.csv", changed.collect::<String>());
    for with_private in [true, false] {
        for other in ["permuted.csv", "changed.csv"] {
            let refused = place.run(&["attack", "release", "--against", other, "--seed", "1"]).expect(2);
            assert!(refused.err.contains("not the table this release was made from"), "{}", refused.err);
            assert!(refused.err.contains("the column \"diagnosis\" differs"), "{}", refused.err);
        }
        place.write("bigger.csv", format!("{table}{}", &table[table.find('\n').unwrap() + 1..]));
        let refused = place.run(&["attack", "release", "--against", "bigger.csv"]).expect(2);
        assert!(refused.err.contains("has 120 rows, but the release was made from 60"), "{}", refused.err);
        if with_private {
            fs::remove_dir_all(place.path("release.private")).unwrap();
        }
    }
}

#[test]
fn a_label_that_does_not_cover_its_row_is_noticed_in_a_local_release() {
    let place = Place::new();
    let local = JOB.replacen("[output]", "[search]\nmetric = \"loss\"\nrecoding = \"local\"\n\n[output]", 1);
    place.write("paravent.toml", local);
    place.anonymize(&[]).expect(0);
    let table = place.read("patients.csv");
    let mut lines: Vec<&str> = table.lines().collect();
    lines[1..].reverse();
    place.write("reversed.csv", lines.join("\n") + "\n");
    let honest =
        place.run(&["attack", "release", "--against", "reversed.csv", "--seed", "1", "--json"]).expect(0);
    assert!(honest.json()["given"].to_string().contains("its rows can be made of them"), "{}", honest.out);
    place.write("permuted.csv", rotated(&table, 4));
    let refused = place.run(&["attack", "release", "--against", "permuted.csv"]).expect(2);
    assert!(refused.err.contains("not the table this release was made from"), "{}", refused.err);
    // One row is put into a box of other people.
    let data = place.read("release/data.csv");
    let mut rows: Vec<String> = data.lines().map(str::to_owned).collect();
    let cells = |row: &str| row.split(',').map(str::to_owned).collect::<Vec<String>>();
    let last = rows.len() - 1;
    let (first, other) = (cells(&rows[1]), cells(&rows[last]));
    assert_ne!(first[0], other[0], "two boxes: {data}");
    rows[1] = [&other[..3], &first[3..]].concat().join(",");
    let moved = rows.join("\n") + "\n";
    place.write("release/data.csv", moved);
    let refused = place.run(&["attack", "release", "--against", "reversed.csv"]).expect(2);
    assert!(refused.err.contains("released rows have labels or cells that no row of"), "{}", refused.err);
}

/// Sixty people, the first of whom lives where nobody else does and is left out.
fn with_outsider(age: u32, sex: &str) -> String {
    let mut rows = crate::support::patients();
    let first = rows.find('\n').unwrap() + 1;
    let end = first + rows[first..].find('\n').unwrap();
    rows.replace_range(first..end, &format!("person 0,{age},{sex},99999,flu"));
    rows
}

#[test]
fn nothing_that_is_handed_out_moves_with_somebody_who_was_left_out() {
    let place = Place::new();
    let mut seen: Vec<(String, String, String, String)> = Vec::new();
    for metric in ["loss", "nuem", "entropy", "precision", "aecs"] {
        let job = JOB.replacen("[output]", &format!("[search]\nmetric = \"{metric}\"\n\n[output]"), 1);
        place.write("paravent.toml", job);
        seen.clear();
        for (age, sex) in [(20, "f"), (23, "m"), (31, "f"), (44, "m"), (58, "f"), (59, "m"), (79, "f")] {
            place.write("patients.csv", with_outsider(age, sex));
            let args = ["--force", "--set", "output.register=false", "--node", "age=2,sex=0,zip=1"];
            place.anonymize(&args).expect(0);
            let read = |name: &str| place.read(&format!("release/{name}"));
            seen.push((read("data.csv"), read("report.json"), read("report.html"), read("manifest.json")));
        }
        assert!(!seen[0].0.contains("9999"), "left out");
        let told: Vec<&_> = seen.iter().filter(|other| other.0 == seen[0].0).collect();
        assert!(told.len() > 3, "the same released rows");
        for other in told {
            assert!(other.1 == seen[0].1 && other.2 == seen[0].2 && other.3 == seen[0].3, "{metric}");
        }
    }
}
