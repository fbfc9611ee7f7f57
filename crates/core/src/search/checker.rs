//! The seam between search and data.

use crate::lattice::{Lattice, Node};
use crate::table::TupleSourceError;

/// Looks at one node. Implemented by the in-memory kernels, by encrypted tables and by remote parties.
pub trait Checker: Sync {
    /// Applies the node, groups, tests the criteria and computes the loss.
    fn check(&self, node: &Node) -> Result<Verdict, CheckError>;

    /// A check that may end as soon as the node is refuted. What else the verdict says of a refuted node is then a guess, or at least so much.
    fn look(&self, node: &Node) -> Result<Verdict, CheckError> {
        self.check(node)
    }

    /// The part of a look that costs little, where that leaves a part that costs much.
    fn glance(&self, node: &Node) -> Result<Glance, CheckError> {
        self.look(node).map(Glance::Decides)
    }

    /// A loss that the node cannot go below, known without a check; the closer the better.
    fn loss_bound(&self, _: &Node) -> f64 {
        f64::NEG_INFINITY
    }

    /// Whether a generalization never has a lower bound than the node.
    fn bounds_grow(&self) -> bool {
        true
    }

    /// The suppression ratio from which on a node and its specializations lose at least so much, if that is less than 1; else 1, where they fail.
    fn pressure_of(&self, _loss: f64) -> f64 {
        1.0
    }

    /// Whether a look at a node bounds the loss of those above it ([`Verdict::lower_bound_above`]), and is worth it for that alone.
    fn bounds_above(&self) -> bool {
        false
    }

    /// The loss bounds of all nodes, by lattice index.
    fn loss_bounds(&self, lattice: &Lattice) -> Vec<f64> {
        (0..lattice.node_count() as u64).map(|index| self.loss_bound(&lattice.node(index))).collect()
    }

    /// Where no row may be suppressed: one or two rows that are probably in too small classes under the node, by numbers of the checker's own. Empty
    /// where rows may be suppressed, or nothing is known.
    fn suspects(&self, _: &Node) -> Vec<usize> {
        Vec::new()
    }

    /// Where no row may be suppressed and the node has too small a class: one or two rows that are in such classes, by numbers of the checker's own. Empty
    /// where rows may be suppressed, or no such row is known.
    fn exposed(&self, _: &Node) -> Vec<usize> {
        Vec::new()
    }

    /// The nodes under which a row is in too small a class, by lattice index: they all fail.
    fn exposing(&self, _row: usize, lattice: &Lattice) -> Vec<bool> {
        vec![false; lattice.node_count() as usize]
    }

    /// What a column tells at a level, in bits; a guess at how much classes are split by it. Only differences between levels matter.
    fn detail(&self, _column: usize, level: u8) -> f64 {
        -f64::from(level)
    }
}

/// What a glance found.
#[derive(Debug, Clone, PartialEq)]
pub enum Glance {
    /// All there is to say.
    Decides(Verdict),
    /// The sizes of the classes do not fail the node; the rest of the criteria was not asked.
    Passes {
        /// As in a [`Verdict`], by sizes alone.
        suppression_ratio: f64,
    },
}

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the monotone part of the criteria holds within the suppression limit. Implied by `holds`.
    pub monotone_part_holds: bool,
    /// A node that fails with all its specializations, whether or not their verdicts are monotone: this node, or a generalization of it
    /// that said enough.
    pub refuted: Option<Node>,
    /// Whether so few rows are in too small classes that sizes alone do not fail the node.
    pub sizes_pass: bool,
    /// Rows that are left out in this node and in every specialization of it, relative to the limit. Above 1 they all fail.
    pub suppression_ratio: f64,
    /// Whether all criteria hold within the suppression limit: the node is anonymous.
    pub holds: bool,
    /// The loss, lower is better. Meaningful only when `holds`.
    pub loss: f64,
    /// Rows that would have to be suppressed; where `holds` is false, at least so many.
    pub suppressed_rows: u64,
    /// No generalization of the node loses less than this, as far as its classes tell; −∞ where they do not.
    pub lower_bound_above: f64,
    /// The node and its specializations do not lose less than this, as far as the rows they leave out tell; −∞ where they do not.
    pub lower_bound_below: f64,
    /// A generalization that was looked at on the way and refutes nothing, with its suppression ratio.
    pub unrefuted_above: Option<(Node, f64)>,
}

/// Why a node could not be looked at: only checkers that reach outside fail.
#[derive(Debug, thiserror::Error)]
#[error("the node could not be checked: {0}")]
pub struct CheckError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl From<TupleSourceError> for CheckError {
    fn from(error: TupleSourceError) -> CheckError {
        CheckError(Box::new(error))
    }
}
