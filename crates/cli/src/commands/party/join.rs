//! `paravent party join` and `approve`

use super::failure;
use super::preview::add_not_flat;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::progress::Progress;
use paravent_joint::setup::{self, Joining, Stepped};
use serde_json::json;
use std::path::PathBuf;

/// Check a federation file against this party's data, and add its address and certificate
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party join federation.toml paravent.toml --me clinic-b --address clinic-b.example:7001 --certificate clinic-b.cert.pem\n\nVertical: adds the columns of this party. Who holds no data gives no job.\n\n{EXIT_CODES}"))]
pub struct JoinArgs {
    /// The federation file
    federation: PathBuf,
    /// The job file of this party
    job: Option<PathBuf>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
    /// Where the others reach it
    #[arg(long, value_name = "HOST:PORT")]
    address: String,
    /// Its certificate
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
    /// Write the joined file here and leave the federation file as it is; whoever invited puts the answers together
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
}

/// Changes the file in place, or writes an answer.
pub fn join(args: &JoinArgs, session: &Session) -> Result<Answer, Failure> {
    let joining = Joining {
        federation: args.federation.clone(),
        job: args.job.clone(),
        me: args.me.clone(),
        address: args.address.clone(),
        certificate: args.certificate.clone(),
        answer: args.answer.clone(),
    };
    let joined = setup::join(&joining, &Progress::start(session.quiet)).map_err(failure::of)?;
    let Stepped { agreement, not_flat } = joined;
    let waiting: Vec<&str> =
        agreement.parties.iter().filter(|p| p.fingerprint.is_none()).map(|p| p.name.as_str()).collect();
    let mut text = match (waiting.is_empty(), &args.answer) {
        (_, Some(answer)) => {
            format!("{}: send it back; `paravent party merge` puts the answers together\n", answer.display())
        }
        (true, None) => format!(
            "{} is complete; everybody now gets this file and runs `paravent party approve`\n",
            args.federation.display()
        ),
        (false, None) => format!("{} has joined; still to come: {}\n", args.me, waiting.join(", ")),
    };
    let mut json = json!({ "joined": args.me, "waiting_for": waiting, "digest": agreement.digest_text() });
    add_not_flat(&not_flat, &mut text, &mut json);
    Ok(Answer::done(text, json))
}

/// Approve a finished federation file: its digest is what all parties must have in common
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party approve federation.toml paravent.toml --me clinic-b\n\nPrints the digest; compare it with the others'. A run refuses a file that was changed after its approval.\n\n{EXIT_CODES}"))]
pub struct ApproveArgs {
    /// The federation file
    federation: PathBuf,
    /// The job file of this party
    job: Option<PathBuf>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
}

/// Checks everything a run would check, then notes the digest.
pub fn approve(args: &ApproveArgs, session: &Session) -> Result<Answer, Failure> {
    let progress = Progress::start(session.quiet);
    let approved = setup::approve(&args.federation, args.job.as_deref(), &args.me, &progress);
    let Stepped { agreement, not_flat } = approved.map_err(failure::of)?;
    let digest = agreement.digest_text();
    let own = agreement.parties.iter().find(|party| party.name == args.me);
    let matched = own.and_then(|party| party.matched.clone());
    let people = match (&agreement.identifier, &matched) {
        (Some(_), Some(matched)) => format!("people {matched}\n"),
        (Some(_), None) => "people in common were not counted here (paravent party match)\n".to_owned(),
        (None, _) => String::new(),
    };
    let mut text = format!("{} approves {}\n{people}digest {digest}\n", args.me, agreement.run);
    let mut json = json!({ "approved_by": args.me, "digest": digest, "matched": matched });
    add_not_flat(&not_flat, &mut text, &mut json);
    Ok(Answer::of_text(text, json))
}
