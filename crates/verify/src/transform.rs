//! `transform.json`: how the columns were changed.

use serde_json::Value;

use crate::VerifyError;
use crate::hierarchy::Hierarchy;
use crate::json::Node;
use crate::manifest::require_format;
use crate::types::{Role, Type};

/// All columns of the input.
pub(crate) struct Transform {
    pub(crate) columns: Vec<Recoding>,
    /// Digest of the manifest it was made with, where the two are in different folders.
    pub(crate) manifest_sha256: Option<String>,
}

/// What happened to one column.
pub(crate) struct Recoding {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kind: Type,
    /// Level and hierarchy of a quasi-identifier.
    pub(crate) level: Option<(u64, Hierarchy)>,
}

impl Transform {
    pub(crate) fn parse(file: &str, value: &Value) -> Result<Transform, VerifyError> {
        let root = Node::root(file, value);
        require_format(&root)?;
        Ok(Transform {
            manifest_sha256: match root.optional("release") {
                Some(release) => Some(release.get("manifest_sha256")?.str()?.to_owned()),
                None => None,
            },
            columns: root.get("attributes")?.columns()?.map(Recoding::parse).collect::<Result<_, _>>()?,
        })
    }

    /// The first column of that name.
    pub(crate) fn column(&self, name: &str) -> Option<&Recoding> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Recoding {
    fn parse(node: Node<'_>) -> Result<Recoding, VerifyError> {
        let role = Role::parse(&node.get("role")?)?;
        let kind = Type::parse(&node.get("type")?)?;
        Ok(Recoding {
            name: node.get("name")?.str()?.to_owned(),
            role,
            kind,
            level: match role {
                Role::QuasiIdentifier => {
                    Some((node.get("level")?.u64()?, Hierarchy::parse(&node.get("hierarchy")?, kind)?))
                }
                _ => None,
            },
        })
    }
}
