//! Attacks that are refused by their name, before anything is read.

/// Statements, and a word of their refusal.
pub const REFUSED: &[(&str, &str)] = &[
    // 1, 2: what is denied, shown or in a condition
    ("SELECT name FROM patients", "no-names"),
    ("SELECT id, count(*) FROM patients GROUP BY id", "no-names"),
    ("SELECT count(*) FROM patients WHERE name = 'n17' AND diagnosis = 'hiv'", "not allowed by"),
    (
        "SELECT count(*) FROM patients WHERE diagnosis = 'hiv'",
        "conditions on diagnosis: not allowed by diagnosis",
    ),
    ("SELECT count(*) FROM patients WHERE salary = 1000", "conditions on salary"),
    ("SELECT shoe_size, count(*) FROM patients GROUP BY shoe_size", "no rule allows it"),
    // 3: everything
    ("SELECT * FROM patients WHERE age = 34", "* is refused"),
    ("SELECT count(*) FROM patients WHERE age BETWEEN 30 AND 34", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE age < 34", "condition of this kind"),
    // 4, 26: order and limits
    ("SELECT age FROM patients ORDER BY salary DESC LIMIT 1", "ORDER BY is refused"),
    ("SELECT age FROM patients LIMIT 1 OFFSET 3", "LIMIT"),
    ("SELECT age FROM patients FETCH FIRST 1 ROWS ONLY", "FETCH"),
    // 5, 23: extremes and collections
    ("SELECT min(salary), max(salary) FROM patients", "expression of this kind"),
    ("SELECT median(salary) FROM patients", "expression of this kind"),
    ("SELECT array_agg(age) FROM patients", "expression of this kind"),
    ("SELECT string_agg(name, ',') FROM patients", "expression of this kind"),
    ("SELECT first_value(age) FROM patients", "expression of this kind"),
    ("SELECT count(DISTINCT name) FROM patients", "expression of this kind"),
    ("SELECT count(name) FROM patients", "expression of this kind"),
    ("SELECT sum(age) FROM patients", "sum of age: not allowed by age"),
    ("SELECT count(*) FILTER (WHERE sex = 'f') FROM patients", "expression of this kind"),
    // 7: what is left out
    ("SELECT count(*) FROM patients WHERE NOT (age = '30-39' AND sex = 'f')", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex <> 'f'", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex NOT IN ('f')", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex = 'f' OR sex = 'm'", "condition of this kind"),
    // 8: times
    ("SELECT count(*) FROM patients WHERE admitted < '2026-03-02'", "condition of this kind"),
    // 13, 19: subqueries
    (
        "SELECT count(*) FROM patients WHERE (SELECT count(*) FROM patients u WHERE u.name = 'n17') = 1",
        "condition of this kind",
    ),
    ("SELECT count(*) FROM patients WHERE id IN (SELECT id FROM patients)", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE EXISTS (SELECT 1 FROM patients)", "condition of this kind"),
    ("SELECT (SELECT count(*) FROM patients) FROM patients", "expression of this kind"),
    ("SELECT count(*) FROM generate_series(1, 1000000000)", "function in FROM"),
    ("SELECT * FROM private(patients, by => (sex), count => true, epsilon => 100)", "refused"),
    ("SELECT count(*) FROM (SELECT * FROM patients) p", "anything but a table"),
    // 14, 22: joins
    ("SELECT count(*) FROM patients p JOIN patients q ON q.age = '30-39'", "joined with itself"),
    ("SELECT count(*) FROM patients, patients q", "a list of tables"),
    ("SELECT count(*) FROM patients JOIN (VALUES ('n17')) v(n) ON v.n = name", "anything but a table"),
    // 15, 16, 21: windows, existence, HAVING
    ("SELECT avg(m) FROM (SELECT max(salary) OVER () AS m FROM patients) t", "anything but a table"),
    ("SELECT sum(salary) OVER () FROM patients", "a window"),
    ("SELECT DISTINCT diagnosis FROM patients", "DISTINCT is refused"),
    ("SELECT diagnosis FROM patients EXCEPT SELECT diagnosis FROM patients", "UNION, EXCEPT and INTERSECT"),
    ("SELECT age, count(*) FROM patients GROUP BY age HAVING max(salary) > 8000", "HAVING is refused"),
    ("SELECT age, count(*) FROM patients GROUP BY ROLLUP (age)", "refused"),
    // 17, 18: errors, casts, overflow, memory, patterns
    ("SELECT CASE WHEN zip = '10***' THEN 1/0 END FROM patients", "expression of this kind"),
    ("SELECT CAST(diagnosis AS INT) FROM patients", "expression of this kind"),
    ("SELECT exp(1000) FROM patients", "expression of this kind"),
    ("SELECT count(*) FROM patients WHERE repeat('x', 1000000000) = sex", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex ~ '(a+)+$'", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex LIKE 'f%'", "condition of this kind"),
    ("SELECT sum(salary * 1000) FROM patients", "expression of this kind"),
    // 11: conditions in disguise
    ("SELECT count(*) FROM patients WHERE sex || '' = 'f'", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex = 'f' AND 1 = 1", "condition of this kind"),
    ("SELECT count(*) FROM patients WHERE sex = sex", "condition of this kind"),
    // 20, 27: the catalog, settings, EXPLAIN
    ("EXPLAIN SELECT count(*) FROM patients", "EXPLAIN is not answered"),
    ("EXPLAIN ANALYZE SELECT count(*) FROM patients", "no SQL statement"),
    ("SELECT reltuples FROM pg_catalog.pg_class", "catalog is not shown"),
    ("SELECT table_name FROM information_schema.tables", "catalog is not shown"),
    ("SELECT count(*) FROM pg_stats", "no table of that name"),
    ("SHOW TABLES", "catalog is not shown"),
    ("SET paravent.seed = 1", "settings cannot be changed"),
    // 24: disguise
    ("WITH p AS (SELECT name FROM patients) SELECT name FROM p", "WITH"),
    ("WITH RECURSIVE p AS (SELECT 1) SELECT count(*) FROM p", "WITH"),
    ("SELECT count(*) FROM patients, LATERAL (SELECT 1) l", "a list of tables"),
    ("SELECT 1", "without a table"),
    ("VALUES (1)", "VALUES"),
    // 25: parameters that are not bound
    ("SELECT count(*) FROM patients WHERE zip = $1", "condition of this kind"),
    // statements that write
    ("DROP TABLE patients", "no SQL statement"),
    ("INSERT INTO patients SELECT * FROM patients", "no SQL statement"),
    ("SELECT count(*) FROM patients; SELECT name FROM patients", "no SQL statement"),
];
