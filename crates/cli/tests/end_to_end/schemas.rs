//! Every document that is written is as its JSON Schema says.

#[path = "../../../job/src/tests/conform.rs"]
mod conform;

use super::noise::{NOISY_JOB, released};
use super::support::{JOB, Place, keys, patients};
use serde_json::Value;
use std::path::Path;

/// Fails unless a file of the place is what `paravent schema KIND` describes, with a described key for each of its own.
#[track_caller]
pub(super) fn conforms(place: &Place, kind: &str, file: &str) {
    let schema = place.run(&["schema", kind]).expect(0).json();
    let document = place.json(file);
    check(&schema, &document, file);
}

#[track_caller]
fn check(schema: &Value, document: &Value, file: &str) {
    assert_eq!(conform::problems(schema, document), Vec::<String>::new(), "{file}: {document}");
    if let Some(described) = schema["properties"].as_object() {
        for key in keys(document) {
            assert!(described.contains_key(key), "{file}: {key} is not described");
        }
    }
    // A schema that would take anything proves nothing.
    let mut broken = document.clone();
    broken["paravent"] = 7.into();
    assert!(!conform::problems(schema, &broken).is_empty(), "{file}");
}

/// Manifest and transformation of a release.
#[track_caller]
fn frame(place: &Place, release: &str) {
    conforms(place, "manifest", &format!("{release}/manifest.json"));
    conforms(place, "transform", &format!("{release}.private/transform.json"));
}

fn register(place: &Place) {
    let schema = place.run(&["schema", "register"]).expect(0).json();
    for line in place.read("paravent-register.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(conform::problems(&schema, &line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn releases_of_all_recodings_are_as_their_schemas_say() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    conforms(&place, "external", "release/report.json");
    conforms(&place, "report", "release.private/report.json");
    frame(&place, "release");
    register(&place);

    let about = "[about]\ntitle = \"Stays\"\npurpose = \"A study\"\n";
    let other = JOB
        .replace("[input]", &format!("{about}\n[input]"))
        .replace(
            "[output]\n",
            "[search]\nrecoding = \"local\"\nmetric = \"loss\"\n\n[output]\nsuppressed = \"star\"\n",
        )
        .replace("[privacy]\n", "[privacy]\nperson = [\"name\"]\n");
    let local = Place::with(&other, patients());
    local.anonymize(&[]).expect(0);
    conforms(&local, "external", "release/report.json");
    conforms(&local, "report", "release.private/report.json");
    frame(&local, "release");
    register(&local);
}

#[test]
fn sliced_and_noisy_releases_are_as_their_schemas_say() {
    let place = Place::with(NOISY_JOB, patients());
    released(&place, &[]).expect(0);
    for folder in ["noisy", "noisy.private"] {
        conforms(&place, "noise", &format!("{folder}/report.json"));
    }
    frame(&place, "noisy");
    let slice =
        ["slice", "patients.csv", "--groups", "sex;diagnosis", "--bucket", "20", "--release", "sliced"];
    place.run(&slice).expect(0);
    for folder in ["sliced", "sliced.private"] {
        conforms(&place, "slice", &format!("{folder}/report.json"));
    }
    frame(&place, "sliced");
    register(&place);
}

#[cfg(feature = "sql")]
#[test]
fn released_answers_are_as_their_schema_says() {
    let place = Place::new();
    let statement = "SELECT age, sex, zip, diagnosis FROM generalize(patients, k => 3)";
    place.run(&["sql", statement, "--job", "paravent.toml", "--release", "answer"]).expect(0);
    for folder in ["answer", "answer.private"] {
        conforms(&place, "sql", &format!("{folder}/report.json"));
    }
    frame(&place, "answer");
    register(&place);
}

/// A joint release in `folder`, and the records of parties that took part.
pub(super) fn joint(place: &Place, folder: &str, others: &[String]) {
    for version in ["release", "release.private"] {
        conforms(place, "joint", &format!("{folder}/{version}/report.json"));
    }
    frame(place, &format!("{folder}/release"));
    for other in others {
        let records = super::support::names(&place.path(other));
        for record in records.iter().filter(|name| name.contains(".joint-")) {
            let file = Path::new(other).join(record).join("report.json");
            conforms(place, "participation", file.to_str().unwrap());
        }
    }
}
