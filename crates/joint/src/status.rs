//! How far a federation file has come, and what is next.

use crate::agreement::{Agreement, Part, PartyEntry};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Where a party stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Invited.
    Invited,
    /// Has added address and certificate.
    Joined,
    /// Has approved this very file.
    Approved,
    /// Has approved what the file said before it was changed.
    ApprovedAnother,
}

impl Stage {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Stage::Invited => "invited",
            Stage::Joined => "joined",
            Stage::Approved => "approved",
            Stage::ApprovedAnother => "approved another version",
        }
    }

    fn of(party: &PartyEntry, digest: &str) -> Stage {
        match (&party.approved, party.address.is_some() && party.fingerprint.is_some()) {
            (Some(approved), _) if approved == digest => Stage::Approved,
            (Some(_), _) => Stage::ApprovedAnother,
            (None, true) => Stage::Joined,
            (None, false) => Stage::Invited,
        }
    }
}

/// Whether a server listens at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Nobody has asked, or there is no address.
    NotTried,
    /// Somebody answers; who it is shows in the run.
    Answers,
    /// The machine is there, and nothing listens.
    NobodyListens,
    /// The name is not known.
    UnknownName,
    /// Nothing comes back: a firewall, perhaps.
    Silent,
}

impl Reached {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Reached::NotTried => "",
            Reached::Answers => "answers",
            Reached::NobodyListens => "nobody listens",
            Reached::UnknownName => "the name is not known here",
            Reached::Silent => "no answer",
        }
    }
}

/// The state of a federation file.
#[derive(Debug, Clone)]
pub struct Status {
    /// Of everything that was agreed on so far.
    pub digest: String,
    /// Everybody.
    pub parties: Vec<(PartyEntry, Stage, Reached)>,
    /// Whether it can be approved: nothing is missing.
    pub complete: bool,
    /// What has to be mended before anything else.
    pub problems: Vec<String>,
    /// What is next.
    pub next: String,
}

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks at a file as it is here; approvals of others stand in their own copies. `me` is the party that asks; `network` tries the addresses of
/// the others and says nothing to them.
pub fn status(agreement: &Agreement, me: Option<&str>, network: bool) -> Status {
    let digest = agreement.digest_text();
    let parties: Vec<(PartyEntry, Stage, Reached)> = (agreement.parties.iter())
        .map(|party| {
            let tried = network && Some(party.name.as_str()) != me;
            let reached = match &party.address {
                Some(address) if tried => reach(address),
                _ => Reached::NotTried,
            };
            (party.clone(), Stage::of(party, &digest), reached)
        })
        .collect();
    let missing = agreement.missing();
    let complete = missing.0.is_empty();
    let problems = agreement
        .plan()
        .err()
        .map_or_else(Vec::new, |problems| problems.0.iter().map(ToString::to_string).collect());
    let next = next(&parties, me, (complete, agreement.identifier.is_some()), problems.is_empty());
    Status { digest, parties, complete, problems, next }
}

fn next(
    parties: &[(PartyEntry, Stage, Reached)],
    me: Option<&str>,
    (complete, identifies): (bool, bool),
    sound: bool,
) -> String {
    if !sound {
        return "the file cannot be used as it is; invite again".to_owned();
    }
    let own = parties.iter().find(|(party, ..)| Some(party.name.as_str()) == me).map(|(_, stage, _)| *stage);
    if own == Some(Stage::Invited) {
        return "join: paravent party join".to_owned();
    }
    if !complete {
        let waiting: Vec<&str> = (parties.iter())
            .filter(|(party, ..)| party.fingerprint.is_none())
            .map(|(party, ..)| party.name.as_str())
            .collect();
        return match waiting.is_empty() {
            true => "parties have joined without their columns; they join again".to_owned(),
            false => format!(
                "wait for {}, then put the answers together: paravent party merge",
                waiting.join(", ")
            ),
        };
    }
    let has_people = |party: &PartyEntry| Some(party.name.as_str()) == me && party.part != Part::Helper;
    let uncounted = |party: &PartyEntry| has_people(party) && party.matched.is_none();
    if identifies && own == Some(Stage::Joined) && parties.iter().any(|(party, ..)| uncounted(party)) {
        return "count the people in common, together with the others: paravent party match; then approve"
            .to_owned();
    }
    match own {
        Some(Stage::Approved) => "all set here; agree on a time, then: paravent party run".to_owned(),
        Some(_) => "compare the digest with the others, then: paravent party approve".to_owned(),
        None => "everybody compares the digest and approves: paravent party approve".to_owned(),
    }
}

fn reach(address: &str) -> Reached {
    let Ok(found) = address.to_socket_addrs() else { return Reached::UnknownName };
    let mut last = Reached::UnknownName;
    for address in found {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(_) => return Reached::Answers,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                last = Reached::NobodyListens
            }
            Err(_) => last = Reached::Silent,
        }
    }
    last
}
