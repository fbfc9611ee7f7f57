//! The messages by name.

use super::Phase;
use super::counted::{read_columns, write_columns};
use super::{
    ClassCounters, DecodeError, EncryptedPart, ProfileColumn, Reader, SealedRelease, ShareSums, Totals,
    Writer,
};
use crate::crypto::Token;

/// Everything parties say to each other.
#[derive(Debug)]
pub enum Message {
    /// First round of the key agreement.
    Contribution([u8; 32]),
    /// Second round of the key agreement.
    Confirmation([u8; 32]),
    /// The public key of the counters.
    CounterKey([u8; 32]),
    /// A party's encrypted part: to the next party of the ring, or to the helper.
    Part(EncryptedPart),
    /// Parts on their way to the master. Vertical: with a digest of the encrypted identifiers, sorted.
    Integrated {
        /// The rows so far, or a share of them.
        part: EncryptedPart,
        /// All zeros in a horizontal split.
        identifiers: [u8; 32],
    },
    /// How often each value of each quasi-identifier occurs, encrypted: what metrics of cells need.
    Profile(Vec<ProfileColumn>),
    /// Encrypted counters of the classes under a node: does the promise hold?
    Check(Check),
    /// What a primary party counted of its share of the classes of a question.
    Sums(ShareSums),
    /// The reader's answer.
    Answer(Answer),
    /// Encrypted counters of the classes under the chosen node: which are kept?
    Finish(Check),
    /// By class of [`Message::Finish`]: kept or not.
    Fates(Vec<bool>),
    /// The release, encrypted; nothing where no node keeps the promise.
    Release(Option<SealedRelease>),
    /// The release, partly decoded.
    Decoding(Option<SealedRelease>),
    /// Encrypted identifiers on their way round the ring, sorted.
    People(Vec<Token>),
    /// Identifiers of one party with the layers of all, sorted: for counting.
    Everyone(Vec<Token>),
    /// Encrypted values of one party on their way round the ring, sorted.
    Values(Vec<Token>),
    /// Values that were put together, each once, with the layers of all, sorted.
    Union(Vec<Token>),
    /// The same with fewer layers, at last with none.
    Opening(Vec<Token>),
    /// The helper asks no more.
    Searched,
    /// What classes are compared with where t-closeness is promised.
    Totals(Totals),
}

/// A question about a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The levels.
    pub node: Vec<u8>,
    /// Rows that the helper sees, made-up ones included: no count is larger.
    pub visible_rows: u32,
    /// The classes in random order, without labels.
    pub classes: ClassCounters,
}

/// What the reader of the counters says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// Whether the monotone part of the criteria holds.
    pub monotone_part_holds: bool,
    /// The loss, where all criteria hold.
    pub loss: Option<f64>,
}

/// The kind of a message, as in its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "as the messages")]
pub enum MessageKind {
    Contribution = 1,
    Confirmation,
    CounterKey,
    Part,
    Integrated,
    Profile,
    Check,
    Answer,
    Finish,
    Fates,
    Release,
    Decoding,
    People,
    Everyone,
    Sums,
    Searched,
    Totals,
    Values,
    Union,
    Opening,
}

impl MessageKind {
    const ALL: [MessageKind; 20] = [
        MessageKind::Contribution,
        MessageKind::Confirmation,
        MessageKind::CounterKey,
        MessageKind::Part,
        MessageKind::Integrated,
        MessageKind::Profile,
        MessageKind::Check,
        MessageKind::Answer,
        MessageKind::Finish,
        MessageKind::Fates,
        MessageKind::Release,
        MessageKind::Decoding,
        MessageKind::People,
        MessageKind::Everyone,
        MessageKind::Sums,
        MessageKind::Searched,
        MessageKind::Totals,
        MessageKind::Values,
        MessageKind::Union,
        MessageKind::Opening,
    ];

    pub(super) fn code(self) -> u8 {
        self as u8
    }

    pub(super) fn from_code(code: u8) -> Option<MessageKind> {
        MessageKind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The phase it belongs to.
    pub fn phase(self) -> Phase {
        match self {
            MessageKind::Contribution
            | MessageKind::Confirmation
            | MessageKind::CounterKey
            | MessageKind::People
            | MessageKind::Everyone
            | MessageKind::Values
            | MessageKind::Union
            | MessageKind::Opening => Phase::Agree,
            MessageKind::Part => Phase::Encrypt,
            MessageKind::Integrated => Phase::Integrate,
            MessageKind::Profile
            | MessageKind::Check
            | MessageKind::Sums
            | MessageKind::Answer
            | MessageKind::Searched
            | MessageKind::Totals => Phase::Search,
            MessageKind::Finish | MessageKind::Fates | MessageKind::Release => Phase::Release,
            MessageKind::Decoding => Phase::Decode,
        }
    }
}

impl Message {
    /// Its kind.
    pub fn kind(&self) -> MessageKind {
        match self {
            Message::Contribution(_) => MessageKind::Contribution,
            Message::Confirmation(_) => MessageKind::Confirmation,
            Message::CounterKey(_) => MessageKind::CounterKey,
            Message::Part(_) => MessageKind::Part,
            Message::Integrated { .. } => MessageKind::Integrated,
            Message::Profile(_) => MessageKind::Profile,
            Message::Check(_) => MessageKind::Check,
            Message::Sums(_) => MessageKind::Sums,
            Message::Searched => MessageKind::Searched,
            Message::Totals(_) => MessageKind::Totals,
            Message::Answer(_) => MessageKind::Answer,
            Message::Finish(_) => MessageKind::Finish,
            Message::Fates(_) => MessageKind::Fates,
            Message::Release(_) => MessageKind::Release,
            Message::Decoding(_) => MessageKind::Decoding,
            Message::People(_) => MessageKind::People,
            Message::Everyone(_) => MessageKind::Everyone,
            Message::Values(_) => MessageKind::Values,
            Message::Union(_) => MessageKind::Union,
            Message::Opening(_) => MessageKind::Opening,
        }
    }

    /// Its body.
    pub fn write(&self, to: &mut Writer) {
        match self {
            Message::Contribution(point) | Message::Confirmation(point) | Message::CounterKey(point) => {
                to.raw(point)
            }
            Message::Part(part) => part.write(to),
            Message::Integrated { part, identifiers } => {
                part.write(to);
                to.raw(identifiers);
            }
            Message::Profile(columns) => write_columns(columns, to),
            Message::Totals(totals) => totals.write(to),
            Message::Check(check) | Message::Finish(check) => {
                to.u8(check.node.len() as u8);
                to.raw(&check.node);
                to.u32(check.visible_rows);
                check.classes.write(to);
            }
            Message::Sums(sums) => sums.write(to),
            Message::Searched => {}
            Message::Answer(answer) => {
                to.u8(answer.monotone_part_holds.into());
                to.u8(answer.loss.is_some().into());
                to.f64(answer.loss.unwrap_or(0.0));
            }
            Message::Fates(kept) => {
                to.count(kept.len());
                kept.iter().for_each(|&kept| to.u8(kept.into()));
            }
            Message::People(list)
            | Message::Everyone(list)
            | Message::Values(list)
            | Message::Union(list)
            | Message::Opening(list) => to.tokens(list),
            Message::Release(release) | Message::Decoding(release) => {
                to.u8(release.is_some().into());
                if let Some(release) = release {
                    release.write(to);
                }
            }
        }
    }

    /// A message from its body.
    pub fn read(kind: MessageKind, body: &[u8]) -> Result<Message, DecodeError> {
        let mut from = Reader::new(body);
        let message = match kind {
            MessageKind::Contribution => Message::Contribution(from.array()?),
            MessageKind::Confirmation => Message::Confirmation(from.array()?),
            MessageKind::CounterKey => Message::CounterKey(from.array()?),
            MessageKind::Part => Message::Part(EncryptedPart::read(&mut from)?),
            MessageKind::Integrated => {
                Message::Integrated { part: EncryptedPart::read(&mut from)?, identifiers: from.array()? }
            }
            MessageKind::Profile => Message::Profile(read_columns(&mut from)?),
            MessageKind::Totals => Message::Totals(Totals::read(&mut from)?),
            MessageKind::Check => Message::Check(read_check(&mut from)?),
            MessageKind::Sums => Message::Sums(ShareSums::read(&mut from)?),
            MessageKind::Searched => Message::Searched,
            MessageKind::Finish => Message::Finish(read_check(&mut from)?),
            MessageKind::Answer => {
                let monotone_part_holds = from.flag()?;
                let (holds, loss) = (from.flag()?, from.f64()?);
                if !holds && loss.to_bits() != 0 {
                    return Err(DecodeError::Form("a loss without a promise kept"));
                }
                Message::Answer(Answer { monotone_part_holds, loss: holds.then_some(loss) })
            }
            MessageKind::Fates => {
                let count = from.count(1)?;
                Message::Fates((0..count).map(|_| from.flag()).collect::<Result<_, _>>()?)
            }
            MessageKind::Release => Message::Release(read_release(&mut from)?),
            MessageKind::Decoding => Message::Decoding(read_release(&mut from)?),
            MessageKind::People => Message::People(from.sorted_tokens()?),
            MessageKind::Everyone => Message::Everyone(from.sorted_tokens()?),
            MessageKind::Values => Message::Values(from.sorted_tokens()?),
            MessageKind::Union => Message::Union(from.sorted_tokens()?),
            MessageKind::Opening => Message::Opening(from.sorted_tokens()?),
        };
        from.finish()?;
        Ok(message)
    }
}

fn read_check(from: &mut Reader<'_>) -> Result<Check, DecodeError> {
    let levels = from.u8()?;
    let node = from.raw(usize::from(levels))?.to_vec();
    Ok(Check { node, visible_rows: from.u32()?, classes: ClassCounters::read(from)? })
}

fn read_release(from: &mut Reader<'_>) -> Result<Option<SealedRelease>, DecodeError> {
    if from.flag()? { Ok(Some(SealedRelease::read(from)?)) } else { Ok(None) }
}
