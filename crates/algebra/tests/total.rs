//! No error below an operator depends on a row: what fails is NULL, and what is not on the list is refused by name.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_algebra::session::Session;
use ward::{cells, figure, open, refusal, session};

fn counted(session: &mut Session, condition: &str) -> f64 {
    figure(
        session,
        &format!(
            "SELECT * FROM private((SELECT id FROM readers WHERE {condition}), count => true, epsilon => 50)"
        ),
    )
}

/// Expressions that fail for the thousand readers, or for one of them alone.
const FAILING: &[&str] = &[
    "1 / (born - born)",
    "born % (id - id)",
    "1 / (id - 17)",
    "CAST(town AS INT)",
    "CAST(town AS DATE)",
    "CAST(town AS DECIMAL(10, 2))",
    "CAST(genre AS BOOLEAN)",
    "CAST(born * 1000000 AS TINYINT)",
    "born * 9223372036854775807",
    "born + 9223372036854775807",
    "-born - 9223372036854775807",
    "CAST(born AS DECIMAL(38, 0)) * 100000000000000000000000000000000000000",
    "CAST(born AS DECIMAL(10, 2)) / (id - id)",
    "power(born, 40)",
    "abs(-9223372036854775807 - (id - id) - 1)",
    "DATE '2020-01-01' + CAST(CAST(born * 1000000 AS VARCHAR) || ' years' AS INTERVAL)",
    "CASE WHEN id = 17 AND genre = 'sea' THEN 1 / (born - born) ELSE 1 END",
    "CASE WHEN id = 17 AND genre = 'sea' THEN CAST('x' AS INT) ELSE 1 END",
    "split_part(town, 'x', 0)",
    "substr(town, 1, -1)",
    "town || town",
    "sqrt(-born)",
    "ln(id - id)",
    "town = 5",
    "born = '17x'",
];

#[test]
fn what_fails_is_missing() {
    let (mut session, mut open) = (session(Some("id")), open());
    let mut wrong = Vec::new();
    for expression in FAILING {
        for relation in [
            format!("SELECT id, {expression} AS x FROM readers"),
            format!("SELECT id FROM readers WHERE ({expression}) IS NOT NULL"),
            format!("SELECT id, max({expression}) AS x FROM readers GROUP BY id"),
        ] {
            if expression.contains("BOOLEAN") && relation.contains("max(") {
                continue;
            }
            let sql = format!("SELECT * FROM private(({relation}), count => true, epsilon => 1)");
            if let Err(error) = session.run(&sql) {
                wrong.push(format!("{relation}: {error}"));
            }
        }
        for operator in [
            "generalize((SELECT born, {} AS x FROM readers), quasi => (born), k => 2)",
            "slice((SELECT genre, {} AS x FROM readers), groups => (genre, x), bucket => 5)",
            "randomize((SELECT town, {} AS x FROM readers), columns => ((town, 0.5, uniform('x', 'y'))))",
        ] {
            // Noise is in vain beside what tells the same column.
            if operator.starts_with("randomize") && expression.contains("town") {
                continue;
            }
            let sql = format!("SELECT * FROM {}", operator.replace("{}", expression));
            if let Err(error) = open.run(&sql) {
                wrong.push(format!("{sql}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn missing_is_what_it_is_called() {
    let mut session = session(Some("id"));
    for (condition, rows) in [
        ("1 / (id - 17) IS NULL", 1.0),
        ("10 / 4 = 2", 1_000.0),
        ("born % 10 = 3", 100.0),
        ("CAST(town AS INT) IS NULL", 1_000.0),
        ("CAST(CAST(id AS VARCHAR) AS INT) = id", 1_000.0),
        ("TRY_CAST(town AS INT) IS NULL", 1_000.0),
        ("born * 9223372036854775807 IS NULL", 1_000.0),
        ("born + 1 > 1989", 25.0),
        ("id - 9223372036854775807 IS NULL", 0.0),
        ("-id - 9223372036854775807 IS NULL", 998.0),
        ("town || '-' || genre = 'x-law'", 167.0),
        ("born / 2.0 = 980.5", 25.0),
        ("substr(genre, 1, 1) = 'l'", 334.0),
        ("round(born / 10.0, 0) = 195", 125.0),
    ] {
        let found = counted(&mut session, condition);
        assert!((found - rows).abs() <= 3.0, "{condition}: {found}");
    }
}

#[test]
fn texts_do_not_grow_without_bound() {
    let mut session = session(Some("id"));
    let mut relation = "SELECT id, genre AS t0 FROM readers".to_owned();
    for place in 0..20 {
        relation = format!("SELECT id, t{place} || t{place} AS t{} FROM ({relation})", place + 1);
    }
    let sql = format!(
        "SELECT count FROM private((SELECT id, t20 IS NULL AS gone FROM ({relation})), by => (gone), keys => (true), count => true, epsilon => 50)"
    );
    let found = figure(&mut session, &sql);
    assert!((found - 1_000.0).abs() <= 3.0, "{found}");
}

#[test]
fn what_is_not_on_the_list_is_refused_by_name() {
    let (mut session, mut open) = (session(Some("id")), open());
    for (expression, part) in [
        ("random()", "random()"),
        ("now()", "now()"),
        ("current_date", "current_date"),
        ("uuid()", "uuid()"),
        ("repeat(town, 1000)", "repeat()"),
        ("lpad(town, 1000000, 'x')", "lpad()"),
        ("rpad(town, 10)", "rpad()"),
        ("replace(town, 'x', 'yyyyyyyy')", "replace()"),
        ("regexp_like(town, '(a+)+$')", "regexp_like()"),
        ("regexp_replace(town, 'a', 'b')", "regexp_replace()"),
        ("town ~ '(a+)+$'", "operator ~"),
        ("town SIMILAR TO 'a%'", "SIMILAR TO"),
        ("town LIKE genre", "LIKE"),
        ("to_char(DATE '2020-01-01', genre)", "to_char()"),
        ("to_timestamp(town)", "to_timestamp()"),
        ("date_trunc(town, DATE '2020-01-01')", "date_trunc()"),
        ("substr(town, id)", "substr()"),
        ("factorial(id)", "factorial()"),
        ("id << 100", "operator <<"),
        ("arrow_typeof(id)", "arrow_typeof()"),
        ("version()", "version()"),
    ] {
        for (session, sql) in [
            (
                &mut session,
                format!(
                    "SELECT * FROM private((SELECT id, {expression} AS x FROM readers), count => true, epsilon => 1)"
                ),
            ),
            (
                &mut open,
                format!(
                    "SELECT * FROM slice((SELECT town, {expression} AS x FROM readers), groups => (town, x), bucket => 5)"
                ),
            ),
        ] {
            let told = refusal(session, &sql);
            assert!(told.contains(part), "{sql}: {told}");
        }
    }
    for (relation, part) in [
        ("SELECT id, array_agg(book) AS a FROM loans GROUP BY id", "array_agg()"),
        ("SELECT id, string_agg(book, ',') AS a FROM loans GROUP BY id", "string_agg()"),
        ("SELECT id, first_value(book) AS a FROM loans GROUP BY id", "first_value()"),
        ("SELECT id, first_value(book) OVER (PARTITION BY id) AS a FROM loans", "first_value()"),
        ("SELECT id, ntile(3) OVER (PARTITION BY id) AS a FROM loans", "ntile()"),
        ("SELECT id, approx_distinct(book) AS a FROM loans GROUP BY id", "approx_distinct()"),
        ("SELECT id, avg(CAST(pages AS DECIMAL(10, 2))) AS a FROM loans GROUP BY id", "avg() of a decimal"),
        (
            "SELECT id, sum(pages) OVER (PARTITION BY id ORDER BY pages RANGE BETWEEN 9 PRECEDING AND CURRENT ROW) AS a FROM loans",
            "RANGE",
        ),
    ] {
        let told = refusal(
            &mut session,
            &format!("SELECT * FROM private(({relation}), count => true, epsilon => 1)"),
        );
        assert!(told.contains(part), "{relation}: {told}");
        let told =
            refusal(&mut open, &format!("SELECT * FROM generalize(({relation}), quasi => (id), k => 1)"));
        assert!(told.contains(part), "{relation}: {told}");
    }
    let told = refusal(
        &mut open,
        "SELECT * FROM generalize((SELECT born, (SELECT id FROM readers WHERE town = 'x') AS one FROM readers), quasi => (born), k => 1)",
    );
    assert!(told.contains("several rows"), "{told}");
}

#[test]
fn above_an_operator_errors_are_as_they_were() {
    let mut session = session(Some("id"));
    let told = refusal(
        &mut session,
        "SELECT 1 / (count - count) FROM private(readers, count => true, epsilon => 1)",
    );
    assert!(told.contains("division by zero"), "{told}");
    let answer = session.run("SELECT count + 0 FROM private(readers, count => true, epsilon => 1)").unwrap();
    assert_eq!(cells(&answer).len(), 1);
}
