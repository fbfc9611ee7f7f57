//! `cluster = { sizes = [20, 8, 3] }`

use super::{CountedValues, HierarchyBuilder, Site};
use crate::keys::{Key, Takes, key, needed};
use crate::problem::Problems;
use crate::render_toml::{list, table};
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{Hierarchy, cluster};
use paravent_core::values::ValueType;

pub(super) const KEY: Key = key("cluster", Takes::Table(KEYS), "Near values become one");
pub(super) const EXAMPLE: &str = "{ sizes = [20, 8, 3] }";

/// The keys.
const KEYS: &[Key] = &[needed(
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

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Cluster> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
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

impl HierarchyBuilder for Cluster {
    fn text(&self) -> String {
        table([Some(("sizes", list(self.sizes.iter().map(u32::to_string))))])
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        Err(site.rows_are_not_known())
    }

    fn is_counted(&self) -> bool {
        true
    }

    fn count(&self, counted: &CountedValues<'_>) -> Result<Hierarchy, String> {
        let sizes: Vec<usize> = self.sizes.iter().map(|&size| size as usize).collect();
        cluster(counted.values, counted.counts, counted.value_type, &sizes)
            .map(Hierarchy::Table)
            .map_err(|error| error.to_string())
    }

    // Labels name the ends of a cluster.
    fn is_made_from_data(&self, _: bool) -> bool {
        true
    }
}
