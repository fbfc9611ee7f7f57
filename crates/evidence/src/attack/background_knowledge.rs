//! Values are ruled out until one is left.
//!
//! The attacker finds the person's class and can exclude values for that person ("she has no heart disease"). A class with d
//! values falls after b = d − 1 exclusions at the latest, and not before when the remaining ones must not differ. Figure: the
//! smallest b of all classes; distinct ℓ-diversity promises b ≥ ℓ − 1. Machanavajjhala et al., TKDD 1(1), 2007.

use super::catalogue::{Card, Tried};
use super::classes::Tally;
use super::means::{Means, Secret};
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::standing::Standing;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "background-knowledge",
    question: "How much must one rule out to learn a secret?",
    assumption: "The attacker finds the person's class and can rule out sensitive values for the person; the fewer it takes, the weaker the class.",
    source: "Machanavajjhala et al., \u{2113}-Diversity, TKDD 2007",
    needs: "a release with a sensitive column",
    tried: Tried::WithSecrets,
};

/// A class that falls after one exclusion is worth telling, promised or not.
const WEAK: u64 = 1;

/// Runs the attack on the sensitive column at `place`.
#[must_use]
pub fn background_knowledge(released: &Released, place: usize, promises: &Promises) -> Outcome {
    let (column, classes) = (released.column(place), &released.classes);
    let promise = promises.of_column(column.name());
    let tally = Tally::of_secrets(classes, column, promise.missing);
    let standing = Standing::of(classes, column, promise.missing);
    let different = |class: usize| match &standing {
        // Somebody whose rows show five values is one person to be wrong about.
        Some(standing) => standing.represented[class],
        None => tally.class(class).len() as u64,
    };
    // A class that shows no value has no secret.
    let needed: Vec<Option<u64>> = (0..classes.len()).map(|class| different(class).checked_sub(1)).collect();
    let least = needed.iter().copied().flatten().min().unwrap_or(0);
    let bound = promise.distinct.map(|l| Bound {
        value: l.saturating_sub(1) as f64,
        from: format!(
            "every class shows at least {l} values, so {} must be ruled out",
            counted(l.saturating_sub(1), "value")
        ),
    });
    let severity = match promise.distinct.filter(|&l| l > 1) {
        Some(l) => Severity::of_finding(least < l - 1, true),
        None => Severity::of_finding(least <= WEAK, false),
    };
    let mut weakest: Vec<usize> = (0..classes.len()).filter(|&class| needed[class] == Some(least)).collect();
    let weak_rows: u64 = weakest.iter().map(|&class| classes.sizes()[class]).sum();
    weakest.sort_by_key(|&class| (std::cmp::Reverse(classes.sizes()[class]), class));
    let findings = weakest.iter().filter(|_| severity >= Severity::Residual).map(|&class| Finding {
        class: classes.describe(&released.table, class),
        value: least as f64,
        text: format!("{} left after ruling out {}", counted(1, "value"), counted(least, "value")),
    });
    let result =
        format!("In the weakest class, {} must be ruled out to learn the rest.", counted(least, "value"));
    Outcome::new(
        Attack::BackgroundKnowledge,
        severity,
        Figure { what: "values to rule out", value: least as f64, unit: Unit::Count },
        result,
    )
    .about(column.name())
    .against(bound)
    .with("classes as weak as that", weakest.len())
    .with("rows in them", weak_rows)
    .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |secret: &Secret| background_knowledge(target.released, secret.place, target.promises);
    target.secrets.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    background_knowledge(&planted::secrets(plant), 2, &planted::promises())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_class_with_two_values_falls_after_one_exclusion() {
        let released = Released::new(table("q s\na flu\na hiv\nb flu\nb hiv\nb cold"), vec![0], vec![1]);
        let outcome = background_knowledge(&released, 1, &Promises::default());
        assert_eq!((outcome.figure.value, outcome.severity), (1.0, Severity::Residual));
        assert_eq!(outcome.findings[0].class, ["q = a"]);
        let mut promises = Promises::default();
        promises.column("s").distinct = Some(2);
        assert_eq!(background_knowledge(&released, 1, &promises).severity, Severity::Covered);
        promises.column("s").distinct = Some(3);
        assert_eq!(background_knowledge(&released, 1, &promises).severity, Severity::Broken);
        promises.column("s").distinct = Some(1);
        let outcome = background_knowledge(&released, 1, &promises);
        assert_eq!((outcome.severity, outcome.bound.unwrap().value), (Severity::Residual, 0.0));
    }

    /// Tries every set of exclusions of growing size on every class.
    fn by_trying(rows: &[(u8, u8)]) -> u64 {
        let classes: BTreeSet<u8> = rows.iter().map(|row| row.0).collect();
        let tried = |size: u32| {
            (0u8..16).filter(|set| set.count_ones() == size).any(|set| {
                classes.iter().any(|&class| {
                    let left: BTreeSet<u8> = rows
                        .iter()
                        .filter(|row| row.0 == class && set & (1 << row.1) == 0)
                        .map(|row| row.1)
                        .collect();
                    left.len() == 1
                })
            })
        };
        (0..4).find(|&size| tried(size)).map_or(4, u64::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_least_is_what_trying_all_exclusions_says(rows in prop::collection::vec((0u8..3, 0u8..4), 1..24)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let outcome = background_knowledge(&released, 1, &Promises::default());
            prop_assert_eq!(outcome.figure.value as u64, by_trying(&rows));
        }
    }
}
