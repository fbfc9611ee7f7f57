//! What each model is worth against each attack on sensitive values.

use super::Coverage;
use crate::html::promise::Promise;
use paravent_job::ModelName;

/// The attacks on sensitive values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueAttack {
    /// A value is learnt, or becomes much likelier.
    Disclosure,
    /// All rows of a class show the same value.
    Homogeneity,
    /// The attacker rules values out.
    BackgroundKnowledge,
    /// A class shows a value far more often than the table.
    Skewness,
    /// The values of a class are different, but mean much the same.
    Similarity,
}

/// What a promise is worth against an attack, for the columns it is about.
pub fn strength(promise: &Promise<'_>, attack: ValueAttack) -> Coverage {
    if !promise.holds || promise.is_empty() {
        return Coverage::None;
    }
    match promise.base() {
        ModelName::KAnonymity | ModelName::KMap | ModelName::DeltaPresence => Coverage::None,
        ModelName::TCloseness => closeness(promise.text("distance"), attack),
        ModelName::PdRecursiveLDiversity | ModelName::NpdRecursiveLDiversity => match attack {
            // Classes of harmless values only always pass.
            ValueAttack::Similarity => Coverage::None,
            _ => Coverage::Partly,
        },
        ModelName::DistinctLDiversity
        | ModelName::EntropyLDiversity
        | ModelName::RecursiveLDiversity
        | ModelName::MultiAttributeLDiversity => diversity(promise, attack),
    }
}

/// How many different values every class is known to show in the promise's columns.
pub fn distinct_values(promise: &Promise<'_>) -> u64 {
    match promise.base() {
        ModelName::DistinctLDiversity => promise.reached("l").unwrap_or(promise.number("l")) as u64,
        // The effective number of values never exceeds their number.
        ModelName::EntropyLDiversity => promise.number("l").ceil() as u64,
        // Below c = 1 and with ℓ = 1 the most frequent value is still not the only one.
        ModelName::RecursiveLDiversity => (promise.number("l") as u64).max(2),
        _ => 1,
    }
}

/// How many different values every class is promised to show.
pub fn promised_values(promise: &Promise<'_>) -> u64 {
    match promise.base() {
        ModelName::DistinctLDiversity => promise.number("l") as u64,
        _ => distinct_values(promise),
    }
}

fn diversity(promise: &Promise<'_>, attack: ValueAttack) -> Coverage {
    let counts_frequencies = promise.base() != ModelName::DistinctLDiversity;
    match attack {
        ValueAttack::Disclosure if counts_frequencies => Coverage::Full,
        ValueAttack::Disclosure => Coverage::Partly,
        ValueAttack::Homogeneity => Coverage::Full,
        // With two values, ruling out one is enough.
        ValueAttack::BackgroundKnowledge if promise.number("l") > 2.0 => Coverage::Full,
        ValueAttack::BackgroundKnowledge => Coverage::Partly,
        ValueAttack::Skewness if counts_frequencies => Coverage::Partly,
        ValueAttack::Skewness | ValueAttack::Similarity => Coverage::None,
    }
}

fn closeness(distance: &str, attack: ValueAttack) -> Coverage {
    let knows_similarity = matches!(distance, "ordered" | "hierarchical");
    match attack {
        ValueAttack::Disclosure | ValueAttack::Skewness => Coverage::Full,
        ValueAttack::Similarity if knows_similarity => Coverage::Full,
        ValueAttack::Similarity | ValueAttack::Homogeneity | ValueAttack::BackgroundKnowledge => {
            Coverage::Partly
        }
    }
}
