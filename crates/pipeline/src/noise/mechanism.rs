//! The noise of one column, ready to be drawn.

use super::grid::Grid;
use paravent_noise::budget::Cost;
use paravent_noise::draw::{OutsideDomain, Plan, STAND_IN, Words};
use paravent_noise::estimate::{Estimate, Estimator};
use paravent_noise::likelihood::LikelihoodRatio;
use paravent_noise::{Additive, Cases, Ratio, Response};

/// The noise of one column.
#[derive(Debug, Clone)]
pub struct Mechanism {
    /// The column.
    pub column: String,
    /// Its values by code; `None` is the missing one.
    pub values: Vec<Option<String>>,
    /// How it is drawn for.
    pub drawn: Drawn,
    /// What becomes of a cell that is none of the values.
    pub outside: OutsidePolicy,
    /// Whether a missing cell is replaced by a value of equal chance first.
    pub stand_in: bool,
    /// How likely a cell is redrawn, as it was written or computed; none for cases and added numbers.
    pub probability: Option<String>,
    /// The name of the law.
    pub law: &'static str,
    /// Whether the values or their weights were read off the column.
    pub read_off: bool,
    /// What it costs; `None` where no ε bounds it.
    pub cost: Option<Cost>,
}

/// What becomes of a cell that is none of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsidePolicy {
    /// Nothing is drawn.
    Refused,
    /// A number counts as the nearest bound.
    Clamped,
    /// It counts as the value with this code.
    Other(u32),
}

/// How a column is drawn for.
#[derive(Debug, Clone)]
pub enum Drawn {
    /// Randomised response.
    Response(Response, Plan),
    /// Randomised response by the value of another column.
    Cases {
        /// The other column.
        by: String,
        /// Its values, one for each case; the last case without a value is for all others.
        known: Vec<Option<String>>,
        /// Whether there is a case for all other values, after those of `known`.
        otherwise: bool,
        /// The responses.
        cases: Cases,
        /// The same, ready to be drawn.
        plans: Vec<Plan>,
    },
    /// A number to which noise is added.
    Added(AddedNumber),
}

/// Noise on a number.
#[derive(Debug, Clone)]
pub struct AddedNumber {
    pub(super) grid: Grid,
    pub(super) noise: Additive,
}

/// What a cell counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    As(u32),
    /// A missing cell that a value takes the place of.
    StandIn,
    Outside,
}

impl Mechanism {
    /// What a cell counts as.
    pub(super) fn counted(&self, cell: Option<&str>) -> Counted {
        let listed = || {
            let place = self.values.iter().position(|value| value.as_deref() == cell)?;
            u32::try_from(place).ok()
        };
        let found = match (&self.drawn, cell) {
            (_, None) if self.stand_in => return Counted::StandIn,
            (Drawn::Added(_), None) => None,
            (Drawn::Added(added), Some(cell)) => match (added.grid.code(cell), self.outside) {
                (Some(Ok(code)), _) | (Some(Err(code)), OutsidePolicy::Clamped) => Some(code),
                _ => None,
            },
            _ => listed(),
        };
        match (found, self.outside) {
            (Some(code), _) => Counted::As(code),
            // A missing cell is not just another value.
            (None, OutsidePolicy::Other(code)) if cell.is_some() => Counted::As(code),
            (None, _) => Counted::Outside,
        }
    }

    /// What a cell is shown as. `case` is the case of the row.
    pub(super) fn draw(
        &self,
        words: &mut Words,
        row: u64,
        counted: Counted,
        case: usize,
    ) -> Result<u32, OutsideDomain> {
        let outside = OutsideDomain { values: self.domain() };
        let code = match counted {
            Counted::As(code) => code,
            Counted::Outside => return Err(outside),
            Counted::StandIn => {
                // Missing is never among the values here.
                let drawn = words.below(row, STAND_IN, u64::from(self.domain().max(1)));
                u32::try_from(drawn).unwrap_or(0)
            }
        };
        match &self.drawn {
            Drawn::Response(_, plan) => plan.draw(words, row, code),
            Drawn::Cases { plans, .. } => plans.get(case).ok_or(outside)?.draw(words, row, code),
            Drawn::Added(added) => added.noise.draw(words, row, code),
        }
    }

    /// How many values.
    pub fn domain(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }

    /// The worst ratio of likelihoods, from which ε follows.
    pub fn likelihood_ratio(&self) -> LikelihoodRatio {
        match &self.drawn {
            Drawn::Response(response, _) => response.likelihood_ratio(),
            Drawn::Cases { cases, .. } => cases.likelihood_ratio(),
            Drawn::Added(added) => added.noise.likelihood_ratio(),
        }
    }

    /// The δ for an ε.
    pub(super) fn delta_at(&self, epsilon: &Ratio) -> Option<Ratio> {
        match &self.drawn {
            Drawn::Response(response, _) => response.delta_at(epsilon),
            Drawn::Cases { cases, .. } => cases.delta_at(epsilon),
            Drawn::Added(added) => added.noise.delta_at(epsilon),
        }
    }

    /// The response that the noise is where it does not depend on another column, and where a missing cell has no stand-in.
    fn response(&self) -> Option<Response> {
        match &self.drawn {
            _ if self.stand_in => None,
            Drawn::Response(response, _) => Some(response.clone()),
            Drawn::Cases { .. } => None,
            // An inverse of more takes long, and says little.
            Drawn::Added(added) if added.noise.domain() <= 400 => Some(added.noise.response()),
            Drawn::Added(_) => None,
        }
    }

    /// What noisy counts and the public noise tell about the true counts. Shares that were read off the column are no public noise: an estimate
    /// would hand out what was read.
    pub(super) fn estimates(&self, observed: &[u64]) -> Option<Vec<Estimate>> {
        // Of numbers the mean is told: single counts would drown in the noise.
        if self.law == "learnt" || matches!(self.drawn, Drawn::Added(_)) {
            return None;
        }
        Estimator::new(&self.response()?).ok()?.counts(observed).ok()
    }

    /// The true mean of numbers, as far as the noisy ones can tell.
    pub(super) fn mean(&self, observed: &[u64]) -> Option<Estimate> {
        let Drawn::Added(_) = &self.drawn else { return None };
        let numbers: Option<Vec<f64>> =
            self.values.iter().map(|value| value.as_deref()?.parse().ok()).collect();
        Estimator::new(&self.response()?).ok()?.mean(observed, &numbers?).ok()
    }
}
