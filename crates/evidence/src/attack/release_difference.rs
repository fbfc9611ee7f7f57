//! Who came and who left between two releases.
//!
//! The attacker takes the newer release for the older one with rows added or removed, and subtracts: class by class (brought to
//! common labels) the histogram of the sensitive values before from that after, and the other way round. What is left over came, or
//! left. A handful of newcomers are known people; many newcomers who share a value give it away all the same. Figure: the fewest rows
//! that came to a class, or left it, held against k; their values, held against all that was promised for the values of classes.
//! Ganta, Kasiviswanathan and Smith, "Composition attacks and auxiliary information", KDD 2008; Sweeney, IJUFKS 10(5), 2002, section 4.2.

use super::catalogue::{Card, Tried};
use super::classes::Missing;
use super::means::{Earlier, Means};
use super::newcomers::{Shown, Sight, Told, Whole, breaks, tells};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::releases::{Finer, Meets, Pair, SharedColumn};
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use std::collections::{BTreeMap, BTreeSet};

pub(super) static CARD: Card = Card {
    name: "release-difference",
    question: "Who came and who left between two releases?",
    assumption: "The attacker takes the newer release for the older one with rows added or removed, and subtracts.",
    source: "Ganta, Kasiviswanathan and Smith, Composition Attacks, KDD 2008; Sweeney 2002",
    needs: "an earlier release (--previous RELEASE)",
    tried: Tried::WithEarlierReleases,
};

/// Rows that came to a class, or that left it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The meeting place.
    pub meet: u32,
    /// Rows in the first release.
    pub before: u64,
    /// Rows in the second.
    pub after: u64,
    /// Which way.
    pub direction: Direction,
    /// At least so many rows, or at most so many people where both releases say whose rows they are.
    pub rows: u64,
    /// By sensitive column of both: what these rows show of it.
    pub shown: Vec<Shown>,
}

/// Which way rows went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// In the newer release only.
    Came,
    /// In the older release only.
    Left,
}

/// The sensitive columns of both: places left and right.
fn sensitive(pair: &Pair<'_>) -> Vec<(usize, usize)> {
    let both = |&(left, right): &(usize, usize)| {
        pair.left.sensitive.contains(&left) && pair.right.sensitive.contains(&right)
    };
    pair.others.iter().copied().filter(both).collect()
}

/// A meeting place and a combination of sensitive values; rows before and after.
type Counts = ((u32, u32), (u64, u64));

/// Every class (brought to common labels) to which rows came, and from which rows went.
#[must_use]
pub fn changes(pair: &Pair<'_>, meets: &Meets, promises: &Promises, sight: &Sight<'_>) -> Vec<Change> {
    let columns = sensitive(pair);
    let wholes: Vec<Whole<'_>> = columns.iter().map(|&column| whole(pair, column, promises, sight)).collect();
    let secrets = Pair { others: columns.clone(), ..pair.clone() }.secrets();
    // By meeting place and combination of sensitive values: rows before and after, and a row that shows the combination.
    let mut counts: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    let mut shown: BTreeMap<u32, (bool, usize)> = BTreeMap::new();
    let sides = [(pair.left, &meets.left, &secrets.left), (pair.right, &meets.right, &secrets.right)];
    // Different people at a meeting place, before and after; four rows of a newcomer are one newcomer.
    let mut people: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let in_people = sides.iter().all(|(released, ..)| released.table.people().is_some());
    for (is_left, (released, meets, secrets)) in [true, false].into_iter().zip(sides) {
        let whose = released.table.people().filter(|_| in_people);
        let (mut present, mut at) = (BTreeSet::new(), BTreeSet::new());
        for (row, (&meet, &secret)) in meets.iter().zip(secrets).enumerate() {
            shown.entry(secret).or_insert((is_left, row));
            let side = |counts: &mut (u64, u64)| if is_left { counts.0 += 1 } else { counts.1 += 1 };
            if let Some(person) = whose.map(|whose| whose[row]) {
                if at.insert((meet, person)) {
                    side(people.entry(meet).or_default());
                }
                if !present.insert((meet, secret, person)) {
                    continue;
                }
            }
            side(counts.entry((meet, secret)).or_default());
        }
    }
    let cell = |secret: u32, column: usize| -> Option<&str> {
        let &(in_left, row) = shown.get(&secret)?;
        let (released, place) = match in_left {
            true => (pair.left, columns[column].0),
            false => (pair.right, columns[column].1),
        };
        let missing = promises.of_column(released.column(place).name()).missing;
        let cell = released.column(place).cell(released.column(place).codes()[row]);
        cell.or_else(|| (missing == Missing::Value).then_some(""))
    };
    let mut found = Vec::new();
    let entries: Vec<Counts> = counts.into_iter().collect();
    for class in entries.chunk_by(|a, b| a.0.0 == b.0.0) {
        let rows_of = |side: fn(&(u64, u64)) -> u64| class.iter().map(|entry| side(&entry.1)).sum::<u64>();
        let at = people.get(&class[0].0.0).copied();
        let (before, after) = at.unwrap_or((rows_of(|counts| counts.0), rows_of(|counts| counts.1)));
        for direction in [Direction::Came, Direction::Left] {
            let gone = |entry: &Counts| match direction {
                Direction::Came => entry.1.1.saturating_sub(entry.1.0),
                Direction::Left => entry.1.0.saturating_sub(entry.1.1),
            };
            let mut rows: u64 = class.iter().map(gone).sum();
            if rows == 0 {
                continue;
            }
            // Of people with several values, each is counted once.
            if let Some((before, after)) = at {
                let more = match direction {
                    Direction::Came => after.saturating_sub(before),
                    Direction::Left => before.saturating_sub(after),
                };
                rows = if more > 0 { rows.min(more) } else { rows };
            }
            let stayed = |entry: &Counts| match direction {
                Direction::Came => entry.1.0,
                Direction::Left => entry.1.1,
            };
            let tally = |column: usize, count: &dyn Fn(&Counts) -> u64| {
                let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
                for entry in class.iter().filter(|entry| count(entry) > 0) {
                    if let Some(cell) = cell(entry.0.1, column) {
                        *tally.entry(cell).or_insert(0) += count(entry);
                    }
                }
                tally
            };
            let shown = (wholes.iter().enumerate())
                .map(|(column, whole)| whole.shown(&tally(column, &gone), &tally(column, &stayed)));
            found.push(Change {
                meet: class[0].0.0,
                before,
                after,
                direction,
                rows,
                shown: shown.collect(),
            });
        }
    }
    found
}

/// A sensitive column of the newer release as a whole, with the numbers of both.
fn whole<'a>(pair: &Pair<'a>, (left, right): (usize, usize), promises: &Promises, sight: &Sight<'_>) -> Whole<'a> {
    let (older, newer) = (pair.left.column(left), pair.right.column(right));
    let missing = promises.of_column(newer.name()).missing;
    let cell = |&code: &u32| newer.cell(code).or_else(|| (missing == Missing::Value).then_some(""));
    let known = sight.secrets.iter().find(|secret| secret.place == right);
    let mut numbers: BTreeMap<&str, f64> = BTreeMap::new();
    if let Some(known) = known.and_then(|secret| secret.numbers.as_ref()) {
        // Those who left may have had numbers that no one has now.
        let parsed = older.labels().iter().filter_map(|label| Some((label.as_str(), label.parse().ok()?)));
        numbers.extend(parsed);
        let of = newer.labels().iter().zip(known);
        numbers.extend(of.filter_map(|(label, number)| Some((label.as_str(), (*number)?))));
    }
    Whole::new(newer.codes().iter().filter_map(cell), numbers)
}

/// Runs the subtraction.
#[must_use]
pub fn release_difference(pair: &Pair<'_>, promises: &Promises, sight: &Sight<'_>) -> Outcome {
    if pair.shares_no_quasi_identifier() {
        return Outcome::without_quasi_identifiers(Attack::ReleaseDifference);
    }
    const FIGURE: &str = "fewest rows that came to a class or left it";
    let meets = pair.meets();
    if let Some(why) = pair.nothing_fits(&meets) {
        return Outcome::not_compared(Attack::ReleaseDifference, FIGURE, why);
    }
    let k = promises.size_or_two();
    let columns = sensitive(pair);
    let names: Vec<&str> = columns.iter().map(|&(_, right)| pair.right.column(right).name()).collect();
    let mut changed = changes(pair, &meets, promises, sight);
    changed.sort_by_key(|change| (change.rows, change.meet, change.direction));
    // A class that is wholly new, or wholly gone, is what one release alone shows.
    let partly = |change: &Change| change.before > 0 && change.after > 0;
    let is_small = |change: &Change| change.rows < k;
    // The column whose secret those who came or left give away: what was promised of it, or what nobody promised.
    let few = |change: &Change, promised: bool| {
        let told = |(shown, name): (&Shown, &&'_ str)| match promised {
            true => breaks(shown, name, change.rows, promises).is_some(),
            false => tells(shown, name, change.rows, sight.threshold).is_some(),
        };
        partly(change) && change.shown.iter().zip(&names).any(told)
    };
    let why = |change: &Change| {
        let shown = || change.shown.iter().zip(&names).filter(|_| partly(change));
        let broken = shown().find_map(|(shown, name)| breaks(shown, name, change.rows, promises));
        broken.or_else(|| shown().find_map(|(shown, name)| tells(shown, name, change.rows, sight.threshold)))
    };
    let small: Vec<&Change> = changed.iter().filter(|change| is_small(change)).collect();
    let rows: u64 = small.iter().map(|change| change.rows).sum();
    let alike = |promised: bool| {
        changed.iter().filter(move |change| !is_small(change) && few(change, promised))
    };
    let (broken_alike, any_alike) = (alike(true).count() as u64, alike(false).count() as u64);
    let any_alike = any_alike.max(broken_alike);
    let severity = match Severity::of_finding(!small.is_empty(), promises.size().is_some()) {
        _ if broken_alike > 0 => Severity::Broken,
        Severity::Covered | Severity::NothingFound if any_alike > 0 => Severity::Residual,
        severity => severity,
    };
    let least = changed.first().map_or(0, |change| change.rows);
    let mut result = match (changed.is_empty(), small.len() as u64) {
        (true, _) => "No class changed.".to_owned(),
        (false, 0) => format!("Wherever rows came or left, they were at least {}.", counted(least, "row")),
        (false, n) => format!(
            "{} fewer than {k} rows came or left, {} in all.",
            if n == 1 { "In 1 case".to_owned() } else { format!("In {n} cases") },
            counted(rows, "row")
        ),
    };
    if any_alike > 0 {
        let cases = if any_alike == 1 { "1 case".to_owned() } else { format!("{any_alike} cases") };
        result
            .push_str(&format!(" In {cases} those who came or left share a sensitive value, or nearly so."));
    }
    let told = small
        .iter()
        .copied()
        .chain(alike(false))
        .chain(alike(true).filter(|change| !few(change, false)));
    let findings = told.map(|change| Finding {
        class: common_labels(pair, &meets, change.meet),
        value: change.rows as f64,
        text: text(change, why(change)),
    });
    let figure = Figure { what: FIGURE, value: least as f64, unit: Unit::Count };
    let of = |direction| changed.iter().filter(move |change| change.direction == direction).count();
    Outcome::new(Attack::ReleaseDifference, severity, figure, result)
        .against(bound(promises, broken_alike > 0 && small.is_empty()))
        .with("classes in common labels", meets.count)
        .with("classes to which rows came", of(Direction::Came))
        .with("classes from which rows left", of(Direction::Left))
        .with(
            "rows in small changes",
            format!("{rows} ({})", percent(rows as f64 / pair.right.table.rows().max(1) as f64)),
        )
        .at(findings)
}

fn bound(promises: &Promises, about_values: bool) -> Option<Bound> {
    let size = promises.size_bound(|k| format!("at least {k} rows come to a class or leave it, or none"));
    let l = promises.columns.iter().filter_map(|column| column.distinct).max();
    match (about_values, l) {
        (true, l) => {
            let from = "those who come or leave are as mixed as the classes were promised to be".to_owned();
            Some(Bound { value: size.map_or(l.unwrap_or(1) as f64, |bound| bound.value), from })
        }
        _ => size,
    }
}

fn text(change: &Change, told: Option<Told<'_>>) -> String {
    let way = match change.direction {
        Direction::Came => "came",
        Direction::Left => "left",
    };
    let rows =
        format!("{} {way} ({} before, {} after)", counted(change.rows, "row"), change.before, change.after);
    match told {
        Some(told) => format!("{rows}, {}", told.text()),
        None => rows,
    }
}

/// The coarser label of every shared column at a meeting place.
fn common_labels(pair: &Pair<'_>, meets: &Meets, meet: u32) -> Vec<String> {
    let coarser = |shared: &SharedColumn| match shared.finer {
        Finer::Left => (pair.right, &meets.right, shared.right),
        Finer::Right => (pair.left, &meets.left, shared.left),
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
    // Labels that hang together have no common name.
    let crossing = pair.crossing.iter().map(|column| {
        let (column, rows) = (pair.right.column(column.right), &meets.right);
        let mut labels: Vec<&str> = rows
            .iter()
            .zip(column.codes())
            .filter(|(known, _)| **known == meet)
            .map(|(_, &code)| column.labels()[code as usize].as_str())
            .collect();
        labels.sort_unstable();
        labels.dedup();
        let more = if labels.len() > 3 { ", \u{2026}" } else { "" };
        labels.truncate(3);
        format!("{} = {}{more}", column.name(), labels.join(", "))
    });
    labels.chain(crossing).collect()
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let sight = Sight { threshold: means.threshold, secrets: &target.secrets };
    let of = |earlier: &Earlier<'_>| earlier.told(release_difference(&earlier.pair, target.promises, &sight));
    target.earlier.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let (one, two) = planted::grown(if plant == Plant::Weak { 1 } else { planted::K as usize });
    let sight = Sight { threshold: 0.8, secrets: &[] };
    release_difference(&planted::same_labels(&one, &two), &planted::promises(), &sight)
}

#[cfg(test)]
mod tests {
    use super::super::Released;
    use super::super::unsorted_matching::tests::{covers, pair};
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    const SIGHT: Sight<'static> = Sight { threshold: 0.8, secrets: &[] };

    fn release(text: &str) -> Released {
        Released::new(table(text), vec![0, 1], vec![2])
    }

    fn differenced(left: &str, right: &str, l: Option<u64>) -> Outcome {
        let (left, right) = (release(left), release(right));
        let mut pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
        pair.others = vec![(2, 2)];
        let mut promises = Promises { k: Some(2), ..Promises::default() };
        promises.column("s").distinct = l;
        release_difference(&pair, &promises, &SIGHT)
    }

    const BEFORE: &str =
        "race zip s\nAsian 02130 a\nAsian 02130 b\nAsian 02130 c\nBlack 02130 c\nBlack 02130 d";

    #[test]
    fn two_releases_are_differenced() {
        let outcome = differenced(BEFORE, &format!("{BEFORE}\nAsian 02130 hiv"), None);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0));
        assert_eq!(outcome.findings[0].class, ["race = Asian", "zip = 02130"]);
        assert_eq!(outcome.findings[0].text, "1 row came (3 before, 4 after)");
        assert_eq!(differenced(BEFORE, BEFORE, None).severity, Severity::Covered);
    }

    #[test]
    fn one_who_leaves_does_not_hide_one_who_comes() {
        let after = BEFORE.replace("Asian 02130 b", "Asian 02130 hiv");
        let outcome = differenced(BEFORE, &after, None);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        let texts: Vec<&str> = outcome.findings.iter().map(|finding| finding.text.as_str()).collect();
        assert_eq!(texts, ["1 row came (3 before, 3 after)", "1 row left (3 before, 3 after)"]);
    }

    #[test]
    fn newcomers_who_share_a_value_give_it_away() {
        let sick = format!("{BEFORE}{}", "\nAsian 02130 hiv".repeat(4));
        let outcome = differenced(BEFORE, &sick, Some(2));
        assert_eq!(outcome.severity, Severity::Broken, "{}", outcome.result);
        assert_eq!(outcome.findings[0].text, "4 rows came (3 before, 7 after), with 1 value of s");
        assert_eq!(
            differenced(BEFORE, &sick, None).severity,
            Severity::Residual,
            "nothing was promised about s"
        );
        let mixed = format!("{BEFORE}\nAsian 02130 hiv\nAsian 02130 flu\nAsian 02130 hiv\nAsian 02130 a");
        assert_eq!(differenced(BEFORE, &mixed, Some(2)).severity, Severity::Covered);
        let new_class = format!("{BEFORE}\nWhite 02130 hiv\nWhite 02130 hiv");
        assert_eq!(differenced(BEFORE, &new_class, None).severity, Severity::Covered, "homogeneity tells it");
    }

    #[test]
    fn one_healthy_newcomer_does_not_hide_the_sick_ones() {
        let nearly = format!("{BEFORE}{}\nAsian 02130 flu", "\nAsian 02130 hiv".repeat(29));
        let outcome = differenced(BEFORE, &nearly, Some(2));
        assert_eq!(outcome.severity, Severity::Residual, "two values are there: {}", outcome.result);
        assert!(outcome.findings[0].text.ends_with("96.67 % of them with one value of s"));
        let (left, right) = (release(BEFORE), release(&nearly));
        let mut pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
        pair.others = vec![(2, 2)];
        let mut promises = Promises { k: Some(2), ..Promises::default() };
        promises.column("s").confidence = Some(0.81);
        let outcome = release_difference(&pair, &promises, &SIGHT);
        assert_eq!(outcome.severity, Severity::Broken, "{}", outcome.result);
    }

    #[test]
    fn four_rows_of_a_newcomer_are_one_newcomer() {
        let after = format!("{BEFORE}\nAsian 02130 e\nAsian 02130 f\nAsian 02130 g\nAsian 02130 h");
        let of = |newcomers: [u32; 4]| {
            let people = |more: &[u32]| Some((0..5).chain(more.iter().copied()).collect::<Vec<u32>>());
            let owned = |text: &str, more: &[u32]| {
                Released::new(table(text).with_people(people(more)), vec![0, 1], vec![2])
            };
            let (left, right) = (owned(BEFORE, &[]), owned(&after, &newcomers));
            let mut pair = pair(&left, &right, &[Finer::Right, Finer::Right], covers);
            pair.others = vec![(2, 2)];
            release_difference(&pair, &Promises { k: Some(2), ..Promises::default() }, &SIGHT)
        };
        let outcome = of([7, 7, 7, 7]);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert_eq!(of([7, 8, 9, 10]).severity, Severity::Covered);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Taking each row of one side out of the other side's, one by one; what cannot be taken out came, or left.
        #[test]
        fn changes_are_what_crossing_out_rows_says(
            left in prop::collection::vec((0u8..2, 0u8..3), 1..12), right in prop::collection::vec((0u8..2, 0u8..3), 1..12)
        ) {
            let text = |rows: &[(u8, u8)]| rows.iter().map(|(q, s)| format!("\nR{q}x 02130 s{s}")).collect::<String>();
            let (one, two) = (release(&format!("race zip s{}", text(&left))), release(&format!("race zip s{}", text(&right))));
            let mut pair = pair(&one, &two, &[Finer::Right, Finer::Right], covers);
            pair.others = vec![(2, 2)];
            let found = changes(&pair, &pair.meets(), &Promises::default(), &SIGHT);
            let crossed_out = |from: &[(u8, u8)], out: &[(u8, u8)]| {
                let mut rest = from.to_vec();
                for row in out {
                    if let Some(place) = rest.iter().position(|known| known == row) {
                        rest.remove(place);
                    }
                }
                rest
            };
            for (direction, rest) in
                [(Direction::Came, crossed_out(&right, &left)), (Direction::Left, crossed_out(&left, &right))]
            {
                let mut found: Vec<(u64, u64)> = found.iter()
                    .filter(|change| change.direction == direction).map(|change| (change.rows, change.shown[0].values)).collect();
                let mut expected: Vec<(u64, u64)> = (0..2).map(|q| {
                    let rows: Vec<u8> = rest.iter().filter(|row| row.0 == q).map(|row| row.1).collect();
                    let values: std::collections::BTreeSet<u8> = rows.iter().copied().collect();
                    (rows.len() as u64, values.len() as u64)
                }).filter(|change| change.0 > 0).collect();
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
