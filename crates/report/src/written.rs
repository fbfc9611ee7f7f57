//! What documents of several kinds say about files: what was written, what was read, where it is registered.

use schemars::JsonSchema;
use serde::Serialize;

/// What was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WrittenFile {
    /// Name of the data file.
    pub file: String,
    /// Its rows.
    pub rows: u64,
    /// Its digest.
    pub sha256: String,
    /// Whether the independent verifier accepted the files.
    pub verified: bool,
    /// What only the house is told; absent in what is handed out.
    #[serde(flatten)]
    pub kept: Option<KeptOutput>,
}

/// What only the house is told about what was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KeptOutput {
    /// The data file.
    pub path: String,
    /// The public key that the manifest is signed with; `null` where it is not signed.
    pub signed_by: Option<String>,
}

/// The table that was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadTable {
    /// Its rows.
    pub rows: u64,
    /// Its digest.
    pub sha256: String,
}

/// A release's place in the register, where it is not compared with earlier ones.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RegisteredFacts {
    /// Tells this register from others.
    pub id: String,
    /// Number of the release.
    pub sequence: u64,
    /// Releases that were registered before it.
    pub releases_before: u64,
    /// Hash of the line before its own.
    pub previous: String,
}
