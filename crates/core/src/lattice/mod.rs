//! The generalization lattice: nodes, neighbours, counting properties and the order in which nodes are visited.

mod counts;
mod node;
mod order;
mod shape;

pub use counts::LatticeCounts;
pub use node::Node;
pub use order::{NodeOrder, OrderKey};
pub use shape::{Lattice, LatticeError};
