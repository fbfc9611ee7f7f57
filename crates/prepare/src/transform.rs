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
    /// Generalized to a level.
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
        Ok(Transform { columns: columns.collect::<Result<_, _>>()? })
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

fn column(attribute: &Value) -> Result<AppliedColumn, String> {
    let text =
        |key: &str| attribute[key].as_str().map(str::to_owned).ok_or_else(|| format!("{key}: missing"));
    let action = match text("role")?.as_str() {
        "identifying" => Action::Drop,
        "sensitive" | "insensitive" => Action::Keep,
        "quasi-identifier" => {
            let hierarchy =
                from_json(&attribute["hierarchy"]).map_err(|error| format!("hierarchy: {error}"))?;
            let level = attribute["level"].as_u64().and_then(|level| u8::try_from(level).ok());
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
