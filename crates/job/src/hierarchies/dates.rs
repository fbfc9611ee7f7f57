//! `dates = ["month", "year"]`: units of the calendar, fine to coarse

use super::json::Node;
use super::{HierarchyBuilder, JsonError, Site};
use crate::data_type::DataType;
use crate::keys::{Key, Takes, key, words};
use crate::problem::Problems;
use crate::render_toml::list;
use crate::suggest::quoted;
use crate::walk::{Item, Section, Walk};
pub use paravent_core::hierarchy::DatePart as DateUnit;
use paravent_core::hierarchy::{Dates, DatesError, Hierarchy};
use paravent_core::values::ValueType;
use serde_json::{Value, json};

pub(super) const KEY: Key =
    key("dates", Takes::List(&Takes::Choice(words::<DateUnit>)), "Units of the calendar, fine to coarse");
pub(super) const EXAMPLE: &str = "[\"month\", \"quarter\", \"year\"]";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "dates";

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Vec<DateUnit>> {
    let mut last: Option<DateUnit> = None;
    item.list(walk, 1, |walk, entry| {
        let unit: DateUnit = entry.choice(walk, "a unit of time")?;
        if let Some(last) = last {
            if unit <= last {
                entry.report(walk, format!("{unit} must come before {last}: list fine units first"));
            } else if last == DateUnit::Week {
                let advice = format!("Leave out \"week\", or \"{unit}\" and what follows");
                let message = format!("a week can lie in two units of the kind {unit}");
                walk.report(entry.line, &entry.key, message, &advice);
            }
        }
        last = Some(unit);
        Some(unit)
    })
}

/// Fine to coarse, each unit a union of the one before; not empty.
impl HierarchyBuilder for Vec<DateUnit> {
    fn text(&self) -> String {
        list(self.iter().map(|unit| quoted(unit.name())))
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        Dates::new(self.clone()).map(Hierarchy::Dates).map_err(|error| {
            let place = match error {
                DatesError::NotNested { level } => format!("dates[{}]", level - 1),
                _ => "dates".to_owned(),
            };
            let advice = "Write e.g. dates = [\"month\", \"quarter\", \"year\"]";
            site.problem(&place, error.to_string()).advise(advice).into()
        })
    }

    fn check_type(&self, walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
        super::needs_dates(walk, item, data_type);
        let finer = self.iter().find(|&&unit| unit < DateUnit::Day);
        if let (DataType::Date, Some(unit)) = (data_type, finer) {
            let advice = format!("Write type = \"datetime\", or leave out \"{unit}\"");
            walk.report(item.line, &item.key, "the type date has no time of day", &advice);
        }
    }
}

pub(super) fn to_json(dates: &Dates) -> Value {
    let levels: Vec<_> = dates.levels().iter().map(|part| part.name()).collect();
    json!({ "kind": KIND, "levels": levels })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "levels"])?;
    let levels = node.field("levels")?;
    let part = |level: Node<'_, '_>| level.choice(DateUnit::ALL, DateUnit::name);
    let parts = levels.items()?.map(part).collect::<Result<_, _>>()?;
    Dates::new(parts).map(Hierarchy::Dates).map_err(|error| levels.wrong(error))
}
