//! Why a question has no answer.

use paravent_algebra::error::AlgebraError;
use paravent_job::Problems;
use std::io;
use std::path::PathBuf;

/// What the policy says to a question that it does not allow. Decided from statement, schema, policy and account: no cell is in it, and the same
/// question is refused alike whatever the rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is not allowed.
    pub message: String,
    /// What to ask instead.
    pub advice: String,
    /// The rules that say so.
    pub rules: Vec<String>,
}

impl Refusal {
    /// A refusal that no single rule is the reason of.
    pub fn new(message: impl Into<String>, advice: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), advice: advice.into(), rules: Vec::new() }
    }

    /// Names the rules.
    #[must_use]
    pub fn by(self, rules: Vec<String>) -> Refusal {
        Refusal { rules, ..self }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The policy does not allow it.
    #[error("{}. {}", .0.message, .0.advice)]
    Refused(Refusal),
    /// The policy, a job or a hierarchy is wrong.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The engine, the table or the account.
    #[error(transparent)]
    Engine(#[from] AlgebraError),
    /// The state cannot be kept, so nothing is answered.
    #[error("{}: the state of the policy cannot be kept, so nothing was answered: {source}", path.display())]
    State {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Somebody asked to stop, before anything was paid for.
    #[error("stopped on request; nothing was paid for, and nothing was answered")]
    Stopped,
    /// The auditor found a plan that the policy does not allow: a bug, and nothing was run.
    #[error("internal error: the auditor stopped the plan ({0}); nothing was read. Please report this")]
    Audit(&'static str),
}

impl From<Refusal> for AskError {
    fn from(refusal: Refusal) -> AskError {
        AskError::Refused(refusal)
    }
}
