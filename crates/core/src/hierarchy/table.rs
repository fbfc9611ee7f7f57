//! Labels by enumeration: one line per value.

use super::ShareBasis;
use super::kind::Kind;
use super::ladder::categorical_loss;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;

use super::labels::LevelLabels;
use super::ladder::NewGroup;
use super::{TOP, TableLine, TableLines, TableRow, Unplaced};

/// A hierarchy written out, `value;label on level 1;…;top` per line.
#[derive(Clone)]
pub struct TableHierarchy {
    /// Shared with whoever has read them: a table may have a hundred thousand lines.
    lines: Arc<TableLines>,
    /// Positions in `lines`, by value.
    sorted: Vec<u32>,
    /// Per level from 1: how many lines are under each label.
    leaves: Vec<LevelLabels>,
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
    /// More lines or text than can be numbered.
    #[error("the hierarchy has more than {} lines or bytes of text", u32::MAX)]
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
        TableHierarchy::from_lines(rows.into_iter().collect())
    }

    /// Like `new`, but takes lines over that were read before.
    pub fn from_lines(mut lines: TableLines) -> Result<TableHierarchy, TableError> {
        lines.shrink_to_fit();
        TableHierarchy::sharing(Arc::new(lines))
    }

    /// Like `from_lines`, but shares the lines with their other owner.
    pub fn sharing(lines: Arc<TableLines>) -> Result<TableHierarchy, TableError> {
        if lines.is_too_long() {
            return Err(TableError { problems: vec![TableProblem::TooLong] });
        }
        let Some(first) = lines.get(0) else {
            return Err(TableError { problems: vec![TableProblem::Empty] });
        };
        let height = first.labels().len();
        let value = |position: &u32| lines.line(*position).value();
        let mut sorted: Vec<u32> = (0..lines.len() as u32).collect();
        sorted.sort_by(|a, b| value(a).cmp(&value(b)));
        let mut problems = wrong_heights(&lines);
        problems.extend(sorted.chunk_by(|a, b| value(a) == value(b)).flat_map(|equal| {
            let first = equal[0] as usize + 1;
            equal[1..].iter().map(move |&line| TableProblem::Repeated { line: line as usize + 1, first })
        }));
        problems.extend(not_monotone(&lines));
        if !problems.is_empty() {
            problems.sort_by_key(TableProblem::line);
            return Err(TableError { problems });
        }
        let leaves = (1..=height).map(|level| LevelLabels::of(&lines, level)).collect();
        Ok(TableHierarchy { lines, sorted, leaves })
    }

    /// The lines, in the order given.
    pub fn lines(&self) -> &TableLines {
        &self.lines
    }

    /// Labels that stand on two levels without being their own generalization; a warning, since only
    /// generalizing twice depends on it.
    pub fn ambiguous_labels(&self) -> Vec<AmbiguousLabel> {
        let mut places: HashMap<&str, Vec<(usize, u32)>> = HashMap::new();
        for level in 0..=self.leaves.len() {
            for (position, line) in self.lines.iter().enumerate() {
                let Some(label) = line.at(level) else { continue };
                let places = places.entry(label).or_default();
                if places.last().is_none_or(|(seen, _)| *seen < level) {
                    places.push((level, position as u32));
                }
            }
        }
        let mut found: Vec<_> = (places.iter())
            .flat_map(|(label, places)| {
                let (upper_level, upper) = places[places.len() - 1];
                // One line stands for all with the label on that level: the table is monotone.
                let split = move |&&(level, line): &&(usize, u32)| {
                    (level..=upper_level).any(|between| self.lines.line(line).at(between) != Some(label))
                };
                places[..places.len() - 1].iter().filter(split).map(move |&(level, line)| AmbiguousLabel {
                    line: line as usize + 1,
                    level,
                    upper_line: upper as usize + 1,
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
        self.lines.len()
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
            (Some(line), level) => line.at(level.into()),
            (None, _) if value.is_some() => return Err(Unplaced::NoRow),
            (None, 1..) if level == self.max_level() => Some(self.top()),
            (None, _) => None,
        };
        Ok(label.map(Cow::Borrowed))
    }

    /// Lines under a group; a missing value without a line is one more leaf, which `all` counts.
    pub(super) fn leaves(&self, group: &NewGroup<'_>, all: usize) -> usize {
        let Some(label) = group.label else { return 1 };
        let shown = self.leaves[usize::from(group.level) - 1].get(&self.lines, label);
        let lines = shown.map_or(0, |shown| shown.lines as usize);
        let tops = group.level == self.max_level() && label == self.top();
        lines + usize::from(tops && all > self.len())
    }

    /// What a missing value without a line becomes: the top if there is just one, else `*`.
    fn top(&self) -> &str {
        match self.leaves.last() {
            Some(tops) if tops.len() == 1 => self.lines.line(0).at(self.leaves.len()).unwrap_or(TOP),
            _ => TOP,
        }
    }

    fn find(&self, value: Option<&str>) -> Option<TableLine<'_>> {
        let at = self.sorted.binary_search_by(|line| self.lines.line(*line).value().cmp(&value));
        at.ok().map(|at| self.lines.line(self.sorted[at]))
    }
}

impl Kind for TableHierarchy {
    fn in_words(&self) -> &'static str {
        "groups"
    }

    fn max_level(&self) -> u8 {
        TableHierarchy::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        TableHierarchy::label(self, value, level)
    }

    fn share_basis(&self) -> ShareBasis {
        ShareBasis::Lines
    }

    fn leaves(&self, values: &[Option<&str>]) -> usize {
        self.len() + usize::from(values.contains(&None) && !self.has_row_for_missing())
    }

    fn loss(&self, group: &NewGroup<'_>, all: usize) -> f64 {
        categorical_loss(TableHierarchy::leaves(self, group, all), all)
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

fn wrong_heights(lines: &TableLines) -> Vec<TableProblem> {
    let mut heights: HashMap<usize, usize> = HashMap::new();
    for line in lines.iter() {
        *heights.entry(line.labels().len()).or_default() += 1;
    }
    let usual = heights.into_iter().max_by_key(|&(height, lines)| (lines, height)).map_or(0, |(h, _)| h);
    let problem = |(height, line): (usize, usize)| match height {
        height if height > usize::from(u8::MAX) => Some(TableProblem::TooTall { line }),
        height if height != usual => {
            Some(TableProblem::Ragged { line, columns: height + 1, expected: usual + 1 })
        }
        _ => None,
    };
    lines.iter().map(|line| line.labels().len()).zip(1..).filter_map(problem).collect()
}

/// One problem per line and level that disagrees with the first line of its group.
pub(super) fn not_monotone(lines: &TableLines) -> Vec<TableProblem> {
    let mut problems = Vec::new();
    let height = lines.iter().map(|line| line.labels().len()).max().unwrap_or(0);
    for level in 2..=height {
        let mut below = LevelLabels::new(level - 1);
        for (line, position) in lines.iter().zip(0..) {
            // A line that ends below the level decides nothing.
            let Some(label) = line.at(level) else { continue };
            let Some(group) = below.count(lines, position) else { continue };
            if lines.line(group.first).at(level) != Some(label) {
                let (line, first) = (position as usize + 1, group.first as usize + 1);
                problems.push(TableProblem::NotMonotone { line, first, level });
            }
        }
    }
    problems
}

impl PartialEq for TableHierarchy {
    fn eq(&self, other: &TableHierarchy) -> bool {
        self.lines == other.lines
    }
}

/// Values never reach a log: only the sizes are shown.
impl fmt::Debug for TableHierarchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableHierarchy({} lines, {} levels)", self.lines.len(), self.leaves.len())
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
