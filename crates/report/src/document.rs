//! The document that `anonymize --json` prints and that `report.json` of the private folder holds.

use super::{AboutFacts, OpinionFacts, TreatmentFacts, UnchangedFacts, VerdictFacts};
use crate::earlier::{broken_with, in_words, untried};
use crate::{EarlierRelease, HeldAgainst};
use paravent_assess::risk::RiskBeforeAfter;
use paravent_assess::utility::UtilityFacts;
use paravent_prepare::study::PromiseFacts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What a run found, promised and wrote. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Document {
    /// Version of the program.
    pub paravent: &'static str,
    /// Digest of the job file.
    pub job_sha256: String,
    /// What was read.
    pub input: InputFacts,
    /// What was searched.
    pub lattice: LatticeFacts,
    /// How it was searched.
    pub search: SearchFacts,
    /// What was chosen.
    pub solution: SolutionFacts,
    /// What is promised, criterion by criterion.
    pub privacy: Vec<PromiseFacts>,
    /// What was done besides generalizing and suppressing.
    #[serde(skip_serializing_if = "TreatmentFacts::is_empty")]
    pub treatments: TreatmentFacts,
    /// What was written; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputFacts>,
    /// What the user should know; empty is good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What remains to be feared, before and after; absent where it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskBeforeAfter>,
    /// Who is singled out by columns that are released as they are; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<UnchangedFacts>,
    /// The verdict as a whole; absent while it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictFacts>,
    /// Who was left out; absent in a dry run, where nobody was, and in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<LeftOut>,
    /// What the release is, for whom, and on what ground; absent where the job does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutFacts>,
    /// Singling out, linkability and inference, measured against the original; absent in a dry run and in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opinion: Option<OpinionFacts>,
    /// What the release is still good for; absent in a dry run, for large tables, and in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility: Option<UtilityFacts>,
    /// The release's place in the register; absent in a dry run and where the job wants none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisterFacts>,
    /// Registers without a line of it against whose releases it was held: in a dry run, where the job wants no line, and above the job's folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_against: Vec<HeldAgainst>,
    /// Whether it leaves without a line in a register: later releases are then not held against it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unregistered: bool,
}

impl Document {
    /// All earlier releases that it was held against.
    pub fn earlier(&self) -> impl Iterator<Item = &EarlierRelease> {
        let others = self.held_against.iter().flat_map(|held| &held.earlier);
        self.register.iter().flat_map(|register| &register.earlier).chain(others)
    }

    /// The earlier releases together with which this one breaks a promise, in words; `None` where there is none.
    pub fn broken_together(&self) -> Option<String> {
        told(self, broken_with)
    }

    /// The earlier releases of which nobody could find out what they tell together with this one, in words.
    pub fn untried(&self) -> Option<String> {
        told(self, untried)
    }
}

/// `release 7 and 2 more of the register`: some of the earlier releases, register by register.
fn told(document: &Document, some: fn(&[EarlierRelease]) -> Vec<u64>) -> Option<String> {
    let own = document.register.iter().map(|register| (String::new(), &register.earlier));
    let others = document.held_against.iter().map(|held| (format!(" {}", held.register), &held.earlier));
    let told: Vec<String> =
        own.chain(others).filter_map(|(name, earlier)| in_words(&some(earlier), &name)).collect();
    (!told.is_empty()).then(|| told.join(" and "))
}

/// Who was left out, by the labels they would have been released with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Classes that were suppressed.
    pub classes: u64,
    /// The first of them, in the order of their labels.
    pub listed: Vec<LeftOutClass>,
    /// Groups of people by one column at a time: how many there are, and how many were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<LeftOutGroup>,
}

/// People who share a label.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOutGroup {
    /// The column.
    pub column: String,
    /// The label; absent for a missing value.
    pub label: Option<String>,
    /// Rows of the table.
    pub rows: u64,
    /// Those that were left out.
    pub suppressed: u64,
}

impl LeftOutGroup {
    /// The share that was left out.
    pub fn share(&self) -> f64 {
        self.suppressed as f64 / self.rows.max(1) as f64
    }
}

/// One class that was suppressed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOutClass {
    /// Its labels by column; `null` is a missing value.
    pub labels: Map<String, Value>,
    /// Its rows.
    pub rows: u64,
}

/// A release's place in the register of releases.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RegisterFacts {
    /// Tells this register from others.
    pub id: String,
    /// Where it is, seen from the private folder.
    pub file: String,
    /// Number of the release.
    pub sequence: u64,
    /// Releases that were registered before it.
    pub releases_before: u64,
    /// Hash of the line before its own.
    pub previous: String,
    /// Earlier releases that share rows with it, newest first.
    pub earlier: Vec<EarlierRelease>,
}

impl RegisterFacts {
    /// The earlier releases together with which this one breaks a promise.
    pub fn broken_with(&self) -> Vec<u64> {
        broken_with(&self.earlier)
    }

    /// The earlier releases of the same rows or people of which nobody could find out what they tell together with this one.
    pub fn untried(&self) -> Vec<u64> {
        untried(&self.earlier)
    }
}

/// What was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InputFacts {
    /// Rows of the table (of the subset, where one is declared).
    pub rows: u64,
    /// Distinct quasi-identifier tuples.
    pub distinct_tuples: u64,
    /// Time to read and count.
    pub seconds: f64,
    /// Bytes of tuples that went to a file because they are more than the job's memory holds; absent where all were held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spilled_bytes: Option<u64>,
    /// Bytes that came over the wire until all was counted; absent where the table is a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_bytes: Option<u64>,
    /// Digest of the bytes as they were read; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What was searched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LatticeFacts {
    /// Number of nodes.
    #[serde(serialize_with = "in_json")]
    #[schemars(with = "f64")]
    pub nodes: u128,
    /// Number of heights.
    pub levels: u32,
}

/// How it was searched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SearchFacts {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Case of monotonicity, 1 to 6.
    pub case: u8,
    /// Whether the solution is proven optimal.
    pub optimal: bool,
    /// Nodes checked.
    pub checks: u64,
    /// Checks that started from classes of a specialization.
    pub rollups: u64,
    /// Threads that the run may use.
    pub threads: usize,
    /// Time of the search.
    pub seconds: f64,
    /// Most memory held by tuples and snapshots.
    pub peak_bytes: usize,
    /// Tests of few columns, which are cheap and not counted as checks.
    pub subset_tests: u64,
    /// Nodes decided without a check of their own.
    pub tagged: u64,
    /// No transformation has a lower loss than this; absent where nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// With a box for every class: how often classes were dissolved and clustered anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// By how much of its loss the solution can still be beaten, in percent: 0 when it is proven optimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_percent: Option<f64>,
}

/// What was chosen.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SolutionFacts {
    /// `local` where every class has a box of its own; absent where all rows show the same levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recoding: Option<&'static str>,
    /// Level of every quasi-identifier, in job order; absent with a box for every class.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub transformation: Map<String, Value>,
    /// With a box for every class: the levels that the labels of each quasi-identifier come from, in job order.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub levels: Map<String, Value>,
    /// Name of the metric that was minimised.
    pub metric: &'static str,
    /// Its value, lower is better.
    #[schemars(with = "Option<f64>")]
    pub loss: f64,
    /// With a box for every class: no such release has a lower loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<f64>,
    /// With a box for every class: how far the loss is above the lower bound, as a share of the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Every metric as the literature defines it, by name.
    pub losses: Map<String, Value>,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Where people are counted: all of them, and those who lose a row. Class sizes are then people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<PeopleFacts>,
    /// Classes released.
    pub classes: u64,
    /// Rows of the smallest one, or people.
    pub smallest_class: u64,
    /// Most quasi-identifiers of a person that anybody knows; absent where all of them may be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_known: Option<u32>,
    /// Mean rows of a class, or people.
    pub average_class: f64,
    /// By quasi-identifier: the first labels that released rows show, and how many there are; absent with a box for every class.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub labels: Map<String, Value>,
}

/// People before and after.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct PeopleFacts {
    /// People in the table.
    pub read: u64,
    /// People who lose at least one row.
    pub losing: u64,
    /// Most who may.
    pub limit: u64,
    /// What becomes of the other rows of a person who loses one, as in the job.
    pub rows: &'static str,
}

/// What was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OutputFacts {
    /// The data file.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// Its digest.
    pub sha256: String,
    /// Whether the independent verifier accepted the files.
    pub verified: bool,
    /// Time to write and verify.
    pub seconds: f64,
    /// The public key that the manifest is signed with; absent where it is not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
}

/// A number of transformations as JSON can hold it: exactly up to 2^64, rounded beyond.
fn in_json<S: serde::Serializer>(nodes: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*nodes) {
        Ok(nodes) => serializer.serialize_u64(nodes),
        Err(_) => serializer.serialize_f64(*nodes as f64),
    }
}
