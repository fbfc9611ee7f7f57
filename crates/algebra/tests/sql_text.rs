//! A rewritten plan as a statement: it runs again, and gives the same.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::rules::{Choice, Switches, catalogue};
use paravent_algebra::session::{Answer, Cell, Session, Wish, Written};
use std::fs;
use tempfile::TempDir;

fn place() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let (mut p, mut v) = (String::from("id,age,sex,illness,Pay\n"), String::from("id,ward,cost\n"));
    for i in 0..24 {
        p.push_str(&format!(
            "{i},{},{},{},{}\n",
            20 + i % 2,
            ["f", "m"][i % 2],
            ["flu", "gout", "co'ld"][i % 3],
            i * 7 % 24
        ));
        v.push_str(&format!("{},{},{}\n", i % 20, ["a", "b"][i % 2], i));
    }
    fs::write(folder.path().join("p.csv"), p).unwrap();
    fs::write(folder.path().join("v.csv"), v).unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    session.keep_book(paravent_algebra::ledger::Book::in_memory(
        paravent_noise::budget::Cost::parse("1000000", Some("0.9")).unwrap(),
    ));
    for name in ["p", "v"] {
        session.register_file(None, &folder.path().join(format!("{name}.csv"))).unwrap();
    }
    session.run("SET paravent.seed = 5").unwrap();
    session.run("SET paravent.partial = true").unwrap();
    (folder, session)
}

fn cells(answer: &Answer) -> Vec<Vec<String>> {
    let text = |cell: &Cell| match cell {
        Cell::Missing => "NULL".to_owned(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Number(text) | Cell::Text(text) => text.clone(),
    };
    let mut rows: Vec<Vec<String>> =
        answer.cells().unwrap().iter().map(|row| row.iter().map(text).collect()).collect();
    rows.sort();
    rows
}

/// Statements with every node that has a form.
const STATEMENTS: &[&str] = &[
    "SELECT age, illness FROM p WHERE \"Pay\" > 3 ORDER BY age, illness LIMIT 7 OFFSET 1",
    "SELECT sex, count(*) AS n, avg(\"Pay\") AS m, count(DISTINCT age) FROM p GROUP BY sex HAVING count(*) > 1",
    "SELECT DISTINCT illness FROM p UNION ALL SELECT ward FROM v",
    "SELECT p.id, v.id, cost FROM p JOIN v ON p.id = v.id AND cost > 5",
    "SELECT p.id, v.cost FROM p LEFT JOIN v ON p.id = v.id",
    "SELECT p.id, v.cost FROM p FULL JOIN v USING (id)",
    "SELECT illness FROM p INTERSECT SELECT 'flu'",
    "SELECT id FROM p EXCEPT SELECT id FROM v",
    "SELECT a.id FROM p a LEFT ANTI JOIN v ON a.id = v.id",
    "SELECT id, row_number() OVER (PARTITION BY sex ORDER BY \"Pay\" DESC) AS n FROM p",
    "SELECT DISTINCT ON (sex) sex, id FROM p ORDER BY sex, id DESC",
    "SELECT CASE WHEN age = 20 THEN 'x' ELSE illness END AS c, upper(sex) || '!' AS u, CAST(\"Pay\" AS VARCHAR) AS t FROM p",
    "SELECT * FROM (VALUES ('a', 1), ('b', 2)) AS t(x, y)",
    "SELECT 1 + 1 AS two",
    "WITH s AS (SELECT sex, age FROM p) SELECT a.sex, b.age FROM s a CROSS JOIN s b WHERE a.age <> b.age",
    "SELECT age FROM generalize(p, quasi => (age, sex), k => 4)",
    "SELECT age, sex, illness FROM generalize((SELECT * FROM p WHERE \"Pay\" < 20), quasi => (age, sex), k => 3, metric => 'loss')",
    "SELECT age, sex, illness FROM generalize(p, quasi => (age, sex), k => 3, metric => 'loss', recoding => 'local', moves => 50)",
    "SELECT age, illness FROM generalize(p, quasi => (age, sex, illness), k => 3, metric => 'loss', recoding => 'cells')",
    "SELECT sex, illness FROM generalize(p, quasi => (age, sex), k => 2, l => 2, sensitive => illness, suppression => 0.1)",
    "SELECT sex, illness FROM generalize(p, quasi => (age, sex), models => '[{ model = \"k-anonymity\", k = 2 }, { model = \"beta-likeness\", attribute = \"illness\", beta = 2.5 }]')",
    "SELECT sex, count(*) FROM randomize((SELECT sex, illness FROM p), columns => ((sex, 0.3, uniform('f', 'm')), (illness, 0.1, learnt))) GROUP BY sex",
    "SELECT sex FROM randomize((SELECT sex, age FROM p), columns => ((sex, 0.25, given(('f', 0.5), ('m', 0.5)))))",
    "SELECT age FROM randomize((SELECT age FROM p), columns => ((age, 1/4, steps((-1, 0.5), (1, 0.5), tails => cyclic, domain => ('20', '21')))))",
    "SELECT * FROM slice((SELECT age, sex, illness FROM p), groups => ((age, sex), (illness)), bucket => 12)",
    "SELECT age, illness FROM slice((SELECT age, sex, illness FROM p ORDER BY id), groups => ((age, sex), (illness)), buckets => 2, minimum => 3)",
    "SELECT g.age, w.cost FROM generalize(p, quasi => (age, sex), k => 4) AS g LEFT JOIN v AS w ON g.id = w.id",
    "SELECT age FROM generalize(p, quasi => (age, sex), k => 4) UNION ALL SELECT age FROM generalize(p, quasi => (age, sex), k => 6)",
];

#[test]
fn a_written_plan_runs_again_and_gives_the_same() {
    let (_folder, mut session) = place();
    let rules: Vec<Choice> = catalogue().into_iter().filter_map(|rule| rule.card().id.parse().ok()).collect();
    for sql in STATEMENTS {
        let before = session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        for wish in
            [Wish::InTurn(Vec::new()), Wish::Cheaper(Switches::default()), Wish::InTurn(rules.clone())]
        {
            let in_turn = matches!(&wish, Wish::InTurn(steps) if !steps.is_empty());
            let done = session.rewrite(Written::Sql((*sql).to_owned()), wish).unwrap();
            let written = done.sql.unwrap_or_else(|problem| panic!("{sql}: {problem}"));
            let after = session.run(&written).unwrap_or_else(|error| panic!("{sql}\n  {written}\n  {error}"));
            assert_eq!(after.rows(), before.rows(), "{sql}\n  {written}");
            // Rules by name may choose other labels and another mixture; a plan that is only written down may not.
            if !in_turn {
                assert_eq!(cells(&after), cells(&before), "{sql}\n  {written}");
            }
            // Writing it once more changes nothing that matters.
            let again = session.rewrite(Written::Sql(written.clone()), Wish::InTurn(Vec::new())).unwrap();
            assert!(again.sql.is_ok(), "{written}");
        }
    }
}

#[test]
fn noisy_figures_are_written_with_their_bounds() {
    let (_folder, mut session) = place();
    let sql = "SELECT * FROM private(p, by => (sex), keys => ('f', 'm'), count => true, sum => (\"Pay\", -0.5, 23.25), avg => (age, 0, 99), epsilon => 0.5, delta => 0.01, contribution => 1)";
    let done = session.rewrite(Written::Sql(sql.to_owned()), Wish::InTurn(Vec::new())).unwrap();
    let written = done.sql.unwrap();
    for part in [
        "sum => (\"Pay\", -0.50, 23.25)",
        "avg => (\"age\", 0, 99)",
        "keys => ('f', 'm')",
        "epsilon => 0.5, delta => 0.01, contribution => 1",
    ] {
        assert!(written.contains(part), "{written}");
    }
    assert_eq!(session.run(&written).unwrap().rows(), 2);
}

#[test]
fn what_has_no_form_is_refused_by_name() {
    let (_folder, mut session) = place();
    for (sql, why) in [
        ("SELECT id FROM p WHERE id IN (SELECT id FROM v)", "asks another query"),
        ("SELECT value FROM generate_series(1, 3)", "in part"),
        ("SELECT sex, count(*) FROM p GROUP BY ROLLUP (sex)", "several ways"),
        (
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
            "RecursiveQuery",
        ),
    ] {
        let done = session.rewrite(Written::Sql(sql.to_owned()), Wish::InTurn(Vec::new())).unwrap();
        let problem = done.sql.unwrap_err().to_string();
        assert!(problem.contains(why), "{sql}: {problem}");
    }
}
