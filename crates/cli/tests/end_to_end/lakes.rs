//! Tables in many files: a folder, or a pattern.

use crate::support::{JOB, Place, patients};
use std::fs;

/// The table of the job in files of 13 rows each.
fn split(place: &Place, folder: &str) {
    let text = patients();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let lines: Vec<&str> = lines.collect();
    fs::create_dir(place.path(folder)).unwrap();
    for (number, rows) in lines.chunks(13).enumerate() {
        place.write(&format!("{folder}/part-{number}.csv"), format!("{header}\n{}\n", rows.join("\n")));
    }
    place.write(&format!("{folder}/_SUCCESS"), "");
}

/// Everything of the manifest that is about the release, not about when and from where.
fn manifest(place: &Place, release: &str) -> serde_json::Value {
    let mut manifest: serde_json::Value =
        serde_json::from_str(&place.read(&format!("{release}/manifest.json"))).unwrap();
    manifest["reports"] = serde_json::Value::Null;
    manifest
}

#[test]
fn a_folder_and_a_pattern_give_the_release_of_the_one_file() {
    let place = Place::new();
    split(&place, "lake");
    place.anonymize(&[]).expect(0);
    for (name, path) in [("folder", "lake"), ("pattern", "lake/part-?.csv"), ("deep", "**/part-*.csv")] {
        let job = JOB.replace("patients.csv", path).replace("\"release\"", &format!("\"{name}\""));
        place.write("lake.toml", job);
        place.run(&["anonymize", "lake.toml", "--set", "search.threads=3"]).expect(0);
        assert_eq!(place.bytes(&format!("{name}/data.csv")), place.bytes("release/data.csv"), "{path}");
        assert_eq!(manifest(&place, name), manifest(&place, "release"), "{path}");
        place.run(&["verify", name]).expect(0);
    }
    // The order of the input is that of the files' names.
    let ordered = |input: &str, name: &str| {
        let job = JOB.replace("patients.csv", input);
        let job = job.replace("path = \"release\"", &format!("path = \"{name}\"\norder = \"input\""));
        place.write("ordered.toml", job);
        place.run(&["anonymize", "ordered.toml"]).expect(0);
        place.bytes(&format!("{name}/data.csv"))
    };
    assert_eq!(ordered("patients.csv", "ordered-file"), ordered("lake", "ordered-lake"));
    place.run(&["check", "lake", "--job", "paravent.toml"]).expect(1);
    // A folder would be a release here.
    place.run(&["risk", "lake/*.csv", "--job", "paravent.toml"]).expect(0);
    let told = place.run(&["init", "lake", "-o", "new.toml"]).expect(0);
    assert!(told.out.contains("diagnosis"), "{}", told.out);
}

#[test]
fn a_file_that_does_not_belong_to_the_table_ends_the_run() {
    let place = Place::new();
    split(&place, "lake");
    place.write("lake/part-9.csv", "name,age\nsecret,3\n");
    place.write("lake.toml", JOB.replace("patients.csv", "lake"));
    let run = place.run(&["anonymize", "lake.toml"]).expect(4);
    assert!(
        run.err.contains("part-9.csv has other columns than") && !run.err.contains("secret"),
        "{}",
        run.err
    );
    assert!(!place.path("release").exists());
    place.write("lake/part-9.csv", "name,age,sex,zip,diagnosis\nx,old,f,81667,flu\n");
    place.run(&["anonymize", "lake.toml"]).expect(2).says(&["part-9.csv:2: column age"]);
    assert!(!place.path("release").exists());
}

#[test]
fn a_made_up_table_is_written_and_anonymized() {
    let place = Place::new();
    let shape = "adult,rows=2500,seed=2";
    let told = place.run(&["bench", "--generate", shape, "--write", "large", "--json"]).expect(0).json();
    assert_eq!((&told["rows"], &told["files"]), (&2500.into(), &1.into()));
    place.run(&["anonymize", "large/paravent.toml"]).expect(0);
    place.run(&["verify", "large/release"]).expect(0);
    place.run(&["bench", "--generate", shape, "--write", "large"]).expect(4);
    place.run(&["bench", "--write", "other"]).expect(2);
}
