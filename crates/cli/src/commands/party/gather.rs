//! `paravent party unpack`, `merge` and `status`: between an invitation and a finished file.

use super::failure;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::Columns;
use paravent_joint::bundle::Bundle;
use paravent_joint::merge::merge as put_together;
use paravent_joint::setup;
use paravent_joint::status::{Status, status as look};
use serde_json::json;
use std::path::PathBuf;

/// Lay out the files of an invitation: federation file, job, hierarchies
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party unpack invitation.toml --output study\n\nNever writes over a file. Then write the name of your table into paravent.toml, and join with --answer.\n\n{EXIT_CODES}"))]
pub struct UnpackArgs {
    /// The invitation
    invitation: PathBuf,
    /// Where to
    #[arg(long, short, default_value = ".", value_name = "DIR")]
    output: PathBuf,
}

/// Lays out the files.
pub fn unpack(args: &UnpackArgs) -> Result<Answer, Failure> {
    let files =
        Bundle::load(&args.invitation).and_then(|bundle| bundle.unpack(&args.output)).map_err(failure::of)?;
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let text = format!(
        "{}\nWrite the name of your table into the job, then: paravent party join --answer\n",
        files.join("\n")
    );
    Ok(Answer::done(text, json!({ "files": files })))
}

/// Put the answers of the parties together
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party merge federation.toml clinic-a.answer.toml clinic-b.answer.toml trustee.answer.toml\n\nAnswers may come in any order and at any time. Refuses an answer to another invitation.\n\n{EXIT_CODES}"))]
pub struct MergeArgs {
    /// The federation file, as `invite` wrote it
    federation: PathBuf,
    /// What the parties sent back
    #[arg(required = true)]
    answers: Vec<PathBuf>,
}

/// Changes the federation file in place.
pub fn merge(args: &MergeArgs) -> Result<Answer, Failure> {
    let agreement = put_together(&args.federation, &args.answers).map_err(failure::of)?;
    let status = look(&agreement, None, false);
    let json = json!({ "complete": status.complete, "digest": status.digest, "next": status.next });
    Ok(Answer::done(text(&status), json))
}

/// Show how far a federation file has come, and what is next
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party status federation.toml --me clinic-b --network\n\n--network opens a connection to every address and closes it again: it shows whether a firewall is in the way.\n\n{EXIT_CODES}"))]
pub struct StatusArgs {
    /// The federation file
    federation: PathBuf,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: Option<String>,
    /// Try the addresses of the others
    #[arg(long)]
    network: bool,
}

/// Changes nothing.
pub fn status(args: &StatusArgs) -> Result<Answer, Failure> {
    let agreement = setup::load(&args.federation).map_err(failure::of)?;
    if let Some(me) = &args.me {
        agreement.party(me).map_err(Failure::configuration)?;
    }
    let status = look(&agreement, args.me.as_deref(), args.network);
    let parties = status.parties.iter().map(|(party, stage, reached)| {
        json!({ "name": party.name, "role": party.part.name(), "state": stage.words(), "address": party.address,
                "fingerprint": party.fingerprint.map(|print| print.to_string()), "network": reached.words() })
    });
    let json = json!({ "run": agreement.run, "digest": status.digest, "complete": status.complete,
                       "parties": parties.collect::<Vec<_>>(), "problems": status.problems, "next": status.next });
    Ok(Answer::of_text(text(&status), json))
}

fn text(status: &Status) -> String {
    let mut parties = Columns::default();
    for (party, stage, reached) in &status.parties {
        let address = party.address.as_deref().unwrap_or("no address yet");
        let print = party.fingerprint.map_or_else(String::new, |print| print.to_string());
        parties.row([
            &party.name,
            party.part.name(),
            stage.words(),
            address,
            reached.words(),
            print.get(..16).unwrap_or_default(),
        ]);
    }
    let problems: String = status.problems.iter().map(|problem| format!("  {problem}\n")).collect();
    format!("Digest  {}\n{}{problems}Next    {}\n", status.digest, parties.render(), status.next)
}
