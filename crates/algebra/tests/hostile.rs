//! Statements that mean harm, or nothing: each gives the right answer or one clear error. Nothing panics, and no message shows a cell.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::session::Session;
use proptest::prelude::*;
use std::cell::RefCell;
use std::fs;
use tempfile::TempDir;

const JOB: &str = r#"
version = 1
input.path = "patients.csv"
attributes = [
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } } },
  { name = "sex", role = "quasi-identifier", hierarchy = { order = [["f", "m"]] } },
  { name = "diagnosis", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 3 }]
"#;

/// Twenty people. Texts with `hidden` and numbers with 7315 are in cells only, never in a statement.
fn session() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("age,sex,diagnosis,secret,number\n");
    for i in 0..20 {
        let (sex, diagnosis) = (["f", "m"][i % 2], ["flu", "gout", "asthma"][i % 3]);
        text.push_str(&format!("{},{sex},{diagnosis},hidden{i},7315{i}\n", 20 + i % 4));
    }
    fs::write(folder.path().join("patients.csv"), text).unwrap();
    fs::write(folder.path().join("paravent.toml"), JOB).unwrap();
    let mut session = Session::new(Catalog::load(&folder.path().join("paravent.toml")).unwrap()).unwrap();
    let limit = paravent_noise::budget::Cost::parse("1000000", None).unwrap();
    session.keep_book(paravent_algebra::ledger::Book::in_memory(limit).allowing_unbounded());
    session.register_file(None, &folder.path().join("patients.csv")).unwrap();
    (folder, session)
}

/// What the error says; it may not say this much.
#[track_caller]
fn harmless(sql: &str, error: &AlgebraError) -> String {
    let told = format!("{error} {error:?}");
    assert!(!told.contains("hidden") && !told.contains("7315"), "{sql}: {told}");
    assert!(!matches!(error, AlgebraError::Internal), "{sql}: {told}");
    told
}

#[test]
fn every_harmful_statement_has_one_clear_error() {
    let (_folder, mut session) = session();
    let mut unclear = Vec::new();
    let deep =
        |open: &str, core: &str, close: &str| format!("{}{core}{}", open.repeat(1_000), close.repeat(1_000));
    for (sql, part) in [
        // columns that are not there
        ("SELECT agee FROM generalize(patients, quasi => (age), k => 3)".to_owned(), "agee"),
        ("SELECT * FROM generalize((SELECT agee FROM patients), quasi => (age), k => 3)".to_owned(), "agee"),
        ("SELECT * FROM generalize(patients, quasi => (agee), k => 3)".to_owned(), "did you mean age?"),
        ("SELECT * FROM slice(patients, groups => ((age), (sexx)), bucket => 5)".to_owned(), "sexx"),
        ("SELECT * FROM randomize(patients, columns => (sexx), p => 0.5)".to_owned(), "sexx"),
        // types that do not go together
        (
            "SELECT * FROM generalize((SELECT age, sum(diagnosis) AS s FROM patients GROUP BY age), quasi => (age), k => 1)".to_owned(),
            "sum",
        ),
        ("SELECT * FROM generalize((SELECT age FROM patients WHERE age AND sex), quasi => (age), k => 3)".to_owned(), "AND"),
        ("SELECT * FROM generalize((SELECT age FROM patients WHERE age), quasi => (age), k => 3)".to_owned(), "boolean"),
        ("SELECT * FROM generalize(patients, quasi => (age), k => 'three')".to_owned(), "number is expected"),
        ("SELECT age FROM generalize(patients, quasi => (age), k => 3) WHERE CAST(secret AS INT) > 1".to_owned(), "CAST"),
        // nesting
        (format!("SELECT {}", deep("(", "1", ")")), "nested too deeply"),
        (deep("SELECT * FROM (", "SELECT * FROM patients", ")"), "more than 2000 keywords"),
        (format!("SELECT * FROM {}", deep("generalize(", "patients", ", quasi => (age), k => 3)")), "nested too deeply"),
        (
            format!("SELECT * FROM generalize((SELECT age FROM patients WHERE {}), quasi => (age), k => 3)", deep("NOT (", "true", ")")),
            "nested too deeply",
        ),
        // a mistake that the parser would look at two to the power of thirty times
        (format!("SELECT {}5 5{}", "NOT (".repeat(30), ")".repeat(30)), "nested too deeply"),
        (format!("SELECT {}5 5{}", "CAST (".repeat(30), ")".repeat(30)), "nested too deeply"),
        (format!("SELECT {}5 5{}", "ARRAY[".repeat(30), "]".repeat(30)), "nested too deeply"),
        (format!("SELECT {}5 5{}", "ARRAY[NOT (".repeat(15), ")]".repeat(15)), "nested too deeply"),
        (format!("SELECT {}5 5{}", "INTERVAL x (".repeat(30), ")".repeat(30)), "nested too deeply"),
        (format!("SELECT {}5 5{}", "FROM ((".repeat(30), "))".repeat(30)), "nested too deeply"),
        // division by zero above an operator
        ("SELECT age FROM generalize(patients, quasi => (age), k => 3) WHERE number / (number - number) > 1".to_owned(), "division by zero"),
        // chance under an operator
        ("SELECT * FROM generalize((SELECT age FROM patients WHERE random() < 0.5), quasi => (age), k => 3)".to_owned(), "random()"),
        ("SELECT * FROM slice((SELECT age, uuid() AS u FROM patients), groups => (age, u), bucket => 5)".to_owned(), "uuid()"),
        ("SELECT * FROM randomize((SELECT sex FROM patients ORDER BY random() LIMIT 3), columns => (sex), p => 0.5)".to_owned(), "random()"),
        // the time of day is no property of a row
        ("SELECT * FROM generalize((SELECT age, now() AS n FROM patients), quasi => (age), k => 3)".to_owned(), "now()"),
        // recursion through an operator
        (
            "WITH RECURSIVE r AS (SELECT age FROM patients UNION ALL SELECT age FROM generalize(r, quasi => (age), k => 3)) SELECT * FROM r".to_owned(),
            "recursive",
        ),
        (
            "WITH RECURSIVE r AS (SELECT sex FROM patients UNION ALL SELECT sex FROM slice(r, groups => (sex), bucket => 2)) SELECT * FROM r".to_owned(),
            "recursive",
        ),
    ] {
        let start: String = sql.chars().take(120).collect();
        match session.run(&sql) {
            Ok(answer) => unclear.push(format!("{start} gave {} rows", answer.rows())),
            Err(error) => {
                let told = harmless(&start, &error);
                if !told.contains(part) {
                    unclear.push(format!("{start}: {part:?} is not in {told}"));
                }
            }
        }
    }
    assert!(unclear.is_empty(), "{}", unclear.join("\n"));
}

#[test]
fn what_is_unusual_but_right_has_an_answer() {
    let (_folder, mut session) = session();
    for (sql, rows) in [
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n", 5),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM generalize((SELECT p.age FROM \
             patients p JOIN n ON p.age = 19 + n.i), quasi => (age), k => 3)",
            20,
        ),
        (
            "SELECT * FROM generalize((SELECT age FROM patients WHERE 10 / NULLIF(age - 21, 0) IS NOT NULL), quasi => (age), k => 3)",
            15,
        ),
        // Below an operator nothing fails: what cannot be computed is missing.
        (
            "SELECT * FROM generalize((SELECT CAST(secret AS BIGINT) AS age FROM patients), quasi => (age), k => 3)",
            20,
        ),
        (
            "SELECT * FROM generalize((SELECT age FROM patients WHERE 1 / (age - age) IS NULL), quasi => (age), k => 3)",
            20,
        ),
        (
            "SELECT * FROM slice((SELECT age, sex FROM patients WHERE age % (age - age) IS NULL), groups => (age, sex), bucket => 5)",
            20,
        ),
        (
            "SELECT * FROM randomize((SELECT sex FROM patients WHERE number / (age - age) IS NULL), columns => (sex), p => 0.5)",
            20,
        ),
    ] {
        let answer = session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(answer.rows(), rows, "{sql}");
    }
}

const VALID: &[&str] = &[
    "SELECT age, count(*) FROM generalize((SELECT age, sex, diagnosis FROM patients), quasi => (age, sex), k => 3) GROUP BY age ORDER BY 1",
    "SELECT * FROM slice((SELECT age, sex, diagnosis FROM patients), groups => ((age), (sex, diagnosis)), bucket => 5) WHERE sex = 'f' LIMIT 3",
    "SELECT g.sex FROM randomize(patients, columns => ((sex, 0.5, uniform('f', 'm')))) AS g JOIN patients p ON g.age = p.age",
    "WITH a AS (SELECT age, secret FROM patients WHERE number > 5) SELECT max(secret) FROM generalize(a, quasi => (age), k => 2, suppression => 0.1)",
    "SELECT CAST(secret AS VARCHAR) || 'x', number / (age - 19) FROM patients UNION ALL SELECT sex, 1 FROM patients",
    "SET paravent.rules = 'default,-G9'",
    "EXPLAIN SELECT DISTINCT sex FROM generalize(patients, quasi => (sex), k => 5)",
];

/// One change to a text.
#[derive(Debug, Clone)]
enum Change {
    Delete(usize, usize),
    Swap(usize, usize),
    Repeat(usize, usize, usize),
    Put(usize, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let words = [
        "(",
        ")",
        "'",
        "\"",
        ",",
        "=>",
        "NULL",
        "-",
        "0",
        "99999999999999999999",
        "*",
        ";",
        "--",
        "/*",
        "\u{0}",
        "é",
        "CAST(secret AS INT)",
    ];
    let place = 0usize..400;
    prop_oneof![
        (place.clone(), 1usize..12).prop_map(|(at, length)| Change::Delete(at, length)),
        (place.clone(), place.clone()).prop_map(|(one, other)| Change::Swap(one, other)),
        (place.clone(), 1usize..20, 1usize..5)
            .prop_map(|(at, length, times)| Change::Repeat(at, length, times)),
        (place, 0..words.len()).prop_map(move |(at, word)| Change::Put(at, words[word])),
    ]
}

fn changed(sql: &str, change: &Change) -> String {
    let mut bytes = sql.as_bytes().to_vec();
    let length = bytes.len().max(1);
    match *change {
        Change::Delete(at, many) => {
            let at = at % length;
            bytes.drain(at..(at + many).min(bytes.len()));
        }
        Change::Swap(one, other) if !bytes.is_empty() => bytes.swap(one % length, other % length),
        Change::Swap(..) => {}
        Change::Repeat(at, many, times) => {
            let at = at % length;
            let piece = bytes[at.min(bytes.len())..(at + many).min(bytes.len())].repeat(times);
            bytes.splice(at.min(bytes.len())..at.min(bytes.len()), piece);
        }
        Change::Put(at, word) => {
            let at = (at % length).min(bytes.len());
            bytes.splice(at..at, word.bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutilated_statements_neither_panic_nor_show_a_cell() {
    let (_folder, session) = session();
    let session = RefCell::new(session);
    let (answers, errors) = (RefCell::new(0), RefCell::new(0));
    // Now and then none, so that some statements have an answer.
    let changes = proptest::collection::vec(change(), 0..4);
    proptest!(ProptestConfig::with_cases(150), |(statement in 0..VALID.len(), changes in changes)| {
        let sql = changes.iter().fold(VALID[statement].to_owned(), |sql, change| changed(&sql, change));
        match session.borrow_mut().run(&sql) {
            Ok(_) => *answers.borrow_mut() += 1,
            Err(error) => {
                *errors.borrow_mut() += 1;
                harmless(&sql, &error);
            }
        }
    });
    assert!(*answers.borrow() > 0 && *errors.borrow() > 0, "both must occur");
    for sql in VALID {
        session
            .borrow_mut()
            .run(sql)
            .map(drop)
            .or_else(|error| match error {
                AlgebraError::Failed(_) => Ok(()),
                other => Err(other),
            })
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}
