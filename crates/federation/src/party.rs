//! A party: bytes in, bytes out.

use crate::data::{PartyTable, can_be_matched, can_be_united};
use crate::error::ProtocolError;
use crate::outcome::Outcome;
use crate::parties::{Holds, PartyId};
use crate::plan::Plan;
use crate::protocols::{self, Ciphers, Conduct, Context, Next, Outbox, Phase, Siv, State, Stepped};
use crate::wire::{Frame, Header, Message, MessageKind, Packing};
use rand_core::CryptoRng;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// One party of a run.
///
/// Give it what comes in, send what it gives out. Messages of one sender must come in the order in which they were sent; those of
/// different senders may come in any order. After an error the party has stopped: it has no release and says nothing more, and the
/// transport should close its channels so that the others stop, too.
pub struct Party {
    plan: Plan,
    digest: [u8; 16],
    me: PartyId,
    state: Option<Box<dyn State>>,
    rng: Box<dyn CryptoRng + Send>,
    conduct: Conduct,
    limits: Limits,
    packing: Packing,
    sent: BTreeMap<PartyId, u32>,
    received: BTreeMap<PartyId, u32>,
    early: BTreeMap<PartyId, VecDeque<Message>>,
}

/// What a party accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Messages of one sender that came before they can be used.
    pub early_messages: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { message_bytes: 1 << 30, early_messages: 128 }
    }
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Whom to.
    pub to: PartyId,
    /// Its kind, for statistics.
    pub kind: MessageKind,
    /// What to send.
    pub bytes: Vec<u8>,
}

/// The first step of a party.
type First<'a> = Box<dyn FnOnce(&mut Context<'_>) -> Stepped + 'a>;

/// What follows from a message.
#[derive(Debug, Default)]
pub struct Progress {
    /// To send, in this order.
    pub outgoing: Vec<Outgoing>,
    /// Set when the party is done.
    pub outcome: Option<Outcome>,
}

/// Hears what a party works on, for progress bars and clocks.
pub trait Watch {
    /// The next step belongs to this phase.
    fn begins(&mut self, phase: Phase);
}

/// Nobody listens.
impl Watch for () {
    fn begins(&mut self, _: Phase) {}
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Party({}, protocol {})", self.me, self.plan.protocol.letter())
    }
}

impl Party {
    /// A primary party with its part of the table. Refuses before anything is sent.
    pub fn primary(
        plan: &Plan,
        me: PartyId,
        table: PartyTable,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        Party::primary_with(plan, me, table, (Box::new(Siv), Conduct::default()), rng, watch)
    }

    /// The same with other ciphers and another conduct.
    pub(crate) fn primary_with(
        plan: &Plan,
        me: PartyId,
        table: PartyTable,
        (ciphers, conduct): (Box<dyn Ciphers>, Conduct),
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        plan.validate()?;
        if usize::from(me.0) >= plan.members.len() {
            return Err(ProtocolError::Unfit { from: me, why: "not a primary party of the plan" });
        }
        let holds_nothing = plan.members[usize::from(me.0)].holds == Holds::Nothing;
        let table =
            if holds_nothing && table.columns.is_empty() { PartyTable::empty(plan, me) } else { table };
        table.fits(plan, me)?;
        // What is finer than agreed is gone before anything is encrypted.
        let table = if conduct.lifts() { table.lifted(plan, me)? } else { table };
        let first = |context: &mut Context<'_>| protocols::start_primary(table, ciphers, context);
        Party::start(plan, me, (Box::new(first), conduct), rng, watch)
    }

    /// The helper.
    pub fn helper(
        plan: &Plan,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        Party::helper_with(plan, Conduct::default(), rng, watch)
    }

    /// The same with another conduct.
    pub(crate) fn helper_with(
        plan: &Plan,
        conduct: Conduct,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        plan.validate()?;
        let me = plan.helper().ok_or(ProtocolError::Unfit {
            from: PartyId(plan.primaries()),
            why: "protocol A has no helper",
        })?;
        Party::start(plan, me, (Box::new(protocols::start_helper), conduct), rng, watch)
    }

    /// A primary party that counts the people whom the parties have in common, and does nothing else. Its outcome is
    /// [`Outcome::Matched`]; the helper takes no part.
    pub fn matching(
        plan: &Plan,
        me: PartyId,
        identifiers: Vec<String>,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        Party::matching_with(plan, me, identifiers, Conduct::default(), rng, watch)
    }

    /// The same with another conduct.
    pub(crate) fn matching_with(
        plan: &Plan,
        me: PartyId,
        identifiers: Vec<String>,
        conduct: Conduct,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        if usize::from(me.0) >= plan.members.len() {
            return Err(ProtocolError::Unfit { from: me, why: "not a primary party of the plan" });
        }
        can_be_matched(&identifiers)?;
        let first = |context: &mut Context<'_>| protocols::start_matching(identifiers, context);
        Party::start(plan, me, (Box::new(first), conduct), rng, watch)
    }

    /// A primary party that puts its values of a column together with those of the others, and does nothing else. Its outcome is
    /// [`Outcome::United`]; the helper takes no part.
    pub fn uniting(
        plan: &Plan,
        me: PartyId,
        values: Vec<String>,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        Party::uniting_with(plan, me, values, Conduct::default(), rng, watch)
    }

    /// The same with another conduct.
    pub(crate) fn uniting_with(
        plan: &Plan,
        me: PartyId,
        values: Vec<String>,
        conduct: Conduct,
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        if usize::from(me.0) >= plan.members.len() {
            return Err(ProtocolError::Unfit { from: me, why: "not a primary party of the plan" });
        }
        can_be_united(&values)?;
        let first = |context: &mut Context<'_>| protocols::start_union(values, context);
        Party::start(plan, me, (Box::new(first), conduct), rng, watch)
    }

    fn start(
        plan: &Plan,
        me: PartyId,
        (first, conduct): (First<'_>, Conduct),
        rng: Box<dyn CryptoRng + Send>,
        watch: &mut dyn Watch,
    ) -> Result<(Party, Progress), ProtocolError> {
        let mut party = Party {
            digest: plan.digest(),
            plan: plan.clone(),
            me,
            state: None,
            rng,
            conduct,
            limits: Limits::default(),
            packing: Packing::default(),
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            early: BTreeMap::new(),
        };
        watch.begins(Phase::Agree);
        let mut context = Context { plan: &party.plan, me, rng: &mut *party.rng, conduct: &party.conduct };
        let (next, outbox) = first(&mut context)?;
        let mut progress = Progress::default();
        party.follow(next, outbox, &mut progress);
        party.advance(&mut progress, watch)?;
        Ok((party, progress))
    }

    /// Messages from now on compressed, or not.
    pub(crate) fn with_packing(mut self, packing: Packing) -> Party {
        self.packing = packing;
        self
    }

    /// Other limits than the usual.
    pub fn with_limits(mut self, limits: Limits) -> Party {
        self.limits = limits;
        self
    }

    /// Which party this is.
    pub fn id(&self) -> PartyId {
        self.me
    }

    /// Whose message it waits for; empty when it is done or has stopped.
    pub fn waits_for(&mut self) -> Vec<PartyId> {
        let context = Context { plan: &self.plan, me: self.me, rng: &mut *self.rng, conduct: &self.conduct };
        self.state.as_ref().map_or_else(Vec::new, |state| state.wants(&context))
    }

    /// Takes in a message that came through the channel of a party.
    pub fn receive(
        &mut self,
        channel: PartyId,
        bytes: &[u8],
        watch: &mut dyn Watch,
    ) -> Result<Progress, ProtocolError> {
        let taken = self.take(channel, bytes, watch);
        if taken.is_err() {
            // Keys and data go with the state.
            self.state = None;
            self.early.clear();
        }
        taken
    }

    fn take(
        &mut self,
        channel: PartyId,
        bytes: &[u8],
        watch: &mut dyn Watch,
    ) -> Result<Progress, ProtocolError> {
        if self.state.is_none() {
            return Err(ProtocolError::Stopped);
        }
        let frame = Frame::decode(bytes, self.limits.message_bytes)
            .map_err(|source| ProtocolError::Decode { from: channel, source })?;
        let Header { plan, from, to, number } = frame.header;
        if from != channel || to != self.me || !self.plan.parties().contains(&from) {
            return Err(ProtocolError::WrongParty { channel, from, to });
        }
        if plan != self.digest {
            return Err(ProtocolError::OtherPlan { from });
        }
        let expected = self.received.entry(from).or_insert(0);
        if number != *expected {
            return Err(ProtocolError::Sequence { from, expected: *expected, found: number });
        }
        *expected += 1;
        let early = self.early.entry(from).or_default();
        if early.len() >= self.limits.early_messages {
            return Err(ProtocolError::Unexpected { from, kind: frame.message.kind() });
        }
        early.push_back(frame.message);
        let mut progress = Progress::default();
        self.advance(&mut progress, watch)?;
        Ok(progress)
    }

    /// Steps as long as there is something to do. Whose message comes first does not matter for the result.
    fn advance(&mut self, progress: &mut Progress, watch: &mut dyn Watch) -> Result<(), ProtocolError> {
        while let Some(state) = self.state.take() {
            let mut context =
                Context { plan: &self.plan, me: self.me, rng: &mut *self.rng, conduct: &self.conduct };
            let wants = state.wants(&context);
            let ready = wants
                .iter()
                .copied()
                .find(|party| self.early.get(party).is_some_and(|queue| !queue.is_empty()));
            let message = ready.and_then(|party| Some((party, self.early.get_mut(&party)?.pop_front()?)));
            if message.is_none() && !wants.is_empty() {
                self.state = Some(state);
                return Ok(());
            }
            watch.begins(state.phase());
            let (next, outbox) = state.step(message, &mut context)?;
            self.follow(next, outbox, progress);
        }
        match self.early.iter().find_map(|(&from, queue)| Some((from, queue.front()?.kind()))) {
            Some((from, kind)) => Err(ProtocolError::Unexpected { from, kind }),
            None => Ok(()),
        }
    }

    fn follow(&mut self, next: Next, outbox: Outbox, progress: &mut Progress) {
        for (to, message) in outbox {
            let number = self.sent.entry(to).or_insert(0);
            let header = Header { plan: self.digest, from: self.me, to, number: *number };
            *number += 1;
            let bytes = Frame::encode_as(&header, &message, self.packing);
            progress.outgoing.push(Outgoing { to, kind: message.kind(), bytes });
        }
        match next {
            Next::State(state) => self.state = Some(state),
            Next::Done(outcome) => progress.outcome = Some(outcome),
        }
    }
}
