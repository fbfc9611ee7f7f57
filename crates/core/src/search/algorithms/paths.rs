//! The walk that the forms of Flash share: paths towards the top through nodes nothing is known about, each bisected for its
//! lowest node that passes the monotone part of the criteria; then paths from the successors of nodes that fail it.

use super::ascent::ascend;
use super::survey::{Halt, Survey};
use super::tags::fact;
use crate::lattice::OrderKey;
use crate::search::Verdict;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What follows the bisection of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phases {
    /// Nothing: what lies above the lowest node cannot be better.
    One,
    /// A look at the nodes above the lowest one.
    Two,
}

/// Something is known about the monotone part of this node.
pub(super) const TAGGED: u8 = fact::PART_HOLDS | fact::PART_FAILS;

/// From a node upwards, always to the first successor in the node order that is open.
pub(super) fn find_path(survey: &Survey<'_>, start: u64, is_open: impl Fn(u64) -> bool) -> Vec<u64> {
    let problem = survey.problem;
    let mut path = vec![start];
    let mut at = start;
    loop {
        let open = problem.lattice.successors(at).filter(|&node| is_open(node));
        match open.min_by_key(|&node| problem.order.key(&problem.lattice.node(node))) {
            Some(next) => path.push(next),
            None => return path,
        }
        at = path[path.len() - 1];
    }
}

/// One walk over the lattice.
pub(super) struct Walk<'s, 'a> {
    survey: &'s mut Survey<'a>,
    phases: Phases,
    /// Nodes that fail the monotone part and whose successors are to be looked at.
    queue: BinaryHeap<Reverse<(OrderKey, u64)>>,
}

impl<'s, 'a> Walk<'s, 'a> {
    pub(super) fn new(survey: &'s mut Survey<'a>, phases: Phases) -> Walk<'s, 'a> {
        Walk { survey, phases, queue: BinaryHeap::new() }
    }

    /// Starts a path at every open node, level by level from the bottom.
    pub(super) fn levels(&mut self) -> Result<(), Halt> {
        let lattice = self.survey.problem.lattice;
        for level in 0..lattice.level_count() {
            for node in self.open_in_order(lattice.level(level)) {
                if self.is_open(node) {
                    self.check_path(node)?;
                }
                while let Some(Reverse((_, failed))) = self.queue.pop() {
                    for next in self.open_in_order(lattice.successors(failed).collect()) {
                        if self.is_open(next) {
                            self.check_path(next)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks a node and everything above it that is neither checked nor ruled out, depth first.
    pub(super) fn second_phase(&mut self, start: u64) -> Result<(), Halt> {
        ascend(self.survey, start, |survey, node| {
            let verdict = survey.check(node)?;
            survey.exclude_above(node, &verdict);
            Ok(())
        })
    }

    /// Nothing is known about the node.
    fn is_open(&self, node: u64) -> bool {
        !self.survey.tags.has(node, TAGGED)
    }

    /// Sorts lazily: only what is still open.
    fn open_in_order(&self, mut nodes: Vec<u64>) -> Vec<u64> {
        nodes.retain(|&node| self.is_open(node));
        self.survey.problem.order.sort(self.survey.problem.lattice, &mut nodes);
        nodes
    }

    /// Bisects the path from a node for its lowest node that passes the monotone part.
    fn check_path(&mut self, start: u64) -> Result<(), Halt> {
        let path = find_path(self.survey, start, |node| self.is_open(node));
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high - 1) / 2;
            let node = path[middle];
            if self.check(node)?.monotone_part_holds {
                self.survey.tags.add_above(node, fact::PART_HOLDS);
                high = middle;
            } else {
                self.survey.tags.add_below(node, fact::PART_FAILS);
                let key = self.survey.problem.order.key(&self.survey.problem.lattice.node(node));
                self.queue.push(Reverse((key, node)));
                low = middle + 1;
            }
        }
        match (self.phases, path.get(high)) {
            (Phases::Two, Some(&lowest)) => self.second_phase(lowest),
            _ => Ok(()),
        }
    }

    fn check(&mut self, node: u64) -> Result<Verdict, Halt> {
        let verdict = self.survey.check(node)?;
        self.survey.exclude_above(node, &verdict);
        Ok(verdict)
    }
}
