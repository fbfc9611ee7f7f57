//! What several releases say together.
//!
//! The attacker knows that a person is in both releases. Their row is in a class of each; both classes together are known in the
//! finer label of every column. Of the sensitive values only those that both classes show remain, and at most
//! `m = Σ_s min(n₁(s), n₂(s))` people can be in both. Figures: the smallest m > 0 of two classes that fit together, held against k;
//! for each sensitive column the fewest values left, held against ℓ, and the largest share `min(n₁(s), n₂(s)) / m` of one, held
//! against what the promised diversity and closeness allow. Only what both tell beyond either alone is counted: a coarser copy of an
//! earlier release adds nothing. Where both are about the same rows, their sizes tell more ([marginals](super::marginals)). Ganta, Kasiviswanathan and Smith, "Composition attacks and auxiliary information", KDD 2008.

use super::catalogue::{Card, Tried};
use super::composed_values::values;
use super::fingerprints;
use super::marginals::told_by_sizes;
use super::means::{Earlier, Means};
use super::planted::{self, Plant};
use super::releases::Pair;
use super::several::several;
use super::{Attack, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use paravent_core::words::counted;
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "composition",
    question: "What do several releases say together?",
    assumption: "The attacker knows that a person is in both releases, whose sensitive values did not change in between.",
    source: "Ganta, Kasiviswanathan and Smith, Composition Attacks, KDD 2008; Sweeney 2002",
    needs: "an earlier release (--previous RELEASE)",
    tried: Tried::WithEarlierReleases,
};

/// Pairs of classes that fit; beyond about so many, the rest is left out and the report says so.
const MOST_PAIRS: usize = 5_000_000;

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

/// Pairs of classes that fit together and share a value, and how many that fit were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// Those that share a value.
    pub found: Vec<Joined>,
    /// All that were looked at, whether they share one or not.
    pub looked: usize,
    /// Whether that is all that fit.
    pub complete: bool,
}

/// All pairs of classes that fit together and share a value, or those that were found until so many were looked at that the rest is left out.
#[must_use]
pub fn join(pair: &Pair<'_>) -> Join {
    join_until(pair, MOST_PAIRS)
}

fn join_until(pair: &Pair<'_>, most: usize) -> Join {
    let (meets, secrets) = (pair.meets(), pair.secrets());
    let in_people = pair.left.table.people().is_some() && pair.right.table.people().is_some();
    let left = by_class(pair.left, &secrets.left, in_people);
    let right = by_class(pair.right, &secrets.right, in_people);
    let fitting = pair.fitting(&meets);
    let (mut found, mut looked) = (Vec::new(), 0usize);
    for (class, of_left) in (0u32..).zip(&left) {
        fitting.each(class, |other| {
            looked += 1;
            let (mut people, values) = overlap(of_left, &right[other as usize]);
            if in_people {
                // Somebody with several values is one person in both.
                let size = |released: &Released, class: u32| released.classes.sizes()[class as usize];
                people = people.min(size(pair.left, class)).min(size(pair.right, other));
            }
            if people > 0 {
                found.push(Joined { left: class, right: other, people, values });
            }
        });
        if looked > most && class as usize + 1 < left.len() {
            return Join { found, looked, complete: false };
        }
    }
    // People may have rows in several classes, so that nothing adds up.
    let found = if in_people { found } else { told_by_sizes(&left, &right, found) };
    Join { found, looked, complete: true }
}

/// Sensitive value and how many rows show it, or people, by class.
fn by_class(released: &Released, secrets: &[u32], in_people: bool) -> Vec<Vec<(u32, u64)>> {
    let class_of = released.classes.of_row();
    let count = class_of.iter().max().map_or(0, |&last| last as usize + 1);
    let whose = released.table.people().filter(|_| in_people);
    let rows = class_of.iter().zip(secrets).enumerate();
    let mut pairs: Vec<(u32, u32, u32)> = rows
        .map(|(row, (&class, &secret))| (class, secret, whose.map_or(row as u32, |whose| whose[row])))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut tallies: Vec<Vec<(u32, u64)>> = vec![Vec::new(); count];
    for (class, secret, _) in pairs {
        let tally = &mut tallies[class as usize];
        match tally.last_mut() {
            Some((known, rows)) if *known == secret => *rows += 1,
            _ => tally.push((secret, 1)),
        }
    }
    tallies
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

/// Runs join and intersection: people first, then each sensitive column of both.
#[must_use]
pub fn composition(pair: &Pair<'_>, promises: &Promises) -> Vec<Outcome> {
    composition_until(pair, promises, MOST_PAIRS)
}

fn composition_until(pair: &Pair<'_>, promises: &Promises, most: usize) -> Vec<Outcome> {
    let not_compared = |why: String| vec![Outcome::not_compared(Attack::Composition, PEOPLE, why)];
    if pair.shares_no_quasi_identifier() {
        return without_quasi_identifiers(pair, promises);
    }
    if let Some(why) = pair.nothing_fits(&pair.meets()) {
        return not_compared(why);
    }
    let mut joined = join_until(pair, most);
    if joined.found.is_empty() && !joined.complete {
        return not_compared(left_out(joined.looked).trim_start().to_owned());
    }
    if joined.found.is_empty() {
        let names: Vec<&str> = pair.others.iter().map(|&(left, _)| pair.left.column(left).name()).collect();
        return not_compared(format!(
            "The releases could not be compared: where their classes fit, no row of one agrees with a row of the other in {}.",
            names.join(", ")
        ));
    }
    joined.found.sort_by_key(|joined| (joined.people, joined.values, joined.left, joined.right));
    let outcomes = told(pair, &joined.found, promises).into_iter();
    match joined.complete {
        true => outcomes.collect(),
        false => outcomes.map(|outcome| cut(outcome, joined.looked)).collect(),
    }
}

/// What is said where pairs of classes were left out.
fn left_out(looked: usize) -> String {
    format!(
        " More pairs of classes fit than could be tried: nothing is known of those beyond the first {looked}."
    )
}

/// Nothing bad in the pairs that were looked at says nothing of the others; what was found there stays found.
fn cut(mut outcome: Outcome, looked: usize) -> Outcome {
    if outcome.severity < Severity::NotCompared {
        outcome.severity = Severity::NotCompared;
    }
    outcome.result.push_str(&left_out(looked));
    outcome.with("pairs of classes looked at", looked)
}

/// People first, then each sensitive column of both.
fn told(pair: &Pair<'_>, joined: &[Joined], promises: &Promises) -> Vec<Outcome> {
    let mut outcomes = vec![people(pair, joined, promises)];
    for &(left, right) in &pair.others {
        if pair.left.sensitive.contains(&left) && pair.right.sensitive.contains(&right) {
            outcomes.extend(values(pair, joined, (left, right), promises));
        }
    }
    outcomes
}

/// Two releases that share no quasi-identifier: only what their other cells put together with certainty is held against the promises.
fn without_quasi_identifiers(pair: &Pair<'_>, promises: &Promises) -> Vec<Outcome> {
    let names: Vec<&str> = pair.others.iter().map(|&(left, _)| pair.left.column(left).name()).collect();
    let names = names.join(", ");
    if !fingerprints::meet(pair) {
        let why = format!(
            "The releases could not be compared: they share no quasi-identifier, and no row of one agrees with a row of the other in {names}."
        );
        return vec![Outcome::not_compared(Attack::Composition, PEOPLE, why)];
    }
    let mut joined = fingerprints::linked(pair);
    if joined.is_empty() {
        let result = format!(
            "The releases share no quasi-identifier, and no row of one can be put beside a row of the other with certainty by {names}."
        );
        let figure = Figure { what: "pairs of classes with a person in both", value: 0.0, unit: Unit::Count };
        let severity = Severity::of_finding(false, promises.size().is_some());
        return vec![Outcome::new(Attack::Composition, severity, figure, result)];
    }
    joined.sort_by_key(|joined| (joined.people, joined.values, joined.left, joined.right));
    let outcomes = told(pair, &joined, promises).into_iter();
    outcomes.map(|outcome| outcome.with("rows are put together by", &names)).collect()
}

const PEOPLE: &str = "fewest people who fit both releases";

/// Rows of the smaller of two classes: among so many somebody hides in one release alone.
fn alone(pair: &Pair<'_>, joined: &Joined) -> u64 {
    let size = |released: &super::Released, class: u32| released.classes.sizes()[class as usize];
    size(pair.left, joined.left).min(size(pair.right, joined.right))
}

/// How many people can be in two classes.
fn people(pair: &Pair<'_>, joined: &[Joined], promises: &Promises) -> Outcome {
    let k = promises.size_or_two();
    let least = joined.first().map_or(0, |joined| joined.people);
    let is_small = |joined: &&Joined| joined.people < k.min(alone(pair, joined));
    let small = joined.iter().filter(is_small).count();
    let known = joined.iter().filter(|joined| joined.values == 1).count();
    let smallest = joined.iter().map(|joined| alone(pair, joined)).min().unwrap_or(0);
    let mut bound = promises.size_bound(|k| match smallest < k {
        false => format!("at least {k} people fit, also in two releases together"),
        true => format!("at least {k} people fit, or as many as in one release alone ({smallest})"),
    });
    if let Some(bound) = &mut bound {
        bound.value = bound.value.min(smallest as f64);
    }
    let severity = Severity::of_finding(small > 0, promises.size().is_some());
    let pairs =
        |n: u64| if n == 1 { "1 pair of classes".to_owned() } else { format!("{n} pairs of classes") };
    let result = match small as u64 {
        0 if smallest < k => format!(
            "Whoever is in both releases hides among at least {}, as in one release alone.",
            counted(least, "row")
        ),
        0 => format!("Whoever is in both releases hides among at least {}.", counted(least, "row")),
        n => format!("In {} fewer than {k} people can be in both releases.", pairs(n)),
    };
    let findings = joined.iter().filter(is_small).map(|joined| Finding {
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
    let figure = Figure { what: PEOPLE, value: least as f64, unit: Unit::Count };
    let mut outcome = Outcome::new(Attack::Composition, severity, figure, result)
        .against(bound)
        .with("pairs of classes that fit", joined.len())
        .with(&format!("of these with fewer than {k} people"), small)
        .with("of these with one combination of other cells left", known)
        .at(findings);
    if !pair.incomparable.is_empty() {
        outcome = outcome.with("columns that could not be compared", pair.incomparable.join(", "));
    }
    outcome
}

pub(super) fn finer_labels(pair: &Pair<'_>, joined: &Joined) -> Vec<String> {
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
    let crossing = pair.crossing.iter().filter_map(|column| {
        let (left, right) = (pair.left.column(column.left), pair.right.column(column.right));
        let old = &left.labels()[code(pair.left, joined.left, column.left)? as usize];
        let new = &right.labels()[code(pair.right, joined.right, column.right)? as usize];
        Some(format!("{} = {old} and {new}", left.name()))
    });
    let labels: Vec<String> = labels.chain(crossing).collect();
    if !pair.shares_no_quasi_identifier() {
        return labels;
    }
    // What is known of somebody in both.
    let own = |released: &Released, class: u32| released.classes.describe(&released.table, class as usize);
    [own(pair.left, joined.left), own(pair.right, joined.right)].concat()
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |earlier: &Earlier<'_>| {
        let outcomes = composition(&earlier.pair, target.promises);
        outcomes.into_iter().map(|outcome| earlier.told(outcome)).collect::<Vec<_>>()
    };
    let with_now: Vec<&Pair<'_>> = target.earlier.iter().map(|earlier| &earlier.pair).collect();
    let together = several(&with_now, &target.among, target.promises);
    target.earlier.iter().flat_map(of).chain(together).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let one = planted::people(Plant::Strong);
    // Weak: another release in which each class kept one of its people and got others.
    let two = planted::secrets(plant);
    let outcomes = composition(&planted::same_labels(&one, &two), &planted::promises());
    outcomes.into_iter().max_by_key(|outcome| outcome.severity).expect("the attack has an outcome")
}

#[cfg(test)]
mod tests {
    use super::super::releases::{CrossingColumn, Finer};
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
        let outcome = &composition(&pair, &Promises { k: Some(2), ..Promises::default() })[0];
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert!(outcome.findings.iter().any(|finding| finding.class == ["race = Asian", "zip = 02138"]
            && finding.text == "1 row in both, one sensitive value left"));
    }

    #[test]
    fn a_release_says_nothing_new_beside_itself() {
        let text = "race zip s\nAsian 02130 a\nAsian 02130 b\nBlack 02130 a\nBlack 02130 b";
        let (left, right) = (release(text), release(text));
        let mut pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
        pair.others = vec![(2, 2)];
        let promises = Promises { k: Some(2), ..Promises::default() };
        let outcomes = composition(&pair, &promises);
        assert_eq!((outcomes.len(), outcomes[0].severity), (2, Severity::Covered));
        assert_eq!(outcomes[1].severity, Severity::NothingFound, "nothing was promised about s");
    }

    #[test]
    fn a_coarser_copy_adds_nothing() {
        let fine = release("race zip s\nPerson 02138 a\nPerson 02138 b\nPerson 02139 a\nPerson 02139 c");
        let coarse = release("race zip s\nPerson 02130 a\nPerson 02130 b\nPerson 02130 a\nPerson 02130 c");
        let mut pair = pair(&fine, &coarse, &[Finer::Right, Finer::Left], covers);
        pair.others = vec![(2, 2)];
        // The coarser one promises more than the finer one can keep; together they tell what the finer one tells alone.
        let mut promises = Promises { k: Some(4), ..Promises::default() };
        promises.column("s").distinct = Some(3);
        for outcome in composition(&pair, &promises) {
            assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
        }
    }

    #[test]
    fn nothing_that_fits_is_no_all_clear() {
        let left = release("race zip s\nPerson 2138 a\nPerson 2138 b");
        let right = release("race zip s\nAsian 02130 a\nAsian 02130 b");
        let none = |_: &str, _: &str| false;
        let pair = pair(&left, &right, &[Finer::Right, Finer::Left], none);
        let promises = Promises { k: Some(2), ..Promises::default() };
        let outcomes = composition(&pair, &promises);
        assert_eq!((outcomes.len(), outcomes[0].severity), (1, Severity::NotCompared));
        assert!(outcomes[0].result.contains("in race, zip"), "{}", outcomes[0].result);
        assert!(outcomes[0].severity.is_alarm());
    }

    #[test]
    fn pairs_that_were_left_out_are_not_covered() {
        let text = |last: &str| {
            format!(
                "race zip s\nAsian 02130 a\nAsian 02130 b\nBlack 02130 a\nBlack 02130 b\nWhite 02130 a\nWhite 02130 {last}"
            )
        };
        let mut promises = Promises { k: Some(2), ..Promises::default() };
        promises.column("s").distinct = Some(2);
        let outcomes = |first: &str, second: &str, most: usize| {
            let (left, right) = (release(&text(first)), release(&text(second)));
            let mut pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
            pair.others = vec![(2, 2)];
            composition_until(&pair, &promises, most)
        };
        // The third class is the bad one.
        for (most, severity) in [(5, Severity::Broken), (1, Severity::NotCompared)] {
            let outcomes = outcomes("b", "c", most);
            assert_eq!(outcomes.len(), 2);
            for outcome in outcomes {
                assert_eq!(outcome.severity, severity, "{}", outcome.result);
                assert_eq!(outcome.result.contains("beyond the first 2."), most == 1, "{}", outcome.result);
            }
        }
        let complete = outcomes("b", "b", 5);
        assert!(complete.iter().all(|outcome| outcome.severity == Severity::Covered));
        assert!(outcomes("b", "b", 0).iter().all(|outcome| outcome.severity.is_alarm()));
        // None of the pairs that were looked at shares a value.
        let (left, right) =
            (release("race zip s\nA 02130 a\nB 02130 a"), release("race zip s\nA 02130 b\nB 02130 a"));
        let mut apart = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
        apart.others = vec![(2, 2)];
        let outcome = &composition_until(&apart, &promises, 0)[0];
        assert_eq!(outcome.severity, Severity::NotCompared, "{}", outcome.result);
        assert!(outcome.result.contains("beyond the first 1."), "{}", outcome.result);
    }

    #[test]
    fn intervals_that_cross_meet_where_they_overlap() {
        // Ages 0-9, 10-19 in one, 0-4, 5-14, 15-19 in the other.
        let release = |text| Released::new(table(text), vec![0], vec![1]);
        let left = release("age s\n00-09 a\n00-09 b\n10-19 c\n10-19 d");
        let right = release("age s\n00-04 a\n05-14 b\n05-14 c\n15-19 d");
        let fits = vec![vec![0, 1], vec![1, 2]];
        let crossing = vec![CrossingColumn { left: 0, right: 0, fits }];
        let pair = Pair {
            left: &left,
            right: &right,
            columns: vec![],
            crossing,
            incomparable: vec![],
            others: vec![(1, 1)],
        };
        let Join { found, looked, complete } = join(&pair);
        let pairs: Vec<(u32, u32)> = found.iter().map(|joined| (joined.left, joined.right)).collect();
        assert_eq!(
            (pairs, looked, complete),
            (vec![(0, 0), (0, 1), (1, 1), (1, 2)], 4, true),
            "not (0, 2) nor (1, 0)"
        );
        assert_eq!(pair.meets().count, 1, "all labels hang together");
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
            let Join { found, complete, .. } = join(&pair);
            let mut found: Vec<(u64, usize)> = found.iter().map(|joined| (joined.people, joined.values)).collect();
            found.sort_unstable();
            plain.sort_unstable();
            prop_assert!(complete);
            prop_assert_eq!(found, plain);
        }
    }
}
