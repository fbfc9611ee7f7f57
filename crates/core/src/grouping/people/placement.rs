//! Which class each presence of a person belongs to.

use crate::table::{People, PersonRows};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The class of every presence under a node.
#[derive(Debug)]
pub(super) struct Placement {
    /// By presence.
    pub(super) class_of: Vec<u32>,
    /// Number of classes.
    pub(super) classes: usize,
}

impl Placement {
    /// `class_of` says which of `classes` classes of rows every tuple belongs to.
    pub(super) fn new(people: &People, class_of: &[u32], classes: usize) -> Placement {
        let of_tuples = people.tuples().iter().map(|&tuple| class_of[tuple as usize]).collect();
        match people.person_rows() {
            PersonRows::Apart | PersonRows::Together => Placement { class_of: of_tuples, classes },
            PersonRows::Set => of_sets(people, of_tuples),
        }
    }
}

/// A class per row of people who are alike: the bags of their rows are equal.
fn of_sets(people: &People, mut class_of: Vec<u32>) -> Placement {
    // All different bags one after the other: class of rows and how many of them, ascending.
    let mut bags: Vec<(u32, u32)> = Vec::new();
    let mut known: HashTable<(u32, u32)> = HashTable::new();
    let state = FixedState::default();
    for presences in people.starts().windows(2) {
        let [start, end] = [presences[0] as usize, presences[1] as usize];
        let first = bags.len();
        bags.extend(class_of[start..end].iter().copied().zip(people.rows()[start..end].iter().copied()));
        bags[first..].sort_unstable();
        merge(&mut bags, first);
        let hash = state.hash_one(&bags[first..]);
        let is_own = |&(start, end): &(u32, u32)| bags[start as usize..end as usize] == bags[first..];
        let found = known.find(hash, is_own).copied();
        let (bag, end_of_bag) = match found {
            Some(bag) => {
                bags.truncate(first);
                bag
            }
            None => {
                let bag = (first as u32, bags.len() as u32);
                let rehash = |&(start, end): &(u32, u32)| state.hash_one(&bags[start as usize..end as usize]);
                known.insert_unique(hash, bag, rehash);
                bag
            }
        };
        // The place of a row in the bag is its class: bags do not overlap.
        let rows = &bags[bag as usize..end_of_bag as usize];
        for class in &mut class_of[start..end] {
            let place = rows.partition_point(|&(row, _)| row < *class);
            *class = bag + place as u32;
        }
    }
    Placement { class_of, classes: bags.len() }
}

/// Adds up the rows of equal classes, from a start.
fn merge(bag: &mut Vec<(u32, u32)>, first: usize) {
    let mut last = first;
    for at in first + 1..bag.len() {
        if bag[at].0 == bag[last].0 {
            bag[last].1 += bag[at].1;
        } else {
            last += 1;
            bag[last] = bag[at];
        }
    }
    bag.truncate(last + 1);
}
