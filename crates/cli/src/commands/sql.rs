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
    use crate::failure::Failure;

    /// Not in this program: it was built without the feature `sql`
    #[derive(Debug, clap::Args)]
    pub struct Args {
        /// Whatever is asked for
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _anything: Vec<String>,
    }

    /// Says how to get a program that can.
    pub fn run(_args: &Args, _session: &Session) -> Result<Answer, Failure> {
        let message = "this program was built without SQL. Build it with: cargo build --release --package paravent-cli --features sql";
        Err(Failure::Usage { message: message.to_owned() })
    }
}
