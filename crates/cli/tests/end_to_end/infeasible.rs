//! No solution: exit 3, and advice that works.

use crate::support::{JOB, Place, keys, table};
use toml::Value;

/// Low levels, no suppression, high demands.
fn job() -> String {
    JOB.replace("k = 3", "k = 16")
        // Each release is looked at by itself.
        .replace("[output]", "[output]\nregister = false")
        .replace("suppression_limit = 0.1", "suppression_limit = 0.0")
        .replace("name = \"age\"", "name = \"age\"\nmax_level = 3")
        .replace("name = \"zip\"", "name = \"zip\"\nmax_level = 4")
        .replace("name = \"sex\"", "name = \"sex\"\nmax_level = 0")
}

#[test]
fn the_nearest_relaxations_are_told() {
    let place = Place::with(&job(), table(60));
    let run = place.anonymize(&[]).expect(3);
    assert!(
        run.err.contains("no transformation") && run.err.contains("privacy.suppression_limit"),
        "{}",
        run.err
    );
    assert_eq!(run.out, "");
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
    let run = place.anonymize(&["--json"]).expect(3);
    assert_eq!(run.err, "");
    let document = run.json();
    assert_eq!(keys(&document), ["error", "relaxations", "complete"]);
    assert_eq!((&document["error"], &document["complete"]), (&"infeasible".into(), &true.into()));
    assert_eq!(keys(&document["relaxations"][0]), ["key", "from", "to", "advice"]);
    place.anonymize(&["--dry-run"]).expect(3);
}

#[test]
fn every_relaxation_works_alone() {
    let place = Place::with(&job(), table(60));
    let document = place.anonymize(&["--json"]).expect(3).json();
    let relaxations = document["relaxations"].as_array().unwrap();
    assert!(relaxations.len() >= 3, "{relaxations:?}");
    for relaxation in relaxations {
        let (key, to) = (relaxation["key"].as_str().unwrap(), relaxation["to"].as_str().unwrap());
        let mut job: Value = toml::from_str(&job()).unwrap();
        set(&mut job, key, to);
        place.write("paravent.toml", toml::to_string(&job).unwrap());
        let run = place.anonymize(&["--force"]);
        assert_eq!(run.code, Some(0), "{key} = {to}: {}", run.err);
        place.run(&["verify", "release"]).expect(0);
    }
}

/// Writes `to` at a key such as `privacy.models[0].k`.
fn set(job: &mut Value, key: &str, to: &str) {
    let mut place = job;
    for part in key.split(['.', '[']) {
        place = match part.strip_suffix(']') {
            Some(index) => &mut place[index.parse::<usize>().unwrap()],
            None => {
                let table = place.as_table_mut().unwrap();
                table.entry(part.to_owned()).or_insert(Value::Integer(0))
            }
        };
    }
    *place = to.parse::<i64>().map(Value::Integer).unwrap_or_else(|_| Value::Float(to.parse().unwrap()));
}

#[test]
fn diversity_beyond_the_table_has_advice_that_works() {
    let place = Place::with(&JOB.replace("l = 2", "l = 5"), table(60));
    let document = place.anonymize(&["--json"]).expect(3).json();
    let relaxations = document["relaxations"].as_array().unwrap();
    let diversity = relaxations.iter().find(|relaxation| relaxation["key"] == "privacy.models[1].l").unwrap();
    assert_eq!(diversity["to"], "4");
    place.write("paravent.toml", JOB.replace("l = 2", "l = 4"));
    place.anonymize(&[]).expect(0);
}

/// The usual job with boxes, each release looked at by itself.
fn local(recoding: &str, model: &str) -> String {
    JOB.replace(
        "[output]",
        &format!("[search]\nmetric = \"loss\"\nrecoding = \"{recoding}\"\n\n[output]\nregister = false"),
    )
    .replace("{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 }", model)
}

/// Tries every relaxation of a job that has none yet.
fn all_relaxations_work(place: &Place, job: &str) {
    let document = place.anonymize(&["--json"]).expect(3).json();
    let relaxations = document["relaxations"].as_array().unwrap();
    assert!(!relaxations.is_empty());
    for relaxation in relaxations {
        let (key, to) = (relaxation["key"].as_str().unwrap(), relaxation["to"].as_str().unwrap());
        assert_ne!(relaxation["from"], relaxation["to"], "{key}");
        let mut changed: Value = toml::from_str(job).unwrap();
        set(&mut changed, key, to);
        place.write("paravent.toml", toml::to_string(&changed).unwrap());
        let run = place.anonymize(&["--force"]);
        assert_eq!(run.code, Some(0), "{key} = {to}: {}", run.err);
        place.run(&["verify", "release"]).expect(0);
    }
}

#[test]
fn boxes_are_found_wherever_one_level_per_column_is() {
    // Nearly everybody has a combination of his own, so that only boxes count the others of the town.
    let everybody = table(120);
    let study: Vec<&str> =
        everybody.lines().enumerate().filter(|(row, _)| row % 3 == 0).map(|(_, line)| line).collect();
    let models = "{ model = \"delta-presence\", min = 0.0, max = 0.5, population = \"town.csv\" }, \
                  { model = \"k-map\", k = 6, population = \"town.csv\" }";
    for recoding in ["local", "cells"] {
        let place = Place::with(&local(recoding, models), study.join("\n") + "\n");
        place.write("town.csv", &everybody);
        let found = place.anonymize(&["--json"]).expect(0).json();
        assert!(found["privacy"][1]["achieved"]["max"].as_f64().unwrap() <= 0.5);
        place.run(&["verify", "release"]).expect(0);
        let whole = local(recoding, models).replace(&format!("recoding = \"{recoding}\"\n"), "");
        place.write("paravent.toml", whole);
        let whole = place.anonymize(&["--json", "--dry-run"]).expect(0).json();
        if recoding == "local" {
            let loss = |found: &serde_json::Value| found["solution"]["loss"].as_f64().unwrap();
            assert!(loss(&found) <= loss(&whole), "{} {}", loss(&found), loss(&whole));
        }
    }
    let strict = local("local", &models.replace("k = 6", "k = 400"));
    let place = Place::with(&strict, study.join("\n") + "\n");
    place.write("town.csv", &everybody);
    all_relaxations_work(&place, &strict);
}

#[test]
fn boxes_leave_out_rows_until_the_others_are_diverse() {
    // Three of four people have the flu: too many for an entropy of 2.5 values, whatever is generalized.
    let mut rows = String::new();
    for (number, line) in table(80).lines().enumerate() {
        let (rest, diagnosis) = line.rsplit_once(',').unwrap();
        let shown = if number % 4 == 0 { diagnosis } else { "flu" };
        rows.push_str(&format!("{rest},{shown}\n"));
    }
    let entropy = "{ model = \"entropy-l-diversity\", attribute = \"diagnosis\", l = 2.5 }";
    let job = local("local", entropy).replace("suppression_limit = 0.1", "suppression_limit = 0.6");
    let place = Place::with(&job, &rows);
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert!(found["privacy"][1]["achieved"]["l"].as_f64().unwrap() >= 2.5);
    place.run(&["verify", "release"]).expect(0);
    let strict = job.replace("suppression_limit = 0.6", "suppression_limit = 0.01");
    let place = Place::with(&strict, &rows);
    all_relaxations_work(&place, &strict);
}
