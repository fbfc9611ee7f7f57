//! Labels by enumeration, as `transform.json` has them: what files, groups by hand and orderings become

use super::JsonError;
use super::json::Node;
use paravent_core::hierarchy::{Hierarchy, TableHierarchy, TableLines};
use serde_json::{Value, json};

/// Its name in `transform.json`.
pub(super) const KIND: &str = "table";

pub(super) fn to_json(table: &TableHierarchy) -> Value {
    let rows = table.lines().iter().map(|line| {
        let value = line.value().map_or(Value::Null, Value::from);
        let labels = line.labels().map(Value::from);
        std::iter::once(value).chain(labels).collect::<Value>()
    });
    json!({ "kind": KIND, "rows": rows.collect::<Value>() })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "rows"])?;
    let rows = node.field("rows")?;
    let mut lines = TableLines::default();
    for row in rows.items()? {
        let mut cells = row.items()?;
        let value = cells.next().ok_or_else(|| row.wrong("must not be empty"))?;
        let value = if value.value.is_null() { None } else { Some(value.text()?) };
        lines.push(value, cells.map(|cell| cell.text()).collect::<Result<Vec<_>, _>>()?);
    }
    TableHierarchy::from_lines(lines).map(Hierarchy::Table).map_err(|error| rows.wrong(error))
}
