//! A part of an answer on its way from node to node.

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{Session, ask, policy, proceed};
use crate::failure::Failure;
use crate::signals;
use clap::Subcommand;
use paravent_federation::transport::{
    Fingerprint, Identity, Observer, Patience, Peer, Session as Channel, TransportError,
};
use paravent_federation::{Limits, PartyId, Phase, Watch};
use paravent_policy::{Node, Policy};
use paravent_processor::Refusal;
use paravent_processor::fragment::{Fragment, Staged};
use paravent_processor::nodes::may_reach;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  paravent part receive policy.toml --from ward --to clinic --key clinic.key.pem --certificate clinic.cert.pem --output from-ward
  paravent part send policy.toml ward-a --from ward --to clinic --key ward.key.pem --certificate ward.cert.pem

Addresses and certificates of the nodes are in the policy, and both must have the same. `paravent party keygen` makes keys and certificates.";

/// Hand a part of an answer to another node, or take one, over mutual TLS
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Hand over a part
    Send {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// The folder that `ask --part --output` wrote
        part: PathBuf,
        #[command(flatten)]
        ends: Ends,
    },
    /// Wait for a part, and write it into a folder
    Receive {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// The folder to make
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
        #[command(flatten)]
        ends: Ends,
    },
}

// Both ends, and who this is. No doc comment: clap would take it for the description of the command.
#[derive(Debug, clap::Args)]
struct Ends {
    /// The node that gives
    #[arg(long, value_name = "NODE")]
    from: String,
    /// The node that takes
    #[arg(long, value_name = "NODE")]
    to: String,
    /// The private key of this one
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The certificate of this one
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
    /// Wait so long for the other
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    connect_timeout: u64,
    /// Take no longer than this for the rest
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    phase_timeout: u64,
}

/// Parts of answers are small; nothing larger is taken from anybody.
const MOST_BYTES: u64 = 64 << 20;

/// Hands over, or takes.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    signals::install();
    let mut waiting = Waiting { quiet: session.quiet };
    match &args.command {
        Command::Send { policy, part, ends } => {
            let policy = policy::load(policy)?;
            let fragment = Fragment::read(part).map_err(proceed::failure)?;
            // What is no part is not sent either.
            fits(&fragment, part, &policy, ends)?;
            let identity = identity(ends)?;
            let channel = channel(&policy, ends, &identity, Side::From)?;
            let digest =
                channel.give(&fragment.to_bytes(), &mut waiting).map_err(|error| lost(&error, ends))?;
            let text = format!("Given to {}, which has accepted it\ntranscript {digest}\n", ends.to);
            Ok(Answer::done(text, json!({ "to": ends.to, "transcript": digest.to_string() })))
        }
        Command::Receive { policy, output, ends } => received(&policy::load(policy)?, output, ends, waiting),
    }
}

/// Takes a part. The giver hears that it was accepted once all of it is on disk here.
fn received(policy: &Policy, output: &Path, ends: &Ends, mut waiting: Waiting) -> Result<Answer, Failure> {
    if output.symlink_metadata().is_ok() {
        return Err(proceed::taken(output));
    }
    let identity = identity(ends)?;
    let channel = channel(policy, ends, &identity, Side::To)?;
    let mut staged: Option<Result<Staged, Failure>> = None;
    let mut accept = |bytes: &[u8]| {
        let outcome = match Fragment::from_bytes(bytes) {
            Some(fragment) => fits(&fragment, output, policy, ends)
                .and_then(|()| fragment.stage(output).map_err(proceed::failure)),
            None => Err(Failure::input_output(format!("what {} sent is no part of an answer", ends.from))),
        };
        let is_kept = outcome.is_ok();
        staged = Some(outcome);
        is_kept
    };
    let taken = channel.take(&mut accept, &mut waiting);
    // Why it was not accepted says more than that it was not.
    let staged = staged.transpose()?;
    let digest = taken.map_err(|error| lost(&error, ends))?;
    staged.ok_or_else(Failure::internal)?.put().map_err(proceed::failure)?;
    let folder = output.display().to_string();
    let text = format!(
        "A part from {} is in {folder}\ntranscript {digest}\n  paravent continue {folder}\n",
        ends.from
    );
    Ok(Answer::done(text, json!({ "from": ends.from, "part": folder, "transcript": digest.to_string() })))
}

/// Whether a part is one of the node that gives it, and may come to the node that takes it.
fn fits(fragment: &Fragment, place: &Path, policy: &Policy, ends: &Ends) -> Result<(), Failure> {
    let part = fragment.open(place).map_err(proceed::failure)?;
    if let Some(other) = part.node().filter(|node| *node != ends.from) {
        let message = format!("{}: is a part of the node {other}, not of {}", place.display(), ends.from);
        return Err(Failure::Usage { message });
    }
    let refused = |refusal: Refusal| ask::failure(refusal.into());
    may_reach(policy, &part, node(policy, &ends.to)?).map_err(refused)
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    From,
    To,
}

fn identity(ends: &Ends) -> Result<Identity, Failure> {
    Identity::from_pem(&read(&ends.certificate)?, &read(&ends.key)?).map_err(|error| Failure::Usage {
        message: format!("{} and {}: {error}", ends.certificate.display(), ends.key.display()),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::input_output(format!("{}: {error}", path.display())))
}

/// The connection of two nodes of the policy. The giver is the first party, who dials.
fn channel<'a>(
    policy: &Policy,
    ends: &Ends,
    identity: &'a Identity,
    side: Side,
) -> Result<Channel<'a>, Failure> {
    let (from, to) = (node(policy, &ends.from)?, node(policy, &ends.to)?);
    if from.name == to.name {
        return Err(Failure::Usage { message: "a part is handed from one node to another one".to_owned() });
    }
    let (me, own, other) = match side {
        Side::From => (PartyId(0), from, to),
        Side::To => (PartyId(1), to, from),
    };
    if fingerprint(policy, own)? != identity.fingerprint() {
        let message = format!("the certificate is not that of the node {} in the policy", own.name);
        return Err(Failure::Usage { message });
    }
    let listen = to.address.clone().ok_or_else(|| missing(to, "address = \"10.0.0.2:7000\""))?;
    let mut agreement = Sha256::new();
    // Both ends must have the same policy: nodes and their certificates are not part of its version.
    for part in ["paravent part 1", &policy.version(), &from.name, &to.name] {
        agreement.update((part.len() as u64).to_le_bytes());
        agreement.update(part);
    }
    Ok(Channel {
        me,
        agreement: agreement.finalize().into(),
        identity,
        listen: listen.clone(),
        peers: vec![Peer {
            id: PartyId(1 - me.0),
            address: listen,
            fingerprint: fingerprint(policy, other)?,
        }],
        receiver: PartyId(1),
        patience: Patience {
            connect: Duration::from_secs(ends.connect_timeout),
            phase: Duration::from_secs(ends.phase_timeout),
            ..Patience::default()
        },
        limits: Limits { message_bytes: MOST_BYTES, ..Limits::default() },
    })
}

fn node<'p>(policy: &'p Policy, name: &str) -> Result<&'p Node, Failure> {
    policy.node(name).ok_or_else(|| {
        let names: Vec<&str> = policy.nodes.iter().map(|node| node.name.as_str()).collect();
        Failure::Usage { message: format!("the policy has no node {name:?}; nodes: {}", names.join(", ")) }
    })
}

fn fingerprint(policy: &Policy, node: &Node) -> Result<Fingerprint, Failure> {
    let path = node.certificate.as_ref().ok_or_else(|| missing(node, "certificate = \"ward.cert.pem\""))?;
    let path = policy.source.resolve(path);
    Fingerprint::of_pem(&read(&path)?)
        .map_err(|error| Failure::Usage { message: format!("{}: {error}", path.display()) })
}

fn missing(node: &Node, example: &str) -> Failure {
    Failure::Usage {
        message: format!("the policy says too little of the node {}: write {example}", node.name),
    }
}

/// Names the nodes by name: the giver is the first party.
fn lost(error: &TransportError, ends: &Ends) -> Failure {
    let message = match error {
        TransportError::Interrupted => return Failure::Stopped,
        TransportError::Agreement { party } => {
            format!("{party} has another version of the policy, or another node in mind with --from or --to")
        }
        other => other.to_string(),
    };
    let first = |text: &str| text.replace(&PartyId(1).to_string(), &ends.to);
    let pieces: Vec<String> = message.split(&PartyId(0).to_string()).map(first).collect();
    Failure::input_output(pieces.join(&ends.from))
}

/// Says whom it waits for; hears Ctrl-C.
struct Waiting {
    quiet: bool,
}

impl Watch for Waiting {
    fn begins(&mut self, _: Phase) {}
}

impl Observer for Waiting {
    fn connected(&mut self, _: PartyId) {
        if !self.quiet {
            // Nobody has to listen.
            let _ = writeln!(std::io::stderr(), "connected");
        }
    }

    fn stop(&self) -> bool {
        signals::stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends() -> Ends {
        Ends {
            from: "ward party 2".to_owned(),
            to: "clinic".to_owned(),
            key: PathBuf::new(),
            certificate: PathBuf::new(),
            connect_timeout: 1,
            phase_timeout: 1,
        }
    }

    #[test]
    fn nodes_are_called_by_their_names_and_stopping_is_stopping() {
        let told = |error: TransportError| match lost(&error, &ends()) {
            Failure::InputOutput { message, .. } => message,
            other => panic!("{}", other.kind()),
        };
        let waited =
            TransportError::Waited { parties: vec![PartyId(0)], seconds: 3, behind: vec![PartyId(1)] };
        assert_eq!(told(waited), "nothing came from ward party 2 for 3 seconds: all wait for clinic");
        let other = told(TransportError::Agreement { party: PartyId(1) });
        assert!(other.starts_with("clinic has another version of the policy"), "{other}");
        assert!(matches!(lost(&TransportError::Interrupted, &ends()), Failure::Stopped));
    }
}
