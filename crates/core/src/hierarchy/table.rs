//! Labels by enumeration: one line per value.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;

use super::ladder::NewGroup;
use super::{TOP, Unplaced};

/// A hierarchy written out, `value;label on level 1;…;top` per line.
#[derive(Clone)]
pub struct TableHierarchy {
    /// Shared with whoever has read them: a table may have a hundred thousand lines.
    rows: Arc<[TableRow]>,
    /// Positions in `rows`, by value.
    sorted: Vec<u32>,
    /// Per level from 1: label → lines under it.
    leaves: Vec<HashMap<String, usize>>,
}

/// One line of a [`TableHierarchy`].
#[derive(Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The value; `None` is the missing one.
    pub value: Option<String>,
    /// Its labels on level 1 and up.
    pub labels: Vec<String>,
}

/// All that is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// In order of lines.
    pub problems: Vec<TableProblem>,
}

/// One thing that is wrong with a table. Lines count from 1; level 0 is the first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableProblem {
    /// No line at all.
    #[error("the hierarchy has no lines")]
    Empty,
    /// More lines than can be numbered.
    #[error("the hierarchy has more than {} lines", u32::MAX)]
    TooLong,
    /// More than 255 levels above the value.
    #[error("line {line} has more than 256 columns")]
    TooTall {
        /// The line.
        line: usize,
    },
    /// A line with fewer or more columns than most.
    #[error("line {line} has {columns} columns, but most lines have {expected}")]
    Ragged {
        /// The line.
        line: usize,
        /// Its number of columns.
        columns: usize,
        /// The number of columns most lines have.
        expected: usize,
    },
    /// A value that has a line already.
    #[error("line {line} repeats the value of line {first}")]
    Repeated {
        /// The later line.
        line: usize,
        /// The earlier line.
        first: usize,
    },
    /// Equal on one level, different on the next.
    #[error("lines {first} and {line} are equal on level {} but differ on level {level}", level - 1)]
    NotMonotone {
        /// The later line.
        line: usize,
        /// The earlier line.
        first: usize,
        /// The level on which they differ.
        level: usize,
    },
}

/// A label that stands on two levels and is not its own generalization in between: data that already show it
/// cannot be generalized again without knowing the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the label of line {line}, level {level} is also that of line {upper_line}, level {upper_level}")]
pub struct AmbiguousLabel {
    /// Line, from 1, with the label on the lower level.
    pub line: usize,
    /// The lower level.
    pub level: usize,
    /// Line with the label on the upper level.
    pub upper_line: usize,
    /// The upper level.
    pub upper_level: usize,
}

impl TableHierarchy {
    /// Checks the lines and reports every problem found.
    pub fn new(rows: Vec<TableRow>) -> Result<TableHierarchy, TableError> {
        TableHierarchy::sharing(rows.into())
    }

    /// The same without a copy of the lines.
    pub fn sharing(rows: Arc<[TableRow]>) -> Result<TableHierarchy, TableError> {
        if rows.is_empty() {
            return Err(TableError { problems: vec![TableProblem::Empty] });
        }
        if rows.len() > u32::MAX as usize {
            return Err(TableError { problems: vec![TableProblem::TooLong] });
        }
        let mut sorted: Vec<u32> = (0..rows.len() as u32).collect();
        sorted.sort_by(|a, b| rows[*a as usize].value.cmp(&rows[*b as usize].value));
        let mut problems = wrong_heights(&rows);
        problems.extend(sorted.chunk_by(|a, b| rows[*a as usize].value == rows[*b as usize].value).flat_map(
            |equal| {
                let first = equal[0] as usize + 1;
                equal[1..].iter().map(move |&row| TableProblem::Repeated { line: row as usize + 1, first })
            },
        ));
        problems.extend(not_monotone(&rows));
        if !problems.is_empty() {
            problems.sort_by_key(TableProblem::line);
            return Err(TableError { problems });
        }
        let leaves = (0..rows[0].labels.len()).map(|level| {
            let mut lines = HashMap::new();
            for row in &*rows {
                *lines.entry_ref(row.labels[level].as_str()).or_insert(0) += 1;
            }
            lines
        });
        let leaves = leaves.collect();
        Ok(TableHierarchy { rows, sorted, leaves })
    }

    /// The lines, in the order given.
    pub fn rows(&self) -> &[TableRow] {
        &self.rows
    }

    /// Labels that stand on two levels without being their own generalization; a warning, since only
    /// generalizing twice depends on it.
    pub fn ambiguous_labels(&self) -> Vec<AmbiguousLabel> {
        let mut places: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for level in 0..=self.rows[0].labels.len() {
            for (row, label) in self.rows.iter().enumerate().filter_map(|(i, row)| Some((i, row.at(level)?)))
            {
                let places = places.entry(label).or_default();
                if places.last().is_none_or(|(seen, _)| *seen < level) {
                    places.push((level, row));
                }
            }
        }
        let mut found: Vec<_> = (places.iter())
            .flat_map(|(label, places)| {
                let (upper_level, upper) = places[places.len() - 1];
                // One line stands for all with the label on that level: the table is monotone.
                let split = move |&&(level, row): &&(usize, usize)| {
                    (level..=upper_level).any(|between| self.rows[row].at(between) != Some(label))
                };
                places[..places.len() - 1].iter().filter(split).map(move |&(level, row)| AmbiguousLabel {
                    line: row + 1,
                    level,
                    upper_line: upper + 1,
                    upper_level,
                })
            })
            .collect();
        found.sort_by_key(|ambiguous| (ambiguous.line, ambiguous.level));
        found
    }

    pub(super) fn max_level(&self) -> u8 {
        self.leaves.len() as u8
    }

    /// Number of lines: the leaves of the hierarchy.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn has_row_for_missing(&self) -> bool {
        self.find(None).is_some()
    }

    pub(super) fn label<'a>(
        &'a self,
        value: Option<&'a str>,
        level: u8,
    ) -> Result<Option<Cow<'a, str>>, Unplaced> {
        let label = match (self.find(value), level) {
            (Some(_), 0) => value,
            (Some(row), level) => Some(row.labels[usize::from(level) - 1].as_str()),
            (None, _) if value.is_some() => return Err(Unplaced::NoRow),
            (None, 1..) if level == self.max_level() => Some(self.top()),
            (None, _) => None,
        };
        Ok(label.map(Cow::Borrowed))
    }

    /// Lines under a group; a missing value without a line is one more leaf, which `all` counts.
    pub(super) fn leaves(&self, group: &NewGroup<'_>, all: usize) -> usize {
        let Some(label) = group.label else { return 1 };
        let lines = self.leaves[usize::from(group.level) - 1].get(label).copied().unwrap_or(0);
        let tops = group.level == self.max_level() && label == self.top();
        lines + usize::from(tops && all > self.len())
    }

    /// What a missing value without a line becomes: the top if there is just one, else `*`.
    fn top(&self) -> &str {
        match self.leaves.last() {
            Some(tops) if tops.len() == 1 => tops.keys().next().map_or(TOP, String::as_str),
            _ => TOP,
        }
    }

    fn find(&self, value: Option<&str>) -> Option<&TableRow> {
        let at = self.sorted.binary_search_by(|row| self.rows[*row as usize].value.as_deref().cmp(&value));
        at.ok().map(|at| &self.rows[self.sorted[at] as usize])
    }
}

impl TableRow {
    /// The label on a level; level 0 is the value. `None` for the missing value and above the top.
    pub(super) fn at(&self, level: usize) -> Option<&str> {
        match level {
            0 => self.value.as_deref(),
            _ => self.labels.get(level - 1).map(String::as_str),
        }
    }
}

impl TableProblem {
    fn line(&self) -> usize {
        match self {
            TableProblem::Empty | TableProblem::TooLong => 0,
            TableProblem::TooTall { line }
            | TableProblem::Ragged { line, .. }
            | TableProblem::Repeated { line, .. }
            | TableProblem::NotMonotone { line, .. } => *line,
        }
    }
}

fn wrong_heights(rows: &[TableRow]) -> Vec<TableProblem> {
    let mut heights: HashMap<usize, usize> = HashMap::new();
    for row in rows {
        *heights.entry(row.labels.len()).or_default() += 1;
    }
    let usual = heights.into_iter().max_by_key(|&(height, lines)| (lines, height)).map_or(0, |(h, _)| h);
    let problem = |(row, line): (&TableRow, usize)| match row.labels.len() {
        height if height > usize::from(u8::MAX) => Some(TableProblem::TooTall { line }),
        height if height != usual => {
            Some(TableProblem::Ragged { line, columns: height + 1, expected: usual + 1 })
        }
        _ => None,
    };
    rows.iter().zip(1..).filter_map(problem).collect()
}

/// One problem per line and level that disagrees with the first line of its group.
pub(super) fn not_monotone(rows: &[TableRow]) -> Vec<TableProblem> {
    let mut problems = Vec::new();
    let height = rows.iter().map(|row| row.labels.len()).max().unwrap_or(0);
    for level in 2..=height {
        let mut firsts: HashMap<&str, (usize, &str)> = HashMap::new();
        for (row, line) in rows.iter().zip(1..) {
            let (Some(below), Some(label)) = (row.at(level - 1), row.at(level)) else { continue };
            let (first, expected) = *firsts.entry(below).or_insert((line, label));
            if expected != label {
                problems.push(TableProblem::NotMonotone { line, first, level });
            }
        }
    }
    problems
}

impl PartialEq for TableHierarchy {
    fn eq(&self, other: &TableHierarchy) -> bool {
        self.rows == other.rows
    }
}

/// Values never reach a log: only the sizes are shown.
impl fmt::Debug for TableHierarchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableHierarchy({} lines, {} levels)", self.rows.len(), self.leaves.len())
    }
}

/// Values never reach a log: only the sizes are shown.
impl fmt::Debug for TableRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableRow({} labels)", self.labels.len())
    }
}

impl fmt::Display for TableError {
    /// The first ten problems, then how many more there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().take(10).enumerate() {
            write!(f, "{}{problem}", if position == 0 { "" } else { "; " })?;
        }
        match self.problems.len().saturating_sub(10) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for TableError {}
