//! Statements that would take all time or all memory end with a clear error, well within their limits. Nothing panics.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::session::Session;
use std::fs;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// 2,000 rows whose cells hold `hidden`, three seconds, 200 MiB.
fn session() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("n,secret\n");
    (0..2_000).for_each(|i| text.push_str(&format!("{i},hidden{i}\n")));
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    session.register_file(None, &folder.path().join("t.csv")).unwrap();
    for setting in ["seconds = 3", "memory = '200MiB'", "answer = '20MiB'"] {
        session.run(&format!("SET paravent.{setting}")).unwrap();
    }
    (folder, session)
}

#[test]
fn what_would_take_everything_ends_with_a_clear_error() {
    let (_folder, mut session) = session();
    let nested = |value: &str, start: &str, levels: usize| {
        let level = |inner: String, level: usize| {
            format!("SELECT {value} AS a{} FROM ({inner})", level + 1).replace('#', &level.to_string())
        };
        format!("SELECT length(a{levels}) FROM ({})", (0..levels).fold(start.to_owned(), level))
    };
    let doubled = nested("a# || a#", "SELECT 'x' AS a0", 40);
    let concat = nested("concat(a#, a#, a#)", "SELECT secret AS a0 FROM t", 25);
    let joins = (0..200).map(|i| format!("t AS t{i}")).collect::<Vec<_>>().join(" CROSS JOIN ");
    let using = (1..200).map(|i| format!("JOIN t AS t{i} ON t0.n = t{i}.n")).collect::<Vec<_>>().join(" ");
    let endless = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT";
    for (sql, part) in [
        ("SELECT * FROM generate_series(1, 1000000000000)".to_owned(), "more than"),
        ("SELECT count(*) FROM generate_series(1, 1000000000000)".to_owned(), "more than"),
        ("SELECT count(*) FROM range(0, 9000000000000000000)".to_owned(), "more than"),
        ("SELECT * FROM generate_series(1, 9000000)".to_owned(), "answer is larger"),
        (format!("{endless} * FROM r"), ""),
        (format!("{endless} count(*) FROM r"), ""),
        ("SELECT lpad('x', 2000000000, 'y')".to_owned(), "texts or lists"),
        ("SELECT length(rpad(secret, 100000 * n, 'y')) FROM t".to_owned(), "texts or lists"),
        ("SELECT repeat('x', 100000000) FROM t".to_owned(), "texts or lists"),
        ("SELECT length(repeat(secret, 1000000)) FROM t".to_owned(), "texts or lists"),
        ("SELECT length(repeat('x', n * 1000000)) FROM t".to_owned(), "texts or lists"),
        ("SELECT length(replace(repeat('x', 100000), 'x', repeat('y', 100000)))".to_owned(), "texts or lists"),
        (doubled, "texts or lists"),
        (concat, "texts or lists"),
        (format!("SELECT count(*) FROM {joins}"), "more than 60 joins"),
        (format!("SELECT count(*) FROM t AS t0 {using}"), "more than 60 joins"),
        ("SELECT * FROM t a CROSS JOIN t b CROSS JOIN t c".to_owned(), "answer is larger"),
        ("SELECT a.secret FROM t a CROSS JOIN t b CROSS JOIN t c ORDER BY 1".to_owned(), ""),
        ("SELECT count(*) FROM t a CROSS JOIN t b CROSS JOIN t c CROSS JOIN t d WHERE a.n + b.n + c.n + d.n > 0".to_owned(), "longer than it may"),
        ("SELECT count(*) FROM (SELECT DISTINCT a.n, b.n, c.n FROM t a CROSS JOIN t b CROSS JOIN t c)".to_owned(), ""),
        ("SELECT length(string_agg(a.secret, ',')) FROM t a CROSS JOIN t b CROSS JOIN t c".to_owned(), ""),
        ("SELECT 1 FROM slice((SELECT a.n, b.secret FROM t a CROSS JOIN t b CROSS JOIN t c), groups => (n, secret), bucket => 5)".to_owned(), ""),
    ] {
        let started = Instant::now();
        let start: String = sql.chars().take(90).collect();
        let error = match session.run(&sql) {
            Ok(answer) => panic!("{start} gave {} rows", answer.rows()),
            Err(error) => error,
        };
        let told = format!("{error} {error:?}");
        assert!(told.contains(part), "{start}: {told}");
        assert!(!told.contains("hidden"), "{start}: {told}");
        assert!(matches!(error, AlgebraError::Exceeded(_) | AlgebraError::Statement(_)), "{start}: {told}");
        assert!(started.elapsed() < Duration::from_secs(20), "{start}: {:?}", started.elapsed());
    }
}

#[test]
fn what_is_within_its_limits_has_its_answer() {
    let (_folder, mut session) = session();
    for (sql, rows) in [
        ("SELECT * FROM generate_series(1, 1000)", 1000),
        ("SELECT lpad('x', 10, 'yz'), rpad(secret, 20), repeat(secret, 3), secret || '-' || n FROM t", 2000),
        ("SELECT concat(secret, n), concat_ws('-', secret, n), replace(secret, 'hid', 'x') FROM t", 2000),
        ("SELECT regexp_replace(secret, '(i)(d)', '\\2\\1', 'g') FROM t", 2000),
        ("SELECT a.n FROM t a JOIN t b USING (n) JOIN t c USING (n)", 2000),
        ("SELECT 'a' || NULL || 'b', secret || NULL FROM t LIMIT 1", 1),
        (
            "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 50) SELECT * FROM r",
            50,
        ),
    ] {
        let answer = session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(answer.rows(), rows, "{sql}");
    }
    // Without a condition the numbers of rows are multiplied, and nothing is joined.
    let counted =
        session.run("SELECT count(*) FROM t a CROSS JOIN t b CROSS JOIN t c CROSS JOIN t d").unwrap();
    assert_eq!(
        counted.cells().unwrap()[0][0],
        paravent_algebra::session::Cell::Number("16000000000000".to_owned())
    );
    let text = session.run("SELECT 'a' || 'b' || n AS x FROM t WHERE n = 7").unwrap();
    assert_eq!(text.columns(), ["x"]);
    let missing =
        session.run("SELECT ('a' || NULL) IS NULL AND (secret || NULL) IS NULL FROM t LIMIT 1").unwrap();
    assert!(matches!(missing.cells().unwrap()[0][0], paravent_algebra::session::Cell::Truth(true)));
}

#[test]
fn settings_are_checked() {
    let (_folder, mut session) = session();
    for (setting, part) in [
        ("seconds = 0", "above 0"),
        ("seconds = 'soon'", "above 0"),
        ("memory = '1 banana'", "4GiB"),
        ("memory = 5", "1 MiB"),
        ("answers = '1GiB'", "did you mean paravent.answer?"),
    ] {
        let error = session.run(&format!("SET paravent.{setting}")).unwrap_err().to_string();
        assert!(error.contains(part), "{setting}: {error}");
    }
    session.run("SET paravent.answer = '1GiB'").unwrap();
    session.run("SET paravent.memory = '1GiB'").unwrap();
    session.run("SET paravent.seconds = 60").unwrap();
    assert_eq!(session.run("SELECT * FROM generate_series(1, 9000000)").unwrap().rows(), 9_000_000);
}
