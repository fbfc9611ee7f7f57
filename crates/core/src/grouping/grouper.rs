//! Groups a table under nodes, reusing what was grouped before.

use super::Classes;
use super::histograms::merge;
use super::history::History;
use super::layout::Layout;
use super::lift::Lifts;
use super::number::{Entries, First, Scratch};
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use crate::table::FrequencyTable;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Snapshots kept before any was used.
const FIRST_KEPT: u64 = 16;

/// Finds the equivalence classes of nodes; starts from the smallest known specialization.
#[derive(Debug)]
pub struct Grouper<'a> {
    ladders: &'a [Ladder],
    base: Arc<Classes>,
    lifts: Lifts,
    history: Mutex<History>,
    /// One per thread that is grouping.
    scratches: Mutex<Vec<Scratch>>,
    groupings: AtomicU64,
    rollups: AtomicU64,
    /// Snapshots offered to the history.
    kept: AtomicU64,
    peak_bytes: AtomicUsize,
}

/// What grouping has cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupingStats {
    /// Nodes grouped.
    pub groupings: u64,
    /// How many of them started from classes of a specialization instead of the table.
    pub rollups: u64,
    /// Most memory held by the table's tuples and the snapshots at any time, in bytes.
    pub peak_bytes: usize,
}

/// Whether the codes of the classes are wanted, or only their sizes and sensitive values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codes {
    Wanted,
    NotWanted,
}

/// Classes of which only the sizes are known so far.
#[derive(Debug)]
pub(crate) struct SizedUp {
    classes: Classes,
    source: Arc<Classes>,
    /// The class of every entry of the source; empty where nothing but sizes will be asked for.
    class_of: Vec<u32>,
    first: First,
}

impl SizedUp {
    /// The classes, without their sensitive values.
    pub(crate) fn classes(&self) -> &Classes {
        &self.classes
    }
}

impl<'a> Grouper<'a> {
    /// A grouper over a table with one ladder per quasi-identifier. `history_bytes` bounds what is kept for roll-up; 0 turns
    /// roll-up off, which changes no result.
    pub fn new(table: &FrequencyTable, ladders: &'a [Ladder], history_bytes: usize) -> Grouper<'a> {
        let cardinalities: Vec<usize> = ladders.iter().map(|ladder| ladder.rung(0).group_of.len()).collect();
        let layout = Arc::new(Layout::new(&cardinalities));
        let base = Arc::new(Classes {
            node: Node::new(vec![0; table.column_count()]),
            words: layout.pack(table),
            layout,
            rows: table.rows().to_vec(),
            population: table.population().map(<[u32]>::to_vec),
            sensitive: table.sensitive().iter().map(|column| column.histograms.clone()).collect(),
            cardinalities: table.sensitive().iter().map(|column| column.cardinality).collect(),
        });
        let peak_bytes = AtomicUsize::new(base.bytes());
        Grouper {
            ladders,
            base,
            lifts: Lifts::default(),
            history: Mutex::new(History::new(history_bytes)),
            scratches: Mutex::default(),
            groupings: 0.into(),
            rollups: 0.into(),
            kept: 0.into(),
            peak_bytes,
        }
    }

    /// The classes under a node.
    pub fn group(&self, node: &Node) -> Arc<Classes> {
        self.complete(self.size_up(node), Codes::Wanted)
    }

    /// The sizes of the classes under a node.
    pub(crate) fn size_up(&self, node: &Node) -> SizedUp {
        self.groupings.fetch_add(1, Ordering::Relaxed);
        let snapshot = self.history().best_for(node);
        if snapshot.is_some() {
            self.rollups.fetch_add(1, Ordering::Relaxed);
        }
        self.size_up_from(snapshot.unwrap_or_else(|| Arc::clone(&self.base)), node)
    }

    /// Where a node has too many combinations to be counted in an array: rows in classes of fewer than `least` rows when only some columns
    /// are looked at, which is cheap, and the node with all other columns fully generalized. No node below that one has fewer such rows.
    pub(crate) fn rows_below_in_some_columns(&self, node: &Node, least: u64) -> Option<(u64, Node)> {
        let source = self.history().best_for(node).unwrap_or_else(|| Arc::clone(&self.base));
        let mut entries = self.entries(&source, node);
        if least < 2 || entries.fit_an_array() {
            return None;
        }
        entries.keep_what_fits_an_array();
        let mut levels: Vec<u8> = self.ladders.iter().map(Ladder::max_level).collect();
        for &column in entries.lifts.iter().flat_map(|(chunk, _)| &chunk.columns) {
            levels[column] = node.levels()[column];
        }
        let rows = self.count(&source, &entries);
        Some((rows.iter().map(|&rows| u64::from(rows)).filter(|&rows| rows < least).sum(), Node::new(levels)))
    }

    fn count(&self, source: &Classes, entries: &Entries<'_>) -> Vec<u32> {
        let mut rows: Vec<u32> = Vec::new();
        let mut scratch = self.scratches().pop().unwrap_or_default();
        entries.number(&mut scratch, |start, block, classes| {
            add_rows(&mut rows, classes, block, &source.rows[start..])
        });
        self.scratches().push(scratch);
        rows
    }

    /// Adds the sensitive values, and keeps the classes for later.
    pub(crate) fn complete(&self, sized: SizedUp, codes: Codes) -> Arc<Classes> {
        let SizedUp { mut classes, source, class_of, first } = sized;
        add_sensitive(&mut classes, &source, &class_of);
        let keeps = self.is_worth_keeping(&classes, &source);
        if keeps || codes == Codes::Wanted {
            self.add_codes(&mut classes, &source, &first);
        }
        let classes = Arc::new(classes);
        if keeps {
            self.keep(&classes);
        }
        classes
    }

    /// Keeps classes whose sizes said enough, where sizes are all there is to know.
    pub(crate) fn retire(&self, sized: SizedUp) {
        let SizedUp { mut classes, source, first, .. } = sized;
        if source.sensitive.is_empty() && self.is_worth_keeping(&classes, &source) {
            self.add_codes(&mut classes, &source, &first);
            self.keep(&Arc::new(classes));
        }
    }

    /// What is hardly smaller than its source saves hardly anything, and neither do snapshots that nobody asks for.
    fn is_worth_keeping(&self, classes: &Classes, source: &Classes) -> bool {
        let (kept, rollups) = (self.kept.load(Ordering::Relaxed), self.rollups.load(Ordering::Relaxed));
        classes.len() <= source.len() / 4 && kept <= FIRST_KEPT + 2 * rollups
    }

    fn keep(&self, classes: &Arc<Classes>) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        let mut history = self.history();
        history.offer(classes);
        self.peak_bytes.fetch_max(self.base.bytes() + history.bytes(), Ordering::Relaxed);
    }

    /// For each tuple of the table, the class it falls into under the node of these classes.
    pub fn class_of_tuples(&self, node: &Node) -> Vec<u32> {
        let mut class_of = Vec::with_capacity(self.base.len());
        self.number(&self.base, node, |_, block, _| class_of.extend_from_slice(block));
        class_of
    }

    /// The classes under a node straight from the table, so that class numbers match [`class_of_tuples`](Self::class_of_tuples).
    pub fn group_table(&self, node: &Node) -> Classes {
        let sized = self.size_up_from(Arc::clone(&self.base), node);
        let SizedUp { mut classes, source, class_of, first } = sized;
        add_sensitive(&mut classes, &source, &class_of);
        self.add_codes(&mut classes, &source, &first);
        classes
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        GroupingStats {
            groupings: self.groupings.load(Ordering::Relaxed),
            rollups: self.rollups.load(Ordering::Relaxed),
            peak_bytes: self.peak_bytes.load(Ordering::Relaxed),
        }
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scratches(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries<'e>(&self, source: &'e Classes, node: &Node) -> Entries<'e> {
        let lifts = self.lifts.between(&source.layout, self.ladders, &source.node, node);
        Entries { words: &source.words, width: source.layout.words, lifts }
    }

    fn number(&self, source: &Classes, node: &Node, members: impl FnMut(usize, &[u32], usize)) -> First {
        let mut scratch = self.scratches().pop().unwrap_or_default();
        let first = self.entries(source, node).number(&mut scratch, members);
        self.scratches().push(scratch);
        first
    }

    fn size_up_from(&self, source: Arc<Classes>, node: &Node) -> SizedUp {
        let mut rows: Vec<u32> = Vec::new();
        let mut class_of = Vec::new();
        let only_sizes = source.sensitive.is_empty() && source.population.is_none();
        let first = self.number(&source, node, |start, block, classes| {
            add_rows(&mut rows, classes, block, &source.rows[start..]);
            if !only_sizes {
                class_of.extend_from_slice(block);
            }
        });
        let population = source.population.as_ref().map(|population| {
            let mut sums = vec![0u32; first.len()];
            for (&class, &count) in class_of.iter().zip(population) {
                sums[class as usize] += count;
            }
            sums
        });
        let classes = Classes {
            node: node.clone(),
            layout: Arc::clone(&source.layout),
            words: Vec::new(),
            rows,
            population,
            sensitive: Vec::new(),
            cardinalities: source.cardinalities.clone(),
        };
        SizedUp { classes, source, class_of, first }
    }

    /// Writes down the codes of the classes.
    fn add_codes(&self, classes: &mut Classes, source: &Classes, first: &[u32]) {
        classes.words = self.entries(source, &classes.node).lifted(first);
    }
}

/// Adds a block of entries to the rows of their classes, of which there are so many by now.
fn add_rows(rows: &mut Vec<u32>, classes: usize, block: &[u32], counts: &[u32]) {
    rows.resize(classes, 0);
    for (&class, &count) in block.iter().zip(counts) {
        rows[class as usize] += count;
    }
}

fn add_sensitive(classes: &mut Classes, source: &Classes, class_of: &[u32]) {
    let columns = source.sensitive.iter().zip(&source.cardinalities);
    classes.sensitive =
        columns.map(|(below, &values)| merge(below, values, class_of, classes.len())).collect();
}
