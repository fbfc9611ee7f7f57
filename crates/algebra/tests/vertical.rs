//! The rules for joins, end to end: tables that are split by columns, joined in every way that SQL has.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::rules::{Choice, Direction, Kind, Way, catalogue};
use paravent_algebra::session::{Rewriting, Session, Wish, Written};
use std::fs;
use tempfile::TempDir;

/// People in two tables, and the wards of some of them.
fn place() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let (mut left, mut right) = (String::from("id,age,sex\n"), String::from("id,zip,illness\n"));
    for i in 0..12 {
        left.push_str(&format!("{i},{},{}\n", 20 + i % 3, ["f", "m"][i % 2]));
        right.push_str(&format!("{i},z{},{}\n", i % 2, ["flu", "gout"][i % 2]));
    }
    let mut session = Session::new(Catalog::empty()).unwrap();
    for (name, text) in [("p", left), ("q", right)] {
        let path = folder.path().join(format!("{name}.csv"));
        fs::write(&path, text).unwrap();
        session.register_file(None, &path).unwrap();
    }
    session.set("partial", "true").unwrap();
    (folder, session)
}

/// The same join in every way it can be written.
const JOINS: [&str; 6] = [
    "p JOIN q USING (id)",
    "p JOIN q ON p.id = q.id",
    "p JOIN q ON q.id = p.id",
    "p INNER JOIN q ON (p.id = q.id)",
    "p, q WHERE p.id = q.id",
    "p CROSS JOIN q WHERE q.id = p.id",
];

fn rewritten(session: &mut Session, sql: &str, rule: &str, way: Way) -> Rewriting {
    let choice: Choice = rule.parse().unwrap();
    let choice = Choice { way: Some(way), ..choice };
    session
        .rewrite(Written::Sql(sql.to_owned()), Wish::InTurn(vec![choice]))
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[track_caller]
fn applies(session: &mut Session, sql: &str, rule: &str, way: Way) {
    let done = rewritten(session, sql, rule, way);
    let applied: Vec<&str> = done.trace.applied().map(|step| step.rule).collect();
    assert_eq!(applied, [rule], "{way}: {sql}\n{}\n{}", done.before, done.trace);
}

#[test]
fn every_rule_for_joins_is_tried_here() {
    let with_join = catalogue().into_iter().filter(|rule| {
        let card = rule.card();
        card.statement.contains('⋈') && card.direction != Direction::None && card.kind != Kind::None
    });
    let ids: Vec<&str> = with_join.map(|rule| rule.card().id).filter(|id| !id.starts_with('C')).collect();
    assert_eq!(ids, ["G16", "G17", "S9", "D13"]);
}

#[test]
fn g16_and_g17_see_a_join_however_it_is_written() {
    let (_folder, mut session) = place();
    for join in JOINS {
        // With USING, * leaves out one of the two ids: a projection stands between.
        if !join.contains("USING") {
            let all =
                format!("SELECT age FROM generalize((SELECT * FROM {join}), quasi => (age, sex), k => 2)");
            applies(&mut session, &all, "G16", Way::LeftToRight);
        }
        let narrow = format!(
            "SELECT * FROM generalize((SELECT age, sex, zip FROM {join}), quasi => (age, sex), k => 2)"
        );
        applies(&mut session, &narrow, "G17", Way::LeftToRight);
        let outer = format!(
            "SELECT age, sex, zip FROM {}",
            join.replacen('p', "generalize(p, quasi => (age, sex), k => 2) AS p", 1)
        );
        applies(&mut session, &outer, "G17", Way::RightToLeft);
    }
}

#[test]
fn s9_sees_a_join_however_it_is_written() {
    let (_folder, mut session) = place();
    for join in JOINS {
        let left = format!(
            "SELECT * FROM slice((SELECT age, sex, zip, illness FROM {join}), groups => ((age, sex), (zip, illness)), buckets => 1)"
        );
        applies(&mut session, &left, "S9", Way::LeftToRight);
        let sides = join
            .replacen('p', "slice(p, groups => (id, (age, sex)), buckets => 1) AS p", 1)
            .replacen(" q", " slice(q, groups => (id, (zip, illness)), buckets => 1) AS q", 1);
        applies(&mut session, &format!("SELECT age, sex, zip, illness FROM {sides}"), "S9", Way::RightToLeft);
    }
}

#[test]
fn d13_sees_a_join_however_it_is_written() {
    let (_folder, mut session) = place();
    for join in JOINS {
        let noise = "((sex, 0.2, uniform('f', 'm')), (illness, 0.1, uniform('flu', 'gout')))";
        let left = format!(
            "SELECT * FROM randomize((SELECT age, sex, zip, illness FROM {join}), columns => {noise})"
        );
        applies(&mut session, &left, "D13", Way::LeftToRight);
        let sides = join
            .replacen('p', "randomize(p, columns => ((sex, 0.2, uniform('f', 'm')))) AS p", 1)
            .replacen(" q", " randomize(q, columns => ((illness, 0.1, uniform('flu', 'gout')))) AS q", 1);
        applies(
            &mut session,
            &format!("SELECT age, sex, zip, illness FROM {sides}"),
            "D13",
            Way::RightToLeft,
        );
    }
}

#[test]
fn what_is_no_equation_between_the_sides_stays_a_condition() {
    let (_folder, mut session) = place();
    for join in
        ["p, q WHERE p.id = q.id + 0", "p JOIN q ON p.id <= q.id", "p, q WHERE p.id = q.id OR q.zip = 'z1'"]
    {
        let sql = format!(
            "SELECT * FROM generalize((SELECT age, sex, zip FROM {join}), quasi => (age, sex), k => 2)"
        );
        let done = rewritten(&mut session, &sql, "G17", Way::LeftToRight);
        assert!(!done.changed(), "{join}: {}", done.after);
    }
    // Three relations: each equation goes to the join of its two.
    let three = "SELECT * FROM generalize((SELECT p.age, p.sex, q.zip FROM p, q, q AS r WHERE r.id = q.id AND p.id = q.id AND r.zip = 'z1'), \
                 quasi => (age, sex), k => 2)";
    let done = rewritten(&mut session, three, "G9", Way::LeftToRight);
    assert!(done.after.contains("⋈[p.id = q.id]") || done.after.matches("⋈").count() == 2, "{}", done.after);
    assert!(!done.after.contains('×'), "{}", done.after);
}
