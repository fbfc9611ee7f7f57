//! `paravent ui`
//!
//! The page needs an HTTP server, so it is behind the feature `ui`, which is on unless somebody says otherwise.

#[cfg(feature = "ui")]
mod browser;
#[cfg(feature = "ui")]
mod page;

#[cfg(feature = "ui")]
pub use page::{Args, run};

#[cfg(not(feature = "ui"))]
pub use absent::{Args, run};

#[cfg(not(feature = "ui"))]
mod absent {
    use crate::answer::Answer;
    use crate::commands::Session;
    pub use crate::commands::absent::Args;
    use crate::commands::absent::refused;
    use crate::failure::Failure;

    /// Says how to get a program that can.
    pub fn run(_args: &Args, _session: &Session) -> Result<Answer, Failure> {
        refused("the page", "")
    }
}
