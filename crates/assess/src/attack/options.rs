//! What the attacker is given.

use crate::InMemory;
use paravent_evidence::attack::Attack;
use std::path::PathBuf;

/// What the attacker is given.
#[derive(Clone, Debug, Default)]
pub struct AttackOptions {
    /// The release directory, or any table whose columns are named.
    pub release: Option<PathBuf>,
    /// The quasi-identifiers of a table.
    pub quasi_identifiers: Vec<String>,
    /// The sensitive columns of a table.
    pub sensitive: Vec<String>,
    /// The columns that say whose row it is, in a table; empty: those of the job.
    pub person: Vec<String>,
    /// The original table, to judge by.
    pub original: Option<PathBuf>,
    /// Whether the original is known to be the one: it is then not held against the release.
    pub is_the_original: bool,
    /// A table with names and some of the quasi-identifiers.
    pub external: Option<PathBuf>,
    /// People like those in the table, who are not in it.
    pub holdout: Option<PathBuf>,
    /// Earlier releases of the same people.
    pub previous: Vec<PathBuf>,
    /// Everybody who might be in the table.
    pub population: Option<PathBuf>,
    /// The job that says how raw tables are stored.
    pub job: Option<PathBuf>,
    /// The column that names the same person in the original and the external table.
    pub key: Option<String>,
    /// Only these attacks; all if empty.
    pub only: Vec<Attack>,
    /// Beside those: attacks that are run where the attacker has what they need.
    pub also: Vec<Attack>,
    /// Hierarchies of sensitive columns.
    pub similar: Vec<Similar>,
    /// Sensitive values that must not be ruled out: column and value.
    pub protected: Vec<(String, String)>,
    /// Columns with noise.
    pub noise: Vec<Noise>,
    /// A sliced or bucketized table.
    pub sliced: Option<Sliced>,
    /// A log of the rows that queries were about.
    pub queries: Option<PathBuf>,
    /// How many rows the table behind the queries has; the answer about all of them is then known.
    pub rows: Option<u64>,
    /// A secret from this share on is told.
    pub threshold: f64,
    /// The promised k where no manifest says it (queries).
    pub k: Option<u64>,
    /// Tries of each game.
    pub attempts: usize,
    /// Where chance comes from.
    pub seed: u64,
    /// Tables and releases among these that are in memory.
    pub in_memory: InMemory,
}

/// A hierarchy file of a sensitive column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Similar {
    /// The column.
    pub column: String,
    /// The file.
    pub path: PathBuf,
}

/// Noise on a column: randomized response.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// The column.
    pub column: String,
    /// Probability that a cell was kept.
    pub keep: f64,
}

/// A sliced or bucketized table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sliced {
    /// The table.
    pub table: PathBuf,
    /// The column that names the bucket.
    pub bucket: String,
    /// The groups of columns; the first is what the attacker knows.
    pub groups: Vec<Vec<String>>,
}
