//! `paravent sql` and `paravent rewrite`
//!
//! They need the SQL engine, which takes minutes to build, so they are behind the feature `sql`; a program without it says how to get one with it.

#[cfg(feature = "sql")]
mod failed;
#[cfg(feature = "sql")]
mod plan_file;
#[cfg(feature = "sql")]
mod prompt;
#[cfg(feature = "sql")]
mod query;
#[cfg(feature = "sql")]
mod release;
#[cfg(feature = "sql")]
mod rewrite;
#[cfg(feature = "sql")]
mod rewritten;
#[cfg(feature = "sql")]
mod rule_names;
#[cfg(feature = "sql")]
mod rules;
#[cfg(feature = "sql")]
mod show;
#[cfg(feature = "sql")]
mod tables;

#[cfg(feature = "sql")]
pub use self::{
    query::Args as QueryArgs, query::run as query, rewrite::Args as RewriteArgs, rewrite::run as rewrite,
};

#[cfg(not(feature = "sql"))]
pub use absent::{Args as QueryArgs, Args as RewriteArgs, run as query, run as rewrite};

#[cfg(not(feature = "sql"))]
mod absent {
    use crate::answer::Answer;
    use crate::commands::Session;
    pub use crate::commands::absent::Args;
    use crate::commands::absent::refused;
    use crate::failure::Failure;

    /// Says how to get a program that can.
    pub fn run(_args: &Args, _session: &Session) -> Result<Answer, Failure> {
        refused("SQL", " --features sql")
    }
}
