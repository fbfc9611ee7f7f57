//! Who may log in.

use super::password;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::policy;
use crate::failure::Failure;
use crate::layout::Columns;
use clap::Subcommand;
use paravent_server::{Users, UsersError};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent user add policy.toml ada --role research        asks for a password, twice
  paravent user add policy.toml robot --role research < password.txt
  paravent user list policy.toml
  paravent user remove policy.toml ada

Users stand in a file beside the policy (policy.users.toml), readable by its owner alone, without their passwords.
The guide is docs/guide/serve.md.";

/// Say who may log in to the server of a policy, and as which recipient
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a user; the password is asked for, or read from standard input
    Add {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// Name to log in with
        #[arg(value_name = "NAME")]
        name: String,
        /// The recipient of the policy that the user asks as
        #[arg(long, value_name = "ROLE")]
        role: String,
    },
    /// List the users
    List {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
    },
    /// Remove a user; connections that are open get no answer any more
    Remove {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// Name to log in with
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Runs a command.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    match &args.command {
        Command::Add { policy: file, name, role } => {
            let (policy, users) = (policy::load(file)?, Users::of(file));
            let password = password::read()?;
            users.add(&policy, name, role, &password).map_err(failure)?;
            let text = format!("{name} may ask as {role}; kept in {}\n", users.path().display());
            Ok(Answer::done(text, json!({ "user": name, "role": role, "file": users.path() })))
        }
        Command::List { policy: file } => {
            policy::load(file)?;
            let listed = Users::of(file).list().map_err(failure)?;
            let mut rows = Columns::default();
            rows.row(["user".to_owned(), "role".to_owned()]);
            listed.iter().for_each(|user| rows.row([user.name.clone(), user.role.clone()]));
            let users: Vec<Value> =
                listed.iter().map(|user| json!({ "user": user.name, "role": user.role })).collect();
            Ok(Answer::of_text(rows.render(), json!({ "users": users })))
        }
        Command::Remove { policy: file, name } => {
            Users::of(file).remove(name).map_err(failure)?;
            Ok(Answer::done(format!("{name} may not log in any more\n"), json!({ "removed": name })))
        }
    }
}

fn failure(error: UsersError) -> Failure {
    match error {
        error @ (UsersError::Name(_) | UsersError::Password) => Failure::Usage { message: error.to_string() },
        error => Failure::input_output(error.to_string()),
    }
}
