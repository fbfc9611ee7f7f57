//! Groups a table under nodes, reusing what was grouped before.

use super::Classes;
use super::assign::{Assignment, Lifted, assign};
use super::history::History;
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use crate::table::{FrequencyTable, Histograms};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Finds the equivalence classes of nodes; starts from the smallest known specialization.
#[derive(Debug)]
pub struct Grouper<'a> {
    ladders: &'a [Ladder],
    base: Arc<Classes>,
    /// By quasi-identifier, lower and upper level: group on the lower → group on the upper.
    lifts: Vec<Vec<Vec<OnceLock<Vec<u32>>>>>,
    history: Mutex<History>,
    /// Quasi-identifiers, those with the most values first.
    stem: Vec<usize>,
    uses_stems: bool,
    groupings: AtomicU64,
    rollups: AtomicU64,
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

impl<'a> Grouper<'a> {
    /// A grouper over a table with one ladder per quasi-identifier. `history_bytes` bounds what is kept for roll-up; 0 turns
    /// roll-up off, which changes no result.
    pub fn new(table: &FrequencyTable, ladders: &'a [Ladder], history_bytes: usize) -> Grouper<'a> {
        let base = Arc::new(Classes::of_table(table));
        let lifts = ladders
            .iter()
            .map(|ladder| {
                let levels = usize::from(ladder.max_level()) + 1;
                (0..levels).map(|_| (0..levels).map(|_| OnceLock::new()).collect()).collect()
            })
            .collect();
        let peak_bytes = AtomicUsize::new(base.bytes());
        let history = Mutex::new(History::new(history_bytes));
        let mut stem: Vec<usize> = (0..ladders.len()).collect();
        stem.sort_by_key(|&column| std::cmp::Reverse(ladders[column].cardinality(0)));
        // A stem that the history would refuse is work for nothing.
        let uses_stems = base.bytes() <= history_bytes / 2;
        Grouper {
            ladders,
            base,
            lifts,
            history,
            stem,
            uses_stems,
            groupings: 0.into(),
            rollups: 0.into(),
            peak_bytes,
        }
    }

    /// The classes under a node.
    pub fn group(&self, node: &Node) -> Arc<Classes> {
        self.groupings.fetch_add(1, Ordering::Relaxed);
        let snapshot = self.snapshot_for(node);
        if snapshot.is_some() {
            self.rollups.fetch_add(1, Ordering::Relaxed);
        }
        let classes = Arc::new(self.group_from(snapshot.as_deref().unwrap_or(&self.base), node));
        self.keep(&classes);
        classes
    }

    /// The best snapshot to start from. Where there is none but the table, the node's stem is grouped first: the same levels
    /// with the last generalized column (in the order of `stem`) back at the bottom. Nodes that are looked at in a row share
    /// stems, so most groupings start from far fewer classes than the table has tuples.
    fn snapshot_for(&self, node: &Node) -> Option<Arc<Classes>> {
        if let Some(snapshot) = self.history().best_for(node) {
            return Some(snapshot);
        }
        if !self.uses_stems {
            return None;
        }
        let last = self.stem.iter().rev().copied().find(|&column| node.levels()[column] > 0)?;
        let stem = node.with_level(last, 0);
        if stem.height() == 0 {
            return None;
        }
        let start = self.snapshot_for(&stem);
        let classes = Arc::new(self.group_from(start.as_deref().unwrap_or(&self.base), &stem));
        self.keep(&classes);
        Some(classes)
    }

    fn keep(&self, classes: &Arc<Classes>) {
        let mut history = self.history();
        history.offer(classes);
        self.peak_bytes.fetch_max(self.base.bytes() + history.bytes(), Ordering::Relaxed);
    }

    /// For each tuple of the table, the class it falls into under the node of these classes.
    pub fn class_of_tuples(&self, node: &Node) -> Vec<u32> {
        self.assign(&self.base, node).class_of
    }

    /// The classes under a node straight from the table, so that class numbers match [`class_of_tuples`](Self::class_of_tuples).
    pub fn group_table(&self, node: &Node) -> Classes {
        self.group_from(&self.base, node)
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        GroupingStats {
            groupings: self.groupings.load(Ordering::Relaxed),
            rollups: self.rollups.load(Ordering::Relaxed),
            peak_bytes: self.peak_bytes.load(Ordering::Relaxed),
        }
    }

    fn history(&self) -> std::sync::MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lift(&self, column: usize, from: u8, to: u8) -> &[u32] {
        if from == 0 {
            return &self.ladders[column].rung(to).group_of;
        }
        self.lifts[column][usize::from(from)][usize::from(to)]
            .get_or_init(|| self.ladders[column].step(from, to))
    }

    fn assign(&self, source: &Classes, node: &Node) -> Assignment {
        let columns: Vec<Lifted<'_>> = source
            .columns
            .iter()
            .enumerate()
            .map(|(column, codes)| {
                let (from, to) = (source.node.levels()[column], node.levels()[column]);
                // A column that is empty in the source has one group there, hence one group above.
                let cardinality = if codes.is_empty() { 1 } else { self.ladders[column].cardinality(to) };
                Lifted { codes, lift: self.lift(column, from, to), cardinality }
            })
            .collect();
        assign(source.len(), &columns)
    }

    fn group_from(&self, source: &Classes, node: &Node) -> Classes {
        let assignment = self.assign(source, node);
        let classes = assignment.first_of.len();
        let sum = |counts: &[u32]| {
            let mut sums = vec![0u32; classes];
            for (&class, &count) in assignment.class_of.iter().zip(counts) {
                sums[class as usize] += count;
            }
            sums
        };
        let columns = (source.columns.iter().enumerate())
            .map(|(column, codes)| {
                let (from, to) = (source.node.levels()[column], node.levels()[column]);
                if codes.is_empty() || self.ladders[column].cardinality(to) == 1 {
                    return Vec::new();
                }
                let lift = self.lift(column, from, to);
                assignment.first_of.iter().map(|&entry| lift[codes[entry as usize] as usize]).collect()
            })
            .collect();
        let rows = sum(&source.rows);
        let population = source.population.as_deref().map(sum);
        let sensitive = if source.sensitive.is_empty() {
            Vec::new()
        } else {
            let members = members_by_class(&assignment);
            let merged = source.sensitive.iter().zip(&source.cardinalities);
            merged.map(|(histograms, &values)| merge(histograms, values, &members)).collect()
        };
        Classes {
            node: node.clone(),
            columns,
            rows,
            population,
            sensitive,
            cardinalities: source.cardinalities.clone(),
        }
    }
}

/// The entries of each class: class `c` owns `entries[starts[c]..starts[c + 1]]`.
struct Members {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

fn members_by_class(assignment: &Assignment) -> Members {
    let mut starts = vec![0u32; assignment.first_of.len() + 1];
    for &class in &assignment.class_of {
        starts[class as usize + 1] += 1;
    }
    for class in 1..starts.len() {
        starts[class] += starts[class - 1];
    }
    let mut next = starts.clone();
    let mut entries = vec![0u32; assignment.class_of.len()];
    for (entry, &class) in assignment.class_of.iter().enumerate() {
        let slot = &mut next[class as usize];
        entries[*slot as usize] = entry as u32;
        *slot += 1;
    }
    Members { starts, entries }
}

/// Adds up the histograms of each class's members.
fn merge(histograms: &Histograms, cardinality: usize, members: &Members) -> Histograms {
    let mut merged = Histograms::new();
    let mut sums = vec![0u32; cardinality];
    let mut present: Vec<u32> = Vec::new();
    for range in members.starts.windows(2) {
        let entries = &members.entries[range[0] as usize..range[1] as usize];
        if let [only] = entries {
            let (values, counts) = histograms.entry(*only as usize);
            merged.push(values.iter().copied().zip(counts.iter().copied()));
            continue;
        }
        for &entry in entries {
            let (values, counts) = histograms.entry(entry as usize);
            for (&value, &count) in values.iter().zip(counts) {
                let sum = &mut sums[value as usize];
                if *sum == 0 {
                    present.push(value);
                }
                *sum += count;
            }
        }
        merged.push(present.drain(..).map(|value| (value, std::mem::take(&mut sums[value as usize]))));
    }
    merged
}
