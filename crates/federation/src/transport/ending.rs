//! The end of a run: how all parties come to know that there is a release, or that there is none.
//!
//! 1. Every party tells every other one how it ended and what went through its channels (`Finished`). The receiver has written and
//!    verified the release by then, beside its place.
//! 2. Who has heard everybody, and finds that all tell the same, says so to the receiver (`Confirmed`).
//! 3. The receiver, once everybody has confirmed, puts the release in its place, and tells the others (`Settled`).
//!
//! Whoever has not confirmed knows that there is no release and will be none. The receiver knows at any time. Who has confirmed
//! depends on the receiver's word: in its place, or stopped. Messages can be lost, so no further round could spare it the
//! doubt when that word does not come: the run then ends there as [`TransportError::OutcomeUnknown`], within the time limit.

use super::channel::Event;
use super::error::TransportError;
use super::frame::Frame;
use super::session::{Concluded, Keeper, Net, Observer, Session, too_early};
use super::transcript::{ChannelDigests, JointDigest, join};
use crate::outcome::Outcome;
use crate::parties::PartyId;
use std::time::Instant;

/// How a party ended, as it tells the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It has the release.
    Released,
    /// It knows that there is none.
    Infeasible,
    /// It has done its part.
    Contributed,
    /// It knows how many people the parties have in common.
    Matched,
    /// It knows the values of all parties.
    United,
}

impl Ending {
    const ALL: [Ending; 5] =
        [Ending::Released, Ending::Infeasible, Ending::Contributed, Ending::Matched, Ending::United];

    fn of(outcome: &Outcome) -> Ending {
        match outcome {
            Outcome::Released(_) => Ending::Released,
            Outcome::Infeasible => Ending::Infeasible,
            Outcome::Contributed => Ending::Contributed,
            Outcome::Matched(_) => Ending::Matched,
            Outcome::United(_) => Ending::United,
        }
    }

    pub(super) fn code(self) -> u8 {
        self as u8
    }

    pub(super) fn of_code(code: u8) -> Option<Ending> {
        Ending::ALL.get(usize::from(code)).copied()
    }
}

impl Session<'_> {
    /// From the outcome at this party to the end at all of them.
    pub(super) fn conclude(
        &self,
        net: &mut Net,
        outcome: Outcome,
        keeper: &mut dyn Keeper,
        observer: &mut dyn Observer,
    ) -> Result<Concluded, TransportError> {
        if !keeper.accept(&outcome) {
            return Err(TransportError::Unconfirmed);
        }
        let channels: Vec<ChannelDigests> =
            net.channels.iter().map(|(&party, channel)| channel.digests(party)).collect();
        let own = Ending::of(&outcome);
        let finished = Frame::Finished(own, channels.clone());
        net.channels.values().for_each(|channel| channel.put(&finished));
        observer.waits();
        self.hear_the_others(net, observer)?;
        net.said.insert(self.me, channels.clone());
        let transcript = join(&self.agreement, &net.said)?;
        let released = self.is_released(net, own)?;
        let volumes = net.channels.iter().map(|(&party, channel)| (party, channel.volume())).collect();
        let concluded = Concluded { outcome, transcript, endings: net.endings.clone(), channels, volumes };
        let settled = match self.me == self.receiver {
            true => self.settle(net, &concluded, keeper, observer),
            false => self.hear_the_receiver(net, &transcript, observer),
        };
        match settled {
            // Whatever became of the last words: there is nothing to release.
            Err(_) if !released => Ok(concluded),
            settled => settled.map(|()| concluded),
        }
    }

    /// Whether the receiver has a release, by its own word. Nobody else has one.
    fn is_released(&self, net: &Net, own: Ending) -> Result<bool, TransportError> {
        let released = net.endings.get(&self.receiver).copied().unwrap_or(own) == Ending::Released;
        let others = net.endings.iter().map(|(&party, &ending)| (party, ending));
        for (party, ending) in others.chain([(self.me, own)]) {
            let due = match ending {
                Ending::Released => party == self.receiver,
                Ending::Contributed => party != self.receiver,
                Ending::Infeasible => !released,
                Ending::Matched | Ending::United => ending == own,
            };
            // Either all count people or put values together, or nobody does.
            if !due || (ending != own && matches!(own, Ending::Matched | Ending::United)) {
                return Err(TransportError::Garbage { party, what: "an outcome that cannot be its own" });
            }
        }
        Ok(released)
    }

    pub(super) fn hear_the_others(
        &self,
        net: &mut Net,
        observer: &mut dyn Observer,
    ) -> Result<(), TransportError> {
        let until = Instant::now() + self.patience.phase;
        loop {
            let silent: Vec<PartyId> =
                net.channels.keys().filter(|party| !net.said.contains_key(party)).copied().collect();
            if silent.is_empty() {
                return Ok(());
            }
            match net.wait(until, observer, &silent, self.patience.phase)? {
                (from, Event::Finished(ending, digests)) => net.note(from, ending, digests)?,
                (from, Event::Confirmed(digest)) if self.me == self.receiver => net.confirm(from, digest)?,
                (party, Event::Confirmed(_) | Event::Settled(_)) => return Err(too_early(party)),
                (party, Event::Message(_)) => {
                    return Err(TransportError::Garbage { party, what: "a message after the end" });
                }
                (_, Event::Ended(error)) => return Err(error),
            }
        }
    }

    /// The receiver: hears that all agree, puts the release in its place, tells everybody.
    fn settle(
        &self,
        net: &mut Net,
        concluded: &Concluded,
        keeper: &mut dyn Keeper,
        observer: &mut dyn Observer,
    ) -> Result<(), TransportError> {
        self.hear_confirmations(net, &concluded.transcript, observer)?;
        if matches!(concluded.outcome, Outcome::Released(_)) && !keeper.publish(concluded) {
            return Err(TransportError::Unpublished);
        }
        let settled = Frame::Settled(concluded.transcript.0);
        net.channels.values().for_each(|channel| channel.put(&settled));
        Ok(())
    }

    fn hear_confirmations(
        &self,
        net: &mut Net,
        transcript: &JointDigest,
        observer: &mut dyn Observer,
    ) -> Result<(), TransportError> {
        let until = Instant::now() + self.patience.phase;
        loop {
            if let Some((&from, _)) = net.confirmed.iter().find(|(_, digest)| **digest != transcript.0) {
                return Err(TransportError::Transcript { from, to: self.me });
            }
            let silent: Vec<PartyId> =
                net.channels.keys().filter(|party| !net.confirmed.contains_key(party)).copied().collect();
            if silent.is_empty() {
                return Ok(());
            }
            match net.wait(until, observer, &silent, self.patience.phase)? {
                (from, Event::Confirmed(digest)) => net.confirm(from, digest)?,
                (party, Event::Message(_) | Event::Finished(..) | Event::Settled(_)) => {
                    return Err(TransportError::Garbage { party, what: "more after its last word" });
                }
                (_, Event::Ended(error)) => return Err(error),
            }
        }
    }

    /// The others: confirm, and depend on the receiver from then on. What happens to anybody else changes nothing, for the receiver
    /// may have heard enough before.
    fn hear_the_receiver(
        &self,
        net: &mut Net,
        transcript: &JointDigest,
        observer: &mut dyn Observer,
    ) -> Result<(), TransportError> {
        let receiver = self.receiver;
        if let Some(channel) = net.channels.get(&receiver) {
            channel.put(&Frame::Confirmed(transcript.0));
        }
        let unknown = |cause| TransportError::OutcomeUnknown {
            receiver,
            transcript: *transcript,
            cause: Box::new(cause),
        };
        // Longer than the receiver waits for confirmations: if it gives up, its word should still be heard.
        let patience = self.patience.phase + self.patience.idle;
        let until = Instant::now() + patience;
        loop {
            match net.wait(until, observer, &[receiver], patience) {
                Ok((from, Event::Settled(digest))) if from == receiver && digest == transcript.0 => {
                    return Ok(());
                }
                // It has no release, and says so.
                Ok((from, Event::Ended(error @ TransportError::Stopped(_)))) if from == receiver => {
                    return Err(error);
                }
                Ok((from, Event::Ended(error))) if from == receiver => return Err(unknown(error)),
                Ok((party, _)) if party == receiver => {
                    return Err(unknown(TransportError::Garbage { party, what: "more after its last word" }));
                }
                Ok(_) => {}
                Err(error) => return Err(unknown(error)),
            }
        }
    }
}
