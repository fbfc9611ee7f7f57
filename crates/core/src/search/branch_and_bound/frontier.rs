//! Branch and bound from a queue, for lattices with too many nodes for an open set.
//!
//! Nodes leave the queue by their lower bound, the least first, starting at the bottom. Every undecided node is above one in the queue, so the
//! least bound in the queue is a lower bound of them all. A node below a refuted one is not checked: what lies above it and is not refuted
//! has some column above the refuted node's level, and the least such nodes take its place in the queue. A check that refutes is
//! followed by checks further up, column by column, as far as the refutation carries: the higher a refuted node, the more it
//! refutes. Before all that a descent finds an anonymous node from which no single step down is anonymous, so that a search
//! which is stopped early has an incumbent.

use super::super::incumbent::Incumbent;
use super::super::{Depth, Flow, NodeCounts, Problem, Progress, SearchError, SearchReport, Verdict};
use crate::lattice::{Lattice, Node, OrderKey};
use hashbrown::HashSet;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Most nodes in the queue. When there are more, the search ends with its incumbent. A limit of memory; no benchmark case reaches it.
const MOST_QUEUED: usize = 1 << 21;
/// Nodes decided without a check between two reports to the observer. A limit of latency, not tuned.
const SILENT_DECISIONS: u64 = 256;

pub(super) fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    let mut search = Search {
        problem,
        queue: BinaryHeap::new(),
        known: HashSet::new(),
        refuted: Vec::new(),
        anonymous: Vec::new(),
        incumbent: Incumbent::default(),
        bound: None,
        checks: 0,
        failures: 0,
        end: None,
    };
    search.descend()?;
    search.prove()?;
    Ok(search.report())
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    queue: BinaryHeap<Entry>,
    /// Every node that is or was in the queue.
    known: HashSet<Node>,
    /// Nodes that fail with everything below them.
    refuted: Vec<Node>,
    /// Anonymous nodes, where nothing above them can be better.
    anonymous: Vec<Node>,
    incumbent: Incumbent,
    bound: Option<f64>,
    checks: u64,
    failures: u64,
    end: Option<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Every node is decided.
    Proven,
    /// The observer stopped it, or the queue was full.
    Stopped,
}

/// A node in the queue; the one with the least bound is the greatest.
struct Entry {
    bound: f64,
    key: OrderKey,
    node: Node,
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        other.bound.total_cmp(&self.bound).then_with(|| other.key.cmp(&self.key))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl Search<'_> {
    fn lattice(&self) -> &Lattice {
        self.problem.lattice
    }

    /// A first solution: down a path from the top as far as the criteria hold, then step by step wherever they still do.
    fn descend(&mut self) -> Result<(), SearchError> {
        let path = self.path_down();
        // path[low] holds or is the top; path[high] fails or is past the end.
        let (mut low, mut high) = (0, path.len());
        if !self.check(&path[0])?.holds {
            return Ok(());
        }
        while high - low > 1 && self.end.is_none() {
            let middle = (low + high) / 2;
            if self.check(&path[middle])?.holds { low = middle } else { high = middle }
        }
        let mut at = path[low].clone();
        while let Some(next) = self.step_down(&at)? {
            at = next;
        }
        Ok(())
    }

    /// The nodes from the top to the bottom, always the step that lowers the loss most.
    fn path_down(&self) -> Vec<Node> {
        let mut path = vec![self.lattice().top()];
        while let Some(next) = self.below(&path[path.len() - 1]).into_iter().next() {
            path.push(next);
        }
        path
    }

    /// The direct specializations of a node, those with the least bounds first.
    fn below(&self, node: &Node) -> Vec<Node> {
        let lowest = self.lattice().lowest();
        let columns = (0..lowest.len()).filter(|&column| node.levels()[column] > lowest[column]);
        let mut below: Vec<Node> =
            columns.map(|column| node.with_level(column, node.levels()[column] - 1)).collect();
        below.sort_by(|a, b| {
            let bound = |node: &Node| self.problem.checker.prior().lower_bound(node);
            bound(a)
                .total_cmp(&bound(b))
                .then_with(|| self.problem.order.key(a).cmp(&self.problem.order.key(b)))
        });
        below
    }

    /// The best direct specialization that still holds.
    fn step_down(&mut self, node: &Node) -> Result<Option<Node>, SearchError> {
        for next in self.below(node) {
            if self.end.is_some() {
                break;
            }
            if !self.is_refuted(&next) && self.check(&next)?.holds {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Decides nodes by ascending bound until none is left that could be better.
    fn prove(&mut self) -> Result<(), SearchError> {
        self.enqueue(self.lattice().bottom());
        let mut decided = 0u64;
        while self.end.is_none() {
            let Some(Entry { bound, node, .. }) = self.queue.pop() else {
                self.end = Some(End::Proven);
                break;
            };
            if self.problem.checker.prior().bounds_grow() {
                if self.incumbent.loss().is_some_and(|best| best < bound)
                    && self.incumbent.prunes(self.problem.order, || node.clone(), bound)
                {
                    self.end = Some(End::Proven);
                    break;
                }
                self.bound = Some(bound);
            }
            self.decide(&node, bound)?;
            decided += 1;
            if decided.is_multiple_of(SILENT_DECISIONS) {
                self.report_progress();
            }
            if self.queue.len() > MOST_QUEUED {
                self.end = Some(End::Stopped);
            }
        }
        Ok(())
    }

    fn decide(&mut self, node: &Node, bound: f64) -> Result<(), SearchError> {
        // Nothing above an anonymous node is better; it need not even be refuted.
        if self.anonymous.iter().any(|below| node.generalizes(below)) {
            return Ok(());
        }
        if let Some(refuted) = self.narrowest_refutation(node) {
            self.step_over(node, &refuted);
            return Ok(());
        }
        let pruned = self.incumbent.prunes(self.problem.order, || node.clone(), bound);
        if pruned && self.problem.checker.prior().bounds_grow() {
            return Ok(());
        }
        if !pruned {
            let verdict = self.check(node)?;
            if let Some(refuted) = &verdict.refuted {
                let raised = self.raise(refuted)?;
                self.step_over(node, &raised);
                return Ok(());
            }
            if verdict.holds && self.problem.case.monotone_metric {
                return Ok(());
            }
        }
        self.step_over(node, node);
        Ok(())
    }

    /// Puts the least nodes above `node` that are not below `refuted` into the queue.
    fn step_over(&mut self, node: &Node, refuted: &Node) {
        for column in 0..self.lattice().dimensions() {
            let level = refuted.levels()[column];
            if level < self.lattice().highest()[column] {
                self.enqueue(node.with_level(column, level + 1));
            }
        }
    }

    fn enqueue(&mut self, node: Node) {
        if self.known.insert(node.clone()) {
            let (bound, key) =
                (self.problem.checker.prior().lower_bound(&node), self.problem.order.key(&node));
            self.queue.push(Entry { bound, key, node });
        }
    }

    fn is_refuted(&self, node: &Node) -> bool {
        self.refuted.iter().any(|refuted| refuted.generalizes(node))
    }

    /// Of the refuted nodes above a node, the one that leaves the fewest columns to climb.
    fn narrowest_refutation(&self, node: &Node) -> Option<Node> {
        let highest = self.lattice().highest();
        let ways_out = |refuted: &Node| {
            refuted.levels().iter().zip(highest).filter(|(level, high)| level < high).count()
        };
        let refuting = self.refuted.iter().filter(|refuted| refuted.generalizes(node));
        refuting.min_by_key(|refuted| ways_out(refuted)).cloned()
    }

    /// Raises a refuted node towards the top as far as it stays refuted. Columns with least information go first.
    fn raise(&mut self, refuted: &Node) -> Result<Node, SearchError> {
        let (highest, checker) = (self.lattice().highest().to_vec(), self.problem.checker);
        let start = self.lattice().capped(refuted);
        let kept = |column: usize| {
            checker.prior().information(column, start.levels()[column])
                - checker.prior().information(column, highest[column])
        };
        let mut columns: Vec<usize> = (0..highest.len()).collect();
        columns.sort_by(|&a, &b| kept(a).total_cmp(&kept(b)).then(a.cmp(&b)));
        let mut path = vec![start];
        for column in columns {
            while path[path.len() - 1].levels()[column] < highest[column] {
                let last = &path[path.len() - 1];
                path.push(last.with_level(column, last.levels()[column] + 1));
            }
        }
        let (mut low, mut high) = (0, path.len());
        let mut raised = path[0].clone();
        while high - low > 1 && self.end.is_none() {
            let middle = (low + high) / 2;
            match self.check(&path[middle])?.refuted {
                Some(above) => {
                    low = middle;
                    raised = above;
                }
                None => high = middle,
            }
        }
        Ok(self.lattice().capped(&raised))
    }

    fn check(&mut self, node: &Node) -> Result<Verdict, SearchError> {
        let verdict = self.problem.checker.check(node, Depth::UntilRefuted)?;
        self.checks += 1;
        self.failures += u64::from(!verdict.holds);
        if let Some(refuted) = &verdict.refuted
            && !self.is_refuted(refuted)
        {
            self.refuted.retain(|known| !refuted.generalizes(known));
            self.refuted.push(refuted.clone());
        }
        if verdict.holds {
            self.incumbent.offer(self.problem.order, node, verdict.loss, verdict.suppressed_rows);
            if self.problem.case.monotone_metric
                && !self.anonymous.iter().any(|below| node.generalizes(below))
            {
                self.anonymous.retain(|above| !above.generalizes(node));
                self.anonymous.push(node.clone());
            }
        }
        self.report_progress();
        Ok(verdict)
    }

    /// Reports how far the search has come. The observer may stop it.
    fn report_progress(&mut self) {
        let progress = Progress {
            checks: self.checks,
            decided: self.checks,
            nodes: self.lattice().node_count(),
            best_loss: self.incumbent.loss(),
            bound: self.bound,
        };
        if self.problem.observer.after_check(&progress) == Flow::Stop {
            self.end = Some(End::Stopped);
        }
    }

    fn report(self) -> SearchReport {
        let complete = self.end == Some(End::Proven);
        let total = u64::try_from(self.lattice().node_count()).unwrap_or(u64::MAX);
        let rest = total.saturating_sub(self.checks);
        let bound = if complete { self.incumbent.loss() } else { self.bound };
        SearchReport {
            best: self.incumbent.into_best(),
            complete,
            optimal: complete && !self.problem.case_is_assumed,
            bound,
            checks: self.checks,
            subset_tests: 0,
            nodes: NodeCounts {
                total,
                anonymous: self.checks - self.failures,
                not_anonymous: self.failures,
                cannot_be_optimal: if complete { rest } else { 0 },
                undecided: if complete { 0 } else { rest },
            },
            states: Vec::new(),
        }
    }
}
