//! Why a networked run ends without an outcome. No message quotes data.

use super::connect::OTHER_CERTIFICATE;
use super::transcript::JointDigest;
use crate::error::ProtocolError;
use crate::parties::PartyId;

/// What a party that stops tells the others: a code, no data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Something came that was not due, or was damaged.
    Protocol,
    /// Nothing came for too long.
    Waited,
    /// The connection to another party broke.
    Lost,
    /// The agreements differ.
    Agreement,
    /// Somebody stopped it.
    Interrupted,
    /// The release failed its verification.
    Unconfirmed,
    /// The release could not be put in its place.
    Unpublished,
    /// Somebody else answers at the address of a party.
    Certificate,
    /// The parties do not have the same people, or have some in common that none should.
    People,
    /// The parties generalize the same value differently.
    Hierarchies,
    /// Its own data do not fit the agreement.
    OwnData,
    /// The release is not what was agreed.
    Untrue,
    /// Two parties do not tell the same of the messages between them.
    Transcript,
    /// A code this version does not know.
    Unknown,
}

/// Why a party stops. Whoever stops for that reason passes it on as it is, so that nobody takes the messenger for the cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Why.
    pub reason: Reason,
    /// Who was the first to stop.
    pub first: PartyId,
    /// The party at fault, if there is one.
    pub about: Option<PartyId>,
}

impl Reason {
    const ALL: [Reason; 13] = [
        Reason::Protocol,
        Reason::Waited,
        Reason::Lost,
        Reason::Agreement,
        Reason::Interrupted,
        Reason::Unconfirmed,
        Reason::Unpublished,
        Reason::Certificate,
        Reason::People,
        Reason::Hierarchies,
        Reason::OwnData,
        Reason::Untrue,
        Reason::Transcript,
    ];

    pub(super) fn code(self) -> u8 {
        self as u8
    }

    pub(super) fn of_code(code: u8) -> Reason {
        Reason::ALL.get(usize::from(code)).copied().unwrap_or(Reason::Unknown)
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Protocol => "it received something that was not due or cannot be",
            Reason::Waited => "it waited too long for a message",
            Reason::Lost => "it lost the connection to a party",
            Reason::Agreement => "it has another federation file",
            Reason::Interrupted => "it was stopped by its operator",
            Reason::Unconfirmed => "the release failed its verification",
            Reason::Unpublished => "it could not put the release in its place",
            Reason::Certificate => {
                "at the address of a party somebody else answers, with another certificate"
            }
            Reason::People => {
                "the people of the parties do not go together (paravent party match counts them)"
            }
            Reason::Hierarchies => "hierarchies of the parties contradict each other",
            Reason::OwnData => "its own data do not fit the agreement",
            Reason::Untrue => "the release is not what was agreed",
            Reason::Transcript => "two parties do not tell the same of the messages between them",
            Reason::Unknown => "it gave a reason that this version does not know",
        }
    }
}

/// The same in words, where it is known whom it is about.
fn in_words(reason: Reason, about: Option<PartyId>) -> String {
    match (reason, about) {
        (Reason::Protocol, Some(party)) => {
            format!("what it received from {party} was not due, or does not fit the agreement")
        }
        (Reason::Waited, Some(party)) => format!("it waited too long for {party}"),
        (Reason::Lost, Some(party)) => format!("it lost the connection to {party}"),
        (Reason::Agreement, Some(party)) => format!("{party} has another federation file"),
        (Reason::Interrupted, Some(party)) => format!("{party} was stopped by its operator"),
        (Reason::Certificate, Some(party)) => {
            format!("at the address of {party} somebody else answers, with another certificate")
        }
        (Reason::Transcript, Some(party)) => {
            format!("{party} tells something else of its messages than who exchanged them with it")
        }
        (Reason::Untrue, Some(party)) => format!("{party} made a release that is not what was agreed"),
        (Reason::Unpublished, Some(party)) => format!("{party} could not put the release in its place"),
        _ => reason.words().to_owned(),
    }
}

fn listed(parties: &[PartyId]) -> String {
    parties.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn waits_for(behind: &[PartyId]) -> String {
    if behind.is_empty() { String::new() } else { format!(": all wait for {}", listed(behind)) }
}

/// Why a run over the network has no outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The own address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system makes no threads.
    #[error("threads cannot be made: {0}")]
    Threads(std::io::Error),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// Not everybody came.
    #[error("no connection within {seconds} seconds: {}", missing.iter().map(|(party, why)| format!("{party} ({why})")).collect::<Vec<_>>().join(", "))]
    Absent {
        /// Who is missing, and what happened last.
        missing: Vec<(PartyId, String)>,
        /// How long we waited.
        seconds: u64,
    },
    /// Another version of the program.
    #[error("{party} speaks version {theirs} of the wire format, this is version {ours}", ours = crate::wire::VERSION)]
    Version {
        /// Who.
        party: PartyId,
        /// Its version.
        theirs: u16,
    },
    /// Another agreement.
    #[error(
        "{party} has another federation file: the digests differ. Compare the files, and approve the same one"
    )]
    Agreement {
        /// Who.
        party: PartyId,
    },
    /// A malformed greeting, or one from another party than the certificate says.
    #[error("{party} did not introduce itself as agreed")]
    Greeting {
        /// Who.
        party: PartyId,
    },
    /// Another party stopped.
    #[error("{} has stopped: {}", .0.first, in_words(.0.reason, .0.about))]
    Stopped(Cause),
    /// A channel broke.
    #[error("the connection to {party} was lost: {why}")]
    Lost {
        /// To whom.
        party: PartyId,
        /// How.
        why: &'static str,
    },
    /// Bytes that are no frame, or too many.
    #[error("{party} sent {what}")]
    Garbage {
        /// Who.
        party: PartyId,
        /// What.
        what: &'static str,
    },
    /// Nothing came for too long.
    #[error("nothing came from {} for {seconds} seconds{}", listed(parties), waits_for(behind))]
    Waited {
        /// From whom.
        parties: Vec<PartyId>,
        /// How long.
        seconds: u64,
        /// For whom these wait themselves, as far as they say so.
        behind: Vec<PartyId>,
    },
    /// The protocol ended.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The two ends of a channel tell different things.
    #[error("{from} and {to} do not tell the same of the messages between them")]
    Transcript {
        /// Sender.
        from: PartyId,
        /// Receiver.
        to: PartyId,
    },
    /// The receiver's own check failed.
    #[error("the release was not accepted here")]
    Unconfirmed,
    /// All parties had confirmed, but the release could not be put in its place.
    #[error("the release could not be put in its place")]
    Unpublished,
    /// This party confirmed, and did not hear what became of the release.
    #[error("whether there is a release is unknown: {receiver} did not say, since {cause}")]
    OutcomeUnknown {
        /// Who knows.
        receiver: PartyId,
        /// What the release would bear.
        transcript: JointDigest,
        /// Why nothing was heard.
        cause: Box<TransportError>,
    },
    /// Somebody stopped it.
    #[error("stopped on request")]
    Interrupted,
}

impl TransportError {
    /// What to tell the others. What another party said is passed on.
    pub(super) fn cause(&self, me: PartyId) -> Cause {
        let about = match self {
            TransportError::Stopped(cause) => return *cause,
            TransportError::Version { party, .. }
            | TransportError::Agreement { party }
            | TransportError::Greeting { party }
            | TransportError::Garbage { party, .. }
            | TransportError::Lost { party, .. } => Some(*party),
            TransportError::Absent { missing, .. } => {
                let somebody_else = missing.iter().find(|(_, why)| why == OTHER_CERTIFICATE);
                somebody_else.or(missing.first()).map(|(party, _)| *party)
            }
            TransportError::Waited { parties, behind, .. } => match (&behind[..], &parties[..]) {
                ([culprit], _) | ([], [culprit]) => Some(*culprit),
                _ => None,
            },
            // Between two others nobody can tell which of them is wrong.
            TransportError::Transcript { from, to } => match (*from == me, *to == me) {
                (true, _) => Some(*to),
                (_, true) => Some(*from),
                (false, false) => None,
            },
            TransportError::OutcomeUnknown { cause, .. } => return cause.cause(me),
            TransportError::Protocol(error) => error.culprit(),
            _ => None,
        };
        Cause { reason: self.reason(), first: me, about }
    }

    /// Whether a party that ended like this before all were there may come back.
    pub(super) fn may_come_back(&self) -> bool {
        match self {
            TransportError::Lost { .. } | TransportError::Waited { .. } => true,
            TransportError::Stopped(Cause { reason, .. }) => {
                matches!(reason, Reason::Interrupted | Reason::Lost | Reason::Waited)
            }
            _ => false,
        }
    }

    /// What to tell the others.
    fn reason(&self) -> Reason {
        match self {
            TransportError::Version { .. } | TransportError::Agreement { .. } => Reason::Agreement,
            TransportError::Stopped(Cause { reason, .. }) => *reason,
            TransportError::Absent { missing, .. }
                if missing.iter().any(|(_, why)| why == OTHER_CERTIFICATE) =>
            {
                Reason::Certificate
            }
            TransportError::Lost { .. } | TransportError::Absent { .. } => Reason::Lost,
            TransportError::Waited { .. } => Reason::Waited,
            TransportError::Interrupted => Reason::Interrupted,
            TransportError::Transcript { .. } => Reason::Transcript,
            TransportError::Unconfirmed => Reason::Unconfirmed,
            TransportError::Unpublished => Reason::Unpublished,
            TransportError::OutcomeUnknown { cause, .. } => cause.reason(),
            TransportError::Listen { .. }
            | TransportError::Threads(_)
            | TransportError::Tls(_)
            | TransportError::Greeting { .. }
            | TransportError::Garbage { .. } => Reason::Protocol,
            TransportError::Protocol(error) => match error {
                ProtocolError::Identifiers(_) | ProtocolError::SamePerson { .. } => Reason::People,
                ProtocolError::Hierarchies { .. } => Reason::Hierarchies,
                ProtocolError::Refused(_) | ProtocolError::Data(_) => Reason::OwnData,
                ProtocolError::Untrue { .. }
                | ProtocolError::Undecoded { .. }
                | ProtocolError::Broken { .. }
                | ProtocolError::Evidence(_) => Reason::Untrue,
                _ => Reason::Protocol,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        for reason in Reason::ALL {
            assert_eq!(Reason::of_code(reason.code()), reason);
        }
        assert_eq!(Reason::of_code(200), Reason::Unknown);
    }
}
