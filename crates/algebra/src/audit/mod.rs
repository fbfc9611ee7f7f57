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

pub use shapes::{LEVELS, Level, Neighbours, Shape, shapes, shows_little_noise};

use crate::error::AlgebraError;
use crate::lower::{Drawn, Truth};
use events::Events;
use paravent_noise::budget::{Cost, Ledger};
use rayon::prelude::*;
use shapes::Truths;
use std::fmt;
use std::num::NonZeroU32;

/// The chance of a false alarm, over all events of an audit.
pub const ALPHA: f64 = 1e-6;
/// No audit looks at more events than this.
pub const MOST_EVENTS: usize = 200_000;
/// Draws that choose the events, at least and at most; the others decide.
const PILOT: (u64, u64) = (200, 5_000);

/// A mistake that is planted, for the audit to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// None: the code as it is.
    None,
    /// 15 % too little noise; of Gaussian noise, which has room to its promise, about 40 %.
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

/// Compares a query shape at one ε on its neighbouring tables; `draws` answers from each table.
pub fn audit(shape: &Shape, level: &Level, draws: u64, fault: Fault) -> Result<Outcome, AlgebraError> {
    let Truths { without, with, changed } = shape.truths(level, fault)?;
    let cost = level.cost(shape.delta, fault)?;
    let pilot = |truth: &Truth| -> Result<Vec<Drawn>, AlgebraError> {
        (0..(draws / 20).clamp(PILOT.0, PILOT.1)).map(|_| answer(truth, &cost)).collect()
    };
    let first = pilot(&with)?;
    let (added, moved) =
        (Events::between(&first, &pilot(&without)?), Events::between(&first, &pilot(&changed)?));
    let mut of_with = count(&[&added, &moved], &with, &cost, draws)?.into_iter();
    let mut outcome = Outcome { draws: 3 * draws, ..Outcome::default() };
    for (events, other, both) in [
        (&added, &without, [Neighbours::Added, Neighbours::Removed]),
        (&moved, &changed, [Neighbours::Changed; 2]),
    ] {
        let one = of_with.next().unwrap_or_default();
        let other = count(&[events], other, &cost, draws)?.pop().unwrap_or_default();
        for (neighbours, often, rarely) in [(both[0], &one, &other), (both[1], &other, &one)] {
            let allowed = neighbours.allowed(level.value, shape.delta_value());
            for (event, first, second) in events.totals(often, rarely) {
                outcome.events += 1;
                let Some(ratio) = beyond_chance((first, second), draws, allowed) else { continue };
                let allowed = allowed.0.exp();
                let (shape, epsilon) = (shape.name, level.epsilon);
                outcome.findings.push(Finding { shape, neighbours, epsilon, event, ratio, allowed });
            }
        }
    }
    Ok(outcome)
}

/// Whether one probability is more than e^ε times the other, plus δ, beyond chance; and the least that their ratio is then.
fn beyond_chance((first, second): (u64, u64), draws: u64, (epsilon, delta): (f64, f64)) -> Option<f64> {
    // Most events are far from any doubt, and the exact bounds take time.
    if first as f64 <= epsilon.exp() * second as f64 + delta * draws as f64 {
        return None;
    }
    // Two bounds per event; each may miss with its share of the chance.
    let miss = ALPHA / MOST_EVENTS as f64 / 2.0;
    let (least, most) = (bounds::lower(first, draws, miss), bounds::upper(second, draws, miss));
    (least > epsilon.exp() * most + delta).then(|| (least - delta) / most)
}

fn answer(truth: &Truth, cost: &Cost) -> Result<Drawn, AlgebraError> {
    let failed = |error: String| AlgebraError::Failed(format!("the audit could not draw: {error}"));
    let grant =
        Ledger::new(cost.clone()).grant("audit", cost.clone()).map_err(|error| failed(error.to_string()))?;
    truth.draw(grant).map_err(|error| failed(error.to_string()))
}

/// How often each cell of each comparison occurs among this number of answers. On all cores; sums do not depend on their order.
fn count(all: &[&Events], truth: &Truth, cost: &Cost, draws: u64) -> Result<Vec<Vec<u64>>, AlgebraError> {
    const CHUNK: u64 = 500;
    let chunks = draws.div_ceil(CHUNK);
    let empty = || -> Vec<Vec<u64>> { all.iter().map(|events| vec![0; events.cells()]).collect() };
    let chunk = |number: u64| -> Result<Vec<Vec<u64>>, AlgebraError> {
        let mut counts = empty();
        for _ in 0..CHUNK.min(draws - number * CHUNK) {
            let answer = answer(truth, cost)?;
            all.iter().zip(&mut counts).for_each(|(events, counts)| events.count(&answer, counts));
        }
        Ok(counts)
    };
    let sum = |mut one: Vec<Vec<u64>>, other: Vec<Vec<u64>>| {
        one.iter_mut().flatten().zip(other.iter().flatten()).for_each(|(one, other)| *one += other);
        one
    };
    let fold = |one, other| Ok(sum(one, other));
    (0..chunks).into_par_iter().map(chunk).try_reduce(empty, fold)
}

/// Rows for which the noise of a forgotten join is made.
const FORGOTTEN: NonZeroU32 = NonZeroU32::MIN;
