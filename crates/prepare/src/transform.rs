//! `transform.json`: the transformation, complete enough to apply it to rows that come later.

use crate::hierarchies::from_json;
use paravent_core::hierarchy::Hierarchy;
use paravent_tables::write::{find_private, private_of};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A transformation read back.
#[derive(Debug, Clone)]
pub struct Transform {
    /// Columns in the order of the original input.
    pub columns: Vec<AppliedColumn>,
    /// The boxes, where every class has one of its own: one label per quasi-identifier, in the order of the columns.
    pub boxes: Option<Vec<AppliedBox>>,
    /// How the original is stored and its cells are written, as `ReadOptions::told` says it; releases of earlier versions do not say it.
    pub input: Option<Value>,
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
    /// What else is done to its cells, as the document says it.
    pub treatment: Option<Value>,
}

/// What becomes of a column.
#[derive(Debug, Clone)]
pub enum Action {
    /// Left out.
    Drop,
    /// Kept as it is.
    Keep,
    /// Left out; keyed pseudonyms leave instead.
    Pseudonyms,
    /// A quasi-identifier of which every class shows one figure; which one is in the treatment.
    Aggregate,
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
            Action::Drop | Action::Keep | Action::Pseudonyms | Action::Aggregate => None,
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
            true => within(path).ok_or_else(|| left_behind(path))?,
            false => path.to_owned(),
        };
        let bytes =
            std::fs::read(&path).map_err(|source| TransformError::Io { path: path.clone(), source })?;
        Transform::parse(&bytes, &path)
    }

    /// The transformation of a release, where it can be read: who was handed out the release has no private folder.
    pub fn load_if_there(release: &Path) -> Result<Option<Transform>, TransformError> {
        let Some(path) = within(release) else { return Ok(None) };
        match std::fs::read(&path) {
            Ok(bytes) => Transform::parse(&bytes, &path).map(Some),
            // The private folder of somebody else.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(None),
            Err(source) => Err(TransformError::Io { path, source }),
        }
    }

    /// Reads the text of a `transform.json`; `path` is its name for messages.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Transform, TransformError> {
        let garbled = |what: String| TransformError::Garbled { path: path.to_owned(), what };
        let document: Value = serde_json::from_slice(bytes).map_err(|error| garbled(error.to_string()))?;
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
        let input = document.get("input").filter(|input| input.is_object()).cloned();
        Ok(Transform { columns, boxes, input })
    }
}

/// The transformation of a release or a private folder; `None` for a release whose private folder is elsewhere.
fn within(directory: &Path) -> Option<PathBuf> {
    let own = directory.join("transform.json");
    if own.exists() || !directory.join("manifest.json").exists() {
        return Some(own);
    }
    find_private(directory).map(|private| private.join("transform.json"))
}

fn left_behind(release: &Path) -> TransformError {
    let what = "the private folder is not beside the release; it has the transformation and stays with who made the release";
    TransformError::Garbled { path: private_of(release).join("transform.json"), what: what.into() }
}

/// The boxes of a local recoding.
fn boxes(document: &Value, columns: &[AppliedColumn]) -> Result<Vec<AppliedBox>, String> {
    let heights: Vec<u8> = columns
        .iter()
        .filter_map(|column| match &column.action {
            Action::Generalize { hierarchy, .. } => Some(hierarchy.max_level()),
            Action::Drop | Action::Keep | Action::Pseudonyms | Action::Aggregate => None,
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
    let treatment = attribute.get("treatment").cloned();
    let is_treated = |key: &str| treatment.as_ref().is_some_and(|treatment| treatment.get(key).is_some());
    let action = match text("role")?.as_str() {
        "identifying" if is_treated("pseudonyms") => Action::Pseudonyms,
        "identifying" => Action::Drop,
        "quasi-identifier" if is_treated("aggregate") => Action::Aggregate,
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
    Ok(AppliedColumn { name: text("name")?, data_type: text("type")?, action, groups, treatment })
}
