//! Flash: builds paths towards the top through nodes nothing is known about, bisects each path, and tags what a
//! verdict implies for other nodes.
//!
//! By case: 1 is the binary form; 2 to 4 add a second phase that looks at the nodes above the lowest one passing the monotone
//! part; 5 and 6, where no part is monotone, are that second phase alone, from the bottom.
//! Kohlmayer et al., "Flash: efficient, stable and optimal k-anonymity", PASSAT 2012; Kohlmayer 2015, chapter 3, with its
//! errata: the first path starts at the node itself, not at its successors.

use super::incumbent::Incumbent;
use super::tags::{Tags, fact};
use super::{Flow, NodeCounts, Problem, Progress, SearchError, SearchReport, Verdict};
use crate::criteria::Monotonicity;
use crate::lattice::OrderKey;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes this algorithm keeps track of.
const MOST_NODES: u64 = 1 << 26;

pub(super) fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    let nodes = problem.lattice.enumerable(MOST_NODES)?;
    let mut flash = Flash {
        problem,
        nodes,
        tags: Tags::new(problem.lattice, nodes),
        queue: BinaryHeap::new(),
        incumbent: Incumbent::default(),
        checks: 0,
        stopped: false,
    };
    match problem.case.criterion {
        Monotonicity::Full | Monotonicity::Partly => flash.walk_levels()?,
        Monotonicity::None => flash.expand(0)?,
    }
    let complete = !flash.stopped;
    let states = flash.tags.states(problem.case.criterion == Monotonicity::Full);
    let best = flash.incumbent.into_best();
    Ok(SearchReport {
        bound: best.as_ref().filter(|_| complete).map(|best| best.loss),
        best,
        complete,
        optimal: complete && !problem.case_is_assumed,
        checks: flash.checks,
        subset_tests: 0,
        nodes: NodeCounts::of(&states),
        states,
    })
}

struct Flash<'a> {
    problem: &'a Problem<'a>,
    nodes: u64,
    tags: Tags<'a>,
    /// Nodes that fail the monotone part and whose successors are to be looked at.
    queue: BinaryHeap<Reverse<(OrderKey, u64)>>,
    incumbent: Incumbent,
    checks: u64,
    stopped: bool,
}

/// Something is known about the monotone part of this node.
const TAGGED: u8 = fact::PART_HOLDS | fact::PART_FAILS;

impl Flash<'_> {
    fn walk_levels(&mut self) -> Result<(), SearchError> {
        for level in self.nodes_by_level() {
            for node in self.open_in_order(level) {
                if self.stopped {
                    return Ok(());
                }
                if !self.is_open(node) {
                    continue;
                }
                self.check_path(&self.find_path(node))?;
                while let Some(Reverse((_, failed))) = self.queue.pop() {
                    for next in self.open_in_order(self.problem.lattice.successors(failed).collect()) {
                        if !self.stopped && self.is_open(next) {
                            self.check_path(&self.find_path(next))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn nodes_by_level(&self) -> Vec<Vec<u64>> {
        let bottom = self.problem.lattice.bottom().height();
        let mut levels = vec![Vec::new(); self.problem.lattice.level_count() as usize];
        for node in 0..self.nodes {
            levels[(self.problem.lattice.node(node).height() - bottom) as usize].push(node);
        }
        levels
    }

    /// Nothing is known about the node.
    fn is_open(&self, node: u64) -> bool {
        !self.tags.has(node, TAGGED)
    }

    /// Sorts lazily: only what is still open.
    fn open_in_order(&self, mut nodes: Vec<u64>) -> Vec<u64> {
        nodes.retain(|&node| self.is_open(node));
        self.problem.order.sort(self.problem.lattice, &mut nodes);
        nodes
    }

    /// From a node upwards, always to the first successor that nothing is known about.
    fn find_path(&self, start: u64) -> Vec<u64> {
        let mut path = vec![start];
        let mut at = start;
        loop {
            let untagged = self.problem.lattice.successors(at).filter(|&node| self.is_open(node));
            let key = |node: &u64| self.problem.order.key(&self.problem.lattice.node(*node));
            match untagged.min_by_key(key) {
                Some(next) => path.push(next),
                None => return path,
            }
            at = path[path.len() - 1];
        }
    }

    /// Bisects a path for its lowest node that passes the monotone part.
    fn check_path(&mut self, path: &[u64]) -> Result<(), SearchError> {
        let (mut low, mut high) = (0, path.len());
        let mut lowest = None;
        while low < high && !self.stopped {
            let middle = (low + high - 1) / 2;
            let node = path[middle];
            if self.check(node)?.monotone_part_holds {
                self.tags.add_above(node, fact::PART_HOLDS);
                lowest = Some(node);
                high = middle;
            } else {
                self.tags.add_below(node, fact::PART_FAILS);
                let key = self.problem.order.key(&self.problem.lattice.node(node));
                self.queue.push(Reverse((key, node)));
                low = middle + 1;
            }
        }
        match lowest {
            Some(node) if self.problem.case.number() != 1 => self.expand(node),
            _ => Ok(()),
        }
    }

    /// Checks a node and everything above it that is neither checked nor excluded, depth first.
    fn expand(&mut self, start: u64) -> Result<(), SearchError> {
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if self.stopped {
                return Ok(());
            }
            if self.tags.has(node, fact::EXPANDED) {
                continue;
            }
            self.tags.add(node, fact::EXPANDED);
            if !self.tags.has(node, fact::CHECKED | fact::EXCLUDED) {
                self.check(node)?;
            }
            // Everything above an excluded node is excluded, too.
            if self.tags.has(node, fact::EXCLUDED) {
                continue;
            }
            let mut above: Vec<u64> = self.problem.lattice.successors(node).collect();
            above.retain(|&next| !self.tags.has(next, fact::EXPANDED | fact::EXCLUDED));
            self.problem.order.sort(self.problem.lattice, &mut above);
            stack.extend(above.into_iter().rev());
        }
        Ok(())
    }

    fn check(&mut self, index: u64) -> Result<Verdict, SearchError> {
        self.checks += 1;
        let node = self.problem.lattice.node(index);
        let verdict = self.problem.checker.check(&node)?;
        self.tags.add(index, fact::CHECKED | if verdict.holds { fact::HOLDS } else { fact::FAILS });
        if verdict.holds {
            self.incumbent.offer(self.problem.order, &node, &verdict);
            if self.problem.case.monotone_metric {
                self.tags.add_above(index, fact::EXCLUDED);
            }
        }
        let progress = Progress {
            checks: self.checks,
            decided: self.tags.decided(),
            nodes: u128::from(self.nodes),
            best_loss: self.incumbent.loss(),
            bound: None,
        };
        self.stopped |= self.problem.observer.after_check(&progress) == Flow::Stop;
        Ok(verdict)
    }
}
