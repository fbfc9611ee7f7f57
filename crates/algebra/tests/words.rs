//! Names that are ours, and what is said of mistakes.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::session::Session;
use paravent_noise::budget::Cost;
use std::fs;
use tempfile::TempDir;

const JOB: &str = r#"
version = 1
input.path = "t.csv"
attributes = [
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10, 20], min = 0, max = 100 } } },
  { name = "label_0", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } },
]
privacy.models = [{ model = "k-anonymity", k = 5 }]
"#;

fn place() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("paravent.toml"), JOB).unwrap();
    let mut text = String::from("age,label_0,value_0,class_0,rows,t0,c0\n");
    (0..40).for_each(|i| text.push_str(&format!("{},x{},v{i},c{i},{i},{i},{i}\n", 20 + i % 9, i % 3)));
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let mut session = Session::new(Catalog::load(&folder.path().join("paravent.toml")).unwrap()).unwrap();
    let limit = Cost::parse("1000000", None).unwrap();
    session.keep_book(Book::in_memory(limit));
    session.register_file(None, &folder.path().join("t.csv")).unwrap();
    (folder, session)
}

#[track_caller]
fn refused(session: &mut Session, sql: &str) -> String {
    match session.run(sql) {
        Ok(_) => panic!("{sql} was answered"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn columns_may_be_called_like_anything_but_our_own() {
    let (_folder, mut session) = place();
    for sql in [
        "SELECT * FROM generalize(t, k => 4)",
        "SELECT * FROM generalize(t, k => 4, suppression => 0.2)",
        "SELECT * FROM generalize((SELECT age, label_0, 1 AS value_0, 2 AS label_1, 3 AS class_1 FROM t), k => 4, suppression => 0.2)",
        "SELECT * FROM slice((SELECT age, label_0, 1 AS value_0 FROM t), groups => ((age), (label_0, value_0)), within => 4)",
        "SELECT * FROM randomize((SELECT label_0, value_0 FROM t), columns => ((label_0, 0.2), (value_0, 0.1)))",
        "SELECT rows, t0 FROM generalize((SELECT age, rows, t0, label_0 FROM t), quasi => (age, rows, label_0), k => 4)",
    ] {
        session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    for sql in [
        "SELECT age AS __paravent_cell_0 FROM t",
        "SELECT * FROM generalize((SELECT age, 1 AS __paravent_group_0 FROM t), k => 4)",
    ] {
        assert!(refused(&mut session, sql).contains("are taken"), "{sql}");
    }
}

#[test]
fn a_missing_cell_can_be_a_value_of_the_noise() {
    let (folder, mut session) = place();
    fs::write(folder.path().join("m.csv"), "a,b\nx,1\n,2\ny,3\n,4\nx,5\n").unwrap();
    session.register_file(None, &folder.path().join("m.csv")).unwrap();
    let over = |law: &str| format!("SELECT * FROM randomize(m, columns => ((a, 0.5, {law})))");
    // Where NULL is not named, a missing cell is shown as a value by chance, and that is told whether or not there is one.
    let without = session.run(&over("uniform('x', 'y')")).unwrap();
    assert!(
        without.notes.iter().any(|note| note.contains("none of the named values")),
        "{:?}",
        without.notes
    );
    let all = without.cells().unwrap();
    assert!(all.iter().all(|row| row[0] != paravent_algebra::session::Cell::Missing));
    for law in ["uniform('x', 'y', NULL)", "given(('x', 0.5), (NULL, 0.25), ('y', 0.25))"] {
        let answer = session.run(&over(law)).unwrap_or_else(|error| panic!("{law}: {error}"));
        assert_eq!(answer.rows(), 5, "{law}");
    }
    // Certain noise that is always missing leaves nothing.
    let gone = session.run(
        "SELECT count(a) AS n FROM randomize(m, columns => ((a, 1, given((NULL, 1), ('x', 0), ('y', 0)))))",
    );
    assert_eq!(gone.unwrap().cells().unwrap()[0][0], paravent_algebra::session::Cell::Number("0".to_owned()));
    for wrong in ["given((NULL, 0.5), (NULL, 0.5))", "given((NULL, 0.5), ('x', 0.4))"] {
        refused(&mut session, &over(wrong));
    }
}

#[test]
fn a_promise_of_the_statement_is_not_blamed_on_the_job() {
    let (_folder, mut session) = place();
    let error = refused(&mut session, "SELECT age FROM generalize(t, k => 5000)");
    assert!(error.contains("fewer than k = 5000 rows") && !error.contains("paravent.toml"), "{error}");
    assert!(!error.contains("40"), "no number of the data: {error}");
}

#[test]
fn what_does_not_go_with_labels_is_told_in_our_words() {
    let (_folder, mut session) = place();
    for sql in [
        "SELECT avg(age) FROM generalize(t, k => 4)",
        "SELECT label_0, avg(age) FROM generalize(t, k => 4) GROUP BY label_0",
        "SELECT sum(age) OVER () FROM generalize(t, k => 4)",
        "SELECT abs(age) FROM generalize(t, k => 4)",
        "SELECT age + true FROM generalize(t, k => 4)",
    ] {
        let error = refused(&mut session, sql);
        assert!(!error.contains("DataFusion") && !error.contains("file a"), "{sql}: {error}");
    }
    let error = refused(&mut session, "SELECT avg(age) FROM generalize(t, k => 4)");
    assert!(error.contains("labels of generalize"), "{error}");
    assert!(error.contains("'avg'") && !error.contains("signature") && !error.contains("Utf8"), "{error}");
}

#[test]
fn a_query_without_its_own_parentheses_gets_a_hint() {
    let (_folder, mut session) = place();
    for sql in [
        "SELECT * FROM generalize(SELECT age FROM t, k => 4)",
        "SELECT * FROM Slice ( select age, label_0 FROM t, groups => (age, label_0), bucket => 4)",
        "SELECT * FROM randomize(WITH x AS (SELECT 1) SELECT * FROM x, columns => ((age, 0.1)))",
    ] {
        let error = refused(&mut session, sql);
        assert!(error.contains("parentheses of its own"), "{sql}: {error}");
    }
    assert!(!refused(&mut session, "SELECT FROM WHERE").contains("parentheses"));
}
