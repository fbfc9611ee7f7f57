//! Work that takes a while, and what can go wrong.

use super::results::PointView;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum RunRequest {
    /// Look at the table and write a first job for it. Gives a [`ProposalView`](super::ProposalView).
    Propose {
        /// Smallest class to ask for.
        k: u32,
    },
    /// Count what the columns hold. Gives a [`ColumnsView`](super::ColumnsView).
    Columns,
    /// The first rows as they are: the only run that sends cells. Gives a [`PreviewView`](super::PreviewView).
    Preview,
    /// The hierarchy of a column. Gives a [`HierarchyView`](super::HierarchyView).
    Hierarchy {
        /// The column.
        column: String,
        /// Whether values that few rows have may be shown.
        values: bool,
    },
    /// Find the best transformation. Gives a [`FoundView`](super::FoundView).
    Solve,
    /// Look at all transformations, one after the other. Gives a [`SpaceView`](super::SpaceView), and points on the way.
    Explore,
    /// Look at one transformation. Gives a [`NodeView`](super::NodeView).
    Node {
        /// The level of every quasi-identifier, in job order.
        levels: Vec<u8>,
    },
    /// A column before and after. Gives a [`CompareView`](super::CompareView).
    Compare {
        /// The transformation; the best one if there is none.
        levels: Option<Vec<u8>>,
        /// The column.
        column: String,
        /// A second one, to count pairs of values.
        other: Option<String>,
    },
    /// What the release is still good for. Gives the document of `paravent utility --json`.
    Utility {
        /// A column to predict from the others; the first sensitive one if there is none.
        target: Option<String>,
    },
    /// The risk figures of the table. Gives the document of `paravent risk --json`.
    RiskOfTable,
    /// The risk figures of the release. Gives the document of `paravent risk --json`.
    RiskOfRelease,
    /// The known attacks on the release. Gives the document of `paravent attack --json`.
    Attack,
    /// Make the release. Gives a [`ReleaseView`](super::ReleaseView).
    Release {
        /// The transformation; the best one if there is none.
        levels: Option<Vec<u8>>,
        /// Whether a release that is there may be replaced.
        replace: bool,
    },
    /// Look at the release again, from its files alone. Gives a [`ReleaseView`](super::ReleaseView).
    Verify,
    /// The project's policy, what it allows, and what was asked. Gives a [`PolicyView`](super::PolicyView), or `null` where there is none.
    Policy,
    /// Ask a question under the policy. Gives an [`AnswerView`](super::AnswerView).
    Ask {
        /// Who asks.
        role: String,
        /// What for.
        purpose: String,
        /// The question, in SQL.
        statement: String,
    },
    /// Say what would become of a question. Gives an [`ExplainedView`](super::ExplainedView).
    Explain {
        /// Who would ask.
        role: String,
        /// What for.
        purpose: String,
        /// The question, in SQL.
        statement: String,
    },
    /// The joint run in the project folder. Gives a [`JointView`](super::JointView), or `null` where there is none.
    Joint {
        /// The party that looks; that of the certificate in the folder if there is none.
        me: Option<String>,
    },
    /// Look at the register and all releases in it. Gives a [`RegisterView`](super::RegisterView).
    Register,
}

/// A run that was started.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Started {
    /// Its number.
    pub id: u64,
}

/// How it is with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum RunState {
    /// It goes on.
    Running,
    /// It has a result.
    Done,
    /// It has none, and says why.
    Failed,
}

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProgressView {
    /// What it is doing.
    pub phase: String,
    /// Rows read, or transformations decided.
    pub done: u64,
    /// How many there are, where that is known.
    pub total: Option<u64>,
    /// By how much of its loss, in percent, the best solution so far can still be beaten.
    pub gap: Option<f64>,
}

/// A run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunView {
    /// Its number.
    pub id: u64,
    /// How it is with it.
    pub state: RunState,
    /// How far it has come.
    pub progress: ProgressView,
    /// Its result, once it has one.
    #[cfg_attr(test, ts(type = "any"))]
    pub result: Value,
    /// Why it has none.
    pub fault: Option<FaultView>,
}

/// A line of the progress stream.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunEvent {
    /// The run as it is now.
    pub run: RunView,
    /// Points that were found since the line before.
    pub points: Vec<PointView>,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum FaultKind {
    /// The request makes no sense.
    Request,
    /// Somebody else was faster, or something has to come first.
    Conflict,
    /// The job, a hierarchy or the table's columns are at fault.
    Configuration,
    /// No transformation keeps the promises.
    Infeasible,
    /// The policy does not allow it.
    Refused,
    /// A file cannot be read or written.
    InputOutput,
    /// Somebody asked to stop.
    Stopped,
    /// A bug.
    Internal,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FaultView {
    /// What kind of thing.
    pub kind: FaultKind,
    /// In words.
    pub message: String,
    /// What to do.
    pub advice: Option<String>,
    /// Where the job is at fault, each with its key.
    pub problems: Vec<ProblemView>,
    /// Single changes of the job that would each work.
    pub relaxations: Vec<RelaxationView>,
    /// Whether all transformations were looked at.
    pub complete: Option<bool>,
    /// The rules of the policy that say so.
    pub rules: Vec<String>,
}

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProblemView {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: Option<usize>,
    /// Key, spelled like `privacy.models[1].l`.
    pub key: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub advice: Option<String>,
}

/// A change of the job that makes it feasible.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RelaxationView {
    /// The key.
    pub key: String,
    /// What it says now.
    pub from: String,
    /// What to write instead, as TOML.
    pub to: String,
    /// The same in words.
    pub advice: String,
}
