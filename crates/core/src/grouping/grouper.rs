//! Groups a table under nodes, reusing what was grouped before.

use super::Classes;
use super::histograms::merge;
use super::history::History;
use super::layout::Layout;
use super::lift::Lifts;
use super::number::{Entries, First, Scratch};
use super::present::Split;
use super::tally::Tallied;
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use crate::table::{FrequencyTable, TupleSource};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Snapshots kept before any was used. Measure a change with 5-anonymity at 0 % (`baseline` workload of `docs/guide/bench.md`).
const FIRST_KEPT: u64 = 16;
/// The same, of classes that are made for it only, where rows may be suppressed: anonymous nodes then have many classes. From the
/// cases with suppression of the `baseline` workload, where more snapshots were hardly used and each cost several tallies.
const FIRST_TALLIED_KEPT: u64 = 5;
/// Tallies before their use is judged, and how many may be taken for each that decides a check. Measure a change with diversity and
/// t-closeness at 5 % (`baseline` workload).
const FIRST_TALLIES: u64 = 12;
const TALLIES_PER_VERDICT: u64 = 3;

/// Finds the equivalence classes of nodes; starts from the smallest known specialization.
#[derive(Debug)]
pub struct Grouper<'a> {
    ladders: &'a [Ladder],
    /// The tuples; `None` where they are not in memory.
    base: Option<Arc<Classes>>,
    /// The tuples with rows apart from the others, where most have none and are known from the population only.
    split: Option<Split>,
    /// Whether classes without rows matter.
    absent_classes_matter: bool,
    pub(crate) layout: Arc<Layout>,
    lifts: Lifts,
    history: Mutex<History>,
    /// One per thread that is grouping.
    scratches: Mutex<Vec<Scratch>>,
    groupings: AtomicU64,
    rollups: AtomicU64,
    /// Snapshots offered to the history.
    kept: AtomicU64,
    /// Snapshots of tallied nodes kept before any was used.
    first_tallied_kept: u64,
    /// Tallies, and how many of them were all it took.
    tallies: AtomicU64,
    decisive_tallies: AtomicU64,
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

/// Whether a tally is taken where classes, which will be wanted anyway, tell as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UseTally {
    Always,
    WhereItSaves,
}

/// Classes of which only the sizes are known so far.
#[derive(Debug)]
pub(crate) struct SizedUp {
    classes: Classes,
    source: Arc<Classes>,
    /// The class of every entry of the source; empty where nothing but sizes will be asked for.
    class_of: Vec<u32>,
    first: First,
    /// Whether classes without rows are among them, so that more general classes can be found from them.
    all: bool,
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
    pub fn new(table: &dyn TupleSource, ladders: &'a [Ladder], history_bytes: usize) -> Grouper<'a> {
        let cardinalities: Vec<usize> = ladders.iter().map(|ladder| ladder.rung(0).group_of.len()).collect();
        let tuples = table.held().map_or(0, FrequencyTable::tuple_count);
        let layout = Arc::new(Layout::new(&cardinalities, tuples));
        let base = table.held().map(|table| Arc::new(packed(table, &layout)));
        let peak_bytes = AtomicUsize::new(base.as_ref().map_or(0, |base| base.bytes()));
        Grouper {
            ladders,
            split: base.as_ref().and_then(|base| Split::of(base)),
            absent_classes_matter: true,
            base,
            layout,
            lifts: Lifts::default(),
            history: Mutex::new(History::new(history_bytes)),
            scratches: Mutex::default(),
            groupings: 0.into(),
            rollups: 0.into(),
            kept: 0.into(),
            first_tallied_kept: FIRST_KEPT,
            tallies: 0.into(),
            decisive_tallies: 0.into(),
            peak_bytes,
        }
    }

    /// Keeps fewer snapshots where rows may be suppressed; changes no result.
    pub(crate) fn for_suppression(mut self, limit: u64) -> Grouper<'a> {
        self.first_tallied_kept = if limit == 0 { FIRST_KEPT } else { FIRST_TALLIED_KEPT };
        self
    }

    /// Leaves classes without rows out where it pays; whoever does not judge them sees no difference.
    pub(crate) fn without_absent_classes(mut self) -> Grouper<'a> {
        self.absent_classes_matter = false;
        self
    }

    /// The classes under a node; none where the tuples are not in memory and no specialization is known.
    pub fn group(&self, node: &Node) -> Option<Arc<Classes>> {
        let source = self.source_for(node)?;
        Some(self.complete(self.size_up(source, node), Codes::Wanted))
    }

    /// What the classes of a node can be found from: the smallest known specialization, or the tuples where they are in memory.
    pub(crate) fn source_for(&self, node: &Node) -> Option<Arc<Classes>> {
        self.history().best_for(node).or_else(|| self.base.clone())
    }

    /// The sizes of the classes under a node.
    pub(crate) fn size_up(&self, source: Arc<Classes>, node: &Node) -> SizedUp {
        self.count_grouping(&source);
        let starts_from_all = self.base.as_ref().is_some_and(|base| Arc::ptr_eq(base, &source));
        let split = self.split.as_ref().filter(|_| starts_from_all && !self.absent_classes_matter);
        split
            .and_then(|split| self.size_up_present(split, node))
            .unwrap_or_else(|| self.size_up_from(source, node))
    }

    /// The sizes of the classes that have rows.
    fn size_up_present(&self, split: &Split, node: &Node) -> Option<SizedUp> {
        let (present, absent) = (self.entries(&split.present, node), self.entries(split.absent(), node));
        let mut scratch = self.scratches().pop().unwrap_or_default();
        let numbered = split.number(&mut scratch, &present, &absent);
        self.scratches().push(scratch);
        let (first, population, class_of) = numbered?;
        let mut rows = Vec::new();
        add_rows(&mut rows, first.len(), &class_of, &split.present.rows);
        let classes = sizes(&split.present, node, rows, Some(population));
        Some(SizedUp { classes, source: Arc::clone(&split.present), class_of, first, all: false })
    }

    fn count_grouping(&self, source: &Arc<Classes>) {
        self.groupings.fetch_add(1, Ordering::Relaxed);
        if self.base.as_ref().is_none_or(|base| !Arc::ptr_eq(base, source)) {
            self.rollups.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a check that class sizes decided; keeps its classes where they may be asked for again.
    pub(crate) fn record_tally(&self, source: Arc<Classes>, node: &Node, tallied: Tallied) {
        self.decisive_tallies.fetch_add(1, Ordering::Relaxed);
        self.count_grouping(&source);
        // Where tuples with rows are apart from the others, tallies start from these, which are few already.
        let serves_tallies = self.split.is_none();
        if serves_tallies && self.wants_more_of_tallied(&source) && tallied.classes <= source.len() / 4 {
            self.cache_sizes(self.size_up_from(source, node));
        }
    }

    /// How many rows are in classes of fewer than `least` rows under a node. `None` where a tally saves nothing: classes that would be kept
    /// for later tell it as well.
    pub(crate) fn tally(
        &self,
        source: &Arc<Classes>,
        node: &Node,
        least: u8,
        use_tally: UseTally,
    ) -> Option<Tallied> {
        let present = self.present().filter(|present| present.len() < source.len());
        let from = present.unwrap_or(source);
        let entries = self.entries(from, node);
        // Both ways are exact here, so they find the same.
        let classes_serve_as_well =
            || self.wants_more_of_tallied(source) || self.tallies_decide_too_little(source);
        if use_tally == UseTally::WhereItSaves
            && present.is_none()
            && entries.array().is_some()
            && classes_serve_as_well()
        {
            return None;
        }
        Some(self.tally_entries(from, &entries, least))
    }

    /// Whether what sizes left open was mostly decided by sensitive values, for which classes are needed anyway.
    fn tallies_decide_too_little(&self, source: &Classes) -> bool {
        let (tallies, decisive_tallies) =
            (self.tallies.load(Ordering::Relaxed), self.decisive_tallies.load(Ordering::Relaxed));
        !source.sensitive.is_empty()
            && tallies > FIRST_TALLIES
            && decisive_tallies * TALLIES_PER_VERDICT < tallies
    }

    /// Where a node has too many combinations to be counted in an array: the same when only some columns are looked at, and the node with all
    /// other columns fully generalized. No node below that one has fewer such rows.
    pub(crate) fn tally_some_columns(
        &self,
        source: &Arc<Classes>,
        node: &Node,
        least: u8,
    ) -> Option<(Tallied, Node)> {
        let source = self.present().filter(|present| present.len() < source.len()).unwrap_or(source);
        let mut entries = self.entries(source, node);
        if entries.array().is_some() {
            return None;
        }
        entries.keep_what_fits_an_array();
        let mut levels: Vec<u8> = self.ladders.iter().map(Ladder::max_level).collect();
        for &column in entries.lifts.iter().flat_map(|(chunk, _)| &chunk.columns) {
            levels[column] = node.levels()[column];
        }
        Some((self.tally_entries(source, &entries, least), Node::new(levels)))
    }

    /// The entries with rows that are in classes of fewer than `least` rows under a node, in order; where there are too many combinations some
    /// may be left out.
    pub(super) fn small_entries(&self, source: &Classes, node: &Node, least: u8) -> Vec<u32> {
        let mut scratch = self.scratches().pop().unwrap_or_default();
        let small = self.entries(source, node).small(&source.rows, least, &mut scratch.counters);
        self.scratches().push(scratch);
        small
    }

    /// The tuples with rows, where others are apart from them.
    fn present(&self) -> Option<&Arc<Classes>> {
        self.split.as_ref().map(|split| &split.present)
    }

    /// The tuples, where they are in memory.
    pub(super) fn base(&self) -> Option<&Classes> {
        self.base.as_deref()
    }

    pub(super) fn ladders(&self) -> &[Ladder] {
        self.ladders
    }

    fn tally_entries(&self, source: &Classes, entries: &Entries<'_>, least: u8) -> Tallied {
        self.tallies.fetch_add(1, Ordering::Relaxed);
        let mut scratch = self.scratches().pop().unwrap_or_default();
        let tallied = entries.tally(&source.rows, least, &mut scratch.counters);
        self.scratches().push(scratch);
        tallied
    }

    /// Adds the sensitive values, and keeps the classes for later.
    pub(crate) fn complete(&self, sized: SizedUp, codes: Codes) -> Arc<Classes> {
        let SizedUp { mut classes, source, class_of, first, all } = sized;
        add_sensitive(&mut classes, &source, &class_of);
        let keeps = all && self.is_worth_keeping(classes.len(), &source);
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
    pub(crate) fn cache_sizes(&self, sized: SizedUp) {
        let SizedUp { mut classes, source, first, all, .. } = sized;
        if all && source.sensitive.is_empty() && self.is_worth_keeping(classes.len(), &source) {
            self.add_codes(&mut classes, &source, &first);
            self.keep(&Arc::new(classes));
        }
    }

    /// A snapshot hardly smaller than its source saves hardly anything; nor does one that is never used.
    fn is_worth_keeping(&self, classes: usize, source: &Classes) -> bool {
        classes <= source.len() / 4 && self.wants_more()
    }

    fn wants_more(&self) -> bool {
        let (kept, rollups) = (self.kept.load(Ordering::Relaxed), self.rollups.load(Ordering::Relaxed));
        kept <= FIRST_KEPT + 2 * rollups
    }

    /// The same where a tally would do: classes that are made only to be kept cost several tallies.
    fn wants_more_of_tallied(&self, source: &Classes) -> bool {
        let (kept, rollups) = (self.kept.load(Ordering::Relaxed), self.rollups.load(Ordering::Relaxed));
        source.sensitive.is_empty() && kept <= self.first_tallied_kept + rollups
    }

    pub(super) fn keep(&self, classes: &Arc<Classes>) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        let mut history = self.history();
        history.offer(classes);
        let base = self.base.as_ref().map_or(0, |base| base.bytes());
        self.peak_bytes.fetch_max(base + history.bytes(), Ordering::Relaxed);
    }

    /// For each tuple of the table, the class it falls into under the node of these classes; empty where the tuples are not in memory.
    pub fn class_of_tuples(&self, node: &Node) -> Vec<u32> {
        self.classes_of_tuples(node).0
    }

    /// The same, and how many classes there are.
    pub fn classes_of_tuples(&self, node: &Node) -> (Vec<u32>, usize) {
        let Some(base) = &self.base else { return (Vec::new(), 0) };
        let mut class_of = Vec::with_capacity(base.len());
        let first = self.number(base, node, |_, block, _| class_of.extend_from_slice(block));
        (class_of, first.len())
    }

    /// The classes under a node straight from the table, so that class numbers match [`class_of_tuples`](Self::class_of_tuples);
    /// none where the tuples are not in memory.
    pub fn group_table(&self, node: &Node) -> Option<Classes> {
        self.base.as_ref().map(|base| self.group_all(Arc::clone(base), node))
    }

    /// The classes of a piece of the tuples under a node.
    pub(super) fn group_piece(&self, piece: &FrequencyTable, node: &Node) -> Classes {
        self.group_all(Arc::new(packed(piece, &self.layout)), node)
    }

    fn group_all(&self, source: Arc<Classes>, node: &Node) -> Classes {
        let sized = self.size_up_from(source, node);
        let SizedUp { mut classes, source, class_of, first, .. } = sized;
        add_sensitive(&mut classes, &source, &class_of);
        self.add_codes(&mut classes, &source, &first);
        classes
    }

    /// Counts a grouping that was made elsewhere, and the memory it took.
    pub(super) fn grouped(&self, bytes: usize) {
        self.groupings.fetch_add(1, Ordering::Relaxed);
        let history = self.history().bytes();
        self.peak_bytes.fetch_max(history + bytes, Ordering::Relaxed);
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

    pub(super) fn entries<'e>(&self, source: &'e Classes, node: &Node) -> Entries<'e> {
        let lifts = self.lifts.between(&source.layout, self.ladders, &source.node, node);
        let tuples = self.base.as_ref().map_or(source.len(), |base| base.len());
        Entries { words: &source.words, width: source.layout.words, tuples, lifts }
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
        let classes = sizes(&source, node, rows, population);
        SizedUp { classes, source, class_of, first, all: true }
    }

    /// Writes down the codes of the classes.
    fn add_codes(&self, classes: &mut Classes, source: &Classes, first: &[u32]) {
        classes.words = self.entries(source, &classes.node).lifted(first);
    }
}

/// The tuples of a table as words.
fn packed(table: &FrequencyTable, layout: &Arc<Layout>) -> Classes {
    Classes {
        node: Node::new(vec![0; table.column_count()]),
        words: layout.pack(table),
        layout: Arc::clone(layout),
        rows: table.rows().to_vec(),
        population: table.population().map(<[u32]>::to_vec),
        sensitive: table.sensitive().iter().map(|column| column.histograms.clone()).collect(),
        cardinalities: table.sensitive().iter().map(|column| column.cardinality).collect(),
    }
}

/// Classes of which nothing but the sizes is known.
fn sizes(source: &Classes, node: &Node, rows: Vec<u32>, population: Option<Vec<u32>>) -> Classes {
    Classes {
        node: node.clone(),
        layout: Arc::clone(&source.layout),
        words: Vec::new(),
        rows,
        population,
        sensitive: Vec::new(),
        cardinalities: source.cardinalities.clone(),
    }
}

/// Adds a block of entries to the rows of their classes. `classes` is the number so far.
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
