//! `transform.json`: how the columns were changed.

use serde_json::Value;

use crate::VerifyError;
use crate::hierarchy::Hierarchy;
use crate::json::Node;
use crate::manifest::{Levels, is_local, require_format};
use crate::treatment::Treatment;
use crate::types::{Role, Type};

/// All columns of the input.
pub(crate) struct Transform {
    pub(crate) columns: Vec<Recoding>,
    /// The boxes, where every class has one of its own.
    pub(crate) boxes: Option<Vec<ReleasedBox>>,
    /// Digest of the manifest it was made with, where the two are in different folders.
    pub(crate) manifest_sha256: Option<String>,
}

/// The labels of one class, in the order of the quasi-identifiers.
pub(crate) struct ReleasedBox {
    pub(crate) levels: Vec<u64>,
    pub(crate) labels: Vec<Option<Box<str>>>,
    pub(crate) rows: u64,
}

/// What happened to one column.
pub(crate) struct Recoding {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kind: Type,
    /// Levels and hierarchy of a quasi-identifier.
    pub(crate) levels: Option<(Levels, Hierarchy)>,
    /// What else was done to its cells.
    pub(crate) treatment: Treatment,
}

impl Transform {
    pub(crate) fn parse(file: &str, value: &Value) -> Result<Transform, VerifyError> {
        let root = Node::root(file, value);
        require_format(&root)?;
        let is_local = is_local(&root)?;
        let columns = root.get("attributes")?.columns()?;
        Ok(Transform {
            boxes: match is_local {
                true => Some(root.get("boxes")?.items()?.map(ReleasedBox::parse).collect::<Result<_, _>>()?),
                false => None,
            },
            manifest_sha256: match root.optional("release") {
                Some(release) => Some(release.get("manifest_sha256")?.str()?.to_owned()),
                None => None,
            },
            columns: columns.map(|node| Recoding::parse(node, is_local)).collect::<Result<_, _>>()?,
        })
    }

    /// The first column of that name.
    pub(crate) fn column(&self, name: &str) -> Option<&Recoding> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl ReleasedBox {
    fn parse(node: Node<'_>) -> Result<ReleasedBox, VerifyError> {
        let levels = node.get("levels")?.items()?.map(|level| level.u64()).collect::<Result<_, _>>()?;
        Ok(ReleasedBox { levels, labels: node.get("labels")?.cells()?, rows: node.get("rows")?.rows()? })
    }
}

impl Recoding {
    fn parse(node: Node<'_>, is_local: bool) -> Result<Recoding, VerifyError> {
        let role = Role::parse(&node.get("role")?)?;
        let kind = Type::parse(&node.get("type")?)?;
        let treatment = Treatment::of(&node)?;
        Ok(Recoding {
            name: node.get("name")?.str()?.to_owned(),
            role,
            kind,
            levels: match role {
                Role::QuasiIdentifier if treatment.aggregate.is_none() => {
                    Some((Levels::parse(&node, is_local)?, Hierarchy::parse(&node.get("hierarchy")?, kind)?))
                }
                _ => None,
            },
            treatment,
        })
    }
}
