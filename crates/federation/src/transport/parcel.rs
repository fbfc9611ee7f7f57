//! One message from one party to another, and nothing else: what a node has worked out of a plan, for somebody who goes on with it.
//!
//! The giver has the lower number, so it dials. The taker says that it is done once it has accepted what came; both compare digests of what
//! went through their channel. Connections, certificates and time limits are those of a run.

use super::ending::Ending;
use super::error::TransportError;
use super::frame::Frame;
use super::session::{Net, Observer, Session};
use super::transcript::{ChannelDigests, JointDigest, join};

impl Session<'_> {
    /// Hands a parcel to the one peer. When this returns, the peer has accepted it.
    ///
    /// # Errors
    /// If it did not get there, or was not accepted.
    pub fn give(&self, parcel: &[u8], observer: &mut dyn Observer) -> Result<JointDigest, TransportError> {
        self.over_the_net(&mut |net| {
            self.connect(net, observer)?;
            net.channels.values_mut().for_each(|channel| channel.send(parcel.to_vec()));
            self.agreed(net, observer)
        })
    }

    /// Takes a parcel from the one peer. `accept` keeps it where nobody looks for it yet; it is whole and agreed upon when this returns.
    ///
    /// # Errors
    /// If none came, or `accept` says no: then the peer hears so.
    pub fn take(
        &self,
        accept: &mut dyn FnMut(&[u8]) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<JointDigest, TransportError> {
        self.over_the_net(&mut |net| {
            self.connect(net, observer)?;
            let givers: Vec<_> = self.peers.iter().map(|peer| peer.id).collect();
            let (_, parcel) = self.next(net, &givers, observer)?;
            match accept(&parcel) {
                true => self.agreed(net, observer),
                false => Err(TransportError::Unconfirmed),
            }
        })
    }

    fn agreed(&self, net: &mut Net, observer: &mut dyn Observer) -> Result<JointDigest, TransportError> {
        let channels: Vec<ChannelDigests> =
            net.channels.iter().map(|(&party, channel)| channel.digests(party)).collect();
        let finished = Frame::Finished(Ending::Contributed, channels.clone());
        net.channels.values().for_each(|channel| channel.put(&finished));
        observer.waits();
        self.hear_the_others(net, observer)?;
        if let Some((&party, _)) = net.endings.iter().find(|(_, ending)| **ending != Ending::Contributed) {
            return Err(TransportError::Garbage { party, what: "an outcome that cannot be its own" });
        }
        net.said.insert(self.me, channels);
        join(&self.agreement, &net.said)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Identity, Patience, Peer, Reason};
    use super::*;
    use crate::parties::PartyId;
    use crate::party::{Limits, Watch};
    use crate::protocols::Phase;
    use std::net::TcpListener;
    use std::time::Duration;

    struct Nobody;

    impl Watch for Nobody {
        fn begins(&mut self, _: Phase) {}
    }

    impl Observer for Nobody {
        fn connected(&mut self, _: PartyId) {}
    }

    type Ended = Result<JointDigest, TransportError>;

    /// What both ends say. `agreements` are those that the two know; `most` is the longest message that the taker accepts.
    fn exchanged(
        parcel: &[u8],
        accepts: bool,
        agreements: [[u8; 32]; 2],
        most: u64,
    ) -> (Ended, Ended, Vec<u8>) {
        let mut taken = Vec::new();
        let (gave, took) = between(parcel, agreements, most, &mut |session| {
            let mut accept = |bytes: &[u8]| {
                taken = bytes.to_vec();
                accepts
            };
            session.take(&mut accept, &mut Nobody)
        });
        (gave, took, taken)
    }

    /// A giver, and somebody who takes in a way of his own.
    fn between(
        parcel: &[u8],
        agreements: [[u8; 32]; 2],
        most: u64,
        take: &mut dyn FnMut(&Session<'_>) -> Ended,
    ) -> (Ended, Ended) {
        let identity = || {
            let (certificate, key) = Identity::generate().unwrap();
            Identity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap()
        };
        let identities = [identity(), identity()];
        let door = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = door.local_addr().unwrap().to_string();
        drop(door);
        let session = |me: u16| {
            let other = 1 - me;
            Session {
                me: PartyId(me),
                agreement: agreements[usize::from(me)],
                identity: &identities[usize::from(me)],
                listen: address.clone(),
                peers: vec![Peer {
                    id: PartyId(other),
                    address: address.clone(),
                    fingerprint: identities[usize::from(other)].fingerprint(),
                }],
                receiver: PartyId(1),
                patience: Patience {
                    connect: Duration::from_secs(20),
                    idle: Duration::from_secs(12),
                    phase: Duration::from_secs(20),
                },
                limits: Limits { message_bytes: most, ..Limits::default() },
            }
        };
        std::thread::scope(|scope| {
            let giver = scope.spawn(|| session(0).give(parcel, &mut Nobody));
            let took = take(&session(1));
            (giver.join().unwrap(), took)
        })
    }

    #[test]
    fn a_parcel_comes_whole_and_both_know_it() {
        let parcel: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        let (gave, took, taken) = exchanged(&parcel, true, [[7; 32]; 2], 1 << 20);
        assert_eq!((gave.unwrap(), taken), (took.unwrap(), parcel));
    }

    #[test]
    fn a_parcel_that_is_not_accepted_was_not_given() {
        let (gave, took, _) = exchanged(b"figures", false, [[7; 32]; 2], 1 << 20);
        assert!(matches!(took, Err(TransportError::Unconfirmed)));
        assert!(matches!(gave, Err(TransportError::Stopped(_))), "{gave:?}");
    }

    /// A last word of a run that makes releases is none about a parcel.
    #[test]
    fn whoever_tells_of_another_ending_has_not_accepted() {
        for ending in [Ending::Released, Ending::Infeasible, Ending::Matched] {
            let (gave, took) = between(b"figures", [[7; 32]; 2], 1 << 20, &mut |session| {
                session.over_the_net(&mut |net| {
                    session.connect(net, &mut Nobody)?;
                    session.next(net, &[PartyId(0)], &mut Nobody)?;
                    let digests = |channels: &Net| {
                        channels.channels.iter().map(|(&party, channel)| channel.digests(party)).collect()
                    };
                    let channels: Vec<ChannelDigests> = digests(net);
                    let finished = Frame::Finished(ending, channels.clone());
                    net.channels.values().for_each(|channel| channel.put(&finished));
                    session.hear_the_others(net, &mut Nobody)?;
                    net.said.insert(session.me, channels);
                    join(&session.agreement, &net.said)
                })
            });
            assert!(matches!(gave, Err(TransportError::Garbage { .. })), "{ending:?}: {gave:?} {took:?}");
        }
    }

    #[test]
    fn a_parcel_beyond_the_limit_is_refused() {
        let (gave, took, taken) = exchanged(&[0; 4096], true, [[7; 32]; 2], 1 << 10);
        assert!(took.is_err() && gave.is_err() && taken.is_empty());
    }

    #[test]
    fn who_has_agreed_to_something_else_gets_nothing() {
        let (gave, took, taken) = exchanged(b"figures", true, [[7; 32], [8; 32]], 1 << 20);
        assert!(taken.is_empty());
        let reasons =
            [gave.unwrap_err().cause(PartyId(0)).reason, took.unwrap_err().cause(PartyId(1)).reason];
        assert!(reasons.iter().all(|reason| *reason != Reason::Waited), "{reasons:?}");
    }
}
