//! `paravent party`

mod connection;
mod failure;
mod gather;
mod invite;
mod join;
mod keygen;
mod matching;
mod preview;
mod run;
mod simulate;
mod told;
mod union;

use super::Session;
use crate::answer::Answer;
use crate::failure::Failure;
use clap::Subcommand;

/// A file each in `party/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Split a job's table, let several parties in one process anonymize it together, and see what it costs
    Simulate(simulate::Args),
    /// Make this party's certificate and key
    Keygen(keygen::Args),
    /// Begin a federation file from a job and a list of parties
    Invite(invite::InviteArgs),
    /// Check a federation file against this party's data, and add its address and certificate
    Join(join::JoinArgs),
    /// Lay out the files of an invitation that came as one file
    Unpack(gather::UnpackArgs),
    /// Put the answers of the parties together
    Merge(gather::MergeArgs),
    /// Show how far a federation file has come, and what is next
    Status(gather::StatusArgs),
    /// Count the people that the parties have in common, before anybody approves
    Match(Box<matching::Args>),
    /// Put the values of a column together, without saying whose they are
    Union(Box<union::Args>),
    /// Approve a finished federation file
    Approve(join::ApproveArgs),
    /// Take part in a run: over mutual TLS, with the parties of a federation file
    Run(Box<run::Args>),
}

/// Runs a command.
pub fn run(command: &Command, session: &Session) -> Result<Answer, Failure> {
    match command {
        Command::Simulate(args) => simulate::run(args, session),
        Command::Keygen(args) => keygen::run(args),
        Command::Invite(args) => invite::invite(args, session),
        Command::Join(args) => join::join(args, session),
        Command::Unpack(args) => gather::unpack(args),
        Command::Merge(args) => gather::merge(args),
        Command::Status(args) => gather::status(args),
        Command::Match(args) => matching::run(args, session),
        Command::Union(args) => union::run(args, session),
        Command::Approve(args) => join::approve(args, session),
        Command::Run(args) => run::run(args, session),
    }
}
