//! The definitions, applied to rows one by one: slow and obvious.

use crate::criteria::{
    ClassCriterion, DeltaPresence, Distance, Diversity, EntropyLDiversity, KAnonymity, KMap,
    MultiAttributeLDiversity, NpdRecursiveLDiversity, PdRecursiveLDiversity, RecursiveLDiversity, TCloseness,
};
use crate::criteria::{DistinctLDiversity, ValuesOnly};
use crate::exact::Fraction;
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use crate::table::{FrequencyTable, People, PersonRows};
use std::collections::{BTreeMap, BTreeSet};

/// Values of each sensitive column.
pub(super) const VALUES: u32 = 4;

/// A row of the table.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) person: u32,
    pub(super) codes: Vec<u32>,
    pub(super) values: [u32; 2],
}

/// What is asked of every class. Numbers of shares are tenths.
#[derive(Debug, Clone, Copy)]
pub(super) enum Promise {
    K(u64),
    Distinct(u64),
    /// Value 0 is the missing one.
    DistinctOfKnown(u64),
    Entropy(u64),
    Recursive(u64, u64),
    /// Value 0 may be disclosed.
    Positive(u64, u64),
    /// The same, and value 1 is in so many percent of every class.
    Negative(u64, u64, u64),
    Close(u64),
    KMap(u64),
    Presence(u64, u64),
    MultiDistinct(u64),
    MultiEntropy(u64),
    MultiRecursive(u64, u64),
}

impl Promise {
    /// Whether a population is read.
    pub(super) fn reads_population(self) -> bool {
        matches!(self, Promise::KMap(_) | Promise::Presence(..))
    }

    /// Whether the largest set of people whose classes all hold is known to be unique.
    pub(super) fn is_unique(self) -> bool {
        matches!(self, Promise::K(_) | Promise::Distinct(_) | Promise::DistinctOfKnown(_) | Promise::KMap(_))
    }
}

/// Rows of people, and what the engine makes of them.
#[derive(Debug)]
pub(super) struct World {
    pub(super) ladders: Vec<Ladder>,
    pub(super) rows: Vec<Row>,
    /// Everybody with the rows he has in the population.
    pub(super) population: Vec<(u32, Vec<u32>)>,
    pub(super) table: FrequencyTable,
    pub(super) people: People,
}

/// What became of a node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) holds: bool,
    pub(super) suppressed_rows: u64,
    pub(super) classes: u64,
    pub(super) smallest: u64,
    pub(super) losing: u64,
}

type Key = Vec<u32>;

impl World {
    /// `others` are rows that only the population has.
    pub(super) fn new(
        ladders: Vec<Ladder>,
        rows: Vec<Row>,
        others: Vec<(u32, Vec<u32>)>,
        person_rows: PersonRows,
    ) -> World {
        let mut population: Vec<(u32, Vec<u32>)> =
            rows.iter().map(|row| (row.person, row.codes.clone())).collect();
        population.extend(others);
        let tuples: BTreeSet<&Vec<u32>> = population.iter().map(|(_, codes)| codes).collect();
        let tuples: Vec<&Vec<u32>> = tuples.into_iter().collect();
        let columns: Vec<Vec<u32>> =
            (0..ladders.len()).map(|column| tuples.iter().map(|tuple| tuple[column]).collect()).collect();
        let place = |codes: &Vec<u32>| tuples.iter().position(|tuple| *tuple == codes).unwrap() as u32;
        let count = |all: &mut dyn Iterator<Item = &Vec<u32>>| {
            let mut counts = vec![0u32; tuples.len()];
            all.for_each(|codes| counts[place(codes) as usize] += 1);
            counts
        };
        let table = FrequencyTable::new(
            columns,
            count(&mut rows.iter().map(|row| &row.codes)),
            Some(count(&mut population.iter().map(|(_, codes)| codes))),
            Vec::new(),
        )
        .unwrap();
        let column = |of: &dyn Fn(&Row) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
        let people = People::new(
            &table,
            &column(&|row| row.person),
            &column(&|row| place(&row.codes)),
            &[column(&|row| row.values[0]), column(&|row| row.values[0] * VALUES + row.values[1])],
            &[VALUES as usize, (VALUES * VALUES) as usize],
        );
        let known: (Vec<u32>, Vec<u32>) =
            population.iter().map(|(person, codes)| (*person, place(codes))).unzip();
        let people = people.unwrap().with_population(&known.0, &known.1).unwrap();
        let people = people.with_person_rows(person_rows);
        World { ladders, rows, population, table, people }
    }

    pub(super) fn criterion(&self, promise: Promise) -> Box<dyn ClassCriterion> {
        let tenths = |n| Fraction::new(n, 10).unwrap();
        let all = (0..VALUES).flat_map(|first| (0..VALUES).map(move |second| [first, second]));
        let multi = |diversity| {
            let combinations = all.map(|pair| Box::from(&pair[..])).collect();
            Box::new(MultiAttributeLDiversity { joint: 1, combinations, diversity })
        };
        let positive = |c, l| {
            let allowed = vec![true, false, false, false];
            PdRecursiveLDiversity { sensitive: 0, c: tenths(c), l, allowed }
        };
        match promise {
            Promise::K(k) => Box::new(KAnonymity { k }),
            Promise::Distinct(l) => Box::new(DistinctLDiversity { sensitive: 0, l }),
            Promise::DistinctOfKnown(l) => Box::new(ValuesOnly {
                criterion: Box::new(DistinctLDiversity { sensitive: 0, l }),
                sensitive: 0,
                missing: 0,
            }),
            Promise::Entropy(l) => Box::new(EntropyLDiversity { sensitive: 0, l: tenths(l) }),
            Promise::Recursive(c, l) => Box::new(RecursiveLDiversity { sensitive: 0, c: tenths(c), l }),
            Promise::Positive(c, l) => Box::new(positive(c, l)),
            Promise::Negative(c, l, percent) => Box::new(NpdRecursiveLDiversity {
                positive: positive(c, l),
                c2: Fraction::new(percent, 1).unwrap(),
                protected: vec![1],
            }),
            Promise::Close(t) => {
                Box::new(TCloseness::new(0, tenths(t), Distance::Equal, self.people.totals(0)))
            }
            Promise::KMap(k) => Box::new(KMap { k }),
            Promise::Presence(min, max) => Box::new(DeltaPresence { min: tenths(min), max: tenths(max) }),
            Promise::MultiDistinct(l) => multi(Diversity::Distinct { l }),
            Promise::MultiEntropy(l) => multi(Diversity::Entropy { l: tenths(l) }),
            Promise::MultiRecursive(c, l) => multi(Diversity::Recursive { c: tenths(c), l }),
        }
    }

    fn lift(&self, codes: &[u32], node: &Node) -> Key {
        let lifted = codes.iter().zip(&self.ladders).zip(node.levels());
        lifted.map(|((&code, ladder), &level)| ladder.rung(level).group_of[code as usize]).collect()
    }

    /// The rows of every class under a node: rows of these people only.
    fn classes(&self, node: &Node, people: &BTreeSet<u32>) -> BTreeMap<(Key, Vec<Key>), Vec<&Row>> {
        let mut classes: BTreeMap<(Key, Vec<Key>), Vec<&Row>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| people.contains(&row.person)) {
            let mut bag = Vec::new();
            if self.people.person_rows() == PersonRows::Set {
                let own = self.rows.iter().filter(|other| other.person == row.person);
                bag.extend(own.map(|own| self.lift(&own.codes, node)));
                bag.sort();
            }
            classes.entry((self.lift(&row.codes, node), bag)).or_default().push(row);
        }
        classes
    }

    /// Whether the node holds, and what it leaves out, by the definitions alone.
    pub(super) fn judge(&self, node: &Node, promises: &[Promise], limit: u64) -> Judged {
        let all: BTreeSet<u32> = self.rows.iter().map(|row| row.person).collect();
        let holds = |key: &Key, class: &[&Row]| {
            promises.iter().all(|&promise| self.class_holds(node, key, class, promise))
        };
        let failing = |people: &BTreeSet<u32>| -> BTreeSet<u32> {
            let classes = self.classes(node, people);
            let failing = classes.iter().filter(|((key, _), class)| !holds(key, class));
            failing.flat_map(|(_, class)| class.iter().map(|row| row.person)).collect()
        };
        let stay = match self.people.person_rows() {
            PersonRows::Apart => all.clone(),
            PersonRows::Set => &all - &failing(&all),
            PersonRows::Together => {
                // Every set of people in whose rows all classes hold; their union is one of them, the largest.
                let listed: Vec<u32> = all.iter().copied().collect();
                let set = |bits: u32| {
                    let chosen = listed.iter().enumerate().filter(move |(at, _)| bits & (1 << at) != 0);
                    chosen.map(|(_, &person)| person).collect::<BTreeSet<u32>>()
                };
                let fine = (0..1u32 << listed.len()).map(set).filter(|people| failing(people).is_empty());
                let largest = fine.fold(BTreeSet::new(), |union, people| &union | &people);
                assert!(failing(&largest).is_empty(), "the largest set is not unique");
                largest
            }
        };
        let mut losing = &all - &stay;
        let mut judged = Judged { holds: false, suppressed_rows: 0, classes: 0, smallest: 0, losing: 0 };
        judged.suppressed_rows = self.rows.iter().filter(|row| !stay.contains(&row.person)).count() as u64;
        let mut smallest = u64::MAX;
        for ((key, _), class) in self.classes(node, &stay) {
            let people: BTreeSet<u32> = class.iter().map(|row| row.person).collect();
            if holds(&key, &class) {
                judged.classes += 1;
                smallest = smallest.min(people.len() as u64);
            } else {
                judged.suppressed_rows += class.len() as u64;
                losing.extend(people);
            }
        }
        judged.smallest = if judged.classes == 0 { 0 } else { smallest };
        judged.losing = losing.len() as u64;
        judged.holds = judged.losing <= limit && !self.absent_class_fails(node, promises);
        judged
    }

    /// A class of the population in which nobody of the table is breaks a promise that at least some share of it is.
    fn absent_class_fails(&self, node: &Node, promises: &[Promise]) -> bool {
        let present: BTreeSet<Key> = self.rows.iter().map(|row| self.lift(&row.codes, node)).collect();
        promises.iter().any(|promise| matches!(promise, Promise::Presence(1.., _)))
            && self.population.iter().any(|(_, codes)| !present.contains(&self.lift(codes, node)))
    }

    fn class_holds(&self, node: &Node, key: &Key, class: &[&Row], promise: Promise) -> bool {
        let people: BTreeSet<u32> = class.iter().map(|row| row.person).collect();
        let size = people.len() as u64;
        let population = || {
            let there = self.population.iter().filter(|(_, codes)| self.lift(codes, node) == *key);
            there.map(|(person, _)| person).collect::<BTreeSet<_>>().len() as u64
        };
        let shown: BTreeSet<(u32, u32)> = class.iter().map(|row| (row.person, row.values[0])).collect();
        let here = counts(&shown);
        let pairs: u64 = here.iter().sum();
        match promise {
            Promise::K(k) => size >= k,
            Promise::KMap(k) => population() >= k,
            Promise::Presence(min, max) => {
                let population = population();
                10 * size >= min * population && 10 * size <= max * population
            }
            Promise::Distinct(l) => most_different(&shown) >= l,
            Promise::DistinctOfKnown(l) => {
                most_different(&shown.iter().copied().filter(|&(_, value)| value != 0).collect()) >= l
            }
            Promise::Entropy(l) => entropy_at_least(&here, l),
            Promise::Recursive(c, l) => recursive(&here, c, l),
            Promise::Positive(c, l) => positive(&here, c, l),
            Promise::Negative(c, l, percent) => positive(&here, c, l) && 100 * here[1] >= percent * pairs,
            Promise::Close(t) => {
                let all = counts(&self.rows.iter().map(|row| (row.person, row.values[0])).collect());
                let total: u64 = all.iter().sum();
                let apart =
                    here.iter().zip(&all).map(|(&p, &q)| (p * total).abs_diff(q * pairs)).sum::<u64>();
                5 * apart <= t * pairs * total
            }
            Promise::MultiDistinct(l) => blocks(class).iter().all(|block| most_different(block) >= l),
            Promise::MultiEntropy(l) => blocks(class).iter().all(|block| entropy_at_least(&counts(block), l)),
            Promise::MultiRecursive(c, l) => {
                blocks(class).iter().all(|block| recursive(&counts(block), c, l))
            }
        }
    }
}

/// Pairs of a person and a value that a block shows: rows that agree in the other sensitive column.
fn blocks(class: &[&Row]) -> Vec<BTreeSet<(u32, u32)>> {
    let mut blocks: BTreeMap<(usize, u32), BTreeSet<(u32, u32)>> = BTreeMap::new();
    for row in class {
        for column in 0..2 {
            let block = blocks.entry((column, row.values[1 - column])).or_default();
            block.insert((row.person, row.values[column]));
        }
    }
    blocks.into_values().collect()
}

/// How many people show each value.
fn counts(shown: &BTreeSet<(u32, u32)>) -> [u64; VALUES as usize] {
    let mut counts = [0; VALUES as usize];
    shown.iter().for_each(|&(_, value)| counts[value as usize] += 1);
    counts
}

fn entropy_at_least(counts: &[u64], l: u64) -> bool {
    let pairs: u64 = counts.iter().sum();
    let shares = counts.iter().filter(|&&count| count > 0).map(|&count| count as f64 / pairs as f64);
    shares.map(|share| -share * share.ln()).sum::<f64>() >= (l as f64 / 10.0).ln() - 1e-9
}

fn recursive(counts: &[u64], c: u64, l: u64) -> bool {
    let mut descending = counts.to_vec();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    let tail: u64 = descending.iter().skip(l as usize - 1).sum();
    10 * descending[0] < c * tail
}

/// Value 0 may be disclosed; among equal counts the others come first.
fn positive(counts: &[u64], c: u64, l: u64) -> bool {
    let mut ranked: Vec<(u64, bool)> = (0..)
        .zip(counts)
        .filter(|(_, count)| **count > 0)
        .map(|(value, &count)| (count, value == 0))
        .collect();
    ranked.sort_by_key(|&(count, allowed)| (std::cmp::Reverse(count), allowed));
    let Some(y) = ranked.iter().position(|&(_, allowed)| !allowed).map(|at| at as u64 + 1) else {
        return true;
    };
    let from = if y < l { l } else { l.saturating_sub(1).max(1) };
    let others = (1..).zip(&ranked).filter(|&(rank, _)| rank >= from && rank != y);
    let tail: u64 = others.map(|(_, &(count, _))| count).sum();
    10 * ranked[y as usize - 1].0 < c * tail
}

/// The most people with different values, one each, by trying everything.
fn most_different(shown: &BTreeSet<(u32, u32)>) -> u64 {
    let mut people: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    shown.iter().for_each(|&(person, value)| people.entry(person).or_default().push(value));
    fn most(people: &[Vec<u32>], taken: u32) -> u64 {
        let Some((first, rest)) = people.split_first() else { return 0 };
        let free = first.iter().filter(|&&value| taken & (1 << value) == 0);
        let with = free.map(|value| 1 + most(rest, taken | 1 << value)).max().unwrap_or(0);
        with.max(most(rest, taken))
    }
    most(&people.into_values().collect::<Vec<_>>(), 0)
}
