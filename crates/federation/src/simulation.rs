//! All parties in one process: for trying out, for tests, and to see what a run costs.

use crate::data::PartyTable;
use crate::error::ProtocolError;
use crate::matches::Matches;
use crate::outcome::{Outcome, Release, United};
use crate::parties::PartyId;
use crate::party::{Outgoing, Party, Progress, Watch};
use crate::plan::Plan;
use crate::protocols::{Ciphers, Conduct, Phase, Siv};
use crate::wire::{MessageKind, Packing};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use rustix::time::{ClockId, clock_gettime};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// Runs all parties of a plan, one message after the other, always in the same order.
pub struct Simulation<'a> {
    seed: [u8; 32],
    tap: Box<dyn FnMut(&Recorded) + 'a>,
    network: Box<Network<'a>>,
    ciphers: Box<dyn Fn(PartyId) -> Box<dyn Ciphers> + 'a>,
    conduct: Box<dyn Fn(PartyId) -> Conduct + 'a>,
    packing: Packing,
}

/// What becomes of a message on its way: the messages that arrive.
type Network<'a> = dyn FnMut(&Recorded) -> Vec<Recorded> + 'a;

/// A message as it left its sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Whose channel it goes through.
    pub from: PartyId,
    /// Whom it reaches.
    pub to: PartyId,
    /// Its kind.
    pub kind: MessageKind,
    /// All its bytes.
    pub bytes: Vec<u8>,
}

/// What one phase took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PhaseCost {
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Time all parties together spent computing.
    pub time: Duration,
}

/// How long a party computed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Computed {
    /// By the clock on the wall.
    pub wall: Duration,
    /// Time of the processor, all threads together. Whoever else uses the machine does not count.
    pub processor: Duration,
}

/// A finished run.
#[derive(Debug)]
pub struct Run {
    /// The release, where a node keeps the promise.
    pub release: Option<Release>,
    /// The party that has it.
    pub receiver: Option<PartyId>,
    /// What each party ended with, in order.
    pub outcomes: Vec<Outcome>,
    /// What each phase took.
    pub phases: BTreeMap<Phase, PhaseCost>,
    /// How long each party computed.
    pub party_times: BTreeMap<PartyId, Computed>,
    /// Questions about nodes that went over the network (protocol C).
    pub round_trips: u64,
}

/// Why a run ended without an outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A party stopped.
    #[error("{party}: {source}")]
    Party {
        /// Who.
        party: PartyId,
        /// Why.
        source: Box<ProtocolError>,
    },
    /// No message is under way, and a party still waits.
    #[error("{party} waits for a message that does not come")]
    Stalled {
        /// Who waits.
        party: PartyId,
    },
    /// Not as many tables as primary parties.
    #[error("{found} tables for {expected} primary parties")]
    Tables {
        /// Tables given.
        found: usize,
        /// Primary parties.
        expected: usize,
    },
}

impl<'a> Simulation<'a> {
    /// With random numbers from a seed: the same run again and again. Never for data that need protection on the way.
    pub fn seeded(seed: u64) -> Simulation<'a> {
        let mut bytes = [0u8; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Simulation {
            seed: bytes,
            tap: Box::new(|_| {}),
            network: Box::new(|message| vec![message.clone()]),
            ciphers: Box::new(|_| Box::new(Siv)),
            conduct: Box::new(|_| Conduct::default()),
            packing: Packing::default(),
        }
    }

    /// Calls an observer with every message that leaves a party.
    pub fn tapped(mut self, tap: impl FnMut(&Recorded) + 'a) -> Simulation<'a> {
        self.tap = Box::new(tap);
        self
    }

    /// Lets a network lose, repeat or change messages: what it gives back is delivered.
    pub fn over(mut self, network: impl FnMut(&Recorded) -> Vec<Recorded> + 'a) -> Simulation<'a> {
        self.network = Box::new(network);
        self
    }

    /// Lets parties note what they encrypt.
    pub(crate) fn noted(self, ciphers: impl Fn(PartyId) -> Box<dyn Ciphers> + 'a) -> Simulation<'a> {
        Simulation { ciphers: Box::new(ciphers), ..self }
    }

    /// Lets parties encrypt in another way.
    #[cfg(test)]
    pub(crate) fn with_ciphers(
        mut self,
        ciphers: impl Fn(PartyId) -> Box<dyn Ciphers> + 'a,
    ) -> Simulation<'a> {
        self.ciphers = Box::new(ciphers);
        self
    }

    /// Lets parties behave in another way.
    #[cfg(test)]
    pub(crate) fn with_conduct(mut self, conduct: impl Fn(PartyId) -> Conduct + 'a) -> Simulation<'a> {
        self.conduct = Box::new(conduct);
        self
    }

    /// Runs the plan with one table per primary party.
    pub fn run(mut self, plan: &Plan, tables: Vec<PartyTable>) -> Result<Run, SimulationError> {
        if tables.len() != plan.members.len() {
            return Err(SimulationError::Tables { found: tables.len(), expected: plan.members.len() });
        }
        let mut clock = Clock::default();
        let mut tables = tables.into_iter();
        let outcomes = self.all(&plan.parties(), &mut clock, |simulation, id, clock| {
            let rng = Box::new(simulation.rng(id));
            let conduct = (simulation.conduct)(id);
            match tables.next() {
                Some(table) => {
                    let manner = ((simulation.ciphers)(id), conduct);
                    Party::primary_with(plan, id, table, manner, rng, clock)
                }
                None => Party::helper_with(plan, conduct, rng, clock),
            }
        })?;
        let receiver = outcomes.iter().find(|(_, outcome)| matches!(outcome, Outcome::Released(_)));
        let receiver = receiver.map(|(&party, _)| party);
        let release = receiver.and_then(|party| match &outcomes[&party] {
            Outcome::Released(release) => Some(release.clone()),
            _ => None,
        });
        let outcomes = outcomes.into_values().collect();
        let Clock { phases, party_times, round_trips, .. } = clock;
        Ok(Run { release, receiver, outcomes, phases, party_times, round_trips })
    }

    /// Counts the people that the primary parties have in common; by party, what it then knows.
    pub fn matching(
        mut self,
        plan: &Plan,
        identifiers: Vec<Vec<String>>,
    ) -> Result<Vec<Matches>, SimulationError> {
        if identifiers.len() != plan.members.len() {
            return Err(SimulationError::Tables { found: identifiers.len(), expected: plan.members.len() });
        }
        let primaries: Vec<PartyId> = (0..plan.primaries()).map(PartyId).collect();
        let mut lists = identifiers.into_iter();
        let outcomes = self.all(&primaries, &mut Clock::default(), |simulation, id, clock| {
            let (rng, conduct) = (Box::new(simulation.rng(id)), (simulation.conduct)(id));
            Party::matching_with(plan, id, lists.next().unwrap_or_default(), conduct, rng, clock)
        })?;
        let matches = outcomes.into_values().filter_map(|outcome| match outcome {
            Outcome::Matched(matches) => Some(matches),
            _ => None,
        });
        Ok(matches.collect())
    }

    /// Puts the values of the primary parties together; by party, what it then knows.
    pub fn uniting(mut self, plan: &Plan, values: Vec<Vec<String>>) -> Result<Vec<United>, SimulationError> {
        if values.len() != plan.members.len() {
            return Err(SimulationError::Tables { found: values.len(), expected: plan.members.len() });
        }
        let primaries: Vec<PartyId> = (0..plan.primaries()).map(PartyId).collect();
        let mut lists = values.into_iter();
        let outcomes = self.all(&primaries, &mut Clock::default(), |simulation, id, clock| {
            let (rng, conduct) = (Box::new(simulation.rng(id)), (simulation.conduct)(id));
            Party::uniting_with(plan, id, lists.next().unwrap_or_default(), conduct, rng, clock)
        })?;
        let united = outcomes.into_values().filter_map(|outcome| match outcome {
            Outcome::United(united) => Some(united),
            _ => None,
        });
        Ok(united.collect())
    }

    /// Starts these parties and delivers messages until all are done.
    fn all(
        &mut self,
        parties: &[PartyId],
        clock: &mut Clock,
        mut start: impl FnMut(&Simulation<'a>, PartyId, &mut Clock) -> Result<(Party, Progress), ProtocolError>,
    ) -> Result<BTreeMap<PartyId, Outcome>, SimulationError> {
        let failed =
            |party: PartyId| move |source| SimulationError::Party { party, source: Box::new(source) };
        let mut state = Underway { parties: Vec::new(), queue: VecDeque::new(), outcomes: BTreeMap::new() };
        for &id in parties {
            let since = Since::now();
            let started = start(self, id, clock);
            clock.stop();
            clock.computed(id, since);
            let (party, progress) = started.map_err(failed(id))?;
            state.parties.push(party.with_packing(self.packing));
            self.dispatch(&mut state, id, progress, clock);
        }
        while let Some(message) = state.queue.pop_front() {
            let Some(party) = state.parties.get_mut(usize::from(message.to.0)) else { continue };
            let since = Since::now();
            let progress = party.receive(message.from, &message.bytes, clock);
            clock.stop();
            clock.computed(message.to, since);
            let progress = progress.map_err(failed(message.to))?;
            self.dispatch(&mut state, message.to, progress, clock);
        }
        match parties.iter().find(|party| !state.outcomes.contains_key(party)) {
            Some(&party) => Err(SimulationError::Stalled { party }),
            None => Ok(state.outcomes),
        }
    }

    /// Runs the plan with this number of threads, or one per core, and with messages compressed or not: to measure what these bring.
    pub fn with_means(
        plan: &Plan,
        tables: Vec<PartyTable>,
        seed: u64,
        threads: Option<usize>,
        packing: Packing,
    ) -> Result<Run, SimulationError> {
        let run = || Simulation { packing, ..Simulation::seeded(seed) }.run(plan, tables);
        // None: the threads that are there anyway.
        match threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build()) {
            Some(Ok(pool)) => pool.install(run),
            Some(Err(_)) | None => run(),
        }
    }

    fn rng(&self, party: PartyId) -> ChaCha20Rng {
        let mut seed = self.seed;
        seed[30..].copy_from_slice(&party.0.to_le_bytes());
        ChaCha20Rng::from_seed(seed)
    }

    fn dispatch(&mut self, state: &mut Underway, from: PartyId, progress: Progress, clock: &mut Clock) {
        for Outgoing { to, kind, bytes } in progress.outgoing {
            let cost = clock.phases.entry(kind.phase()).or_default();
            cost.messages += 1;
            cost.bytes += bytes.len() as u64;
            clock.round_trips += u64::from(kind == MessageKind::Answer);
            let message = Recorded { from, to, kind, bytes };
            (self.tap)(&message);
            state.queue.extend((self.network)(&message));
        }
        if let Some(outcome) = progress.outcome {
            state.outcomes.insert(from, outcome);
        }
    }
}

struct Underway {
    parties: Vec<Party>,
    queue: VecDeque<Recorded>,
    outcomes: BTreeMap<PartyId, Outcome>,
}

/// When a party began to compute. One party computes at a time, so the time of the whole process is its own.
#[derive(Clone, Copy)]
struct Since {
    wall: Instant,
    processor: Duration,
}

impl Since {
    fn now() -> Since {
        Since { wall: Instant::now(), processor: processor_time() }
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Adds up the time of each phase.
#[derive(Default)]
struct Clock {
    phases: BTreeMap<Phase, PhaseCost>,
    party_times: BTreeMap<PartyId, Computed>,
    round_trips: u64,
    running: Option<(Phase, Instant)>,
}

impl Clock {
    fn computed(&mut self, party: PartyId, since: Since) {
        let computed = self.party_times.entry(party).or_default();
        computed.wall += since.wall.elapsed();
        computed.processor += processor_time().saturating_sub(since.processor);
    }

    fn stop(&mut self) {
        if let Some((phase, since)) = self.running.take() {
            self.phases.entry(phase).or_default().time += since.elapsed();
        }
    }
}

impl Watch for Clock {
    fn begins(&mut self, phase: Phase) {
        self.stop();
        self.running = Some((phase, Instant::now()));
    }
}
