//! `paravent ask`
//!
//! It needs the SQL engine, so it is behind the feature `sql`, as `sql` is.

#[cfg(feature = "sql")]
mod attacked;
#[cfg(feature = "sql")]
mod question;

#[cfg(feature = "sql")]
pub use attacked::attack;
#[cfg(feature = "sql")]
pub(super) use question::failure;
#[cfg(feature = "sql")]
pub use question::{Args, explain, run};

#[cfg(not(feature = "sql"))]
pub use absent::{Args, attack, explain, run};

#[cfg(not(feature = "sql"))]
mod absent {
    use crate::answer::Answer;
    use crate::failure::Failure;
    use paravent_policy::Policy;

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

    /// The same.
    pub fn explain(
        _policy: &Policy,
        _role: &str,
        _purpose: &str,
        _statement: &str,
    ) -> Result<Answer, Failure> {
        let message = "this program was built without SQL, so it cannot read a statement. Build it with: cargo build --release --package paravent-cli --features sql";
        Err(Failure::Usage { message: message.to_owned() })
    }

    /// The same.
    pub fn attack(_policy: &Policy, _role: &str, _purpose: &str) -> Result<Answer, Failure> {
        let message = "this program was built without SQL, so it cannot read a statement. Build it with: cargo build --release --package paravent-cli --features sql";
        Err(Failure::Usage { message: message.to_owned() })
    }
}
