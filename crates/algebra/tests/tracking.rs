//! Below `private` stands only what is about people: everything else is refused, by name, whatever is in the tables.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use ward::{refusal, session};

const PRIVATE: &str = "count => true, epsilon => 0.5";

fn below(relation: &str, arguments: &str) -> String {
    format!("SELECT * FROM private(({relation}), {arguments})")
}

/// Statement, and what the refusal names.
const MIXED: &[(&str, &str)] = &[
    // one person's secret decides about everybody's rows
    ("SELECT r.id FROM readers r CROSS JOIN readers q WHERE q.id = 1 AND q.genre = 'law'", "CROSS JOIN"),
    ("SELECT r.id FROM readers r, readers q WHERE q.id = 1 AND q.genre = 'law'", "CROSS JOIN"),
    ("SELECT r.id FROM readers r JOIN readers q ON q.id = 1 AND q.genre = 'law'", "CROSS JOIN"),
    (
        "SELECT r.id FROM readers r JOIN readers q ON r.town = q.town",
        "a joined row would belong to two people",
    ),
    ("SELECT r.id FROM readers r JOIN readers q ON r.id = q.id + 1", "two people"),
    ("SELECT r.id FROM readers r JOIN readers q ON r.id <> q.id", "two people"),
    (
        "SELECT r.id FROM readers r JOIN (SELECT id + 0 AS id, genre FROM readers) q ON r.id = q.id",
        "two people",
    ),
    (
        "SELECT r.id FROM readers r JOIN (SELECT CAST(id AS VARCHAR) AS id FROM readers) q ON CAST(r.id AS VARCHAR) = q.id",
        "two people",
    ),
    ("SELECT r.id FROM readers r JOIN (SELECT born AS id FROM readers) q ON r.id = q.id", "two people"),
    (
        "SELECT id FROM readers WHERE (SELECT count(*) FROM readers WHERE id = 1 AND genre = 'law') = 1",
        "a subquery as a value",
    ),
    ("SELECT id, (SELECT max(born) FROM readers) AS m FROM readers", "a subquery as a value"),
    (
        "SELECT id FROM readers r WHERE EXISTS (SELECT 1 FROM readers WHERE id = 1 AND genre = 'law')",
        "EXISTS",
    ),
    ("SELECT id FROM readers r WHERE EXISTS (SELECT 1 FROM loans l WHERE l.id = r.id)", "EXISTS"),
    ("SELECT id FROM readers WHERE NOT EXISTS (SELECT 1 FROM readers WHERE genre = 'law')", "EXISTS"),
    ("SELECT id FROM readers WHERE town IN (SELECT town FROM readers WHERE genre = 'law')", "IN (SELECT"),
    ("SELECT id FROM readers WHERE town NOT IN (SELECT town FROM readers WHERE genre = 'law')", "IN (SELECT"),
    ("SELECT id FROM readers WHERE born > ANY (SELECT born FROM readers WHERE genre = 'law')", "SELECT"),
    (
        "SELECT r.id FROM readers r JOIN readers q ON r.id = q.id AND EXISTS (SELECT 1 FROM readers WHERE genre = 'law')",
        "EXISTS",
    ),
    ("SELECT id, max(genre) OVER () AS m FROM readers", "PARTITION BY"),
    ("SELECT id, max(genre) OVER (PARTITION BY town) AS m FROM readers", "PARTITION BY"),
    ("SELECT id, row_number() OVER (ORDER BY born) AS n FROM readers", "PARTITION BY"),
    ("SELECT id, lag(book) OVER (PARTITION BY id ORDER BY pages) AS b FROM loans", "lag()"),
    ("SELECT id, sum(pages) OVER (PARTITION BY id ORDER BY book ROWS 1 PRECEDING) AS b FROM loans", "frame"),
    ("SELECT id FROM readers ORDER BY born LIMIT 1", "LIMIT"),
    ("SELECT id FROM readers LIMIT 3 OFFSET 2", "LIMIT"),
    ("SELECT DISTINCT genre FROM readers", "DISTINCT"),
    ("SELECT DISTINCT ON (town) genre FROM readers ORDER BY town, born", "DISTINCT"),
    ("SELECT town FROM readers UNION SELECT town FROM readers", "DISTINCT"),
    ("SELECT id FROM readers EXCEPT SELECT id FROM readers WHERE genre = 'law'", "EXCEPT"),
    ("SELECT id FROM readers INTERSECT SELECT id FROM readers WHERE genre = 'law'", "INTERSECT"),
    ("SELECT r.id FROM readers r LEFT SEMI JOIN readers q ON r.id = q.id", "SEMI JOIN"),
    ("SELECT r.id FROM readers r LEFT ANTI JOIN readers q ON r.town = q.town", "ANTI JOIN"),
    ("SELECT q.id FROM readers r RIGHT SEMI JOIN readers q ON r.town = q.town", "SEMI JOIN"),
    ("SELECT q.id FROM readers r RIGHT ANTI JOIN readers q ON r.town = q.town", "ANTI JOIN"),
    ("SELECT r.id FROM readers r LEFT JOIN readers q ON r.town = q.town", "two people"),
    ("SELECT r.id FROM readers r RIGHT JOIN readers q ON r.town = q.town", "two people"),
    ("SELECT r.id FROM readers r FULL JOIN readers q ON r.town = q.town", "two people"),
    ("SELECT r.id FROM readers r LEFT JOIN loans l ON r.id = l.id JOIN loans m ON l.id = m.id", "two people"),
    ("SELECT count(*) AS n FROM readers WHERE genre = 'law'", "an aggregate"),
    ("SELECT town, count(*) AS n FROM readers GROUP BY town", "an aggregate"),
    ("SELECT town, max(born) AS m FROM readers GROUP BY town HAVING max(born) > 1990", "an aggregate"),
    ("SELECT id, town, count(*) AS n FROM readers GROUP BY ROLLUP (id, town)", "ROLLUP"),
    ("SELECT id, town, count(*) AS n FROM readers GROUP BY GROUPING SETS ((id), (town))", "ROLLUP"),
    ("SELECT id, stddev(pages) AS s FROM loans GROUP BY id", "stddev()"),
    // generated rows
    ("SELECT r.id FROM readers r CROSS JOIN generate_series(1, 100)", "generated rows"),
    ("SELECT r.id FROM readers r JOIN generate_series(1, 100) g ON r.id = g.value", "generated rows"),
    ("SELECT r.id FROM readers r JOIN (VALUES (1), (2)) v(id) ON r.id = v.id", "VALUES"),
    ("SELECT id FROM readers UNION ALL SELECT * FROM (VALUES (1))", "VALUES"),
    ("SELECT id FROM readers UNION ALL SELECT 1", "without FROM"),
    ("SELECT * FROM (VALUES (1), (2)) v(id)", "nobody"),
    ("SELECT value FROM generate_series(1, 10)", "nobody"),
    ("WITH RECURSIVE t AS (SELECT id FROM readers UNION ALL SELECT id FROM t) SELECT id FROM t", "RECURSIVE"),
    // operators
    ("SELECT * FROM generalize((SELECT born, town FROM readers), quasi => (born), k => 2)", "generalize"),
    ("SELECT * FROM slice((SELECT born, town FROM readers), groups => (born, town), bucket => 3)", "slice"),
    (
        "SELECT * FROM randomize((SELECT town FROM readers), columns => ((town, 0.5, uniform('x', 'y'))))",
        "randomize",
    ),
    ("SELECT count FROM private(readers, count => true, epsilon => 0.1)", "released already"),
    (
        "SELECT r.id FROM readers r CROSS JOIN private(readers, count => true, epsilon => 0.1) p",
        "an answer of private",
    ),
    // in disguise
    (
        "WITH s AS (SELECT max(genre) AS g FROM readers) SELECT r.id FROM readers r, s WHERE s.g = 'law'",
        "an aggregate",
    ),
    ("WITH l AS (SELECT * FROM readers WHERE genre = 'law' LIMIT 1) SELECT id FROM l", "LIMIT"),
    ("SELECT id FROM (SELECT * FROM (SELECT DISTINCT * FROM readers) a) b", "DISTINCT"),
    (
        "SELECT r.id FROM readers r, LATERAL (SELECT max(pages) AS m FROM loans l WHERE l.id = r.id) x",
        "LATERAL",
    ),
    ("SELECT 0 AS __paravent_person_0 FROM readers", "__paravent_"),
    ("SELECT x.book FROM (SELECT 0 AS __paravent_person_0, book FROM loans) x", "__paravent_"),
    // a table without a person
    ("SELECT shelf FROM shelves", "no column id"),
    ("SELECT r.id FROM readers r JOIN shelves s ON r.genre = s.genre", "no column id"),
];

#[test]
fn what_depends_on_several_people_is_refused_by_name() {
    let mut session = session(Some("id"));
    let mut wrong = Vec::new();
    for (relation, part) in MIXED {
        for sql in [below(relation, PRIVATE), format!("EXPLAIN {}", below(relation, PRIVATE))] {
            match session.run(&sql) {
                Ok(_) => wrong.push(format!("{relation}: has an answer")),
                Err(error) if !error.to_string().contains(part) => {
                    wrong.push(format!("{relation}: {part:?} is not in: {error}"))
                }
                Err(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(ward::spent(&mut session), "0.01", "refusals cost nothing");
}

#[test]
fn where_a_row_is_a_person_even_more_is_refused() {
    let mut session = session(None);
    for (relation, part) in [
        ("SELECT r.id FROM readers r JOIN readers q ON r.id = q.id", "[privacy] person"),
        ("SELECT r.id FROM readers r JOIN loans l USING (id)", "[privacy] person"),
        ("SELECT id, count(*) AS n FROM readers GROUP BY id", "[privacy] person"),
        ("SELECT id, max(born) OVER (PARTITION BY id) AS n FROM readers", "[privacy] person"),
        ("SELECT r.id FROM readers r CROSS JOIN generate_series(1, 100)", "generated rows"),
        ("SELECT id FROM readers ORDER BY born LIMIT 1", "LIMIT"),
    ] {
        let told = refusal(&mut session, &below(relation, PRIVATE));
        assert!(told.contains(part), "{relation}: {told}");
    }
}

#[test]
fn the_asker_cannot_say_who_is_a_person() {
    let mut with = session(Some("id"));
    let told = refusal(
        &mut with,
        &below("SELECT id, town FROM readers", "count => true, epsilon => 0.5, person => town"),
    );
    assert!(told.contains("the job declares id"), "{told}");
    with.run(&below("SELECT town FROM readers", "count => true, epsilon => 0.5, person => id")).unwrap();
    let mut without = session(None);
    let told = refusal(
        &mut without,
        &below("SELECT id FROM readers", "count => true, epsilon => 0.5, person => id"),
    );
    assert!(told.contains("[privacy] person"), "{told}");
}

#[test]
fn refusals_are_the_same_on_every_table() {
    let mut session = session(Some("id"));
    let mut empty = ward::empty(Some("id"));
    for (relation, _) in MIXED {
        let sql = below(relation, PRIVATE);
        assert_eq!(refusal(&mut session, &sql), refusal(&mut empty, &sql), "{relation}");
    }
}
