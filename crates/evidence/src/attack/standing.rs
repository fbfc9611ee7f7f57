//! Who can stand for which secrets, where rows belong to people.
//!
//! A class of five rows with five values is no diverse class if the five rows are one person: then whoever finds the class knows all
//! five. Distinct ℓ-diversity of people asks for ℓ people who show ℓ different values, one each.

use super::classes::{Classes, Missing};
use crate::microdata::Column;
use std::collections::{BTreeMap, BTreeSet};

/// What the people of every class show of a sensitive column.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// By class: the most people who can stand for different values, one each.
    pub(super) represented: Vec<u64>,
    /// By class: different people who show a value.
    pub(super) holders: Vec<u64>,
}

impl Standing {
    /// `None` where rows are counted: then every value has a row of its own.
    pub(super) fn of(classes: &Classes, column: &Column, missing: Missing) -> Option<Standing> {
        let people = classes.people()?;
        let without = column.missing().filter(|_| missing == Missing::NoValue);
        let rows = classes.of_row().iter().zip(column.codes()).zip(people);
        let mut shown: Vec<(u32, u32, u32)> = rows
            .filter(|((_, code), _)| Some(**code) != without)
            .map(|((&class, &code), &person)| (class, code, person))
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let mut standing = Standing { represented: vec![0; classes.len()], holders: vec![0; classes.len()] };
        for class in shown.chunk_by(|a, b| a.0 == b.0) {
            let pairs: Vec<(u32, u32)> = class.iter().map(|&(_, code, person)| (code, person)).collect();
            let holders: BTreeSet<u32> = pairs.iter().map(|pair| pair.1).collect();
            let number = class[0].0 as usize;
            standing.holders[number] = holders.len() as u64;
            standing.represented[number] = represented(&pairs);
        }
        Some(standing)
    }
}

/// The most values that can be given to different people who show them: a maximum matching. `pairs` are (value, person), sorted.
fn represented(pairs: &[(u32, u32)]) -> u64 {
    let values: Vec<Vec<u32>> =
        pairs.chunk_by(|a, b| a.0 == b.0).map(|own| own.iter().map(|pair| pair.1).collect()).collect();
    let mut holds: BTreeMap<u32, usize> = BTreeMap::new();
    (0..values.len()).filter(|&value| place(value, &values, &mut holds, &mut BTreeSet::new())).count() as u64
}

/// Finds a person for a value. A person who stands for another value may be moved (an augmenting path).
fn place(
    value: usize,
    values: &[Vec<u32>],
    holds: &mut BTreeMap<u32, usize>,
    asked: &mut BTreeSet<u32>,
) -> bool {
    if let Some(&free) = values[value].iter().find(|person| !holds.contains_key(person)) {
        holds.insert(free, value);
        return true;
    }
    for &person in &values[value] {
        if !asked.insert(person) {
            continue;
        }
        let Some(&other) = holds.get(&person) else { continue };
        if place(other, values, holds, asked) {
            holds.insert(person, value);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn five_values_of_one_person_are_one() {
        let rows = table("q s\na 1\na 2\na 3\nb 1\nb 2\nb 2");
        let rows = rows.with_people(Some(vec![7, 7, 7, 1, 1, 2]));
        let classes = Classes::by(&rows, &[0]);
        let standing = Standing::of(&classes, &rows.columns()[1], Missing::NoValue).unwrap();
        assert_eq!((standing.represented, standing.holders), (vec![1, 2], vec![1, 2]));
        assert!(
            Standing::of(&Classes::by(&table("q s\na 1"), &[0]), &rows.columns()[1], Missing::NoValue)
                .is_none()
        );
    }

    proptest! {
        /// Giving values to people in every possible way.
        #[test]
        fn as_many_as_trying_everything_finds(pairs in prop::collection::btree_set((0u32..4, 0u32..4), 0..12)) {
            fn best(values: &[Vec<u32>], taken: &mut Vec<u32>) -> u64 {
                let Some((first, rest)) = values.split_first() else { return 0 };
                let mut most = best(rest, taken);
                for &person in first {
                    if !taken.contains(&person) {
                        taken.push(person);
                        most = most.max(1 + best(rest, taken));
                        taken.pop();
                    }
                }
                most
            }
            let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
            let values: Vec<Vec<u32>> = (0..4)
                .map(|value| pairs.iter().filter(|pair| pair.0 == value).map(|pair| pair.1).collect())
                .collect();
            prop_assert_eq!(represented(&pairs), best(&values, &mut Vec::new()));
        }
    }
}
