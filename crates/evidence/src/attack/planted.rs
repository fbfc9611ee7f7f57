//! Releases made to be weak, and strong ones beside them.
//!
//! Every attack meets one of each: on the planted one it must succeed, or it would prove nothing when it fails.

use super::finer::FinerColumn;
use super::projection::Projection;
use super::releases::{Finer, Pair, SharedColumn};
use super::{Promises, Released};
use crate::microdata::{Column, Microdata};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Whether a release is made to be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// An attack must succeed.
    Weak,
    /// An attack must fail.
    Strong,
}

/// Size of the made-up classes, and the k that every planted release claims.
pub const K: u64 = 5;

/// What every planted release claims.
#[must_use]
pub fn promises() -> Promises {
    let mut promises = Promises { k: Some(K), presence: Some((0.0, 0.5)), ..Promises::default() };
    let illness = promises.column("illness");
    illness.distinct = Some(3);
    illness.confidence = Some(0.5);
    illness.variation = Some(0.3);
    illness.protected = Some((vec!["flu".to_owned()], 0.1));
    promises
}

/// People with two quasi-identifiers, in classes of [`K`] (weak: of one), who have five illnesses in equal shares (weak: one per class).
#[must_use]
pub fn people(plant: Plant) -> Released {
    let rows = 40 * K as usize;
    let class = |row: usize| match plant {
        Plant::Weak => row,
        Plant::Strong => row / K as usize,
    };
    let illness = |row: usize| match plant {
        Plant::Weak => (row / K as usize) % ILLNESSES.len(),
        Plant::Strong => row % ILLNESSES.len(),
    };
    let table = Microdata::new(vec![
        column("age", (0..rows).map(|row| format!("age-{:03}", class(row)))),
        column("zip", (0..rows).map(|row| format!("zip-{:03}", class(row) * 7 % 1_000))),
        column("illness", (0..rows).map(|row| ILLNESSES[illness(row)].to_owned())),
    ]);
    Released::new(table, vec![0, 1], vec![2])
}

/// The same in classes of [`K`], but each with one illness.
#[must_use]
pub fn homogeneous() -> Released {
    let rows = 40 * K as usize;
    let illness = |row: usize| ILLNESSES[(row / K as usize) % ILLNESSES.len()];
    let table = Microdata::new(vec![
        column("age", (0..rows).map(|row| format!("age-{:03}", row / K as usize))),
        column("zip", (0..rows).map(|row| format!("zip-{:03}", row / K as usize * 7 % 1_000))),
        column("illness", (0..rows).map(|row| illness(row).to_owned())),
    ]);
    Released::new(table, vec![0, 1], vec![2])
}

/// Weak about secrets, in classes of [`K`] with one illness each; or strong.
#[must_use]
pub fn secrets(plant: Plant) -> Released {
    match plant {
        Plant::Weak => homogeneous(),
        Plant::Strong => people(Plant::Strong),
    }
}

/// Salaries in classes of [`K`]: within ten of each other (weak), or spread over all there are.
#[must_use]
pub fn salaries(plant: Plant) -> Released {
    let (rows, size) = (40 * K as usize, K as usize);
    let salary = |row: usize| match plant {
        Plant::Weak => 1_000 + 100 * (row / size) + row % size,
        Plant::Strong => 1_000 + 900 * (row % size) + 7 * (row / size),
    };
    let table = Microdata::new(vec![
        column("age", (0..rows).map(|row| format!("age-{:03}", row / size))),
        column("salary", (0..rows).map(|row| salary(row).to_string())),
    ]);
    Released::new(table, vec![0], vec![1])
}

/// The made-up illnesses; the first three are of the lungs.
pub const ILLNESSES: [&str; 5] = ["flu", "asthma", "bronchitis", "gastritis", "ulcer"];

/// A column of these cells.
#[must_use]
pub fn column(name: &str, cells: impl Iterator<Item = String>) -> Column {
    let cells: Vec<String> = cells.collect();
    Column::of(name, cells.iter().map(String::as_str))
}

/// The rows of a release as records of a list; `copies` of each.
#[must_use]
pub fn list(released: &Released, copies: usize) -> Projection {
    let columns: Vec<usize> = (0..released.table.columns().len()).collect();
    let codes = columns.iter().map(|&place| {
        released
            .column(place)
            .codes()
            .iter()
            .flat_map(|&code| std::iter::repeat_n(Some(code), copies))
            .collect()
    });
    let codes = codes.collect();
    Projection::new(columns, codes)
}

/// People like those of a release who are not in it: each cell of each column is drawn by itself.
#[must_use]
pub fn strangers(released: &Released, records: usize, random: &mut impl Rng) -> Projection {
    let rows = released.table.rows();
    let columns: Vec<usize> = (0..released.table.columns().len()).collect();
    let codes = columns.iter().map(|&place| {
        (0..records).map(|_| Some(released.column(place).codes()[random.random_range(0..rows)])).collect()
    });
    let codes = codes.collect();
    Projection::new(columns, codes)
}

/// Two releases of one table, one exact in race, one in zip, both in the table's order (weak) or shuffled.
#[must_use]
pub fn two_releases(plant: Plant, random: &mut impl Rng) -> (Released, Released) {
    let mut rows: Vec<(usize, usize)> = (0..120).map(|row| (row * 7 % 3, 30 + row * 11 % 20)).collect();
    rows.sort_by_key(|&(race, zip)| ((race * 7 + zip * 11) % 13, race, zip));
    let one = release(&rows, |_| "person".to_owned(), |zip| format!("021{zip}"));
    if plant == Plant::Strong {
        rows.shuffle(random);
    }
    let two = release(
        &rows,
        |race| ["asian", "black", "white"][race].to_owned(),
        |zip| format!("021{}*", zip / 10),
    );
    (one, two)
}

fn release(rows: &[(usize, usize)], race: fn(usize) -> String, zip: fn(usize) -> String) -> Released {
    let table = Microdata::new(vec![
        column("race", rows.iter().map(|row| race(row.0))),
        column("zip", rows.iter().map(|row| zip(row.1))),
    ]);
    Released::new(table, vec![0, 1], Vec::new())
}

/// The two, with the second finer in race and the first in zip.
#[must_use]
pub fn pair<'a>(one: &'a Released, two: &'a Released) -> Pair<'a> {
    let person = vec![Some(0); two.column(0).labels().len()];
    let starred = |zip: &String| {
        two.column(1).labels().iter().position(|label| label[..4] == zip[..4]).map(|code| code as u32)
    };
    let columns = vec![
        SharedColumn { left: 0, right: 0, finer: Finer::Right, lift: person },
        SharedColumn {
            left: 1,
            right: 1,
            finer: Finer::Left,
            lift: one.column(1).labels().iter().map(starred).collect(),
        },
    ];
    Pair {
        left: one,
        right: two,
        columns,
        crossing: Vec::new(),
        incomparable: Vec::new(),
        others: Vec::new(),
    }
}

/// A release beside a later one to which `newcomers` rows like those of the first class were added.
#[must_use]
pub fn grown(newcomers: usize) -> (Released, Released) {
    let before = people(Plant::Strong);
    let rows = before.table.rows();
    let cells = |place: usize| {
        let column = before.column(place);
        let cell = |row: usize| column.labels()[column.codes()[row] as usize].clone();
        (0..rows).map(cell).chain((0..newcomers).map(|row| cell(row % K as usize))).collect::<Vec<_>>()
    };
    let names = ["age", "zip", "illness"];
    let columns = (0..3).map(|place| column(names[place], cells(place).into_iter())).collect();
    (before.clone(), Released::new(Microdata::new(columns), vec![0, 1], vec![2]))
}

/// Two releases with the same labels in all quasi-identifiers and shared secrets.
#[must_use]
pub fn same_labels<'a>(one: &'a Released, two: &'a Released) -> Pair<'a> {
    let columns = one.quasi_identifiers.iter().map(|&place| {
        let labels = one.column(place).labels();
        let lift = two
            .column(place)
            .labels()
            .iter()
            .map(|label| labels.iter().position(|known| known == label).map(|code| code as u32));
        SharedColumn { left: place, right: place, finer: Finer::Right, lift: lift.collect() }
    });
    let columns = columns.collect();
    Pair {
        left: one,
        right: two,
        columns,
        crossing: Vec::new(),
        incomparable: Vec::new(),
        others: vec![(2, 2)],
    }
}

/// A class of 2 + 4 people, two of whom have the illness: it had to be generalized only if both are of the two (weak). Strong:
/// the same class among so many others that any of them may have been the reason.
#[must_use]
pub fn generalized(plant: Plant) -> (Released, Projection, FinerColumn) {
    let classes = if plant == Plant::Weak { 1 } else { 200 };
    let secrets = ["ulcer", "ulcer", "flu", "asthma", "gastritis", "bronchitis"];
    let rows = classes * secrets.len();
    let table = Microdata::new(vec![
        column("zip", (0..rows).map(|row| format!("82{:03}*", row / secrets.len()))),
        column("illness", (0..rows).map(|row| secrets[row % secrets.len()].to_owned())),
    ]);
    let released = Released::new(table, vec![0], vec![1]);
    let people = list(&released, 1);
    let codes = (0..rows).map(|row| Some(u32::from(row % secrets.len() >= 2))).collect();
    (
        released,
        people,
        FinerColumn { place: 0, labels: vec!["1".into(), "2".into()], codes, by_class: None, by_label: None },
    )
}

/// A class of [`K`] rows in a population where nearly everybody (weak) or every other person (strong) has one finer label.
#[must_use]
pub fn clustered(plant: Plant) -> (Released, Projection, FinerColumn) {
    let released = Released::new(
        Microdata::new(vec![column("zip", (0..K).map(|_| "82***".to_owned()))]),
        vec![0],
        Vec::new(),
    );
    let people = Projection::new(vec![0], vec![vec![Some(0); 600]]);
    let rare = if plant == Plant::Weak { 100 } else { 3 };
    let codes =
        (0..600).map(|person| Some(u32::from(person % rare == 0) * (1 + person as u32 % 2))).collect();
    (
        released,
        people,
        FinerColumn {
            place: 0,
            labels: vec!["8245*".into(), "8200*".into(), "8266*".into()],
            codes,
            by_class: None,
            by_label: None,
        },
    )
}

/// Buckets of two with a known cell and a shuffled secret; weak: the cell goes with the secret, strong: it does not.
#[must_use]
pub fn bucketized(plant: Plant, random: &mut impl Rng) -> (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>) {
    let (mut buckets, mut known, mut released, mut truth) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for bucket in 0..150u32 {
        let first = random.random_range(0..4u32);
        let second = (first + random.random_range(1..4u32)) % 4;
        for secret in [first, second] {
            buckets.push(bucket);
            truth.push(secret);
            known.push(if plant == Plant::Weak { secret } else { random.random_range(0..4) });
        }
        let mut pair = [first, second];
        pair.shuffle(random);
        released.extend(pair);
    }
    (buckets, known, released, truth)
}
