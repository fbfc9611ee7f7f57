//! What goes through a channel: a kind, a length, a body.

use super::ending::Ending;
use super::error::{Cause, Reason};
use super::transcript::ChannelDigests;
use crate::parties::PartyId;
use crate::wire;

/// First bytes of a greeting.
const MAGIC: [u8; 4] = *b"PVNT";
/// Kind and length.
pub(super) const HEADER: usize = 9;
/// Longest frame that is no message of the protocol.
const MOST_CONTROL: u64 = 64 << 10;

/// Bytes for as many parties as there can be.
const MOST_AWAITED: usize = 2 * 65;

/// The first frame of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) version: u16,
    pub(super) agreement: [u8; 32],
    pub(super) from: PartyId,
    pub(super) to: PartyId,
}

/// A frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Hello(Hello),
    /// A message of the protocol.
    Message(Vec<u8>),
    /// Still there; for whom the sender waits, nobody while it is at work.
    Alive(Vec<PartyId>),
    /// The sender has stopped.
    Stop(Cause),
    /// The sender is done: how it ended, and its digests of all its channels.
    Finished(Ending, Vec<ChannelDigests>),
    /// The sender has heard that all are done, and that they tell the same.
    Confirmed([u8; 32]),
    /// The sender has put the release in its place.
    Settled([u8; 32]),
}

/// Why bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoFrame {
    Kind,
    TooLong,
    Body,
}

impl Frame {
    pub(super) fn encode(&self) -> Vec<u8> {
        let (kind, body) = match self {
            Frame::Hello(hello) => {
                let mut body = MAGIC.to_vec();
                body.extend(hello.version.to_le_bytes());
                body.extend(hello.agreement);
                body.extend(hello.from.0.to_le_bytes());
                body.extend(hello.to.0.to_le_bytes());
                (0u8, body)
            }
            Frame::Message(bytes) => return encode_message(bytes),
            Frame::Alive(waits_for) => {
                (2, waits_for.iter().flat_map(|party| party.0.to_le_bytes()).collect())
            }
            Frame::Stop(Cause { reason, first, about }) => {
                let parties = std::iter::once(first).chain(about).flat_map(|party| party.0.to_le_bytes());
                (3, std::iter::once(reason.code()).chain(parties).collect())
            }
            Frame::Finished(ending, digests) => {
                let entries = digests.iter().flat_map(|channel| {
                    let mut entry = channel.with.0.to_le_bytes().to_vec();
                    entry.extend(channel.sent);
                    entry.extend(channel.received);
                    entry
                });
                (4, std::iter::once(ending.code()).chain(entries).collect())
            }
            Frame::Confirmed(digest) => (5, digest.to_vec()),
            Frame::Settled(digest) => (6, digest.to_vec()),
        };
        framed(kind, &body)
    }

    /// Largest length of the body; `None` for an unknown kind.
    pub(super) fn body_length(header: &[u8; HEADER], most_message: u64) -> Result<usize, NoFrame> {
        let mut length = [0u8; 8];
        length.copy_from_slice(&header[1..]);
        let length = u64::from_le_bytes(length);
        let most = match header[0] {
            1 => most_message,
            0 | 2..=6 => MOST_CONTROL,
            _ => return Err(NoFrame::Kind),
        };
        if length > most {
            return Err(NoFrame::TooLong);
        }
        usize::try_from(length).map_err(|_| NoFrame::TooLong)
    }

    pub(super) fn decode(kind: u8, body: Vec<u8>) -> Result<Frame, NoFrame> {
        match kind {
            0 => Hello::decode(&body).map(Frame::Hello).ok_or(NoFrame::Body),
            1 => Ok(Frame::Message(body)),
            2 if body.len() <= MOST_AWAITED && body.len().is_multiple_of(2) => {
                let party = |pair: &[u8]| PartyId(u16::from_le_bytes([pair[0], pair[1]]));
                Ok(Frame::Alive(body.chunks_exact(2).map(party).collect()))
            }
            3 => {
                let (&code, parties) = body.split_first().ok_or(NoFrame::Body)?;
                let party = |pair: &[u8]| PartyId(u16::from_le_bytes([pair[0], pair[1]]));
                let (first, about) = match parties.len() {
                    2 => (party(parties), None),
                    4 => (party(&parties[..2]), Some(party(&parties[2..]))),
                    _ => return Err(NoFrame::Body),
                };
                Ok(Frame::Stop(Cause { reason: Reason::of_code(code), first, about }))
            }
            4 => {
                let (&code, entries) = body.split_first().ok_or(NoFrame::Body)?;
                let ending = Ending::of_code(code).ok_or(NoFrame::Body)?;
                if !entries.len().is_multiple_of(66) {
                    return Err(NoFrame::Body);
                }
                let digests = entries.chunks_exact(66).map(|entry| ChannelDigests {
                    with: PartyId(u16::from_le_bytes([entry[0], entry[1]])),
                    sent: array(&entry[2..34]),
                    received: array(&entry[34..]),
                });
                Ok(Frame::Finished(ending, digests.collect()))
            }
            5 if body.len() == 32 => Ok(Frame::Confirmed(array(&body))),
            6 if body.len() == 32 => Ok(Frame::Settled(array(&body))),
            2 | 5 | 6 => Err(NoFrame::Body),
            _ => Err(NoFrame::Kind),
        }
    }
}

fn encode_message(bytes: &[u8]) -> Vec<u8> {
    framed(1, bytes)
}

fn framed(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER + body.len());
    frame.push(kind);
    frame.extend((body.len() as u64).to_le_bytes());
    frame.extend_from_slice(body);
    frame
}

fn array(bytes: &[u8]) -> [u8; 32] {
    let mut array = [0u8; 32];
    array.copy_from_slice(bytes);
    array
}

impl Hello {
    pub(super) fn ours(agreement: [u8; 32], from: PartyId, to: PartyId) -> Hello {
        Hello { version: wire::VERSION, agreement, from, to }
    }

    fn decode(body: &[u8]) -> Option<Hello> {
        let rest = body.strip_prefix(&MAGIC)?;
        let [low, high, rest @ ..] = rest else { return None };
        let version = u16::from_le_bytes([*low, *high]);
        if rest.len() != 36 {
            return None;
        }
        Some(Hello {
            version,
            agreement: array(&rest[..32]),
            from: PartyId(u16::from_le_bytes([rest[32], rest[33]])),
            to: PartyId(u16::from_le_bytes([rest[34], rest[35]])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<Frame, NoFrame> {
        let header: [u8; HEADER] = bytes[..HEADER].try_into().unwrap();
        let length = Frame::body_length(&header, 1 << 20)?;
        Frame::decode(header[0], bytes[HEADER..HEADER + length].to_vec())
    }

    #[test]
    fn frames_come_back() {
        let digests = vec![ChannelDigests { with: PartyId(7), sent: [1; 32], received: [2; 32] }; 3];
        let frames = [
            Frame::Hello(Hello::ours([9; 32], PartyId(1), PartyId(2))),
            Frame::Message(vec![1, 2, 3]),
            Frame::Alive(Vec::new()),
            Frame::Alive(vec![PartyId(2), PartyId(0)]),
            Frame::Stop(Cause { reason: Reason::Waited, first: PartyId(0), about: None }),
            Frame::Stop(Cause { reason: Reason::Lost, first: PartyId(2), about: Some(PartyId(3)) }),
            Frame::Finished(Ending::Infeasible, digests),
            Frame::Confirmed([3; 32]),
            Frame::Settled([4; 32]),
        ];
        for frame in frames {
            assert_eq!(read(&frame.encode()), Ok(frame));
        }
    }

    #[test]
    fn an_absurd_length_is_refused_by_its_header() {
        let mut header = [0xff; HEADER];
        header[0] = 1;
        assert_eq!(Frame::body_length(&header, 1 << 20), Err(NoFrame::TooLong));
        header = [0; HEADER];
        header[0] = 3;
        header[3] = 1;
        assert_eq!(Frame::body_length(&header, 1 << 20), Ok(1 << 16));
        header[3] = 2;
        assert_eq!(Frame::body_length(&header, 1 << 20), Err(NoFrame::TooLong));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(kind: u8, body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Frame::decode(kind, body);
        }
    }
}
