//! Rows of two releases that share no quasi-identifier, put together by the other cells that both show.
//!
//! Cells that are released as they are (a secret, a laboratory value, a ward) are a fingerprint of a row. Of `N` people with one fingerprint, of whom
//! a class of one release has `a` and a class of the other `b`, at least `a + b − N` are in both: with a fingerprint that occurs once in each
//! release, that is one person. Whoever knows the quasi-identifiers of both releases then looks for somebody among the
//! `Σ min(a, b)` people who can be in both classes.

use super::composition::Joined;
use super::releases::{Meets, Pair};
use std::collections::{BTreeMap, BTreeSet};

/// How many people of a class have each fingerprint.
type ByClass = Vec<BTreeMap<u32, u64>>;

/// The pairs of classes that surely have a person in common, and how many people can be in both.
#[must_use]
pub fn linked(pair: &Pair<'_>) -> Vec<Joined> {
    let prints = pair.secrets();
    let (left, right) = (by_class(pair, &prints, true), by_class(pair, &prints, false));
    let all = |side: &ByClass| {
        let mut all = vec![0u64; prints.count];
        for (&print, &rows) in side.iter().flatten() {
            all[print as usize] += rows;
        }
        all
    };
    let (of_left, of_right) = (all(&left), all(&right));
    // By fingerprint: the classes that show it.
    let at = |side: &ByClass| {
        let mut at: Vec<Vec<(u32, u64)>> = vec![Vec::new(); prints.count];
        for (class, tally) in (0u32..).zip(side) {
            tally.iter().for_each(|(&print, &rows)| at[print as usize].push((class, rows)));
        }
        at
    };
    let (left_at, right_at) = (at(&left), at(&right));
    let mut sure: BTreeSet<(u32, u32)> = BTreeSet::new();
    for print in 0..prints.count {
        let people = of_left[print].max(of_right[print]);
        // More than half of the people must be in one of the two classes.
        let most = |classes: &[(u32, u64)]| classes.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
        if most(&left_at[print]) + most(&right_at[print]) <= people {
            continue;
        }
        for &(a, in_a) in &left_at[print] {
            for &(b, _) in right_at[print].iter().filter(|(_, in_b)| in_a + in_b > people) {
                sure.insert((a, b));
            }
        }
    }
    let joined = |(a, b): (u32, u32)| {
        let (one, two) = (&left[a as usize], &right[b as usize]);
        let common = one.iter().filter_map(|(print, rows)| Some((*rows).min(*two.get(print)?)));
        Joined { left: a, right: b, people: common.clone().sum(), values: common.count() }
    };
    sure.into_iter().map(joined).collect()
}

/// Whether some fingerprint is in both releases.
#[must_use]
pub fn meet(pair: &Pair<'_>) -> bool {
    let prints = pair.secrets();
    let mut seen = vec![false; prints.count];
    prints.left.iter().for_each(|&print| seen[print as usize] = true);
    prints.right.iter().any(|&print| seen[print as usize])
}

/// Rows by class and fingerprint, or people where both releases say whose rows they are.
fn by_class(pair: &Pair<'_>, prints: &Meets, is_left: bool) -> ByClass {
    let (released, prints) = if is_left { (pair.left, &prints.left) } else { (pair.right, &prints.right) };
    let both_know = pair.left.table.people().is_some() && pair.right.table.people().is_some();
    let whose = released.table.people().filter(|_| both_know);
    let rows = released.classes.of_row().iter().zip(prints).enumerate();
    let mut seen: Vec<(u32, u32, u32)> = rows
        .map(|(row, (&class, &print))| (class, print, whose.map_or(row as u32, |whose| whose[row])))
        .collect();
    seen.sort_unstable();
    seen.dedup();
    let mut tallies: ByClass = vec![BTreeMap::new(); released.classes.len()];
    for (class, print, _) in seen {
        *tallies[class as usize].entry(print).or_default() += 1;
    }
    tallies
}

#[cfg(test)]
mod tests {
    use super::super::{Attack, Promises, Released, Severity, composition::composition};
    use super::*;
    use crate::attack::testing::table;

    /// Two releases of the same people, one by age and one by zip; both show a value.
    fn pair<'a>(left: &'a Released, right: &'a Released) -> Pair<'a> {
        let others = vec![(1, 1)];
        Pair { left, right, columns: vec![], crossing: vec![], incomparable: vec![], others }
    }

    fn release(text: &str) -> Released {
        Released::new(table(text), vec![0], vec![1])
    }

    #[test]
    fn rare_values_put_rows_together() {
        let left = release("age s\nyoung 101\nyoung 102\nold 103\nold 104");
        let right = release("zip s\nnorth 101\nsouth 102\nnorth 103\nsouth 104");
        let found = linked(&pair(&left, &right));
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|joined| joined.people == 1));
        let promises = Promises { k: Some(2), ..Promises::default() };
        let outcome = &composition(&pair(&left, &right), &promises)[0];
        assert_eq!(
            (outcome.attack, outcome.severity),
            (Attack::Composition, Severity::Broken),
            "{}",
            outcome.result
        );
        assert!(
            outcome.findings[0].class.join(" ").contains("age = ")
                && outcome.findings[0].class.join(" ").contains("zip = ")
        );
    }

    #[test]
    fn values_that_many_share_put_nothing_together() {
        // The same look; every value is in both classes of both.
        let left = release("age s\nyoung flu\nyoung gout\nold flu\nold gout");
        let right = release("zip s\nnorth flu\nnorth gout\nsouth flu\nsouth gout");
        assert_eq!(linked(&pair(&left, &right)), []);
        let promises = Promises { k: Some(2), ..Promises::default() };
        let outcomes = composition(&pair(&left, &right), &promises);
        assert_eq!((outcomes.len(), outcomes[0].severity), (1, Severity::Covered), "{}", outcomes[0].result);
    }

    #[test]
    fn half_of_those_with_a_value_and_one_more_meet_for_sure() {
        // Three of four with flu are young, and two of the four are in the north: one of them at least is both.
        let left = release("age s\nyoung flu\nyoung flu\nyoung flu\nold flu");
        let right = release("zip s\nnorth flu\nnorth flu\nsouth flu\nsouth flu");
        let found = linked(&pair(&left, &right));
        let expected = |left, right| Joined { left, right, people: 2, values: 1 };
        // Classes are numbered by their labels: old, young; north, south.
        assert_eq!(found, [expected(1, 0), expected(1, 1)]);
    }

    #[test]
    fn other_people_are_not_compared() {
        let left = release("age s\nyoung 101\nyoung 102");
        let right = release("zip s\nnorth 201\nnorth 202");
        let promises = Promises { k: Some(2), ..Promises::default() };
        assert_eq!(composition(&pair(&left, &right), &promises)[0].severity, Severity::NotCompared);
    }
}
