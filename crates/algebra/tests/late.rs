//! What is done to rows after an operator, and the order of rows before one.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::session::{Cell, Session};
use std::fs;
use tempfile::TempDir;

fn place() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,age,sex,illness,salary\n");
    for i in 0..24 {
        let mixed = i * 7 % 24;
        text.push_str(&format!(
            "{i},{},{},{},{}\n",
            20 + i % 2,
            ["f", "m"][i % 2],
            ["flu", "gout"][i / 2 % 2],
            mixed
        ));
    }
    fs::write(folder.path().join("p.csv"), text).unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    session.register_file(None, &folder.path().join("p.csv")).unwrap();
    (folder, session)
}

fn number(cell: &Cell) -> i64 {
    match cell {
        Cell::Number(text) | Cell::Text(text) => text.parse().unwrap(),
        _ => panic!("no number"),
    }
}

#[test]
fn the_order_of_a_sliced_relation_is_obeyed() {
    let (_folder, mut session) = place();
    for relation in [
        "SELECT salary AS a, salary AS b FROM p ORDER BY salary",
        "SELECT salary AS a, salary AS b FROM p ORDER BY salary DESC",
        "SELECT a, b FROM (SELECT salary AS a, salary AS b FROM p ORDER BY salary)",
        "WITH s AS (SELECT salary AS a, salary AS b FROM p ORDER BY salary) SELECT * FROM s",
        "SELECT a, b FROM (SELECT id, salary AS a, salary AS b FROM p) ORDER BY a",
    ] {
        let sql = format!("SELECT * FROM slice(({relation}), groups => (a, b), bucket => 4)");
        match session.run(&sql) {
            Ok(answer) => {
                for row in answer.cells().unwrap() {
                    let (a, b) = (number(&row[0]), number(&row[1]));
                    assert_eq!(a / 4, b / 4, "{relation}: mixed across buckets of the order");
                }
            }
            Err(error) => assert!(error.to_string().contains("ORDER BY"), "{relation}: {error}"),
        }
    }
    // Where an order has no meaning for the operator it is said so.
    let joined = "SELECT * FROM slice((SELECT s.a, s.b FROM (SELECT salary AS a, salary AS b FROM p ORDER BY salary) s JOIN p ON s.a = p.id), \
                  groups => (a, b), bucket => 4)";
    let error = session.run(joined).unwrap_err().to_string();
    assert!(error.contains("ORDER BY"), "{error}");
}

#[test]
fn late_cuts_orders_and_groups_are_remarked_on() {
    let (_folder, mut session) = place();
    let g = "generalize(p, quasi => (age, sex), k => 4)";
    for (sql, remark) in [
        (format!("SELECT age, illness FROM {g} LIMIT 1"), Some("Only some of the rows")),
        (format!("SELECT age, illness FROM {g} ORDER BY age OFFSET 3"), Some("Only some of the rows")),
        (format!("SELECT age, illness FROM {g} ORDER BY id"), Some("sorted by id")),
        (format!("SELECT age, illness FROM {g} ORDER BY age, salary"), Some("sorted by salary")),
        (format!("SELECT age, count(*) AS n FROM {g} GROUP BY age HAVING count(*) > 1"), Some("Groups are picked")),
        (format!("SELECT n FROM (SELECT sex, count(*) AS n FROM {g} GROUP BY sex) WHERE n > 3"), Some("Groups are picked")),
        (format!("SELECT age, illness FROM {g} ORDER BY age"), None),
        (format!("SELECT age, count(*) FROM {g} GROUP BY age ORDER BY age LIMIT 1"), None),
        ("SELECT age FROM generalize((SELECT * FROM p ORDER BY salary LIMIT 9), quasi => (age, sex), k => 4)".to_owned(), None),
    ] {
        let notes = session.run(&sql).unwrap_or_else(|error| panic!("{sql}: {error}")).notes;
        match remark {
            Some(remark) => assert!(notes.iter().any(|note| note.contains(remark)), "{sql}: {notes:?}"),
            None => assert!(notes.is_empty(), "{sql}: {notes:?}"),
        }
    }
}

#[test]
fn a_generalization_is_narrowed_through_subqueries_and_with() {
    let (_folder, mut session) = place();
    for sql in [
        "SELECT age FROM generalize(p, quasi => (age, sex), k => 4)",
        "WITH g AS (SELECT * FROM generalize(p, quasi => (age, sex), k => 4)) SELECT age FROM g",
        "WITH g AS (SELECT id, age, sex, illness FROM generalize(p, quasi => (age, sex), k => 4)), h AS (SELECT age, sex FROM g) SELECT age FROM h",
        "SELECT age FROM (SELECT illness, age FROM (SELECT * FROM generalize(p, quasi => (age, sex), k => 4)) AS a) AS b",
    ] {
        let explained = session.explain(sql).unwrap();
        let narrow = "Generalize: [age, sex], k = 4\n";
        let below = explained.rewritten.split(narrow).nth(1).unwrap().trim();
        assert!(below.starts_with("Projection: p.age, p.sex\n"), "{sql}: {explained}");
        assert!(
            !below.trim_start_matches("Projection: p.age, p.sex").contains("Projection"),
            "{sql}: {explained}"
        );
    }
}

#[test]
fn a_slicing_that_a_grouping_cannot_see_vanishes() {
    let (_folder, mut session) = place();
    let sliced = "slice((SELECT age, sex, illness, salary FROM p), groups => ((age, sex, salary), (illness)), bucket => 6, allow_identifying => true)";
    let plain = "(SELECT age, sex, illness, salary FROM p)";
    for (query, vanishes) in [
        ("SELECT sex, count(*) AS n, avg(salary) AS m FROM {} GROUP BY sex", true),
        ("SELECT count(*) AS n FROM {}", true),
        ("SELECT illness, count(DISTINCT illness) AS n FROM {} GROUP BY illness", true),
        ("SELECT illness, avg(salary) AS m FROM {} GROUP BY illness", false),
        ("SELECT sex, array_agg(salary) AS a FROM {} GROUP BY sex", false),
    ] {
        let answer =
            session.run(&query.replace("{}", sliced)).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(
            answer.trace.applied().any(|step| step.rule == "S12"),
            vanishes,
            "{query}: {}",
            answer.trace
        );
        if vanishes {
            let bare = session.run(&query.replace("{}", plain)).unwrap();
            let sorted = |cells: Vec<Vec<Cell>>| {
                let mut rows: Vec<Vec<String>> = cells
                    .iter()
                    .map(|row| {
                        row.iter()
                            .map(|cell| match cell {
                                Cell::Number(text) | Cell::Text(text) => text.clone(),
                                _ => String::new(),
                            })
                            .collect()
                    })
                    .collect();
                rows.sort();
                rows
            };
            assert_eq!(sorted(answer.cells().unwrap()), sorted(bare.cells().unwrap()), "{query}");
        }
    }
    // A slicing that looks for rows which are alone inside a group stays where several columns are seen.
    let held = sliced.replace(", allow_identifying => true", "");
    let several = format!("SELECT sex, avg(salary) AS m FROM {held} GROUP BY sex");
    let error = session.run(&several).unwrap_err().to_string();
    assert!(error.contains("singles people out"), "{error}");
    let answer = session.run(&format!("SELECT sex, count(*) AS n FROM {held} GROUP BY sex")).unwrap();
    assert!(answer.trace.applied().any(|step| step.rule == "S12"), "{}", answer.trace);
}

/// Picking among the rows of a generalization leaves classes that are too small: the answer is refused, whichever way they are picked.
#[test]
fn rows_that_are_picked_later_keep_the_promise_or_are_not_shown() {
    let (_folder, mut session) = place();
    let g = "generalize(p, quasi => (age, sex), k => 4)";
    for rest in [
        "SELECT age, illness FROM {g} WHERE salary = 3",
        "SELECT age, sex, illness FROM {g} WHERE salary < 5",
        "SELECT illness FROM {g} WHERE id = 7",
        "SELECT age || '' AS a FROM {g} WHERE salary < 5 AND sex = 'f'",
        "SELECT age FROM {g} AS g WHERE EXISTS (SELECT 1 FROM p WHERE p.id = g.id AND p.salary < 3)",
        "SELECT age FROM {g} WHERE id IN (SELECT id FROM p WHERE salary < 3)",
        "SELECT age FROM {g} WHERE salary = (SELECT max(salary) FROM p)",
        "SELECT g.age FROM {g} AS g JOIN (SELECT 3 AS salary) AS s ON g.salary = s.salary",
        "SELECT g.age FROM {g} AS g JOIN (SELECT 3 AS salary) AS s ON g.salary = s.salary CROSS JOIN generate_series(1, 9) AS n",
        "SELECT g.age FROM {g} AS g LEFT JOIN p ON g.id = p.id WHERE p.age = 20 AND p.salary < 5",
        "SELECT age, salary FROM {g} INTERSECT SELECT CAST(age AS VARCHAR), salary FROM p WHERE salary = 3",
        "SELECT age FROM (SELECT age, row_number() OVER (ORDER BY salary) AS n FROM {g}) WHERE n = 1",
        "SELECT age, illness FROM {g} ORDER BY salary LIMIT 1",
        "SELECT age, count(*) AS n FROM {g} WHERE salary < 5 GROUP BY age",
        "SELECT DISTINCT age FROM {g} WHERE salary < 3",
        "WITH g AS (SELECT age, salary FROM {g}) SELECT age FROM g WHERE salary = 3",
        "SELECT age FROM {g} WHERE salary = 3 UNION ALL SELECT age FROM {g}",
        "SELECT age, illness, count(*) AS n FROM {g} GROUP BY age, illness HAVING count(*) < 7",
        "SELECT age, max(salary) AS m FROM {g} GROUP BY age, salary HAVING count(*) = 1",
        "SELECT age, n FROM (SELECT age, salary, count(*) AS n FROM {g} GROUP BY age, salary) WHERE salary = 3",
        "SELECT age, salary, count(*) AS n FROM {g} GROUP BY age, salary ORDER BY n, salary LIMIT 1",
    ] {
        let sql = rest.replace("{g}", g);
        match session.run(&sql) {
            Ok(answer) => panic!("{sql} has an answer of {} rows", answer.rows()),
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains("after generalize (k = 4)"), "{sql}: {told}");
            }
        }
    }
    for rest in [
        "SELECT age, sex, illness FROM {g} WHERE illness = 'flu'",
        "SELECT age FROM {g} WHERE salary >= 0",
        "SELECT age FROM {g} AS g WHERE EXISTS (SELECT 1 FROM p WHERE p.id = g.id)",
        "SELECT age FROM {g} WHERE salary < 0",
    ] {
        let sql = rest.replace("{g}", g);
        let answer = session.run(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(answer.notes.iter().any(|note| note.contains("counted again")), "{sql}: {:?}", answer.notes);
    }
}
