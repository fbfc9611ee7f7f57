//! The different labels on one level of a table.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::TableLines;

/// The different labels on one level. Each is kept as a line that shows it: the text is in the lines already.
#[derive(Clone)]
pub(super) struct LevelLabels {
    level: usize,
    hasher: DefaultHashBuilder,
    labels: HashTable<Shown>,
}

/// Who shows a label.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// Position of the first line that does.
    pub first: u32,
    /// Number of lines that do.
    pub lines: u32,
}

impl LevelLabels {
    /// None yet, of a level from 1 up.
    pub(super) fn new(level: usize) -> LevelLabels {
        LevelLabels { level, hasher: DefaultHashBuilder::default(), labels: HashTable::new() }
    }

    /// Those of all lines.
    pub(super) fn of(lines: &TableLines, level: usize) -> LevelLabels {
        let mut labels = LevelLabels::new(level);
        for position in 0..lines.len() as u32 {
            labels.count(lines, position);
        }
        labels
    }

    /// Counts the label of one more line; `None` if the line does not reach up to the level.
    pub(super) fn count(&mut self, lines: &TableLines, position: u32) -> Option<Shown> {
        let LevelLabels { level, hasher, labels } = self;
        let label = lines.line(position).at(*level)?;
        let label_of = |shown: &Shown| lines.line(shown.first).at(*level).unwrap_or_default();
        let entry = labels.entry(
            hasher.hash_one(label),
            |shown| label_of(shown) == label,
            |shown| hasher.hash_one(label_of(shown)),
        );
        let mut entry = entry.or_insert(Shown { first: position, lines: 0 });
        let shown = entry.get_mut();
        shown.lines += 1;
        Some(*shown)
    }

    /// Who shows a label, among the lines that were counted.
    pub(super) fn get(&self, lines: &TableLines, label: &str) -> Option<Shown> {
        let is_it = |shown: &Shown| lines.line(shown.first).at(self.level) == Some(label);
        self.labels.find(self.hasher.hash_one(label), is_it).copied()
    }

    /// Number of different labels.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }
}
