//! What a promise is worth against each attack on sensitive values.

use super::Coverage;
use crate::html::promise::Promise;
pub use paravent_job::models::Attack as ValueAttack;
use paravent_job::models::Coverage as Covered;

/// What a promise is worth against an attack, for the columns it is about.
pub fn strength(promise: &Promise<'_>, attack: ValueAttack) -> Coverage {
    if !promise.holds || promise.is_empty() {
        return Coverage::None;
    }
    match promise.telling().covers(promise, attack) {
        Covered::None => Coverage::None,
        Covered::Partly => Coverage::Partly,
        Covered::Full => Coverage::Full,
    }
}

/// How many different values every class is known to show in the promise's columns.
pub fn distinct_values(promise: &Promise<'_>) -> u64 {
    promise.telling().distinct_values(promise)
}

/// How many different values every class is promised to show.
pub fn promised_values(promise: &Promise<'_>) -> u64 {
    promise.telling().promised_values(promise)
}
