//! `lump = { least = [20, 100], label = "other" }`

use crate::keys::{Key, Takes, key, needed};
use crate::render_toml::{list, table};
use crate::suggest::quoted;
use crate::walk::{Item, Walk};

/// The keys.
pub(crate) const LUMP: &[Key] = &[
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

pub(crate) fn lump(walk: &mut Walk, item: &Item<'_>) -> Option<Lump> {
    let section = item.section(walk)?;
    section.allow_keys(walk, LUMP);
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

pub(crate) fn lump_text(lump: &Lump) -> String {
    table([
        Some(("least", list(lump.least.iter().map(u64::to_string)))),
        (lump.label != "other").then(|| ("label", quoted(&lump.label))),
    ])
}
