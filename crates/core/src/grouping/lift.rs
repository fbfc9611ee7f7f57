//! From the codes of one node to those of a more general one, a chunk at a time.

use super::layout::{Chunk, Layout};
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
        // All combinations of codes below as (bits below, combination above), and above as bits: column by column.
        let mut below: Vec<(u32, u32)> = vec![(0, 0)];
        let mut above: Vec<u32> = vec![0];
        let (mut shift, mut radix) = (0, 1u64);
        for &column in &chunk.columns {
            let (low, high) = (from.levels()[column], to.levels()[column]);
            let step = ladders[column].step(low, high);
            let groups = ladders[column].cardinality(high) as u32;
            let place = radix as u32;
            below = (0u32..)
                .zip(&step)
                .flat_map(|(code, &group)| {
                    let put =
                        move |&(bits, so_far): &(u32, u32)| (bits | (code << shift), so_far + group * place);
                    below.iter().map(put).collect::<Vec<_>>()
                })
                .collect();
            above = (0..groups)
                .flat_map(|group| above.iter().map(move |bits| bits | (group << shift)).collect::<Vec<_>>())
                .collect();
            radix *= u64::from(groups);
            shift += layout.bits(column);
        }
        let largest = below.iter().map(|&(bits, _)| bits).max().unwrap_or(0);
        let mut combination = vec![0; largest as usize + 1];
        for (bits, number) in below {
            combination[bits as usize] = number;
        }
        Lift { radix, combination, bits: above }
    }
}
