//! What the release is, for whom, and on what ground: in the words of the job.

use paravent_job::About;
use schemars::JsonSchema;
use serde::Serialize;

/// What whoever signs must know. What the job does not say is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AboutFacts {
    /// Name of the data set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the recipient wants the data for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Who gets the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The ground on which it is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_basis: Option<String>,
    /// Who made it, or answers for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Date of the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The data-use agreement that binds the recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<String>,
}

impl AboutFacts {
    /// What a job says; `None` if it says nothing.
    pub fn of(about: &About) -> Option<AboutFacts> {
        let About { title, purpose, recipient, legal_basis, author, date, agreement } = about.clone();
        let facts = AboutFacts { title, purpose, recipient, legal_basis, author, date, agreement };
        (!about.is_empty()).then_some(facts)
    }
}
