//! The demo as a user finds it.

use sha2::{Digest, Sha256};

use super::*;
use paravent_assess::init::{InitOptions, propose};
use paravent_job::{HierarchySpec, Job, Model, Role};
use paravent_tables::read::{Input, ReadOptions};

#[test]
fn the_bytes_never_change() {
    let digest = hex::encode(Sha256::digest(patients::table(patients::ROWS)));
    assert_eq!(digest, "1fc543adc6fe9ba456e1bd8a8277d6e82cda84fe666b0209e80514e983de38e6");
}

#[test]
fn the_job_is_valid_and_shows_several_builders() {
    let dir = tempfile::tempdir().unwrap();
    let files = write(dir.path()).unwrap();
    assert!(files.all.iter().all(|file| file.is_file()));
    let job = Job::load(&files.job).unwrap();
    assert_eq!(job.with_role(Role::QuasiIdentifier).count(), 5);
    let builders: Vec<&HierarchySpec> =
        job.with_role(Role::QuasiIdentifier).filter_map(|attribute| attribute.hierarchy.as_ref()).collect();
    assert!(matches!(
        builders[..],
        [
            HierarchySpec::Intervals(_),
            HierarchySpec::Redact(_),
            HierarchySpec::Dates(_),
            HierarchySpec::File(_)
        ]
    ));
    assert_eq!(job.privacy.models.len(), 2);
    assert_eq!(job.privacy.models[0], Model::KAnonymity { k: 5 });
    assert_eq!(job.resolve("patients.csv".as_ref()), files.table);
    let header = patients::table(patients::ROWS).lines().next().unwrap().to_owned();
    let names: Vec<&str> = job.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(names.join(","), header);
}

#[test]
fn hierarchies_cover_the_values() {
    let table = patients::table(patients::ROWS);
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let first_cells =
        |text: &'static str| text.lines().map(|line| line.split(';').next().unwrap()).collect::<Vec<_>>();
    let insurers = first_cells(include_str!("files/hierarchies/insurance.csv"));
    let diagnoses = first_cells(include_str!("files/hierarchies/diagnosis.csv"));
    assert!(rows.iter().all(|row| insurers.contains(&row[6]) && diagnoses.contains(&row[7])));
}

#[test]
fn files_of_others_are_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let demo = dir.path().join("new/demo");
    assert_eq!(write(&demo).unwrap(), write(&demo).unwrap());
    fs::write(demo.join("patients.csv"), "mine").unwrap();
    fs::remove_file(demo.join("README.md")).unwrap();
    let error = write(&demo).unwrap_err();
    assert!(matches!(&error, DemoError::Exists { paths } if paths == &[demo.join("patients.csv")]));
    assert!(error.to_string().contains("patients.csv: would be overwritten"));
    assert_eq!(fs::read_to_string(demo.join("patients.csv")).unwrap(), "mine");
    assert!(!demo.join("README.md").exists());
    fs::remove_file(demo.join("patients.csv")).unwrap();
    assert!(write(&demo).is_ok());
}

#[test]
fn init_finds_the_roles_of_the_demo() {
    let input =
        Input::from_bytes(patients::table(patients::ROWS).into_bytes(), ReadOptions::new("patients.csv"));
    let proposal = propose(&input, &InitOptions::default()).unwrap();
    let roles: Vec<Role> = proposal.columns.iter().map(|column| column.role).collect();
    let qi = Role::QuasiIdentifier;
    let expected = [Role::Identifying, Role::Identifying, qi, qi, qi, qi, qi, Role::Sensitive, qi];
    assert_eq!(roles, expected);
}
