//! A run over the network, from the first connection to the last goodbye.

use super::channel::{Channel, ChannelLimits, Event};
use super::connect::{Attempt, Attempts, OTHER_CERTIFICATE, slice, start};
use super::ending::Ending;
use super::error::TransportError;
use super::frame::Frame;
use super::identity::{Fingerprint, Identity};
use super::transcript::{ChannelDigests, JointDigest};
use super::waiting::Waiting;
use crate::error::ProtocolError;
use crate::outcome::Outcome;
use crate::parties::PartyId;
use crate::party::{Limits, Party, Progress, Watch};
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Another party, as the agreement describes it.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its number.
    pub id: PartyId,
    /// Where it listens: host and port.
    pub address: String,
    /// Its certificate.
    pub fingerprint: Fingerprint,
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until all parties are connected.
    pub connect: Duration,
    /// For a sign of life; parties send one at least three times as often.
    pub idle: Duration,
    /// For the next message of the protocol.
    pub phase: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            connect: Duration::from_secs(300),
            idle: Duration::from_secs(30),
            phase: Duration::from_secs(3600),
        }
    }
}

/// Hears how far a run has come; may stop it.
pub trait Observer: Watch {
    /// A party is connected.
    fn connected(&mut self, party: PartyId);
    /// A party has left before all were connected; it may come back.
    fn left(&mut self, _: PartyId) {}
    /// This party has done its part and waits for the others.
    fn waits(&mut self) {}
    /// Whether to stop now.
    fn stop(&self) -> bool {
        false
    }
}

/// One party's side of a run.
#[derive(Debug)]
pub struct Session<'a> {
    /// Who this is.
    pub me: PartyId,
    /// Digest of the agreement.
    pub agreement: [u8; 32],
    /// The own certificate.
    pub identity: &'a Identity,
    /// Where to listen.
    pub listen: String,
    /// Everybody else.
    pub peers: Vec<Peer>,
    /// Where the release arrives.
    pub receiver: PartyId,
    /// How long to wait.
    pub patience: Patience,
    /// What to accept.
    pub limits: Limits,
}

/// A run that came to its end at all parties.
#[derive(Debug)]
pub struct Concluded {
    /// What this party has.
    pub outcome: Outcome,
    /// Of all messages of all parties; equal everywhere.
    pub transcript: JointDigest,
    /// How the others ended.
    pub endings: BTreeMap<PartyId, Ending>,
    /// The own channels.
    pub channels: Vec<ChannelDigests>,
    /// Messages and bytes sent, messages and bytes received, by party.
    pub volumes: BTreeMap<PartyId, (u64, u64, u64, u64)>,
}

/// Keeps what comes out of a run.
pub trait Keeper {
    /// Whether the outcome is what it should be. Asked before the others hear that all is well here; nothing is in its place yet.
    fn accept(&mut self, outcome: &Outcome) -> bool;
    /// Puts the release in its place. Asked at the receiver only, once everybody has confirmed; the others hear of it if this says yes.
    fn publish(&mut self, concluded: &Concluded) -> bool;
}

/// How long goodbyes may take.
const GOODBYE: Duration = Duration::from_secs(3);

type Begin<'a> = dyn FnMut(&mut dyn Watch) -> Result<(Party, Progress), ProtocolError> + 'a;

impl Session<'_> {
    /// Connects, runs the party that `begin` makes, lets the keeper look at the outcome before the others are told that all is well,
    /// compares transcripts, and ends when the release is in its place. After an error there is no release and the others have been
    /// told to stop, unless it is [`TransportError::OutcomeUnknown`]: then the receiver knows.
    pub fn run(
        &self,
        begin: &mut Begin<'_>,
        keeper: &mut dyn Keeper,
        observer: &mut dyn Observer,
    ) -> Result<Concluded, TransportError> {
        self.over_the_net(&mut |net| self.through(net, begin, keeper, observer))
    }

    /// Does something over the channels; when it fails, the others hear why.
    pub(super) fn over_the_net<T>(
        &self,
        work: &mut dyn FnMut(&mut Net) -> Result<T, TransportError>,
    ) -> Result<T, TransportError> {
        let (events_in, events) = channel();
        let mut net = Net {
            channels: BTreeMap::new(),
            said: BTreeMap::new(),
            endings: BTreeMap::new(),
            confirmed: BTreeMap::new(),
            early: VecDeque::new(),
            waiting: Waiting::default(),
            me: self.me,
            events,
            events_in,
        };
        let ran = work(&mut net);
        if let Err(error) = &ran {
            let stop = Frame::Stop(error.cause(self.me));
            net.channels.values().for_each(|channel| channel.put(&stop));
        }
        net.channels.values_mut().for_each(Channel::finish);
        let until = Instant::now() + GOODBYE;
        net.channels.values_mut().for_each(|channel| channel.linger(until));
        ran
    }

    fn through(
        &self,
        net: &mut Net,
        begin: &mut Begin<'_>,
        keeper: &mut dyn Keeper,
        observer: &mut dyn Observer,
    ) -> Result<Concluded, TransportError> {
        self.connect(net, observer)?;
        let (party, progress) = begin(&mut Passing(observer))?;
        let mut party = party.with_limits(self.limits);
        let outcome = self.talk(net, &mut party, progress, observer)?;
        self.conclude(net, outcome, keeper, observer)
    }

    pub(super) fn connect(&self, net: &mut Net, observer: &mut dyn Observer) -> Result<(), TransportError> {
        let (tell, attempts) = channel();
        let running = start(self, tell)?;
        let all_there = self.gather(net, (&attempts, &running), observer);
        if let Err(error) = &all_there {
            running.end(attempts, error.cause(self.me));
        }
        all_there
    }

    fn gather(
        &self,
        net: &mut Net,
        (attempts, running): (&Receiver<Attempt>, &Attempts),
        observer: &mut dyn Observer,
    ) -> Result<(), TransportError> {
        let until = Instant::now() + self.patience.connect;
        let mut last: BTreeMap<PartyId, String> = BTreeMap::new();
        let limits = ChannelLimits { idle: self.patience.idle, message_bytes: self.limits.message_bytes };
        while net.channels.len() < self.peers.len() {
            if observer.stop() {
                return Err(TransportError::Interrupted);
            }
            match attempts.recv_timeout(slice(until)) {
                Ok(Attempt::Connected(party, secured)) => {
                    // Who comes again was started again; nothing was said on the old channel that counts.
                    net.forget(party);
                    let ends = (self.me, party);
                    let started = Channel::start(ends, *secured, limits, net.events_in.clone(), &net.waiting);
                    let started =
                        started.map_err(|_| TransportError::Lost { party, why: "the network broke it" })?;
                    net.channels.insert(party, started);
                    observer.connected(party);
                }
                Ok(Attempt::Failed(party, why)) => {
                    let known = last.entry(party).or_default();
                    if known != OTHER_CERTIFICATE {
                        *known = why;
                    }
                }
                Ok(Attempt::Fatal(error)) => return Err(error),
                Err(_) if Instant::now() >= until => {
                    let absent = self.peers.iter().map(|peer| peer.id);
                    let missing = absent
                        .filter(|party| !net.channels.contains_key(party))
                        .map(|party| (party, last.remove(&party).unwrap_or("it has not called".to_owned())));
                    let seconds = self.patience.connect.as_secs();
                    return Err(TransportError::Absent { missing: missing.collect(), seconds });
                }
                Err(_) => {}
            }
            // Somebody who is here already may stop, leave and come back, or begin.
            for (party, error) in net.gone() {
                if !error.may_come_back() {
                    return Err(error);
                }
                net.forget(party);
                last.insert(party, "it was here, and left".to_owned());
                observer.left(party);
                running.dial_again(self, party)?;
            }
        }
        Ok(())
    }

    fn talk(
        &self,
        net: &mut Net,
        party: &mut Party,
        first: Progress,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, TransportError> {
        let mut progress = first;
        loop {
            for message in progress.outgoing {
                if let Some(channel) = net.channels.get_mut(&message.to) {
                    channel.send(message.bytes);
                }
            }
            if let Some(outcome) = progress.outcome {
                return Ok(outcome);
            }
            let waits_for = party.waits_for();
            let (from, bytes) = self.next(net, &waits_for, observer)?;
            progress = party.receive(from, &bytes, &mut Passing(observer))?;
        }
    }

    /// The next message.
    pub(super) fn next(
        &self,
        net: &mut Net,
        waits_for: &[PartyId],
        observer: &mut dyn Observer,
    ) -> Result<(PartyId, Vec<u8>), TransportError> {
        let until = Instant::now() + self.patience.phase;
        loop {
            match net.wait(until, observer, waits_for, self.patience.phase)? {
                (from, Event::Message(bytes)) => {
                    if net.said.contains_key(&from) {
                        return Err(TransportError::Garbage {
                            party: from,
                            what: "a message after its last",
                        });
                    }
                    if let Some(channel) = net.channels.get_mut(&from) {
                        channel.took(&bytes);
                    }
                    return Ok((from, bytes));
                }
                (from, Event::Finished(ending, digests)) => net.note(from, ending, digests)?,
                (party, Event::Confirmed(_) | Event::Settled(_)) => return Err(too_early(party)),
                (_, Event::Ended(error)) => return Err(error),
            }
        }
    }
}

/// All channels.
pub(super) struct Net {
    pub(super) channels: BTreeMap<PartyId, Channel>,
    /// What those who are done say of their channels.
    pub(super) said: BTreeMap<PartyId, Vec<ChannelDigests>>,
    pub(super) endings: BTreeMap<PartyId, Ending>,
    /// The digests of those who have heard of all others.
    pub(super) confirmed: BTreeMap<PartyId, [u8; 32]>,
    /// What came before all were connected.
    early: VecDeque<(PartyId, Event)>,
    waiting: Waiting,
    me: PartyId,
    events: Receiver<(PartyId, Event)>,
    events_in: Sender<(PartyId, Event)>,
}

impl Net {
    pub(super) fn note(
        &mut self,
        from: PartyId,
        ending: Ending,
        digests: Vec<ChannelDigests>,
    ) -> Result<(), TransportError> {
        self.endings.insert(from, ending);
        match self.said.insert(from, digests) {
            None => Ok(()),
            Some(_) => Err(TransportError::Garbage { party: from, what: "its last word twice" }),
        }
    }

    pub(super) fn confirm(&mut self, from: PartyId, digest: [u8; 32]) -> Result<(), TransportError> {
        match (self.said.contains_key(&from), self.confirmed.insert(from, digest)) {
            (true, None) => Ok(()),
            _ => Err(too_early(from)),
        }
    }

    pub(super) fn wait(
        &mut self,
        until: Instant,
        observer: &dyn Observer,
        waits_for: &[PartyId],
        patience: Duration,
    ) -> Result<(PartyId, Event), TransportError> {
        if let Some(event) = self.early.pop_front() {
            return Ok(event);
        }
        self.waiting.note(self.me, waits_for.to_vec());
        let event = self.wait_on(until, observer, waits_for, patience);
        self.waiting.note(self.me, Vec::new());
        event
    }

    fn wait_on(
        &self,
        until: Instant,
        observer: &dyn Observer,
        waits_for: &[PartyId],
        patience: Duration,
    ) -> Result<(PartyId, Event), TransportError> {
        loop {
            if observer.stop() {
                return Err(TransportError::Interrupted);
            }
            match self.events.recv_timeout(slice(until)) {
                // Who has confirmed may leave.
                Ok((from, Event::Ended(error)))
                    if self.confirmed.contains_key(&from) && !matches!(error, TransportError::Stopped(_)) => {
                }
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
                Err(_) => {
                    let (parties, seconds) = (waits_for.to_vec(), patience.as_secs());
                    let known = self.channels.keys().copied().collect();
                    let behind = self.waiting.behind(self.me, waits_for, &known);
                    return Err(TransportError::Waited { parties, seconds, behind });
                }
            }
        }
    }

    /// Who was connected and has ended, while others are still to come. Messages wait.
    fn gone(&mut self) -> Vec<(PartyId, TransportError)> {
        let mut gone: Vec<(PartyId, TransportError)> = Vec::new();
        while let Ok(event) = self.events.try_recv() {
            match event {
                // Both directions of a channel may tell of its end; the first word counts.
                (party, Event::Ended(error)) => {
                    if !gone.iter().any(|(known, _)| *known == party) {
                        gone.push((party, error));
                    }
                }
                other => self.early.push_back(other),
            }
        }
        gone
    }

    /// Takes leave of a channel, and of all that came through it.
    fn forget(&mut self, party: PartyId) {
        let Some(channel) = self.channels.remove(&party) else { return };
        channel.discard();
        while let Ok(event) = self.events.try_recv() {
            self.early.push_back(event);
        }
        self.early.retain(|(from, _)| *from != party);
    }
}

pub(super) fn too_early(party: PartyId) -> TransportError {
    TransportError::Garbage { party, what: "a last word that was not due" }
}

/// An observer as what a party tells its phases to.
struct Passing<'a>(&'a mut dyn Observer);

impl Watch for Passing<'_> {
    fn begins(&mut self, phase: crate::protocols::Phase) {
        self.0.begins(phase);
    }
}
