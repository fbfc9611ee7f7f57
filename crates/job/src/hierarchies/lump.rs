//! `lump = { least = [20, 100], label = "other" }`

use super::{CountedValues, HierarchyBuilder, Site};
use crate::keys::{Key, Takes, key, needed};
use crate::problem::Problems;
use crate::render_toml::{list, table};
use crate::suggest::quoted;
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{Hierarchy, lump_rare};
use paravent_core::values::ValueType;

pub(super) const KEY: Key = key("lump", Takes::Table(KEYS), "Rare values become one");
pub(super) const EXAMPLE: &str = "{ least = [20, 100] }";

/// The keys.
const KEYS: &[Key] = &[
    needed(
        "least",
        Takes::List(&Takes::Whole(2, u64::MAX)),
        "Rows below which a value is rare, level by level",
    ),
    key("label", Takes::Text, "What rare values are called"),
];

/// Rare values become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lump {
    /// Rows below which a value is rare, level by level, ascending; not empty.
    pub least: Vec<u64>,
    /// What rare values are called.
    pub label: String,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Lump> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let mut last = 1;
    let least = section.require(walk, "least", "[20, 100]")?.list(walk, 1, |walk, entry| {
        let rows = entry.whole(walk, 2..=u64::MAX)?;
        if rows <= last {
            entry.report(walk, format!("must be more than before, {last}"));
        }
        last = rows;
        Some(rows)
    });
    let label = match section.get(walk, "label", "\"other\"") {
        Some(item) => item.name(walk)?.to_owned(),
        None => "other".to_owned(),
    };
    Some(Lump { least: least?, label })
}

impl HierarchyBuilder for Lump {
    fn text(&self) -> String {
        table([
            Some(("least", list(self.least.iter().map(u64::to_string)))),
            (self.label != "other").then(|| ("label", quoted(&self.label))),
        ])
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        Err(site.rows_are_not_known())
    }

    fn is_counted(&self) -> bool {
        true
    }

    fn count(&self, counted: &CountedValues<'_>) -> Result<Hierarchy, String> {
        let least: Vec<u64> = self.least.iter().map(|&rows| rows.max(counted.least_rows)).collect();
        lump_rare(counted.values, counted.counts, &least, &self.label)
            .map(Hierarchy::Table)
            .map_err(|error| error.to_string())
    }
}
