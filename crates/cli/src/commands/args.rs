//! The command line.

use crate::commands::{
    anonymize, ask, attack, bench, check, compare, completions, consent, curve, demo, hierarchy, init,
    keygen, ledger, manual, measure, noise, part, party, policy, proceed, register, risk, schema, serve,
    slice, sql, ui, user, utility, verify,
};
use clap::{Parser, Subcommand};
use paravent_pipeline::job::Setting;
use std::path::PathBuf;

/// Exit codes, shown below every help page.
pub const EXIT_CODES: &str = "\
Exit codes: 0 done · 1 a promise is not met, or files were changed · 2 usage or configuration
            3 no solution · 4 input or output · 5 outcome unknown
            6 a promise is broken together with earlier releases · 7 refused by a policy · 130 stopped";

const START: &str = "\
Start here:
  paravent demo                              a tour with made-up patients
  paravent ui patients.csv                   the same in the browser, on this machine
  paravent init patients.csv                 propose a job file for your table
  paravent anonymize paravent.toml           make the release
  paravent verify release                    check it from its files alone
";

/// Turn a table about people into the best one that may be released, and prove the promise on the finished files
#[derive(Debug, Parser)]
#[command(name = "paravent", version, after_help = format!("{START}\n\n{EXIT_CODES}"), arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Print one JSON document on standard output and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Add what happens to this file, a JSON document per line
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// `key=value` of `--set`.
pub fn setting(text: &str) -> Result<Setting, String> {
    Setting::parse(text).map_err(|problem| problem.message)
}

/// One file each in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a demo with made-up patients and anonymize it: the two-minute tour
    Demo(demo::Args),
    /// Look at a table and propose a job file for it
    Init(init::Args),
    /// Measure which promises a table keeps as it is; changes nothing
    Check(check::Args),
    /// Find the best release that keeps the promises of a job, write and verify it
    Anonymize(Box<anonymize::Args>),
    /// Show what other class sizes and suppression limits would cost and bring
    Curve(curve::Args),
    /// Compare two releases or two dry runs
    Compare(compare::Args),
    /// Compare what a release is good for with its original: statistics, associations, predictions
    Utility(utility::Args),
    /// Check a finished release from its files alone
    Verify(verify::Args),
    /// Make a key pair to sign releases with
    Keygen(keygen::Args),
    /// Put figures on what a table or a release gives away
    Risk(risk::Args),
    /// Run the known attacks against a release and say how far they got
    Attack(Box<attack::Args>),
    /// List the releases made so far, or check that the register and their files are as they were
    #[command(subcommand)]
    Register(register::Command),
    /// Measure anonymity in bits: who, together with whom, where to
    #[command(subcommand)]
    Measure(measure::Command),
    /// Build, validate, repair or show a hierarchy file
    #[command(subcommand)]
    Hierarchy(hierarchy::Command),
    /// Ask questions in SQL, with generalize, slice and randomize as functions in FROM
    #[cfg_attr(
        not(feature = "sql"),
        command(about = "Ask questions in SQL [not in this program: built without `sql`]")
    )]
    Sql(sql::QueryArgs),
    /// Rewrite a plan or a query with the rules of the algebra, and say what was done and what was refused
    #[cfg_attr(
        not(feature = "sql"),
        command(
            about = "Rewrite a plan or a query with the rules of the algebra [not in this program: built without `sql`]"
        )
    )]
    Rewrite(sql::RewriteArgs),
    /// Permute column groups of a table inside hidden buckets of rows
    Slice(Box<slice::Args>),
    /// Redraw cells of a table with a known probability, or add noise to its numbers
    Noise(Box<noise::Args>),
    /// See what noisy answers have cost, and whether the ledger is as it was written
    Ledger(ledger::Args),
    /// Say who may ask what about whom: propose, check and explain a policy
    #[command(subcommand)]
    Policy(policy::Command),
    /// Ask a question under a policy: an annotated answer, or a refusal
    #[cfg_attr(
        not(feature = "sql"),
        command(about = "Ask a question under a policy [not in this program: built without `sql`]")
    )]
    Ask(ask::Args),
    /// Answer questions under a policy to clients of PostgreSQL: psql, psycopg, pandas
    #[cfg_attr(
        not(feature = "serve"),
        command(
            about = "Answer questions to clients of PostgreSQL [not in this program: built without `serve`]"
        )
    )]
    Serve(serve::Args),
    /// Say who may log in to the server of a policy, and as which recipient
    #[cfg_attr(
        not(feature = "serve"),
        command(about = "Say who may log in to the server [not in this program: built without `serve`]")
    )]
    User(user::Args),
    /// Say who agrees to a purpose of a policy, and who does not any more
    #[cfg_attr(
        not(feature = "sql"),
        command(
            about = "Say who agrees to a purpose of a policy [not in this program: built without `sql`]"
        )
    )]
    Consent(consent::Args),
    /// Finish an answer that was worked out in part elsewhere, with nothing but its parts
    #[cfg_attr(
        not(feature = "sql"),
        command(about = "Finish an answer from its parts [not in this program: built without `sql`]")
    )]
    Continue(proceed::Args),
    /// Hand a part of an answer to another node, or take one, over mutual TLS
    #[cfg_attr(
        not(feature = "sql"),
        command(
            about = "Hand a part of an answer to another node [not in this program: built without `sql`]"
        )
    )]
    Part(part::Args),
    /// Measure the search: workloads of the literature, several algorithms, reference times
    Bench(bench::Args),
    /// Anonymize a table together with other institutions, without showing them a row
    #[command(subcommand)]
    Party(party::Command),
    /// Open the page: configure, explore, compare and release in the browser, on this machine
    #[cfg_attr(
        not(feature = "ui"),
        command(about = "Open the page in the browser [not in this program: built without `ui`]")
    )]
    Ui(ui::Args),
    /// Print the JSON Schema of job files, of reports or of policies
    Schema(schema::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Manual(manual::Args),
}

impl Command {
    /// As it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Demo(_) => "demo",
            Command::Init(_) => "init",
            Command::Check(_) => "check",
            Command::Anonymize(_) => "anonymize",
            Command::Curve(_) => "curve",
            Command::Compare(_) => "compare",
            Command::Utility(_) => "utility",
            Command::Verify(_) => "verify",
            Command::Keygen(_) => "keygen",
            Command::Risk(_) => "risk",
            Command::Attack(_) => "attack",
            Command::Register(_) => "register",
            Command::Measure(_) => "measure",
            Command::Hierarchy(_) => "hierarchy",
            Command::Sql(_) => "sql",
            Command::Rewrite(_) => "rewrite",
            Command::Slice(_) => "slice",
            Command::Noise(_) => "noise",
            Command::Ledger(_) => "ledger",
            Command::Policy(_) => "policy",
            Command::Ask(_) => "ask",
            Command::Serve(_) => "serve",
            Command::User(_) => "user",
            Command::Consent(_) => "consent",
            Command::Continue(_) => "continue",
            Command::Part(_) => "part",
            Command::Bench(_) => "bench",
            Command::Party(_) => "party",
            Command::Ui(_) => "ui",
            Command::Schema(_) => "schema",
            Command::Completions(_) => "completions",
            Command::Manual(_) => "manual",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
