//! `paravent party run`

use super::connection::{Limits, Who};
use super::told::Told;
use super::{failure, preview};
use crate::answer::{Answer, Exit};
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::commands::{light, summary};
use crate::failure::Failure;
use crate::layout::{count, counted, short};
use crate::progress::Progress;
use crate::signals;
use paravent_joint::agreement::Agreement;
use paravent_joint::preview::{Preview, told_facts};
use paravent_joint::take_part::{Finished, Options, Prepared};
use paravent_pipeline::write::Replace;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent party run federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem --preview
  paravent party run federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem
  paravent party run federation.toml --me trustee --key trustee.key.pem --certificate trustee.cert.pem --yes

Shows what this party will send and who learns what, and asks. All parties run it at about the same time, in any order.
If anything goes wrong anywhere, all of them end, and there is no release. Who does not hear how the very last step ended says
so (exit code 5): then the party where the release arrives knows. A release that breaks a promise together with an earlier one of this
party's register is made, and said to be (exit code 6).";

/// Take part in a run: over mutual TLS, with the parties of a federation file
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(flatten)]
    who: Who,
    /// Show what would be sent and learnt; connect to nobody
    #[arg(long)]
    preview: bool,
    /// Write to this directory instead of the job's
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace a release that is there already
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    limits: Limits,
}

/// Shows, asks, runs, and tells.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let prepared = Prepared::load(options(args), &Progress::start(session.quiet)).map_err(failure::of)?;
    let shown =
        preview::text(&Preview::of(&prepared.agreement, &prepared.plan, prepared.me, prepared.part()));
    if args.preview {
        let mut document = json!(told_facts(&prepared.agreement, &prepared.plan));
        document["digest"] = json!(prepared.agreement.digest_text());
        return Ok(Answer::of_text(shown, document));
    }
    prepared.can_write().map_err(failure::of)?;
    consent(args.who.yes, &shown)?;
    signals::install();
    let agreement = prepared.agreement.clone();
    let mut told = Told::new(prepared.names(), session.quiet);
    let finished = prepared.run(&mut told).map_err(failure::of)?;
    let told = text(&agreement, &finished);
    let Finished { document, register, .. } = finished;
    let mut answer = light::add(Answer::done(told, document.clone()), &document);
    let broken = register.map(|register| register.broken_with()).unwrap_or_default();
    if !broken.is_empty() {
        let releases: Vec<String> = broken.iter().map(u64::to_string).collect();
        answer.exit = Exit::Together;
        answer.alarm =
            Some(summary::broken_together(&format!("release {} of the register", releases.join(", "))));
    }
    Ok(answer)
}

fn options(args: &Args) -> Options {
    Options {
        federation: args.who.federation.clone(),
        job: args.who.job.clone(),
        me: args.who.me.clone(),
        key: args.who.key.clone(),
        certificate: args.who.certificate.clone(),
        listen: args.who.listen.clone(),
        output: args.output.clone(),
        replace: if args.force { Replace::Force } else { Replace::Refuse },
        patience: args.limits.patience(),
        message_bytes: args.limits.max_message,
    }
}

pub(super) fn consent(yes: bool, shown: &str) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        let message = "nobody is there to consent: look with --preview, then say --yes";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let mut screen = std::io::stderr();
    let _ = write!(screen, "{shown}\nTake part? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    match (read, answer.trim()) {
        (Ok(_), "y" | "Y" | "yes") => Ok(()),
        _ => Err(Failure::Stopped),
    }
}

fn text(agreement: &Agreement, finished: &Finished) -> String {
    let document = &finished.document;
    let federation = &document["federation"];
    let Some(path) = &finished.released else {
        let record = finished.record.iter().map(|place| format!("Record        {}\n", place.display()));
        return format!(
            "{}The release is at {}.\n{}{}",
            done(agreement, federation),
            agreement.receiver,
            record.collect::<String>(),
            learned(federation)
        );
    };
    let solution = &document["solution"];
    format!(
        "{}Released      {}, {} suppressed, verified\n  levels {}\n  {} {}\n  in {}\n{}",
        done(agreement, federation),
        counted(document["output"]["rows"].as_u64().unwrap_or_default(), "row"),
        count(solution["suppressed_rows"].as_u64().unwrap_or_default()),
        levels(agreement, solution),
        solution["metric"].as_str().unwrap_or_default(),
        short(solution["loss"].as_f64().unwrap_or_default()),
        path.display(),
        learned(federation) + &warnings(document),
    )
}

fn warnings(document: &Value) -> String {
    let told = document["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    told.map(|warning| format!("warning: {warning}\n")).collect()
}

fn done(agreement: &Agreement, federation: &Value) -> String {
    let transcript = federation["transcript"].as_str().unwrap_or_default();
    format!("Done          {}\nTranscript    {transcript}\n  the same at all parties\n", agreement.run)
}

/// The level of each quasi-identifier, in the order of the columns.
fn levels(agreement: &Agreement, solution: &Value) -> String {
    let levels = agreement.columns.iter().filter_map(|column| {
        let level = solution["transformation"].get(&column.name)?;
        Some(format!("{} {level}", column.name))
    });
    levels.collect::<Vec<_>>().join(", ")
}

fn learned(federation: &Value) -> String {
    let mut text = String::from("What each party learned\n");
    for entry in federation["what_each_party_learned"].as_array().into_iter().flatten() {
        let field = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("  {}: {}\n", field("party"), field("learned")));
    }
    text
}
