//! What is refused: statements that write, and hostile ones.

use super::*;

#[tokio::test]
async fn what_an_operator_cannot_stand_on_is_refused() {
    let g = |relation: &str| format!("SELECT * FROM generalize({relation}, quasi => (age), k => 5)");
    refused(&g("(SELECT age, random() AS r FROM patients)"), &["generalize", "random()"]).await;
    refused(&g("(SELECT age FROM patients WHERE random() < 0.5)"), &["random()"]).await;
    refused(&g("(SELECT age FROM patients ORDER BY uuid() LIMIT 3)"), &["uuid()"]).await;
    plan(&g("(SELECT age, now() AS n FROM patients)")).await;
    plan(&g("(SELECT age FROM patients WHERE id IN (SELECT id FROM others))")).await;
    plan(&g("(SELECT age FROM patients p WHERE EXISTS (SELECT 1 FROM others o WHERE o.id = p.id))")).await;
    let inner = "(SELECT p.age FROM patients p, LATERAL (SELECT o.zip FROM others o WHERE o.id = p.id) AS z)";
    plan(&g(inner)).await;
    let twice = "SELECT * FROM others o WHERE EXISTS (SELECT * FROM generalize((SELECT age FROM patients p WHERE p.id IN \
                 (SELECT q.id FROM patients q WHERE q.zip = o.zip AND q.sex = p.sex)), quasi => (age), k => 5))";
    refused(twice, &["may not refer to o.zip"]).await;
    let correlated = "SELECT * FROM others o WHERE EXISTS (SELECT * FROM generalize((SELECT * FROM patients p WHERE p.id = o.id), \
                      quasi => (age), k => 5))";
    refused(correlated, &["may not refer to"]).await;
    let lateral = "SELECT * FROM others o, LATERAL (SELECT * FROM generalize((SELECT * FROM patients p WHERE p.id = o.id), \
                   quasi => (age), k => 5)) AS g";
    refused(lateral, &["may not refer to"]).await;
    let inside =
        "SELECT (SELECT count(*) FROM generalize(patients, quasi => (age), k => 5)) AS n FROM others";
    refused(inside, &["put it into FROM or WITH"]).await;
    refused(
        "SELECT * FROM others WHERE id IN (SELECT id FROM generalize(patients, quasi => (age), k => 5))",
        &["put it into FROM or WITH"],
    )
    .await;
    let recursive = "WITH RECURSIVE r AS (SELECT 1 AS age UNION ALL SELECT age + 1 FROM \
                     randomize(r, columns => (age), p => 0.5) WHERE age < 5) SELECT * FROM r";
    refused(recursive, &["recursive"]).await;
    let above = "WITH RECURSIVE r AS (SELECT 1 AS age UNION ALL SELECT age + 1 FROM r WHERE age < 5) \
                 SELECT * FROM randomize(r, columns => (age), p => 0.5)";
    plan(above).await;
}

#[test]
fn only_reading_is_possible() {
    for sql in [
        "INSERT INTO patients VALUES (1)",
        "DELETE FROM patients",
        "UPDATE patients SET age = 1",
        "DROP TABLE patients",
        "CREATE TABLE t AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
        "COPY patients TO '/tmp/out.csv'",
        "COPY (SELECT * FROM patients) TO '/tmp/out.csv'",
        "PREPARE p AS SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN COPY patients TO '/tmp/out.csv'",
        "EXPLAIN (ANALYZE TRUE) SELECT 1",
        "SET datafusion.sql_parser.recursion_limit = 100000",
        "SET paravent = 1",
        "RESET datafusion.execution.batch_size",
        "SELECT 1; SELECT 2",
        "",
        ";",
        "nonsense",
    ] {
        assert!(Request::parse(sql).is_err(), "{sql}");
    }
    let Request::Set { name, value } = Request::parse("SET paravent.partial = true").unwrap() else {
        panic!("a setting")
    };
    assert_eq!((name.as_str(), value.as_str()), ("partial", "true"));
    assert!(matches!(Request::parse("SHOW TABLES").unwrap(), Request::Rows(_)));
    assert!(matches!(Request::parse("DESCRIBE patients").unwrap(), Request::Rows(_)));
}

/// On a thread with as much stack as the session gives its own.
fn hostile(sql: String) -> String {
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(planned(catalog(), &sql)).map_or_else(|error| error, |_| "planned".to_owned())
    };
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap()
}

#[test]
fn hostile_statements_are_errors_and_never_end_the_program() {
    let nested = |n: usize, open: &str, core: &str, close: &str| {
        format!("{}{core}{}", open.repeat(n), close.repeat(n))
    };
    let select = |what: String| format!("SELECT {what}");
    for sql in [
        select(nested(1_000, "(", "1", ")")),
        select(nested(1_000, "-", "1", "")),
        select(nested(1_000, "NOT ", "true", "")),
        nested(1_000, "SELECT * FROM (", "SELECT 1", ")"),
        nested(1_000, "SELECT * FROM generalize((", "SELECT * FROM patients", "), quasi => (age), k => 5)"),
        format!("SELECT * FROM {}", nested(1_000, "generalize(", "patients", ", quasi => (age), k => 5)")),
        format!("SELECT * FROM generalize(patients, quasi => {}, k => 5)", nested(50, "(", "age", ")")),
        select("1 + ".repeat(100_000) + "1"),
        "SELECT 1 UNION ALL ".repeat(5_000) + "SELECT 1",
        format!("SELECT * FROM {}", vec!["patients"; 5_000].join(", ")),
        format!("SELECT * FROM patients {}", "JOIN patients USING (id) ".repeat(5_000)),
        nested(2_000, "WITH a AS (", "SELECT 1", ") SELECT * FROM a"),
        format!("SELECT * FROM generalize(patients, k => {})", "9".repeat(1_000)),
        "SELECT '".to_owned(),
        "SELECT * FROM generalize(patients, k =>".to_owned(),
        "SELECT * FROM generalize((SELECT * FROM patients) AS x, k => 5)".to_owned(),
        "SELECT \u{0} FROM \u{202e}".to_owned(),
        " ".repeat(2 << 20),
    ] {
        let start: String = sql.chars().take(60).collect();
        assert_ne!(hostile(sql), "planned", "{start}");
    }
    assert_eq!(hostile(select("1 + ".repeat(1_500) + "1")), "planned");
    assert_eq!(hostile("SELECT 1 UNION ALL ".repeat(300) + "SELECT 1"), "planned");
    let calls = nested(8, "generalize(", "patients", ", quasi => (age), k => 5)");
    assert_eq!(hostile(format!("SELECT * FROM {calls}")), "planned");
}
