//! Query shapes that `private` accepts, and small tables on which one person makes as much difference as possible.

use super::{FORGOTTEN, Fault};
use crate::catalog::Catalog;
use crate::error::AlgebraError;
use crate::lower::Truth;
use crate::session::Session;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::catalog::MemTable;
use paravent_job::Job;
use paravent_noise::budget::Cost;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// One ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// As it is asked for.
    pub epsilon: &'static str,
    /// As a number.
    pub value: f64,
    /// The ε for which there is 15 % less noise.
    too_much: &'static str,
    /// The ε for which Gaussian noise is about 40 % narrower. Its σ comes from a bound that is not tight: with 15 % less noise δ is 0.0092 to 0.012
    /// where 0.01 is promised, which takes more than a million draws to tell.
    far_too_much: &'static str,
}

/// The levels of a whole audit.
pub const LEVELS: [Level; 3] = [
    Level { epsilon: "0.5", value: 0.5, too_much: "10/17", far_too_much: "1" },
    Level { epsilon: "1", value: 1.0, too_much: "20/17", far_too_much: "2" },
    Level { epsilon: "2", value: 2.0, too_much: "40/17", far_too_much: "4" },
];

impl Level {
    pub(super) fn cost(&self, delta: Option<&str>, fault: Fault) -> Result<Cost, AlgebraError> {
        let epsilon = match (fault, delta) {
            (Fault::LittleNoise, None) => self.too_much,
            (Fault::LittleNoise, Some(_)) => self.far_too_much,
            (Fault::None | Fault::ForgottenJoin, _) => self.epsilon,
        };
        Cost::parse(epsilon, delta).map_err(|error| AlgebraError::statement(error.to_string()))
    }
}

/// Which two tables are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbours {
    /// The first table has a person more.
    Added,
    /// The second table has a person more.
    Removed,
    /// The person has other rows: removed and added.
    Changed,
}

/// The tables of a comparison: without the person, with the person, and with the person's rows changed.
pub(super) struct Truths {
    pub(super) without: Truth,
    pub(super) with: Truth,
    pub(super) changed: Truth,
}

impl Neighbours {
    /// ε and δ of the comparison: a change is a removal and an addition, one after the other.
    pub(super) fn allowed(&self, epsilon: f64, delta: f64) -> (f64, f64) {
        match self {
            Neighbours::Added | Neighbours::Removed => (epsilon, delta),
            Neighbours::Changed => (2.0 * epsilon, (1.0 + epsilon.exp()) * delta),
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Neighbours::Added => "a person added",
            Neighbours::Removed => "a person removed",
            Neighbours::Changed => "a person changed",
        })
    }
}

/// A kind of query, with `private` over it.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What it is called in findings.
    pub name: &'static str,
    /// The relation below `private`.
    pub relation: &'static str,
    /// Groups and figures.
    pub arguments: &'static str,
    /// δ of the query.
    pub delta: Option<&'static str>,
    /// Whether the job declares `person = "id"`; else a row is a person.
    pub with_person: bool,
}

const fn shape(name: &'static str, relation: &'static str, arguments: &'static str) -> Shape {
    Shape { name, relation, arguments, delta: None, with_person: true }
}

const fn by_row(name: &'static str, relation: &'static str, arguments: &'static str) -> Shape {
    Shape { name, relation, arguments, delta: None, with_person: false }
}

const fn approximate(of: Shape, delta: &'static str) -> Shape {
    Shape { delta: Some(delta), ..of }
}

const GROUPS: &str = "by => (ward), keys => ('a', 'b', 'c'), count => true";
const JOIN: &str = "SELECT p.town, v.cost FROM people p JOIN visits v ON p.id = v.id";

/// Every kind of query that is accepted.
pub fn shapes() -> Vec<Shape> {
    [simple(), composed(), with_delta()].concat()
}

/// One relation, or one that is joined, united or grouped in a simple way.
fn simple() -> Vec<Shape> {
    vec![
        by_row("rows", "SELECT town FROM people", "count => true"),
        by_row("rows twice", "SELECT town FROM people UNION ALL SELECT town FROM people", "count => true"),
        shape("people", "SELECT town FROM people WHERE age >= 30", "count => true"),
        shape("visits", "SELECT ward FROM visits", "count => true"),
        shape("visits, three each", "SELECT ward FROM visits", "count => true, contribution => 3"),
        shape("declared groups", "SELECT ward FROM visits", GROUPS),
        shape(
            "declared groups, two each",
            "SELECT ward FROM visits",
            "by => (ward), keys => ('a', 'b', 'c'), count => true, contribution => 2",
        ),
        shape("sum", "SELECT cost FROM visits", "sum => (cost, 0, 10), contribution => 2"),
        shape("mean", "SELECT cost FROM visits", "avg => (cost, 0, 10), contribution => 2"),
        shape(
            "count and sum",
            "SELECT cost FROM visits",
            "count => true, sum => (cost, -5, 5), contribution => 2",
        ),
        shape("join on the person", JOIN, "count => true, contribution => 2"),
        shape(
            "outer join",
            "SELECT p.town, v.ward FROM visits v FULL JOIN people p ON p.id = v.id",
            "count => true, contribution => 2",
        ),
        shape(
            "copies",
            "SELECT ward FROM visits UNION ALL SELECT town FROM people",
            "count => true, contribution => 2",
        ),
        shape(
            "group by the person",
            "SELECT id, sum(cost) AS spent FROM visits GROUP BY id HAVING count(*) > 1",
            "count => true, sum => (spent, 0, 20)",
        ),
        shape(
            "window of the person",
            "SELECT ward, row_number() OVER (PARTITION BY id ORDER BY cost DESC) AS place FROM visits",
            "by => (place), keys => ('1', '2', '3'), count => true, contribution => 3",
        ),
    ]
}

/// Joins, sets, windows and functions on top of each other.
fn composed() -> Vec<Shape> {
    vec![
        shape(
            "left join",
            "SELECT p.town, v.ward FROM people p LEFT JOIN visits v ON p.id = v.id AND v.cost > 5",
            "count => true, contribution => 3",
        ),
        shape(
            "right join, rows without a partner",
            "SELECT v.ward FROM people p RIGHT JOIN visits v ON p.id = v.id AND p.age < 30 WHERE p.id IS NULL",
            "count => true, contribution => 2",
        ),
        shape(
            "comma join of three",
            "SELECT v.ward FROM people p, visits v, visits w WHERE p.id = v.id AND v.id = w.id",
            "by => (ward), keys => ('a', 'b', 'c'), count => true, contribution => 4",
        ),
        shape("natural join", "SELECT cost FROM people NATURAL JOIN visits", "sum => (cost, 0, 10)"),
        shape(
            "WITH, used twice",
            "WITH c AS (SELECT id, ward FROM visits WHERE cost > 2) SELECT a.ward FROM c a JOIN c b ON a.id = b.id",
            "count => true, contribution => 5",
        ),
        shape(
            "join with groups of the person",
            "SELECT p.town FROM people p JOIN (SELECT id, count(*) AS n FROM visits GROUP BY id HAVING count(*) > 2) v ON p.id = v.id",
            "count => true",
        ),
        shape(
            "set operations",
            "SELECT town FROM people UNION ALL SELECT ward FROM visits UNION ALL SELECT ward FROM visits WHERE cost > 5",
            "count => true, contribution => 3",
        ),
        shape(
            "window sum of the person",
            "SELECT ward, sum(cost) OVER (PARTITION BY id) AS spent FROM visits",
            "sum => (spent, 0, 20), contribution => 2",
        ),
        shape(
            "first row of the person",
            "SELECT ward FROM (SELECT ward, row_number() OVER (PARTITION BY id ORDER BY cost) AS n FROM visits) WHERE n = 1",
            GROUPS,
        ),
        shape(
            "different values of the person",
            "SELECT id, count(DISTINCT ward) AS n FROM visits GROUP BY id",
            "sum => (n, 0, 4)",
        ),
        shape(
            "one person by name",
            "SELECT town FROM people WHERE id = 'victim' AND age > 40",
            "count => true",
        ),
        shape(
            "functions that fail",
            "SELECT 100 / (cost - 10) AS x, CAST(ward AS INT) AS y FROM visits WHERE CAST(id AS INT) IS NULL OR 1 / (cost - 10) > 0",
            "count => true, sum => (x, -5, 5), contribution => 2",
        ),
        shape(
            "total functions",
            "SELECT CASE WHEN age > 30 THEN 10 / (age - 40) ELSE CAST(town AS INT) END AS x, town FROM people",
            "count => true, sum => (x, 0, 5)",
        ),
    ]
}

/// Promises with a δ.
fn with_delta() -> Vec<Shape> {
    vec![
        approximate(shape("Gaussian", "SELECT ward FROM visits", "count => true, contribution => 2"), "0.01"),
        approximate(
            shape("groups that are found", "SELECT ward FROM visits", "by => (ward), count => true"),
            "0.05",
        ),
        approximate(
            shape(
                "groups that are found, two each",
                "SELECT id, ward FROM visits",
                "by => (id), count => true, contribution => 2",
            ),
            "0.05",
        ),
    ]
}

/// Shapes whose figures tell less of a person than they may, whatever the noise: too little of it is not to be seen in them. A mean is a quotient of two
/// noisy figures, where functions fail the person's values are missing, and a group of one person is shown with δ whatever the ε.
const WITH_ROOM: [&str; 3] = ["mean", "functions that fail", "groups that are found, two each"];

/// Whether 15 % too little noise breaks the promise on the tables of the audit.
pub fn shows_little_noise(shape: &Shape) -> bool {
    !WITH_ROOM.contains(&shape.name)
}

const JOB: &str = r#"
version = 1
[input]
path = "people.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "town"
role = "quasi-identifier"
hierarchy = { order = [["x", "y"]] }
[privacy]
models = [{ model = "k-anonymity", k = 2 }]
"#;

impl Shape {
    /// The statement.
    pub fn sql(&self, level: &Level) -> String {
        let delta = self.delta.map_or_else(String::new, |delta| format!(", delta => {delta}"));
        let (relation, arguments, epsilon) = (self.relation, self.arguments, level.epsilon);
        format!("SELECT * FROM private(({relation}), {arguments}, epsilon => {epsilon}{delta})")
    }

    pub(super) fn delta_value(&self) -> f64 {
        self.delta.and_then(|delta| delta.parse().ok()).unwrap_or_default()
    }

    pub(super) fn truths(&self, level: &Level, fault: Fault) -> Result<Truths, AlgebraError> {
        let read = |person: Person| -> Result<Truth, AlgebraError> {
            let mut session = self.session(person)?;
            let truth = session.audit(&self.sql(level))?;
            Ok(if fault == Fault::ForgottenJoin { truth.with_contribution(FORGOTTEN) } else { truth })
        };
        Ok(Truths {
            without: read(Person::Missing)?,
            with: read(Person::There)?,
            changed: read(Person::Changed)?,
        })
    }

    fn session(&self, person: Person) -> Result<Session, AlgebraError> {
        let job = if self.with_person { format!("{JOB}person = \"id\"\n") } else { JOB.to_owned() };
        let catalog = Catalog::of_job(Job::parse(&job, Path::new("paravent.toml"))?);
        let mut session = Session::new(catalog)?;
        session.register("people", people(person)?)?;
        session.register("visits", visits(person)?)?;
        Ok(session)
    }
}

/// What has become of the person that makes the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Person {
    Missing,
    There,
    Changed,
}

fn table(columns: Vec<(&str, ArrayRef)>) -> Result<Arc<MemTable>, AlgebraError> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    let batch = batch.map_err(|_| AlgebraError::Internal)?;
    let table = MemTable::try_new(batch.schema(), vec![vec![batch]]);
    table.map(Arc::new).map_err(|error| AlgebraError::planning(&error))
}

fn people(person: Person) -> Result<Arc<MemTable>, AlgebraError> {
    let mut rows: Vec<(Option<&str>, &str, i64)> = vec![
        (Some("p1"), "x", 25),
        (Some("p2"), "y", 31),
        (Some("p3"), "x", 40),
        (Some("p4"), "y", 55),
        (None, "x", 60),
    ];
    match person {
        Person::Missing => {}
        Person::There => rows.push((Some("victim"), "x", 42)),
        Person::Changed => rows.push((Some("victim"), "y", 20)),
    }
    table(vec![
        ("id", Arc::new(StringArray::from_iter(rows.iter().map(|row| row.0)))),
        ("town", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.1)))),
        ("age", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.2)))),
    ])
}

fn visits(person: Person) -> Result<Arc<MemTable>, AlgebraError> {
    let mut rows: Vec<(&str, &str, i64)> =
        vec![("p1", "a", 3), ("p1", "b", 9), ("p2", "a", 4), ("p3", "b", 8), ("p3", "b", 2), ("p4", "a", 10)];
    match person {
        Person::Missing => {}
        // Many rows, at the bound, in groups that nobody else is in, too.
        Person::There => rows.extend(
            [("a", 10), ("a", 10), ("b", 10), ("c", 10), ("d", 10)]
                .map(|(ward, cost)| ("victim", ward, cost)),
        ),
        Person::Changed => {
            rows.extend([("b", 0), ("c", 0), ("c", -20)].map(|(ward, cost)| ("victim", ward, cost)))
        }
    }
    table(vec![
        ("id", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0)))),
        ("ward", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.1)))),
        ("cost", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.2)))),
    ])
}
