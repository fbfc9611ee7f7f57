//! Paths that are not there, not readable, not writable.

use crate::support::{JOB, Place};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

#[test]
fn missing_files_are_named() {
    let place = Place::new();
    place.run(&["anonymize", "nowhere.toml"]).expect(4).says(&["error: nowhere.toml"]);
    place.anonymize(&["--input", "nowhere.csv"]).expect(4).says(&["nowhere.csv: no such file"]);
    place.run(&["check", "nowhere.csv", "--job", "paravent.toml"]).expect(4).says(&["nowhere.csv"]);
    place.run(&["check", "patients.csv", "--job", "nowhere.toml"]).expect(4).says(&["nowhere.toml"]);
    place.run(&["init", "nowhere.csv", "-o", "new.toml"]).expect(4).says(&["nowhere.csv"]);
    place.run(&["verify", "nowhere"]).expect(4).says(&["nowhere"]);
    place.run(&["hierarchy", "show", "nowhere.csv"]).expect(4).says(&["nowhere.csv"]);
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
}

#[test]
fn a_directory_is_no_table_and_no_job() {
    let place = Place::new();
    fs::create_dir(place.path("dir")).unwrap();
    place.anonymize(&["--input", "dir"]).expect(4).says(&["dir is a directory"]);
    place.run(&["anonymize", "dir"]).expect(4).says(&["dir"]);
    place.run(&["verify", "dir"]).expect(4).says(&["manifest.json"]);
}

#[test]
fn the_parent_of_the_release_must_be_there() {
    let place = Place::with(&JOB.replace("\"release\"", "\"not/there\""), crate::support::patients());
    place.anonymize(&[]).expect(4).says(&["not/there", "create it first"]);
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
}

#[test]
fn files_that_may_not_be_read_are_named() {
    let place = Place::new();
    fs::set_permissions(place.path("patients.csv"), Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(place.path("patients.csv")).is_ok() {
        return; // Nothing is unreadable to an administrator.
    }
    place.anonymize(&[]).expect(4).says(&["patients.csv", "ermission denied"]);
}

#[test]
fn a_folder_that_may_not_be_written_to_is_told() {
    let place = Place::new();
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.path("locked/probe"), "").is_ok() {
        return;
    }
    place.anonymize(&["--output", "locked/release"]).expect(4).says(&["locked"]);
}

#[test]
fn paths_are_relative_to_the_job_file() {
    let place = Place::new();
    fs::create_dir(place.path("study")).unwrap();
    fs::rename(place.path("paravent.toml"), place.path("study/job.toml")).unwrap();
    fs::rename(place.path("patients.csv"), place.path("study/patients.csv")).unwrap();
    let run = place.run(&["anonymize", "study/job.toml"]).expect(0);
    assert!(run.out.contains("study/release"));
    place.run(&["verify", "study/release"]).expect(0);
}
