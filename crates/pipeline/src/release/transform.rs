//! Writes `transform.json`: the transformation, complete enough to apply it to rows that come later.

use super::manifest::{is_aggregated, treatment_of};
use paravent_core::hierarchy::Hierarchy;
use paravent_core::release::{LabelBox, Solution};
use paravent_core::values::ValueType;
use paravent_job::HierarchySpec;
use paravent_prepare::hierarchies::{build, to_json, type_of};
use paravent_prepare::study::{InputColumn, Study, Treatment, read_options, value_type};
use paravent_tables::write::ReleasedColumn;
use serde_json::{Map, Value, json};

/// The transformation of a solution, and which manifest it goes with.
pub fn transform(
    study: &Study,
    solution: &Solution,
    manifest_sha256: &str,
    people_sha256: Option<&str>,
    released: &[ReleasedColumn],
) -> Value {
    let attributes = study.columns.columns.iter().map(|column| {
        let mut attribute = Map::new();
        attribute.insert("name".into(), json!(column.name));
        attribute.insert("role".into(), json!(column.treatment.role()));
        attribute.insert("type".into(), json!(study.type_name(column)));
        if let Treatment::QuasiIdentifier(position) = column.treatment
            && !is_aggregated(study, column)
        {
            attribute.extend([levels(solution, position)]);
            attribute.insert("hierarchy".into(), to_json(&study.hierarchies[position]));
        }
        attribute.extend(treatment_of(study, column).map(|treatment| ("treatment".to_owned(), treatment)));
        if let Some(groups) = groups(study, column, released) {
            attribute.insert("hierarchy".into(), to_json(&groups));
        }
        Value::Object(attribute)
    });
    let mut release = json!({ "manifest_sha256": manifest_sha256 });
    if let Some(digest) = people_sha256 {
        release["people_sha256"] = json!(digest);
    }
    let mut document = json!({
        "format": 1,
        "paravent": env!("CARGO_PKG_VERSION"),
        "release": release,
        "attributes": attributes.collect::<Vec<_>>(),
    });
    // How the table is read, so that it can be held against the release without the job.
    if let Ok(options) = read_options(&study.job) {
        document["input"] = options.told();
    }
    if let Some(boxes) = &solution.boxes {
        document["recoding"] = json!("local");
        document["boxes"] = boxes.boxes.iter().map(|shown| box_json(study, shown)).collect();
    }
    document
}

/// The level that a column was released at, or the lowest and the highest of several.
pub(super) fn levels(solution: &Solution, position: usize) -> (String, Value) {
    match &solution.boxes {
        None => ("level".into(), json!(solution.node.levels()[position])),
        Some(boxes) => {
            let shown = || boxes.boxes.iter().map(|shown| shown.levels[position]);
            ("levels".into(), json!([shown().min().unwrap_or(0), shown().max().unwrap_or(0)]))
        }
    }
}

/// The labels of a box in the order of the released columns.
fn box_json(study: &Study, shown: &LabelBox) -> Value {
    let positions = study.columns.released().filter_map(|(_, column)| match column.treatment {
        Treatment::QuasiIdentifier(position) if !is_aggregated(study, column) => Some(position),
        _ => None,
    });
    let (mut levels, mut labels) = (Vec::new(), Vec::new());
    for position in positions {
        let (level, group) = (shown.levels[position], shown.groups[position]);
        levels.push(level);
        labels.push(study.task.ladders()[position].rung(level).labels[group as usize].as_deref());
    }
    json!({ "levels": levels, "labels": labels, "rows": shown.rows })
}

/// The hierarchy of a sensitive column, where the job has one: its own file, or made of the released values. Values of rows that were
/// suppressed are not told.
fn groups(study: &Study, column: &InputColumn, released: &[ReleasedColumn]) -> Option<Hierarchy> {
    let index = column.attribute.filter(|_| column.treatment == Treatment::Sensitive)?;
    let attribute = &study.job.attributes[index];
    match attribute.hierarchy.as_ref()? {
        HierarchySpec::File(_) => build(&study.job, index, &[], ValueType::String).ok(),
        _ => {
            let released = released.iter().find(|released| released.name == column.name)?;
            let cells: Vec<Option<&str>> = released.cells.iter().map(Option::as_deref).collect();
            let declared = attribute.data_type.map(value_type).unwrap_or_else(|| type_of(&cells));
            build(&study.job, index, &cells, declared).ok()
        }
    }
}
