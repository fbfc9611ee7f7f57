//! A secret is nearly certain.
//!
//! The attacker bets on the most frequent value of the person's class. Figure: `max_E max_s p(E,s)`, held against what the promised
//! diversity allows (recursive: c/(1+c); entropy: the share whose entropy is ln ℓ; variation distance: see skewness).
//! Machanavajjhala et al., TKDD 1(1), 2007.

use super::catalogue::{Card, Tried};
use super::classes::Tally;
use super::means::{Means, Secret};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::standing::Standing;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "positive-disclosure",
    question: "Is a secret nearly certain for somebody?",
    assumption: "The attacker finds the person's class and bets on its most frequent sensitive value.",
    source: "Machanavajjhala et al., \u{2113}-Diversity, TKDD 2007",
    needs: "a release with a sensitive column",
    tried: Tried::WithSecrets,
};

/// Runs the bet on the most frequent value; classes from `threshold` on are named.
#[must_use]
pub fn positive_disclosure(
    released: &Released,
    place: usize,
    promises: &Promises,
    threshold: f64,
) -> Outcome {
    let (column, classes) = (released.column(place), &released.classes);
    let promise = promises.of_column(column.name());
    let tally = Tally::of_secrets(classes, column, promise.missing);
    // Of those who have a value; a class without one has no secret.
    let modes: Vec<(f64, u32)> = (0..classes.len())
        .map(|class| {
            tally
                .mode(class)
                .map_or((0.0, 0), |(code, count)| (count as f64 / tally.rows(class) as f64, code))
        })
        .collect();
    let most = modes.iter().map(|mode| mode.0).fold(0.0, f64::max);
    let bound = promise.confidence.map(|value| Bound {
        value,
        from: format!("the promised diversity keeps every value at or below {}", percent(value)),
    });
    // The mean over rows of p(E, mode): what the bet wins on average.
    let won: f64 = modes.iter().zip(classes.sizes()).map(|(mode, &size)| mode.0 * size as f64).sum();
    let mean = won / released.members().max(1) as f64;
    let mut sure: Vec<usize> = (0..modes.len()).filter(|&class| modes[class].0 >= threshold).collect();
    let rows: u64 = sure.iter().map(|&class| classes.sizes()[class]).sum();
    sure.sort_by(|&a, &b| {
        modes[b].0.total_cmp(&modes[a].0).then(classes.sizes()[b].cmp(&classes.sizes()[a])).then(a.cmp(&b))
    });
    let findings = sure.iter().map(|&class| Finding {
        class: classes.describe(&released.table, class),
        value: modes[class].0,
        text: format!(
            "{} = {} with {}",
            column.name(),
            column.labels()[modes[class].1 as usize],
            percent(modes[class].0)
        ),
    });
    // A person may show several values: each has its share of the pairs, and everybody may show the same one.
    let standing = Standing::of(classes, column, promise.missing);
    let held = |class: usize| {
        let holders = standing.as_ref()?.holders[class];
        let share = tally.mode(class)?.1 as f64 / holders as f64;
        (share >= threshold && modes[class].0 < threshold).then_some(share)
    };
    let held: Vec<(usize, f64)> =
        (0..classes.len()).filter_map(|class| Some((class, held(class)?))).collect();
    let findings = findings.chain(held.iter().map(|&(class, share)| Finding {
        class: classes.describe(&released.table, class),
        value: share,
        text: format!(
            "{} of the people show {} = {}, beside other values",
            percent(share),
            column.name(),
            column.labels()[modes[class].1 as usize]
        ),
    }));
    let promised = bound.as_ref().map(|bound| bound.value);
    // A promise under which a secret may be told, and that lies far above what happened, covers nothing.
    let is_loose = promised.is_some_and(|bound| bound >= threshold && Unit::Share.is_loose(most, bound));
    let severity = match Severity::of(most, Unit::Share, promised, threshold - 1e-12) {
        Severity::Covered if is_loose => Severity::Residual,
        // Exactly at the threshold is sure enough.
        Severity::NothingFound if most >= threshold => Severity::Residual,
        Severity::Covered | Severity::NothingFound if !held.is_empty() => Severity::Residual,
        severity => severity,
    };
    let mut result = format!(
        "The most certain value of a class has {}; {} of the rows are in classes with {} or more.",
        percent(most),
        percent(rows as f64 / released.members().max(1) as f64),
        percent(threshold)
    );
    if !held.is_empty() {
        let classes = counted(held.len() as u64, "class");
        result.push_str(&format!(
            " In {classes} at least {} of the people show one value beside others.",
            percent(threshold)
        ));
    }
    Outcome::new(
        Attack::PositiveDisclosure,
        severity,
        Figure { what: "largest share of a value in a class", value: most, unit: Unit::Share },
        result,
    )
    .about(column.name())
    .against(bound)
    .told_if_loose()
    .with("threshold", percent(threshold))
    .with("classes from the threshold on", sure.len())
    .with("rows in them", rows)
    .with("mean share won by betting on the most frequent value", percent(mean))
    .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |secret: &Secret| {
        positive_disclosure(target.released, secret.place, target.promises, means.threshold)
    };
    target.secrets.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    positive_disclosure(&planted::secrets(plant), 2, &planted::promises(), 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn a_class_of_three_to_one_is_bet_on() {
        let released =
            Released::new(table("q s\na hiv\na hiv\na hiv\na flu\nb flu\nb hiv"), vec![0], vec![1]);
        let outcome = positive_disclosure(&released, 1, &Promises::default(), 0.7);
        assert_eq!((outcome.figure.value, outcome.severity), (0.75, Severity::Residual));
        assert_eq!(outcome.findings.len(), 1);
        let mut promises = Promises::default();
        // Recursive (4,2): 3 < 4·1.
        promises.column("s").confidence = Some(super::super::promises::confidence_of_recursive(4.0));
        assert_eq!(positive_disclosure(&released, 1, &promises, 0.7).severity, Severity::Covered);
        promises.column("s").confidence = Some(super::super::promises::confidence_of_recursive(2.0));
        assert_eq!(positive_disclosure(&released, 1, &promises, 0.7).severity, Severity::Broken);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn shares_are_what_counting_row_by_row_says(rows in prop::collection::vec((0u8..3, 0u8..3), 1..30)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let share = |q: u8, s: u8| {
                let class = rows.iter().filter(|row| row.0 == q).count();
                rows.iter().filter(|row| **row == (q, s)).count() as f64 / class as f64
            };
            let most = rows.iter().map(|&(q, s)| share(q, s)).fold(0.0, f64::max);
            let outcome = positive_disclosure(&released, 1, &Promises::default(), 0.8);
            prop_assert!((outcome.figure.value - most).abs() < 1e-12);
            prop_assert_eq!(outcome.succeeded(), most >= 0.8);
        }
    }
}
