//! Results of runs. Labels are shown where enough rows share them.

use serde::Serialize;
use serde_json::Value;

/// A first job.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProposalView {
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A label and how many rows show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Bar {
    /// The label; `null` is the missing value.
    pub label: Option<String>,
    /// Rows.
    pub rows: u64,
}

/// All columns of the table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ColumnsView {
    /// Rows of the table.
    pub rows: u64,
    /// In the table's order.
    pub columns: Vec<ColumnView>,
}

/// What a column holds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ColumnView {
    /// Its name.
    pub name: String,
    /// What its cells look like.
    pub data_type: String,
    /// The role that is proposed for it.
    pub proposed_role: String,
    /// Why.
    pub reason: String,
    /// How it could be generalized, in words.
    pub proposed_hierarchy: Option<String>,
    /// Different values, or the least there are.
    pub distinct: u64,
    /// Whether there are more than could be kept.
    pub distinct_is_bound: bool,
    /// Cells without a value.
    pub missing: u64,
    /// Values of at least five rows, the most frequent first; or intervals, in order.
    pub bars: Vec<Bar>,
    /// Whether the bars are intervals of numbers.
    pub numeric: bool,
    /// Rows of values that are not shown.
    pub other_rows: u64,
}

/// The first rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PreviewView {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<Option<String>>>,
}

/// A hierarchy over the values of the table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HierarchyView {
    /// The column.
    pub column: String,
    /// From level 0 up.
    pub levels: Vec<HierarchyLevel>,
    /// The top and what is below it.
    pub tree: Vec<TreeNode>,
    /// Whether values of few rows were left out.
    pub hidden: bool,
}

/// A level.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HierarchyLevel {
    /// Level, 0 being the values themselves.
    pub level: u8,
    /// Groups of values.
    pub groups: u64,
    /// Rows of the smallest group.
    pub fewest_rows: u64,
    /// Rows of the largest group.
    pub most_rows: u64,
    /// Groups with fewer rows than the promised class size.
    pub small_groups: u64,
}

/// A label of a hierarchy.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeNode {
    /// The label; `null` is the missing value.
    pub label: Option<String>,
    /// Its level.
    pub level: u8,
    /// Rows that show it on that level.
    pub rows: u64,
    /// What is below it.
    pub children: Vec<TreeNode>,
    /// Labels below it that are not shown, because few rows have them or there are too many.
    pub more: u64,
}

/// The level of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LevelView {
    /// The column.
    pub column: String,
    /// Its level.
    pub level: u8,
    /// The highest one.
    pub highest: u8,
}

/// A promise and how it is kept.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromiseView {
    /// Name of the model.
    pub model: String,
    /// What is asked for.
    #[cfg_attr(test, ts(type = "Record<string, any>"))]
    pub required: Value,
    /// What the worst released class achieves.
    #[cfg_attr(test, ts(type = "Record<string, any>"))]
    pub achieved: Value,
    /// Rows in classes that break it, before any row is left out.
    pub failing_rows: u64,
    /// Classes that break it.
    pub failing_classes: u64,
}

/// A loss by its metric.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LossView {
    /// Name of the metric.
    pub metric: String,
    /// Its value.
    pub value: f64,
}

/// One transformation.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NodeView {
    /// By quasi-identifier, in job order.
    pub levels: Vec<LevelView>,
    /// Whether all promises hold within the suppression limit.
    pub holds: bool,
    /// The loss by the job's metric.
    pub loss: f64,
    /// All metrics.
    pub losses: Vec<LossView>,
    /// Rows of the table.
    pub rows: u64,
    /// Rows that are left out.
    pub suppressed_rows: u64,
    /// Rows, or people, that may be left out.
    pub suppression_limit: u64,
    /// Where people are counted: those who lose a row.
    pub people_losing: Option<u64>,
    /// Classes that are released.
    pub classes: u64,
    /// The smallest of them.
    pub smallest_class: u64,
    /// Their average size.
    pub average_class: f64,
    /// Highest risk of a released row to be singled out: 1 / smallest class.
    pub highest_risk: f64,
    /// Average risk: classes / released rows.
    pub average_risk: f64,
    /// What is promised.
    pub promises: Vec<PromiseView>,
}

/// What the search found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FoundView {
    /// The best transformation; where every class has labels of its own, the highest levels they show.
    pub node: NodeView,
    /// The metric that was made small.
    pub metric: String,
    /// Whether every class has labels of its own.
    pub local: bool,
    /// Whether there is none better.
    pub optimal: bool,
    /// By how many percent of its loss it could be beaten, where that is known.
    pub gap: Option<f64>,
    /// Transformations that were looked at.
    pub checks: u64,
    /// Transformations there are.
    #[cfg_attr(test, ts(type = "number"))]
    pub nodes: f64,
    /// The algorithm.
    pub algorithm: String,
    /// Seconds of reading and counting; 0 where that was done before.
    pub reading_seconds: f64,
    /// Seconds of searching.
    pub search_seconds: f64,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A transformation among all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PointView {
    /// Levels, in job order.
    pub levels: Vec<u8>,
    /// Loss by the job's metric.
    pub loss: f64,
    /// Average risk of a released row.
    pub risk: f64,
    /// Rows left out.
    pub suppressed: u64,
    /// Smallest released class.
    pub smallest: u64,
    /// Whether all promises hold.
    pub holds: bool,
}

/// The space of transformations.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SpaceView {
    /// How many there are.
    #[cfg_attr(test, ts(type = "number"))]
    pub nodes: f64,
    /// How many were looked at; all of them, or those around the best one.
    pub looked_at: u64,
    /// The quasi-identifiers.
    pub columns: Vec<String>,
    /// Their lowest levels.
    pub lowest: Vec<u8>,
    /// Their highest levels.
    pub highest: Vec<u8>,
    /// Whether all of them were looked at.
    pub complete: bool,
}

/// A column before and after.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CompareView {
    /// The column.
    pub column: String,
    /// Its level; `null` where it is released as it is.
    pub level: Option<u8>,
    /// The table, by its own values.
    pub input: Vec<Bar>,
    /// Rows of values that few rows have.
    pub input_other: u64,
    /// The table, by the labels of the release.
    pub relabelled: Vec<Bar>,
    /// The release.
    pub output: Vec<Bar>,
    /// Rows left out, by the labels that they would have had.
    pub suppressed: Vec<Bar>,
    /// Pairs with another column.
    pub contingency: Option<ContingencyView>,
}

/// Pairs of values.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ContingencyView {
    /// The other column.
    pub other: String,
    /// Labels of the first column.
    pub rows: Vec<Option<String>>,
    /// Labels of the other one.
    pub columns: Vec<Option<String>>,
    /// Rows of the table, by label and label.
    pub input: Vec<Vec<u64>>,
    /// Rows of the release.
    pub output: Vec<Vec<u64>>,
}

/// A file of a release.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileView {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
}

/// A release.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReleaseView {
    /// Name of its folder, as the job says it.
    pub path: String,
    /// Its report, as `anonymize --json` prints it.
    #[cfg_attr(test, ts(type = "any"))]
    pub document: Value,
    /// What may be handed out.
    pub files: Vec<FileView>,
    /// The command that makes it again, in the project folder.
    pub command: String,
    /// What the verifier says of it.
    pub verification: VerificationView,
}

/// What the verifier says.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VerificationView {
    /// Whether every check held.
    pub holds: bool,
    /// One sentence.
    pub verdict: String,
    /// Each check.
    pub checks: Vec<VerificationCheck>,
    /// What it takes from the manifest.
    pub trusted: Vec<String>,
    /// What it could not check.
    pub not_checked: Vec<String>,
    /// The key that the manifest is signed with.
    pub signer: Option<String>,
}

/// A check of the verifier.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VerificationCheck {
    /// Whether it held.
    pub held: bool,
    /// What it is about.
    pub about: String,
    /// What was found.
    pub detail: String,
}

/// The register.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RegisterView {
    /// Whether there is one.
    pub exists: bool,
    /// Whether its chain is whole and no file was changed.
    pub holds: bool,
    /// The first line that is not as it was written.
    pub broken: Option<String>,
    /// Its releases.
    pub releases: Vec<RegisterLine>,
}

/// A release in the register.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RegisterLine {
    /// Its number.
    pub sequence: u64,
    /// When it was written.
    pub time: String,
    /// Its folder.
    pub release: String,
    /// What became of it.
    pub state: String,
    /// Why that is said.
    pub detail: String,
    /// Whether something is wrong with it.
    pub alarm: bool,
    /// Released rows.
    pub rows: u64,
    /// Rows of its table.
    pub input_rows: u64,
    /// What was promised.
    pub promised: Vec<String>,
    /// What it tells together with earlier releases, as its report says; empty where the report is not in place.
    pub together: Vec<TogetherView>,
}

/// What two releases tell together.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TogetherView {
    /// Number of the earlier release.
    pub sequence: u64,
    /// Rows that both are made of.
    pub rows: Option<u64>,
    /// The worst that an attack on both finds: `broken`, `not-compared`, `residual`, `nothing-found` or `covered`.
    pub severity: Option<String>,
    /// What each attack found.
    pub results: Vec<String>,
}
