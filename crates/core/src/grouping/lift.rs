//! From the codes of one node to those of a more general one, a chunk at a time.

use super::layout::{Chunk, Layout, repeated};
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use hashbrown::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What becomes of the bits of one chunk between two nodes.
#[derive(Debug)]
pub(super) struct Lift {
    /// Number of combinations of codes above.
    pub(super) radix: u64,
    /// By bits of the chunk below: the combination above, as one number below `radix`.
    pub(super) combination: Vec<u32>,
    /// By combination: the bits of the chunk above.
    pub(super) bits: Vec<u32>,
}

/// Lifts made so far: nodes that are looked at one after the other share most of them.
#[derive(Debug, Default)]
pub(super) struct Lifts {
    made: Mutex<HashMap<Between, Arc<Lift>>>,
}

/// A chunk, and its columns' levels below and above.
type Between = (usize, Box<[u8]>);

impl Lifts {
    /// The lifts of all chunks that have more than one combination above.
    pub(super) fn between<'l>(
        &self,
        layout: &'l Layout,
        ladders: &[Ladder],
        from: &Node,
        to: &Node,
    ) -> Vec<(&'l Chunk, Arc<Lift>)> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let lifts = layout.chunks.iter().enumerate().map(|(number, chunk)| {
            let levels =
                chunk.columns.iter().flat_map(|&column| [from.levels()[column], to.levels()[column]]);
            let key = (number, levels.collect::<Box<[u8]>>());
            let lift =
                made.entry(key).or_insert_with(|| Arc::new(Lift::new(layout, chunk, ladders, from, to)));
            (chunk, Arc::clone(lift))
        });
        lifts.filter(|(_, lift)| lift.radix > 1).collect()
    }
}

impl Lift {
    fn new(layout: &Layout, chunk: &Chunk, ladders: &[Ladder], from: &Node, to: &Node) -> Lift {
        if let [column] = chunk.columns[..] {
            let (low, high) = (from.levels()[column], to.levels()[column]);
            let groups = ladders[column].cardinality(high) as u32;
            return Lift {
                radix: u64::from(groups),
                combination: ladders[column].step(low, high),
                bits: (0..groups).collect(),
            };
        }
        // Column by column, the first one in the lowest bits: every code of a column is followed by all combinations of those before it. Bits that stand
        // for no code of theirs are looked up by nobody.
        let (mut combination, mut bits): (Vec<u32>, Vec<u32>) = (vec![0], vec![0]);
        let (mut shift, mut radix) = (0, 1u64);
        for &column in &chunk.columns {
            let (low, high) = (from.levels()[column], to.levels()[column]);
            let groups = ladders[column].cardinality(high) as u32;
            combination.resize(1 << shift, 0);
            combination = repeated(&combination, &ladders[column].step(low, high), |so_far, group| {
                so_far + group * radix as u32
            });
            let all: Vec<u32> = (0..groups).collect();
            bits = repeated(&bits, &all, |so_far, group| so_far | (group << shift));
            radix *= u64::from(groups);
            shift += layout.bits(column);
        }
        Lift { radix, combination, bits }
    }
}
