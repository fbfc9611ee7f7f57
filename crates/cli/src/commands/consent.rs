//! `paravent consent`
//!
//! It keeps the state of a policy, as `ask` does, so it is behind the same feature.

#[cfg(feature = "sql")]
mod said;

#[cfg(feature = "sql")]
pub use said::{Args, run};

#[cfg(not(feature = "sql"))]
pub use absent::{Args, run};

#[cfg(not(feature = "sql"))]
mod absent {
    use crate::answer::Answer;
    use crate::failure::Failure;

    /// Not in this program: it was built without the feature `sql`
    #[derive(Debug, clap::Args)]
    pub struct Args {
        /// Whatever is asked for
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _anything: Vec<String>,
    }

    /// Says how to get a program that can.
    pub fn run(_args: &Args) -> Result<Answer, Failure> {
        let message = "this program was built without SQL. Build it with: cargo build --release --package paravent-cli --features sql";
        Err(Failure::Usage { message: message.to_owned() })
    }
}
