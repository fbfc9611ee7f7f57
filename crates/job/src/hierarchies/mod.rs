//! Hierarchy builders, a file each: what the job says, how it is read, how it is written.
//!
//! A new builder is its file here, a line in [`HierarchySpec`](crate::HierarchySpec) and in `hierarchy_walk`, its file in
//! `core/hierarchy` and the verifier's twin.

mod age;
mod breaks;
mod cluster;
mod codes;
mod lump;

pub use age::Age;
pub use breaks::{BreakLevel, Breaks};
pub use cluster::Cluster;
pub use codes::{Codes, CodesSpec};
pub use lump::Lump;

pub(super) use age::{AGE, age, age_text};
pub(super) use breaks::{BREAKS, breaks, breaks_text};
pub(super) use cluster::{CLUSTER, cluster, cluster_text};
pub(super) use codes::{CODES, codes, codes_text};
pub(super) use lump::{LUMP, lump, lump_text};
