//! What several releases say together.
//!
//! **Join and intersection.** The attacker knows that a person is in both releases. Their row is in a class of each; both classes
//! together are known in the finer label of every column. Of the sensitive values only those that both classes show remain, and at
//! most `m = Σ_s min(n₁(s), n₂(s))` people can be in both. Figure: the smallest m > 0 of two classes that fit together, held against
//! k. **Difference.** Taking the newer release for the older one with changes, the classes (brought to common labels) grew or shrank by
//! so many rows; a change of fewer than k rows is a handful of known newcomers. Figure: the smallest change.
//! Ganta, Kasiviswanathan and Smith, "Composition attacks and auxiliary information", KDD 2008; Sweeney, IJUFKS 10(5), 2002, section 4.2.

use super::outcome::{counted, percent};
use super::releases::{Meets, Pair};
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Severity, Unit};
use std::collections::BTreeMap;

/// Pairs of classes looked at; beyond, the rest is left out and the report says so.
const MOST_PAIRS: usize = 20_000_000;

/// Two classes, one of each release, that the same person may be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Class of the first.
    pub left: u32,
    /// Class of the second.
    pub right: u32,
    /// The most people that can be in both.
    pub people: u64,
    /// Different sensitive values that both show.
    pub values: usize,
}

/// All pairs of classes that fit together and share a value, and whether that is all of them.
#[must_use]
pub fn join(pair: &Pair<'_>) -> (Vec<Joined>, bool) {
    let (meets, secrets) = (pair.meets(), pair.secrets());
    let left = by_class(pair.left.classes.of_row(), &secrets.left);
    let right = by_class(pair.right.classes.of_row(), &secrets.right);
    let left_at = at_meet(pair.left.classes.of_row(), &meets.left, meets.count);
    let right_at = at_meet(pair.right.classes.of_row(), &meets.right, meets.count);
    let (mut found, mut looked) = (Vec::new(), 0usize);
    for (these, those) in left_at.iter().zip(&right_at) {
        for &a in these {
            for &b in those {
                looked += 1;
                if looked > MOST_PAIRS {
                    return (found, false);
                }
                let (people, values) = overlap(&left[a as usize], &right[b as usize]);
                if people > 0 {
                    found.push(Joined { left: a, right: b, people, values });
                }
            }
        }
    }
    (found, true)
}

/// Sensitive value and count, by class.
fn by_class(class_of: &[u32], secrets: &[u32]) -> Vec<Vec<(u32, u64)>> {
    let count = class_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut pairs: Vec<(u32, u32)> = class_of.iter().copied().zip(secrets.iter().copied()).collect();
    pairs.sort_unstable();
    let mut tallies: Vec<Vec<(u32, u64)>> = vec![Vec::new(); count];
    for (class, secret) in pairs {
        let tally = &mut tallies[class as usize];
        match tally.last_mut() {
            Some((known, rows)) if *known == secret => *rows += 1,
            _ => tally.push((secret, 1)),
        }
    }
    tallies
}

/// The classes at each meeting place.
fn at_meet(class_of: &[u32], meets: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut pairs: Vec<(u32, u32)> = meets.iter().copied().zip(class_of.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut classes = vec![Vec::new(); count];
    pairs.into_iter().for_each(|(meet, class)| classes[meet as usize].push(class));
    classes
}

/// Rows and values that two sorted tallies have in common.
fn overlap(left: &[(u32, u64)], right: &[(u32, u64)]) -> (u64, usize) {
    let (mut a, mut b, mut people, mut values) = (0, 0, 0, 0);
    while a < left.len() && b < right.len() {
        match left[a].0.cmp(&right[b].0) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                people += left[a].1.min(right[b].1);
                values += 1;
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    (people, values)
}

/// Runs join and intersection.
#[must_use]
pub fn composition(pair: &Pair<'_>, promises: &Promises) -> Outcome {
    let (mut joined, complete) = join(pair);
    let k = promises.k.unwrap_or(2);
    joined.sort_by_key(|joined| (joined.people, joined.values, joined.left, joined.right));
    let least = joined.first().map_or(0, |joined| joined.people);
    let small = joined.iter().filter(|joined| joined.people < k).count();
    let known = joined.iter().filter(|joined| joined.values == 1).count();
    let bound = promises.k.map(|k| Bound {
        value: k as f64,
        from: format!("at least {k} people fit, also in two releases together"),
    });
    let severity = match (&bound, small) {
        (_, 0) => Severity::Covered,
        (Some(_), _) => Severity::Broken,
        (None, _) => Severity::Residual,
    };
    let result = match (joined.is_empty(), small as u64) {
        (true, _) => "No class of one release fits a class of the other.".to_owned(),
        (false, 0) => format!("Whoever is in both releases hides among at least {}.", counted(least, "row")),
        (false, n) => format!(
            "In {} fewer than {k} people can be in both releases.",
            counted(n, "pair of classes")
                .replace("pair of classess", "pairs of classes")
                .replace("pair of classeses", "pairs of classes")
        ),
    };
    let findings = joined.iter().filter(|joined| joined.people < k).map(|joined| Finding {
        class: finer_labels(pair, joined),
        value: joined.people as f64,
        text: match joined.values {
            1 => format!("{} in both, one sensitive value left", counted(joined.people, "row")),
            n => format!(
                "{} in both, {} left",
                counted(joined.people, "row"),
                counted(n as u64, "sensitive value")
            ),
        },
    });
    let figure =
        Figure { what: "fewest people who fit both releases", value: least as f64, unit: Unit::Count };
    let mut outcome = Outcome::new(Attack::Composition, severity, figure, result)
        .against(bound)
        .with("pairs of classes that fit", joined.len())
        .with(&format!("of these with fewer than {k} people"), small)
        .with("of these with one sensitive value left", known)
        .at(findings);
    if !complete {
        outcome = outcome.with("pairs looked at", format!("the first {MOST_PAIRS}"));
    }
    outcome
}

fn finer_labels(pair: &Pair<'_>, joined: &Joined) -> Vec<String> {
    let code = |released: &super::Released, class: u32, place: usize| {
        let position = released.classes.columns().iter().position(|&known| known == place);
        position.map(|position| released.classes.codes(class as usize)[position])
    };
    let labels = pair.columns.iter().filter_map(|shared| {
        let (released, class, place) = match shared.finer {
            super::releases::Finer::Left => (pair.left, joined.left, shared.left),
            super::releases::Finer::Right => (pair.right, joined.right, shared.right),
        };
        let column = released.column(place);
        Some(format!("{} = {}", column.name(), column.labels()[code(released, class, place)? as usize]))
    });
    labels.collect()
}

/// How a class changed from one release to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The meeting place.
    pub meet: u32,
    /// Rows in the first.
    pub before: u64,
    /// Rows in the second.
    pub after: u64,
}

/// Every class (brought to common labels) whose size changed.
#[must_use]
pub fn changes(meets: &Meets) -> Vec<Change> {
    let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    meets.left.iter().for_each(|&meet| counts.entry(meet).or_default().0 += 1);
    meets.right.iter().for_each(|&meet| counts.entry(meet).or_default().1 += 1);
    let changed = counts.into_iter().filter(|(_, (before, after))| before != after);
    changed.map(|(meet, (before, after))| Change { meet, before, after }).collect()
}

/// Runs the subtraction.
#[must_use]
pub fn release_difference(pair: &Pair<'_>, promises: &Promises) -> Outcome {
    let meets = pair.meets();
    let k = promises.k.unwrap_or(2);
    let mut changed = changes(&meets);
    let by = |change: &Change| change.after.abs_diff(change.before);
    changed.sort_by_key(|change| (by(change), change.meet));
    let small: Vec<&Change> = changed.iter().filter(|change| by(change) < k).collect();
    let least = changed.first().map_or(0, by);
    let rows: u64 = small.iter().map(|change| by(change)).sum();
    let bound = promises.k.map(|k| Bound {
        value: k as f64,
        from: format!("a class changes by at least {k} rows, or not at all"),
    });
    let severity = match (&bound, small.is_empty()) {
        (_, true) => Severity::Covered,
        (Some(_), false) => Severity::Broken,
        (None, false) => Severity::Residual,
    };
    let result = match (changed.is_empty(), small.len() as u64) {
        (true, _) => "No class changed its size.".to_owned(),
        (false, 0) => format!("Every class that changed did so by at least {}.", counted(least, "row")),
        (false, n) => format!(
            "{} changed by fewer than {k} rows, {} in all.",
            counted(n, "class"),
            counted(rows, "row")
        ),
    };
    let findings = small.iter().map(|change| Finding {
        class: common_labels(pair, &meets, change.meet),
        value: by(change) as f64,
        text: format!("{} before, {} after", counted(change.before, "row"), change.after),
    });
    let figure = Figure { what: "smallest change of a class", value: least as f64, unit: Unit::Count };
    let grown = changed.iter().filter(|change| change.after > change.before).count();
    Outcome::new(Attack::ReleaseDifference, severity, figure, result)
        .against(bound)
        .with("classes in common labels", meets.count)
        .with("classes that grew", grown)
        .with("classes that shrank", changed.len() - grown)
        .with(
            "rows in small changes",
            format!("{rows} ({})", percent(rows as f64 / pair.right.table.rows().max(1) as f64)),
        )
        .at(findings)
}

/// The coarser label of every shared column at a meeting place.
fn common_labels(pair: &Pair<'_>, meets: &Meets, meet: u32) -> Vec<String> {
    let coarser = |shared: &super::releases::SharedColumn| match shared.finer {
        super::releases::Finer::Left => (pair.right, &meets.right, shared.right),
        super::releases::Finer::Right => (pair.left, &meets.left, shared.left),
    };
    let labels = pair.columns.iter().map(|shared| {
        let (released, rows, place) = coarser(shared);
        let column = released.column(place);
        let row = rows.iter().position(|&known| known == meet);
        // The coarser side may have no row here: then the finer side's label is all that is known.
        let label = row.map(|row| column.labels()[column.codes()[row] as usize].clone());
        let label = label.unwrap_or_else(|| "(in one release only)".to_owned());
        format!("{} = {label}", column.name())
    });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use super::super::Released;
    use super::super::releases::Finer;
    use super::super::unsorted_matching::tests::{covers, pair};
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    fn release(text: &str) -> Released {
        Released::new(table(text), vec![0, 1], vec![2])
    }

    #[test]
    fn crossing_levels_isolate_and_intersect() {
        let left =
            release("race zip s\nPerson 02138 flu\nPerson 02138 hiv\nPerson 02139 flu\nPerson 02139 cold");
        let right =
            release("race zip s\nAsian 02130 hiv\nAsian 02130 cold\nBlack 02130 flu\nBlack 02130 flu");
        let mut pair = pair(&left, &right, &[Finer::Right, Finer::Left], covers);
        pair.others = vec![(2, 2)];
        let outcome = composition(&pair, &Promises { k: Some(2), ..Promises::default() });
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert!(outcome.findings.iter().any(|finding| finding.class == ["race = Asian", "zip = 02138"]
            && finding.text == "1 row in both, one sensitive value left"));
    }

    #[test]
    fn two_releases_are_differenced() {
        let left = release("race zip s\nAsian 02130 a\nAsian 02130 b\nBlack 02130 c\nBlack 02130 d");
        let right = release(
            "race zip s\nAsian 02130 a\nAsian 02130 b\nAsian 02130 hiv\nBlack 02130 c\nBlack 02130 d",
        );
        let pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
        let outcome = release_difference(&pair, &Promises { k: Some(2), ..Promises::default() });
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0));
        assert_eq!(outcome.findings[0].class, ["race = Asian", "zip = 02130"]);
        assert_eq!(outcome.findings[0].text, "2 rows before, 3 after");
    }

    #[test]
    fn a_release_says_nothing_new_beside_itself() {
        let text = "race zip s\nAsian 02130 a\nAsian 02130 b\nBlack 02130 a\nBlack 02130 b";
        let (left, right) = (release(text), release(text));
        let mut pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
        pair.others = vec![(2, 2)];
        let promises = Promises { k: Some(2), ..Promises::default() };
        assert_eq!(composition(&pair, &promises).severity, Severity::Covered);
        assert_eq!(release_difference(&pair, &promises).severity, Severity::Covered);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn joined_classes_are_what_comparing_every_pair_says(
            left in prop::collection::vec((1u8..3, 0u8..3, 0u8..3), 1..15), right in prop::collection::vec((1u8..3, 0u8..2, 0u8..3), 1..15)
        ) {
            let text: String = left.iter().map(|(a, b, s)| format!("\nPerson 021{a}{b} s{s}")).collect();
            let one = release(&format!("race zip s{text}"));
            let text: String = right.iter().map(|(a, r, s)| format!("\nR{r} 021{a}0 s{s}")).collect();
            let two = release(&format!("race zip s{text}"));
            let mut pair = pair(&one, &two, &[Finer::Right, Finer::Left], covers);
            pair.others = vec![(2, 2)];
            let mut plain = Vec::new();
            for a in 1..3 {
                for b in 0..3 {
                    for r in 0..2 {
                        let count = |rows: &[(u8, u8, u8)], key: (u8, u8), s| rows.iter().filter(|row| (row.0, row.1, row.2) == (key.0, key.1, s)).count() as u64;
                        let common: Vec<u64> = (0..3).map(|s| count(&left, (a, b), s).min(count(&right, (a, r), s))).collect();
                        if common.iter().sum::<u64>() > 0 {
                            plain.push((common.iter().sum::<u64>(), common.iter().filter(|&&n| n > 0).count()));
                        }
                    }
                }
            }
            let (found, complete) = join(&pair);
            let mut found: Vec<(u64, usize)> = found.iter().map(|joined| (joined.people, joined.values)).collect();
            found.sort_unstable();
            plain.sort_unstable();
            prop_assert!(complete);
            prop_assert_eq!(found, plain);
            let count = |rows: &[(u8, u8, u8)], a: u8| rows.iter().filter(|row| row.0 == a).count() as u64;
            let mut expected: Vec<(u64, u64)> = (1..3).map(|a| (count(&left, a), count(&right, a))).filter(|(b, a)| b != a).collect();
            let mut found: Vec<(u64, u64)> = changes(&pair.meets()).iter().map(|change| (change.before, change.after)).collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
