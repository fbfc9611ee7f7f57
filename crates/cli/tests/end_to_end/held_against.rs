//! No way around the register: what a release tells together with earlier ones is tried whether or not it gets a line.

use crate::support::{JOB, Place, patients};
use serde_json::Value;
use std::fs;

const FILE: &str = "paravent-register.jsonl";

/// A release is registered, and the job now makes one that breaks a promise together with it.
fn breaking() -> Place {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    place
}

fn light(document: &Value) -> &str {
    document["verdict"]["light"].as_str().unwrap()
}

#[test]
fn a_dry_run_tells_the_verdict_of_the_run() {
    let place = breaking();
    let register = place.read(FILE);
    let dry = place.anonymize(&["--dry-run", "--output", "second", "--json"]).expect(6).json();
    assert_eq!((light(&dry), &dry["held_against"][0]["register"]), ("red", &FILE.into()), "{dry}");
    assert!(dry.get("register").is_none() && dry.get("output").is_none());
    let told = place.anonymize(&["--dry-run", "--output", "second"]).expect(6);
    assert!(told.err.contains("release 1 of the register"), "{}", told.err);
    // Nothing was written.
    assert_eq!(place.read(FILE), register);
    assert!(!place.path("second").exists());
    let run = place.anonymize(&["--output", "second", "--json"]).expect(6).json();
    assert_eq!(light(&run), "red");
    let severities = |earlier: &Value| -> Vec<String> {
        earlier["attacks"].as_array().unwrap().iter().map(|told| told["severity"].to_string()).collect()
    };
    assert_eq!(
        severities(&dry["held_against"][0]["earlier"][0]),
        severities(&run["register"]["earlier"][0]),
        "the same attacks have the same outcomes"
    );
    // The same release again tells nothing new: both are green.
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let again = place.anonymize(&["--dry-run", "--output", "second", "--json"]).expect(0).json();
    assert_eq!(
        (light(&again), &again["held_against"][0]["earlier"][0]["relation"]),
        ("green", &"same-release".into())
    );
}

#[test]
fn a_dry_run_refuses_what_the_run_refuses() {
    let place = breaking();
    let data = place.read("release/data.csv");
    place.write("release/data.csv", data.replacen("flu", "gout", 1));
    place.anonymize(&["--output", "second"]).expect(1);
    place.anonymize(&["--dry-run", "--output", "second"]).expect(1);
}

#[test]
fn standard_output_and_a_job_without_register_do_not_bypass_it() {
    let place = breaking();
    let printed = place.anonymize(&["--output", "-"]).expect(6);
    assert!(
        printed.err.contains("release 1 of the register") && printed.err.contains("no green verdict"),
        "{}",
        printed.err
    );
    assert!(printed.out.starts_with("age,sex,zip,diagnosis"), "{}", printed.out);
    let args = ["--output", "second", "--set", "output.register=false", "--json"];
    let without = place.anonymize(&args).expect(6).json();
    assert_eq!(light(&without), "red", "{without}");
    assert_eq!(without["unregistered"], true);
}

#[test]
fn a_release_without_a_line_is_not_green() {
    let place = Place::with(&JOB.replace("[output]", "[output]\nregister = false"), patients());
    let document = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!((light(&document), &document["unregistered"]), ("yellow", &true.into()), "{document}");
    let reasons = document["verdict"]["reasons"].to_string();
    assert!(reasons.contains("no register has a line of it"), "{reasons}");
    let page = place.read("release.private/report.html");
    assert!(page.contains("class=\"verdict half\"") && page.contains("no register has a line of it"));
    let printed = place.anonymize(&["--output", "-"]).expect(0);
    assert!(printed.err.contains("no green verdict: no register has a line of it"), "{}", printed.err);
    // With a line it is.
    place.write("paravent.toml", JOB);
    let document = place.anonymize(&["--force", "--json"]).expect(0).json();
    assert_eq!(light(&document), "green", "{document}");
    assert!(document.get("unregistered").is_none());
}

#[test]
fn a_register_above_the_folder_of_the_job_is_heard() {
    let place = breaking();
    fs::create_dir(place.path("later")).unwrap();
    let job = place.read("paravent.toml").replace("path = \"patients.csv\"", "path = \"../patients.csv\"");
    place.write("later/paravent.toml", job);
    let document = place.run(&["anonymize", "later/paravent.toml", "--json"]).expect(6).json();
    assert_eq!(
        (light(&document), &document["held_against"][0]["register"]),
        ("red", &"../paravent-register.jsonl".into())
    );
    assert_eq!(document["register"]["sequence"], 1, "and it has a line of its own");
    // Strangers above do not matter.
    let strangers = crate::support::table(90).replace("person ", "stranger ").replace(",8166", ",9155");
    place.write("strangers.csv", strangers);
    let args =
        ["anonymize", "later/paravent.toml", "--input", "strangers.csv", "--output", "others", "--json"];
    let document = place.run(&args).expect(0).json();
    assert_eq!(document["held_against"][0]["earlier"], Value::Array(Vec::new()), "{document}");
}

#[test]
fn the_first_line_says_that_nothing_is_known_of_elsewhere() {
    let place = Place::new();
    let first = place.anonymize(&[]).expect(0);
    assert!(first.out.contains("begins with this release"), "{}", first.out);
    let second = place.anonymize(&["--force"]).expect(0);
    assert!(!second.out.contains("begins with this release"), "{}", second.out);
}

#[test]
fn a_register_that_was_removed_is_missed_by_releases_further_down() {
    let place = Place::new();
    fs::create_dir_all(place.path("out/2023")).unwrap();
    place.anonymize(&["--output", "out/2023/release"]).expect(0);
    let register = place.read(FILE);
    fs::remove_file(place.path(FILE)).unwrap();
    place.anonymize(&["--output", "release"]).expect(1).says(&["was removed"]);
    place.anonymize(&["--output", "release", "--dry-run"]).expect(1).says(&["was removed"]);
    assert!(!place.path("release").exists());
    place.write(FILE, register);
    place.anonymize(&["--output", "release"]).expect(0);
}

#[test]
fn a_copy_of_the_job_in_another_folder_is_held_against_the_register_beside_the_table() {
    let place = breaking();
    let other = Place::with(
        &place
            .read("paravent.toml")
            .replace("patients.csv", &place.path("patients.csv").display().to_string()),
        "",
    );
    let dry = other.anonymize(&["--dry-run", "--json"]).expect(6).json();
    let run = other.anonymize(&["--json"]).expect(6).json();
    for document in [dry, run] {
        assert_eq!(light(&document), "red", "{document}");
        assert!(document["held_against"][0]["register"].as_str().unwrap().ends_with(FILE), "{document}");
    }
}

#[test]
fn a_register_elsewhere_does_not_bypass_the_one_beside_the_job() {
    let place = breaking();
    let elsewhere = ["--output", "second", "--set", "output.register=\"other.jsonl\"", "--json"];
    let dry = place.anonymize(&[&elsewhere[..], &["--dry-run"]].concat()).expect(6).json();
    let run = place.anonymize(&elsewhere).expect(6).json();
    for document in [dry, run] {
        assert_eq!(
            (light(&document), &document["held_against"][0]["register"]),
            ("red", &FILE.into()),
            "{document}"
        );
    }
    assert!(place.path("other.jsonl").exists(), "it has a line of its own");
}

#[test]
fn a_register_that_is_a_link_stays_one_register() {
    let place = breaking();
    fs::create_dir(place.path("shared")).unwrap();
    let before = place.read(FILE).lines().count();
    // The releases of a register are seen from its folder.
    for name in ["release", "release.private"] {
        fs::rename(place.path(name), place.path("shared").join(name)).unwrap();
    }
    fs::rename(place.path(FILE), place.path("shared/all.jsonl")).unwrap();
    std::os::unix::fs::symlink("shared/all.jsonl", place.path(FILE)).unwrap();
    place.anonymize(&["--output", "second"]).expect(6);
    assert!(fs::symlink_metadata(place.path(FILE)).unwrap().is_symlink(), "the link is still one");
    assert_eq!(place.read("shared/all.jsonl").lines().count(), before + 1, "and its file has the line");
    place.run(&["register", "verify"]).expect(0);
    // One that leads nowhere begins there.
    fs::remove_file(place.path(FILE)).unwrap();
    std::os::unix::fs::symlink("shared/new.jsonl", place.path(FILE)).unwrap();
    place.write("strangers.csv", crate::support::table(90).replace("person ", "stranger "));
    place.anonymize(&["--input", "strangers.csv", "--output", "third"]);
    assert!(fs::symlink_metadata(place.path(FILE)).unwrap().is_symlink());
}
