//! What the lines of the register say.

use super::people::PeopleSketch;
use super::sketch::{Salt, Sketch};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A line of the register.
pub type Line = paravent_ledger::log::Line<Record>;

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// The register was started.
    Register {
        /// Version of the register's format.
        format: u32,
        /// Version of the program.
        paravent: String,
        /// What keeps sketches of one register from being compared with those of another.
        salt: Salt,
    },
    /// A release was made.
    Release(Box<ReleaseRecord>),
    /// A release that was announced did not appear after all, or was taken back.
    Withdrawal {
        /// The sequence number of its line.
        of: u64,
        /// Why, in the words of whoever took it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// A release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseRecord {
    /// Its directory, seen from the register's where that is possible.
    pub release: String,
    /// What it was made of.
    pub input: InputRecord,
    /// Names of the quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The job.
    pub job: JobRecord,
    /// What was promised.
    pub criteria: Vec<Criterion>,
    /// Released rows.
    pub rows: u64,
    /// SHA-256 of every file of the release.
    pub files: BTreeMap<String, String>,
    /// SHA-256 of every file of its private folder; none before there were such folders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub private: BTreeMap<String, String>,
    /// Whether its files are known to be in their place: `false` from the moment the line is written until they are; absent before that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appeared: Option<bool>,
}

impl ReleaseRecord {
    /// The digest of the manifest: what identifies a release.
    pub fn manifest(&self) -> &str {
        self.files.get("manifest.json").map_or("", String::as_str)
    }

    /// The digest of the data file.
    pub fn data(&self) -> &str {
        self.files.iter().find(|(name, _)| name.starts_with("data.")).map_or("", |(_, digest)| digest)
    }
}

/// The table a release was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// Digest of the bytes as they were read.
    pub sha256: String,
    /// Its rows.
    pub rows: u64,
    /// What tells overlapping tables.
    pub sketch: Sketch,
    /// What tells tables about the same people, a sketch for every way to name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PeopleSketch>,
}

/// The job of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Name of the file.
    pub file: String,
    /// Its digest.
    pub sha256: String,
}

/// A promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Name of the model.
    pub model: String,
    /// Its parameters, without lists of values.
    pub required: Value,
}
