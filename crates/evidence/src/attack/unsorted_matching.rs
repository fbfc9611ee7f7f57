//! Two releases are laid side by side.
//!
//! The attacker takes rows at the same position of two releases for the same person. If (nearly) all such pairs fit together, the
//! order was kept, and each pair is known in the finer label of every column: (Person, 02138) beside (Asian, 02130) is (Asian,
//! 02138). Figures: the share of pairs that fit, what a random order would give (a permutation test), and the share of rows whose
//! joined row is rarer than k. One release may be in the opposite order, and rows may be missing in one of them: these alignments are tried,
//! too, and the best is taken. Two releases that are sorted by what they show say nothing by their order. Sweeney, "k-Anonymity", IJUFKS 10(5), 2002, section 4.1.

use super::catalogue::{Card, Tried};
use super::means::{Earlier, Means};
use super::outcome::percent;
use super::permutation::{ORDERS, p_value};
use super::planted::{self, Plant};
use super::releases::{Finer, Fitting, Meets, Pair};
use super::sortedness::is_sorted_by_class;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use paravent_core::words::counted;
use rand::Rng;
use rand::rngs::ChaCha20Rng;
use rand::seq::SliceRandom;
use std::collections::{BTreeSet, HashMap};

pub(super) static CARD: Card = Card {
    name: "unsorted-matching",
    question: "Can two releases be laid side by side?",
    assumption: "The attacker has two releases of one table and takes rows at the same position for the same person.",
    source: "Sweeney, k-Anonymity, IJUFKS 2002",
    needs: "an earlier release (--previous RELEASE)",
    tried: Tried::WithEarlierReleases,
};

/// An attacker believes an alignment in which this share of the pairs fits.
const BELIEVED: f64 = 0.95;
/// Where this share of the pairs fits by chance, a share tells nothing of the order.
const ANY_FITS: f64 = 0.9;

/// Two releases by position.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// Positions compared.
    pub pairs: u64,
    /// Pairs that can be of one person.
    pub fitting: u64,
    /// Share of pairs that would fit in a random order.
    pub by_chance: f64,
    /// Share of random orders with at least as many fitting pairs; not asked where too few fit to be believed.
    pub p_value: Option<f64>,
    /// The pairs: row of the first, row of the second.
    pub rows: Vec<(usize, usize)>,
    /// Rows of the joined table, as numbers: equal for equal joined rows; `None` where the pair does not fit.
    pub joined: Vec<Option<u32>>,
    /// Rows per number of `joined`, or people where both releases say whose rows they are.
    pub sizes: Vec<u64>,
}

/// How rows are laid beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laying {
    /// Equal positions.
    Straight,
    /// The second release from its end.
    Reversed,
    /// Equal positions, where rows of the longer release are skipped that the other one lacks.
    Skipping,
}

/// Rows that are looked at for a partner, beyond those by which the releases differ in length.
const AHEAD: usize = 16;

/// The pairs of rows of two releases of these lengths.
fn laid(
    laying: Laying,
    left: usize,
    right: usize,
    fit: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    match laying {
        Laying::Straight => (0..left.min(right)).map(|row| (row, row)).collect(),
        Laying::Reversed => (0..left.min(right)).map(|row| (row, right - 1 - row)).collect(),
        Laying::Skipping => {
            // The rows of the shorter one, each with the first row of the longer one that fits: right if none is missing there.
            let ahead = 2 * left.abs_diff(right) + AHEAD;
            let (short, long) = (left.min(right), left.max(right));
            let pair = |few: usize, many: usize| if right <= left { (many, few) } else { (few, many) };
            let (mut pairs, mut next) = (Vec::new(), 0);
            for row in 0..short {
                let mut window = next..long.min(next + ahead);
                let fits = |other: &usize| {
                    let (a, b) = pair(row, *other);
                    fit(a, b)
                };
                if let Some(partner) = window.find(fits) {
                    pairs.push(pair(row, partner));
                    next = partner + 1;
                }
            }
            pairs
        }
    }
}

/// Aligns two releases by position.
#[must_use]
pub fn align(pair: &Pair<'_>, laying: Laying, random: &mut impl Rng) -> Alignment {
    let (meets, secrets) = (pair.meets(), pair.secrets());
    let key = |meet: u32, secret: u32| (u64::from(meet) << 32) | u64::from(secret);
    // The class matters only where its labels cross those of the other side.
    let class = |classes: &[u32], row: usize| if pair.crossing.is_empty() { 0 } else { classes[row] };
    let left: Vec<(u64, u32)> = (0..meets.left.len())
        .map(|row| (key(meets.left[row], secrets.left[row]), class(pair.left.classes.of_row(), row)))
        .collect();
    let mut right: Vec<(u64, u32)> = (0..meets.right.len())
        .map(|row| (key(meets.right[row], secrets.right[row]), class(pair.right.classes.of_row(), row)))
        .collect();
    let fitting_classes = pair.fitting(&meets);
    let crosses = !pair.crossing.is_empty();
    let fit = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0 && (!crosses || fitting_classes.cross(a.1, b.1));
    let lay = |right: &[(u64, u32)]| laid(laying, left.len(), right.len(), |a, b| fit(&left[a], &right[b]));
    let fits = |right: &[(u64, u32)], rows: &[(usize, usize)]| {
        rows.iter().filter(|&&(a, b)| fit(&left[a], &right[b])).count() as u64
    };
    let rows = lay(&right);
    let length = left.len().min(right.len());
    let fitting = fits(&right, &rows);
    let both = fitting_by_chance(pair, &secrets, &fitting_classes, MOST_PAIRS);
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let (mut joined, mut sizes) = (Vec::with_capacity(length), Vec::new());
    let whose = pair.right.table.people().filter(|_| pair.left.table.people().is_some());
    let mut known = BTreeSet::new();
    for &(a, b) in &rows {
        let number = fit(&left[a], &right[b]).then(|| {
            let key = (pair.left.classes.of_row()[a], pair.right.classes.of_row()[b]);
            *numbers.entry(key).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            })
        });
        if let Some(number) = number {
            let is_new = whose.is_none_or(|whose| known.insert((number, whose[b])));
            sizes[number as usize] += u64::from(is_new);
        }
        joined.push(number);
    }
    let p_value = (fitting as f64 >= laying.believed() * length as f64).then(|| {
        p_value(ORDERS, || {
            right.shuffle(random);
            fits(&right, &lay(&right)) >= fitting
        })
    });
    Alignment {
        pairs: length as u64,
        fitting,
        by_chance: if length == 0 { 0.0 } else { both / (length as f64 * length as f64) },
        p_value,
        rows,
        joined,
        sizes,
    }
}

impl Laying {
    /// An attacker believes an alignment in which so many pairs fit. Rows that are missing have no partner.
    fn believed(self) -> f64 {
        match self {
            Laying::Straight | Laying::Reversed => BELIEVED,
            Laying::Skipping => 0.8,
        }
    }
}

/// Pairs of classes of which the fitting rows are counted, about; where there are more, some classes of the first release stand for all.
const MOST_PAIRS: u64 = 5_000_000;

/// How many pairs of any left and any right row fit.
fn fitting_by_chance(pair: &Pair<'_>, secrets: &Meets, fitting: &Fitting<'_>, most: u64) -> f64 {
    let left = rows_by_class(pair.left, &secrets.left);
    let right = rows_by_class(pair.right, &secrets.right);
    // Some from all over the first release, if not all are looked at.
    let step = (left.len() / 1000).max(1);
    let spread = (0..step).flat_map(|first| (first..left.len()).step_by(step));
    let (mut pairs, mut looked, mut rows) = (0.0, 0u64, 0u64);
    for class in spread {
        if looked > most {
            break;
        }
        fitting.each(class as u32, |other| {
            looked += 1;
            pairs += common(&left[class], &right[other as usize]);
        });
        rows += left[class].iter().map(|(_, rows)| rows).sum::<u64>();
    }
    pairs * secrets.left.len() as f64 / rows.max(1) as f64
}

/// By class: how many rows show each combination of other cells, ascending.
fn rows_by_class(released: &Released, secrets: &[u32]) -> Vec<Vec<(u32, u64)>> {
    let mut rows: Vec<(u32, u32)> =
        released.classes.of_row().iter().copied().zip(secrets.iter().copied()).collect();
    rows.sort_unstable();
    let mut by_class = vec![Vec::new(); released.classes.len()];
    for same in rows.chunk_by(|a, b| a == b) {
        by_class[same[0].0 as usize].push((same[0].1, same.len() as u64));
    }
    by_class
}

/// Pairs of a left and a right row with equal other cells.
fn common(left: &[(u32, u64)], right: &[(u32, u64)]) -> f64 {
    let of_right = |secret: u32| right.binary_search_by_key(&secret, |entry| entry.0).map(|at| right[at].1);
    let pairs = left.iter().map(|&(secret, rows)| rows as f64 * of_right(secret).unwrap_or(0) as f64);
    pairs.sum()
}

/// The joined row of a pair: the finer label of each shared column.
#[must_use]
pub fn joined_row(pair: &Pair<'_>, (a, b): (usize, usize)) -> Vec<String> {
    let cell =
        |column: &crate::microdata::Column, row: usize| column.labels()[column.codes()[row] as usize].clone();
    let label = |shared: &super::releases::SharedColumn| {
        let (column, row) = match shared.finer {
            Finer::Left => (pair.left.column(shared.left), a),
            Finer::Right => (pair.right.column(shared.right), b),
        };
        format!("{} = {}", column.name(), cell(column, row))
    };
    let crossing = pair.crossing.iter().map(|column| {
        let (left, right) = (pair.left.column(column.left), pair.right.column(column.right));
        format!("{} = {} and {}", left.name(), cell(left, a), cell(right, b))
    });
    pair.columns.iter().map(label).chain(crossing).collect()
}

/// Runs the attack.
#[must_use]
pub fn unsorted_matching(pair: &Pair<'_>, promises: &Promises, random: &mut impl Rng) -> Outcome {
    if pair.shares_no_quasi_identifier() {
        return Outcome::without_quasi_identifiers(Attack::UnsortedMatching);
    }
    const FIGURE: &str = "rows exposed by joining positions";
    if let Some(why) = pair.nothing_fits(&pair.meets()) {
        return Outcome::not_compared(Attack::UnsortedMatching, FIGURE, why);
    }
    // Rows that are sorted by what they show have no other order.
    let sorted = is_sorted_by_class(pair.left) && is_sorted_by_class(pair.right);
    let is_believed = |found: &Alignment| !sorted && found.p_value.is_some_and(|p| p <= 0.01);
    let mut found = align(pair, Laying::Straight, random);
    for laying in [Laying::Reversed, Laying::Skipping] {
        if !is_believed(&found) && !sorted {
            let other = align(pair, laying, random);
            found = if is_believed(&other) { other } else { found };
        }
    }
    let share = found.fitting as f64 / found.pairs.max(1) as f64;
    let believed = is_believed(&found);
    let k = promises.size_or_two();
    // Rarer than promised, and rarer than in either release alone.
    let alone = |(a, b): (usize, usize)| {
        let size = |released: &super::Released, row: usize| {
            released.classes.sizes()[released.classes.of_row()[row] as usize]
        };
        size(pair.left, a).min(size(pair.right, b))
    };
    let rare = |rows: (usize, usize), number: u32| found.sizes[number as usize] < k.min(alone(rows));
    let numbered =
        || found.rows.iter().zip(&found.joined).filter_map(|(&rows, number)| Some((rows, (*number)?)));
    let exposed = numbered().filter(|&(rows, number)| rare(rows, number)).count() as u64;
    let figure_value = if believed { exposed as f64 / found.pairs.max(1) as f64 } else { 0.0 };
    let bound = promises.size().map(|k| Bound {
        value: 0.0,
        from: format!("no row is rarer than {k}, also in two releases together"),
    });
    let severity = Severity::of(figure_value, Unit::Share, bound.as_ref().map(|bound| bound.value), 0.0);
    let result = match (believed, exposed) {
        (false, _) if sorted => {
            "Both releases are sorted by what they show; their order says nothing more.".to_owned()
        }
        (false, _) if found.by_chance >= ANY_FITS => format!(
            "{} of the pairs at equal positions fit, and so do those of any other order ({} by chance): whether it was kept cannot be told.",
            percent(share),
            percent(found.by_chance)
        ),
        (false, _) => format!(
            "{} of the pairs at equal positions fit ({} by chance): the order was not kept.",
            percent(share),
            percent(found.by_chance)
        ),
        (true, 0) => {
            "The order was kept, but joining the rows tells no more than one release alone.".to_owned()
        }
        (true, rows) => format!(
            "The order was kept: {} of the pairs fit ({} by chance), and {} become rarer than {k} when joined.",
            percent(share),
            percent(found.by_chance),
            counted(rows, "row")
        ),
    };
    let mut told = std::collections::BTreeSet::new();
    let exposed_rows =
        numbered().filter(|&(rows, number)| believed && rare(rows, number) && told.insert(number));
    let findings = exposed_rows.map(|(rows, number)| Finding {
        class: joined_row(pair, rows),
        value: found.sizes[number as usize] as f64,
        text: format!("{} after joining by position", counted(found.sizes[number as usize], "row")),
    });
    let findings: Vec<Finding> = findings.take(super::MOST_FINDINGS).collect();
    let figure = Figure { what: FIGURE, value: figure_value, unit: Unit::Share };
    Outcome::new(Attack::UnsortedMatching, severity, figure, result)
        .against(bound)
        .with("positions compared", found.pairs)
        .with("pairs that fit", found.fitting)
        .with("share that fits by chance", percent(found.by_chance))
        .with(
            "p-value (permutation test)",
            found.p_value.map_or_else(|| "not asked".to_owned(), |p| format!("{p:.3}")),
        )
        .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |earlier: &Earlier<'_>| {
        let mut random = means.random(Attack::UnsortedMatching);
        earlier.told(unsorted_matching(&earlier.pair, target.promises, &mut random))
    };
    target.earlier.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let (one, two) = planted::two_releases(plant, random);
    unsorted_matching(&planted::pair(&one, &two), &planted::promises(), random)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::Released;
    use super::super::releases::SharedColumn;
    use super::*;
    use crate::attack::testing::table;
    use crate::microdata::Microdata;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    /// A pair whose finer labels are covered by the coarser ones that `covers` says.
    pub(crate) fn pair<'a>(
        left: &'a Released,
        right: &'a Released,
        finer: &[Finer],
        covers: impl Fn(&str, &str) -> bool,
    ) -> Pair<'a> {
        let columns = finer.iter().enumerate().map(|(place, &finer)| {
            let (fine, coarse) = match finer {
                Finer::Left => (left.column(place), right.column(place)),
                Finer::Right => (right.column(place), left.column(place)),
            };
            let cover = |label: &String| {
                coarse.labels().iter().position(|other| covers(other, label)).map(|code| code as u32)
            };
            SharedColumn { left: place, right: place, finer, lift: fine.labels().iter().map(cover).collect() }
        });
        let columns = columns.collect();
        Pair { left, right, columns, crossing: Vec::new(), incomparable: Vec::new(), others: Vec::new() }
    }

    pub(crate) fn covers(coarse: &str, fine: &str) -> bool {
        coarse == "Person" || coarse == fine || coarse == format!("{}0", &fine[..fine.len() - 1])
    }

    fn release(table: Microdata) -> Released {
        Released::new(table, vec![0, 1], Vec::new())
    }

    const GT1: &str = "race zip\nPerson 02138\nPerson 02139\nPerson 02141\nPerson 02142\n\
        Person 02138\nPerson 02139\nPerson 02141\nPerson 02142\nPerson 02138\nPerson 02139\nPerson 02141\nPerson 02142";
    const GT2: &str = "race zip\nAsian 02130\nAsian 02130\nAsian 02140\nAsian 02140\n\
        Black 02130\nBlack 02130\nBlack 02140\nBlack 02140\nWhite 02130\nWhite 02130\nWhite 02140\nWhite 02140";

    #[test]
    fn the_pair_of_the_lecture_is_restored_row_by_row() {
        let (left, right) = (release(table(GT1)), release(table(GT2)));
        let pair = pair(&left, &right, &[Finer::Right, Finer::Left], covers);
        let original: Vec<Vec<String>> = GT1
            .lines()
            .zip(GT2.lines())
            .skip(1)
            .map(|(a, b)| {
                let zip = a.split_whitespace().nth(1).unwrap_or_default();
                let race = b.split_whitespace().next().unwrap_or_default();
                vec![format!("race = {race}"), format!("zip = {zip}")]
            })
            .collect();
        assert_eq!(original[0], ["race = Asian", "zip = 02138"]);
        let restored: Vec<Vec<String>> = (0..12).map(|row| joined_row(&pair, (row, row))).collect();
        assert_eq!(restored, original);
        let promises = Promises { k: Some(2), ..Promises::default() };
        let outcome = unsorted_matching(&pair, &promises, &mut ChaCha20Rng::seed_from_u64(1));
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert_eq!(outcome.findings[0].class, ["race = Asian", "zip = 02138"]);
    }

    #[test]
    fn rows_that_are_missing_or_in_the_opposite_order_hide_nothing() {
        // Sixty people in no order of their own; two releases, each finer in one column.
        let people: Vec<(usize, usize)> = (0..60).map(|n| (n * 37 % 7, n * 29 % 16)).collect();
        let one: Vec<String> = people.iter().map(|(_, zip)| format!("Person 021{zip:02}")).collect();
        let two: Vec<String> = people.iter().map(|(race, zip)| format!("R{race} 021{}0", zip / 10)).collect();
        let severity = |one: &[String], two: &[String]| {
            let text = |rows: &[String]| release(table(&format!("race zip\n{}", rows.join("\n"))));
            let (left, right) = (text(one), text(two));
            let pair = pair(&left, &right, &[Finer::Right, Finer::Left], covers);
            let promises = Promises { k: Some(2), ..Promises::default() };
            unsorted_matching(&pair, &promises, &mut ChaCha20Rng::seed_from_u64(1)).severity
        };
        let without = |rows: &[String], every: usize| -> Vec<String> {
            rows.iter().enumerate().filter(|(n, _)| n % every != 3).map(|(_, row)| row.clone()).collect()
        };
        let reversed: Vec<String> = two.iter().rev().cloned().collect();
        assert_eq!(severity(&one, &two), Severity::Broken);
        assert_eq!(severity(&one, &reversed), Severity::Broken);
        assert_eq!(severity(&one, &without(&two, 10)), Severity::Broken, "rows are missing in the second");
        assert_eq!(severity(&without(&one, 12), &two), Severity::Broken, "or in the first");
        let mut shuffled = two.clone();
        shuffled.shuffle(&mut ChaCha20Rng::seed_from_u64(9));
        assert_eq!(severity(&one, &shuffled), Severity::Covered);
        let sorted = |rows: &[String]| {
            let mut rows = rows.to_vec();
            rows.sort_by_key(|row| row.split_whitespace().rev().map(str::to_owned).collect::<Vec<_>>());
            rows
        };
        assert_eq!(
            severity(&sorted(&one), &sorted(&two)),
            Severity::Covered,
            "both are sorted by their content"
        );
    }

    #[test]
    fn a_random_order_ends_the_attack() {
        let left = release(table(GT1));
        let mut rows: Vec<&str> = GT2.lines().skip(1).collect();
        rows.shuffle(&mut ChaCha20Rng::seed_from_u64(7));
        let right = release(table(&format!("race zip\n{}", rows.join("\n"))));
        let pair = pair(&left, &right, &[Finer::Right, Finer::Left], covers);
        let outcome = unsorted_matching(
            &pair,
            &Promises { k: Some(2), ..Promises::default() },
            &mut ChaCha20Rng::seed_from_u64(1),
        );
        assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn fitting_pairs_are_what_comparing_labels_says(rows in prop::collection::vec((0u8..2, 0u8..4, 0u8..2, 0u8..4), 1..20)) {
            let text = |pick: fn(&(u8, u8, u8, u8)) -> String| rows.iter().map(pick).collect::<String>();
            // Left has the finer second column, right the finer first one.
            let left = release(table(&format!("race zip{}", text(|row| format!("\nPerson 021{}{}", 1 + row.0, row.1)))));
            let right = release(table(&format!("race zip{}", text(|row| format!("\nR{} 021{}0", row.3, 1 + row.2)))));
            let pair = pair(&left, &right, &[Finer::Right, Finer::Left], covers);
            let found = align(&pair, Laying::Straight, &mut ChaCha20Rng::seed_from_u64(3));
            prop_assert_eq!(found.fitting, rows.iter().filter(|row| row.0 == row.2).count() as u64);
            let all: usize = rows.iter().map(|a| rows.iter().filter(|b| a.0 == b.2).count()).sum();
            prop_assert!((found.by_chance - all as f64 / (rows.len() * rows.len()) as f64).abs() < 1e-12);
            for (row, number) in found.joined.iter().enumerate() {
                let like = |other: &usize| {
                    rows[*other].0 == rows[*other].2
                        && joined_row(&pair, (*other, *other)) == joined_row(&pair, (row, row))
                };
                match number {
                    Some(number) => prop_assert_eq!(found.sizes[*number as usize], (0..rows.len()).filter(like).count() as u64),
                    None => prop_assert!(rows[row].0 != rows[row].2),
                }
            }
        }
    }
}
