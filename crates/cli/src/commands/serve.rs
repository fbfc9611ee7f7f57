//! `paravent serve`
//!
//! It needs the SQL engine and an asynchronous runtime, so it is behind the feature `serve`.

#[cfg(feature = "serve")]
mod listening;

#[cfg(feature = "serve")]
pub use listening::{Args, run};

#[cfg(not(feature = "serve"))]
pub use absent::{Args, run};

#[cfg(not(feature = "serve"))]
mod absent {
    use crate::answer::Answer;
    use crate::commands::Session;
    pub use crate::commands::absent::Args;
    use crate::commands::absent::refused;
    use crate::failure::Failure;

    /// Says how to get a program that can.
    pub fn run(_args: &Args, _session: &Session) -> Result<Answer, Failure> {
        refused("the server", " --features serve")
    }
}
