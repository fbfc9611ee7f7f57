//! What the search knows about each node.

use crate::lattice::Lattice;
use crate::search::NodeState;

/// One byte of facts per node.
///
/// The *part* is the monotone part of the criteria; with fully monotone criteria it is all of them.
#[derive(Debug)]
pub(super) struct Tags<'a> {
    lattice: &'a Lattice,
    facts: Vec<u8>,
    stack: Vec<u64>,
    decided: u64,
}

/// Facts about a node.
pub(super) mod fact {
    /// The node itself was checked.
    pub(in crate::search) const CHECKED: u8 = 1;
    /// The monotone part of the criteria holds.
    pub(in crate::search) const PART_HOLDS: u8 = 2;
    /// The monotone part fails, hence all criteria.
    pub(in crate::search) const PART_FAILS: u8 = 4;
    /// All criteria hold.
    pub(in crate::search) const HOLDS: u8 = 8;
    /// Checked, and some criterion fails.
    pub(in crate::search) const FAILS: u8 = 16;
    /// A specialization is anonymous and the metric monotone: this node cannot be better.
    pub(in crate::search) const EXCLUDED: u8 = 32;
    /// The second phase went through this node.
    pub(in crate::search) const EXPANDED: u8 = 64;
    /// Left out by an algorithm that takes criteria for monotone which are not: nothing is known.
    pub(in crate::search) const PASSED_OVER: u8 = 128;
}

impl<'a> Tags<'a> {
    /// Nothing is known yet. `nodes` is the size of the lattice.
    pub(super) fn new(lattice: &'a Lattice, nodes: u64) -> Tags<'a> {
        Tags { lattice, facts: vec![0; nodes as usize], stack: Vec::new(), decided: 0 }
    }

    pub(super) fn has(&self, node: u64, fact: u8) -> bool {
        self.facts[node as usize] & fact != 0
    }

    /// Adds facts to one node.
    pub(super) fn add(&mut self, node: u64, fact: u8) {
        let facts = &mut self.facts[node as usize];
        if *facts & !fact::EXPANDED == 0 && fact & !fact::EXPANDED != 0 {
            self.decided += 1;
        }
        *facts |= fact;
    }

    /// Adds a fact to a node and all its generalizations. Stops at nodes that have it: so have those above.
    pub(super) fn add_above(&mut self, node: u64, fact: u8) {
        self.spread(node, fact, |lattice, at, stack| stack.extend(lattice.successors(at)));
    }

    /// Adds a fact to a node and all its specializations.
    pub(super) fn add_below(&mut self, node: u64, fact: u8) {
        self.spread(node, fact, |lattice, at, stack| stack.extend(lattice.predecessors(at)));
    }

    fn spread(&mut self, node: u64, fact: u8, neighbours: fn(&Lattice, u64, &mut Vec<u64>)) {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(node);
        while let Some(at) = stack.pop() {
            if !self.has(at, fact) {
                self.add(at, fact);
                neighbours(self.lattice, at, &mut stack);
            }
        }
        self.stack = stack;
    }

    /// How many nodes something is known about.
    pub(super) fn decided(&self) -> u64 {
        self.decided
    }

    /// What the facts amount to. `part_is_all`: the monotone part is the whole conjunction.
    pub(super) fn states(&self, part_is_all: bool) -> Vec<NodeState> {
        let state = |&facts: &u8| {
            // What a check found goes before what follows from others.
            if facts & fact::HOLDS != 0 {
                NodeState::Anonymous
            } else if facts & (fact::FAILS | fact::PART_FAILS) != 0 {
                NodeState::NotAnonymous
            } else if part_is_all && facts & fact::PART_HOLDS != 0 {
                NodeState::Anonymous
            } else if facts & fact::EXCLUDED != 0 {
                NodeState::CannotBeOptimal
            } else {
                NodeState::Undecided
            }
        };
        self.facts.iter().map(state).collect()
    }
}
