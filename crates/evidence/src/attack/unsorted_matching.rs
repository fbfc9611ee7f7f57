//! Two releases are laid side by side.
//!
//! The attacker takes rows at the same position of two releases for the same person. If (nearly) all such pairs fit together, the
//! order was kept, and each pair is known in the finer label of every column: (Person, 02138) beside (Asian, 02130) is (Asian,
//! 02138). Figures: the share of pairs that fit, what a random order would give (a permutation test), and the share of rows whose
//! joined row is rarer than k. Sweeney, "k-Anonymity", IJUFKS 10(5), 2002, section 4.1.

use super::outcome::{counted, percent};
use super::permutation::{ORDERS, p_value};
use super::releases::{Finer, Pair};
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Severity, Unit};
use rand::Rng;
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, HashMap};

/// An attacker believes an alignment in which so many pairs fit.
const BELIEVED: f64 = 0.95;

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
    /// Rows of the joined table, as numbers: equal for equal joined rows; `None` where the pair does not fit.
    pub joined: Vec<Option<u32>>,
    /// Rows per number of `joined`.
    pub sizes: Vec<u64>,
}

/// Aligns two releases by position.
#[must_use]
pub fn align(pair: &Pair<'_>, random: &mut impl Rng) -> Alignment {
    let (meets, secrets) = (pair.meets(), pair.secrets());
    let length = meets.left.len().min(meets.right.len());
    let key = |meet: u32, secret: u32| (u64::from(meet) << 32) | u64::from(secret);
    // The class matters only where its labels cross those of the other side.
    let class = |classes: &[u32], row: usize| if pair.crossing.is_empty() { 0 } else { classes[row] };
    let left: Vec<(u64, u32)> = (0..length)
        .map(|row| (key(meets.left[row], secrets.left[row]), class(pair.left.classes.of_row(), row)))
        .collect();
    let mut right: Vec<(u64, u32)> = (0..length)
        .map(|row| (key(meets.right[row], secrets.right[row]), class(pair.right.classes.of_row(), row)))
        .collect();
    let fit = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0 && pair.classes_fit(a.1, b.1);
    let fits = |right: &[(u64, u32)]| left.iter().zip(right).filter(|(a, b)| fit(a, b)).count() as u64;
    let fitting = fits(&right);
    let both = fitting_by_chance(&left, &right, |a, b| pair.classes_fit(a, b));
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let (mut joined, mut sizes) = (Vec::with_capacity(length), Vec::new());
    for row in 0..length {
        let number = fit(&left[row], &right[row]).then(|| {
            let key = (pair.left.classes.of_row()[row], pair.right.classes.of_row()[row]);
            *numbers.entry(key).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            })
        });
        number.into_iter().for_each(|number| sizes[number as usize] += 1);
        joined.push(number);
    }
    let p_value = (fitting as f64 >= BELIEVED * length as f64).then(|| {
        p_value(ORDERS, || {
            right.shuffle(random);
            fits(&right) >= fitting
        })
    });
    Alignment {
        pairs: length as u64,
        fitting,
        by_chance: if length == 0 { 0.0 } else { both / (length as f64 * length as f64) },
        p_value,
        joined,
        sizes,
    }
}

/// How many pairs of any left and any right row fit.
fn fitting_by_chance(left: &[(u64, u32)], right: &[(u64, u32)], fit: impl Fn(u32, u32) -> bool) -> f64 {
    type Sides = (BTreeMap<u32, u64>, BTreeMap<u32, u64>);
    let mut counts: BTreeMap<u64, Sides> = BTreeMap::new();
    left.iter().for_each(|&(key, class)| *counts.entry(key).or_default().0.entry(class).or_default() += 1);
    right.iter().for_each(|&(key, class)| *counts.entry(key).or_default().1.entry(class).or_default() += 1);
    let mut pairs = 0.0;
    for (left, right) in counts.values() {
        for (&a, &n) in left {
            pairs +=
                right.iter().filter(|&(&b, _)| fit(a, b)).map(|(_, &m)| n as f64 * m as f64).sum::<f64>();
        }
    }
    pairs
}

/// The joined row at a position: the finer label of each shared column.
#[must_use]
pub fn joined_row(pair: &Pair<'_>, row: usize) -> Vec<String> {
    let label = |shared: &super::releases::SharedColumn| {
        let column = match shared.finer {
            Finer::Left => pair.left.column(shared.left),
            Finer::Right => pair.right.column(shared.right),
        };
        format!("{} = {}", column.name(), column.labels()[column.codes()[row] as usize])
    };
    let crossing = pair.crossing.iter().map(|column| {
        let (left, right) = (pair.left.column(column.left), pair.right.column(column.right));
        let cell = |column: &crate::microdata::Column| column.labels()[column.codes()[row] as usize].clone();
        format!("{} = {} and {}", left.name(), cell(left), cell(right))
    });
    pair.columns.iter().map(label).chain(crossing).collect()
}

/// Runs the attack.
#[must_use]
pub fn unsorted_matching(pair: &Pair<'_>, promises: &Promises, random: &mut impl Rng) -> Outcome {
    const FIGURE: &str = "rows exposed by joining positions";
    if let Some(why) = pair.nothing_fits(&pair.meets()) {
        return Outcome::not_compared(Attack::UnsortedMatching, FIGURE, why);
    }
    let found = align(pair, random);
    let share = found.fitting as f64 / found.pairs.max(1) as f64;
    let believed = share >= BELIEVED && found.p_value.is_some_and(|p| p <= 0.01);
    let k = promises.size_or_two();
    // Rarer than promised, and rarer than in either release alone.
    let alone = |row: usize| {
        let size =
            |released: &super::Released| released.classes.sizes()[released.classes.of_row()[row] as usize];
        size(pair.left).min(size(pair.right))
    };
    let rare = |row: usize, number: u32| found.sizes[number as usize] < k.min(alone(row));
    let numbered = || found.joined.iter().enumerate().filter_map(|(row, number)| Some((row, (*number)?)));
    let exposed = numbered().filter(|&(row, number)| rare(row, number)).count() as u64;
    let figure_value = if believed { exposed as f64 / found.pairs.max(1) as f64 } else { 0.0 };
    let bound = promises.size().map(|k| Bound {
        value: 0.0,
        from: format!("no row is rarer than {k}, also in two releases together"),
    });
    let severity = Severity::of(figure_value, Unit::Share, bound.as_ref().map(|bound| bound.value), 0.0);
    let result = match (believed, exposed) {
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
        numbered().filter(|&(row, number)| believed && rare(row, number) && told.insert(number));
    let findings = exposed_rows.map(|(row, number)| Finding {
        class: joined_row(pair, row),
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
        let restored: Vec<Vec<String>> = (0..12).map(|row| joined_row(&pair, row)).collect();
        assert_eq!(restored, original);
        let promises = Promises { k: Some(2), ..Promises::default() };
        let outcome = unsorted_matching(&pair, &promises, &mut ChaCha20Rng::seed_from_u64(1));
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert_eq!(outcome.findings[0].class, ["race = Asian", "zip = 02138"]);
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
            let found = align(&pair, &mut ChaCha20Rng::seed_from_u64(3));
            prop_assert_eq!(found.fitting, rows.iter().filter(|row| row.0 == row.2).count() as u64);
            let all: usize = rows.iter().map(|a| rows.iter().filter(|b| a.0 == b.2).count()).sum();
            prop_assert!((found.by_chance - all as f64 / (rows.len() * rows.len()) as f64).abs() < 1e-12);
            for (row, number) in found.joined.iter().enumerate() {
                let like = |other: &usize| {
                    rows[*other].0 == rows[*other].2 && joined_row(&pair, *other) == joined_row(&pair, row)
                };
                match number {
                    Some(number) => prop_assert_eq!(found.sizes[*number as usize], (0..rows.len()).filter(like).count() as u64),
                    None => prop_assert!(rows[row].0 != rows[row].2),
                }
            }
        }
    }
}
