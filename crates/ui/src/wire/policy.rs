//! Questions under a policy.

use serde::Serialize;
use serde_json::Value;

/// The project's policy, what it allows, and what was asked under it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyView {
    /// Name of the file.
    pub file: String,
    /// Name of the policy.
    pub name: String,
    /// Digest of its canonical form.
    pub version: String,
    /// Who may ask.
    pub recipients: Vec<RecipientView>,
    /// Rules without effect, and rules that together leave nothing.
    pub remarks: Vec<PolicyRemark>,
    /// What answers have cost, and what is kept.
    pub state: StateView,
}

/// Who may ask, what for, and how much.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RecipientView {
    /// Name.
    pub role: String,
    /// How far it is trusted: `untrusted`, `trusted` or `owner`.
    pub trust: String,
    /// Recipients of a group have one account.
    pub group: String,
    /// What all noisy answers to the group may cost.
    pub budget: Option<CostView>,
    /// Most answers of a day.
    pub answers_per_day: Option<u32>,
    /// By purpose: what may be done.
    pub purposes: Vec<PurposeView>,
}

/// ε and δ, exactly.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CostView {
    /// ε
    pub epsilon: String,
    /// δ
    pub delta: String,
}

/// What a recipient may do for a purpose.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PurposeView {
    /// What for.
    pub purpose: String,
    /// By table.
    pub tables: Vec<TableRights>,
}

/// What may be done with a table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TableRights {
    /// Its name in questions.
    pub table: String,
    /// Whether nothing may be done.
    pub denied: bool,
    /// Conditions that rows must meet.
    pub conditions: Vec<String>,
    /// Columns of time with the finest grain that may be used.
    pub times: Vec<(String, String)>,
    /// Whether its rows may be counted as a whole.
    pub count: bool,
    /// Every exact answer is of at least so many people.
    pub min_people: Option<u64>,
    /// By column.
    pub columns: Vec<ColumnRights>,
}

/// What may be done with a column. A level is the lowest that may be used, 0 the value itself; `null` is denied.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ColumnRights {
    /// Its name.
    pub column: String,
    /// In rows.
    pub show: Option<u8>,
    /// In conditions.
    pub filter: Option<u8>,
    /// In groups.
    pub group: Option<u8>,
    /// Figures of it.
    pub figures: Vec<String>,
    /// The most that one answer may tell.
    pub noise: Option<CostView>,
    /// The rules that say so; none is a denial.
    pub rules: Vec<String>,
}

/// A remark on rules.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyRemark {
    /// Which.
    pub rules: Vec<String>,
    /// What is remarkable.
    pub message: String,
}

/// What answers have cost, and what is kept: as `paravent ledger list` tells it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StateView {
    /// Answers that are given again at no cost; none where nothing was asked yet.
    pub answers: Option<usize>,
    /// Sums of what groups have paid.
    pub spent: Vec<SpentView>,
    /// The lines of the ledger, the last first, at most a hundred.
    pub ledger: Vec<LedgerLine>,
    /// All lines with a cost.
    pub lines: usize,
    /// Hash of the last line.
    pub head: Option<String>,
    /// Exact answers that later ones are held against.
    pub exact: Vec<ExactView>,
    /// What is wrong with the files.
    pub broken: Vec<String>,
}

/// What a group has paid.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SpentView {
    /// The group.
    pub group: String,
    /// In all.
    pub cost: CostView,
}

/// A line of the ledger.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LedgerLine {
    /// Its number.
    pub line: usize,
    /// When it was written.
    pub time: String,
    /// Who has the answer.
    pub group: String,
    /// What it cost.
    pub cost: CostView,
    /// What it was.
    pub label: String,
}

/// Exact answers to a group about a table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExactView {
    /// The group.
    pub group: String,
    /// The table.
    pub table: String,
    /// How many.
    pub answers: usize,
    /// Whether the group has rows of it.
    pub rows: bool,
}

/// An answer with what it says about itself: what `paravent ask --json` prints.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AnswerView {
    /// The columns, as the statement names them.
    pub columns: Vec<String>,
    /// The rows.
    #[cfg_attr(test, ts(type = "any[][]"))]
    pub rows: Vec<Vec<Value>>,
    /// What was done.
    #[cfg_attr(test, ts(type = "any"))]
    pub annotation: Value,
}

/// What would become of a question: what `paravent policy explain` prints.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExplainedView {
    /// What would be changed.
    #[cfg_attr(test, ts(type = "any[]"))]
    pub adaptations: Vec<Value>,
    /// The columns that would be read.
    pub reads: Vec<String>,
    /// The plan.
    pub plan: String,
    /// What it would cost, if it was not answered before; none for exact figures and rows.
    pub cost: Option<CostView>,
    /// The rules that take part.
    pub rules: Vec<String>,
}
