//! The document of a released answer, as `report.json` holds it.

use super::{ReadTable, RegisteredFacts, UnchangedFacts, VerdictFacts, WrittenFile};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What the operators of a query did and promise. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AnswerDocument {
    /// What the manifest says as well.
    #[serde(flatten)]
    pub facts: AnswerFacts,
    /// Rows released.
    pub rows: u64,
    /// What a reader should know, in words that may be handed out.
    pub notes: Vec<String>,
    /// What the reader is warned of; empty is good.
    pub warnings: Vec<String>,
    /// Whom columns that are released as they are single out; `null` where there are none.
    pub unchanged: Option<UnchangedFacts>,
    /// The verdict as a whole.
    pub verdict: VerdictFacts,
    /// What was written; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<WrittenFile>,
    /// The release's place in the register; absent in what is handed out and where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisteredFacts>,
    /// What only the house is told; absent in what is handed out.
    #[serde(flatten)]
    pub kept: Option<KeptAnswer>,
}

/// What manifest and report of a released answer share.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AnswerFacts {
    /// Version of the program.
    pub paravent: &'static str,
    /// `sql`.
    pub kind: &'static str,
    /// Columns of the answer.
    pub columns: Vec<ShownColumn>,
    /// Columns left out as identifying.
    pub dropped: Vec<String>,
    /// Operators that the answer went through, innermost first.
    pub operators: Vec<String>,
    /// What can be checked on its rows.
    pub privacy: Vec<RowPromise>,
    /// Whether the draw can be repeated by whoever knows a seed.
    pub seeded: bool,
    /// What is promised, in words.
    pub promised: Vec<String>,
    /// What is not.
    pub not_promised: Vec<String>,
}

/// A column of the answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownColumn {
    /// Its name.
    pub name: String,
    /// What has become of its cells.
    pub shown: &'static str,
}

/// What a generalization promises about the rows of the answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RowPromise {
    /// The columns with its labels.
    pub quasi_identifiers: Vec<String>,
    /// The models.
    pub models: Vec<RequiredModel>,
}

/// A model and what it requires.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RequiredModel {
    /// Its name.
    pub model: String,
    /// Its parameters.
    pub required: Value,
}

/// What only the house is told about an answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KeptAnswer {
    /// How it was made.
    pub private: PrivateAnswer,
    /// The table that the query is about.
    pub table: ReadTable,
}

/// How an answer was made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PrivateAnswer {
    /// The statement, which may hold cells.
    pub statement: String,
    /// Figures of its operators and the rules that were applied.
    #[serde(flatten)]
    pub figures: Map<String, Value>,
}
