//! What one row tells about a whole lattice: its class under every node, found in one pass over the tuples.
//!
//! Another tuple shares the row's class under a node exactly if they agree in every column on the node's level, and once they agree they agree
//! on all higher levels. So every tuple has a lowest node from which on it is in the class, and the sizes of the class under all nodes are
//! partial sums over the lattice. Where no row may be suppressed, a row that is hard to hide refutes most of the lattice at once.

use super::layout::{Layout, repeated};
use super::tally::{Addend, Places};
use super::{Classes, Grouper};
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, Node};
use std::cmp::Reverse;

/// Tuples of too small classes among which two are chosen. From 5-anonymity at 0 % on the tables of the `baseline`
/// workload of `docs/guide/bench.md`.
const MOST_COMPARED: usize = 1024;
/// Rare tuples among which likely counterexamples are looked for. From the same cases.
const MOST_SUSPECTED: usize = 4096;
/// What a column adds to the place of a tuple that it never lets into the class: beyond any node, alone or several times.
const NEVER: u32 = 1 << 24;
/// Parts of a bit that rarity is counted in, so that sums are exact. Not tuned.
const PARTS: f32 = 256.0;

/// How rare the values of every column are on every level, in parts of a bit, and the tuples that are rare as they are.
#[derive(Debug)]
pub(crate) struct Rarity {
    /// By column, level and value.
    bits: Vec<Vec<Vec<u32>>>,
    suspects: Suspects,
}

#[derive(Debug, Default)]
struct Suspects {
    tuples: Vec<u32>,
    words: Vec<u64>,
    rows: Vec<u32>,
}

impl Grouper<'_> {
    /// How rare rows are, by how often each value of each column occurs.
    pub(crate) fn rarity<'c>(&self, counts: impl Fn(usize) -> &'c [u64]) -> Rarity {
        let column = |(column, ladder): (usize, &Ladder)| -> Vec<Vec<u32>> {
            let level = |level: u8| {
                let mut rows = vec![0u64; ladder.cardinality(level)];
                let groups = &ladder.rung(level).group_of;
                groups.iter().zip(counts(column)).for_each(|(&group, count)| rows[group as usize] += count);
                let bits =
                    |&group: &u32| ((64.0 - (rows[group as usize].max(1) as f32).log2()) * PARTS) as u32;
                groups.iter().map(bits).collect()
            };
            (0..=ladder.max_level()).map(level).collect()
        };
        let mut rarity = Rarity {
            bits: self.ladders().iter().enumerate().map(column).collect(),
            suspects: Suspects::default(),
        };
        rarity.suspects = self.base().map(|base| self.rarest(base, &rarity)).unwrap_or_default();
        rarity
    }

    /// The rarest tuples with rows, in order.
    fn rarest(&self, base: &Classes, rarity: &Rarity) -> Suspects {
        let mut rare: Vec<(Reverse<u32>, u32)> = Vec::with_capacity(base.len());
        let bits = self.bits_of(base.node(), rarity, |_, _| false);
        let mut first = 0u32;
        bits.each(&base.words, base.layout.words, &base.rows, |bits, rows| {
            let present = (first..).zip(bits).zip(rows).filter(|&(_, &rows)| rows > 0);
            rare.extend(present.map(|((tuple, &bits), _)| (Reverse(bits), tuple)));
            first += bits.len() as u32;
        });
        if rare.len() > MOST_SUSPECTED {
            rare.select_nth_unstable(MOST_SUSPECTED);
            rare.truncate(MOST_SUSPECTED);
        }
        let mut tuples: Vec<u32> = rare.into_iter().map(|(_, tuple)| tuple).collect();
        tuples.sort_unstable();
        Suspects {
            words: tuples.iter().flat_map(|&tuple| base.words_of(tuple as usize)).copied().collect(),
            rows: tuples.iter().map(|&tuple| base.rows[tuple as usize]).collect(),
            tuples,
        }
    }

    /// How rare tuples are under a node, all columns together; a column's value counts nothing where `except` says so.
    fn bits_of(&self, node: &Node, rarity: &Rarity, except: impl Fn(usize, usize) -> bool) -> Places {
        let column = |(column, levels): (usize, &Vec<Vec<u32>>)| -> Vec<u32> {
            let bits = levels[usize::from(node.levels()[column])].iter().enumerate();
            bits.map(|(value, &bits)| if except(column, value) { 0 } else { bits }).collect()
        };
        let columns: Vec<Vec<u32>> = rarity.bits.iter().enumerate().map(column).collect();
        self.places_of(&columns)
    }

    /// The sum of what the columns' values add.
    fn places_of(&self, columns: &[Vec<u32>]) -> Places {
        let addend = |chunk| Addend::new(chunk, sums(&self.layout, &chunk.columns, columns));
        Places::all(self.layout.chunks.iter().map(addend).collect())
    }

    /// Two tuples that are probably in small classes under a node: a rare one, and one that is rare in other columns.
    pub(crate) fn suspects(&self, node: &Node, rarity: &Rarity) -> Vec<usize> {
        let (Some(base), suspects) = (self.base(), &rarity.suspects) else { return Vec::new() };
        let rarest = |places: &Places| {
            let mut rarest: Option<(u32, usize)> = None;
            let mut position = 0;
            places.each(&suspects.words, base.layout.words, &suspects.rows, |bits, _| {
                for &bits in bits {
                    if rarest.is_none_or(|(most, _)| bits > most) {
                        rarest = Some((bits, position));
                    }
                    position += 1;
                }
            });
            rarest.map(|(_, position)| suspects.tuples[position] as usize)
        };
        let Some(first) = rarest(&self.bits_of(node, rarity, |_, _| false)) else { return Vec::new() };
        let same = |column: usize, value: usize| {
            let groups = &self.ladders()[column].rung(node.levels()[column]).group_of;
            groups[value] == groups[base.code(column, first) as usize]
        };
        let second = rarest(&self.bits_of(node, rarity, same));
        [Some(first), second.filter(|&second| second != first)].into_iter().flatten().collect()
    }

    /// Two tuples with rows that are in classes of fewer than `least` rows under a node, or as many as are found: a rare one, and one that differs
    /// from it in most columns. Empty where the tuples are not in memory. Where there are too many combinations some such classes are overlooked.
    pub(crate) fn exposed(&self, node: &Node, least: u8, rarity: &Rarity) -> Vec<usize> {
        let Some(base) = self.base() else { return Vec::new() };
        let mut small = self.small_entries(base, node, least);
        // A part of many is good enough.
        let step = small.len().div_ceil(MOST_COMPARED).max(1);
        small = small.into_iter().step_by(step).collect();
        let code = |column: usize, position: usize| base.code(column, small[position] as usize);
        let rare = |position: usize| -> u32 {
            let bits = |(column, levels): (usize, &Vec<Vec<u32>>)| {
                levels[usize::from(node.levels()[column])][code(column, position) as usize]
            };
            rarity.bits.iter().enumerate().map(bits).sum()
        };
        let bits: Vec<u32> = (0..small.len()).map(rare).collect();
        let rarest = (0..small.len()).max_by_key(|&position| (bits[position], Reverse(position)));
        let Some(rarest) = rarest else { return Vec::new() };
        let own: Vec<u32> = (0..self.ladders().len()).map(|column| code(column, rarest)).collect();
        let differs = |position: usize| {
            own.iter().enumerate().filter(|&(column, &own)| code(column, position) != own).count()
        };
        let far = (0..small.len())
            .filter(|&position| position != rarest)
            .max_by_key(|&position| (differs(position), bits[position], Reverse(position)));
        [Some(rarest), far].into_iter().flatten().map(|position| small[position] as usize).collect()
    }

    /// How many rows are in the class of a tuple, or [`u8::MAX`] if there are more, under every node of a lattice of at most 2²² nodes; by index.
    /// The tuples must be in memory.
    pub(crate) fn class_sizes(&self, tuple: usize, lattice: &Lattice) -> Vec<u8> {
        let mut sizes = vec![0u8; lattice.node_count() as usize];
        let Some(base) = self.base() else { return sizes };
        let places = self.meeting_places(base, tuple, lattice);
        places.each(&base.words, base.layout.words, &base.rows, |keys, rows| {
            for (&key, &rows) in keys.iter().zip(rows) {
                if let Some(size) = sizes.get_mut(key as usize) {
                    *size = size.saturating_add(u8::try_from(rows).unwrap_or(u8::MAX));
                }
            }
        });
        lattice.add_up_below(&mut sizes, u8::saturating_add);
        sizes
    }

    /// The index of the lowest node under which a tuple is in the class of the given one.
    fn meeting_places(&self, base: &Classes, tuple: usize, lattice: &Lattice) -> Places {
        let column = |(column, ladder): (usize, &Ladder)| -> Vec<u32> {
            let own = base.code(column, tuple) as usize;
            let (low, high) = (lattice.lowest()[column], lattice.highest()[column]);
            let mut steps = vec![NEVER; ladder.values()];
            for level in (low..=high).rev() {
                let groups = &ladder.rung(level).group_of;
                let steps_here = u32::from(level - low) * lattice.strides()[column] as u32;
                let together = steps.iter_mut().zip(groups).filter(|&(_, &group)| group == groups[own]);
                together.for_each(|(steps, _)| *steps = steps_here);
            }
            steps
        };
        let columns: Vec<Vec<u32>> = self.ladders().iter().enumerate().map(column).collect();
        self.places_of(&columns)
    }
}

/// For all bits of a chunk the sum of what its columns' codes have; codes that do not occur have nothing.
fn sums(layout: &Layout, chunk: &[usize], columns: &[Vec<u32>]) -> Vec<u32> {
    chunk.iter().fold(vec![0], |sums, &column| {
        let mut codes = columns[column].clone();
        codes.resize(1 << layout.bits(column), 0);
        repeated(&sums, &codes, |sum, code| sum + code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;
    use crate::testing::small_table;
    use proptest::prelude::*;

    fn bits(rarity: &Rarity, fixture: &Fixture, node: &Node, tuple: usize) -> u32 {
        let column = |column: usize| {
            let level = usize::from(node.levels()[column]);
            rarity.bits[column][level][fixture.table.column(column).get(tuple) as usize]
        };
        (0..fixture.ladders.len()).map(column).sum()
    }

    proptest! {
        #[test]
        fn a_tuple_has_the_class_that_grouping_gives_it(fixture in small_table(), pick in any::<u64>(), cuts in any::<[bool; 2]>()) {
            let whole = fixture.lattice();
            // Levels may be left out at either end; a column may then never be the same for two tuples.
            let low = whole.highest().iter().map(|&high| u8::from(cuts[0] && high > 0)).collect();
            let high = whole.highest().iter().map(|&high| if cuts[1] { high.div_ceil(2) } else { high }).collect();
            let lattice = Lattice::new(low, high).unwrap();
            let grouper = Grouper::new(&fixture.table, &fixture.ladders, 0);
            let tuple = (pick % fixture.table.tuple_count() as u64) as usize;
            let sizes = grouper.class_sizes(tuple, &lattice);
            prop_assert_eq!(sizes.len() as u128, lattice.node_count());
            for (index, &size) in sizes.iter().enumerate() {
                let node = lattice.node(index as u64);
                let class = grouper.class_of_tuples(&node)[tuple];
                prop_assert_eq!(u64::from(size), grouper.group_table(&node).unwrap().rows(class as usize).min(255));
            }
        }

        #[test]
        fn the_rarest_row_is_suspected_first(fixture in small_table(), pick in any::<u64>()) {
            let lattice = fixture.lattice();
            let grouper = Grouper::new(&fixture.table, &fixture.ladders, 0);
            let node = lattice.node(pick % lattice.node_count() as u64);
            let values = |(column, ladder): (usize, &Ladder)| fixture.table.value_counts(column, ladder.values());
            let values: Vec<Vec<u64>> = fixture.ladders.iter().enumerate().map(values).collect();
            let rarity = grouper.rarity(|column| &values[column][..]);
            let present = (0..fixture.table.tuple_count()).filter(|&tuple| fixture.table.rows()[tuple] > 0);
            let most = present.map(|tuple| bits(&rarity, &fixture, &node, tuple)).max();
            let suspects = grouper.suspects(&node, &rarity);
            prop_assert!(suspects.iter().all(|&suspect| fixture.table.rows()[suspect] > 0));
            prop_assert_eq!(suspects.first().map(|&first| bits(&rarity, &fixture, &node, first)), most);
            prop_assert!(suspects.len() < 3 && suspects.windows(2).all(|two| two[0] != two[1]));
        }

        #[test]
        fn rows_of_too_small_classes_are_found(fixture in small_table(), pick in any::<u64>(), least in 2u8..9) {
            let lattice = fixture.lattice();
            let grouper = Grouper::new(&fixture.table, &fixture.ladders, 0);
            let node = lattice.node(pick % lattice.node_count() as u64);
            let values = |(column, ladder): (usize, &Ladder)| fixture.table.value_counts(column, ladder.values());
            let values: Vec<Vec<u64>> = fixture.ladders.iter().enumerate().map(values).collect();
            let counts = |column: usize| &values[column][..];
            let (classes, class_of) = (grouper.group_table(&node).unwrap(), grouper.class_of_tuples(&node));
            let rarity = grouper.rarity(counts);
            let bits = |tuple: usize| bits(&rarity, &fixture, &node, tuple);
            let small = |&tuple: &usize| {
                classes.rows(class_of[tuple] as usize) < u64::from(least) && fixture.table.rows()[tuple] > 0
            };
            let small: Vec<usize> = (0..fixture.table.tuple_count()).filter(small).collect();
            let found = grouper.exposed(&node, least, &rarity);
            prop_assert_eq!(found.len(), small.len().min(2));
            prop_assert!(found.iter().all(|found| small.contains(found)));
            if let [rarest, ..] = found[..] {
                prop_assert!(small.iter().all(|&other| bits(other) <= bits(rarest)));
            }
        }
    }
}
