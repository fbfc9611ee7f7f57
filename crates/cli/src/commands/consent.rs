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
    pub use crate::commands::absent::Args;
    use crate::commands::absent::refused;
    use crate::failure::Failure;

    /// Says how to get a program that can.
    pub fn run(_args: &Args) -> Result<Answer, Failure> {
        refused("SQL", " --features sql")
    }
}
