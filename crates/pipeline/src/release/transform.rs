//! `transform.json`: the transformation, complete enough to apply it to rows that come later.

use crate::hierarchies::{build, from_json, to_json};
use crate::job::HierarchySpec;
use crate::study::{InputColumn, Study, Treatment};
use crate::write::{find_private, private_of};
use paravent_core::hierarchy::Hierarchy;
use paravent_core::release::{LabelBox, Solution};
use paravent_core::values::ValueType;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The transformation of a solution, and which manifest it goes with.
pub fn transform(
    study: &Study,
    solution: &Solution,
    manifest_sha256: &str,
    people_sha256: Option<&str>,
) -> Value {
    let attributes = study.columns.columns.iter().map(|column| {
        let mut attribute = Map::new();
        attribute.insert("name".into(), json!(column.name));
        attribute.insert("role".into(), json!(column.treatment.role()));
        attribute.insert("type".into(), json!(study.type_name(column)));
        if let Treatment::QuasiIdentifier(position) = column.treatment {
            attribute.extend([levels(solution, position)]);
            attribute.insert("hierarchy".into(), to_json(&study.hierarchies[position]));
        }
        if let Some(groups) = groups(study, column) {
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
        Treatment::QuasiIdentifier(position) => Some(position),
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

/// The hierarchy of a column that is released as it is, where the job names one by itself. One that is made from the values is not
/// written: it would tell values of rows that were suppressed.
fn groups(study: &Study, column: &InputColumn) -> Option<Hierarchy> {
    let index = column.attribute.filter(|_| column.treatment == Treatment::Sensitive)?;
    match &study.job.attributes[index].hierarchy {
        Some(HierarchySpec::File(_)) => build(&study.job, index, &[], ValueType::String).ok(),
        _ => None,
    }
}

/// A transformation read back.
#[derive(Debug, Clone)]
pub struct Transform {
    /// Columns in the order of the original input.
    pub columns: Vec<AppliedColumn>,
    /// The boxes, where every class has one of its own: one label per quasi-identifier, in the order of the columns.
    pub boxes: Option<Vec<AppliedBox>>,
}

/// One label per quasi-identifier.
#[derive(Clone, PartialEq, Eq)]
pub struct AppliedBox {
    /// The level of each.
    pub levels: Vec<u8>,
    /// The label of each; `None` is the missing value.
    pub labels: Vec<Option<String>>,
}

/// Labels of a private file never reach a log.
impl std::fmt::Debug for AppliedBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppliedBox").field("levels", &self.levels).finish_non_exhaustive()
    }
}

/// What is done to one column.
#[derive(Debug, Clone)]
pub struct AppliedColumn {
    /// Its name.
    pub name: String,
    /// Its type, by name.
    pub data_type: String,
    /// What becomes of it.
    pub action: Action,
    /// Of a column that is kept: which of its values mean nearly the same.
    pub groups: Option<Hierarchy>,
}

/// What becomes of a column.
#[derive(Debug, Clone)]
pub enum Action {
    /// Left out.
    Drop,
    /// Kept as it is.
    Keep,
    /// Generalized to a level; where every class has a box of its own, to at most that level.
    Generalize {
        /// The hierarchy.
        hierarchy: Hierarchy,
        /// The level.
        level: u8,
    },
}

/// Why a transformation cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is not what Paravent writes.
    #[error("{}: {what}", path.display())]
    Garbled {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl Transform {
    /// Hierarchy and level of a quasi-identifier.
    pub fn generalization(&self, name: &str) -> Option<(&Hierarchy, u8)> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        match &column.action {
            Action::Generalize { hierarchy, level } => Some((hierarchy, *level)),
            Action::Drop | Action::Keep => None,
        }
    }

    /// The quasi-identifiers, in the order of the original input.
    pub fn quasi_identifiers(&self) -> impl Iterator<Item = &str> {
        let is_generalized = |column: &&AppliedColumn| matches!(column.action, Action::Generalize { .. });
        self.columns.iter().filter(is_generalized).map(|column| column.name.as_str())
    }

    /// Reads `transform.json`: the file itself, that of a private folder, or that of a release, which is in the private folder beside it (in the
    /// release itself before there were private folders).
    pub fn load(path: &Path) -> Result<Transform, TransformError> {
        let path = match path.is_dir() {
            true => within(path)?,
            false => path.to_owned(),
        };
        let bytes =
            std::fs::read(&path).map_err(|source| TransformError::Io { path: path.clone(), source })?;
        let garbled = |what: String| TransformError::Garbled { path: path.clone(), what };
        let document: Value = serde_json::from_slice(&bytes).map_err(|error| garbled(error.to_string()))?;
        if document["format"] != json!(1) {
            return Err(garbled("not a transformation of format 1".into()));
        }
        let attributes =
            document["attributes"].as_array().ok_or_else(|| garbled("attributes: missing".into()))?;
        let columns = attributes.iter().enumerate().map(|(index, attribute)| {
            column(attribute).map_err(|what| garbled(format!("attributes[{index}]: {what}")))
        });
        let columns: Vec<AppliedColumn> = columns.collect::<Result<_, _>>()?;
        let boxes = match document.get("recoding").and_then(Value::as_str) {
            None => None,
            Some("local") => Some(boxes(&document, &columns).map_err(garbled)?),
            Some(_) => return Err(garbled("recoding: unknown".into())),
        };
        Ok(Transform { columns, boxes })
    }
}

/// The transformation of a release or a private folder.
fn within(directory: &Path) -> Result<PathBuf, TransformError> {
    let own = directory.join("transform.json");
    if own.exists() || !directory.join("manifest.json").exists() {
        return Ok(own);
    }
    match find_private(directory) {
        Some(private) => Ok(private.join("transform.json")),
        None => {
            let path = private_of(directory).join("transform.json");
            let what = "the private folder is not beside the release; it has the transformation and stays with who made the release";
            Err(TransformError::Garbled { path, what: what.into() })
        }
    }
}

/// The boxes of a local recoding.
fn boxes(document: &Value, columns: &[AppliedColumn]) -> Result<Vec<AppliedBox>, String> {
    let heights: Vec<u8> = columns
        .iter()
        .filter_map(|column| match &column.action {
            Action::Generalize { hierarchy, .. } => Some(hierarchy.max_level()),
            Action::Drop | Action::Keep => None,
        })
        .collect();
    let read = |shown: &Value| -> Option<AppliedBox> {
        let levels = shown["levels"].as_array()?.iter();
        let levels: Vec<u8> =
            levels.map(|level| u8::try_from(level.as_u64()?).ok()).collect::<Option<_>>()?;
        let labels = shown["labels"].as_array()?.iter();
        let label = |label: &Value| match label {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            _ => None,
        };
        let labels: Vec<Option<String>> = labels.map(label).collect::<Option<_>>()?;
        let fits = levels.len() == heights.len()
            && labels.len() == heights.len()
            && levels.iter().zip(&heights).all(|(level, height)| level <= height);
        fits.then_some(AppliedBox { levels, labels })
    };
    let boxes = document["boxes"].as_array().ok_or("boxes: missing")?.iter().enumerate();
    boxes.map(|(index, shown)| read(shown).ok_or_else(|| format!("boxes[{index}]: not a box"))).collect()
}

fn column(attribute: &Value) -> Result<AppliedColumn, String> {
    let text =
        |key: &str| attribute[key].as_str().map(str::to_owned).ok_or_else(|| format!("{key}: missing"));
    let action = match text("role")?.as_str() {
        "identifying" => Action::Drop,
        "sensitive" | "insensitive" => Action::Keep,
        "quasi-identifier" => {
            let hierarchy =
                from_json(&attribute["hierarchy"]).map_err(|error| format!("hierarchy: {error}"))?;
            let level = attribute.get("level").unwrap_or(&attribute["levels"][1]);
            let level = level.as_u64().and_then(|level| u8::try_from(level).ok());
            let level = level
                .filter(|&level| level <= hierarchy.max_level())
                .ok_or("level: not one of the hierarchy")?;
            Action::Generalize { hierarchy, level }
        }
        _ => return Err("role: unknown".into()),
    };
    let groups = match (&action, attribute.get("hierarchy")) {
        (Action::Keep, Some(groups)) => {
            Some(from_json(groups).map_err(|error| format!("hierarchy: {error}"))?)
        }
        _ => None,
    };
    Ok(AppliedColumn { name: text("name")?, data_type: text("type")?, action, groups })
}
