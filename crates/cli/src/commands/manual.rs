//! `paravent manual`: manual pages, for packages.

use crate::answer::Answer;
use crate::commands::args::Cli;
use crate::failure::Failure;
use clap::CommandFactory;
use serde_json::json;
use std::path::PathBuf;

/// Write the manual pages into a folder
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder, made if it is not there
    folder: PathBuf,
}

/// A page for the program and one for each command.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let failed = |error: std::io::Error| Failure::input_output(format!("{}: {error}", args.folder.display()));
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(failed)?;
    let pages = std::fs::read_dir(&args.folder).map_err(failed)?.count();
    let text = format!("Wrote {pages} pages to {}.\n", args.folder.display());
    Ok(Answer::done(text, json!({ "folder": args.folder.display().to_string(), "pages": pages })))
}
