//! The document of a sliced release, as `report.json` holds it.

use super::{RegisteredFacts, UnchangedFacts, VerdictFacts, WrittenFile};
use schemars::JsonSchema;
use serde::Serialize;

/// What a slicing did and promises. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SliceDocument {
    /// Version of the program.
    pub paravent: &'static str,
    /// `slice`.
    pub kind: &'static str,
    /// Rows released.
    pub rows: u64,
    /// The groups of columns.
    pub groups: Vec<SliceGroup>,
    /// Most rows that may be alone with their values inside a group, as a share.
    pub unique_limit: String,
    /// Columns that buckets were made by.
    pub known: Vec<String>,
    /// Columns left out as identifying.
    pub dropped: Vec<String>,
    /// Rows of the smallest bucket.
    pub smallest_bucket: u64,
    /// Different sensitive values of a bucket, where a number of them is demanded.
    pub diversity: Vec<SliceDiversity>,
    /// All pairs of columns.
    pub pairs: Vec<SlicePair>,
    /// Whether the draw can be repeated by whoever knows a seed.
    pub seeded: bool,
    /// What is promised, in words.
    pub promised: Vec<String>,
    /// What is not.
    pub not_promised: Vec<String>,
    /// Whom columns that are released as they are single out.
    pub unchanged: Option<UnchangedFacts>,
    /// The verdict as a whole.
    pub verdict: VerdictFacts,
    /// What the reader should know; empty is good.
    pub warnings: Vec<String>,
    /// What was written; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<WrittenFile>,
    /// The release's place in the register; absent in what is handed out and where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisteredFacts>,
}

/// A group of columns that stay together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SliceGroup {
    /// Its columns.
    pub columns: Vec<String>,
    /// Rows that are alone with their values inside the group, in percent; `null` for a single column.
    pub unique_percent: Option<f64>,
}

/// Different values of a sensitive column in a bucket.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SliceDiversity {
    /// The column.
    pub attribute: String,
    /// How many are demanded.
    pub l: u64,
    /// How many the poorest bucket has.
    pub least: u64,
}

/// Two columns, and whether figures over both are exact.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SlicePair {
    /// The columns.
    pub columns: [String; 2],
    /// Whether they stay together.
    pub kept: bool,
}
