//! What went through the channels, as digests that parties can compare.

use super::error::TransportError;
use crate::parties::PartyId;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

/// What one party says of one of its channels: SHA-256 over all messages of a direction, each with its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelDigests {
    /// The party at the other end.
    pub with: PartyId,
    /// Of what was sent to it.
    pub sent: [u8; 32],
    /// Of what came from it.
    pub received: [u8; 32],
}

/// One digest for the whole run; equal at all parties of a run that went well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JointDigest(pub [u8; 32]);

impl fmt::Display for JointDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for JointDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JointDigest({self})")
    }
}

/// One direction of one channel, as it grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Direction {
    hash: Sha256,
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

impl Direction {
    pub(super) fn add(&mut self, message: &[u8]) {
        self.hash.update((message.len() as u64).to_le_bytes());
        self.hash.update(message);
        self.messages += 1;
        self.bytes += message.len() as u64;
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

/// Compares what all parties say of all channels; every direction is told of by both of its ends.
pub(super) fn join(
    agreement: &[u8; 32],
    said: &BTreeMap<PartyId, Vec<ChannelDigests>>,
) -> Result<JointDigest, TransportError> {
    let mut sent = BTreeMap::new();
    let mut received = BTreeMap::new();
    for (&party, channels) in said {
        for channel in channels {
            sent.insert((party, channel.with), channel.sent);
            received.insert((channel.with, party), channel.received);
        }
    }
    if sent != received {
        let differs = sent.iter().find(|(way, digest)| received.get(way) != Some(digest));
        let (from, to) = differs.or(received.iter().next()).map_or((PartyId(0), PartyId(0)), |(&way, _)| way);
        return Err(TransportError::Transcript { from, to });
    }
    let mut hash = Sha256::new();
    hash.update(b"paravent transcript v1");
    hash.update(agreement);
    for ((from, to), digest) in &sent {
        hash.update(from.0.to_le_bytes());
        hash.update(to.0.to_le_bytes());
        hash.update(digest);
    }
    Ok(JointDigest(hash.finalize().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(a_sent: u8, b_received: u8) -> BTreeMap<PartyId, Vec<ChannelDigests>> {
        let (a, b) = (PartyId(0), PartyId(1));
        BTreeMap::from([
            (a, vec![ChannelDigests { with: b, sent: [a_sent; 32], received: [5; 32] }]),
            (b, vec![ChannelDigests { with: a, sent: [5; 32], received: [b_received; 32] }]),
        ])
    }

    #[test]
    fn both_ends_must_tell_the_same() {
        let equal = join(&[0; 32], &said(1, 1)).unwrap();
        assert_ne!(equal, join(&[0; 32], &said(2, 2)).unwrap());
        assert_ne!(equal, join(&[1; 32], &said(1, 1)).unwrap());
        let error = join(&[0; 32], &said(1, 2)).unwrap_err();
        assert!(matches!(error, TransportError::Transcript { from: PartyId(0), to: PartyId(1) }));
    }

    #[test]
    fn a_message_cut_in_two_is_another_transcript() {
        let (mut whole, mut parts) = (Direction::default(), Direction::default());
        whole.add(b"ab");
        parts.add(b"a");
        parts.add(b"b");
        assert_ne!(whole.digest(), parts.digest());
    }
}
