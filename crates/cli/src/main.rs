//! `paravent`, the command-line program.
//!
//! Each command is one file in [`commands`]: it makes one call into the library and gives back an [`Answer`], the
//! same facts once as text for people and once as a JSON document. What goes wrong is a [`Failure`]. Printing
//! and exit codes are decided here and nowhere else.

mod answer;
mod commands;
mod failure;
mod file;
mod layout;
mod memory;
mod paint;
mod panics;
mod progress;
mod signals;

use crate::answer::{Answer, Exit};
use crate::commands::Session;
use crate::commands::args::Cli;
use crate::failure::Failure;
use crate::paint::Paint;
use clap::Parser;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    memory::guard();
    signals::keep_ignored();
    panics::install();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error).into(),
    };
    let session = Session { quiet: cli.quiet, paint: Paint::for_stream(&io::stdout()) };
    let run = || {
        paravent_pipeline::threads::start().map_err(|error| Failure::input_output(error.to_string()))?;
        commands::run(cli.command, &session)
    };
    // The panic hook has spoken on stderr; a program that waits for a document still gets one.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(Failure::internal()));
    let exit = match outcome {
        Ok(answer) => tell(&answer, cli.json, cli.quiet),
        Err(failure) => tell_failure(&failure, cli.json),
    };
    exit.into()
}

fn tell(answer: &Answer, json: bool, quiet: bool) -> Exit {
    let text = match (json, quiet && !answer.asked_for) {
        (true, _) => answer.document(),
        // A table or a file that goes into a pipe is left as it is.
        (false, false) if answer.asked_for && !io::stdout().is_terminal() => answer.text.clone(),
        (false, false) => paint::harmless(&answer.text),
        (false, true) => String::new(),
    };
    // With --json the document says it.
    if let Some(alarm) = answer.alarm.as_ref().filter(|_| !json) {
        let paint = Paint::for_stream(&io::stderr());
        let word = match answer.exit {
            Exit::Done => paint.careful("no green verdict:"),
            _ => paint.bad("broken:"),
        };
        let _ = writeln!(io::stderr(), "{word} {}", paint::harmless(alarm));
    }
    match print(&text) {
        Ok(()) => answer.exit,
        Err(error) => tell_failure(&Failure::input_output(format!("standard output: {error}")), false),
    }
}

fn tell_failure(failure: &Failure, json: bool) -> Exit {
    if json {
        // Nobody is left to be told if this fails.
        let _ = print(&failure.document());
    } else {
        let text = paint::harmless(&failure.text(Paint::for_stream(&io::stderr())));
        let _ = io::stderr().write_all(text.as_bytes());
    }
    failure.exit()
}

/// A reader that has seen enough and closed the pipe is no error.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Help and version come here as well: they are no failure.
fn usage(error: &clap::Error) -> Exit {
    let json =
        error.use_stderr() && std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if json {
        return tell_failure(&Failure::usage(error), true);
    }
    // A closed pipe again.
    let _ = error.print();
    let _ = io::stdout().flush();
    if error.use_stderr() { Exit::Configuration } else { Exit::Done }
}

/// Whether a person is looking at progress.
fn somebody_watches() -> bool {
    io::stderr().is_terminal()
}
