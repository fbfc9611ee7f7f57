//! `paravent part`
//!
//! Parts are made by the SQL engine, so it is behind the feature `sql`, as `ask` is.

#[cfg(feature = "sql")]
mod handed;

#[cfg(feature = "sql")]
pub use handed::{Args, run};

#[cfg(not(feature = "sql"))]
pub use super::absent::Args;

/// Says how to get a program that can.
///
/// # Errors
/// Always.
#[cfg(not(feature = "sql"))]
pub fn run(args: &Args, _session: &super::Session) -> Result<crate::answer::Answer, crate::failure::Failure> {
    super::absent::without_sql(args)
}
