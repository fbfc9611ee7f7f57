//! `chain = [{ … }, { … }]`: the labels of one part are the values of the next

use super::json::{self, Node};
use super::{HierarchyBuilder, HierarchySpec, JsonError, Site};
use crate::data_type::DataType;
use crate::keys::{Key, Takes, key};
use crate::problem::{Problem, Problems};
use crate::render_toml::list;
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{Chain, Hierarchy};
use paravent_core::values::{ValueType, type_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const KEY: Key =
    key("chain", Takes::List(&Takes::Hierarchy), "The labels of one are the values of the next");
pub(super) const EXAMPLE: &str =
    "[{ intervals = { widths = [5], min = 0, max = 100 } }, { file = \"age-groups.csv\" }]";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "chain";

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Vec<HierarchySpec>> {
    item.list(walk, 2, |walk, entry| {
        let part = super::hierarchy(walk, entry)?;
        if matches!(part, HierarchySpec::Chain(_)) {
            let advice = "Write its parts directly into the outer chain";
            walk.report(entry.line, &entry.key, "a chain cannot hold a chain", advice);
        }
        if part.is_counted() {
            let advice = "Use it alone, or write the groups into a file";
            walk.report(entry.line, &entry.key, "a chain cannot hold what is counted in the data", advice);
        }
        Some(part)
    })
}

/// Two or more, no chain inside.
impl HierarchyBuilder for Vec<HierarchySpec> {
    fn text(&self) -> String {
        list(self.iter().map(HierarchySpec::text))
    }

    fn build(&self, site: &Site<'_>, values: &[Option<&str>], ty: ValueType) -> Result<Hierarchy, Problems> {
        let (mut parts, mut problems) = (Vec::new(), Problems::new());
        // `None` behind a part that could not be built.
        let mut values: Option<Vec<Option<String>>> =
            Some(values.iter().map(|value| value.map(str::to_owned)).collect());
        let mut ty = ty;
        for (position, spec) in self.iter().enumerate() {
            let present: Vec<Option<&str>> = values.iter().flatten().map(Option::as_deref).collect();
            if position > 0 {
                ty = type_of(&present);
            }
            if values.is_none() && spec.unit().needs_values() {
                continue;
            }
            let part = spec.build(&place(site, position), &present, ty);
            problems.extend(part.as_ref().ok().and_then(|part| idle(site, self, position, part)));
            values = values.as_ref().and(part.as_ref().ok()).map(|part| labels_below_top(part, &present));
            match part {
                Ok(part) => parts.push(part),
                Err(more) => problems.extend(more),
            }
        }
        let parts = problems.into_result(parts)?;
        Chain::new(parts).map(Hierarchy::Chain).map_err(|error| {
            let advice = "Leave out levels that nobody needs";
            site.problem("chain", error.to_string()).advise(advice).into()
        })
    }

    fn build_early(&self, site: &Site<'_>, ty: ValueType) -> Result<Option<Hierarchy>, Problems> {
        let (mut ty, mut problems) = (ty, Problems::new());
        for (position, spec) in self.iter().enumerate() {
            match spec.unit().build_early(&place(site, position), ty) {
                Ok(part) => problems.extend(part.and_then(|part| idle(site, self, position, &part))),
                Err(more) => problems.extend(more),
            }
            ty = spec.unit().label_type();
        }
        problems.into_result(None)
    }

    // Only the first part sees the values of the column.
    fn check_type(&self, walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
        if let Some(first) = self.first() {
            first.check_type(walk, item, data_type);
        }
    }

    fn needs_values(&self) -> bool {
        self.iter().any(|part| part.unit().needs_values())
    }

    // Only the first part sees the values of the column, and with them their order.
    fn is_made_from_data(&self, order_is_told: bool) -> bool {
        let made = |(position, part): (usize, &HierarchySpec)| {
            part.is_made_from_data(position == 0 && order_is_told)
        };
        self.iter().enumerate().any(made)
    }

    fn depends_on_other_values(&self, order_is_told: bool) -> bool {
        let depends = |(position, part): (usize, &HierarchySpec)| {
            part.depends_on_other_values(position == 0 && order_is_told)
        };
        self.iter().enumerate().any(depends)
    }
}

/// A part below another one that changes nothing.
fn idle(site: &Site<'_>, parts: &[HierarchySpec], position: usize, part: &Hierarchy) -> Option<Problem> {
    if part.max_level() >= 2 || position + 1 >= parts.len() {
        return None;
    }
    let message = "this part has nothing between its values and its top, so it does nothing in a chain";
    let advice = "Leave it out, or add a level; the lines of a hierarchy file end with ;*";
    Some(site.source.problem(&place(site, position).key, message).advise(advice))
}

/// Where a part is built. Only the first one sees the values of the column.
fn place<'a>(site: &Site<'a>, position: usize) -> Site<'a> {
    let order = if position == 0 { site.order } else { None };
    Site { order, key: format!("{}.chain[{position}]", site.key), ..*site }
}

/// Distinct and in order; values without a place are left out, they are reported with the ladder.
fn labels_below_top(part: &Hierarchy, values: &[Option<&str>]) -> Vec<Option<String>> {
    let level = part.max_level().saturating_sub(1);
    let label = |value: &Option<&str>| Some(part.label(*value, level).ok()?.map(|label| label.into_owned()));
    values.iter().filter_map(label).collect::<BTreeSet<_>>().into_iter().collect()
}

pub(super) fn to_json(chain: &Chain) -> Value {
    json!({ "kind": KIND, "parts": chain.parts().iter().map(json::to_json).collect::<Value>() })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "parts"])?;
    let parts = node.field("parts")?;
    let chain = Chain::new(parts.items()?.map(|part| json::hierarchy(&part)).collect::<Result<_, _>>()?);
    chain.map(Hierarchy::Chain).map_err(|error| parts.wrong(error))
}
