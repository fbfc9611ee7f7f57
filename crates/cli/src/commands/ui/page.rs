//! The server, from here until Ctrl-C.

use super::browser;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::signals;
use paravent_ui::{Opened, Project, Server, ServerOptions};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent ui                                open the project in this folder, or begin one
  paravent ui patients.csv                   look at a table; the job file is written into this folder
  paravent ui study/paravent.toml            open a job
  paravent ui --project study                keep job, releases and keys in the folder study

The page runs on this machine alone: the server listens on 127.0.0.1 and answers only to who has the
token in the page's address. A table that is dropped on the page is kept in a file that only you can
read, and is gone when the program ends. Ctrl-C ends it.";

/// Open the page: configure, explore, compare and release in the browser, on this machine
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// A job file, a table, or a project folder
    file: Option<PathBuf>,
    /// The folder of job, releases and keys; that of the job file, or the current one
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// The port; any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Do not open a browser; the address is printed on standard error
    #[arg(long)]
    no_open: bool,
    /// Largest table that can be dropped on the page, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    data_limit: u64,
}

/// Serves until somebody stops it.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    signals::install();
    let opened = Opened { folder: args.project.clone(), file: args.file.clone() };
    let project = Project::open(&opened).map_err(|error| Failure::input_output(error.to_string()))?;
    let folder = project.folder().to_owned();
    let options = ServerOptions { port: args.port, data_limit: args.data_limit << 20 };
    let server = Server::bind(project, options)
        .map_err(|error| Failure::input_output(format!("no server on 127.0.0.1: {error}")))?;
    let page = server.page();
    // The address is the key to the page: for who has started it, and so on standard error, where documents do not go.
    let _ = writeln!(
        std::io::stderr(),
        "Paravent is at {}\n  project {}; Ctrl-C ends it",
        session.paint.strong(&page),
        folder.display()
    );
    if !args.no_open {
        let opens = server.doorway().is_ok_and(|file| browser::open(&file));
        if !opens {
            let _ = writeln!(std::io::stderr(), "  no browser was found: open the address yourself");
        }
    }
    server
        .run(signals::stop)
        .map_err(|error| Failure::input_output(format!("the server has ended: {error}")))?;
    Ok(Answer::done(String::new(), json!({ "project": folder, "ended": true })))
}
