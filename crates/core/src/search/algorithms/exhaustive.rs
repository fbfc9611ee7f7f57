//! Exhaustive search: every node is checked. Slow and obvious, the twin that all other algorithms are tested against.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::incumbent::Incumbent;
use crate::search::{CheckError, Depth, Flow, NodeCounts, NodeState, Problem, Progress, SearchError, SearchReport, Verdict};
use rayon::prelude::*;

/// Nodes this algorithm is willing to enumerate.
const MOST_NODES: u64 = 1 << 26;
/// Nodes that several threads check between two looks at the observer.
const CHUNK: u64 = 64;

pub(super) struct Exhaustive;

impl SearchAlgorithm for Exhaustive {
    fn card(&self) -> Card {
        Card {
            name: "exhaustive",
            how: "looks at every transformation",
            source: "none: the twin that all other algorithms are tested against.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        search(problem)
    }
}

fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    let lattice = problem.lattice;
    let nodes = lattice.enumerable(MOST_NODES)?;
    let mut states = vec![NodeState::Undecided; nodes as usize];
    let mut incumbent = Incumbent::default();
    let mut checks = 0;
    let mut start = 0;
    while start < nodes {
        let end = if problem.threads > 1 { (start + CHUNK).min(nodes) } else { start + 1 };
        let check = |index| problem.checker.check(&lattice.node(index), Depth::Full);
        let verdicts: Result<Vec<Verdict>, CheckError> = if problem.threads > 1 {
            (start..end).into_par_iter().map(check).collect()
        } else {
            (start..end).map(check).collect()
        };
        for (index, verdict) in (start..end).zip(verdicts?) {
            states[index as usize] =
                if verdict.holds { NodeState::Anonymous } else { NodeState::NotAnonymous };
            if verdict.holds {
                incumbent.offer(problem.order, &lattice.node(index), verdict.loss, verdict.suppressed_rows);
            }
        }
        checks += end - start;
        start = end;
        let progress = Progress {
            checks,
            decided: checks,
            nodes: u128::from(nodes),
            best_loss: incumbent.loss(),
            bound: None,
        };
        if problem.observer.after_check(&progress) == Flow::Stop {
            break;
        }
    }
    let complete = checks == nodes;
    let best = incumbent.into_best();
    let nodes = NodeCounts::of(&states);
    let bound = best.as_ref().filter(|_| complete).map(|best| best.loss);
    Ok(SearchReport { best, complete, optimal: complete, bound, checks, subset_tests: 0, nodes, states })
}
