//! Patterns across buckets undo the shuffling within each.
//!
//! In a bucketized or sliced table the attacker sees which known cells and which secrets share a bucket, but not how they are
//! paired. The pairing repeats across buckets, though: starting from the secrets' shares in the bucket, P(cell | secret) is
//! estimated from all rows, each row's belief is updated by naive Bayes and scaled so that every bucket keeps its secrets, and
//! again until nothing moves. Figure: how often the likeliest secret is right (with the truth), or how sure the attacker is on
//! average, against the most frequent secret of the bucket. Kifer, "Attacks on privacy and deFinetti's theorem", SIGMOD 2009.

use super::catalogue::{Card, Tried};
use super::confidence::{Excess, Rate};
use super::means::Means;
use super::outcome::percent;
use super::planted::{self, Plant};
use super::{Attack, Bound, Figure, Outcome, Severity, Unit};
use crate::microdata::Column;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use rand::seq::SliceRandom;
use std::collections::HashMap;

pub(super) static CARD: Card = Card {
    name: "definetti",
    question: "Do patterns across buckets undo the shuffling?",
    assumption: "The attacker sees which values share a bucket and learns from all buckets together how they go with each other.",
    source: "Kifer, Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009",
    needs: "a sliced table (--sliced TABLE --bucket COLUMN --group A,B --group C)",
    tried: Tried::OnRequest,
};

/// Rounds of estimation.
const ROUNDS: usize = 30;

/// The same table gives the same figure.
const SEED: u64 = 1;

/// Number of groups of about equal size in which numbers are learnt.
const GROUPS: usize = 8;

/// How often known cells are dealt anew, to see what learning makes of chance.
const CONTROLS: usize = 3;

/// A gain in certainty below this is noise of the estimation.
const NOISE: f64 = 0.05;

/// A table in which secrets are shuffled within buckets.
#[derive(Clone, Debug)]
pub struct Bucketized<'a> {
    /// The bucket of each row.
    pub buckets: &'a [u32],
    /// Columns that the attacker knows, with the number of their codes.
    pub known: Vec<(&'a [u32], usize)>,
    /// The secret column as released, shuffled within buckets, and the number of its codes.
    pub secret: (&'a [u32], usize),
    /// By code of the secret: the group it is learnt with. Numbers hardly repeat, and near ones go with the same people.
    pub alike: Vec<u32>,
}

/// What the attacker believes of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// The likeliest secret.
    pub secret: u32,
    /// How likely it is held.
    pub probability: f64,
}

/// The attacker's beliefs, and those of who only counts in the bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Beliefs {
    /// After learning from all buckets.
    pub learnt: Vec<Belief>,
    /// The most frequent secret of the bucket.
    pub counted: Vec<Belief>,
}

impl Bucketized<'_> {
    /// Learns.
    #[must_use]
    pub fn beliefs(&self) -> Beliefs {
        let rows = self.buckets.len();
        let count = self.buckets.iter().max().map_or(0, |&last| last as usize + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        self.buckets.iter().enumerate().for_each(|(row, &bucket)| members[bucket as usize].push(row));
        // By bucket: its secrets and how many of each.
        let secrets: Vec<Vec<(u32, f64)>> =
            members.iter().map(|rows| tally(rows.iter().map(|&row| self.secret.0[row]))).collect();
        let place: Vec<usize> = self.buckets.iter().map(|&bucket| bucket as usize).collect();
        let size = |bucket: usize| members[bucket].len() as f64;
        let mut beliefs: Vec<Vec<f64>> = (0..rows)
            .map(|row| secrets[place[row]].iter().map(|&(_, n)| n / size(place[row])).collect())
            .collect();
        let counted = (0..rows).map(|row| likeliest(&secrets[place[row]], &beliefs[row])).collect();
        for _ in 0..ROUNDS {
            let likelihoods = self.likelihoods(&beliefs, &secrets, &place);
            for row in 0..rows {
                for (belief, &(secret, n)) in beliefs[row].iter_mut().zip(&secrets[place[row]]) {
                    let factors = self.known.iter().zip(&likelihoods).map(|((codes, values), likelihood)| {
                        likelihood[self.alike[secret as usize] as usize * values + codes[row] as usize]
                    });
                    *belief = n * factors.product::<f64>();
                }
            }
            for (rows, secrets) in members.iter().zip(&secrets) {
                keep_margins(rows, secrets, &mut beliefs);
            }
        }
        let learnt = (0..rows).map(|row| likeliest(&secrets[place[row]], &beliefs[row])).collect();
        Beliefs { learnt, counted }
    }

    /// The mean certainty of the likeliest secrets, at most, where there is nothing to learn: the known cells are dealt to other rows, several times.
    fn certainty_by_chance(&self) -> f64 {
        let mut random = ChaCha20Rng::seed_from_u64(SEED);
        let certainty = |_| mean_certainty(&self.dealt_anew(&mut random).learnt);
        (0..CONTROLS).map(certainty).fold(0.0, f64::max)
    }

    /// The beliefs if the known cells belonged to other rows: what is left of them is no pattern.
    fn dealt_anew(&self, random: &mut ChaCha20Rng) -> Beliefs {
        let mut order: Vec<usize> = (0..self.buckets.len()).collect();
        order.shuffle(random);
        let known: Vec<(Vec<u32>, usize)> = self
            .known
            .iter()
            .map(|(codes, values)| (order.iter().map(|&row| codes[row]).collect(), *values))
            .collect();
        let known = known.iter().map(|(codes, values)| (codes.as_slice(), *values)).collect();
        Bucketized { known, alike: self.alike.clone(), ..*self }.beliefs()
    }

    /// P(cell | secret) for each known column, from the beliefs, with one made-up row per cell.
    fn likelihoods(
        &self,
        beliefs: &[Vec<f64>],
        secrets: &[Vec<(u32, f64)>],
        place: &[usize],
    ) -> Vec<Vec<f64>> {
        let of_column = |(codes, values): &(&[u32], usize)| {
            let groups = self.alike.iter().max().map_or(0, |&last| last as usize + 1);
            let mut table = vec![1.0; groups * values];
            for (row, belief) in beliefs.iter().enumerate() {
                for (&(secret, _), weight) in secrets[place[row]].iter().zip(belief) {
                    table[self.alike[secret as usize] as usize * values + codes[row] as usize] += weight;
                }
            }
            for of_secret in table.chunks_mut((*values).max(1)) {
                let sum: f64 = of_secret.iter().sum();
                of_secret.iter_mut().for_each(|weight| *weight /= sum);
            }
            table
        };
        self.known.iter().map(of_column).collect()
    }
}

fn mean_certainty(of: &[Belief]) -> f64 {
    of.iter().map(|belief| belief.probability).sum::<f64>() / of.len().max(1) as f64
}

/// Values and how often they occur, by value.
fn tally(values: impl Iterator<Item = u32>) -> Vec<(u32, f64)> {
    let mut counts = std::collections::BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_insert(0.0) += 1.0);
    counts.into_iter().collect()
}

/// Scales beliefs so that each row's add up to 1 and each secret's to its number in the bucket (iterative proportional fitting).
fn keep_margins(rows: &[usize], secrets: &[(u32, f64)], beliefs: &mut [Vec<f64>]) {
    for _ in 0..20 {
        for (place, &(_, wanted)) in secrets.iter().enumerate() {
            let sum: f64 = rows.iter().map(|&row| beliefs[row][place]).sum();
            if sum > 0.0 {
                rows.iter().for_each(|&row| beliefs[row][place] *= wanted / sum);
            }
        }
        for &row in rows {
            let sum: f64 = beliefs[row].iter().sum();
            if sum > 0.0 {
                beliefs[row].iter_mut().for_each(|belief| *belief /= sum);
            }
        }
    }
}

fn likeliest(secrets: &[(u32, f64)], beliefs: &[f64]) -> Belief {
    let mut best = Belief { secret: 0, probability: f64::NEG_INFINITY };
    for (&(secret, _), &probability) in secrets.iter().zip(beliefs) {
        if probability > best.probability {
            best = Belief { secret, probability };
        }
    }
    best
}

/// Runs the attack on the secret `name`. `truth` has the real secret of each row, where it is known.
#[must_use]
pub fn definetti(table: &Bucketized<'_>, name: &str, truth: Option<&[u32]>) -> Outcome {
    let beliefs = table.beliefs();
    let (sure, blind) = (mean_certainty(&beliefs.learnt), mean_certainty(&beliefs.counted));
    // Without the truth, certainty is all there is, and some of it comes from learning alone: chance is learnt by heart.
    let blind = if truth.is_none() { blind.max(table.certainty_by_chance()) } else { blind };
    let rate = |of: &[Belief], truth: &[u32]| {
        Rate::of(
            of.iter().zip(truth).filter(|(belief, real)| belief.secret == **real).count() as u64,
            truth.len() as u64,
        )
    };
    let judged = truth.map(|truth| Excess::of(rate(&beliefs.learnt, truth), rate(&beliefs.counted, truth)));
    let (value, limit, gained) = match &judged {
        Some(excess) => (
            excess.attack.rate,
            excess.control.rate,
            excess.low > 0.0 && excess.attack.low > excess.control.high,
        ),
        None => (sure, blind, sure > blind + NOISE),
    };
    let severity = if gained { Severity::Residual } else { Severity::Covered };
    let result = match (&judged, gained) {
        (Some(_), true) => format!(
            "Learning from all buckets, secrets are guessed rightly {} of the time instead of {}.",
            percent(value),
            percent(limit)
        ),
        (None, true) => format!(
            "Learning from all buckets makes the attacker {} sure on average instead of {}.",
            percent(value),
            percent(limit)
        ),
        (_, false) => "Learning from all buckets is no better than counting in each.".to_owned(),
    };
    let what =
        if judged.is_some() { "secrets guessed rightly" } else { "mean certainty of the likeliest secret" };
    let from = match judged {
        Some(_) => "betting on the most frequent secret of the bucket",
        None => "counting in the bucket, or learning from known cells that were dealt anew",
    };
    let bound = Bound { value: limit, from: from.to_owned() };
    let mut outcome =
        Outcome::new(Attack::DeFinetti, severity, Figure { what, value, unit: Unit::Share }, result)
            .about(name)
            .against(Some(bound))
            .with("rows", table.buckets.len())
            .with("buckets", table.buckets.iter().max().map_or(0, |&last| last + 1))
            .with("mean certainty", percent(sure))
            .with("mean certainty without a pattern", percent(blind));
    if let Some(excess) = judged {
        outcome = outcome
            .with("right guesses", excess.attack.text())
            .with("right guesses from counting in the bucket", excess.control.text())
            .with(
                "gain of what could be gained",
                format!("{:.3} ({:.3}\u{2013}{:.3})", excess.value, excess.low, excess.high),
            );
    }
    outcome
}

/// Combinations of columns that are learnt as one.
const MOST_TOGETHER: usize = 4096;

/// The known columns as one, where their combinations repeat; `None` for one column, or too many combinations to learn from.
fn together(known: &[&Column]) -> Option<(Vec<u32>, usize)> {
    let rows = known.first().filter(|_| known.len() > 1)?.codes().len();
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut codes = Vec::with_capacity(rows);
    for row in 0..rows {
        let next = numbers.len() as u32;
        let cells = known.iter().map(|column| column.codes()[row]).collect();
        codes.push(*numbers.entry(cells).or_insert(next));
    }
    let repeats = numbers.len() <= MOST_TOGETHER && 8 * numbers.len() <= rows;
    repeats.then_some((codes, numbers.len()))
}

/// By code: the group of about equal size that its number lies in; `None` for a column of few values, or whose cells are no numbers. A missing
/// cell, and a text among numbers, has the last group.
fn near(column: &Column) -> Option<Vec<u32>> {
    let number = |code: u32| column.cell(code).and_then(|cell| cell.trim().parse::<f64>().ok()).filter(|n| n.is_finite());
    let numbers: Vec<Option<f64>> = (0..column.labels().len() as u32).map(number).collect();
    let mut cells: Vec<f64> = column.codes().iter().filter_map(|&code| numbers[code as usize]).collect();
    let known = numbers.iter().flatten().count();
    if known <= 2 * GROUPS || 10 * cells.len() < 9 * column.codes().len() {
        return None;
    }
    cells.sort_unstable_by(f64::total_cmp);
    let ends: Vec<f64> = (1..GROUPS).map(|group| cells[group * cells.len() / GROUPS]).collect();
    let group = |number: &Option<f64>| match number {
        Some(number) => ends.partition_point(|end| end <= number) as u32,
        None => GROUPS as u32,
    };
    Some(numbers.iter().map(group).collect())
}

/// A known column as it is learnt from: numbers in groups.
fn learnt(column: &Column) -> Column {
    let Some(groups) = near(column) else { return column.clone() };
    let codes = column.codes().iter().map(|&code| groups[code as usize]).collect();
    Column::new(column.name(), (0..=GROUPS).map(|group| group.to_string()).collect(), codes)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(sliced) = &means.sliced else { return Vec::new() };
    let known: Vec<Column> = sliced.known.iter().map(|column| learnt(column)).collect();
    let known: Vec<&Column> = known.iter().collect();
    let together = together(&known);
    let of = |secret: &&Column| {
        let known = known.iter().map(|column| (column.codes(), column.labels().len())).collect();
        let values = secret.labels().len();
        let alike = near(secret).unwrap_or_else(|| (0..values as u32).collect());
        let table =
            Bucketized { buckets: sliced.buckets, known, secret: (secret.codes(), values), alike };
        let outcome = definetti(&table, secret.name(), None);
        // Columns that say nothing alone may do so together.
        let Some((codes, values)) = &together else { return outcome };
        let joint = definetti(&Bucketized { known: vec![(codes, *values)], ..table }, secret.name(), None);
        if !outcome.succeeded() && joint.succeeded() { joint } else { outcome }
    };
    sliced.secrets.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let (buckets, known, released, truth) = planted::bucketized(plant, random);
    let table = Bucketized { buckets: &buckets, known: vec![(&known, 4)], secret: (&released, 4), alike: vec![0, 1, 2, 3] };
    definetti(&table, "illness", Some(&truth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::means::SlicedTable;
    use proptest::prelude::*;

    /// Buckets of two: a smoker and another; secrets cancer and one of two others, in an order that does not help.
    fn smokers() -> (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>) {
        let (mut buckets, mut smokes, mut shuffled, mut truth) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for bucket in 0..60u32 {
            let other = 1 + bucket % 2;
            // Every third bucket has no smoker, which is where the pattern can be learnt.
            let pair: [(u32, u32); 2] = if bucket % 3 == 0 { [(0, 1), (0, 2)] } else { [(1, 0), (0, other)] };
            for (known, secret) in pair {
                buckets.push(bucket);
                smokes.push(known);
                truth.push(secret);
            }
            let start = truth.len() - 2;
            let swapped = bucket % 5 < 2;
            shuffled.extend(if swapped {
                [truth[start + 1], truth[start]]
            } else {
                [truth[start], truth[start + 1]]
            });
        }
        (buckets, smokes, shuffled, truth)
    }

    #[test]
    fn who_smokes_has_the_cancer_of_the_bucket() {
        let (buckets, smokes, shuffled, truth) = smokers();
        let table = Bucketized { buckets: &buckets, known: vec![(&smokes, 2)], secret: (&shuffled, 3), alike: vec![0, 1, 2] };
        let outcome = definetti(&table, "illness", Some(&truth));
        assert_eq!(outcome.severity, Severity::Residual, "{:?}", outcome.details);
        let beliefs = table.beliefs();
        let smoker = (0..buckets.len()).find(|&row| smokes[row] == 1).unwrap();
        assert_eq!(beliefs.learnt[smoker].secret, 0);
        assert!(beliefs.learnt[smoker].probability > 0.9);
        assert_eq!(definetti(&table, "illness", None).severity, Severity::Residual);
    }

    #[test]
    fn independent_columns_teach_nothing() {
        let buckets: Vec<u32> = (0..200).map(|row| row / 2).collect();
        let known: Vec<u32> = (0..200).map(|row| (row / 4) % 2).collect();
        let secret: Vec<u32> = (0..200).map(|row| row % 2).collect();
        let table = Bucketized { buckets: &buckets, known: vec![(&known, 2)], secret: (&secret, 2), alike: vec![0, 1] };
        assert_eq!(definetti(&table, "s", Some(&secret)).severity, Severity::Covered);
    }

    /// Five people to a bucket, their ages and wages all different; a wage follows the age where `linked`. Secrets are shuffled within buckets.
    fn wages(linked: bool) -> (Vec<u32>, Column, Column) {
        let mixed = |n: u32| (n.wrapping_mul(2_654_435_761) >> 7) % 10_007;
        let (mut ages, mut wages, mut buckets) = (Vec::new(), Vec::new(), Vec::new());
        for bucket in 0..160u32 {
            let people: Vec<(u32, u32)> = (0..5)
                .map(|person| {
                    let age = 20_000 + mixed(5 * bucket + person) * 4;
                    let other = mixed(90_000 + 31 * (5 * bucket + person));
                    (age, if linked { 3 * age + other / 4 } else { 40_000 + other * 9 })
                })
                .collect();
            buckets.extend([bucket; 5]);
            ages.extend(people.iter().map(|(age, _)| (f64::from(*age) / 1000.0).to_string()));
            let mut shuffled: Vec<u32> = people.iter().map(|(_, wage)| *wage).collect();
            shuffled.sort_unstable_by_key(|wage| mixed(*wage));
            wages.extend(shuffled.iter().map(u32::to_string));
        }
        let column = |name, cells: &[String]| Column::of(name, cells.iter().map(String::as_str).collect::<Vec<_>>());
        (buckets, column("age", &ages), column("wage", &wages))
    }

    #[test]
    fn numbers_that_hardly_repeat_are_learnt_in_groups() {
        for linked in [true, false] {
            let (buckets, age, wage) = wages(linked);
            let sliced =
                SlicedTable { buckets: &buckets, known: vec![&age], secrets: vec![&wage], links: Vec::new() };
            let means = Means {
                target: None,
                sliced: Some(sliced),
                queries: None,
                threshold: 0.8,
                attempts: 1,
                seed: 1,
            };
            let outcome = &run(&means)[0];
            let expected = if linked { Severity::Residual } else { Severity::Covered };
            assert_eq!(outcome.severity, expected, "{linked}: {:?}", outcome.details);
        }
    }

    /// So many buckets of so many people with a known cell and a secret; `told` of 100 secrets follow from the cell. Secrets are shuffled in their bucket.
    fn dealt((buckets, size): (u32, usize), (cells, secrets): (u32, u32), told: u32, seed: u64) -> [Vec<u32>; 3] {
        use rand::RngExt;
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        let mut table = [Vec::new(), Vec::new(), Vec::new()];
        for bucket in 0..buckets {
            let mut shuffled = Vec::new();
            for _ in 0..size {
                let cell = random.random_range(0..cells);
                let follows = random.random_range(0..100) < told;
                table[0].push(bucket);
                table[1].push(cell);
                shuffled.push(if follows { cell % secrets } else { random.random_range(0..secrets) });
            }
            shuffled.shuffle(&mut random);
            table[2].extend(shuffled);
        }
        table
    }

    /// Few and many cells and secrets, small and large buckets: what is learnt by heart is no pattern.
    #[test]
    fn the_same_shapes_alarm_with_a_pattern_and_not_without() {
        for shape in [(150, 2), (60, 5), (30, 12), (12, 5)] {
            for (cells, secrets) in [(2, 2), (4, 4), (12, 6), (60, 3), (500, 20)] {
                for seed in 0..3 {
                    let severity = |told| {
                        let [buckets, known, secret] = dealt(shape, (cells, secrets), told, seed);
                        let alike = (0..secrets).collect();
                        let secret = (secret.as_slice(), secrets as usize);
                        let known = vec![(known.as_slice(), cells as usize)];
                        definetti(&Bucketized { buckets: &buckets, known, secret, alike }, "s", None).severity
                    };
                    assert_eq!(severity(0), Severity::Covered, "{shape:?}, {cells}, {secrets}, {seed}");
                    // A pattern shows where its cells repeat.
                    let rows = shape.0 as usize * shape.1;
                    if rows >= 300 && rows >= 25 * cells as usize && shape.1 <= 5 {
                        assert_eq!(severity(95), Severity::Residual, "{shape:?}, {cells}, {secrets}, {seed}");
                    }
                }
            }
        }
    }

    /// All pairings of a bucket of two, weighed by the likelihoods: what proportional fitting approximates, exactly.
    fn exact_pair(first: [f64; 2], second: [f64; 2]) -> f64 {
        let (straight, crossed) = (first[0] * second[1], first[1] * second[0]);
        straight / (straight + crossed)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn margins_are_kept(weights in prop::collection::vec(prop::collection::vec(0.01f64..1.0, 3), 4)) {
            let secrets = [(0, 2.0), (1, 1.0), (2, 1.0)];
            let mut beliefs = weights;
            for _ in 0..20 {
                keep_margins(&[0, 1, 2, 3], &secrets, &mut beliefs);
            }
            for (place, (_, wanted)) in secrets.iter().enumerate() {
                let sum: f64 = beliefs.iter().map(|belief| belief[place]).sum();
                prop_assert!((sum - wanted).abs() < 1e-6);
            }
            for belief in &beliefs {
                prop_assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            }
        }

        #[test]
        fn of_two_rows_the_likelier_pairing_wins(first in prop::array::uniform2(0.05f64..1.0), second in prop::array::uniform2(0.05f64..1.0)) {
            let mut beliefs = vec![first.to_vec(), second.to_vec()];
            for _ in 0..50 {
                keep_margins(&[0, 1], &[(0, 1.0), (1, 1.0)], &mut beliefs);
            }
            let exact = exact_pair(first, second);
            prop_assert_eq!(beliefs[0][0] > 0.5, exact > 0.5);
        }
    }
}
