//! The seam between search and data.

use crate::lattice::{Lattice, Node};
use crate::table::TupleSourceError;

/// Checks nodes. Implemented by the in-memory kernels, by encrypted tables and by remote parties.
///
/// [`check`](Checker::check) is all that a search needs. The rest saves checks and never changes a result.
pub trait Checker: Sync {
    /// Applies the node, groups, tests the criteria and computes the loss.
    fn check(&self, node: &Node, depth: Depth) -> Result<Verdict, CheckError>;

    /// What is known of nodes before any check.
    fn prior(&self) -> &dyn Prior {
        &NoPrior
    }

    /// Cheaper ways to refute nodes, where the checker has them.
    fn shortcuts(&self) -> Option<&dyn Shortcuts> {
        None
    }
}

/// How much a check has to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Everything.
    Full,
    /// The check may end as soon as the node is refuted. Of a refuted node the other figures are then estimates or lower bounds.
    UntilRefuted,
}

/// What is known of nodes before any check. Every default is always safe.
pub trait Prior: Sync {
    /// Lower bound of the node's loss; the closer the better.
    ///
    /// The optimum rests on it: a node is left unchecked when this exceeds the loss of the incumbent. So it never exceeds the loss that a
    /// check of the same node computes, rounding included.
    fn lower_bound(&self, _: &Node) -> f64 {
        f64::NEG_INFINITY
    }

    /// The lower bounds of all nodes, by lattice index.
    fn lower_bounds(&self, lattice: &Lattice) -> Vec<f64> {
        (0..lattice.node_count() as u64).map(|index| self.lower_bound(&lattice.node(index))).collect()
    }

    /// Whether a generalization never has a smaller [`lower_bound`](Prior::lower_bound) than the node. The frontier may then stop at the first
    /// bound that exceeds the incumbent.
    fn bounds_grow(&self) -> bool {
        true
    }

    /// Whether a verdict bounds the losses above its node ([`Verdict::lower_bound_above`]), and is worth a check for that alone.
    fn verdicts_bound_above(&self) -> bool {
        false
    }

    /// The suppression ratio from which on a node and its specializations lose at least `loss`, if that is less than 1; else 1, where
    /// they fail. Orders the checks only.
    fn suppression_ratio_at(&self, _loss: f64) -> f64 {
        1.0
    }

    /// Estimate of the information that a column keeps at a level, in bits. Only differences between levels matter. Orders the checks only.
    fn information(&self, _column: usize, level: u8) -> f64 {
        -f64::from(level)
    }
}

/// Nothing is known before a check.
struct NoPrior;

impl Prior for NoPrior {}

/// Ways to refute nodes that cost less than a check. Rows are counted in the checker's own way.
pub trait Shortcuts: Sync {
    /// The part of a check that reads class sizes only, where the rest of it costs much more.
    fn check_sizes(&self, node: &Node) -> Result<SizeCheck, CheckError>;

    /// One or two rows that are probably in too small classes under the node. Empty where rows may be suppressed, or nothing is known.
    fn likely_counterexamples(&self, node: &Node) -> Vec<usize>;

    /// One or two rows that are in too small classes under the node. Empty where rows may be suppressed, or no such row is known.
    fn counterexamples(&self, node: &Node) -> Vec<usize>;

    /// By lattice index: whether the row is in too small a class. Where no row may be suppressed, all these nodes fail.
    fn refuted_by(&self, row: usize, lattice: &Lattice) -> Vec<bool>;
}

/// What class sizes alone say.
#[derive(Debug, Clone, PartialEq)]
pub enum SizeCheck {
    /// They decide the node.
    Decides(Verdict),
    /// They do not fail the node; the rest of the criteria was not asked.
    Passes {
        /// As in a [`Verdict`], by sizes alone.
        suppression_ratio: f64,
    },
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the monotone part of the criteria holds within the suppression limit. Implied by `holds`.
    pub monotone_part_holds: bool,
    /// A node that fails with all its specializations, whether or not the criteria are monotone: this node, or a generalization of it that
    /// the check came across.
    ///
    /// Proof: [`fewest_suppressed`](crate::criteria::ClassCriterion::fewest_suppressed) bounds from below the rows that a failing class
    /// loses however it is split. Specializations split classes and never merge them, so the sum over the classes of the node bounds the
    /// suppressed rows of every specialization. Above the limit they all fail.
    pub refuted: Option<Node>,
    /// Whether so few rows are in too small classes that sizes alone do not fail the node.
    pub sizes_pass: bool,
    /// Lower bound of the rows suppressed in the node and in each of its specializations, relative to the limit. Above 1 they all fail.
    pub suppression_ratio: f64,
    /// Whether all criteria hold within the suppression limit: the node is anonymous.
    pub holds: bool,
    /// The loss, lower is better. Meaningful only when `holds`.
    pub loss: f64,
    /// Rows that would have to be suppressed; a lower bound where `holds` is false.
    pub suppressed_rows: u64,
    /// Lower bound of the loss of every generalization, from the classes of the node; −∞ where they do not tell.
    ///
    /// Proof: generalizing merges classes. The metrics that give this bound compute it as the least loss over all ways to merge the
    /// node's classes; the note is beside each of them.
    pub lower_bound_above: f64,
    /// Lower bound of the loss of the node and of every specialization, from the rows that they suppress; −∞ where these do not tell.
    ///
    /// Proof: the rows of [`suppression_ratio`](Verdict::suppression_ratio) are suppressed in each of them, and the metric charges at least
    /// this for so many.
    pub lower_bound_below: f64,
    /// A generalization that the check came across and that refutes nothing, with its suppression ratio.
    pub unrefuted_above: Option<(Node, f64)>,
}

/// Why a node could not be checked. Only checkers that reach outside fail.
#[derive(Debug, thiserror::Error)]
#[error("the node could not be checked: {0}")]
pub struct CheckError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl From<TupleSourceError> for CheckError {
    fn from(error: TupleSourceError) -> CheckError {
        CheckError(Box::new(error))
    }
}
