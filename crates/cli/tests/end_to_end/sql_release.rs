//! `sql --release`: what leaves SQL is a release.

use super::support::{Outcome, Place, names};
use std::fs;

const GENERALIZED: &str = "SELECT age, sex, zip, diagnosis FROM generalize(patients, k => 3)";

trait Shows {
    fn shows(self, text: &str);
}

impl Shows for Outcome {
    fn shows(self, text: &str) {
        assert!(self.out.contains(text), "{text:?} is not in: {}", self.out);
    }
}

fn release(place: &Place, statement: &str, more: &[&str]) -> Outcome {
    place.run(&[&["sql", statement, "--job", "paravent.toml", "--release", "answer"], more].concat())
}

#[test]
fn an_answer_is_released_verified_and_registered() {
    let place = Place::new();
    release(&place, GENERALIZED, &[]).expect(0).shows("a released answer of 60 rows, verified");
    assert_eq!(names(&place.path("answer")), ["data.csv", "manifest.json", "report.html", "report.json"]);
    let private = place.path("answer.private");
    assert_eq!(names(&private), ["report.html", "report.json", "transform.json"]);
    let kept = fs::read_to_string(private.join("report.json")).unwrap();
    assert!(kept.contains("smallest_class") && kept.contains("SELECT age"), "{kept}");
    for name in ["manifest.json", "report.json"] {
        let text = place.read(&format!("answer/{name}"));
        assert!(!text.contains("SELECT") && !text.contains("smallest_class"), "{name}: {text}");
    }
    place.run(&["verify", "answer"]).expect(0).shows("k-anonymity");
    place.run(&["register", "list"]).expect(0).shows("answer");
    place.run(&["register", "verify"]).expect(0);
    // It is not written over, and the same people are recognised.
    release(&place, GENERALIZED, &[]).expect(4).says(&["answer"]);
    release(&place, GENERALIZED, &["--force"]).expect(0).shows("released before");
}

#[test]
fn an_edited_answer_is_not_what_it_says() {
    let place = Place::new();
    release(&place, GENERALIZED, &["--no-register"]).expect(0);
    let manifest = place.read("answer/manifest.json");
    place.write("answer/manifest.json", manifest.replace("\"k\": 3", "\"k\": 30"));
    place.run(&["verify", "answer"]).expect(1).shows("promised are 30");
    place.write("answer/manifest.json", manifest);
    let data = place.read("answer/data.csv");
    let without_last: Vec<&str> = data.lines().take(60).collect();
    place.write("answer/data.csv", without_last.join("\n") + "\n");
    place.run(&["verify", "answer"]).expect(1);
}

#[test]
fn what_promises_nothing_is_not_released() {
    let place = Place::new();
    for (statement, why) in [
        ("SELECT diagnosis FROM patients", "none of generalize"),
        ("SELECT age, diagnosis FROM patients", "stays exact"),
        ("SELECT age, sex, zip FROM generalize(patients, k => 3) WHERE diagnosis = 'x' AND 1 = 2", "no rows"),
        ("SELECT age AS a, sex AS a FROM generalize(patients, k => 3)", ""),
        ("SELECT age || diagnosis AS a, sex FROM generalize(patients, k => 3)", "select them apart"),
        ("SELECT 1 AS one", "own table"),
    ] {
        release(&place, statement, &[]).expect(2).says(&[why]);
        assert!(
            !place.names().iter().any(|name| name.starts_with("answer")),
            "{statement}: {:?}",
            place.names()
        );
    }
    place
        .run(&["sql", GENERALIZED, "--file", "patients.csv", "--release", "answer"])
        .expect(2)
        .says(&["--job"]);
    // Rows that are picked afterwards keep the promise, or there is no release.
    release(&place, "SELECT age, sex, zip FROM generalize(patients, k => 3) ORDER BY diagnosis LIMIT 1", &[])
        .expect(1);
    assert!(!place.names().iter().any(|name| name.starts_with("answer")));
}

#[test]
fn slices_and_noise_are_released_with_what_cannot_be_checked() {
    let place = Place::new();
    let job = place.read("paravent.toml").replace("[privacy]\n", "[privacy]\nbudget = { epsilon = 100 }\n");
    place.write("paravent.toml", job);
    release(
        &place,
        "SELECT * FROM slice(patients, groups => ((age), (sex), (zip), (diagnosis)), bucket => 20, seconds => 1)",
        &[],
    )
    .expect(2);
    let sliced = "SELECT * FROM slice(patients, groups => ((age), (sex), (zip), (diagnosis)), bucket => 20)";
    release(&place, sliced, &[]).expect(0).shows("sliced: groups");
    place.run(&["verify", "answer"]).expect(0).shows("buckets of the slicing");
    let noisy = "SELECT * FROM randomize((SELECT sex, diagnosis FROM patients), columns => ((sex, 0.5, uniform('f', 'm'))))";
    release(&place, noisy, &["--force"]).expect(0).shows("redrawn: sex with probability 0.5");
    place.run(&["verify", "answer"]).expect(0).shows("noise");
    let figures =
        "SELECT * FROM private(patients, by => (sex), keys => ('f', 'm'), count => true, epsilon => 1)";
    release(&place, figures, &["--force"]).expect(0).shows("noisy figures: ε = 1");
    assert!(!place.read("answer/report.json").contains("left"), "the state of the budget is not handed out");
}

#[test]
fn a_released_answer_is_signed_and_the_signature_covers_every_file() {
    let place = Place::new();
    place.run(&["keygen", "mine.key"]).expect(0);
    place.run(&["keygen", "other.key"]).expect(0);
    release(&place, GENERALIZED, &["--sign", "absent.key"]).expect(4);
    release(&place, GENERALIZED, &["--sign", "mine.key"]).expect(0);
    place.run(&["verify", "answer", "--key", "mine.key.pub"]).expect(0).shows("signed with the key");
    place.run(&["verify", "answer", "--key", "other.key.pub"]).expect(1);
    for file in ["answer/manifest.json", "answer/report.json", "answer/report.html", "answer/data.csv"] {
        let text = place.read(file);
        place.write(file, text.replacen("3", "4", 1));
        let code = place.run(&["verify", "answer", "--key", "mine.key.pub"]).code;
        assert!(matches!(code, Some(1 | 4)), "{file} was changed: {code:?}");
        place.write(file, text);
    }
    for command in ["attack", "risk"] {
        let told = place.run(&[command, "answer"]).expect(2);
        told.says(&["a released answer of a query", "--quasi-identifiers age,sex,zip"]);
    }
    // Not signed: whoever asks for a signature is told.
    release(&place, GENERALIZED, &["--force"]).expect(0);
    place.run(&["verify", "answer"]).expect(0);
    place.run(&["verify", "answer", "--key", "mine.key.pub"]).expect(1);
}
