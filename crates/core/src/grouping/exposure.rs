//! What one row tells about a whole lattice: its class under every node, found in one pass over the tuples.
//!
//! Another tuple shares the row's class under a node exactly if they agree in every column on the node's level, and once they agree they agree
//! on all higher levels. So every tuple has a lowest node from which on it is in the class, and the sizes of the class under all nodes are
//! partial sums over the lattice. Where no row may be suppressed, a row that is hard to hide refutes most of the lattice at once.

use super::layout::Layout;
use super::tally::{Addend, Places};
use super::{Classes, Grouper};
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, Node};
use std::cmp::Ordering;

/// Tuples of too small classes among which two are chosen.
const MOST_COMPARED: usize = 1024;
/// What a column adds to the place of a tuple that it never lets into the class: beyond any node, alone or several times.
const NEVER: u32 = 1 << 24;

/// How rare the codes of every chunk are, in bits.
#[derive(Debug)]
pub(crate) struct Rarity {
    chunks: Vec<Vec<f32>>,
}

impl Grouper<'_> {
    /// How rare rows are, by how often each value of each column occurs.
    pub(crate) fn rarity<'c>(&self, counts: impl Fn(usize) -> &'c [u64]) -> Rarity {
        let bits = |column: usize| -> Vec<f32> {
            counts(column).iter().map(|&rows| -(rows.max(1) as f32).log2()).collect()
        };
        let columns: Vec<Vec<f32>> = (0..self.ladders().len()).map(bits).collect();
        let chunks = self.layout.chunks.iter();
        Rarity { chunks: chunks.map(|chunk| sums(&self.layout, &chunk.columns, &columns, 0.0)).collect() }
    }

    /// Two tuples with rows that are in classes of fewer than `least` rows under a node, or as many as are found: a rare one, and one that differs
    /// from it in most columns. Empty where the tuples are not in memory. Where there are too many combinations some such classes are overlooked.
    pub(crate) fn exposed(&self, node: &Node, least: u8, rarity: &Rarity) -> Vec<usize> {
        let Some(base) = self.base() else { return Vec::new() };
        let mut small = self.small_entries(base, node, least);
        // A part of many is good enough.
        let step = small.len().div_ceil(MOST_COMPARED).max(1);
        small = small.into_iter().step_by(step).collect();
        let rare = |entry: u32| {
            let words = base.words_of(entry as usize);
            let chunks = self.layout.chunks.iter().zip(&rarity.chunks);
            chunks
                .map(|(chunk, bits)| bits[((words[chunk.word] >> chunk.shift) & chunk.mask()) as usize])
                .sum::<f32>()
        };
        let bits: Vec<f32> = small.iter().map(|&entry| rare(entry)).collect();
        let Some(rarest) = (0..small.len()).max_by(|&a, &b| bits[a].total_cmp(&bits[b]).then(b.cmp(&a)))
        else {
            return Vec::new();
        };
        let code = |column: usize, position: usize| base.code(column, small[position] as usize);
        let own: Vec<u32> = (0..self.ladders().len()).map(|column| code(column, rarest)).collect();
        let differs = |position: usize| {
            own.iter().enumerate().filter(|&(column, &own)| code(column, position) != own).count()
        };
        let far = (0..small.len()).filter(|&position| position != rarest).max_by(|&a, &b| {
            (differs(a), bits[a])
                .partial_cmp(&(differs(b), bits[b]))
                .unwrap_or(Ordering::Equal)
                .then(b.cmp(&a))
        });
        [Some(rarest), far].into_iter().flatten().map(|position| small[position] as usize).collect()
    }

    /// How many rows are in the class of a tuple, under every node of a lattice of at most 2²² nodes; by index. The tuples must be in memory.
    pub(crate) fn class_sizes(&self, tuple: usize, lattice: &Lattice) -> Vec<u32> {
        let mut sizes = vec![0u32; lattice.node_count() as usize];
        let Some(base) = self.base() else { return sizes };
        let places = self.meeting_places(base, tuple, lattice);
        places.each(&base.words, base.layout.words, &base.rows, |keys, rows| {
            for (&key, &rows) in keys.iter().zip(rows) {
                if let Some(size) = sizes.get_mut(key as usize) {
                    *size += rows;
                }
            }
        });
        lattice.add_up_below(&mut sizes);
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
        let addends = self
            .layout
            .chunks
            .iter()
            .map(|chunk| Addend::new(chunk, sums(&self.layout, &chunk.columns, &columns, 0)));
        Places::all(addends.collect())
    }
}

/// For all bits of a chunk the sum of what its columns' codes have; codes that do not occur have nothing.
fn sums<T: Copy + std::ops::Add<Output = T>>(
    layout: &Layout,
    chunk: &[usize],
    columns: &[Vec<T>],
    nothing: T,
) -> Vec<T> {
    let mut sums = vec![nothing];
    for &column in chunk {
        let of_code = |code: usize| columns[column].get(code).copied().unwrap_or(nothing);
        let codes = 1usize << layout.bits(column);
        sums = (0..codes).flat_map(|code| sums.iter().map(move |&sum| sum + of_code(code))).collect();
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::small_table;
    use proptest::prelude::*;

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
                prop_assert_eq!(u64::from(size), grouper.group_table(&node).unwrap().rows(class as usize));
            }
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
            let bits = |tuple: usize| -> f32 {
                let column = |column: usize| -(counts(column)[fixture.table.column(column)[tuple] as usize].max(1) as f32).log2();
                (0..fixture.ladders.len()).map(column).sum()
            };
            let small = |&tuple: &usize| {
                classes.rows(class_of[tuple] as usize) < u64::from(least) && fixture.table.rows()[tuple] > 0
            };
            let small: Vec<usize> = (0..fixture.table.tuple_count()).filter(small).collect();
            let found = grouper.exposed(&node, least, &grouper.rarity(counts));
            prop_assert_eq!(found.len(), small.len().min(2));
            prop_assert!(found.iter().all(|found| small.contains(found)));
            if let [rarest, ..] = found[..] {
                prop_assert!(small.iter().all(|&other| bits(other) <= bits(rarest) + 1e-3));
            }
        }
    }
}
