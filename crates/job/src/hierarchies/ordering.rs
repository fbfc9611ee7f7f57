//! `ordering = { sizes = [2, 3] }`: neighbours in the order of the values are grouped

use super::{HierarchyBuilder, Site};
use crate::keys::{CELLS, Key, Takes, key, needed};
use crate::problem::Problems;
use crate::render_toml::{cells, list, table};
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{Hierarchy, OrderingError, group_by_order, group_sorted};
use paravent_core::values::ValueType;

pub(super) const KEY: Key = key("ordering", Takes::Table(KEYS), "Neighbours in the order of the values");
pub(super) const EXAMPLE: &str = "{ sizes = [2, 3] }";

const KEYS: &[Key] = &[
    needed("sizes", Takes::List(&Takes::Whole(2, u32::MAX as u64)), "How many neighbours make a group"),
    key("order", CELLS, "The values in order"),
];

/// Neighbouring values are grouped, then neighbouring groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// How many values (then groups) make a group of level 1, 2, …; not empty, each at least 2.
    pub sizes: Vec<u32>,
    /// The values in order; `None`: the order of the column.
    pub order: Option<Vec<String>>,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Ordering> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let sizes = section.require(walk, "sizes", "[2, 3]");
    let sizes = sizes.and_then(|item| item.list(walk, 1, |walk, entry| entry.u32(walk, 2)));
    let order = match section.get(walk, "order", "[\"low\", \"mid\", \"high\"]") {
        Some(item) => Some(item.cells(walk, 1)?),
        None => None,
    };
    Some(Ordering { sizes: sizes?, order })
}

impl HierarchyBuilder for Ordering {
    fn text(&self) -> String {
        let sizes = list(self.sizes.iter().map(u32::to_string));
        table([Some(("sizes", sizes)), self.order.as_ref().map(|values| ("order", cells(values)))])
    }

    fn build(&self, site: &Site<'_>, values: &[Option<&str>], ty: ValueType) -> Result<Hierarchy, Problems> {
        let sizes: Vec<usize> =
            self.sizes.iter().map(|size| usize::try_from(*size).unwrap_or(usize::MAX)).collect();
        let made = match self.order.as_deref().or(site.order) {
            Some(order) => group_by_order(&order.iter().map(String::as_str).collect::<Vec<_>>(), &sizes),
            None => {
                let present: Vec<&str> = values.iter().copied().flatten().collect();
                if present.is_empty() {
                    let problem =
                        site.problem("ordering", "the column has no values that could be put in order");
                    return Err(problem
                        .advise("Write them down, as in order = [\"low\", \"mid\", \"high\"]")
                        .into());
                }
                let others = present.iter().filter(|value| !ty.accepts(value)).count();
                if others > 0 {
                    let values = if others == 1 { "1 value".to_owned() } else { format!("{others} values") };
                    let message = format!("{values} of the column cannot be put in order as {}", plural(ty));
                    let advice = "Write the order down, as in order = [\"low\", \"mid\", \"high\"], \
                                  or declare type = \"string\"";
                    return Err(site.problem("ordering", message).advise(advice).into());
                }
                group_sorted(&present, ty, &sizes)
            }
        };
        made.map(Hierarchy::Table).map_err(|error| {
            let place = match error {
                OrderingError::FanOut { position } => format!("ordering.sizes[{}]", position - 1),
                _ => "ordering".to_owned(),
            };
            let advice = "Write e.g. ordering = { sizes = [2, 3] }, and each value once in order";
            site.problem(&place, error.to_string()).advise(advice).into()
        })
    }

    fn needs_values(&self) -> bool {
        self.order.is_none()
    }

    fn is_made_from_data(&self, order_is_told: bool) -> bool {
        !order_is_told && self.order.is_none()
    }
}

/// What the values of a type are called, in the plural.
fn plural(ty: ValueType) -> &'static str {
    match ty {
        ValueType::String => "texts",
        ValueType::Integer => "integers",
        ValueType::Decimal => "decimal numbers",
        ValueType::Date => "dates",
        ValueType::DateTime => "times",
        ValueType::Boolean => "truth values",
    }
}
