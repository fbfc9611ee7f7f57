//! `age = { on = "2024-12-31" }`

use super::json::Node;
use super::{HierarchyBuilder, JsonError, Site};
use crate::data_type::DataType;
use crate::keys::{Key, Takes, key, needed};
use crate::problem::Problems;
use crate::render_toml::table;
use crate::suggest::quoted;
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{self as core, Hierarchy};
use paravent_core::values::ValueType;
use serde_json::{Value, json};

pub(super) const KEY: Key = key("age", Takes::Table(KEYS), "Completed years since birth");
pub(super) const EXAMPLE: &str = "{ on = \"2024-12-31\" }";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "age";

const KEYS: &[Key] = &[needed("on", Takes::Text, "The day on which people have that age")];

/// Completed years on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Age {
    /// `2024-12-31`
    pub on: String,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Age> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let on = section.require(walk, "on", "\"2024-12-31\"")?;
    let day = on.string(walk)?;
    if core::Age::on(day).is_none() {
        on.report(walk, "must be a day");
        return None;
    }
    Some(Age { on: day.to_owned() })
}

impl HierarchyBuilder for Age {
    fn text(&self) -> String {
        table([Some(("on", quoted(&self.on)))])
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        let wrong = || site.problem("age.on", "must be a day").into();
        core::Age::on(&self.on).map(Hierarchy::Age).ok_or_else(wrong)
    }

    fn check_type(&self, walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
        super::needs_dates(walk, item, data_type);
    }

    // Years are whole.
    fn label_type(&self) -> ValueType {
        ValueType::Integer
    }
}

pub(super) fn to_json(age: &core::Age) -> Value {
    json!({ "kind": KIND, "on": age.day() })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "on"])?;
    let day = node.field("on")?;
    core::Age::on(day.text()?).map(Hierarchy::Age).ok_or_else(|| day.wrong("must be a day"))
}
