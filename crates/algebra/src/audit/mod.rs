//! An audit of ε: many answers on neighbouring tables, through the code that answers questions, and a look at how often each event occurs.
//!
//! For a query shape, a privacy budget and two tables that differ by one person, answers are drawn many times from both. If the promise holds,
//! `P(answer ∈ E) ≤ e^ε · P'(answer ∈ E) + δ` for every event E. Probabilities are estimated with exact (Clopper–Pearson) bounds, so that an
//! event is a [`Finding`] only where it breaks the promise beyond chance: a sound implementation has a finding with a probability of at most
//! [`ALPHA`], over all events of an audit together (Bonferroni). An audit can show that a promise is broken, never that it holds; so
//! [`Fault`]s are planted, and the audit has to find them.
//!
//! Figures are read once per table, by the same plans as in production; then answers are drawn by [`Truth::draw`], which is what every answer of
//! `private` goes through.

mod bounds;
mod events;
mod shapes;

pub use shapes::{LEVELS, Level, Neighbours, Shape, shapes};

use crate::error::AlgebraError;
use crate::lower::Truth;
use events::Events;
use paravent_noise::budget::{Cost, Ledger};
use rayon::prelude::*;
use std::fmt;
use std::num::NonZeroU32;

/// The chance of a false alarm, over all events of an audit.
pub const ALPHA: f64 = 1e-6;
/// No audit looks at more events than this.
pub const MOST_EVENTS: usize = 200_000;
/// Draws that choose the events; the others decide.
const PILOT: u64 = 200;

/// A mistake that is planted, for the audit to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// None: the code as it is.
    None,
    /// 15 % too little noise.
    LittleNoise,
    /// A tracker that forgets a join: a person counts twice, and the noise is for once.
    ForgottenJoin,
}

/// An event that breaks the promise beyond chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The query shape.
    pub shape: &'static str,
    /// Which tables were compared.
    pub neighbours: Neighbours,
    /// ε of the query.
    pub epsilon: &'static str,
    /// Which answers.
    pub event: String,
    /// The ratio of its probabilities is at least this.
    pub ratio: f64,
    /// And may be this.
    pub allowed: f64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at ε = {}, {}: {} is at least {:.4} times as likely, allowed are {:.4}",
            self.shape, self.epsilon, self.neighbours, self.event, self.ratio, self.allowed
        )
    }
}

/// What an audit saw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Events that were compared.
    pub events: usize,
    /// Answers that were drawn.
    pub draws: u64,
    /// Events that break the promise.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// Both together.
    pub fn and(mut self, other: Outcome) -> Outcome {
        self.events += other.events;
        self.draws += other.draws;
        self.findings.extend(other.findings);
        self
    }
}

/// Compares a query shape at one ε on its neighbouring tables; `draws` answers from each side of a comparison.
pub fn audit(shape: &Shape, level: &Level, draws: u64, fault: Fault) -> Result<Outcome, AlgebraError> {
    let tables = shape.truths(level, fault)?;
    let cost = level.cost(shape.delta, fault)?;
    let mut outcome = Outcome::default();
    for (one, other, both) in tables.pairs() {
        let events = Events::between(&pilot(one, &cost)?, &pilot(other, &cost)?);
        let (one, other) = (count(&events, one, &cost, draws)?, count(&events, other, &cost, draws)?);
        outcome.draws += 2 * (draws + PILOT);
        for (neighbours, often, rarely) in [(both[0], &one, &other), (both[1], &other, &one)] {
            outcome.events += events.len();
            let (epsilon, delta) = neighbours.allowed(level.value, shape.delta_value());
            for (place, (first, second)) in often.iter().zip(rarely).enumerate() {
                // Two bounds per event; each may miss with its share of the chance.
                let miss = ALPHA / MOST_EVENTS as f64 / 2.0;
                let least = bounds::lower(*first, draws, miss);
                // Most events are far from any doubt, and the exact bound takes time.
                if least <= epsilon.exp() * (*second as f64 / draws as f64) + delta {
                    continue;
                }
                let most = bounds::upper(*second, draws, miss);
                if least > epsilon.exp() * most + delta {
                    outcome.findings.push(Finding {
                        shape: shape.name,
                        neighbours,
                        epsilon: level.epsilon,
                        event: events.name(place),
                        ratio: (least - delta) / most,
                        allowed: epsilon.exp(),
                    });
                }
            }
        }
    }
    Ok(outcome)
}

/// One answer, as numbers by group.
type Answer = Vec<(String, Vec<f64>)>;

fn answer(truth: &Truth, cost: &Cost) -> Result<Answer, AlgebraError> {
    let failed = |error: String| AlgebraError::Failed(format!("the audit could not draw: {error}"));
    let grant =
        Ledger::new(cost.clone()).grant("audit", cost.clone()).map_err(|error| failed(error.to_string()))?;
    Ok(truth.draw(grant).map_err(|error| failed(error.to_string()))?.numbers())
}

fn pilot(truth: &Truth, cost: &Cost) -> Result<Vec<Answer>, AlgebraError> {
    (0..PILOT).map(|_| answer(truth, cost)).collect()
}

fn count(events: &Events, truth: &Truth, cost: &Cost, draws: u64) -> Result<Vec<u64>, AlgebraError> {
    const CHUNK: u64 = 500;
    let chunks = draws.div_ceil(CHUNK);
    let chunk = |number: u64| -> Result<Vec<u64>, AlgebraError> {
        let mut counts = vec![0; events.len()];
        for _ in 0..CHUNK.min(draws - number * CHUNK) {
            events.count(&answer(truth, cost)?, &mut counts);
        }
        Ok(counts)
    };
    let sum =
        |one: Vec<u64>, other: Vec<u64>| one.iter().zip(&other).map(|(one, other)| one + other).collect();
    (0..chunks)
        .into_par_iter()
        .map(chunk)
        .try_reduce(|| vec![0; events.len()], |one, other| Ok(sum(one, other)))
}

/// Rows for which the noise of a forgotten join is made.
const FORGOTTEN: NonZeroU32 = NonZeroU32::MIN;
