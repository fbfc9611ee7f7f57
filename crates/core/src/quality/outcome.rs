//! What a metric is told about a node.

use crate::lattice::Node;

/// A node and what became of its classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The node.
    pub node: Node,
    /// Rows suppressed.
    pub suppressed_rows: u64,
    /// Classes released.
    pub kept_classes: u64,
    /// Σ |E|² over the classes released.
    pub kept_squares: u128,
    /// Σ |E|² over all classes.
    pub all_squares: u128,
    /// Per quasi-identifier and group code, how many suppressed rows fall there. Empty unless the metric
    /// [asks for it](super::Metric::reads_suppressed_values).
    pub suppressed_values: Vec<Vec<u64>>,
}

impl Outcome {
    /// A node of which nothing is suppressed, as far as metrics of cells can tell.
    pub(super) fn nothing_suppressed(node: &Node) -> Outcome {
        Outcome {
            node: node.clone(),
            suppressed_rows: 0,
            kept_classes: 0,
            kept_squares: 0,
            all_squares: 0,
            suppressed_values: Vec::new(),
        }
    }
}
