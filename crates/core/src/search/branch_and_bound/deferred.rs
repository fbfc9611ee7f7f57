//! Deferred checks: nodes that pass by class sizes, while the rest of their check waits.
//!
//! Class sizes cost a tally; sensitive values and the population cost many times that. Where nodes that pass by sizes have mostly turned out to
//! hold, the rest of a check is deferred. The deferred node with the least bound acts as an incumbent: what it would prune is set
//! aside. It is checked when nothing else is open. If it fails, what was set aside is open again. So deferring changes the order of
//! checks, never the result.

use super::super::Verdict;
use super::super::incumbent::Incumbent;
use super::open_set::OpenSet;
use crate::lattice::{Node, NodeOrder};

/// The deferred checks, and whether deferring pays off.
#[derive(Default)]
pub(super) struct DeferredChecks {
    /// The deferred node with the least bound.
    best: Incumbent,
    set_aside: Vec<u32>,
    /// Nodes that passed by sizes and were checked, and how many of them held.
    passed: u64,
    held: u64,
    /// Whether a deferred node failed. Then no more checks are deferred: sizes do not say enough.
    disabled: bool,
}

/// Nodes that must have passed before checks are deferred, and the share of them that must have held. From the cases with
/// diversity and δ-presence of the `baseline` workload of `docs/guide/bench.md`.
const LEAST_SIZES_PASSED: u64 = 4;
const LEAST_HELD: (u64, u64) = (3, 4);

impl DeferredChecks {
    /// Learns from a complete check.
    pub(super) fn learn(&mut self, verdict: &Verdict) {
        self.passed += u64::from(verdict.sizes_pass);
        self.held += u64::from(verdict.sizes_pass && verdict.holds);
    }

    /// Whether a node that passes by sizes will probably hold.
    pub(super) fn pays_off(&self) -> bool {
        !self.disabled
            && self.passed >= LEAST_SIZES_PASSED
            && self.held * LEAST_HELD.1 >= self.passed * LEAST_HELD.0
    }

    /// The deferred node with the least bound.
    pub(super) fn best(&self) -> Option<&Node> {
        self.best.node()
    }

    /// Lower bound of the losses of the nodes set aside.
    pub(super) fn bound(&self) -> Option<f64> {
        self.best.loss()
    }

    /// How many nodes are set aside.
    pub(super) fn set_aside(&self) -> u64 {
        self.set_aside.len() as u64
    }

    /// Defers the rest of a node's check; sets aside what the node would prune if it holds with this loss.
    pub(super) fn add(&mut self, open_set: &mut OpenSet<'_>, order: &NodeOrder, node: &Node, bound: f64) {
        self.best.offer(order, node, bound, 0);
        let best = &self.best;
        let of_the_best = |index: usize| best.node().is_some_and(|node| open_set.index(node) == index);
        let aside = |open_set: &OpenSet<'_>, index: usize| {
            of_the_best(index) || best.prunes(order, || open_set.node(index), open_set.bounds()[index])
        };
        let more: Vec<u32> =
            open_set.open_nodes().filter(|&index| aside(open_set, index)).map(|index| index as u32).collect();
        more.iter().for_each(|&index| open_set.set_aside(index as usize));
        self.set_aside.extend(more);
    }

    /// The deferred node was checked: everything set aside is open again, unless it was decided meanwhile.
    pub(super) fn end(&mut self, open_set: &mut OpenSet<'_>, verdict: &Verdict) {
        self.best = Incumbent::default();
        self.disabled |= !verdict.holds;
        open_set.reopen(&std::mem::take(&mut self.set_aside));
    }
}
