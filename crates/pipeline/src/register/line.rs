//! One line of the register: a JSON object that ends in the hash of all that is before it.

use super::people::PeopleSketch;
use super::sketch::{Salt, Sketch};
use paravent_tables::digest::hexadecimal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What a line says: of the register, or of another log that is held together in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line<R = Record> {
    /// 0 for the first line of the file, then one more each.
    pub sequence: u64,
    /// When it was written, in UTC.
    pub time: String,
    /// What happened.
    #[serde(flatten)]
    pub record: R,
    /// Hash of the line before; empty in the first.
    pub previous: String,
}

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

/// What stands between a line's content and its hash.
const BEFORE_HASH: &str = ",\"hash\":\"";
const AFTER_HASH: &str = "\"}";

impl<R: Serialize + DeserializeOwned> Line<R> {
    /// The line as it is written, without a line end, and its hash.
    pub fn sealed(&self) -> (String, String) {
        let body = serde_json::to_string(self).unwrap_or_default();
        let hash = hash(body.as_bytes());
        let open = body.strip_suffix('}').unwrap_or(&body);
        (format!("{open}{BEFORE_HASH}{hash}{AFTER_HASH}"), hash)
    }

    /// Reads a line back, with its hash.
    pub fn open(bytes: &[u8]) -> Result<(Line<R>, String), &'static str> {
        const CHANGED: &str = "the line was changed: its hash does not fit its content";
        let text = std::str::from_utf8(bytes).map_err(|_| CHANGED)?;
        let (open, end) = text.rsplit_once(BEFORE_HASH).ok_or(CHANGED)?;
        let written = end.strip_suffix(AFTER_HASH).ok_or(CHANGED)?;
        let body = format!("{open}}}");
        if hash(body.as_bytes()) != written {
            return Err(CHANGED);
        }
        let line = serde_json::from_str(&body)
            .map_err(|_| "the line is of a kind that this version does not know")?;
        Ok((line, written.to_owned()))
    }
}

fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
