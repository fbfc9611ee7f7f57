//! What stands below `private` and is about people has the right answer, within its noise.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_algebra::lower::Account;
use ward::{cells, figure, session};

/// Noise of scale c/50: beyond ten scales once in 20,000 times a thousand.
fn close(found: f64, truth: f64, contribution: f64) -> bool {
    (found - truth).abs() <= 1.0 + contribution
}

#[test]
fn accepted_relations_have_the_right_figures() {
    let mut session = session(Some("id"));
    let mut wrong = Vec::new();
    // relation, contribution, rows that count; readers i = 0 … 999 have i mod 5 loans each
    for (relation, contribution, truth) in [
        ("SELECT * FROM readers", 1, 1_000.0),
        ("SELECT town FROM readers WHERE genre = 'law'", 1, 334.0),
        ("SELECT born FROM (SELECT town AS t, born FROM readers) AS r WHERE t = 'x' ORDER BY born", 1, 500.0),
        ("WITH c AS (SELECT * FROM readers WHERE born < 1960) SELECT town FROM c", 1, 250.0),
        ("SELECT book FROM loans", 1, 800.0),
        ("SELECT book FROM loans", 2, 1_400.0),
        ("SELECT book FROM loans", 9, 2_000.0),
        ("SELECT l.book FROM readers r JOIN loans l ON r.id = l.id", 9, 2_000.0),
        ("SELECT l.book FROM readers r JOIN loans l USING (id)", 9, 2_000.0),
        ("SELECT l.book FROM readers r NATURAL JOIN loans l", 9, 2_000.0),
        ("SELECT l.book FROM readers r, loans l WHERE r.id = l.id AND l.pages > 0", 9, 1_200.0),
        (
            "SELECT l.book FROM readers r, loans l, loans m WHERE r.id = l.id AND l.id = m.id AND l.pages = m.pages",
            9,
            2_000.0,
        ),
        ("SELECT l.book FROM loans l JOIN loans m ON l.id = m.id", 100, 6_000.0),
        ("SELECT l.book FROM loans l JOIN loans m ON l.id = m.id", 1, 800.0),
        ("SELECT l.book FROM readers r LEFT JOIN loans l ON r.id = l.id", 9, 2_200.0),
        ("SELECT l.book FROM loans l RIGHT JOIN readers r ON r.id = l.id AND l.pages = 0", 9, 1_000.0),
        ("SELECT l.book FROM loans l FULL JOIN readers r ON r.id = l.id", 9, 2_200.0),
        // Rows without a partner, which the engine loses of a right join.
        ("SELECT r.town FROM loans l RIGHT JOIN readers r ON r.id = l.id WHERE l.id IS NULL", 9, 200.0),
        ("SELECT r.town FROM readers r LEFT JOIN loans l ON r.id = l.id WHERE l.id IS NULL", 9, 200.0),
        ("SELECT r.town FROM loans l FULL JOIN readers r ON r.id = l.id WHERE l.id IS NULL", 9, 200.0),
        ("SELECT id FROM readers UNION ALL SELECT id FROM readers", 1, 1_000.0),
        ("SELECT id FROM readers UNION ALL SELECT id FROM readers", 2, 2_000.0),
        ("SELECT town AS t FROM readers UNION ALL SELECT book FROM loans", 9, 3_000.0),
        (
            "SELECT l.id FROM (SELECT id FROM readers UNION ALL SELECT id FROM loans) l JOIN readers r ON l.id = r.id",
            9,
            3_000.0,
        ),
        ("SELECT id, count(*) AS n FROM loans GROUP BY id", 1, 800.0),
        ("SELECT id, count(*) AS n FROM loans GROUP BY id HAVING count(*) > 2", 1, 400.0),
        (
            "SELECT id AS reader, count(DISTINCT book) AS n FROM loans GROUP BY id HAVING count(DISTINCT book) = 4",
            1,
            200.0,
        ),
        ("SELECT id, book, max(pages) AS n FROM loans GROUP BY id, book", 9, 2_000.0),
        (
            "SELECT r.town FROM readers r JOIN (SELECT id, sum(pages) AS p FROM loans GROUP BY id) l ON r.id = l.id WHERE l.p >= 3",
            1,
            400.0,
        ),
        (
            "SELECT book FROM (SELECT book, row_number() OVER (PARTITION BY id ORDER BY pages DESC) AS n FROM loans) WHERE n = 1",
            9,
            800.0,
        ),
        (
            "SELECT book FROM (SELECT book, rank() OVER (PARTITION BY id ORDER BY pages) AS n FROM loans) WHERE n <= 2",
            9,
            1_400.0,
        ),
        (
            "SELECT book FROM (SELECT book, count(*) OVER (PARTITION BY id) AS n FROM loans) WHERE n = 4",
            9,
            800.0,
        ),
        (
            "SELECT CASE WHEN town LIKE 'x%' THEN upper(genre) END AS g FROM readers WHERE town IN ('x', 'y') AND born BETWEEN 1950 AND 1959",
            1,
            250.0,
        ),
    ] {
        let sql = format!(
            "SELECT * FROM private(({relation}), count => true, epsilon => 50, contribution => {contribution})"
        );
        match session.run(&sql) {
            Err(error) => wrong.push(format!("{relation}: {error}")),
            Ok(answer) => {
                let found: f64 = cells(&answer)[0][0].parse().unwrap();
                if !close(found, truth, f64::from(contribution)) {
                    wrong.push(format!("{relation}, {contribution}: {found} instead of {truth}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sums_and_means_per_person_are_right() {
    let mut session = session(Some("id"));
    // Each reader with n loans has pages 0 + … + n−1 and prices half a unit more.
    for (relation, argument, truth) in [
        ("SELECT pages FROM loans", "sum => (pages, 0, 10), contribution => 9", 2_000.0),
        ("SELECT id, sum(pages) AS p FROM loans GROUP BY id", "sum => (p, 0, 10)", 2_000.0),
        ("SELECT id, sum(price) AS p FROM loans GROUP BY id", "sum => (p, 0.0, 10)", 3_000.0),
        ("SELECT id, avg(price) AS p FROM loans GROUP BY id", "avg => (p, 0.0, 10)", 1.25),
        ("SELECT id, avg(pages) AS p FROM loans GROUP BY id", "avg => (p, 0.0, 10)", 0.75),
        ("SELECT id, sum(pages) OVER (PARTITION BY id) AS p FROM loans", "avg => (p, 0, 10)", 2.5),
        ("SELECT born FROM readers", "avg => (born, 1900, 2000)", 1969.5),
    ] {
        let found =
            figure(&mut session, &format!("SELECT * FROM private(({relation}), {argument}, epsilon => 100)"));
        // With nine rows of one person the noise is nine times as wide: 0.9 at ε = 100, so 20 is never reached by chance.
        let share = if argument.contains("contribution") { 0.01 } else { 0.002 };
        assert!(
            (found - truth).abs() <= truth.abs() * share + 0.05,
            "{relation}: {found} instead of {truth}"
        );
    }
}

#[test]
fn where_a_row_is_a_person_copies_make_the_noise_larger() {
    let mut session = session(None);
    let noise = |session: &mut paravent_algebra::session::Session, relation: &str| {
        let answer = session
            .run(&format!("SELECT * FROM private(({relation}), count => true, epsilon => 1)"))
            .unwrap();
        let Account::Private(account) = &answer.accounts[0] else { panic!("one account") };
        (cells(&answer)[0][0].parse::<f64>().unwrap(), account.figures[0].noise.clone().unwrap())
    };
    let (one, scale) = noise(&mut session, "SELECT town FROM readers");
    assert!((one - 1_000.0).abs() < 50.0);
    assert_eq!(scale, "discrete Laplace, scale 1");
    let thrice = "SELECT id FROM readers UNION ALL SELECT id FROM readers UNION ALL SELECT id FROM readers WHERE town = 'x'";
    let (copies, scale) = noise(&mut session, thrice);
    assert!((copies - 2_500.0).abs() < 150.0);
    assert_eq!(scale, "discrete Laplace, scale 3");
}

#[test]
fn groups_are_made_of_the_rows_that_count() {
    let mut session = session(Some("id"));
    let by = |contribution: u32| {
        format!(
            "SELECT * FROM private((SELECT l.book FROM readers r JOIN loans l ON r.id = l.id), by => (book), \
             keys => ('a', 'b', 'c', 'd'), count => true, epsilon => 50, contribution => {contribution})"
        )
    };
    for (contribution, truth) in [(1, [800.0, 0.0, 0.0, 0.0]), (9, [800.0, 600.0, 400.0, 200.0])] {
        let answer = session.run(&by(contribution)).unwrap();
        for (row, truth) in cells(&answer).iter().zip(truth) {
            assert!(close(row[1].parse().unwrap(), truth, f64::from(contribution)), "{row:?}, {truth}");
        }
    }
    // Everybody is a group of their own: none is shown, however often a person's rows are multiplied.
    let sql = "SELECT * FROM private((SELECT l.id FROM loans l JOIN loans m ON l.id = m.id JOIN loans n ON n.id = l.id), by => (id), \
               count => true, epsilon => 0.5, delta => 0.000000001, contribution => 5)";
    assert_eq!(cells(&session.run(sql).unwrap()).len(), 0);
}

#[test]
fn rows_without_a_person_are_left_out() {
    let mut session = session(Some("id"));
    let found = figure(
        &mut session,
        "SELECT * FROM private((SELECT * FROM loans WHERE id IS NULL), count => true, epsilon => 50, contribution => 100)",
    );
    assert!(close(found, 0.0, 20.0), "{found}");
}

#[test]
fn a_person_of_several_columns_is_one_key() {
    let mut session = session(Some("id"));
    drop(std::mem::replace(&mut session, ward::of_several()));
    let all = "SELECT * FROM private((SELECT a.x FROM t a JOIN t b ON a.house = b.house AND a.name = b.name), count => true, epsilon => 50, contribution => 9)";
    // Two people with two rows each have four pairs each, one with one row has one.
    assert!(close(figure(&mut session, all), 9.0, 9.0));
    let one = all.replace("contribution => 9", "contribution => 1");
    assert!(close(figure(&mut session, &one), 3.0, 1.0));
    let half = "SELECT * FROM private((SELECT a.x FROM t a JOIN t b ON a.house = b.house), count => true, epsilon => 50)";
    let told = ward::refusal(&mut session, half);
    assert!(told.contains("a.house = b.house AND a.name = b.name"), "{told}");
    session.run("SELECT * FROM private(t, count => true, epsilon => 1, person => (name, house))").unwrap();
    ward::refusal(&mut session, "SELECT * FROM private(t, count => true, epsilon => 1, person => name)");
}
