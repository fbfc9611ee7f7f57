//! The lines of a table, without a string per cell.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Range;

use super::texts::{Texts, start};

/// The lines of a written-out hierarchy.
///
/// A table of postal codes has hundreds of thousands of cells, most of them labels that the line above has, too. So
/// cells have no string of their own, and a line with the labels of the line before it shares them. Lines may differ
/// in length: whether they make a hierarchy is for [`TableHierarchy`](super::TableHierarchy) to say.
///
/// ```
/// # use paravent_core::hierarchy::TableLines;
/// let mut lines = TableLines::default();
/// lines.push(Some("34"), ["20-60", "*"]);
/// lines.push(None, ["unknown", "*"]);
/// let line = lines.get(0).unwrap();
/// assert_eq!((line.value(), line.at(1), line.at(3)), (Some("34"), Some("20-60"), None));
/// assert!(lines.iter().map(|line| line.value()).eq([Some("34"), None]));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TableLines {
    /// One per line, empty if it is the missing one.
    values: Texts,
    /// Positions of the missing value's lines, ascending.
    missing: Vec<u32>,
    /// Which list of labels each line has.
    lists: Vec<u32>,
    /// Where each list ends in `labels`.
    list_ends: Vec<u32>,
    labels: Texts,
    too_long: bool,
}

/// One of [`TableLines`].
#[derive(Clone, Copy)]
pub struct TableLine<'a> {
    lines: &'a TableLines,
    position: usize,
}

/// One line by itself, for those who change it.
#[derive(Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The value; `None` is the missing one.
    pub value: Option<String>,
    /// Its labels on level 1 and up.
    pub labels: Vec<String>,
}

impl TableLines {
    /// Empty, with capacity for this number of lines.
    pub fn with_capacity(lines: usize) -> TableLines {
        let (values, lists) = (Texts::with_capacity(lines), Vec::with_capacity(lines));
        TableLines { values, lists, ..TableLines::default() }
    }

    /// Adds a line: the value, `None` being the missing one, and its labels on level 1 and up.
    ///
    /// Beyond what can be numbered, lines are left out; [`TableHierarchy`](super::TableHierarchy) then refuses all
    /// of them as too long.
    pub fn push(&mut self, value: Option<&str>, labels: impl IntoIterator<Item = impl AsRef<str>>) {
        self.push_within(u32::MAX, value, labels);
    }

    /// `most`: the largest number of lines.
    fn push_within(
        &mut self,
        most: u32,
        value: Option<&str>,
        labels: impl IntoIterator<Item = impl AsRef<str>>,
    ) {
        let first = self.labels.len();
        // Cells of a line that was left out belong to no line; none may follow them.
        self.too_long = self.too_long
            || !self.values.push(value.unwrap_or_default(), most)
            || !labels.into_iter().all(|label| self.labels.push(label.as_ref(), most));
        if self.too_long {
            return;
        }
        if value.is_none() {
            self.missing.push(self.len() as u32);
        }
        if self.repeats_last_list(first) {
            self.labels.truncate(first);
        } else {
            self.list_ends.push(self.labels.len() as u32);
        }
        self.lists.push(self.list_ends.len() as u32 - 1);
    }

    /// Whether the labels from a position on are those of the list before.
    fn repeats_last_list(&self, first: usize) -> bool {
        let Some(last) = self.list_ends.len().checked_sub(1) else { return false };
        let (last, new) = (self.list(last), first..self.labels.len());
        last.len() == new.len()
            && last.zip(new).all(|(old, new)| self.labels.get(old) == self.labels.get(new))
    }

    /// Positions of the labels in a list.
    fn list(&self, list: usize) -> Range<usize> {
        start(&self.list_ends, list)..self.list_ends[list] as usize
    }

    /// Gives back the room that no line needs.
    pub fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
        self.missing.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.list_ends.shrink_to_fit();
        self.labels.shrink_to_fit();
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Whether lines had to be left out.
    pub(super) fn is_too_long(&self) -> bool {
        self.too_long
    }

    /// The line at a position, counted from 0.
    pub fn get(&self, position: usize) -> Option<TableLine<'_>> {
        (position < self.len()).then_some(TableLine { lines: self, position })
    }

    /// The line at a position from 0, known to be there.
    pub(super) fn line(&self, position: u32) -> TableLine<'_> {
        TableLine { lines: self, position: position as usize }
    }

    /// All lines, in the order given.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = TableLine<'_>> + ExactSizeIterator {
        (0..self.len()).map(|position| TableLine { lines: self, position })
    }

    /// All lines, each by itself.
    pub fn to_rows(&self) -> Vec<TableRow> {
        self.iter().map(TableLine::to_row).collect()
    }
}

impl<'a> TableLine<'a> {
    /// The value; `None` is the missing one.
    pub fn value(self) -> Option<&'a str> {
        let value = self.lines.values.get(self.position);
        let missing = value.is_empty() && self.lines.missing.binary_search(&(self.position as u32)).is_ok();
        (!missing).then_some(value)
    }

    /// Its labels on level 1 and up.
    pub fn labels(self) -> impl DoubleEndedIterator<Item = &'a str> + ExactSizeIterator {
        self.list().map(move |label| self.lines.labels.get(label))
    }

    /// The label on a level; level 0 is the value. `None` for the missing value and above the top.
    pub fn at(self, level: usize) -> Option<&'a str> {
        match level {
            0 => self.value(),
            _ => self.list().nth(level - 1).map(|label| self.lines.labels.get(label)),
        }
    }

    /// The line by itself.
    pub fn to_row(self) -> TableRow {
        TableRow {
            value: self.value().map(str::to_owned),
            labels: self.labels().map(str::to_owned).collect(),
        }
    }

    fn list(self) -> Range<usize> {
        self.lines.list(self.lines.lists[self.position] as usize)
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

impl<R: Borrow<TableRow>> FromIterator<R> for TableLines {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> TableLines {
        let mut lines = TableLines::default();
        for row in rows {
            let TableRow { value, labels } = row.borrow();
            lines.push(value.as_deref(), labels);
        }
        lines
    }
}

/// Cells never reach a log: only the sizes are shown.
impl fmt::Debug for TableLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableLines({} lines, {} bytes)", self.len(), self.values.bytes() + self.labels.bytes())
    }
}

/// Cells never reach a log: only the size is shown.
impl fmt::Debug for TableLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableLine({} labels)", self.labels().len())
    }
}

/// Cells never reach a log: only the size is shown.
impl fmt::Debug for TableRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableRow({} labels)", self.labels.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::{TableHierarchy, TableProblem};
    use proptest::prelude::*;

    fn rows() -> impl Strategy<Value = Vec<TableRow>> {
        let labels = prop_oneof![
            prop::collection::vec("[x\n*é🙂]{0,3}", 0..5),
            // Those of the line before, perhaps, or the same letters in other cells.
            prop::collection::vec("x{0,2}", 0..3),
        ];
        let row = (prop::option::of("[a;ä🙂]{0,3}"), labels);
        prop::collection::vec(row.prop_map(|(value, labels)| TableRow { value, labels }), 0..8)
    }

    proptest! {
        #[test]
        fn what_is_pushed_comes_back(rows in rows()) {
            let lines: TableLines = rows.iter().collect();
            prop_assert!(lines.to_rows() == rows);
            prop_assert_eq!((lines.len(), lines.is_empty()), (rows.len(), rows.is_empty()));
            prop_assert!(lines.get(rows.len()).is_none());
            for (position, row) in rows.iter().enumerate() {
                let line = lines.get(position).unwrap();
                prop_assert!(line.value() == row.value.as_deref());
                prop_assert!((0..7).all(|level| line.at(level) == row.at(level)));
                prop_assert_eq!(line.labels().len(), row.labels.len());
                prop_assert!(line.labels().rev().eq(row.labels.iter().rev()));
            }
        }

        #[test]
        fn lines_are_equal_when_their_rows_are(left in rows(), right in rows()) {
            let (lines, others): (TableLines, TableLines) = (left.iter().collect(), right.iter().collect());
            prop_assert_eq!(lines == others, left == right);
            prop_assert!(lines == left.into_iter().collect());
        }
    }

    #[test]
    fn labels_of_the_line_before_are_kept_once() {
        let mut lines = TableLines::default();
        lines.push(Some("a"), ["xy", "*"]);
        lines.push(Some("b"), ["xy", "*"]);
        lines.push(None, ["x", "y*"]);
        assert_eq!((lines.labels.len(), lines.labels.bytes(), lines.lists.len()), (4, 6, 3));
        assert_eq!(lines.to_rows()[1].labels, ["xy", "*"]);
        assert_eq!(lines.to_rows()[2].labels, ["x", "y*"]);
    }

    #[test]
    fn more_than_can_be_numbered_is_remembered() {
        let mut lines = TableLines::default();
        lines.push_within(3, Some("a"), ["bc"]);
        lines.push_within(3, Some("d"), ["e"]);
        assert!(!lines.is_too_long());
        lines.push_within(3, Some("d"), ["f"]);
        lines.push_within(3, None, [""; 0]);
        assert!(lines.is_too_long());
        assert_eq!(lines.to_rows().len(), 2);
        let mut lines = TableLines::default();
        lines.push_within(2, None, ["", "", ""]);
        assert!(lines.is_too_long() && lines.is_empty());
        let refused = TableHierarchy::from_lines(lines).unwrap_err();
        assert_eq!(refused.problems, [TableProblem::TooLong]);
    }

    #[test]
    fn no_cell_reaches_a_log() {
        let mut lines = TableLines::default();
        lines.push(Some("secret"), ["secret"]);
        let line = lines.get(0).unwrap();
        let shown = format!("{lines:?} {line:?} {:?}", line.to_row());
        assert_eq!(shown, "TableLines(1 lines, 12 bytes) TableLine(1 labels) TableRow(1 labels)");
    }
}
