//! What a search keeps while it walks the lattice: facts about nodes, the best one so far, and how much work it was.

use super::tags::{Tags, fact};
use crate::criteria::Monotonicity;
use crate::lattice::LatticeError;
use crate::search::algorithm::SearchAlgorithm;
use crate::search::incumbent::Incumbent;
use crate::search::{
    CheckError, Depth, Flow, LossBy, NodeCounts, NodeState, Problem, Progress, SearchError, SearchReport,
    Verdict,
};

/// Nodes that a fact each can be kept about.
const MOST_NODES: u64 = 1 << 26;

/// The state of a search, and the only way for it to look at nodes.
pub(super) struct Survey<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) tags: Tags<'a>,
    incumbent: Incumbent,
    nodes: u64,
    checks: u64,
    subset_tests: u64,
}

/// Why a search ends before its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// The observer said so.
    Stopped,
    /// A node could not be looked at.
    Failed(SearchError),
}

impl From<CheckError> for Halt {
    fn from(error: CheckError) -> Halt {
        Halt::Failed(error.into())
    }
}

impl From<LatticeError> for Halt {
    fn from(error: LatticeError) -> Halt {
        Halt::Failed(error.into())
    }
}

/// What a look at a node counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A check.
    Check,
    /// A test of few columns, all others at the top.
    SubsetTest,
}

/// Whether what was left out is known not to be better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// It is, as far as the case is.
    Found,
    /// It is not.
    Missing,
}

impl<'a> Survey<'a> {
    /// Nothing is known yet. Refuses lattices that are too large to keep facts about.
    pub(super) fn new(problem: &'a Problem<'a>) -> Result<Survey<'a>, SearchError> {
        let nodes = problem.lattice.enumerable(MOST_NODES)?;
        let tags = Tags::new(problem.lattice, nodes);
        Ok(Survey { problem, tags, incumbent: Incumbent::default(), nodes, checks: 0, subset_tests: 0 })
    }

    /// Runs an algorithm that walks the lattice, and gives its account.
    pub(super) fn walk(
        problem: &Problem<'_>,
        algorithm: &dyn SearchAlgorithm,
        walk: fn(&mut Survey<'_>) -> Result<(), Halt>,
    ) -> Result<SearchReport, SearchError> {
        let mut survey = Survey::new(problem)?;
        let end = walk(&mut survey);
        let proven = algorithm.guarantees(problem.case, LossBy::Height).is_ok();
        survey.conclude(end, if proven { Proof::Found } else { Proof::Missing })
    }

    /// Checks a node.
    pub(super) fn check(&mut self, index: u64) -> Result<Verdict, Halt> {
        self.look(index, Look::Check)
    }

    /// Looks at a node and records what it is.
    pub(super) fn look(&mut self, index: u64, look: Look) -> Result<Verdict, Halt> {
        let verdict = self.problem.checker.check(&self.problem.lattice.node(index), Depth::Full)?;
        self.record(index, &verdict, look)?;
        Ok(verdict)
    }

    /// Records what a look has found.
    pub(super) fn record(&mut self, index: u64, verdict: &Verdict, look: Look) -> Result<(), Halt> {
        match look {
            Look::Check => self.checks += 1,
            Look::SubsetTest => self.subset_tests += 1,
        }
        self.tags.add(index, fact::CHECKED | if verdict.holds { fact::HOLDS } else { fact::FAILS });
        if verdict.holds {
            self.incumbent.offer(
                self.problem.order,
                &self.problem.lattice.node(index),
                verdict.loss,
                verdict.suppressed_rows,
            );
        }
        let progress = Progress {
            checks: self.checks,
            decided: self.tags.decided(),
            nodes: u128::from(self.nodes),
            best_loss: self.incumbent.loss(),
            bound: None,
        };
        match self.problem.observer.after_check(&progress) {
            Flow::Continue => Ok(()),
            Flow::Stop => Err(Halt::Stopped),
        }
    }

    /// With a monotone metric nothing above an anonymous node can be better.
    pub(super) fn exclude_above(&mut self, index: u64, verdict: &Verdict) {
        if verdict.holds && self.problem.case.monotone_metric {
            self.tags.add_above(index, fact::EXCLUDED);
        }
    }

    /// Tags what the monotone part of the criteria implies, if there is one.
    pub(super) fn tag_by_part(&mut self, index: u64, verdict: &Verdict) {
        if self.problem.case.criterion == Monotonicity::None {
            return;
        }
        if verdict.monotone_part_holds {
            self.tags.add_above(index, fact::PART_HOLDS);
        } else {
            self.tags.add_below(index, fact::PART_FAILS);
        }
    }

    /// Tags as if all criteria were monotone. Where they are, everything tagged is a fact; where they are not, specializations of
    /// a node that fails are passed over, and nothing is claimed of them.
    pub(super) fn tag_as_if_monotone(&mut self, index: u64, verdict: &Verdict) {
        if verdict.holds {
            self.tags.add_above(index, fact::PART_HOLDS);
            self.exclude_above(index, verdict);
        } else if !verdict.monotone_part_holds && self.problem.case.criterion != Monotonicity::None {
            self.tags.add_below(index, fact::PART_FAILS);
        } else {
            self.tags.add_below(index, fact::PASSED_OVER);
        }
    }

    /// Those nodes that have none of these facts, in the node order. Sorts lazily: only what is left.
    pub(super) fn without(&self, facts: u8, mut nodes: Vec<u64>) -> Vec<u64> {
        nodes.retain(|&node| !self.tags.has(node, facts));
        self.problem.order.sort(self.problem.lattice, &mut nodes);
        nodes
    }

    /// Whether the node's bound says that it cannot take the place of the best one so far.
    pub(super) fn is_pruned(&self, index: u64) -> bool {
        let node = self.problem.lattice.node(index);
        let bound = self.problem.checker.prior().lower_bound(&node);
        self.incumbent.prunes(self.problem.order, || node, bound)
    }

    /// Whether no open node can be better: no node is open, or its lower bound rules it out.
    pub(super) fn rest_is_pruned(&self) -> bool {
        let closed = fact::CHECKED | fact::PART_FAILS | fact::EXCLUDED;
        (0..self.nodes).all(|node| self.tags.has(node, closed) || self.is_pruned(node))
    }

    /// The account of a search that ended so.
    pub(super) fn conclude(self, end: Result<(), Halt>, proof: Proof) -> Result<SearchReport, SearchError> {
        let complete = match end {
            Ok(()) => true,
            Err(Halt::Stopped) => false,
            Err(Halt::Failed(error)) => return Err(error),
        };
        let case = self.problem.case;
        let mut states = self.tags.states(case.criterion == Monotonicity::Full);
        if complete && proof == Proof::Found {
            for state in states.iter_mut().filter(|state| **state == NodeState::Undecided) {
                *state = NodeState::CannotBeOptimal;
            }
        }
        let best = self.incumbent.into_best();
        Ok(SearchReport {
            bound: best.as_ref().filter(|_| complete && proof == Proof::Found).map(|best| best.loss),
            best,
            complete,
            optimal: complete && proof == Proof::Found && !self.problem.case_is_assumed,
            checks: self.checks,
            subset_tests: self.subset_tests,
            nodes: NodeCounts::of(&states),
            states,
        })
    }
}
