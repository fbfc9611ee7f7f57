//! `paravent user`
//!
//! Users are for the server, so they are behind the same feature.

#[cfg(feature = "serve")]
mod file;
#[cfg(feature = "serve")]
mod password;

#[cfg(feature = "serve")]
pub use file::{Args, run};

#[cfg(not(feature = "serve"))]
pub use absent::{Args, run};

#[cfg(not(feature = "serve"))]
mod absent {
    use crate::answer::Answer;
    pub use crate::commands::absent::Args;
    use crate::commands::absent::refused;
    use crate::failure::Failure;

    /// Says how to get a program that can.
    pub fn run(_args: &Args) -> Result<Answer, Failure> {
        refused("the server", " --features serve")
    }
}
