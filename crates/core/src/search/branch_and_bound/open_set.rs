//! The open set of a lattice whose nodes can be enumerated: bounds and facts of every node, and which nodes are open.

use super::super::incumbent::Incumbent;
use super::super::{NodeState, Problem};
use crate::lattice::{Lattice, Node};

/// Facts about a node.
mod fact {
    /// Checked.
    pub(super) const CHECKED: u8 = 1;
    /// Fails, and so does everything below it.
    pub(super) const REFUTED: u8 = 2;
    /// Checked, and all criteria hold.
    pub(super) const HOLDS: u8 = 4;
    /// Not better than an anonymous node below it, the metric being monotone.
    pub(super) const DOMINATED: u8 = 8;
    /// A specialization did not refute what is below it, hence neither does this node.
    pub(super) const REFUTES_NOTHING: u8 = 16;
    /// Passed by class sizes.
    pub(super) const SIZES_PASS: u8 = 32;
}

/// All nodes with their loss bounds, facts, and which of them are open.
pub(super) struct OpenSet<'a> {
    lattice: &'a Lattice,
    bounds: Vec<f64>,
    facts: Vec<u8>,
    /// 1 for open nodes, 0 for the others: summed up in every round.
    open: Vec<u32>,
    /// Open nodes among the node and its specializations, as of the last [`OpenSet::count`].
    below: Vec<u32>,
    /// Open nodes among the node and its generalizations; empty where verdicts do not bound the losses above.
    above: Vec<u32>,
    /// The nodes whose check can close any node, as of the last [`OpenSet::count`]: soon a small part of all.
    worth_a_check: Vec<u32>,
    left: u64,
    /// The open node with the least bound, if it was asked for and is still open.
    least: Option<usize>,
}

impl<'a> OpenSet<'a> {
    pub(super) fn new(problem: &Problem<'a>, nodes: u64) -> OpenSet<'a> {
        let count = nodes as usize;
        OpenSet {
            lattice: problem.lattice,
            bounds: problem.checker.prior().lower_bounds(problem.lattice),
            facts: vec![0; count],
            open: vec![1; count],
            below: vec![0; count],
            above: if problem.checker.prior().verdicts_bound_above() { vec![0; count] } else { Vec::new() },
            // An open set has far fewer than 2³² nodes.
            worth_a_check: (0..count as u32).collect(),
            left: nodes,
            least: None,
        }
    }

    /// Open nodes.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn bounds(&self) -> &[f64] {
        &self.bounds
    }

    pub(super) fn is_open(&self, index: usize) -> bool {
        self.open[index] == 1
    }

    /// The open nodes, in order.
    pub(super) fn open_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.open.len()).filter(|&index| self.open[index] == 1)
    }

    /// The nodes whose check can close any node, as of the last [`OpenSet::count`], in order.
    pub(super) fn worth_a_check(&self) -> &[u32] {
        &self.worth_a_check
    }

    /// The least bound of an open node: no better loss can be found.
    pub(super) fn least_bound(&mut self) -> Option<f64> {
        self.least().map(|least| self.bounds[least])
    }

    /// The open node with the least bound, the first of several.
    pub(super) fn least(&mut self) -> Option<usize> {
        // It stays the least until it is closed or others are reopened.
        if self.least.is_none_or(|least| self.open[least] == 0) {
            let known = self.worth_a_check.iter().map(|&index| index as usize);
            let open = known.filter(|&index| self.open[index] == 1);
            self.least = open.reduce(|a, b| if self.bounds[b] < self.bounds[a] { b } else { a });
        }
        self.least
    }

    /// Counts the open nodes below each node, and finds the nodes that are worth a check.
    pub(super) fn count(&mut self) {
        self.below.copy_from_slice(&self.open);
        self.lattice.add_up_below(&mut self.below, |sum, below| sum + below);
        if !self.above.is_empty() {
            self.above.copy_from_slice(&self.open);
            self.lattice.add_up_above(&mut self.above, |sum, above| sum + above);
        }
        // A node that is not worth a check never is again, unless nodes are reopened.
        let mut worth_a_check = std::mem::take(&mut self.worth_a_check);
        worth_a_check.retain(|&index| {
            let index = index as usize;
            (self.below(index) > 0 || self.above(index) > 0) && self.is_worth_a_check(index)
        });
        self.worth_a_check = worth_a_check;
    }

    /// Whether a check of the node may still close any node.
    pub(super) fn is_worth_a_check(&self, index: usize) -> bool {
        self.open[index] == 1 || self.may_refute(index) || self.above(index) > 0
    }

    /// Whether a check of the node may refute what is below it.
    pub(super) fn may_refute(&self, index: usize) -> bool {
        self.facts[index] & (fact::CHECKED | fact::REFUTED | fact::REFUTES_NOTHING) == 0
    }

    /// Open nodes among a node and its specializations, as of the last [`OpenSet::count`].
    pub(super) fn below(&self, index: usize) -> u32 {
        self.below[index]
    }

    /// Open nodes among a node and its generalizations that a verdict on it may bound, as of the last [`OpenSet::count`].
    pub(super) fn above(&self, index: usize) -> u32 {
        match self.above.get(index) {
            Some(&above) if self.facts[index] & fact::CHECKED == 0 => above,
            _ => 0,
        }
    }

    pub(super) fn node(&self, index: usize) -> Node {
        self.lattice.node(index as u64)
    }

    pub(super) fn index(&self, node: &Node) -> usize {
        self.lattice.index(node) as usize
    }

    /// What each column adds to the index of a node.
    pub(super) fn places(&self, node: &Node) -> Vec<u32> {
        let strides = self.lattice.strides().iter().zip(self.lattice.lowest());
        let place = |(level, (&stride, low)): (&u8, (&u64, &u8))| u32::from(level - low) * stride as u32;
        node.levels().iter().zip(strides).map(place).collect()
    }

    fn close(&mut self, index: usize) {
        self.left -= u64::from(self.open[index]);
        self.open[index] = 0;
    }

    /// Closes the node until it is [reopened](Self::reopen).
    pub(super) fn set_aside(&mut self, index: usize) {
        self.close(index);
    }

    /// Opens these nodes again, but for those that were decided meanwhile.
    pub(super) fn reopen(&mut self, nodes: &[u32]) {
        const DECIDED: u8 = fact::CHECKED | fact::REFUTED | fact::DOMINATED;
        for index in nodes.iter().map(|&index| index as usize) {
            if self.facts[index] & DECIDED == 0 {
                self.left += u64::from(1 - self.open[index]);
                self.open[index] = 1;
            }
        }
        // Nodes that were not worth a check may be again.
        self.worth_a_check = (0..self.open.len() as u32).collect();
        self.least = None;
    }

    /// The node was checked.
    pub(super) fn checked(&mut self, index: usize, holds: bool) {
        self.facts[index] |= fact::CHECKED | if holds { fact::HOLDS } else { 0 };
        self.close(index);
    }

    /// The node passed by class sizes; says whether that is new.
    pub(super) fn passed(&mut self, index: usize) -> bool {
        let is_news = !self.has_passed(index);
        self.facts[index] |= fact::SIZES_PASS;
        is_news
    }

    /// Whether the node passed by class sizes.
    pub(super) fn has_passed(&self, index: usize) -> bool {
        self.facts[index] & fact::SIZES_PASS != 0
    }

    /// Refutation: the node, which may lie above the lattice, and everything below it fails. The proof is beside
    /// [`Verdict::refuted`](super::super::Verdict::refuted).
    pub(super) fn refute(&mut self, node: &Node) {
        let lowest = Node::new(self.lattice.lowest());
        let highest = self.lattice.capped(node);
        self.for_each_between(&lowest, &highest, |open_set, index| {
            open_set.facts[index] |= fact::REFUTED;
            open_set.close(index);
        });
    }

    /// These nodes fail, by index, and with each everything below it.
    pub(super) fn refute_all(&mut self, fails: &[bool]) {
        for (index, _) in fails.iter().enumerate().filter(|&(_, &fails)| fails) {
            self.facts[index] |= fact::REFUTED;
            self.close(index);
        }
    }

    /// Checks of the node and above it refute nothing.
    pub(super) fn refutes_nothing(&mut self, node: &Node) {
        let highest = Node::new(self.lattice.highest());
        self.for_each_between(node, &highest, |open_set, index| {
            open_set.facts[index] |= fact::REFUTES_NOTHING
        });
    }

    /// Dominance: closes the node and everything above it.
    ///
    /// Proof: the node is anonymous and the metric monotone, so no generalization loses less; ties go to the node, which comes first in
    /// the node order because it is lower.
    pub(super) fn dominate(&mut self, node: &Node) {
        let highest = Node::new(self.lattice.highest());
        self.for_each_between(node, &highest, |open_set, index| {
            open_set.facts[index] |= fact::DOMINATED;
            open_set.close(index);
        });
    }

    /// The node and everything above it has at least this bound.
    pub(super) fn raise(&mut self, node: &Node, bound: f64) {
        let highest = Node::new(self.lattice.highest());
        self.least = None;
        self.for_each_between(node, &highest, |open_set, index| {
            open_set.bounds[index] = open_set.bounds[index].max(bound);
        });
    }

    /// The node and everything below it has at least this bound.
    pub(super) fn raise_below(&mut self, node: &Node, bound: f64) {
        let lowest = Node::new(self.lattice.lowest());
        self.least = None;
        self.for_each_between(&lowest, node, |open_set, index| {
            open_set.bounds[index] = open_set.bounds[index].max(bound);
        });
    }

    /// Bounding: closes all open nodes that the incumbent prunes.
    ///
    /// Proof: the loss of such a node is at least its bound, which exceeds the incumbent's loss, or equals it while the incumbent comes first
    /// in the node order. [`Prior::lower_bound`](super::super::Prior::lower_bound) and the `lower_bound_*` of verdicts never exceed a loss.
    pub(super) fn prune(&mut self, incumbent: &Incumbent, problem: &Problem<'_>) {
        for index in 0..self.open.len() {
            if self.open[index] == 1 {
                let node = || self.lattice.node(index as u64);
                if incumbent.prunes(problem.order, node, self.bounds[index]) {
                    self.close(index);
                }
            }
        }
    }

    /// Every node of the box between two nodes, in the order of the index.
    fn for_each_between(&mut self, low: &Node, high: &Node, mut visit: impl FnMut(&mut OpenSet<'_>, usize)) {
        let strides = self.lattice.strides();
        let spans: Vec<(usize, u8)> = (0..self.lattice.dimensions())
            .map(|column| (strides[column] as usize, high.levels()[column] - low.levels()[column]))
            .filter(|&(_, span)| span > 0)
            .collect();
        let mut digits = vec![0u8; spans.len()];
        let mut at = self.lattice.index(low) as usize;
        loop {
            visit(self, at);
            // The next node: an odometer over the columns that differ.
            let mut place = spans.len();
            loop {
                if place == 0 {
                    return;
                }
                place -= 1;
                let (stride, span) = spans[place];
                if digits[place] < span {
                    digits[place] += 1;
                    at += stride;
                    break;
                }
                at -= usize::from(span) * stride;
                digits[place] = 0;
            }
        }
    }

    /// What the facts amount to. `complete`: what is not decided cannot be optimal.
    pub(super) fn states(&self, complete: bool) -> Vec<NodeState> {
        let state = |(&facts, &open): (&u8, &u32)| {
            if facts & fact::HOLDS != 0 {
                NodeState::Anonymous
            } else if facts & (fact::CHECKED | fact::REFUTED) != 0 {
                NodeState::NotAnonymous
            } else if complete || open == 0 {
                NodeState::CannotBeOptimal
            } else {
                NodeState::Undecided
            }
        };
        self.facts.iter().zip(&self.open).map(state).collect()
    }
}
