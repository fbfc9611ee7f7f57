//! The arguments that every command over the network takes.

use paravent_federation::transport::Patience;
use std::path::PathBuf;
use std::time::Duration;

// Who takes part, and in what. No doc comment: clap would take it for the description of the command.
#[derive(Debug, clap::Args)]
pub(super) struct Who {
    /// The federation file
    pub(super) federation: PathBuf,
    /// The job file of this party
    pub(super) job: Option<PathBuf>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    pub(super) me: String,
    /// Its private key
    #[arg(long, value_name = "FILE")]
    pub(super) key: PathBuf,
    /// Its certificate
    #[arg(long, value_name = "FILE")]
    pub(super) certificate: PathBuf,
    /// Listen here instead of at the address of the federation file
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) listen: Option<String>,
    /// Consent without being asked
    #[arg(long, short)]
    pub(super) yes: bool,
}

// How long to wait, and for how much.
#[derive(Debug, clap::Args)]
pub(super) struct Limits {
    /// Wait so long for all parties to come
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    connect_timeout: u64,
    /// End if a party gives no sign of life for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    idle_timeout: u64,
    /// End if the next message takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..))]
    phase_timeout: u64,
    /// Accept no longer message
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    pub(super) max_message: u64,
}

impl Limits {
    /// The time limits.
    pub(super) fn patience(&self) -> Patience {
        Patience {
            connect: Duration::from_secs(self.connect_timeout),
            idle: Duration::from_secs(self.idle_timeout),
            phase: Duration::from_secs(self.phase_timeout),
        }
    }
}
