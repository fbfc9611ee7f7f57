//! Singling out, linkability and inference: the three risks of the Article 29 Working Party (Opinion 05/2014, WP 216), measured against the original.

use crate::earlier::documents;
use paravent_evidence::attack::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// What remains of the three risks, or why it is unknown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OpinionFacts {
    /// An attack each, or several where several columns are secrets.
    #[serde(serialize_with = "documents")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub attacks: Vec<Outcome>,
    /// Why they were not tried; absent where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_tested: Option<String>,
}
