//! `paravent party invite`

use super::failure;
use super::preview::add_not_flat;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::progress::Progress;
use paravent_federation::{ColumnKeys, Gaps, Participants, PseudoShape, SamePerson, Split};
use paravent_joint::agreement::{Holders, Spelling};
use paravent_joint::setup::{self, Invitation, Stepped};
use serde_json::json;
use std::path::PathBuf;

const INVITE: &str = "\
Example:
  paravent party invite paravent.toml --run 'registry 2026' --protocol b --party clinic-a --party clinic-b --party clinic-c --helper trustee --me clinic-a

Promises, metric and columns are those of the job. The file then goes round: every party runs `paravent party join`, then
everybody approves the finished file. Protocols B and C: the release arrives at the first party (with private keys at the last); A: at the last but one.";

/// Begin a federation file from a job and a list of parties
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{INVITE}\n\n{EXIT_CODES}"))]
pub struct InviteArgs {
    /// The job file of the inviting party
    job: PathBuf,
    /// What the run is called
    #[arg(long)]
    run: String,
    /// a: a ring without helper; b: a helper; c: a helper, made-up rows and counters
    #[arg(long, short, value_parser = ["a", "b", "c"])]
    protocol: String,
    /// Who holds what: rows, columns, or both: several parties the same columns of different people, others more columns of these
    #[arg(long, short, value_parser = ["horizontal", "vertical", "hybrid"], default_value = "horizontal")]
    split: String,
    /// A party with data, in order; the inviting one among them
    #[arg(long = "party", value_name = "NAME", required = true)]
    parties: Vec<String>,
    /// A first party without data (protocol A with two others)
    #[arg(long, value_name = "NAME")]
    without_data: Option<String>,
    /// The helper (protocols B and C)
    #[arg(long, value_name = "NAME")]
    helper: Option<String>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
    /// The identifying column by which rows are matched; horizontally, by which the same person at two parties is noticed
    #[arg(long, value_name = "COLUMN")]
    identifier: Option<String>,
    /// Made-up rows per hundred rows (protocol C); flat: as many as make the columns of all who join flat, at most 1000; else 25
    #[arg(long, value_parser = clap::value_parser!(u16).range(0..=5000))]
    pseudo_percent: Option<u16>,
    /// Kind of the made-up rows (protocol C)
    #[arg(long, value_parser = ["flat", "copies", "blocks"], default_value = "flat")]
    pseudo_shape: String,
    /// Ask for k rows per class even without those of any one party
    #[arg(long)]
    m_privacy: bool,
    /// Give every party keys of its own for its columns (vertical, protocols B and C)
    #[arg(long)]
    private_keys: bool,
    /// Take persons that a party does not know for rows with missing values there, instead of ending the run (vertical, protocol B)
    #[arg(long)]
    fill_gaps: bool,
    /// Compare identifiers without regard to case, accents, spaces and punctuation
    #[arg(long)]
    loose_identifiers: bool,
    /// A person at two parties ends the run, or counts twice (horizontal, with --identifier)
    #[arg(long, value_parser = ["refused", "accepted"], default_value = "refused")]
    same_person: String,
    /// The file to write
    #[arg(long, short, default_value = "federation.toml", value_name = "FILE")]
    output: PathBuf,
    /// Also write the whole invitation as one file: the federation file, a job to fill in, and all hierarchies
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
}

/// Writes the file.
pub fn invite(args: &InviteArgs, session: &Session) -> Result<Answer, Failure> {
    if args.same_person == "accepted" && (args.identifier.is_none() || args.split != "horizontal") {
        let message = "--same-person goes with --split horizontal and --identifier: else nobody looks whose rows are whose";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let invited = setup::invite(&invitation(args), &Progress::start(session.quiet)).map_err(failure::of)?;
    let Stepped { agreement, not_flat } = invited;
    let file = args.output.display().to_string();
    let mut text = format!("{file}: every party now runs `paravent party join`, this one as well\n");
    let mut json = json!({ "file": file, "parties": agreement.parties.len() });
    add_not_flat(&not_flat, &mut text, &mut json);
    if let Some(bundle) = &args.bundle {
        let bundle = bundle.display().to_string();
        text = format!(
            "{bundle}: send it to every party; each unpacks it, joins with --answer and sends the answer back\n{text}"
        );
        json["bundle"] = json!(bundle);
    }
    Ok(Answer::done(text, json))
}

fn invitation(args: &InviteArgs) -> Invitation {
    Invitation {
        job: args.job.clone(),
        run: args.run.clone(),
        protocol: args.protocol.clone(),
        split: if args.split == "horizontal" { Split::Horizontal } else { Split::Vertical },
        holders: if args.split == "hybrid" { Holders::Several } else { Holders::One },
        parties: args.parties.clone(),
        without_data: args.without_data.clone(),
        helper: args.helper.clone(),
        me: args.me.clone(),
        identifier: args.identifier.clone(),
        pseudo_percent: args.pseudo_percent,
        pseudo_shape: match args.pseudo_shape.as_str() {
            "blocks" => PseudoShape::Blocks,
            "copies" => PseudoShape::Copies,
            _ => PseudoShape::Flat,
        },
        participants: if args.m_privacy { Participants::Curious } else { Participants::Trusted },
        column_keys: if args.private_keys { ColumnKeys::Private } else { ColumnKeys::Common },
        gaps: if args.fill_gaps { Gaps::Placeholders } else { Gaps::Refused },
        same_person: match args.same_person.as_str() {
            "accepted" => SamePerson::CountedTwice,
            _ => SamePerson::Refused,
        },
        spelling: if args.loose_identifiers { Spelling::Loose } else { Spelling::AsWritten },
        output: args.output.clone(),
        bundle: args.bundle.clone(),
    }
}
