//! `[consent]` and `[[subjects]]`: what people themselves have said.

use crate::access::Claim;
use crate::choice::words;
use crate::rules::{self, claim};
use crate::tables::names;
use paravent_job::keys::{self, Key, Takes, key, needed};
use paravent_job::walk::{Item, Section, Walk};
use std::path::PathBuf;

pub(crate) const CONSENT_KEYS: &[Key] = &[
    key(
        "table",
        Takes::Text,
        "A file with the columns person, purpose, from, until; without it people agree by `consent give`",
    ),
    key("without", Takes::Choice(keys::words::<Without>), "What becomes of people who said nothing"),
    key("batch", Takes::Whole(1, u32::MAX as u64), "How many withdrawals take effect together"),
];

pub(crate) const SUBJECT_KEYS: &[Key] = &[
    needed("person", Takes::Cell, "The person, as the table has it"),
    needed("rules", Takes::List(&Takes::Table(CLAIM_KEYS)), "Claims; they may only be stricter"),
    key(
        "conflict",
        Takes::Choice(keys::words::<Conflict>),
        "What becomes of an answer that goes against a claim",
    ),
];

const CLAIM_KEYS: &[Key] = &[
    needed("columns", Takes::List(&Takes::Text), "The columns"),
    key("show", rules::EXTENT, "Cells in answers"),
    key("filter", rules::EXTENT, "Conditions"),
    key("group", rules::EXTENT, "Groups"),
    key("deny", Takes::Truth, "Not at all"),
];

/// What becomes of people who said nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Without {
    /// Their rows do not exist.
    #[default]
    Out,
}
words!(Without { Out: "out" });

/// What becomes of an answer that goes against the claim of a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflict {
    /// The person's rows are left out.
    #[default]
    LeaveOut,
    /// The claim holds for everybody in the answer.
    Strictest,
}
words!(Conflict { LeaveOut: "leave-out", Strictest: "strictest" });

/// Who agreed to what, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// A file with the columns person, purpose, from, until. None: only what was said by command counts.
    pub table: Option<PathBuf>,
    /// What becomes of people who said nothing.
    pub without: Without,
    /// How many withdrawals take effect together in answers without noise. 1: at once.
    pub batch: u32,
}

impl Consent {
    pub(crate) fn read(walk: &mut Walk, section: &Section<'_>) -> Option<Consent> {
        section.allow_keys(walk, CONSENT_KEYS);
        let table = match section.get(walk, "table", "\"consents.csv\"") {
            Some(item) => item.path(walk).map(Some),
            None => Some(None),
        };
        let without = match section.get(walk, "without", "\"out\"") {
            Some(item) => item.choice(walk, "something that can be done without consent"),
            None => Some(Without::default()),
        };
        let batch = match section.get(walk, "batch", "10") {
            Some(item) => item.u32(walk, 1),
            None => Some(1),
        };
        Some(Consent { table: table?, without: without?, batch: batch? })
    }
}

/// A person's own claims.
#[derive(Clone, PartialEq, Eq)]
pub struct Subject {
    /// The person, as the table has it.
    pub person: String,
    /// Columns, and what they may be used for at most.
    pub claims: Vec<(Vec<String>, Claim)>,
    /// What becomes of an answer that goes against them.
    pub conflict: Conflict,
}

/// The person is a cell, so it is not shown.
impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject")
            .field("claims", &self.claims)
            .field("conflict", &self.conflict)
            .finish_non_exhaustive()
    }
}

impl Subject {
    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Subject> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, SUBJECT_KEYS);
        let person = section.require(walk, "person", "\"p17\"").and_then(|item| item.cell(walk));
        let claims = section.require(walk, "rules", "[{ columns = [\"weight\"], deny = true }]");
        let claims = claims.and_then(|item| {
            item.list(walk, 1, |walk, entry| {
                let section = &entry.section(walk)?;
                section.allow_keys(walk, CLAIM_KEYS);
                let columns =
                    section.require(walk, "columns", "[\"weight\"]").and_then(|item| names(walk, &item));
                let claim = claim(walk, section);
                let (columns, claim) = (columns?, claim?);
                if claim == Claim::default() {
                    entry.report(walk, "the claim says nothing");
                    return None;
                }
                Some((columns, claim))
            })
        });
        let conflict = match section.get(walk, "conflict", "\"leave-out\"") {
            Some(item) => item.choice(walk, "something that can be done"),
            None => Some(Conflict::default()),
        };
        Some(Subject { person: person?, claims: claims?, conflict: conflict? })
    }
}
