//! The algorithms by name, and what each can prove.

use super::Case;
use crate::criteria::Monotonicity;
use crate::quality::Metric;

/// The algorithms by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Visits every node: the obvious twin of all others.
    Exhaustive,
    /// Flash: paths by binary search, predictive tagging by the six cases of monotonicity.
    Flash,
    /// Flash on several threads, each with a path of its own.
    FlashParallel,
    /// Flash's depth-first search: leaves out what the criteria or the metric rule out.
    FlashDfs,
    /// Flash in two phases: paths for the monotone part of the criteria, then all nodes above.
    FlashTwoPhase,
    /// Optimal lattice anonymization: halves intervals of the lattice.
    Ola,
    /// Incognito: few columns first, then more.
    Incognito,
    /// Samarati: binary search by height.
    Samarati,
    /// Level by level from the bottom.
    Bfs,
    /// Depth first from the bottom.
    Dfs,
    /// Flash with bounds on the loss and tests of few columns before all: far fewer checks.
    BestFirst,
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

impl Algorithm {
    /// The name in job files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Exhaustive => "exhaustive",
            Algorithm::Flash => "flash",
            Algorithm::FlashParallel => "flash-parallel",
            Algorithm::FlashDfs => "flash-dfs",
            Algorithm::FlashTwoPhase => "flash-two-phase",
            Algorithm::Ola => "ola",
            Algorithm::Incognito => "incognito",
            Algorithm::Samarati => "samarati",
            Algorithm::Bfs => "bfs",
            Algorithm::Dfs => "dfs",
            Algorithm::BestFirst => "best-first",
        }
    }

    /// All algorithms.
    pub const ALL: [Algorithm; 11] = [
        Algorithm::BestFirst,
        Algorithm::Flash,
        Algorithm::FlashParallel,
        Algorithm::FlashTwoPhase,
        Algorithm::FlashDfs,
        Algorithm::Ola,
        Algorithm::Incognito,
        Algorithm::Samarati,
        Algorithm::Bfs,
        Algorithm::Dfs,
        Algorithm::Exhaustive,
    ];

    /// The algorithm of this name.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Whether the algorithm finds the optimum for certain, or why not. Without the guarantee what it finds still keeps the
    /// criteria, but something better may exist, and that it finds nothing does not mean that there is nothing.
    ///
    /// Kohlmayer 2015, chapter 3; Samarati's search compares heights only.
    pub fn guarantees(self, case: Case, loss: LossBy) -> Result<(), NoGuarantee> {
        let number = case.number();
        match self {
            Algorithm::Exhaustive
            | Algorithm::Flash
            | Algorithm::FlashParallel
            | Algorithm::FlashDfs
            | Algorithm::Bfs
            | Algorithm::Dfs
            | Algorithm::BestFirst => Ok(()),
            Algorithm::FlashTwoPhase if number == 6 => Err(NoGuarantee::Nothing),
            Algorithm::FlashTwoPhase => Ok(()),
            _ if case.criterion != Monotonicity::Full => Err(NoGuarantee::Criteria(number)),
            _ if !case.monotone_metric => Err(NoGuarantee::Metric(number)),
            Algorithm::Samarati if loss != LossBy::Height => Err(NoGuarantee::Height),
            Algorithm::Samarati | Algorithm::Ola | Algorithm::Incognito => Ok(()),
        }
    }
}
