//! Rules that are applied by name and run, at a place, and plans in XML that run.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::rules::Choice;
use paravent_algebra::session::{Answer, Cell, Session, Wish, Written};
use paravent_noise::budget::Cost;
use std::fs;
use tempfile::TempDir;

fn place() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let (mut people, mut more) = (String::from("id,age,sex\n"), String::from("id,illness\n"));
    for i in 0..12 {
        people.push_str(&format!("{i},a{},{}\n", i % 3, ["f", "m"][i % 2]));
        more.push_str(&format!("{i},{}\n", ["flu", "gout"][i / 6]));
    }
    let mut session = Session::new(Catalog::empty()).unwrap();
    // With probability 0 cells stay as they are, which no ε bounds.
    let limit = Cost::parse("1000000", None).unwrap();
    session.keep_book(Book::in_memory(limit).allowing_unbounded());
    for (name, text) in [("p", people), ("q", more)] {
        let path = folder.path().join(format!("{name}.csv"));
        fs::write(&path, text).unwrap();
        session.register_file(None, &path).unwrap();
    }
    (folder, session)
}

fn choices(names: &[&str]) -> Vec<Choice> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn used(answer: &Answer) -> Vec<&str> {
    answer.trace.applied().map(|step| step.rule).collect()
}

fn rows(answer: &Answer) -> Vec<Vec<Cell>> {
    answer.cells().unwrap()
}

const JOINED: &str = "SELECT * FROM randomize((SELECT age, sex, illness FROM p JOIN q ON p.id = q.id), \
                      columns => ((sex, 0.5, uniform('f', 'm')), (illness, 0, uniform('flu', 'gout'))))";

#[test]
fn a_rule_of_ones_choice_is_applied_and_run() {
    let (_folder, mut session) = place();
    session.apply_in_turn(choices(&["D13", "S8"]));
    let answer = session.run(JOINED).unwrap();
    assert_eq!(used(&answer), ["D13"]);
    assert_eq!(answer.rows(), 12);
    assert!(
        answer.notes.iter().any(|note| note.starts_with("Rule S8 was not applied")),
        "{:?}",
        answer.notes
    );
    // One that owes a check is checked.
    session.set("partial", "true").unwrap();
    session.apply_in_turn(choices(&["G16"]));
    let all =
        "SELECT age FROM generalize((SELECT * FROM p JOIN q ON p.id = q.id), quasi => (age, sex), k => 2)";
    let answer = session.run(all).unwrap();
    assert_eq!((used(&answer), answer.rows()), (vec!["G16"], 12));
    session.apply_in_turn(Vec::new());
    assert!(!used(&session.run(JOINED).unwrap()).contains(&"D13"), "it does not pay");
}

#[test]
fn a_rule_at_a_place_leaves_the_rest_alone() {
    let (_folder, mut session) = place();
    let part = "SELECT age FROM randomize(p, columns => ((age, 0, uniform('a0', 'a1', 'a2'))))";
    let both = format!("{part} UNION ALL {part}");
    for (name, times) in [("D9", 2), ("D9@root.0", 1), ("D9@root.1", 1), ("D9@root.7", 0)] {
        let done = session.rewrite(Written::Sql(both.clone()), Wish::InTurn(choices(&[name]))).unwrap();
        let places: Vec<String> = done.trace.applied().map(|step| step.place.to_string()).collect();
        assert_eq!(places.len(), times, "{name}: {}", done.trace);
        let prefix = name.split_once('@').map_or("root", |(_, place)| place);
        assert!(places.iter().all(|place| place.starts_with(prefix)), "{name}: {places:?}");
    }
}

#[test]
fn a_plan_in_xml_is_run_over_the_tables_of_its_name() {
    let (_folder, mut session) = place();
    let sql = "SELECT age, sex FROM p WHERE sex = 'f'";
    let written =
        session.rewrite(Written::Sql(sql.to_owned()), Wish::InTurn(Vec::new())).unwrap().xml.unwrap();
    let (from_xml, from_sql) = (session.run_xml(&written).unwrap(), session.run(sql).unwrap());
    let sorted = |answer: &Answer| {
        let mut lines: Vec<String> = rows(answer)
            .into_iter()
            .map(|row| {
                row.iter()
                    .map(|cell| if let Cell::Text(text) = cell { text.clone() } else { String::new() })
                    .collect()
            })
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&from_xml), sorted(&from_sql));
    let generalized =
        "SELECT age, sex FROM generalize((SELECT age, sex FROM p), quasi => (age, sex), k => 4)";
    let written =
        session.rewrite(Written::Sql(generalized.to_owned()), Wish::InTurn(Vec::new())).unwrap().xml.unwrap();
    assert_eq!(session.run_xml(&written).unwrap().rows(), 12);
    assert!(session.run_xml(&written.replace("\"p\"", "\"absent\"")).is_err());
    assert!(session.run_xml("<nonsense/>").is_err());
}
