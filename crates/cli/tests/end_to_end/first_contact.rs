//! Tables with the slips and signs that people's tables have: what `init` says of them, and what leaves.

use crate::support::{Outcome, Place};

/// So many rows behind a header.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let lines = (0..rows).map(|n| format!("{}\n", row(n)));
    std::iter::once(format!("{header}\n")).chain(lines).collect()
}

/// Both streams.
fn said(outcome: Outcome) -> String {
    let outcome = outcome.expect(0);
    outcome.out + &outcome.err
}

/// The cells of a released column.
fn released(place: &Place, column: &str, delimiter: char) -> Vec<String> {
    let data = place.read("release/data.csv");
    let at = data.lines().next().unwrap().split(delimiter).position(|name| name == column).unwrap();
    data.lines().skip(1).map(|line| line.split(delimiter).nth(at).unwrap().to_owned()).collect()
}

#[test]
fn grouped_thousands_leave_as_they_came() {
    let place = Place::new();
    let row = |n: usize| {
        format!(
            "{},{},\"{},000\",{}",
            20 + n % 40,
            ["m", "f"][n % 2],
            10 + n % 4,
            ["flu", "gout", "angina"][n % 3]
        )
    };
    place.write("t.csv", table("age,sex,income,diagnosis", 240, row));
    let told = said(place.run(&["init", "t.csv", "--force"]));
    assert!(told.contains("group thousands"), "{told}");
    assert!(place.read("paravent.toml").contains("grouping = \",\""));
    place.run(&["anonymize", "paravent.toml"]).expect(0);
    let data = place.read("release/data.csv");
    assert!(data.contains("\"12,000\"") && !data.contains(",12,"), "{data}");
    let facts = place.run(&["utility", "release", "--against", "t.csv", "--json"]).expect(0).json();
    let income =
        facts["numbers"].as_array().unwrap().iter().find(|column| column["column"] == "income").unwrap();
    assert!(income["before"]["mean"].as_f64().unwrap() > 10_000.0, "{income}");
}

#[test]
fn one_wrong_cell_costs_neither_the_births_nor_everybodys_age() {
    let place = Place::new();
    let row = |n: usize| {
        let born = match n {
            7 => "99.99.9999".to_owned(),
            9 => "01.02.2203".to_owned(),
            11 => "unbekannt".to_owned(),
            _ => format!("{:02}.{:02}.{}", 1 + n % 28, 1 + n % 12, 1950 + n % 50),
        };
        format!(
            "{born};{};{};{}",
            ["m", "w"][n % 2],
            ["ja", "nein"][n / 2 % 2],
            ["E11.9", "I10", "J44"][n % 3]
        )
    };
    place.write("t.csv", table("Geburtsdatum;Geschlecht;Raucher;Diagnose", 300, row));
    let told = said(place.run(&["init", "t.csv", "--force"]));
    assert!(told.contains("298 of 299 cells are dd.MM.yyyy; row 8 is not"), "{told}");
    assert!(told.contains("1 birth lies after"), "{told}");
    let job = place.read("paravent.toml");
    assert!(job.contains("null = [\"\", \"99.99.9999\", \"unbekannt\"]"), "{job}");
    assert!(!job.contains("2203-12-31"), "{job}");
    place.run(&["anonymize", "paravent.toml"]).expect(0);
    let smokers = released(&place, "Raucher", ';');
    assert!(smokers.iter().all(|cell| ["ja", "nein"].contains(&cell.as_str())), "{smokers:?}");
    // Most of these people are between 20 and 79.
    let ages = released(&place, "Geburtsdatum", ';');
    assert!(ages.iter().filter(|age| age.as_str() == ">=90").count() * 10 < ages.len(), "{ages:?}");
}

#[test]
fn ages_come_in_fives_tens_and_twenties() {
    let place = Place::new();
    let row = |n: usize| format!("{};{};{}", n % 102, ["m", "w"][n % 2], ["E11.9", "I10", "J44"][n % 3]);
    place.write("t.csv", table("Alter;Geschlecht;Diagnose", 1020, row));
    let told = said(place.run(&["init", "t.csv", "--force"]));
    assert!(told.contains("groups of 5, 10, 20 years, 90 and older together"), "{told}");
    place.run(&["anonymize", "paravent.toml"]).expect(0);
    assert!(place.read("release.private/transform.json").contains("\"90\""));
}

#[test]
fn a_table_is_held_against_its_release_without_the_job() {
    let place = Place::new();
    let row = |n: usize| {
        let day = format!("{:02}.{:02}.2024", 1 + n % 28, 1 + n % 12);
        format!(
            "{:02}.{:02}.{};{};{},{};{day};{}",
            1 + n % 28,
            1 + n % 12,
            1950 + n % 40,
            ["m", "w"][n % 2],
            60 + n % 30,
            n % 10,
            ["E11.9", "I10", "J44"][n % 3]
        )
    };
    place.write("t.csv", table("Geburtsdatum;Geschlecht;Gewicht;Aufnahme;Diagnose", 400, row));
    place.run(&["init", "t.csv", "--for", "research", "--force"]).expect(0);
    place.run(&["anonymize", "paravent.toml"]).expect(0);
    let with = place.run(&["utility", "release", "--against", "t.csv", "--job", "paravent.toml", "--json"]);
    let without = place.run(&["utility", "release", "--against", "t.csv", "--json"]);
    assert_eq!((with.code, with.json()), (without.code, without.json()));
    place.run(&["attack", "release", "--against", "t.csv"]).expect(0);
    // The job is what says it: without it and without the private folder's word the dates are no dates.
    let path = "release.private/transform.json";
    let mut document: serde_json::Value = serde_json::from_str(&place.read(path)).unwrap();
    assert_eq!(document["input"]["delimiter"], ";");
    assert_eq!(document["input"]["spellings"]["Geburtsdatum"]["format"], "dd.MM.yyyy");
    document["input"] = serde_json::json!({});
    place.write(path, document.to_string());
    let facts = place.run(&["utility", "release", "--against", "t.csv", "--json"]);
    let with = place.run(&["utility", "release", "--against", "t.csv", "--job", "paravent.toml", "--json"]);
    assert!(facts.code != Some(0) || facts.json() != with.json());
}

const RARE: &str = r#"version = 1

[input]
path = "t.csv"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [10, 20], min = 0, max = 100 } }

[[attributes]]
name = "sex"
role = "quasi-identifier"
max_level = 0

[privacy]
suppression_limit = 1.0
models = [{ model = "k-anonymity", k = 5 }]

[search]
metric = "loss"

[output]
path = "release"
"#;

#[test]
fn groups_that_are_gone_are_named() {
    let place = Place::new();
    let row = |n: usize| format!("{},{}", 20 + n % 60, if n % 60 == 59 { "d" } else { ["m", "f"][n % 2] });
    place.write("t.csv", table("age,sex", 240, row));
    place.write("job.toml", RARE);
    let told = place.run(&["anonymize", "job.toml"]).expect(0).out;
    assert!(told.contains("Left out altogether") && told.contains("all 4 rows"), "{told}");
    let line = told.lines().find(|line| line.contains("all 4 rows")).unwrap();
    assert!(line.contains("sex") && line.contains(" d "), "{line}");
}

#[test]
fn a_metric_that_leaves_out_most_rows_is_told() {
    let place = Place::new();
    place.write(
        "t.csv",
        table("age,sex", 240, |n| format!("{},{}", if n < 40 { 20 } else { n % 90 }, ["m", "f"][n % 2])),
    );
    place.write("job.toml", RARE.replace("metric = \"loss\"", "metric = \"nuem\""));
    let told = said(place.run(&["anonymize", "job.toml"]));
    assert!(told.contains("are left out: that is best by the metric nuem"), "{told}");
    place.write("job.toml", RARE);
    let told = said(place.run(&["anonymize", "job.toml", "--force"]));
    assert!(!told.contains("that is best by the metric"), "{told}");
}

#[test]
fn a_table_that_is_not_there_is_said_before_the_job_that_is() {
    let place = Place::new();
    place.write("paravent.toml", "version = 1\n");
    place.run(&["init", "nope.csv"]).expect(4).says(&["nope.csv"]);
}
