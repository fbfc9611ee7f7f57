//! `paravent completions`

use crate::answer::Answer;
use crate::commands::args::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  paravent completions bash > ~/.local/share/bash-completion/completions/paravent
  paravent completions zsh  > ~/.zfunc/_paravent
  paravent completions fish > ~/.config/fish/completions/paravent.fish";

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "paravent", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let json = json!({ "shell": args.shell.to_string(), "script": script });
    Answer::of_text(script, json)
}
