use super::*;
use crate::slice::{CodedTable, Destination};
use paravent_job::Job;
use paravent_tables::read::{Input, ReadOptions};
use paravent_tables::write::Replace;
use serde_json::json;
use std::fs;
use std::path::Path;

const JOB: &str = r#"
version = 1
input.path = "people.csv"
attributes = [
  { name = "name", role = "identifying" },
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10], min = 0, max = 100 } } },
  { name = "illness", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 2 }]
"#;

fn answer(ages: &[&str]) -> ReleasedAnswer {
    let column = |name: &str, shown, cells: Vec<&str>| AnswerColumn {
        name: name.to_owned(),
        shown,
        cells: cells.into_iter().map(|cell| Some(cell.to_owned())).collect(),
    };
    let illness: Vec<&str> = (0..ages.len()).map(|row| ["flu", "gout"][row % 2]).collect();
    ReleasedAnswer {
        columns: vec![
            column("age", ShownCells::Generalized, ages.to_vec()),
            column("illness", ShownCells::AsItIs, illness),
        ],
        promises: vec![AnswerPromise {
            quasi_identifiers: vec!["age".to_owned()],
            models: vec![
                ("k-anonymity".to_owned(), json!({ "k": 2 })),
                ("distinct-l-diversity".to_owned(), json!({ "attribute": "illness", "l": 2 })),
            ],
        }],
        operators: vec!["generalize".to_owned()],
        promised: vec!["k = 2 over age".to_owned()],
        notes: vec![],
        seeded: false,
        grouped: None,
        private: PrivateAnswer { statement: "SELECT 'secret'".to_owned(), figures: Default::default() },
    }
}

fn write(folder: &Path, answer: &ReleasedAnswer) -> Result<Value, crate::slice::SliceError> {
    let text = "name,age,illness\na,31,flu\nb,32,gout\nc,41,flu\nd,42,gout\n";
    let table = CodedTable::read(&Input::from_bytes(text, ReadOptions::new("people.csv"))).unwrap();
    let job = Job::parse(JOB, "paravent.toml".as_ref()).unwrap();
    let to = Destination {
        sign: None,
        target: folder.join("release"),
        replace: Replace::Refuse,
        register: Some(folder.to_owned()),
        job: Some(("paravent.toml".to_owned(), "0".to_owned())),
    };
    write_answer(&table, answer, &job, &to)
}

#[test]
fn an_answer_becomes_two_folders_a_line_and_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let document = write(folder.path(), &answer(&["40-49", "30-39", "30-39", "40-49"])).unwrap();
    assert_eq!(document["register"]["sequence"], 1);
    let release = folder.path().join("release");
    let verification = paravent_verify::verify(&release).unwrap();
    assert!(verification.holds());
    let names: Vec<&str> = verification.checks.iter().map(|check| check.name.as_str()).collect();
    assert!(names.contains(&"k-anonymity") && names.contains(&"distinct-l-diversity"), "{names:?}");
    for name in ["manifest.json", "report.json", "report.html", "data.csv"] {
        let text = fs::read_to_string(release.join(name)).unwrap();
        assert!(!text.contains("secret"), "{name} has the statement");
    }
    let kept = fs::read_to_string(folder.path().join("release.private/report.json")).unwrap();
    assert!(kept.contains("SELECT 'secret'"));
}

#[test]
fn a_promise_that_the_rows_break_is_not_released() {
    let folder = tempfile::tempdir().unwrap();
    for ages in [&["30-39", "30-39", "30-39", "40-49"][..], &["30-39", "40-49", "30-39", "40-49"]] {
        let error = write(folder.path(), &answer(ages)).unwrap_err();
        assert!(matches!(error, crate::slice::SliceError::Refuted(_)), "{error}");
        assert!(!folder.path().join("release").exists());
    }
}

#[test]
fn what_cannot_be_a_release_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ages = ["30-39", "30-39"];
    let without = ReleasedAnswer { operators: vec![], ..answer(&ages) };
    assert!(write(folder.path(), &without).unwrap_err().to_string().contains("none of generalize"));
    assert!(write(folder.path(), &answer(&[])).unwrap_err().to_string().contains("no rows"));
    let mut twice = answer(&ages);
    twice.columns[1].name = "age".to_owned();
    assert!(write(folder.path(), &twice).unwrap_err().to_string().contains("two columns"));
}

#[test]
fn edits_of_the_files_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &answer(&["40-49", "30-39", "30-39", "40-49"])).unwrap();
    let release = folder.path().join("release");
    let (data, manifest) = (release.join("data.csv"), release.join("manifest.json"));
    let (rows, said) = (fs::read_to_string(&data).unwrap(), fs::read_to_string(&manifest).unwrap());
    for (file, text) in [
        (&data, rows.replacen("30-39", "40-49", 1)),
        (&data, rows.replace("illness", "name")),
        (&manifest, said.replace("\"k\": 2", "\"k\": 3")),
        (&manifest, said.replace("\"l\": 2", "\"l\": 3")),
        (&manifest, said.replace("\"generalized\"", "\"as it is\"")),
        (&manifest, said.replace("\"rows\": 4", "\"rows\": 5")),
        (&manifest, said.replace("\"order\": \"canonical\"", "\"order\": \"shuffled sometimes\"")),
    ] {
        fs::write(file, text).unwrap();
        let seen = paravent_verify::verify(&release).map_or(true, |verification| !verification.holds());
        assert!(seen, "an edit of {} passed", file.display());
        fs::write(&data, &rows).unwrap();
        fs::write(&manifest, &said).unwrap();
    }
    fs::write(release.join("more.txt"), "x").unwrap();
    assert!(!paravent_verify::verify(&release).unwrap().holds());
}

#[test]
fn a_column_that_names_people_is_not_released_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let ages: Vec<&str> = (0..40).map(|row| ["30-39", "40-49"][row / 2 % 2]).collect();
    let with = |name: &str, cell: fn(usize) -> String| {
        let mut answer = answer(&ages);
        let cells = (0..40).map(|row| Some(cell(row))).collect();
        answer.columns.push(AnswerColumn { name: name.to_owned(), shown: ShownCells::AsItIs, cells });
        answer
    };
    for shown in [ShownCells::AsItIs, ShownCells::Sliced, ShownCells::Redrawn] {
        let mut named = with("x", |row| format!("p{row}@example.org"));
        named.columns[2].shown = shown;
        let error = write(folder.path(), &named).unwrap_err();
        assert!(error.to_string().contains("its cells look like e-mail addresses"), "{error}");
        assert!(!folder.path().join("release").exists());
    }
    // Exact values are told with the figure.
    let document = write(folder.path(), &with("level", |row| format!("{}.5", 100 + 7 * row))).unwrap();
    assert_eq!(document["unchanged"]["singled_out"], 40);
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("40 of 40 people (100.0 %) are singled out"), "{warnings}");
    assert_eq!(document["verdict"]["light"], "yellow");
    for folder in ["release", "release.private"].map(|name| folder.path().join(name)) {
        let page = fs::read_to_string(folder.join("report.html")).unwrap();
        assert!(page.contains("and yet singles people out") && page.contains("40 of 40 people (100.0 %)"));
    }
}
