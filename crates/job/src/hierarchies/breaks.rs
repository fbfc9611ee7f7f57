//! `breaks = [[18, 30, 65], [18]]`

use super::json::Node;
use super::{HierarchyBuilder, JsonError, Site, decimal};
use crate::data_type::DataType;
use crate::decimal::DecimalText;
use crate::keys::{Key, Takes, key, needed};
use crate::problem::Problems;
use crate::render_toml::{cells, list, table};
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{self as core, BreaksError, Grid, Hierarchy};
use paravent_core::values::ValueType;
use serde_json::{Value, json};

pub(super) const KEY: Key =
    key("breaks", Takes::List(&BREAKS), "Intervals between free points, open at both ends");
pub(super) const EXAMPLE: &str = "[[18, 30, 65], [18]]";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "breaks";

/// The keys of a level.
const LEVEL: &[Key] = &[
    needed("at", Takes::List(&Takes::Decimal), "Where intervals begin"),
    key("labels", Takes::List(&Takes::Text), "Their names from the lowest, one more than points"),
];

/// What a level takes.
const BREAKS: Takes = Takes::Either(&[Takes::List(&Takes::Decimal), Takes::Table(LEVEL)]);

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

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Breaks> {
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

impl HierarchyBuilder for Breaks {
    fn text(&self) -> String {
        list(self.levels.iter().map(|level| {
            let at = list(level.at.iter().map(ToString::to_string));
            match &level.labels {
                None => at,
                Some(labels) => table([Some(("at", at)), Some(("labels", cells(labels)))]),
            }
        }))
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], ty: ValueType) -> Result<Hierarchy, Problems> {
        let grid = if ty == ValueType::Integer { Grid::Integer } else { Grid::Decimal };
        let level = |level: &BreakLevel| {
            let points = level.at.iter().map(decimal).collect::<Option<Vec<_>>>()?;
            Some(core::BreakLevel { points, labels: level.labels.clone() })
        };
        let Some(levels) = self.levels.iter().map(level).collect::<Option<Vec<_>>>() else {
            let message = "has a point that cannot be written exactly";
            return Err(site.problem("breaks", message).into());
        };
        core::Breaks::new(levels, grid).map(Hierarchy::Breaks).map_err(|error| {
            let place = match error {
                BreaksError::NoPoints { level }
                | BreaksError::NotAscending { level }
                | BreaksError::NotNested { level, .. }
                | BreaksError::Labels { level, .. }
                | BreaksError::NotMonotone { level } => format!("{}.breaks[{}]", site.key, level - 1),
                _ => format!("{}.breaks", site.key),
            };
            let advice = match error {
                BreaksError::NotWhole => "Write whole numbers, or give the attribute type = \"decimal\"",
                _ => "Write e.g. breaks = [[18, 30, 65], [18]]: every level has some of the points below it",
            };
            site.source.problem(&place, error.to_string()).advise(advice).into()
        })
    }

    fn check_type(&self, walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
        super::needs_numbers(walk, item, data_type);
    }

    // Their numbers decide how intervals are written.
    fn needs_values(&self) -> bool {
        true
    }

    // But not whether they are nested.
    fn build_early(&self, site: &Site<'_>, ty: ValueType) -> Result<Option<Hierarchy>, Problems> {
        self.build(site, &[], ty).map(Some)
    }
}

pub(super) fn to_json(breaks: &core::Breaks) -> Value {
    let level = |level: &core::BreakLevel| {
        let points: Vec<String> = level.points.iter().map(ToString::to_string).collect();
        match &level.labels {
            Some(labels) => json!({ "at": points, "labels": labels }),
            None => json!({ "at": points }),
        }
    };
    json!({
        "kind": KIND,
        "levels": breaks.levels().iter().map(level).collect::<Value>(),
        "grid": breaks.grid().name(),
    })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "levels", "grid"])?;
    let grid = node.field("grid")?.choice(Grid::ALL, Grid::name)?;
    let levels = node.field("levels")?;
    let mut read = Vec::new();
    for level in levels.items()? {
        level.only(&["at", "labels"])?;
        let points = level.field("at")?.items()?.map(|point| point.decimal()).collect::<Result<_, _>>()?;
        let labels = match level.object()?.contains_key("labels") {
            true => {
                let labels = level.field("labels")?;
                let texts = labels.items()?.map(|label| label.text().map(str::to_owned));
                Some(texts.collect::<Result<_, _>>()?)
            }
            false => None,
        };
        read.push(core::BreakLevel { points, labels });
    }
    core::Breaks::new(read, grid).map(Hierarchy::Breaks).map_err(|error| levels.wrong(error))
}
