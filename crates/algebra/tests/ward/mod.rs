//! Readers of a library, their loans, and shelves that are about nobody.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "not every test uses all of it; a test may stop where something is missing"
)]

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::catalog::MemTable;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::lower::Account;
use paravent_algebra::session::{Answer, Session};
use paravent_job::Job;
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
name = "born"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [10, 20], min = 1900, max = 2000 } }
[[attributes]]
name = "genre"
role = "sensitive"
[privacy]
models = [{ model = "k-anonymity", k = 2 }]
"#;

fn table(columns: Vec<(&str, ArrayRef)>) -> Arc<MemTable> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())
}

/// `people` readers, each with 0 to 4 loans; a reader without an id has many.
fn of(people: usize, person: Option<&str>) -> Session {
    let key = person.map_or_else(String::new, |person| format!("person = \"{person}\"\n"));
    with_job(people, &format!("{JOB}{key}"))
}

fn with_job(people: usize, job: &str) -> Session {
    let job = Job::parse(job, "paravent.toml".as_ref()).unwrap();
    let mut session = Session::new(Catalog::of_job(job)).unwrap();
    let limit = paravent_noise::budget::Cost::parse("1000000", Some("0.9")).unwrap();
    session.keep_book(paravent_algebra::ledger::Book::in_memory(limit));
    let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let texts = |values: Vec<&'static str>| Arc::new(StringArray::from(values)) as ArrayRef;
    let ids: Vec<Option<i64>> = (0..people).map(|i| Some(i as i64)).collect();
    let pick = |i: usize, of: &[&'static str]| of[i % of.len()];
    session
        .register(
            "readers",
            table(vec![
                ("id", Arc::new(Int64Array::from(ids))),
                ("town", texts((0..people).map(|i| pick(i, &["x", "y"])).collect())),
                ("born", numbers((0..people).map(|i| 1950 + (i % 40) as i64).collect())),
                ("genre", texts((0..people).map(|i| pick(i, &["law", "art", "sea"])).collect())),
            ]),
        )
        .unwrap();
    let loans: Vec<(Option<i64>, usize)> = (0..people)
        .flat_map(|i| (0..i % 5).map(move |n| (Some(i as i64), n)))
        .chain((0..people.min(50)).map(|n| (None, n)))
        .collect();
    session
        .register(
            "loans",
            table(vec![
                ("id", Arc::new(Int64Array::from_iter(loans.iter().map(|loan| loan.0)))),
                ("book", texts(loans.iter().map(|loan| pick(loan.1, &["a", "b", "c", "d"])).collect())),
                ("pages", numbers(loans.iter().map(|loan| loan.1 as i64).collect())),
                (
                    "price",
                    Arc::new(Float64Array::from_iter_values(loans.iter().map(|loan| loan.1 as f64 + 0.5))),
                ),
            ]),
        )
        .unwrap();
    session
        .register("shelves", table(vec![("shelf", numbers(vec![1])), ("genre", texts(vec!["law"]))]))
        .unwrap();
    session
}

/// A thousand readers: i has i mod 5 loans, in all two thousand.
pub fn session(person: Option<&str>) -> Session {
    of(1_000, person)
}

/// The same thousand readers, whose columns all may leave as they are.
pub fn open() -> Session {
    let quasi = "role = \"quasi-identifier\"";
    let job = JOB
        .replace(quasi, &format!("{quasi}\nrelease = \"as it is\""))
        .replace("\"identifying\"", "\"insensitive\"")
        .replace("\"sensitive\"", "\"insensitive\"");
    with_job(1_000, &job)
}

/// The same tables without rows but for the shelves.
pub fn empty(person: Option<&str>) -> Session {
    of(0, person)
}

#[track_caller]
pub fn refusal(session: &mut Session, sql: &str) -> String {
    match session.run(sql) {
        Ok(_) => panic!("{sql} has an answer"),
        Err(error) => error.to_string(),
    }
}

pub fn cells(answer: &Answer) -> Vec<Vec<String>> {
    let rows = answer.batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    rows.map(|(batch, row)| {
        batch.columns().iter().map(|column| array_value_to_string(column, row).unwrap()).collect()
    })
    .collect()
}

/// The only figure of an answer of one row.
#[track_caller]
pub fn figure(session: &mut Session, sql: &str) -> f64 {
    let answer = session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    cells(&answer)[0][0].parse().unwrap()
}

/// ε that was spent, a cheap question included.
pub fn spent(session: &mut Session) -> String {
    let answer = session.run("SELECT * FROM private(readers, count => true, epsilon => 0.01)").unwrap();
    let Account::Private(account) = &answer.accounts[0] else { panic!("one account") };
    account.spent.trim_start_matches("ε = ").to_owned()
}

/// A table whose people are told apart by two columns.
pub fn of_several() -> Session {
    let job = r#"
version = 1
input.path = "t.csv"
attributes = [
  { name = "house", role = "identifying" },
  { name = "name", role = "identifying" },
  { name = "x", role = "quasi-identifier", hierarchy = { order = [["1", "2"]] } },
]
privacy.models = [{ model = "k-anonymity", k = 2 }]
privacy.person = ["house", "name"]
"#;
    let mut session =
        Session::new(Catalog::of_job(Job::parse(job, "paravent.toml".as_ref()).unwrap())).unwrap();
    let limit = paravent_noise::budget::Cost::parse("1000000", Some("0.9")).unwrap();
    session.keep_book(paravent_algebra::ledger::Book::in_memory(limit));
    let texts = |values: Vec<&'static str>| Arc::new(StringArray::from(values)) as ArrayRef;
    let columns = vec![
        ("house", texts(vec!["1", "1", "1", "1", "2"])),
        ("name", texts(vec!["a", "a", "b", "b", "a"])),
        ("x", texts(vec!["1", "2", "1", "1", "2"])),
    ];
    session.register("t", table(columns)).unwrap();
    session
}
