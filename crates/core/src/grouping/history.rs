//! Classes of nodes already grouped, kept for roll-up within a budget of bytes.

use super::Classes;
use crate::lattice::Node;
use std::sync::Arc;

/// Snapshots of classes; the least recently used ones go first.
#[derive(Debug)]
pub(super) struct History {
    budget: usize,
    bytes: usize,
    clock: u64,
    snapshots: Vec<(u64, Arc<Classes>)>,
}

/// Most snapshots. Every look-up reads them all. Measure a change with Flash, which uses snapshots most
/// (`k-anonymity` workload of `docs/guide/bench.md`).
const MOST_SNAPSHOTS: usize = 200;

impl History {
    pub(super) fn new(budget: usize) -> History {
        History { budget, bytes: 0, clock: 0, snapshots: Vec::new() }
    }

    /// The snapshot with the fewest classes whose node the given one generalizes.
    pub(super) fn best_for(&mut self, node: &Node) -> Option<Arc<Classes>> {
        self.clock += 1;
        let usable = self.snapshots.iter_mut().filter(|(_, classes)| node.generalizes(classes.node()));
        let (used, classes) = usable.min_by_key(|(_, classes)| classes.len())?;
        *used = self.clock;
        Some(Arc::clone(classes))
    }

    /// Keeps a snapshot if it fits.
    pub(super) fn offer(&mut self, classes: &Arc<Classes>) {
        let bytes = classes.bytes();
        if bytes > self.budget / 2 || self.snapshots.iter().any(|(_, known)| known.node() == classes.node()) {
            return;
        }
        while self.bytes + bytes > self.budget || self.snapshots.len() >= MOST_SNAPSHOTS {
            let Some(oldest) = (0..self.snapshots.len()).min_by_key(|&i| self.snapshots[i].0) else { break };
            self.bytes -= self.snapshots.swap_remove(oldest).1.bytes();
        }
        self.clock += 1;
        self.bytes += bytes;
        self.snapshots.push((self.clock, Arc::clone(classes)));
    }

    /// Memory held by snapshots, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
