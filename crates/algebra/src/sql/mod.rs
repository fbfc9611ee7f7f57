//! The operators in SQL: functions in FROM that take a relation and named arguments, and nest like subqueries.
//!
//! ```sql
//! SELECT sex, count(*) FROM randomize(
//!     generalize((SELECT age, sex, zip, diagnosis FROM patients), quasi => (age, sex, zip), k => 5),
//!     columns => (diagnosis), p => 0.1) GROUP BY sex
//! ```

mod call;
mod checks;
mod columns;
mod complete;
mod distribution;
mod domain;
mod draws;
mod function;
mod generalize;
mod leaving;
mod limits;
mod models;
mod origin;
mod planner;
mod private;
mod randomize;
mod relations;
mod slice;
mod slice_demands;
mod statement;
mod value;
mod wording;
mod write;

pub use call::Argument;
pub use checks::whole_plan;
pub use complete::complete;
pub use draws::Draws;
pub use function::{FUNCTIONS, RelationFunction};
pub use leaving::{Exact, may_leave};
pub(crate) use leaving::{left_out, without_identifying};
pub use limits::is_readable;
pub use planner::OperatorPlanner;
pub use statement::Request;
pub(crate) use wording::unknown;
pub use write::{SqlTextError, write};
