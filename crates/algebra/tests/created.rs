//! Quasi-identifiers that a join creates are found in the joined rows, and warned of.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::catalog::MemTable;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::session::Session;
use paravent_job::Job;
use std::path::Path;
use std::sync::Arc;

const JOB: &str = r#"
version = 1
[input]
path = "readers.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "town"
role = "quasi-identifier"
hierarchy = { order = [["x", "y"]] }
[[attributes]]
name = "genre"
role = "sensitive"
[privacy]
models = [{ model = "k-anonymity", k = 2 }]
budget = { epsilon = "50", delta = "1e-6" }
"#;

fn session(day: impl Fn(i64) -> i64) -> Session {
    let text = |name: &'static str, of: &dyn Fn(i64) -> String| {
        (name, Arc::new(StringArray::from_iter_values((0..40).map(of))) as ArrayRef)
    };
    let number = |name: &'static str, of: &dyn Fn(i64) -> i64| {
        (name, Arc::new(Int64Array::from_iter_values((0..40).map(of))) as ArrayRef)
    };
    let table = |columns: Vec<(&str, ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())
    };
    let mut session = Session::new(Catalog::of_job(Job::parse(JOB, Path::new("j.toml")).unwrap())).unwrap();
    let readers = table(vec![
        number("id", &|i| i),
        text("town", &|i| ["x", "y"][i as usize % 2].to_owned()),
        text("genre", &|i| format!("genre {}", i % 4)),
    ]);
    let loans = table(vec![
        number("id", &|i| i),
        number("day", &day),
        text("branch", &|i| ["north", "south"][i as usize / 20].to_owned()),
    ]);
    session.register("readers", readers).unwrap();
    session.register("loans", loans).unwrap();
    session
}

const JOIN: &str = "SELECT r.town, r.genre, l.day, l.branch FROM readers r JOIN loans l ON r.id = l.id";

fn warned(session: &mut Session, statement: &str) -> Option<String> {
    let notes = session.run(statement).unwrap_or_else(|error| panic!("{statement}: {error}")).notes;
    notes.into_iter().find(|note| note.contains("The join makes a quasi-identifier"))
}

/// Four genres and ten days, each shared by many; every pair of them once.
#[test]
fn columns_that_single_people_out_side_by_side_are_named_without_a_figure() {
    let mut session = session(|i| i / 4);
    let generalized = format!("SELECT * FROM generalize(({JOIN}), quasi => (town), k => 2)");
    let warning = warned(&mut session, &generalized).unwrap();
    assert!(warning.contains("readers.genre") && warning.contains("loans.day"), "{warning}");
    assert!(!warning.contains("loans.branch"), "the smallest set that does it: {warning}");
    assert!(!warning.chars().any(|c| c.is_ascii_digit()), "{warning}");
    let noisy = format!("SELECT * FROM randomize(({JOIN}), columns => ((town, 0.5, uniform('x', 'y'))))");
    assert!(warned(&mut session, &noisy).is_some());
    // Written as a CTE, or with the condition in WHERE.
    let comma = "SELECT r.town, r.genre, l.day FROM readers r, loans l WHERE r.id = l.id";
    let named = format!(
        "WITH both AS ({comma}) SELECT town, genre AS g, day FROM generalize(both, quasi => (town), k => 2)"
    );
    assert!(warned(&mut session, &named).is_some());
}

#[test]
fn what_is_not_shown_or_shared_by_many_is_not_warned_of() {
    let mut fine = session(|i| i / 4);
    for shown in ["town, genre", "town, genre, branch", "town, day", "count(*) AS n"] {
        let statement = format!("SELECT {shown} FROM generalize(({JOIN}), quasi => (town), k => 2)");
        assert_eq!(warned(&mut fine, &statement), None, "{shown}");
    }
    // The same days for everybody.
    let statement = format!("SELECT * FROM generalize(({JOIN}), quasi => (town), k => 2)");
    assert_eq!(warned(&mut session(|i| i % 2), &statement), None);
    // Generalized, too: nothing leaves as it is.
    let both = format!("SELECT * FROM generalize(({JOIN}), quasi => (town, day), k => 2)");
    assert_eq!(warned(&mut fine, &both), None);
}

/// A key of one table is no work of the join.
#[test]
fn a_column_that_singles_out_alone_is_not_the_joins() {
    let mut session = session(|i| i);
    let statement = format!("SELECT * FROM generalize(({JOIN}), quasi => (town), k => 2)");
    assert_eq!(warned(&mut session, &statement), None);
}
