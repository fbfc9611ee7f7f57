//! The document of a noisy release, as `report.json` holds it.

use super::{ReadTable, RegisteredFacts, UnchangedFacts, VerdictFacts, WrittenFile};
use schemars::JsonSchema;
use serde::Serialize;

/// What the noise did and promises. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NoiseDocument {
    /// Version of the program.
    pub paravent: &'static str,
    /// `noise`.
    pub kind: &'static str,
    /// Rows released.
    pub rows: u64,
    /// Columns with noise: how it was drawn, what it costs, and how to estimate with it.
    pub columns: Vec<NoiseColumn>,
    /// Columns without noise.
    pub exact: Vec<String>,
    /// Columns left out as identifying.
    pub dropped: Vec<String>,
    /// The ε of all columns together.
    pub epsilon: String,
    /// The δ of all columns together.
    pub delta: String,
    /// Whether ε bounds what the noise gives away.
    pub bounded: bool,
    /// Who gets it, as the ledger calls them.
    pub recipient: String,
    /// Whether the draw can be repeated by whoever knows a seed.
    pub seeded: bool,
    /// What is promised, in words.
    pub promised: Vec<String>,
    /// What is not.
    pub not_promised: Vec<String>,
    /// What was written; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<WrittenFile>,
    /// The largest number of rows of one person; absent where the job does not say whose row it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_person: Option<u64>,
    /// The verdict as a whole.
    pub verdict: VerdictFacts,
    /// Whom columns without noise single out; `null` where all have noise.
    pub unchanged: Option<UnchangedFacts>,
    /// What the reader should know; empty is good.
    pub warnings: Vec<String>,
    /// What only the house is told; absent in what is handed out.
    #[serde(flatten)]
    pub kept: Option<KeptNoise>,
    /// The release's place in the register; absent in what is handed out and where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisteredFacts>,
}

/// A column with noise.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NoiseColumn {
    /// Its name.
    pub column: String,
    /// With this probability a cell was redrawn; `null` for cases and added numbers.
    pub probability: Option<String>,
    /// Which noise.
    pub law: &'static str,
    /// Number of values of the noise; absent where they were read off the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<u64>,
    /// What it gives away, as it was charged; `null` where no ε bounds it.
    pub epsilon: Option<String>,
    /// The probability with which ε may fail to hold.
    pub delta: Option<String>,
    /// Unbiased estimates of the true number of rows of each value; `null` where the noise is not undone.
    pub estimates: Option<Vec<ValueEstimate>>,
    /// The true mean of numbers, estimated without bias.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<MeanEstimate>,
    /// What becomes of values that the noise does not know: `refuse`, `clamp` or `other`.
    pub outside: &'static str,
    /// What becomes of missing cells: `draw`, `value` or `refuse`.
    pub missing: &'static str,
    /// The value that stands for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The column that the noise depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The least number that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    /// The largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    /// The distance between neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// The true number of rows of a value, as far as the noisy ones can tell.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ValueEstimate {
    /// The value; `null` for the missing one.
    pub value: Option<String>,
    /// Rows that show it now.
    pub observed: u64,
    /// Rows that had it, estimated without bias.
    pub estimate: f64,
    /// Its standard error over the noise.
    pub standard_error: f64,
}

/// A mean, as far as the noisy numbers can tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct MeanEstimate {
    /// The mean of the numbers that are shown.
    pub observed: f64,
    /// The mean of the true numbers, estimated without bias.
    pub estimate: f64,
    /// Its standard error over the noise.
    pub standard_error: f64,
}

/// What only the house is told about a noisy release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KeptNoise {
    /// How many cells changed, column by column: with it, single cells could be told.
    pub changed: Vec<ChangedCells>,
    /// Columns that the job does not mention, which are left out.
    pub unmentioned: Vec<String>,
    /// What all noisy answers to this recipient have cost, this one included.
    pub spent: String,
    /// What is left.
    pub left: String,
    /// What was read.
    pub input: ReadTable,
    /// The seed, if one was asked for.
    pub seed: Option<u64>,
}

/// Cells that show something else than before.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChangedCells {
    /// The column.
    pub column: String,
    /// Rows of which it shows another cell.
    pub rows: u64,
}
