//! `[about]`: what whoever signs must know, and no computation needs.

use super::keys::{Key, Takes, key};
use super::walk::{Section, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("title", Takes::Text, "Name of the data set"),
    key("purpose", Takes::Text, "What the recipient wants the data for"),
    key("recipient", Takes::Text, "Who gets the release"),
    key("legal_basis", Takes::Text, "The ground on which it is handed out"),
    key("author", Takes::Text, "Who made it, or answers for it"),
    key("date", Takes::Cell, "Date of the decision"),
    key("agreement", Takes::Text, "The data-use agreement that binds the recipient"),
];

/// What the release is, for whom, and on what ground. Shown in reports, in the words of the job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Name of the data set.
    pub title: Option<String>,
    /// What the recipient wants the data for.
    pub purpose: Option<String>,
    /// Who gets the release.
    pub recipient: Option<String>,
    /// The ground on which it is handed out.
    pub legal_basis: Option<String>,
    /// Who made it, or answers for it.
    pub author: Option<String>,
    /// Date of the decision, as written.
    pub date: Option<String>,
    /// The data-use agreement that binds the recipient.
    pub agreement: Option<String>,
}

impl About {
    /// Reads `[about]`.
    pub(super) fn read(walk: &mut Walk, section: &Section<'_>) -> Self {
        section.allow_keys(walk, KEYS);
        let mut text = |key: &'static str, example: &str| {
            section.get(walk, key, example).and_then(|item| item.cell(walk)).filter(|text| !text.is_empty())
        };
        Self {
            title: text("title", "\"Hospital stays 2024\""),
            purpose: text("purpose", "\"Study on length of stay\""),
            recipient: text("recipient", "\"University of …\""),
            legal_basis: text("legal_basis", "\"GDPR Art. 89\""),
            author: text("author", "\"Data integration centre\""),
            date: text("date", "\"2026-03-09\""),
            agreement: text("agreement", "\"Agreement of 1 March 2026\""),
        }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.entries().next().is_none()
    }

    /// The keys that say something, in the order of the job file, with their text.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { title, purpose, recipient, legal_basis, author, date, agreement } = self;
        let all = [title, purpose, recipient, legal_basis, author, date, agreement];
        KEYS.iter().zip(all).filter_map(|(key, text)| Some((key.name, text.as_deref()?)))
    }
}
