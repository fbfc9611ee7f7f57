//! A file per command.

#[cfg(not(all(feature = "sql", feature = "serve", feature = "ui")))]
mod absent;
pub mod anonymize;
pub mod args;
pub mod ask;
pub mod attack;
pub mod bench;
pub mod check;
pub mod compare;
pub mod completions;
pub mod consent;
pub mod curve;
pub mod demo;
mod destination;
#[cfg(all(test, feature = "serve", feature = "postgres"))]
mod guides;
pub mod hierarchy;
pub mod init;
mod init_ask;
pub mod keygen;
pub mod ledger;
mod light;
pub mod manual;
pub mod measure;
pub mod noise;
pub mod part;
pub mod party;
pub mod policy;
pub mod proceed;
pub mod register;
pub mod risk;
mod run_error;
pub mod schema;
pub mod serve;
pub mod slice;
mod spending;
pub mod sql;
mod summary;
pub mod ui;
pub mod user;
pub mod utility;
pub mod verify;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::paint::Paint;
use args::Command;

/// What every command needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// Shows no progress.
    pub quiet: bool,
    /// Prints a JSON document.
    pub json: bool,
    /// Whether the text is coloured.
    pub paint: Paint,
}

/// Runs a command.
pub fn run(command: Command, session: &Session) -> Result<Answer, Failure> {
    match command {
        Command::Demo(args) => demo::run(&args, session),
        Command::Init(args) => init::run(&args, session),
        Command::Check(args) => check::run(&args, session),
        Command::Anonymize(args) => anonymize::run(*args, session),
        Command::Curve(args) => curve::run(&args, session),
        Command::Compare(args) => compare::run(&args, session),
        Command::Verify(args) => verify::run(&args, session),
        Command::Keygen(args) => keygen::run(&args),
        Command::Attack(args) => attack::run(&args, session),
        Command::Risk(args) => risk::run(&args, session),
        Command::Register(command) => register::run(&command, session),
        Command::Measure(command) => measure::run(&command, session),
        Command::Hierarchy(command) => hierarchy::run(&command),
        Command::Sql(args) => sql::query(&args, session),
        Command::Rewrite(args) => sql::rewrite(&args, session),
        Command::Slice(args) => slice::run(&args, session),
        Command::Noise(args) => noise::run(&args, session),
        Command::Ledger(args) => ledger::run(&args, session),
        Command::Policy(command) => policy::run(&command, session),
        Command::Ask(args) => ask::run(&args),
        Command::Serve(args) => serve::run(&args, session),
        Command::User(args) => user::run(&args),
        Command::Consent(args) => consent::run(&args),
        Command::Continue(args) => proceed::run(&args),
        Command::Part(args) => part::run(&args, session),
        Command::Bench(args) => bench::run(&args, session),
        Command::Party(command) => party::run(&command, session),
        Command::Ui(args) => ui::run(&args, session),
        Command::Utility(args) => utility::run(&args, session),
        Command::Schema(args) => Ok(schema::run(&args)),
        Command::Completions(args) => Ok(completions::run(&args)),
        Command::Manual(args) => manual::run(&args),
    }
}
