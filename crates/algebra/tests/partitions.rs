//! Rows are counted on all cores, and no answer tells how many there were.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::session::Session;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const JOB: &str = r#"
version = 1
input.path = "patients.csv"
attributes = [
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } } },
  { name = "sex", role = "quasi-identifier", hierarchy = { order = [["f", "m"]] } },
  { name = "zip", role = "quasi-identifier", type = "string", hierarchy = { redact = { from = "right" } } },
  { name = "diagnosis", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 3 }]
privacy.budget = { epsilon = "50", delta = "1e-6" }
"#;

/// More rows than a batch, with missing cells.
fn patients(seed: u64) -> String {
    let mut text = String::from("age,sex,zip,diagnosis\n");
    let mut state = seed;
    let mut roll = |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    for _ in 0..20_000 {
        let age = if roll(50) == 0 { String::new() } else { (roll(60) + roll(20)).to_string() };
        let (sex, zip, diagnosis) = (["f", "m"][roll(2) as usize], 81_600 + roll(70), roll(4));
        writeln!(text, "{age},{sex},{zip},d{diagnosis}").unwrap();
    }
    text
}

const STATEMENTS: [&str; 7] = [
    "SELECT * FROM generalize(patients, k => 4)",
    "SELECT * FROM generalize(patients, k => 30, suppression => 0.05)",
    "SELECT * FROM generalize((SELECT * FROM patients WHERE age > 20 UNION ALL SELECT * FROM patients WHERE age <= 20), k => 20)",
    "SELECT * FROM generalize((SELECT DISTINCT age, sex, zip, diagnosis FROM patients), k => 5, suppression => 0.1)",
    // Aggregates below: counted in one piece.
    "SELECT * FROM generalize((SELECT age, sex, min(zip) AS zip, min(diagnosis) AS diagnosis FROM patients GROUP BY age, sex), quasi => (age, sex, zip), k => 2)",
    "SELECT * FROM randomize((SELECT sex, diagnosis FROM patients), columns => ((sex, 0.5), (diagnosis, 0.2)))",
    "SELECT * FROM slice((SELECT sex, zip, diagnosis FROM patients), groups => ((sex, zip), (diagnosis)), bucket => 100, allow_identifying => true)",
];

fn answers(folder: &Path, partitions: usize) -> Vec<Result<String, String>> {
    let mut session = Session::new(Catalog::load(&folder.join("paravent.toml")).unwrap()).unwrap();
    session.set_partitions(partitions);
    session.register_file(None, &folder.join("patients.csv")).unwrap();
    session.run("SET paravent.seed = 5").unwrap();
    let run = |sql: &&str| match session.run(sql) {
        Ok(answer) => Ok(format!("{:?} {:?}", answer.batches, answer.accounts)),
        Err(error) => Err(error.to_string()),
    };
    STATEMENTS.iter().map(run).collect()
}

#[test]
fn cells_are_the_same_whatever_the_number_of_partitions() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("paravent.toml"), JOB).unwrap();
    fs::write(folder.path().join("patients.csv"), patients(20)).unwrap();
    let (one, many) = (answers(folder.path(), 1), answers(folder.path(), 3));
    let refused: Vec<_> = one.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(refused.is_empty(), "{refused:?}");
    for ((one, many), sql) in one.iter().zip(&many).zip(STATEMENTS) {
        assert!(one == many, "{sql} on three partitions");
    }
}
