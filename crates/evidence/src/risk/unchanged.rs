//! Who is singled out by columns that are released as they are.
//!
//! Promises such as k-anonymity speak of the quasi-identifiers. Whoever knows somebody's exact laboratory values needs none of them: the
//! values lead to the row, and the row to everything else. A person is singled out if their values in these columns, taken together, are
//! nobody else's.

use hashbrown::HashMap;
use serde::Serialize;
use std::hash::{DefaultHasher, Hasher};

/// People whom columns released as they are may single out before a verdict is no longer green: one in ten.
pub const TOLERATED_ONE_IN: u64 = 10;

/// How many people are singled out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SingledOut {
    /// People released, or rows where people are not counted.
    pub people: u64,
    /// Those whose combination of values is nobody else's.
    pub by_all: u64,
    /// By column: those whose value alone is nobody else's.
    pub by_column: Vec<u64>,
}

/// Combinations that are held in memory at a time; more of them are counted in several passes.
const HELD: u64 = 1 << 21;

/// A row, or several that are alike, as they are handed out: codes of the columns, the person where one is known, and how many they are.
pub type OnRow<'a> = &'a mut dyn FnMut(&[u32], Option<u32>, u64);

/// Counts in passes over `rows` distinct rows at most; `each` hands out all of them, the same each time.
///
/// # Errors
/// Those of `each`.
pub fn singled_out<E>(
    cardinalities: &[usize],
    rows: u64,
    each: impl Fn(OnRow<'_>) -> Result<(), E>,
) -> Result<SingledOut, E> {
    let mut columns: Vec<Vec<Owner>> = cardinalities.iter().map(|&size| vec![Owner::Nobody; size]).collect();
    let mut everybody = Marked::default();
    let mut all_rows = 0;
    each(&mut |codes, person, count| {
        columns.iter_mut().zip(codes).for_each(|(owners, &code)| owners[code as usize].add(person, count));
        everybody.mark(person);
        all_rows += count;
    })?;
    let by_column = columns.iter().map(|owners| alone(owners.iter().copied())).collect::<Vec<u64>>();
    let by_all = match cardinalities {
        [] => 0,
        [_] => by_column[0],
        _ => by_combination(cardinalities, rows, &each)?,
    };
    Ok(SingledOut { people: everybody.count().unwrap_or(all_rows), by_all, by_column })
}

/// The same for a table in memory, whose columns stand together in groups only: somebody is singled out by their values in a group if these are
/// nobody else's. `columns` has the codes of every row, `groups` the places of columns; `people` says whose row each row is.
///
/// # Panics
/// If a group has a place beyond the columns, or the columns differ in length.
pub fn singled_out_in_groups(
    columns: &[&[u32]],
    groups: &[Vec<usize>],
    people: Option<&[u32]>,
) -> SingledOut {
    let rows = columns.first().map_or(0, |codes| codes.len());
    let holder = |row: usize| people.map_or(row as u32, |people| people[row]);
    let everybody = people.map(|people| {
        let mut all = Marked::default();
        people.iter().take(rows).for_each(|&person| all.mark(Some(person)));
        all.count().unwrap_or(0)
    });
    let alone = |group: &[usize], found: &mut Marked| {
        let mut owners: HashMap<Vec<u32>, Owner> = HashMap::new();
        let values = |row: usize| -> Vec<u32> { group.iter().map(|&place| columns[place][row]).collect() };
        (0..rows).for_each(|row| {
            owners.entry(values(row)).or_insert(Owner::Nobody).add(Some(holder(row)), 1);
        });
        for owner in owners.into_values() {
            if let Owner::One(person) = owner {
                found.mark(person);
            }
        }
    };
    let mut by_any = Marked::default();
    groups.iter().filter(|group| !group.is_empty()).for_each(|group| alone(group, &mut by_any));
    let by_column = (0..columns.len()).map(|place| {
        let mut found = Marked::default();
        alone(&[place], &mut found);
        found.count().unwrap_or(0)
    });
    SingledOut {
        people: everybody.unwrap_or(rows as u64),
        by_all: by_any.count().unwrap_or(0),
        by_column: by_column.collect(),
    }
}

/// A value or combination: whose is it?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    /// One person, or one row where people are not counted.
    One(Option<u32>),
    Several,
}

impl Owner {
    fn add(&mut self, person: Option<u32>, rows: u64) {
        *self = match (*self, person) {
            (Owner::Nobody, None) if rows > 1 => Owner::Several,
            (Owner::Nobody, person) => Owner::One(person),
            (Owner::One(Some(known)), Some(person)) if known == person => Owner::One(Some(known)),
            _ => Owner::Several,
        };
    }
}

/// People, by number.
#[derive(Default)]
struct Marked(Vec<bool>);

impl Marked {
    fn mark(&mut self, person: Option<u32>) {
        let Some(person) = person else { return };
        let at = person as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, false);
        }
        self.0[at] = true;
    }

    /// `None` where nobody was named.
    fn count(&self) -> Option<u64> {
        (!self.0.is_empty()).then(|| self.0.iter().filter(|marked| **marked).count() as u64)
    }
}

/// Different people (or rows) that own something alone.
fn alone(owners: impl Iterator<Item = Owner>) -> u64 {
    let (mut people, mut rows) = (Marked::default(), 0);
    for owner in owners {
        match owner {
            Owner::One(None) => rows += 1,
            Owner::One(person) => people.mark(person),
            Owner::Nobody | Owner::Several => {}
        }
    }
    people.count().unwrap_or(rows)
}

fn by_combination<E>(
    cardinalities: &[usize],
    rows: u64,
    each: &impl Fn(OnRow<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let key = Key::of(cardinalities);
    let parts = rows / HELD + 1;
    let (mut people, mut without) = (Marked::default(), 0);
    for part in 0..parts {
        let mut owners: HashMap<u128, Owner> = HashMap::new();
        each(&mut |codes, person, count| {
            let key = key.number(codes);
            if spread(key) % parts == part {
                owners.entry(key).or_insert(Owner::Nobody).add(person, count);
            }
        })?;
        for owner in owners.into_values() {
            match owner {
                Owner::One(None) => without += 1,
                Owner::One(person) => people.mark(person),
                Owner::Nobody | Owner::Several => {}
            }
        }
    }
    Ok(people.count().unwrap_or(without))
}

/// Numbers for combinations: exact where they fit, else hashes of 128 bits.
enum Key<'a> {
    MixedRadix(&'a [usize]),
    Hashed,
}

impl Key<'_> {
    fn of(cardinalities: &[usize]) -> Key<'_> {
        let fits =
            cardinalities.iter().try_fold(1u128, |product, &size| product.checked_mul(size.max(1) as u128));
        if fits.is_some() { Key::MixedRadix(cardinalities) } else { Key::Hashed }
    }

    fn number(&self, codes: &[u32]) -> u128 {
        match self {
            Key::MixedRadix(sizes) => codes
                .iter()
                .zip(*sizes)
                .fold(0, |number, (&code, &size)| number * size as u128 + u128::from(code)),
            Key::Hashed => {
                let half = |salt: u8| {
                    let mut hasher = DefaultHasher::new();
                    hasher.write_u8(salt);
                    codes.iter().for_each(|&code| hasher.write_u32(code));
                    u128::from(hasher.finish())
                };
                (half(0) << 64) | half(1)
            }
        }
    }
}

/// Neighbouring numbers fall into different parts.
fn spread(key: u128) -> u64 {
    ((key ^ (key >> 64)) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::convert::Infallible;

    type Row = ([u32; 3], Option<u32>);

    fn counted(rows: &[Row], announced: u64) -> SingledOut {
        let each = |on_row: OnRow<'_>| -> Result<(), Infallible> {
            rows.iter().for_each(|(codes, person)| on_row(codes, *person, 1));
            Ok(())
        };
        let Ok(found) = singled_out(&[4, 4, 4], announced, each);
        found
    }

    /// The definition, pair by pair.
    fn by_definition(rows: &[Row]) -> SingledOut {
        let who = |at: usize| rows[at].1.map_or((1, at as u32), |person| (0, person));
        let alone = |of: &dyn Fn(usize) -> Vec<u32>| {
            let mut owners: BTreeMap<Vec<u32>, BTreeSet<(u8, u32)>> = BTreeMap::new();
            (0..rows.len()).for_each(|at| {
                owners.entry(of(at)).or_default().insert(who(at));
            });
            let single = owners.values().filter(|owners| owners.len() == 1).flatten();
            single.collect::<BTreeSet<_>>().len() as u64
        };
        SingledOut {
            people: (0..rows.len()).map(who).collect::<BTreeSet<_>>().len() as u64,
            by_all: alone(&|at| rows[at].0.to_vec()),
            by_column: (0..3).map(|column| alone(&|at| vec![rows[at].0[column]])).collect(),
        }
    }

    #[test]
    fn a_person_with_six_equal_rows_is_alone() {
        let six: Vec<Row> = (0..6).map(|_| ([1, 2, 3], Some(4))).collect();
        assert_eq!(counted(&six, 6), SingledOut { people: 1, by_all: 1, by_column: vec![1, 1, 1] });
        let six: Vec<Row> = (0..6).map(|_| ([1, 2, 3], None)).collect();
        assert_eq!(counted(&six, 6), SingledOut { people: 6, by_all: 0, by_column: vec![0, 0, 0] });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn counting_is_what_the_definition_says(
            codes in prop::collection::vec(prop::array::uniform3(0u32..4), 1..30),
            people in prop::option::of(prop::collection::vec(0u32..9, 30)),
            passes in 0u64..4,
        ) {
            let rows: Vec<Row> = codes.into_iter().enumerate()
                .map(|(at, codes)| (codes, people.as_ref().map(|people| people[at]))).collect();
            prop_assert_eq!(counted(&rows, passes * HELD), by_definition(&rows));
            let columns: Vec<Vec<u32>> =
                (0..3).map(|column| rows.iter().map(|(codes, _)| codes[column]).collect()).collect();
            let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
            let people = people.map(|people| people[..rows.len()].to_vec());
            let in_groups = |groups: &[Vec<usize>]| singled_out_in_groups(&columns, groups, people.as_deref());
            prop_assert_eq!(in_groups(&[vec![0, 1, 2]]), by_definition(&rows));
            // Groups that stand apart: whoever is alone in one of them.
            let blank = |keep: [bool; 3]| -> Vec<Row> {
                let hide = |codes: &[u32; 3]| std::array::from_fn(|at| if keep[at] { codes[at] } else { 0 });
                rows.iter().map(|(codes, person)| (hide(codes), *person)).collect()
            };
            let (first, second) = (blank([true, true, false]), blank([false, false, true]));
            let apart = in_groups(&[vec![0, 1], vec![2]]);
            let (first, second) = (by_definition(&first).by_all, by_definition(&second).by_all);
            prop_assert!(apart.by_all >= first.max(second) && apart.by_all <= first + second);
            prop_assert!(in_groups(&[]).by_all == 0);
        }

        #[test]
        fn hashed_keys_tell_combinations_apart(a in prop::array::uniform3(0u32..9), b in prop::array::uniform3(0u32..9)) {
            prop_assert_eq!(Key::Hashed.number(&a) == Key::Hashed.number(&b), a == b);
        }
    }
}
