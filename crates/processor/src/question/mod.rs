//! Stage 1 and 2: a statement, read as a question about groups of one table, or of tables that are joined.
//!
//! The forms that are known are few, and every part of the syntax tree is named, so whatever is new is refused: tables, conditions that are
//! joined by AND and compare a column with constants, groups by columns, and figures of groups. No function is called, nothing is computed.

mod expression;
mod parameters;
mod select;
mod table;

pub use paravent_algebra::sql::is_readable;

use crate::refusal::Refusal;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as Sql;
use paravent_algebra::sql::Request;
use paravent_policy::Aggregate;
use std::collections::{BTreeMap, BTreeSet};

/// A question: conditions, groups and figures of one table, or of several that are joined. Equal questions are written in many ways.
///
/// Of several tables, every column is called `table.column`; see [`own_name`].
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The tables, by their names; each once.
    pub tables: Vec<String>,
    /// The columns that are equal in every joined row.
    pub links: BTreeSet<(String, String)>,
    /// By column: the constants of which it must be one.
    pub conditions: BTreeMap<String, BTreeSet<String>>,
    /// The columns of the groups.
    pub groups: BTreeSet<String>,
    /// The figures.
    pub figures: BTreeSet<Figure>,
    /// The answer's columns, in the order of the statement.
    pub shown: Vec<(String, Shown)>,
    /// Rows were asked for, and their histogram is answered.
    pub is_histogram: bool,
    /// Rows were asked for, without groups.
    pub is_rows: bool,
}

/// Constants of conditions may be cells, so they are not shown.
impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("tables", &self.tables)
            .field("groups", &self.groups)
            .finish_non_exhaustive()
    }
}

/// A figure of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Number of rows.
    Count,
    /// Sum of a column.
    Sum(String),
    /// Mean of a column.
    Avg(String),
}

impl Figure {
    /// The column it is taken of.
    pub fn column(&self) -> Option<&str> {
        match self {
            Figure::Count => None,
            Figure::Sum(column) | Figure::Avg(column) => Some(column),
        }
    }

    /// The same figure of another column.
    fn of(&self, column: String) -> Figure {
        match self {
            Figure::Count => Figure::Count,
            Figure::Sum(_) => Figure::Sum(column),
            Figure::Avg(_) => Figure::Avg(column),
        }
    }

    /// Its kind.
    pub fn aggregate(&self) -> Aggregate {
        match self {
            Figure::Count => Aggregate::Count,
            Figure::Sum(_) => Aggregate::Sum,
            Figure::Avg(_) => Aggregate::Avg,
        }
    }

    /// What the engine's column is called.
    pub fn name(&self) -> String {
        match self {
            Figure::Count => "count".to_owned(),
            Figure::Sum(column) => format!("sum_{column}"),
            Figure::Avg(column) => format!("mean_{column}"),
        }
    }
}

/// What a column is called in its table. The name of a table has no dot in it.
pub fn own_name(column: &str, is_join: bool) -> &str {
    match column.split_once('.') {
        Some((_, own)) if is_join => own,
        _ => column,
    }
}

/// What the cells of an answer's column are, known before anything is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text: a label or a cell.
    Label,
    /// A whole number.
    Count,
    /// A number with digits after the point.
    Number,
}

impl Shown {
    /// The kind of its cells.
    pub fn kind(&self) -> Kind {
        match self {
            Shown::Group(_) => Kind::Label,
            Shown::Figure(Figure::Count) => Kind::Count,
            Shown::Figure(Figure::Sum(_) | Figure::Avg(_)) => Kind::Number,
        }
    }
}

/// A column of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A column of the groups.
    Group(String),
    /// A figure.
    Figure(Figure),
}

/// Trees of statements are walked by recursion, and whoever calls may have little room for that.
const STACK: usize = 64 << 20;

const FORM: &str = "Ask e.g. SELECT sex, count(*) FROM patients WHERE zip = '81***' GROUP BY sex";

fn unknown(what: &str) -> Refusal {
    Refusal::new(format!("{what}: no policy can judge this, so it is refused"), FORM)
}

impl Question {
    /// Reads a statement.
    ///
    /// # Errors
    /// Whatever is not one of the forms that are known, by its name.
    pub fn read(sql: &str) -> Result<Question, Refusal> {
        Question::bound(sql, &[])
    }

    /// Reads a statement with parameters `$1`, `$2`, …. They take their places in the syntax tree, never in the text; none is missing.
    ///
    /// # Errors
    /// As [`Question::read`].
    pub fn bound(sql: &str, parameters: &[Option<String>]) -> Result<Question, Refusal> {
        std::thread::scope(|scope| {
            let own = std::thread::Builder::new().stack_size(STACK);
            match own.spawn_scoped(scope, || Question::of(sql, parameters)).map(|thread| thread.join()) {
                Ok(Ok(read)) => read,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => Err(Refusal::new("the system gives no thread to read the statement on", FORM)),
            }
        })
    }

    fn of(sql: &str, parameters: &[Option<String>]) -> Result<Question, Refusal> {
        let request = Request::parse(sql)
            .map_err(|_| Refusal::new("this is no SQL statement that is understood", FORM))?;
        let statement = match request {
            Request::Rows(Statement::Statement(statement)) => statement,
            Request::Rows(_) => return Err(unknown("a statement of this kind")),
            Request::Explain(_) => {
                return Err(Refusal::new("EXPLAIN is not answered", "Use `paravent policy explain`"));
            }
            Request::Set { .. } => return Err(Refusal::new("settings cannot be changed here", FORM)),
        };
        match *statement {
            Sql::Query(mut query) => {
                parameters::bind(&mut query, parameters)?;
                select::of_query(*query)
            }
            _ => Err(Refusal::new(
                "the catalog is not shown",
                "Use `paravent policy explain` to see tables and columns",
            )),
        }
    }

    /// Whether several tables are joined.
    pub fn is_join(&self) -> bool {
        self.tables.len() > 1
    }

    /// All columns that it uses.
    pub fn columns(&self) -> BTreeSet<&str> {
        let figures = self.figures.iter().filter_map(Figure::column);
        self.conditions.keys().chain(&self.groups).map(String::as_str).chain(figures).collect()
    }
}
