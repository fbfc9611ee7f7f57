//! `paravent continue`
//!
//! Parts are made by the SQL engine, so it is behind the feature `sql`, as `ask` is.

#[cfg(feature = "sql")]
mod finished;

#[cfg(feature = "sql")]
pub use finished::{Args, run};
#[cfg(feature = "sql")]
pub(super) use finished::{failure, taken};

#[cfg(not(feature = "sql"))]
pub use super::absent::{Args, without_sql as run};
