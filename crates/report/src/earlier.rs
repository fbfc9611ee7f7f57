//! Earlier releases that share rows or people with a new one.

use paravent_assess::attack::outcome_document;
use paravent_evidence::attack::Outcome;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// An earlier release that shares rows with a new one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EarlierRelease {
    /// Its number in the register.
    pub sequence: u64,
    /// When it was made.
    pub time: String,
    /// Its directory, as the register has it.
    pub release: String,
    /// What the two have in common.
    pub relation: Relation,
    /// How many rows of the input both were made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
    /// What somebody learns who has both; empty if that could not be tried.
    #[serde(serialize_with = "documents")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub attacks: Vec<Outcome>,
    /// Why the attack could not be run, or need not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_attacked: Option<String>,
}

pub(crate) fn documents<S: Serializer>(outcomes: &[Outcome], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(outcomes.iter().map(outcome_document))
}

/// What two releases have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The data files are equal: whoever has one has the other.
    SameRelease,
    /// Both were made of the same file.
    SameInput,
    /// The tables share rows.
    Overlap,
    /// The tables are about the same people, in part or in whole, with other rows.
    SamePeople,
    /// The tables have no columns by which to compare them.
    Unknown,
}

/// An estimate from sketches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Shared {
    /// Rows in both tables; people with [`Relation::SamePeople`].
    pub rows: u64,
    /// The same as a share of the new table's rows or people.
    pub share: f64,
}
