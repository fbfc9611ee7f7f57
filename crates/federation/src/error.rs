//! Why a run is not started, or ends without a release. No message quotes a cell.

use crate::crypto::{AgreementError, NotACounter, NotAToken};
use crate::data::DataError;
use crate::parties::PartyId;
use crate::wire::{DecodeError, MessageKind};
use paravent_core::hierarchy::LadderError;
use paravent_core::search::SearchError;
use paravent_core::table::TableError;
use paravent_core::task::TaskError;
use std::fmt;

/// One thing a plan asks for and cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The part of the plan.
    pub what: String,
    /// Why.
    pub why: String,
    /// What to do instead.
    pub advice: Option<String>,
}

impl Refusal {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>) -> Refusal {
        Refusal { what: what.into(), why: why.into(), advice: None }
    }

    pub(crate) fn advise(mut self, advice: &str) -> Refusal {
        self.advice = Some(advice.to_owned());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)?;
        self.advice.as_ref().map_or(Ok(()), |advice| write!(f, ". {advice}"))
    }
}

/// Everything that speaks against a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals(pub Vec<Refusal>);

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, refusal) in self.0.iter().enumerate() {
            write!(f, "{}{refusal}", if number > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusals {}

/// Why a party stops. It has no release then, and sends nothing more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The plan cannot be carried out.
    #[error("the plan is refused:\n{0}")]
    Refused(#[from] Refusals),
    /// The party's own data do not fit the plan.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Bytes that are no message.
    #[error("a message from {from}: {source}")]
    Decode {
        /// Who sent it.
        from: PartyId,
        /// What is wrong.
        source: DecodeError,
    },
    /// A message that claims another sender, or is meant for somebody else.
    #[error("a message on the channel of {channel} says it is from {from} to {to}")]
    WrongParty {
        /// Whose channel it came through.
        channel: PartyId,
        /// What it says.
        from: PartyId,
        /// What it says.
        to: PartyId,
    },
    /// A message of another run, or of a party with another plan.
    #[error("{from} follows another plan or another run")]
    OtherPlan {
        /// Who sent it.
        from: PartyId,
    },
    /// Lost, repeated or reordered messages.
    #[error(
        "message {found} of {from} came where {expected} was due: a message was lost, repeated or replayed"
    )]
    Sequence {
        /// Who sent it.
        from: PartyId,
        /// The number due.
        expected: u32,
        /// The number found.
        found: u32,
    },
    /// A message that has no place now.
    #[error("{from} sent a message of kind {kind:?} where none such was due")]
    Unexpected {
        /// Who sent it.
        from: PartyId,
        /// Its kind.
        kind: MessageKind,
    },
    /// A message that cannot follow from the plan.
    #[error("what {from} sent does not fit the plan: {why}")]
    Unfit {
        /// Who sent it.
        from: PartyId,
        /// What does not fit.
        why: &'static str,
    },
    /// Two parties generalize the same value differently.
    #[error(
        "the parties' hierarchies of column {column} contradict each other: equal values must have equal labels everywhere"
    )]
    Hierarchies {
        /// The column's name.
        column: String,
    },
    /// Vertical parts that do not match.
    #[error("the parties do not hold the same tuple identifiers ({0})")]
    Identifiers(&'static str),
    /// The same people at two parties of a horizontal split that agreed not to have any.
    #[error(
        "{people} people of {first} are at {second}, too: they would be counted twice; nothing but encrypted identifiers was sent"
    )]
    SamePerson {
        /// How many.
        people: u64,
        /// One party.
        first: PartyId,
        /// The other.
        second: PartyId,
    },
    /// Values that were put together and are not those that the parties brought.
    #[error("the values that came back are not those that the parties put together ({0})")]
    Values(&'static str),
    /// Released labels that no party recognised.
    #[error(
        "column {column}: {labels} labels that {by} released were recognised by no party: they are not of the levels it says, or of another table"
    )]
    Undecoded {
        /// The master or the helper.
        by: PartyId,
        /// The column's name.
        column: String,
        /// How many.
        labels: usize,
    },
    /// Who made the release did not keep the promise, or does not tell the truth about it. Nothing of it was decrypted here.
    #[error("{by} made a release that is not what was agreed: {why}; nothing of it was decrypted")]
    Untrue {
        /// The master or the helper.
        by: PartyId,
        /// What is not as agreed.
        why: String,
    },
    /// The receiver counted again and found the promise broken.
    #[error("the release has a class of {rows} rows where at least {least} were promised; it is discarded")]
    Broken {
        /// Rows of the smallest class.
        rows: u64,
        /// What was promised.
        least: u64,
    },
    /// Numbers that go with the release and contradict it.
    #[error("the numbers that prove the release contradict it ({0}); it is discarded")]
    Evidence(&'static str),
    /// A ciphertext of another key.
    #[error(transparent)]
    Token(#[from] NotAToken),
    /// A counter of another key.
    #[error(transparent)]
    Counter(#[from] NotACounter),
    /// A group key that cannot be agreed on.
    #[error(transparent)]
    Agreement(#[from] AgreementError),
    /// Levels that make no ladder.
    #[error("a hierarchy of tokens: {0}")]
    Ladder(#[from] LadderError),
    /// Rows that make no table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Columns, levels or criteria that make no task of the search.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The search gave up.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The party had stopped before.
    #[error("this party has stopped")]
    Stopped,
    /// The search ended without a word: a bug.
    #[error("the search ended unexpectedly, or the system made no thread for it")]
    SearchLost,
}

impl ProtocolError {
    /// The party that sent what cannot be, where there is one.
    pub(crate) fn culprit(&self) -> Option<PartyId> {
        match self {
            ProtocolError::Decode { from, .. }
            | ProtocolError::OtherPlan { from }
            | ProtocolError::Sequence { from, .. }
            | ProtocolError::Unexpected { from, .. }
            | ProtocolError::Unfit { from, .. } => Some(*from),
            ProtocolError::WrongParty { channel, .. } => Some(*channel),
            ProtocolError::Untrue { by, .. } | ProtocolError::Undecoded { by, .. } => Some(*by),
            _ => None,
        }
    }
}
