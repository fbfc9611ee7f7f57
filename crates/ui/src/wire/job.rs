//! The project and its job.

use super::runs::ProblemView;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the page must know to begin.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionView {
    /// Version of the program.
    pub version: String,
    /// Name of the project folder.
    pub project: String,
    /// Name of the job file.
    pub job_file: String,
    /// Whether it is there.
    pub has_job: bool,
    /// The table that is looked at, if there is one.
    pub data: Option<DataView>,
    /// Name of the table that the job asks for and that is not there.
    pub data_missing: Option<String>,
    /// The public key of the project's signing key.
    pub key: Option<String>,
    /// Whether the job's release is on disk.
    pub has_release: bool,
    /// Largest table that can be dropped, in bytes.
    pub data_limit: u64,
    /// Whether the program can answer questions under a policy: it was built with SQL.
    pub sql: bool,
}

/// The table that is looked at.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DataView {
    /// Name of the file.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Whether it was dropped, and will be gone when the program ends.
    pub dropped: bool,
}

/// The job file as it is now.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JobView {
    /// The file, byte by byte.
    pub text: String,
    /// Its digest; who changes the job says which one it was.
    pub digest: String,
    /// Its keys as JSON; `null` where the text is no TOML.
    #[cfg_attr(test, ts(type = "any"))]
    pub keys: Value,
    /// What is wrong with it.
    pub problems: Vec<ProblemView>,
    /// Whether there is a step back.
    pub can_undo: bool,
    /// Whether there is a step forward.
    pub can_redo: bool,
}

/// A new text of the job file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PutJob {
    /// The whole text.
    pub text: String,
    /// The digest of the text that was changed.
    pub digest: Option<String>,
}

/// Changes of single keys.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PatchJob {
    /// In this order.
    pub changes: Vec<Change>,
    /// The digest of the text that is changed.
    pub digest: Option<String>,
}

/// A change of one key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Change {
    /// The way to the key. The number after the last of a list adds to it.
    pub path: Vec<Step>,
    /// What it says from now on; `null` removes it.
    #[cfg_attr(test, ts(type = "any"))]
    pub value: Value,
}

/// A step on the way to a key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Step {
    /// Into a list; entries count from 0.
    Index(usize),
    /// Into a table.
    Key(String),
}

/// A privacy model that can be promised.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelView {
    /// Its name in the job file.
    pub name: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// What every released class keeps.
    pub statement: &'static str,
    /// What it is good for, and what it leaves open.
    pub meaning: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its keys beside `model`.
    pub keys: Vec<ModelKey>,
}

/// A measure of information loss that can be kept small.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MetricView {
    /// Its name in the job file.
    pub name: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// What it counts.
    pub meaning: &'static str,
}

/// A key of a model.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelKey {
    /// How it is written.
    pub name: &'static str,
    /// What it says, with its range.
    pub says: &'static str,
    /// A value that would be right, as TOML.
    pub example: &'static str,
}
