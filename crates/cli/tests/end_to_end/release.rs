//! The happy path of `anonymize`.

use crate::support::{JOB, Place, keys, names, patients};

#[test]
fn a_release_is_complete_and_verified() {
    let place = Place::new();
    let run = place.anonymize(&[]).expect(0);
    assert_eq!(run.err, "", "no progress in a pipe");
    let told = [
        "60 read",
        "Suppressed",
        "at most 6 allowed",
        "smallest",
        "k-anonymity",
        "→",
        "level",
        "optimal",
        "independent checker",
    ];
    for told in told {
        assert!(run.out.contains(told), "{told:?} is not in {}", run.out);
    }
    assert!(!run.out.contains('\u{1b}'), "no colour in a pipe");
    let files = names(&place.path("release"));
    assert_eq!(files, ["data.csv", "manifest.json", "report.html", "report.json"]);
    assert_eq!(names(&place.path("release.private")), ["report.html", "report.json", "transform.json"]);
    assert_eq!(
        place.names(),
        ["paravent-register.jsonl", "paravent.toml", "patients.csv", "release", "release.private"],
        "nothing else is left"
    );
    let data = place.read("release/data.csv");
    assert!(data.starts_with("age,sex,zip,diagnosis\n"), "identifiers are gone, columns keep their order");
    assert!(!data.contains("person"));
    let verified = place.run(&["verify", "release"]).expect(0);
    assert!(verified.out.contains("Every promise holds"));
}

#[test]
fn the_document_has_the_fields_of_the_contract_in_order() {
    let place = Place::new();
    let run = place.anonymize(&["--json"]).expect(0);
    assert_eq!(run.err, "");
    let document = run.json();
    let top = ["paravent", "job_sha256", "input", "lattice", "search", "solution", "privacy", "output"];
    assert_eq!(keys(&document)[..8], top);
    assert_eq!(keys(&document["input"]), ["rows", "distinct_tuples", "seconds", "sha256"]);
    assert_eq!(keys(&document["lattice"]), ["nodes", "levels"]);
    let search = ["algorithm", "case", "optimal", "checks", "rollups", "threads", "seconds", "peak_bytes"];
    assert_eq!(keys(&document["search"])[..8], search);
    let solution = [
        "transformation",
        "metric",
        "loss",
        "losses",
        "suppressed_rows",
        "classes",
        "smallest_class",
        "average_class",
        "labels",
    ];
    assert_eq!(keys(&document["solution"]), solution);
    assert_eq!(keys(&document["solution"]["transformation"]), ["age", "sex", "zip"]);
    assert_eq!(keys(&document["privacy"][0]), ["model", "required", "achieved", "holds"]);
    assert_eq!(keys(&document["output"]), ["path", "rows", "sha256", "verified", "seconds"]);
    assert_eq!(document["output"]["path"], "release/data.csv");
    assert_eq!(document["output"]["verified"], true);
    assert_eq!(document["privacy"][0]["required"]["k"], 3);
    assert!(document["privacy"][0]["achieved"]["k"].as_u64() >= Some(3));
    assert_eq!(place.json("release.private/report.json"), document, "report.json is the same document");
    let rows = document["output"]["rows"].as_u64().unwrap();
    assert_eq!(place.read("release/data.csv").lines().count() as u64, rows + 1);
    assert_eq!(rows + document["solution"]["suppressed_rows"].as_u64().unwrap(), 60);
}

#[test]
fn a_release_is_not_overwritten_unless_forced() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let before = place.bytes("release/data.csv");
    place.write("paravent.toml", JOB.replace("k = 3", "k = 9"));
    place.anonymize(&[]).expect(4).says(&["release", "--force"]);
    assert_eq!(place.bytes("release/data.csv"), before);
    let refused = place.anonymize(&["--json"]).expect(4);
    assert_eq!(refused.err, "");
    assert_eq!(refused.json()["error"]["kind"], "input-output");
    // Whoever has both learns more than was promised; it is made all the same.
    place.anonymize(&["--force"]).expect(6);
    assert_ne!(place.bytes("release/data.csv"), before);
    assert_eq!(place.json("release/manifest.json")["privacy"][0]["required"]["k"], 9);
    place.run(&["verify", "release"]).expect(0);
    let all = ["paravent-register.jsonl", "paravent.toml", "patients.csv", "release", "release.private"];
    assert_eq!(place.names(), all);
}

#[test]
fn what_is_not_a_release_is_never_replaced() {
    let place = Place::new();
    std::fs::create_dir(place.path("release")).unwrap();
    place.write("release/thesis.tex", "years of work");
    place.anonymize(&["--force"]).expect(4).says(&["not a release"]);
    assert_eq!(place.read("release/thesis.tex"), "years of work");
    place.write("file", "mine");
    place.anonymize(&["--force", "--output", "file"]).expect(4).says(&["is a file"]);
    assert_eq!(place.read("file"), "mine");
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new();
    let run = place.anonymize(&["--dry-run"]).expect(0);
    assert!(run.out.contains("nothing was written"));
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
    let dry = place.anonymize(&["--dry-run", "--json"]).expect(0).json();
    assert!(dry.get("output").is_none());
    assert!(dry["alternatives"].is_array());
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
    let wet = place.anonymize(&["--json"]).expect(0).json();
    for section in ["paravent", "job_sha256", "lattice", "privacy"] {
        assert_eq!(dry[section], wet[section], "{section}");
    }
    assert_eq!(dry["solution"], wet["solution"]);
    place.anonymize(&["--dry-run"]).expect(0);
}

#[test]
fn quiet_says_nothing_but_a_document_that_was_asked_for() {
    let place = Place::new();
    let run = place.anonymize(&["--quiet"]).expect(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    let run = place.anonymize(&["--quiet", "--json", "--force"]).expect(0);
    assert_eq!(run.json()["output"]["verified"], true);
    let refused = place.anonymize(&["--quiet"]).expect(4);
    assert!(refused.err.contains("--force"), "errors are told all the same");
}

#[test]
fn input_and_output_can_be_named_beside_the_job() {
    let place = Place::new();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    std::fs::rename(place.path("patients.csv"), place.path("elsewhere/p.csv")).unwrap();
    place.anonymize(&["--input", "elsewhere/p.csv", "--output", "elsewhere/out"]).expect(0);
    place.run(&["verify", "elsewhere/out"]).expect(0);
    let piped =
        place.run_with(&["anonymize", "paravent.toml", "--input", "-"], patients().as_bytes()).expect(0);
    assert!(piped.out.contains("60 read"));
    place.run(&["verify", "release"]).expect(0);
    assert_eq!(place.bytes("release/data.csv"), place.bytes("elsewhere/out/data.csv"));
    place.write("paravent.toml", JOB.replace("patients.csv", "-"));
    place.run_with(&["anonymize", "paravent.toml", "--force"], patients().as_bytes()).expect(0);
    assert_eq!(place.bytes("release/data.csv"), place.bytes("elsewhere/out/data.csv"));
}

#[test]
fn a_transformation_is_applied_to_new_rows() {
    let place = Place::with(&JOB.replace("suppression_limit = 0.1", "suppression_limit = 0.3"), patients());
    place.anonymize(&[]).expect(0);
    let mut new = patients().replace("person", "guest");
    new.push_str("late guest,24,f,81660,flu\n");
    place.write("new.csv", new);
    let args = ["--apply", "release", "--input", "new.csv", "--output", "later", "--json"];
    let document = place.anonymize(&args).expect(0).json();
    let first = place.json("release.private/report.json");
    assert_eq!(document["solution"]["transformation"], first["solution"]["transformation"]);
    assert_eq!(document["input"]["rows"], 61);
    place.run(&["verify", "later"]).expect(0);
    for apply in ["release", "release.private", "release.private/transform.json"] {
        place.anonymize(&["--apply", apply, "--dry-run"]).expect(0);
    }
    std::fs::rename(place.path("later"), place.path("alone")).unwrap();
    place.anonymize(&["--apply", "alone", "--dry-run"]).expect(4).says(&["alone.private", "private folder"]);
    place.anonymize(&["--apply", "nowhere"]).expect(4).says(&["nowhere"]);
    place.write("broken.json", "{}");
    place.anonymize(&["--apply", "broken.json", "--dry-run"]).expect(4).says(&["broken.json"]);
}

#[test]
fn a_transformation_that_does_not_suit_new_rows_is_not_bent() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let scattered: String = (0..30).map(|i| format!("guest {i},{},f,9{i:02}00,flu\n", 20 + i)).collect();
    place.write("new.csv", format!("name,age,sex,zip,diagnosis\n{scattered}"));
    let args = ["--apply", "release", "--input", "new.csv", "--output", "later", "--json"];
    let relaxations = place.anonymize(&args).expect(3).json()["relaxations"].to_string();
    assert!(!relaxations.contains("max_level"), "levels are those of the transformation: {relaxations}");
}
