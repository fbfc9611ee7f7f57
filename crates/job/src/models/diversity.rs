//! What the models of diversity have in common.

use super::{Attack, Coverage, Words};

/// What counting different values, or how often each occurs, is worth against an attack.
pub(super) fn covers(promise: &dyn Words, counts_frequencies: bool, attack: Attack) -> Coverage {
    match attack {
        Attack::Disclosure if counts_frequencies => Coverage::Full,
        Attack::Disclosure => Coverage::Partly,
        Attack::Homogeneity => Coverage::Full,
        // With two values, ruling out one is enough.
        Attack::BackgroundKnowledge if promise.number("l") > 2.0 => Coverage::Full,
        Attack::BackgroundKnowledge => Coverage::Partly,
        Attack::Skewness if counts_frequencies => Coverage::Partly,
        Attack::Skewness | Attack::Similarity => Coverage::None,
    }
}

/// What models with harmless values are worth: classes of harmless values only always pass.
pub(super) fn covers_but_for_harmless(attack: Attack) -> Coverage {
    match attack {
        Attack::Similarity => Coverage::None,
        _ => Coverage::Partly,
    }
}

/// What models with harmless values leave open.
pub(super) fn remains_with_harmless(promise: &dyn Words, attack: Attack) -> Option<String> {
    let c = promise.reached("c").unwrap_or(promise.number("c"));
    match attack {
        Attack::Disclosure => Some(format!(
            "certainty about a delicate value at most {}; values declared harmless may be learnt.",
            promise.percent(certainty(c))
        )),
        Attack::Homogeneity => Some("a class may consist of values declared harmless.".to_owned()),
        Attack::BackgroundKnowledge | Attack::Skewness | Attack::Similarity => None,
    }
}

/// What distinct diversity leaves open.
pub(super) fn remains_distinct(promise: &dyn Words, values: u64, attack: Attack) -> Option<String> {
    (attack == Attack::Disclosure).then(|| {
        format!(
            "at least {} values in every class, but one may be far more frequent than the others.",
            promise.count(values)
        )
    })
}

/// What entropy diversity leaves open.
pub(super) fn remains_entropy(promise: &dyn Words, attack: Attack) -> Option<String> {
    let l = promise.reached("l").unwrap_or(promise.number("l"));
    (attack == Attack::Disclosure)
        .then(|| format!("as uncertain as {} equally frequent values, or more.", promise.figure(l)))
}

/// What recursive diversity leaves open.
pub(super) fn remains_recursive(promise: &dyn Words, attack: Attack) -> Option<String> {
    if attack != Attack::Disclosure {
        return None;
    }
    if promise.number("l") < 2.0 {
        let share = promise.percent(promise.number("c"));
        return Some(format!("no value makes up {share} of a class or more."));
    }
    let c = promise.reached("c").unwrap_or(promise.number("c"));
    Some(format!("certainty about a value at most {}.", promise.percent(certainty(c))))
}

/// The share of a class that no value reaches under recursive diversity.
pub(super) fn largest_share(promise: &dyn Words) -> f64 {
    let c = promise.number("c");
    if promise.number("l") < 2.0 { c.min(1.0) } else { certainty(c) }
}

/// The largest share of a value that occurs `c` times as often as all others together.
pub(super) fn certainty(c: f64) -> f64 {
    if c.is_finite() { c / (1.0 + c) } else { 1.0 }
}

/// What the recursive models compare a value with.
pub(super) fn others(l: u64) -> String {
    match l {
        0..=2 => "all other values together".to_owned(),
        3 => "all other values together, the most frequent of them set aside".to_owned(),
        _ => format!("all other values together, the {} most frequent of them set aside", l - 2),
    }
}
