//! Earlier releases that share rows or people with a new one.

use paravent_assess::attack::outcome_document;
use paravent_evidence::attack::{Attack, Outcome, Severity};
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

/// A register that gets no line of a release, and against whose releases it was held all the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldAgainst {
    /// Where the register is, seen from the job's folder.
    pub register: String,
    /// How many releases it knows.
    pub releases: u64,
    /// Those that share rows or people with this one, newest first.
    pub earlier: Vec<EarlierRelease>,
}

/// The earlier releases together with which a promise is broken.
pub(crate) fn broken_with(earlier: &[EarlierRelease]) -> Vec<u64> {
    let breaks = |earlier: &&EarlierRelease| {
        earlier.attacks.iter().any(|outcome| outcome.severity == Severity::Broken)
    };
    earlier.iter().filter(breaks).map(|earlier| earlier.sequence).collect()
}

/// The earlier releases of the same rows or people of which nobody could find out what they tell together with the new one.
pub(crate) fn untried(earlier: &[EarlierRelease]) -> Vec<u64> {
    let related =
        |earlier: &&EarlierRelease| !matches!(earlier.relation, Relation::SameRelease | Relation::Unknown);
    // What others found says nothing of classes that could not be put together.
    let is_open = |outcome: &Outcome| {
        outcome.attack == Attack::Composition && outcome.severity == Severity::NotCompared
    };
    let tried = |earlier: &&EarlierRelease| {
        earlier.attacks.iter().any(|outcome| outcome.severity != Severity::NotCompared)
            && !earlier.attacks.iter().any(is_open)
    };
    let untried = earlier.iter().filter(related).filter(|earlier| !tried(earlier));
    untried.map(|earlier| earlier.sequence).collect()
}

/// `release 7 and 2 more of the register`: some of the earlier releases, by number. `name` says which register, after a blank.
pub fn in_words(releases: &[u64], name: &str) -> Option<String> {
    let newest = releases.iter().max()?;
    let more = match releases.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("release {newest}{more} of the register{name}"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_evidence::attack::{Figure, Unit};

    #[test]
    fn what_others_found_says_nothing_of_classes_that_were_left_out() {
        let outcome = |attack: Attack, severity: Severity| {
            let figure = Figure { what: "figure", value: 0.0, unit: Unit::Count };
            Outcome::new(attack, severity, figure, "a result")
        };
        let with = |attacks: Vec<Outcome>| {
            let earlier = EarlierRelease {
                sequence: 3,
                time: String::new(),
                release: String::new(),
                relation: Relation::SameInput,
                shared: None,
                attacks,
                not_attacked: None,
            };
            untried(&[earlier])
        };
        let matched = |severity| outcome(Attack::UnsortedMatching, severity);
        let composed = |severity| outcome(Attack::Composition, severity);
        assert_eq!(with(Vec::new()), [3]);
        assert_eq!(with(vec![matched(Severity::Covered), composed(Severity::NotCompared)]), [3]);
        assert!(with(vec![matched(Severity::NotCompared), composed(Severity::Covered)]).is_empty());
    }
}
