//! Classes of tuples that are not in memory: gathered piece by piece, and where even the classes are too many, in several passes.

use super::histograms::merge;
use super::{Classes, Grouper};
use crate::lattice::Node;
use crate::table::{Histograms, TupleSource, TupleSourceError};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Finds the classes of nodes from tuples that are read in pieces.
#[derive(Debug)]
pub(crate) struct Streamed<'a> {
    table: &'a dyn TupleSource,
    /// One node at a time: two would need twice the memory.
    turn: Mutex<()>,
}

/// The classes that have these bits in their hash. Criteria judge a class at a time, so what is summed up over parts is right for the whole.
#[derive(Debug, Clone, Copy)]
struct Part {
    bits: u32,
    value: u64,
}

impl Part {
    const WHOLE: Part = Part { bits: 0, value: 0 };

    fn has(self, hash: u64) -> bool {
        // The lowest bits choose a place in the index; parts are made by others.
        (hash >> 24) & ((1 << self.bits) - 1) == self.value
    }

    /// The two halves; `None` for a part that hardly can be split.
    fn halves(self) -> Option<(Part, Part)> {
        let bits = self.bits + 1;
        (bits < MOST_BITS)
            .then_some((Part { bits, ..self }, Part { bits, value: self.value | 1 << self.bits }))
    }
}

/// Bits of the hash that parts are made by; more would run out of hash. Not tuned.
const MOST_BITS: u32 = 32;

impl<'a> Streamed<'a> {
    pub(crate) fn new(table: &'a dyn TupleSource) -> Streamed<'a> {
        Streamed { table, turn: Mutex::default() }
    }

    /// Calls `visit` with all classes under a node, in as many parts as memory asks for, until it has seen enough. All classes in one part
    /// are in the order of their first tuples, and are kept for roll-up.
    pub(crate) fn visit(
        &self,
        grouper: &Grouper<'_>,
        node: &Node,
        mut visit: impl FnMut(&Classes) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = vec![Part::WHOLE];
        while let Some(mut part) = open.pop() {
            let mut gathered: Option<Gathered> = None;
            self.table.pieces(&mut |piece| {
                let classes = grouper.group_piece(piece, node);
                let gathered = gathered.get_or_insert_with(|| Gathered::like(&classes));
                gathered.add(&classes, part);
                while gathered.bytes() > self.table.class_bytes() && gathered.len() > 1 {
                    gathered.compact();
                    if gathered.bytes() <= self.table.class_bytes() / 2 {
                        break;
                    }
                    let Some((this, other)) = part.halves() else { break };
                    part = this;
                    open.push(other);
                    gathered.keep(this);
                }
                ControlFlow::Continue(())
            })?;
            let Some(gathered) = gathered else { continue };
            grouper.grouped(gathered.bytes());
            let classes = gathered.finish();
            if part.bits == 0 {
                let classes = Arc::new(classes);
                let _ = visit(&classes);
                grouper.keep(&classes);
                return Ok(());
            }
            if visit(&classes).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Classes of the pieces so far, of one part.
struct Gathered {
    classes: Classes,
    /// Number of a class by its words.
    index: HashTable<u32>,
    /// The class of every entry of the histograms.
    class_of: Vec<u32>,
}

impl Gathered {
    /// Nothing yet, of the same kind.
    fn like(piece: &Classes) -> Gathered {
        let classes = Classes {
            node: piece.node.clone(),
            layout: Arc::clone(&piece.layout),
            words: Vec::new(),
            rows: Vec::new(),
            population: piece.population.as_ref().map(|_| Vec::new()),
            sensitive: piece.sensitive.iter().map(|_| Histograms::new()).collect(),
            cardinalities: piece.cardinalities.clone(),
        };
        Gathered { classes, index: HashTable::new(), class_of: Vec::new() }
    }

    fn len(&self) -> usize {
        self.classes.len()
    }

    fn bytes(&self) -> usize {
        let index = self.index.capacity() * (size_of::<u32>() + 2);
        self.classes.bytes() + index + self.class_of.capacity() * size_of::<u32>()
    }

    /// Adds the classes of a piece that belong to the part.
    fn add(&mut self, piece: &Classes, part: Part) {
        for number in 0..piece.len() {
            let words = piece.words_of(number);
            let hash = hash(words);
            if !part.has(hash) {
                continue;
            }
            let class = self.class(words, hash);
            self.classes.rows[class] += piece.rows[number];
            if let (Some(sums), Some(more)) = (&mut self.classes.population, &piece.population) {
                sums[class] += more[number];
            }
            for (histograms, more) in self.classes.sensitive.iter_mut().zip(&piece.sensitive) {
                let (values, counts) = more.entry(number);
                histograms.push(values.iter().copied().zip(counts.iter().copied()));
            }
            if !piece.sensitive.is_empty() {
                self.class_of.push(class as u32);
            }
        }
        if self.class_of.len() > 2 * self.len() {
            self.compact();
        }
    }

    /// The number of the class with these words, a new one if need be.
    fn class(&mut self, words: &[u64], hash: u64) -> usize {
        let known = &self.classes;
        if let Some(&number) = self.index.find(hash, |&number| known.words_of(number as usize) == words) {
            return number as usize;
        }
        let number = self.len();
        self.classes.words.extend_from_slice(words);
        self.classes.rows.push(0);
        if let Some(population) = &mut self.classes.population {
            population.push(0);
        }
        let known = &self.classes;
        self.index.insert_unique(hash, number as u32, |&number| self::hash(known.words_of(number as usize)));
        number
    }

    /// One histogram per class.
    fn compact(&mut self) {
        let classes = self.len();
        for (histograms, &values) in self.classes.sensitive.iter_mut().zip(&self.classes.cardinalities) {
            *histograms = merge(histograms, values, &self.class_of, classes);
        }
        if !self.classes.sensitive.is_empty() {
            self.class_of = (0..classes as u32).collect();
        }
    }

    /// Forgets what is not of the part.
    fn keep(&mut self, part: Part) {
        let mut kept = Gathered::like(&self.classes);
        kept.add(&self.classes, part);
        *self = kept;
    }

    fn finish(mut self) -> Classes {
        self.compact();
        self.classes
    }
}

fn hash(words: &[u64]) -> u64 {
    FixedState::default().hash_one(words)
}
