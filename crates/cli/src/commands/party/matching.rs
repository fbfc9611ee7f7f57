//! `paravent party match`

use super::connection::{Limits, Who};
use super::failure;
use super::run::consent;
use super::told::Told;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, counted};
use crate::progress::Progress;
use crate::signals;
use paravent_federation::leaks::LeakTable;
use paravent_federation::{Matches, PartyId};
use paravent_joint::agreement::{Agreement, Holders};
use paravent_joint::matching::{Counting, Options, Verdict, verdict};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Example:
  paravent party match federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem

All parties but the helper run it at about the same time, after all have joined and before anybody approves. Encrypted
identifiers go round; every party learns how many people each two and all have in common, and nobody learns who.
Exit code 1: with what was agreed, the run would end.";

/// Count the people that the parties have in common, before anybody approves
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(flatten)]
    who: Who,
    /// Show what would be sent and learnt; connect to nobody
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    limits: Limits,
}

/// Shows, asks, counts, and tells.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let counting = Counting::load(options(args), &Progress::start(session.quiet)).map_err(failure::of)?;
    let shown = shown(&counting);
    if args.preview {
        return Ok(Answer::of_text(shown, json!({ "people": counting.people() })));
    }
    consent(args.who.yes, &shown)?;
    signals::install();
    let (names, me) = (counting.names(), counting.me);
    let mut told = Told::new(names.clone(), session.quiet);
    let (agreement, matches) = counting.run(&mut told).map_err(failure::of)?;
    let verdict = verdict(&agreement, &matches);
    let text = text(&agreement, &matches, me, verdict);
    Ok(Answer::judged(verdict == Verdict::Fits, text, document(&names, &matches, verdict)))
}

fn options(args: &Args) -> Options {
    Options {
        federation: args.who.federation.clone(),
        job: args.who.job.clone(),
        me: args.who.me.clone(),
        key: args.who.key.clone(),
        certificate: args.who.certificate.clone(),
        listen: args.who.listen.clone(),
        patience: args.limits.patience(),
        message_bytes: args.limits.max_message,
    }
}

/// What taking part means.
fn shown(counting: &Counting) -> String {
    let table = LeakTable::of_matching();
    let people = counted(counting.people() as u64, "person");
    let mut text = format!("Run           {}\nThis party    {}\n", counting.agreement.run, people);
    table.sends.iter().for_each(|s| text.push_str(&format!("  to {}: {}\n", s.to, s.what)));
    table.learns.iter().for_each(|l| text.push_str(&format!("  {} learns: {}\n", l.who, l.what)));
    table.leaks.iter().for_each(|l| {
        text.push_str(&format!("  {} could conclude: {}\n    against it: {}\n", l.who, l.what, l.against));
    });
    text
}

fn text(agreement: &Agreement, matches: &Matches, me: usize, verdict: Verdict) -> String {
    let name = |party: PartyId| agreement.parties[usize::from(party.0)].name.as_str();
    let mut lines = Columns::default();
    for (position, &people) in matches.people.iter().enumerate() {
        lines.row([name(PartyId(position as u16)), &count(people), "people"]);
    }
    for (&(first, second), &people) in &matches.shared {
        lines.row([&format!("{} and {}", name(first), name(second)), &count(people), "in common"]);
    }
    lines.row(["every party", &count(matches.everywhere), "in common"]);
    lines.row(["all", &count(matches.all), "different people"]);
    let here = matches.not_everywhere(PartyId(me as u16));
    let advice = match verdict {
        Verdict::Fits => "Next    compare the digest with the others, then: paravent party approve".to_owned(),
        Verdict::Gaps => format!(
            "{} people here are not at every party, {} of all: the run would end. Agree on --fill-gaps (protocol B), or bring the people whom all know",
            count(here),
            count(matches.all - matches.everywhere)
        ),
        Verdict::SamePeople if agreement.holders == Holders::Several => {
            "The same people have the same column at two parties: the run would end. Let one of them leave them out".to_owned()
        }
        Verdict::SamePeople => {
            "The same people are at two parties: the run would end. Let one of them leave them out, or agree on --same-person accepted".to_owned()
        }
    };
    format!("{}{advice}\n", lines.render())
}

fn document(names: &[String], matches: &Matches, verdict: Verdict) -> Value {
    let name = |party: PartyId| names[usize::from(party.0)].as_str();
    let people =
        names.iter().zip(&matches.people).map(|(name, people)| json!({ "party": name, "people": people }));
    let shared = (matches.shared.iter()).map(
        |(&(first, second), people)| json!({ "parties": [name(first), name(second)], "people": people }),
    );
    json!({
        "people": people.collect::<Vec<_>>(),
        "in_common": shared.collect::<Vec<_>>(),
        "everywhere": matches.everywhere,
        "all": matches.all,
        "the_run_can_go_on": verdict == Verdict::Fits,
    })
}
