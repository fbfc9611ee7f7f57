//! `breaks = [[18, 30, 65], [18]]`

use crate::decimal::DecimalText;
use crate::keys::{Key, Takes, key, needed};
use crate::render_toml::{cells, list, table};
use crate::walk::{Item, Walk};

/// The keys of a level.
const LEVEL: &[Key] = &[
    needed("at", Takes::List(&Takes::Decimal), "Where intervals begin"),
    key("labels", Takes::List(&Takes::Text), "Their names from the lowest, one more than points"),
];

/// What a level takes.
pub(crate) const BREAKS: Takes = Takes::Either(&[Takes::List(&Takes::Decimal), Takes::Table(LEVEL)]);

/// Levels of break points, from fine to coarse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaks {
    /// From level 1 up; not empty.
    pub levels: Vec<BreakLevel>,
}

/// The intervals of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakLevel {
    /// Where intervals begin, ascending; not empty.
    pub at: Vec<DecimalText>,
    /// Their names from the lowest; one more than points.
    pub labels: Option<Vec<String>>,
}

pub(crate) fn breaks(walk: &mut Walk, item: &Item<'_>) -> Option<Breaks> {
    let levels = item.list(walk, 1, |walk, entry| {
        if !entry.value.get_ref().is_table() {
            return Some(BreakLevel { at: points(walk, entry)?, labels: None });
        }
        let section = entry.section(walk)?;
        section.allow_keys(walk, LEVEL);
        let at = section.require(walk, "at", "[18, 65]").and_then(|item| points(walk, &item));
        let item = section.get(walk, "labels", "[\"minor\", \"adult\", \"senior\"]");
        let labels = item.as_ref().map(|item| names(walk, item));
        let at = at?;
        let labels = match labels {
            Some(labels) => Some(labels?),
            None => None,
        };
        if let (Some(item), Some(labels)) = (&item, &labels)
            && labels.len() != at.len() + 1
        {
            item.report(walk, format!("needs {} names, one for each interval", at.len() + 1));
        }
        Some(BreakLevel { at, labels })
    })?;
    Some(Breaks { levels })
}

/// Unlike cells of a column, names may be there twice: then the intervals are one.
fn names(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<String>> {
    item.list(walk, 2, |walk, entry| entry.string(walk).map(str::to_owned))
}

fn points(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<DecimalText>> {
    let mut last: Option<DecimalText> = None;
    item.list(walk, 1, |walk, entry| {
        let point = entry.decimal(walk)?;
        if let Some(last) = last.as_ref().filter(|last| point <= **last) {
            entry.report(walk, format!("must be above the point before it, {last}"));
        }
        last = Some(point.clone());
        Some(point)
    })
}

pub(crate) fn breaks_text(breaks: &Breaks) -> String {
    list(breaks.levels.iter().map(|level| {
        let at = list(level.at.iter().map(ToString::to_string));
        match &level.labels {
            None => at,
            Some(labels) => table([Some(("at", at)), Some(("labels", cells(labels)))]),
        }
    }))
}
