//! The best node so far.

use super::Best;
use crate::lattice::{Node, NodeOrder};

/// Keeps the node with the least loss; ties go to the node order, whichever was met first.
#[derive(Debug, Default)]
pub(super) struct Incumbent {
    best: Option<Best>,
}

/// Losses closer than this, relatively, are equal: sums of doubles differ by that much.
const TOLERANCE: f64 = 1e-12;

impl Incumbent {
    /// Takes the node if it is better than the best so far.
    pub(super) fn offer(&mut self, order: &NodeOrder, node: &Node, loss: f64, suppressed_rows: u64) {
        let better = match &self.best {
            None => true,
            Some(best) => match compare(loss, best.loss) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => order.key(node) < order.key(&best.node),
                std::cmp::Ordering::Greater => false,
            },
        };
        if better {
            self.best = Some(Best { node: node.clone(), loss, suppressed_rows });
        }
    }

    /// Whether a node with at least this loss cannot take the place of the best one, not even in a tie.
    pub(super) fn prunes(&self, order: &NodeOrder, node: impl FnOnce() -> Node, bound: f64) -> bool {
        self.best.as_ref().is_some_and(|best| match compare(bound, best.loss) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => order.key(&node()) > order.key(&best.node),
            std::cmp::Ordering::Greater => true,
        })
    }

    pub(super) fn loss(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.loss)
    }

    pub(super) fn node(&self) -> Option<&Node> {
        self.best.as_ref().map(|best| &best.node)
    }

    pub(super) fn into_best(self) -> Option<Best> {
        self.best
    }
}

/// Compares losses with the relative tolerance of the metrics.
fn compare(a: f64, b: f64) -> std::cmp::Ordering {
    // An infinite bound says nothing and equals nothing.
    if a.is_finite() && b.is_finite() && (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()) {
        std::cmp::Ordering::Equal
    } else {
        a.total_cmp(&b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn losses_are_equal_up_to_rounding_and_unknown_bounds_below_all() {
        assert_eq!(compare(0.1 + 0.2, 0.3), Ordering::Equal);
        assert_eq!(compare(1.0, 1.000_001), Ordering::Less);
        assert_eq!(compare(f64::NEG_INFINITY, 5.0), Ordering::Less);
    }
}
