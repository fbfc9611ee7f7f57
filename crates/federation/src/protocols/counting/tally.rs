//! Counters of classes, added up once and used again.
//!
//! The classes of a node are unions of the classes of any node it generalizes, and so are the sums of their counters. A search that asks about
//! thousands of nodes would else add up the counters of all rows for each of them.

use crate::crypto::{ElGamal, ElGamalCounter, sums_by_key};
use paravent_core::grouping::Grouper;
use paravent_core::hierarchy::Ladder;
use paravent_core::lattice::Node;
use paravent_core::table::FrequencyTable;
use std::sync::Arc;

/// Tuples that are looked at to find out how many classes a node has.
const SAMPLE: usize = 1 << 16;
/// Counters from which on one adds up others on the way to a node.
#[cfg(not(test))]
const WORTH_A_STONE: usize = 1 << 12;
#[cfg(test)]
const WORTH_A_STONE: usize = 4;

/// The counters of the classes under one node.
pub(in crate::protocols) struct Tally {
    node: Node,
    /// By class: one of its tuples.
    tuples: FrequencyTable,
    /// By view.
    pub(in crate::protocols) views: Vec<Sums>,
}

/// The counters of one view.
pub(in crate::protocols) struct Sums {
    /// Class and code, ascending.
    pub(in crate::protocols) keys: Vec<(u32, u32)>,
    /// As `keys`.
    pub(in crate::protocols) counters: Vec<ElGamalCounter>,
}

impl Sums {
    /// Adds up the counters of each class and code.
    pub(in crate::protocols) fn of(keys: &[(u32, u32)], counters: &[ElGamalCounter]) -> Sums {
        let (keys, counters) = sums_by_key::<ElGamal, _>(keys, counters);
        Sums { keys, counters }
    }
}

impl Tally {
    /// Of the tuples themselves: views by tuple and code.
    pub(in crate::protocols) fn of_tuples(tuples: FrequencyTable, views: Vec<Sums>) -> Tally {
        Tally { node: Node::new(vec![0; tuples.column_count()]), tuples, views }
    }

    /// Number of classes.
    pub(in crate::protocols) fn classes(&self) -> usize {
        self.tuples.tuple_count()
    }

    fn counters(&self) -> usize {
        self.views.iter().map(|sums| sums.counters.len()).sum()
    }

    /// By class: the class it falls into under a node above.
    pub(in crate::protocols) fn class_of(&self, node: &Node, ladders: &[Ladder]) -> Vec<u32> {
        Grouper::new(&self.tuples, ladders, 0).class_of_tuples(node)
    }

    /// A node between this one and a node above it that has far fewer classes than this one, and else is as low as can be: so that as many
    /// nodes as possible can be added up from it. A sample says how many classes a node has; a larger sample has fewer for its size.
    fn stepping_stone(&self, above: &Node, ladders: &[Ladder]) -> Option<Node> {
        let sample: Vec<u32> =
            (0..self.classes() as u32).step_by(self.classes().div_ceil(SAMPLE).max(1)).collect();
        let columns =
            (0..self.tuples.column_count()).map(|column| self.tuples.column(column).picked(&sample));
        let tuples = FrequencyTable::piece(columns.collect(), vec![1; sample.len()], None, Vec::new());
        let grouper = Grouper::new(&tuples, ladders, 0);
        let classes = |node: &Node| number_of_classes(&grouper.class_of_tuples(node));
        let most = sample.len() / 4;
        let (mut stone, mut fits) = (above.clone(), classes(above) <= most);
        while fits {
            let columns = self.node.levels().iter().zip(stone.levels()).enumerate();
            let lower = columns.filter(|(_, (lowest, level))| lowest < level);
            let lower = lower.map(|(column, (_, level))| stone.with_level(column, level - 1));
            let lower = lower.map(|node| (classes(&node), node)).filter(|(classes, _)| *classes <= most);
            match lower.min_by_key(|(classes, _)| *classes) {
                Some((_, node)) => stone = node,
                None => fits = false,
            }
        }
        (stone != *above).then_some(stone)
    }

    fn rolled_up(&self, node: &Node, ladders: &[Ladder]) -> Tally {
        let class_of = self.class_of(node, ladders);
        let mut members = vec![0u32; number_of_classes(&class_of)];
        (0..).zip(&class_of).for_each(|(tuple, &class)| members[class as usize] = tuple);
        let columns =
            (0..self.tuples.column_count()).map(|column| self.tuples.column(column).picked(&members));
        let tuples = FrequencyTable::piece(columns.collect(), vec![1; members.len()], None, Vec::new());
        let merged = |sums: &Sums| {
            let keys: Vec<(u32, u32)> =
                sums.keys.iter().map(|&(class, code)| (class_of[class as usize], code)).collect();
            Sums::of(&keys, &sums.counters)
        };
        Tally { node: node.clone(), tuples, views: self.views.iter().map(merged).collect() }
    }
}

fn number_of_classes(class_of: &[u32]) -> usize {
    class_of.iter().max().map_or(0, |&largest| largest as usize + 1)
}

/// The tallies so far.
pub(in crate::protocols) struct Tallies {
    ladders: Vec<Ladder>,
    tuples: Arc<Tally>,
    /// The last used one last.
    kept: Vec<Arc<Tally>>,
}

impl Tallies {
    pub(in crate::protocols) fn new(tuples: Tally, ladders: Vec<Ladder>) -> Tallies {
        Tallies { ladders, tuples: Arc::new(tuples), kept: Vec::new() }
    }

    /// By tuple: its class under a node. Not the numbers of [`at`](Self::at).
    pub(in crate::protocols) fn class_of_tuples(&self, node: &Node) -> Vec<u32> {
        self.tuples.class_of(node, &self.ladders)
    }

    /// The counters of the classes under a node, from those of the smallest tally below it.
    pub(in crate::protocols) fn at(&mut self, node: &Node) -> Arc<Tally> {
        let mut source = self.nearest(node);
        while source.counters() > WORTH_A_STONE
            && let Some(between) = source.stepping_stone(node, &self.ladders)
        {
            let stone = Arc::new(source.rolled_up(&between, &self.ladders));
            if !self.keep(&stone, source.counters()) {
                break;
            }
            source = stone;
        }
        let tally = Arc::new(source.rolled_up(node, &self.ladders));
        self.keep(&tally, source.counters());
        tally
    }

    /// The smallest tally that the classes of a node are unions of.
    fn nearest(&mut self, node: &Node) -> Arc<Tally> {
        let below = self.kept.iter().enumerate().filter(|(_, tally)| node.generalizes(&tally.node));
        match below.min_by_key(|(_, tally)| tally.counters()).map(|(at, _)| at) {
            None => Arc::clone(&self.tuples),
            Some(at) => {
                let used = self.kept.remove(at);
                self.kept.push(Arc::clone(&used));
                used
            }
        }
    }

    /// From the tuples, whatever was added up before: classes are numbered as by [`class_of_tuples`](Self::class_of_tuples).
    pub(in crate::protocols) fn added_up_anew(&self, node: &Node) -> Tally {
        self.tuples.rolled_up(node, &self.ladders)
    }

    /// Keeps what is much smaller than its source, and no more counters than there are tuples.
    fn keep(&mut self, tally: &Arc<Tally>, source: usize) -> bool {
        if tally.counters() > source / 2 {
            return false;
        }
        self.kept.push(Arc::clone(tally));
        let room = self.tuples.counters();
        while self.kept.iter().map(|tally| tally.counters()).sum::<usize>() > room {
            self.kept.remove(0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::AdditiveCounters;
    use crate::engine::ladder_of;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use std::collections::BTreeMap;

    /// Six values in three groups in one.
    fn ladders() -> Vec<Ladder> {
        vec![ladder_of(6, &[vec![0, 0, 1, 1, 2, 2], vec![0; 6]], &[]).unwrap(); 3]
    }

    type Labelled = BTreeMap<(Vec<u32>, u32), ElGamalCounter>;

    /// What its groups make a tuple under a node.
    fn generalized(tuples: &FrequencyTable, tuple: u32, node: &Node) -> Vec<u32> {
        let columns = ladders().into_iter().zip(node.levels()).enumerate();
        columns
            .map(|(column, (ladder, &level))| {
                let code = tuples.column(column).get(tuple as usize);
                ladder.rung(level).group_of[code as usize]
            })
            .collect()
    }

    /// The slow twin: every counter of every tuple, for every node anew.
    fn added_up(tuples: &FrequencyTable, sums: &Sums, node: &Node) -> Labelled {
        let mut all = Labelled::new();
        for (&(tuple, code), counter) in sums.keys.iter().zip(&sums.counters) {
            let sum = all.entry((generalized(tuples, tuple, node), code)).or_insert_with(ElGamal::nothing);
            *sum = ElGamal::add(sum, counter);
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn what_was_added_up_before_gives_what_adding_all_up_gives(
            tuples in prop::collection::btree_set((0u32..6, 0u32..6, 0u32..6), 1..40),
            codes in 1u32..3,
            nodes in prop::collection::vec((0u8..3, 0u8..3, 0u8..3), 1..12),
        ) {
            let mut rng = rand::rngs::ChaCha20Rng::seed_from_u64(5);
            let (_, public) = ElGamal::generate(&mut rng);
            let columns: Vec<Vec<u32>> = vec![
                tuples.iter().map(|tuple| tuple.0).collect(),
                tuples.iter().map(|tuple| tuple.1).collect(),
                tuples.iter().map(|tuple| tuple.2).collect(),
            ];
            let table = FrequencyTable::piece(columns, vec![1; tuples.len()], None, Vec::new());
            let keys: Vec<(u32, u32)> =
                (0..tuples.len() as u32).flat_map(|tuple| (0..codes).map(move |code| (tuple, code))).collect();
            let counts: Vec<u64> = keys.iter().map(|&(tuple, code)| u64::from(tuple % 2 + code)).collect();
            let counters = ElGamal::encrypt(&public, &counts, &mut rng);
            let base = || Sums::of(&keys, &counters);
            let mut tallies = Tallies::new(Tally::of_tuples(table.clone(), vec![base()]), ladders());
            for (a, b, c) in nodes {
                let node = Node::new(vec![a, b, c]);
                let slow = added_up(&table, &base(), &node);
                for tally in [tallies.at(&node), Arc::new(tallies.added_up_anew(&node))] {
                    let sums = &tally.views[0];
                    let fast: Labelled = (sums.keys.iter().zip(&sums.counters))
                        .map(|(&(class, code), &counter)| ((generalized(&tally.tuples, class, &node), code), counter))
                        .collect();
                    prop_assert_eq!(fast.len(), sums.keys.len());
                    prop_assert!(fast == slow);
                }
            }
        }
    }
}
