//! Generalized cells are brought back to finer ones.
//!
//! The attacker knows how frequent the finer labels are among the people who fit a class: the most frequent one has share q, so
//! X ~ Bin(n, q) of the n rows have it. If each class was generalized by itself and no more than needed, the counts that would
//! have allowed the finer label (X = n, or both parts at least k) are ruled out, and the rest may be nearly certain: when nearly
//! everybody has one value, exactly one row is the exception. Figure: share of rows in classes where the attacker is sure (90 %) of
//! a split with a part smaller than k. A split that is certain however frequent the labels are tells of nobody: a class of two whose labels
//! differ has one of each, as every class of a local recoding with k = 2 does; such classes are told apart from the others.
//! Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.

use super::catalogue::{Card, Tried};
use super::finer::{FinerColumn, Recoding, binomial};
use super::means::{Means, People};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use std::sync::Arc;

pub(super) static CARD: Card = Card {
    name: "downcoding",
    question: "Can generalized cells be made exact again?",
    assumption: "The attacker knows how frequent the exact values are in the population, and that nothing was generalized without need.",
    source: "Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022",
    needs: "the original or a population (--against, --population), and a generalized column",
    tried: Tried::OnRequest,
};

/// From here on the attacker takes a split for certain.
const SURE: f64 = 0.9;

/// The likeliest split of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Rows with the most frequent finer label.
    pub rows: u64,
    /// Probability of exactly this number.
    pub probability: f64,
}

/// The likeliest number of rows with the most frequent finer label, which has share `q`; `None` if every number is ruled out.
#[must_use]
pub fn split(n: u64, k: u64, q: f64, children: usize, recoding: Recoding) -> Option<Split> {
    // Where classes were generalized by themselves, one part is smaller than k; else only numbers around the expected one are the likeliest.
    let (low, high) = match recoding {
        Recoding::FullDomain => {
            let expected = ((n + 1) as f64 * q) as u64;
            (expected.saturating_sub(1)..(expected + 2).min(n + 1), 0..0)
        }
        Recoding::Local => (0..k.min(n), (n + 1).saturating_sub(k).max(k)..n),
    };
    let possible = |x: &u64| recoding == Recoding::FullDomain || *x > 0 || children != 2;
    let (mut sum, mut best) = (0.0, Split { rows: 0, probability: 0.0 });
    for x in low.chain(high).filter(possible) {
        let probability = binomial(n, x, q);
        sum += probability;
        if probability > best.probability {
            best = Split { rows: x, probability };
        }
    }
    if recoding == Recoding::FullDomain {
        // No number is ruled out.
        sum = 1.0;
    }
    (sum > 0.0).then(|| Split { probability: best.probability / sum, ..best })
}

/// Runs the attack; `people` tells how frequent the finer labels are in each class.
#[must_use]
pub fn downcoding(
    released: &Released,
    people: &Projection,
    finer: &[FinerColumn],
    promises: &Promises,
    recoding: Recoding,
) -> Outcome {
    let classes = &released.classes;
    let k = promises.size_or_two();
    let mut exposed: Vec<(f64, usize, usize, u32, u64)> = Vec::new();
    let mut best_bets: Vec<String> = Vec::new();
    let mut by_labels_alone = 0u64;
    for (number, lowered) in finer.iter().enumerate() {
        let children = lowered.children(classes, people);
        let (mut right, mut rows) = (0.0, 0u64);
        for (class, children) in children.iter().enumerate() {
            let Some(&(code, most)) = children.first() else { continue };
            let total: u64 = children.iter().map(|child| child.1).sum();
            let (n, q) = (classes.sizes()[class], most as f64 / total as f64);
            right += q * n as f64;
            rows += n;
            // With many rows no single count is nearly certain.
            let Some(split) = split(n.min(10_000), k, q, children.len(), recoding) else { continue };
            let (with, without) = (split.rows, n - split.rows.min(n));
            let small = |part: u64| part > 0 && part < k;
            if children.len() > 1 && split.probability >= SURE && (small(with) || small(without)) {
                // Would an attacker without the frequencies be as sure?
                let even = 1.0 / children.len() as f64;
                let blind = self::split(n.min(10_000), k, even, children.len(), recoding);
                if blind.is_some_and(|blind| blind.probability >= SURE) {
                    by_labels_alone += 1;
                    continue;
                }
                exposed.push((split.probability, class, number, code, with));
            }
        }
        best_bets.push(format!(
            "{} {}",
            released.column(lowered.place).name(),
            percent(right / rows.max(1) as f64)
        ));
    }
    exposed.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut touched: Vec<usize> = exposed.iter().map(|exposed| exposed.1).collect();
    touched.sort_unstable();
    touched.dedup();
    let rows: u64 = touched.iter().map(|&class| classes.sizes()[class]).sum();
    let share = rows as f64 / released.members().max(1) as f64;
    let bound = promises.size().map(|k| Bound {
        value: 0.0,
        from: format!("no part of a class smaller than {k} rows can be told apart"),
    });
    let mut severity = Severity::of(share, Unit::Share, bound.as_ref().map(|bound| bound.value), 0.0);
    if by_labels_alone > 0 && !matches!(severity, Severity::Broken) {
        severity = Severity::Residual;
    }
    let result = match touched.len() as u64 {
        0 if by_labels_alone > 0 => format!(
            "No class can be split into parts smaller than {k} by what is known of people. In {} the labels alone say how it falls apart, \
             since every class was recoded by itself: not who is in which part.",
            counted(by_labels_alone, "class")
        ),
        0 => format!("No class can be split into parts smaller than {k} with certainty."),
        n => format!(
            "{} ({} of the rows) can be split into parts smaller than {k}.",
            counted(n, "class"),
            percent(share)
        ),
    };
    let findings = exposed.iter().map(|&(probability, class, number, code, with)| {
        let lowered = &finer[number];
        Finding {
            class: classes.describe(&released.table, class),
            value: probability,
            text: format!(
                "{} of {} have {} = {} with {}",
                with,
                released.counted(classes.sizes()[class]),
                released.column(lowered.place).name(),
                lowered.labels.get(code as usize).map_or("?", String::as_str),
                percent(probability)
            ),
        }
    });
    let figure = Figure { what: "rows in classes that can be split", value: share, unit: Unit::Share };
    Outcome::new(Attack::Downcoding, severity, figure, result)
        .against(bound)
        .with("classes that can be split", touched.len())
        .with("classes that fall apart by their labels alone", by_labels_alone)
        .with("betting on the most frequent finer label is right for", best_bets.join("; "))
        .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |people: &People<'_>, finer: &[FinerColumn]| {
        downcoding(target.released, people.projection, finer, target.promises, target.recoding)
    };
    let known = |people: &&People<'_>| !people.finer.is_empty();
    if let Some(people) = target.population.as_ref().filter(known) {
        return vec![of(people, &people.finer)];
    }
    // The original is there to judge by. Of it the attacker knows how frequent values are, not who is in which class.
    let Some(people) = target.original.as_ref().filter(known) else { return Vec::new() };
    let common = |column: &FinerColumn| match &column.by_label {
        Some(by_label) => FinerColumn { by_class: Some(Arc::clone(by_label)), ..column.clone() },
        None => column.clone(),
    };
    let finer: Vec<FinerColumn> = people.finer.iter().map(common).collect();
    vec![of(people, &finer)]
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let (released, people, finer) = planted::clustered(plant);
    downcoding(&released, &people, &[finer], &planted::promises(), Recoding::Local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn one_exception_is_told_from_the_crowd_if_classes_are_minimal() {
        let found = split(5, 5, 0.99, 3, Recoding::Local).unwrap();
        assert_eq!(found.rows, 4);
        assert!(found.probability > 0.95);
        assert_eq!(split(5, 5, 0.99, 3, Recoding::FullDomain).unwrap().rows, 5);
        assert_eq!(split(2, 2, 1.0, 2, Recoding::Local), None, "this class would not have been generalized");
    }

    #[test]
    fn the_attack_breaks_a_minimal_release() {
        let released = Released::new(table(&format!("zip{}", "\n82***".repeat(5))), vec![0], vec![]);
        let people = Projection::new(vec![0], vec![vec![Some(0); 200]]);
        let codes = (0..200).map(|person| Some(u32::from(person % 100 == 0))).collect();
        let finer = [FinerColumn { place: 0, labels: vec!["8245*".into(), "8200*".into()], codes, by_class: None, by_label: None }];
        let promises = Promises { k: Some(5), ..Promises::default() };
        let outcome = downcoding(&released, &people, &finer, &promises, Recoding::Local);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert!(
            outcome.findings[0].text.starts_with("4 of 5 rows have zip = 8245*"),
            "{:?}",
            outcome.findings
        );
        assert_eq!(
            downcoding(&released, &people, &finer, &promises, Recoding::FullDomain).severity,
            Severity::Covered
        );
    }

    #[test]
    fn a_class_of_two_tells_of_nobody() {
        // Four pairs of a man and a woman each; half of the people are men, or nearly all.
        let released = Released::new(table(&format!("sex{}", "\n*".repeat(2))), vec![0], vec![]);
        let promises = Promises { k: Some(2), ..Promises::default() };
        for women in [100, 3] {
            let people = Projection::new(vec![0], vec![vec![Some(0); 200]]);
            let codes = (0..200).map(|person| Some(u32::from(person < women))).collect();
            let labels = vec!["m".into(), "f".into()];
            let finer = [FinerColumn { place: 0, labels, codes, by_class: None, by_label: None }];
            let outcome = downcoding(&released, &people, &finer, &promises, Recoding::Local);
            assert_eq!((outcome.severity, outcome.figure.value), (Severity::Residual, 0.0), "{}", outcome.result);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Every assignment of the rows, one by one.
        #[test]
        fn the_split_is_what_listing_all_assignments_says(n in 1u64..9, k in 2u64..5, q in 0.05f64..0.95, two: bool) {
            let mut weights = vec![0.0; n as usize + 1];
            for set in 0u32..1 << n {
                let x = u64::from(set.count_ones());
                let refinable = x == n || (two && x == 0) || (x >= k && n - x >= k);
                if !refinable {
                    weights[x as usize] += q.powi(x as i32) * (1.0 - q).powi((n - x) as i32);
                }
            }
            let sum: f64 = weights.iter().sum();
            let best = weights.iter().copied().fold(0.0, f64::max);
            let likeliest = (0..=n).map(|x| binomial(n, x, q)).fold(0.0, f64::max);
            let of_any = split(n, k, q, 3, Recoding::FullDomain).unwrap();
            prop_assert!((of_any.probability - likeliest).abs() < 1e-12 && (binomial(n, of_any.rows, q) - likeliest).abs() < 1e-12);
            match split(n, k, q, if two { 2 } else { 3 }, Recoding::Local) {
                Some(split) => {
                    prop_assert!((split.probability - best / sum).abs() < 1e-9);
                    prop_assert!((weights[split.rows as usize] - best).abs() < 1e-12);
                }
                None => prop_assert!(sum == 0.0),
            }
        }
    }
}
