//! `paravent register`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, counted, parameters};
use crate::paint::{Paint, harmless};
use clap::Subcommand;
use paravent_pipeline::job::Job;
use paravent_pipeline::register::{
    Line, Record, Register, ReleaseLog, ReleaseRecord, ReleaseState, Verified, verify,
};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent register list                     releases of the job in this folder
  paravent register list study/paravent.toml
  paravent register verify study --json
  paravent register withdraw 3 --reason 'a draft, never handed out'

The register is the file paravent-register.jsonl beside the job file, or where register = 'FILE' under
[output] of the job says. Every release of `paravent anonymize`, `slice --release` and `sql --release` has a line
in it, unless the job says register = false.";

/// Looking at the register of releases.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the releases that were made
    List(Place),
    /// Check that no line was changed or removed, and that the files of each release are as they were
    Verify(Place),
    /// Say that a release was never handed out, or was taken back: later ones are not held against it
    Withdraw(Withdraw),
}

/// Which release is withdrawn.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Withdraw {
    /// The number of the release, as `register list` shows it
    number: u64,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Where the register is.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Place {
    /// The job file, or the folder it is in
    #[arg(value_name = "DIR|JOB", default_value = ".")]
    place: PathBuf,
}

impl Place {
    /// The register, or the folder it is in. A job file may say that it is elsewhere.
    fn register(&self) -> PathBuf {
        if self.place.is_dir() || self.place.extension().is_some_and(|kind| kind == "jsonl") {
            return self.place.clone();
        }
        match Job::load(&self.place).ok().and_then(|job| job.register()) {
            Some(register) => register,
            None => Register::folder(&self.place),
        }
    }
}

/// Runs a command.
pub fn run(command: &Command, session: &Session) -> Result<Answer, Failure> {
    match command {
        Command::List(place) => list(place),
        Command::Verify(place) => check(place, session),
        Command::Withdraw(args) => withdraw(args),
    }
}

/// Adds a line that takes a release back.
fn withdraw(args: &Withdraw) -> Result<Answer, Failure> {
    let register = args.place.register();
    let reason = args.reason.clone().or_else(|| Some("no reason was given".to_owned()));
    Register::withdraw(&register, args.number, reason).map_err(|error| run_error::of_register(&error))?;
    let text = format!(
        "Release {} is withdrawn: later releases are not held against it. Its files stay where they are; whoever has them, has them.\n",
        args.number
    );
    let register = Register::path(&register);
    Ok(Answer::done(text, json!({ "register": register, "withdrawn": args.number, "reason": args.reason })))
}

/// Prints a line per release.
fn list(place: &Place) -> Result<Answer, Failure> {
    let register = place.register();
    let chain = Register::read(&register).map_err(|error| run_error::of_register(&error))?;
    let mut lines = Columns::default();
    lines.row(["number", "time", "release", "rows", "quasi-identifiers", "promised"]);
    let mut releases: Vec<Value> = Vec::new();
    for (line, release) in chain.releases() {
        lines.row([
            line.sequence.to_string(),
            line.time.clone(),
            release.release.clone(),
            format!("{} of {}", count(release.rows), count(release.input.rows)),
            release.quasi_identifiers.join(", "),
            promised(release),
        ]);
        let mut document = json!(release);
        // Nobody reads a sketch.
        if let Some(input) = document["input"].as_object_mut() {
            input.remove("sketch");
            input.remove("people");
        }
        document["sequence"] = json!(line.sequence);
        document["time"] = json!(line.time);
        releases.push(document);
    }
    let mut text = match releases.is_empty() {
        true => "No release is registered.\n".to_owned(),
        false => lines.render(),
    };
    let withdrawn: Vec<Value> = chain.lines.iter().filter_map(withdrawal).collect();
    for one in &withdrawn {
        let reason = one["reason"].as_str().unwrap_or("without a reason");
        text.push_str(&format!("Release {} was withdrawn {}: {reason}.\n", one["of"], string(&one["time"])));
    }
    if let Some(broken) = &chain.broken {
        text.push_str(&format!(
            "\nThe register is broken from line {} on: {}. See `paravent register verify`.\n",
            broken.line, broken.what
        ));
    }
    let document = json!({
        "register": Register::path(&register),
        "releases": releases,
        "withdrawn": withdrawn,
        "broken": chain.broken,
    });
    // Names of columns come from others, also in a pipe.
    Ok(Answer::of_text(harmless(&text, Paint::Plain), document))
}

/// A release that was taken back: its number, when, and why. One that could not appear was never there.
fn withdrawal(line: &Line) -> Option<Value> {
    match &line.record {
        Record::Withdrawal { of, reason: Some(reason) } => {
            Some(json!({ "of": of, "time": line.time, "reason": reason }))
        }
        _ => None,
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn promised(release: &ReleaseRecord) -> String {
    let promise = |criterion: &paravent_pipeline::register::Criterion| {
        format!("{} ({})", criterion.model, parameters(&criterion.required))
    };
    release.criteria.iter().map(promise).collect::<Vec<_>>().join("; ")
}

/// Prints what became of each release.
fn check(place: &Place, session: &Session) -> Result<Answer, Failure> {
    let verified = verify(&place.register()).map_err(|error| run_error::of_register(&error))?;
    let paint = session.paint;
    let Verified { register, lines, releases, .. } = &verified;
    let mut text =
        format!("{}: {} in order\n\n", paint.strong(register.display()), counted(*lines as u64, "line"));
    let mut found = Columns::default();
    for finding in releases {
        let line = format!("line {}", finding.line);
        let number = format!("release {}", finding.sequence);
        found.row([
            line,
            number,
            finding.release.clone(),
            finding.state.name().to_owned(),
            finding.detail.clone(),
        ]);
    }
    text.push_str(&found.render());
    if !releases.is_empty() {
        text.push('\n');
    }
    for broken in verified.broken.iter().chain(&verified.unregistered) {
        text.push_str(&format!("{}\n", paint.bad(format!("Line {}: {}.", broken.line, broken.what))));
    }
    for changed in releases.iter().filter(|finding| finding.state == ReleaseState::Changed) {
        let told = format!(
            "Line {}: the files of {} are not those that were released.",
            changed.line, changed.release
        );
        text.push_str(&format!("{}\n", paint.bad(told)));
    }
    for put_back in releases.iter().filter(|finding| finding.state == ReleaseState::PutBack) {
        let told = format!("Line {}: in {}, {}.", put_back.line, put_back.release, put_back.detail);
        text.push_str(&format!("{}\n", paint.bad(told)));
    }
    if verified.holds {
        text.push_str(&format!("{}\n", paint.good("The register is whole, and no release was changed.")));
    }
    Ok(Answer::judged(verified.holds, text, json!(verified)))
}
