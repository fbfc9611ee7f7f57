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
