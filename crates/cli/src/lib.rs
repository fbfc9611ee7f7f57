//! `paravent`, the command-line program, as a library: [`run`] is all of it.
//!
//! Each command is one file in `commands`: it makes one call into the library and gives back an `Answer`, the
//! same facts once as text for people and once as a JSON document. What goes wrong is a `Failure`. Printing
//! and exit codes are decided here and nowhere else.

mod answer;
mod commands;
mod failure;
mod file;
mod fold;
mod layout;
mod log;
mod memory;
mod paint;
mod panics;
mod plain;
mod progress;
mod signals;

use crate::answer::{Answer, Exit};
use crate::commands::Session;
use crate::commands::args::Cli;
use crate::failure::Failure;
use crate::paint::Paint;
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

/// Runs the program with these arguments, the first of which is its name, and gives its exit code.
pub fn run(args: Vec<OsString>) -> u8 {
    memory::guard();
    signals::keep_ignored();
    panics::install();
    #[cfg(any(feature = "postgres", feature = "spark"))]
    paravent_engine::install(signals::stop);
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &args).code(),
    };
    let session = Session { quiet: cli.quiet, json: cli.json, paint: Paint::for_stream(&io::stdout()) };
    if let Some(Err(error)) = cli.log.as_deref().map(log::open) {
        return tell_failure(&error, cli.json).code();
    }
    log::began(cli.command.name());
    let run = || {
        paravent_pipeline::threads::start().map_err(|error| Failure::input_output(error.to_string()))?;
        commands::run(cli.command, &session)
    };
    // The panic hook has spoken on stderr; a program that waits for a document still gets one.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(Failure::internal()));
    log::ended(&outcome);
    let exit = match outcome {
        Ok(answer) => tell(&answer, cli.json, cli.quiet),
        Err(failure) => tell_failure(&failure, cli.json),
    };
    exit.code()
}

fn tell(answer: &Answer, json: bool, quiet: bool) -> Exit {
    let text = match (json, quiet && !answer.asked_for) {
        (true, _) => answer.document(),
        // A table or a file that goes into a pipe is left as it is.
        (false, false) if answer.asked_for && !io::stdout().is_terminal() => answer.text.clone(),
        (false, false) => {
            let text = paint::harmless(&answer.text, Paint::for_stream(&io::stdout()));
            // What was asked for is shown as it is.
            fold::folded(&text, fold::width(&io::stdout()).filter(|_| !answer.asked_for))
        }
        (false, true) => String::new(),
    };
    // With --json the document says it.
    if let Some(alarm) = answer.alarm.as_ref().filter(|_| !json) {
        let paint = Paint::for_stream(&io::stderr());
        let word = match answer.exit {
            Exit::Done => paint.careful("no green verdict:"),
            _ => paint.bad("broken:"),
        };
        let told = format!("{word} {}", paint::harmless(alarm, paint));
        let _ = writeln!(io::stderr(), "{}", fold::folded(&told, fold::width(&io::stderr())));
    }
    match print(&text) {
        Ok(()) => answer.exit,
        Err(error) if answer.is_in_place => {
            let paint = Paint::for_stream(&io::stderr());
            let word = paint.careful("warning:");
            let _ = writeln!(io::stderr(), "{word} standard output: {error}; what was made is in place");
            answer.exit
        }
        Err(error) => tell_failure(&Failure::input_output(format!("standard output: {error}")), false),
    }
}

fn tell_failure(failure: &Failure, json: bool) -> Exit {
    if json {
        // Nobody is left to be told if this fails.
        let _ = print(&failure.document());
    } else {
        let paint = Paint::for_stream(&io::stderr());
        let text = fold::folded(&paint::harmless(&failure.text(paint), paint), fold::width(&io::stderr()));
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
fn usage(error: &clap::Error, args: &[OsString]) -> Exit {
    let json = error.use_stderr() && args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
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
