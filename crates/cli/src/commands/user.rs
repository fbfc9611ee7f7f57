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
    use crate::failure::Failure;

    /// Not in this program: it was built without the feature `serve`
    #[derive(Debug, clap::Args)]
    pub struct Args {
        /// Whatever is asked for
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _anything: Vec<String>,
    }

    /// Says how to get a program that can.
    pub fn run(_args: &Args) -> Result<Answer, Failure> {
        let message = "this program was built without the server. Build it with: cargo build --release --package paravent-cli --features serve";
        Err(Failure::Usage { message: message.to_owned() })
    }
}
