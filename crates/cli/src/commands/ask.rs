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
pub use question::{Args, explain, run};
#[cfg(feature = "sql")]
pub(super) use question::{failure, printed};

#[cfg(not(feature = "sql"))]
pub use absent::{Args, attack, explain, run};

#[cfg(not(feature = "sql"))]
mod absent {
    use crate::answer::Answer;
    pub use crate::commands::absent::Args;
    use crate::commands::absent::refused;
    use crate::failure::Failure;
    use paravent_policy::Policy;

    /// Says how to get a program that can.
    pub fn run(_args: &Args) -> Result<Answer, Failure> {
        refused("SQL", " --features sql")
    }

    /// The same.
    pub fn explain(
        _policy: &Policy,
        _role: &str,
        _purpose: &str,
        _statement: &str,
    ) -> Result<Answer, Failure> {
        refused(CANNOT_READ, " --features sql")
    }

    /// The same.
    pub fn attack(_policy: &Policy, _role: &str, _purpose: &str) -> Result<Answer, Failure> {
        refused(CANNOT_READ, " --features sql")
    }

    const CANNOT_READ: &str = "SQL, so it cannot read a statement";
}
