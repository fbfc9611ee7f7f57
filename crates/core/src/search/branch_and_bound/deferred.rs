//! Nodes that their class sizes speak for, while the rest of the look at them is put off.
//!
//! Sizes cost a tally; sensitive values and the population cost many times that. Where nodes that pass the tally have turned out to hold, one that passes is
//! hoped to: what it would rule out is set aside, and only when nothing else is open it is looked at. So there are few long looks, at nodes with the least bounds. If it does not
//! hold, what was set aside is open again: deferred change the order of looks, never the result.

use super::super::Verdict;
use super::super::incumbent::Incumbent;
use super::open_set::OpenSet;
use crate::lattice::{Node, NodeOrder};

/// What is hoped for, and how well-founded that is.
#[derive(Default)]
pub(super) struct DeferredChecks {
    /// The best of the nodes that passed, by bound.
    best: Incumbent,
    set_aside: Vec<u32>,
    /// Nodes that were looked at and whose sizes passed, and how many of them held.
    passed: u64,
    held: u64,
    /// Whether one did not come true. Then there are no more: sizes do not tell enough.
    disabled: bool,
}

/// So many must have passed before there is defer, and so large a part of them must have held.
const LEAST_SIZES_PASSED: u64 = 4;
const LEAST_HELD: (u64, u64) = (3, 4);

impl DeferredChecks {
    /// Learns from a whole look.
    pub(super) fn learn(&mut self, verdict: &Verdict) {
        self.passed += u64::from(verdict.sizes_pass);
        self.held += u64::from(verdict.sizes_pass && verdict.holds);
    }

    /// Whether a node that passes will probably hold.
    pub(super) fn pays_off(&self) -> bool {
        !self.disabled
            && self.passed >= LEAST_SIZES_PASSED
            && self.held * LEAST_HELD.1 >= self.passed * LEAST_HELD.0
    }

    /// The node that is hoped to be the best.
    pub(super) fn best(&self) -> Option<&Node> {
        self.best.node()
    }

    /// No node that was set aside has a lower bound than this.
    pub(super) fn bound(&self) -> Option<f64> {
        self.best.loss()
    }

    /// How many nodes are set aside.
    pub(super) fn set_aside(&self) -> u64 {
        self.set_aside.len() as u64
    }

    /// DeferredChecks that a node holds, which then has this loss at least; sets aside what the best defer would rule out.
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

    /// The best defer was looked at: everything that was set aside is open again, unless it was decided meanwhile.
    pub(super) fn end(&mut self, open_set: &mut OpenSet<'_>, verdict: &Verdict) {
        self.best = Incumbent::default();
        self.disabled |= !verdict.holds;
        open_set.reopen(&std::mem::take(&mut self.set_aside));
    }
}
