use super::*;
use paravent_job::{Job, Role};
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use std::fs;
use std::path::Path;

const JOB: &str = r#"version = 1
input.path = "people.csv"
attributes = [
  { name = "name", role = "identifying" },
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10], min = 0, max = 100 } } },
  { name = "zip", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } },
  { name = "illness", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 2 }]
output = { path = "release", FORMAT }
"#;

const PEOPLE: &str = "name,age,zip,illness\nAda,031,12,flu\nBob,32,12,\nCem,33,13,=1\nDora,34,13,flu\n";

fn release(format: &str) -> (tempfile::TempDir, ReleaseTable) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    fs::write(folder.path().join("job.toml"), JOB.replace("FORMAT", format)).unwrap();
    anonymize(&folder.path().join("job.toml"), &RunOptions::default(), &Unwatched).unwrap();
    let release = load_release(&folder.path().join("release"), &Unwatched).unwrap();
    (folder, release)
}

fn cells(table: &RoledTable, name: &str) -> Vec<Option<String>> {
    let column = &table.data.columns()[table.data.place(name).unwrap()];
    column.codes().iter().map(|&code| column.cell(code).map(str::to_owned)).collect()
}

#[test]
fn a_release_is_read_back_in_every_format() {
    let csv = release("format = \"csv\", spreadsheet_safe = true").1;
    assert_eq!(
        (csv.table.quasi_identifiers.len(), csv.table.sensitive.len(), csv.table.data.rows()),
        (2, 1, 4)
    );
    let mut illnesses = cells(&csv.table, "illness");
    illnesses.sort();
    assert_eq!(illnesses, [None, Some("=1".into()), Some("flu".into()), Some("flu".into())]);
    assert_eq!((csv.facts.k(), csv.facts.input_rows, csv.facts.suppressed_rows), (Some(2), 4, 0));
    assert_eq!(csv.facts.dropped, ["name"]);
    for format in ["format = \"parquet\"", "format = \"arrow\""] {
        let other = release(format).1;
        for name in ["age", "zip", "illness"] {
            assert_eq!(cells(&other.table, name), cells(&csv.table, name), "{format}, {name}");
        }
    }
}

#[test]
fn raw_values_find_their_released_label() {
    let (_folder, release) = release("format = \"csv\"");
    let place = release.table.data.place("age").unwrap();
    let age =
        &release.generalizations[release.table.quasi_identifiers.iter().position(|&p| p == place).unwrap()];
    let labels = release.table.data.columns()[place].labels();
    for raw in ["31", "031", "34"] {
        assert!(labels.contains(&age.label_of(Some(raw)).unwrap().unwrap()));
    }
    assert!(age.label_of(Some("young")).is_err());
    assert_eq!(age.values_behind([Some("31"), Some("32"), Some("x")]).len(), 1);
}

#[test]
fn a_raw_table_has_the_roles_of_its_job() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    fs::write(&path, PEOPLE).unwrap();
    let job = Job::parse(&JOB.replace(", FORMAT", ""), &folder.path().join("job.toml")).unwrap();
    let table = load_table(&TableSource::AsInJob(&path, &job), &Roles::of_job(&job), &Unwatched).unwrap();
    assert_eq!(table.data.columns().iter().map(|c| c.name()).collect::<Vec<_>>(), ["age", "zip", "illness"]);
    assert_eq!(cells(&table, "age")[0].as_deref(), Some("31"), "an integer has one spelling");
    assert_eq!(table.data.columns()[2].missing(), Some(0));

    let overridden = Roles::of_job(&job).overridden(&["zip".into()], &[]).unwrap();
    assert_eq!(overridden.names(Role::QuasiIdentifier).collect::<Vec<_>>(), ["zip"]);
    assert_eq!(overridden.names(Role::Sensitive).collect::<Vec<_>>(), ["illness"]);
}

#[test]
fn rows_outside_the_subset_are_the_population() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    fs::write(&path, "age,study\n1,yes\n2,no\n1,no\n").unwrap();
    let mut roles = Roles::of_names(&["age".into()], &[]).unwrap();
    roles.subset = Some("study".into());
    let table = load_table(&TableSource::File(&path), &roles, &Unwatched).unwrap();
    assert_eq!((table.data.rows(), table.data.columns()[0].labels()), (1, &["1".to_owned()][..]));
    assert_eq!(table.population.unwrap().rows(), 3);
}

#[test]
fn what_is_wrong_is_said_without_cells() {
    let folder = tempfile::tempdir().unwrap();
    let message = |result: Result<ReleaseTable, LoadError>| result.err().unwrap().to_string();
    assert!(message(load_release(folder.path(), &Unwatched)).contains("it has no manifest.json"));
    let path = folder.path().join("t.csv");
    fs::write(&path, "Gender,secret\nf,1\n").unwrap();
    let load = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let roles = Roles::of_names(&names, &[])?;
        load_table(&TableSource::File(&path), &roles, &Unwatched)
    };
    let unknown = load(&["gendr"]).unwrap_err().to_string();
    assert!(unknown.contains("did you mean \"Gender\"?") && !unknown.contains("secret"), "{unknown}");
    assert!(matches!(load(&["Gender", "Gender"]), Err(LoadError::TwoRoles { .. })));
    assert!(matches!(
        load_table(&TableSource::File(Path::new("none.csv")), &Roles::default(), &Unwatched),
        Err(LoadError::Scan(_))
    ));
}

#[test]
fn a_manifest_cannot_lead_out_of_its_directory() {
    let (folder, _) = release("format = \"csv\"");
    let path = folder.path().join("release/manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    for file in ["../people.csv", "/etc/passwd", "..", ""] {
        fs::write(&path, manifest.replace("\"data.csv\"", &format!("{file:?}"))).unwrap();
        let error = load_release(&folder.path().join("release"), &Unwatched).unwrap_err();
        assert!(matches!(error, LoadError::Garbled { .. }), "{file}: {error}");
    }
}
