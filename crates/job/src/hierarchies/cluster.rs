//! `cluster = { sizes = [20, 8, 3] }`

use crate::keys::{Key, Takes, needed};
use crate::render_toml::{list, table};
use crate::walk::{Item, Walk};

/// The keys.
pub(crate) const CLUSTER: &[Key] = &[needed(
    "sizes",
    Takes::List(&Takes::Whole(2, u32::MAX as u64)),
    "How many clusters are left, level by level",
)];

/// Values put together by their distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// How many clusters are left, level by level, descending, at least 2; not empty.
    pub sizes: Vec<u32>,
}

pub(crate) fn cluster(walk: &mut Walk, item: &Item<'_>) -> Option<Cluster> {
    let section = item.section(walk)?;
    section.allow_keys(walk, CLUSTER);
    let mut last = u32::MAX;
    let sizes = section.require(walk, "sizes", "[20, 8, 3]")?.list(walk, 1, |walk, entry| {
        let size = entry.u32(walk, 2)?;
        if size >= last {
            entry.report(walk, format!("must be less than before, {last}"));
        }
        last = size;
        Some(size)
    });
    Some(Cluster { sizes: sizes? })
}

pub(crate) fn cluster_text(cluster: &Cluster) -> String {
    table([Some(("sizes", list(cluster.sizes.iter().map(u32::to_string))))])
}
