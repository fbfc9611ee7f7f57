//! Looking around before a release is chosen: labels instead of numbers, the classified lattice, two results side by side.

mod compare;
mod labels;
mod lattice;
mod node;

pub use compare::{CompareError, Compared, Figure, Side, compare, compare_documents};
pub use labels::{LabelsShown, labels_at, labels_of};
pub use lattice::{ExploredAttribute, ExploredLattice, ExploredLevel, ExploredNode, NodeClass, explore};
pub use node::{Levels, fix_levels};
