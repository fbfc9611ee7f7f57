//! What an algorithm can say about itself.

use super::{Algorithm, Case, Problem, SearchError, SearchReport};
use crate::criteria::Monotonicity;
use crate::quality::Metric;

/// What users read about an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// The name in job files and reports.
    pub name: &'static str,
    /// How it goes, as the end of a sentence.
    pub how: &'static str,
    /// The paper that describes it, or where this project does.
    pub source: &'static str,
}

/// A search algorithm.
///
/// What it finds always keeps the criteria, because every node it returns was checked. Its report says whether the optimum is proven.
pub(crate) trait SearchAlgorithm: Sync {
    /// What users read about it.
    fn card(&self) -> Card;
    /// Runs it.
    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError>;
    /// Whether it finds the optimum for certain, or why not.
    fn guarantees(&self, _: Case, _: LossBy) -> Result<(), NoGuarantee> {
        Ok(())
    }
}

/// What the loss of a node depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossBy {
    /// The node's height alone: of two nodes the lower one loses less.
    Height,
    /// Anything else.
    More,
}

impl LossBy {
    /// What this metric depends on. The height counts as such only if every column's level weighs the same.
    pub fn of(metric: Metric, weights: &[f64]) -> LossBy {
        let alike = weights.windows(2).all(|pair| pair[0] == pair[1]);
        if metric.is_the_height() && alike { LossBy::Height } else { LossBy::More }
    }
}

/// Why an algorithm may miss the optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoGuarantee {
    /// It takes all criteria for monotone.
    #[error(
        "it takes every generalization of an anonymous transformation for anonymous, which these models do not ensure (case {0})"
    )]
    Criteria(u8),
    /// It takes the metric for monotone.
    #[error(
        "it takes it for granted that generalizing further never lowers the loss, which this metric does not ensure (case {0})"
    )]
    Metric(u8),
    /// It compares heights only.
    #[error(
        "it looks for the lowest transformation, which has the least loss only by the metric height with equal weights"
    )]
    Height,
    /// Neither of its phases has anything to work with.
    #[error(
        "neither the models nor the metric are monotone, not even in part, so neither of its phases can rule anything out (case 6)"
    )]
    Nothing,
}

/// The guarantee of an algorithm that takes criteria and metric for monotone: case 1 only.
pub(super) fn in_case_1_only(case: Case) -> Result<(), NoGuarantee> {
    if case.criterion != Monotonicity::Full {
        return Err(NoGuarantee::Criteria(case.number()));
    }
    if case.monotone_metric { Ok(()) } else { Err(NoGuarantee::Metric(case.number())) }
}

impl Algorithm {
    /// What users read about it.
    pub fn card(self) -> Card {
        self.unit().card()
    }

    /// The name in job files and reports.
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// The algorithm of this name.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Whether the algorithm finds the optimum for certain, or why not. Without the guarantee what it finds still keeps the
    /// criteria, but something better may exist, and that it finds nothing does not mean that there is nothing.
    ///
    /// Kohlmayer 2015, chapter 3; Samarati's search compares heights only.
    pub fn guarantees(self, case: Case, loss: LossBy) -> Result<(), NoGuarantee> {
        self.unit().guarantees(case, loss)
    }
}

/// Runs one algorithm on a problem. What it finds always keeps the criteria; whether it is the optimum is in the report.
pub fn run(problem: &Problem<'_>, algorithm: Algorithm) -> Result<SearchReport, SearchError> {
    algorithm.unit().search(problem)
}
