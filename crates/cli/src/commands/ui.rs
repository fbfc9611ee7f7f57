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
    use crate::failure::Failure;

    /// Not in this program: it was built without the feature `ui`
    #[derive(Debug, clap::Args)]
    pub struct Args {
        /// Whatever is asked for
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _anything: Vec<String>,
    }

    /// Says how to get a program that can.
    pub fn run(_args: &Args, _session: &Session) -> Result<Answer, Failure> {
        let message = "this program was built without the page. Build it with: cargo build --release --package paravent-cli";
        Err(Failure::Usage { message: message.to_owned() })
    }
}
