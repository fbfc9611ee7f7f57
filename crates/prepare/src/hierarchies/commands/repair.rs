//! `paravent hierarchy repair`: pad, drop, relabel and add lines where the answer is clear.

use std::fmt;
use std::path::PathBuf;

use paravent_core::hierarchy::{self, Change, Repair, TableError, TableRow};

use crate::hierarchies::file::{TOLD, abridged};
use crate::hierarchies::{ColumnValues, HierarchyLines, HierarchyText};
use paravent_job::Problems;

/// A hierarchy file that was mended, and how.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The file as it was.
    pub path: PathBuf,
    /// All lines of the new file.
    pub rows: Vec<TableRow>,
    /// In the order of what was done; empty if the file was in order.
    pub changes: Vec<Changed>,
    delimiter: u8,
    null: String,
}

/// One change. Lines are physical lines of the old file, except for added ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Changed {
    /// Empty cells at the end of a line were removed.
    #[error("line {line}: empty cells at the end removed")]
    Trimmed {
        /// The line.
        line: usize,
    },
    /// A short line got more labels.
    #[error("line {line}: had {columns} columns, labels added")]
    Padded {
        /// The line.
        line: usize,
        /// Its number of columns before.
        columns: usize,
    },
    /// A line that repeats another one was dropped.
    #[error("line {line}: dropped, it repeats line {first}")]
    Dropped {
        /// The line.
        line: usize,
        /// The line it repeats.
        first: usize,
    },
    /// A label was replaced by the one that most lines of its group have.
    #[error("line {line}: label of level {level} replaced by that of most lines in its group")]
    Relabelled {
        /// The line.
        line: usize,
        /// The level.
        level: usize,
    },
    /// A line for a value of the data that had none.
    #[error("new line {line}: added for a value without a line, the top from level {top_from} on")]
    Added {
        /// Line in the new file.
        line: usize,
        /// The level from which on its label is the top.
        top_from: usize,
    },
    /// Something that has no words yet.
    #[error("another change")]
    Other,
}

/// Mends the lines of a file and adds one for each value of the column that has none.
///
/// # Errors What has no clear answer: a value with two different lines, a group in which no label has the
/// majority, an empty label between others, a quote that is never closed, no line at all.
pub fn repair(lines: &HierarchyLines, column: Option<&ColumnValues>) -> Result<Repaired, Problems> {
    let (lines, cut) = lines.trimmed();
    let mut changes: Vec<Changed> = cut.into_iter().map(|line| Changed::Trimmed { line }).collect();
    let beyond_repair = lines.beyond_repair();
    if !beyond_repair.is_empty() {
        return Err(abridged(beyond_repair, &lines.path));
    }
    let values = column.map(ColumnValues::values).unwrap_or_default();
    let values: Vec<&str> = values.into_iter().flatten().collect();
    let Repair { table, changes: mended } = hierarchy::repair(lines.rows.to_rows(), &values)
        .map_err(|TableError { problems }| abridged(lines.left_over(&problems), &lines.path))?;
    let rows = table.lines().to_rows();
    let new_lines = physical_lines(&rows);
    let old = |position: usize| lines.lines[position - 1];
    changes.extend(mended.into_iter().map(|change| match change {
        Change::Padded { line, columns } => Changed::Padded { line: old(line), columns },
        Change::Dropped { line, first } => Changed::Dropped { line: old(line), first: old(first) },
        Change::Relabelled { line, level } => Changed::Relabelled { line: old(line), level },
        Change::Added { line, top_from } => Changed::Added { line: new_lines[line - 1], top_from },
        _ => Changed::Other,
    }));
    let HierarchyLines { path, delimiter, null, .. } = lines;
    Ok(Repaired { path, rows, changes, delimiter, null })
}

/// The line on which each row starts once written; cells may hold line ends.
fn physical_lines(rows: &[TableRow]) -> Vec<usize> {
    let ends = |text: &str| text.matches('\n').count();
    let height = |row: &TableRow| {
        1 + row.value.as_deref().map_or(0, ends) + row.labels.iter().map(|label| ends(label)).sum::<usize>()
    };
    let start = |line: &mut usize, row| Some(std::mem::replace(line, *line + height(row)));
    rows.iter().scan(1, start).collect()
}

impl Repaired {
    /// The new file, with the delimiter of the old one.
    pub fn text(&self) -> HierarchyText {
        HierarchyText::new(&self.rows, self.delimiter, &self.null)
    }
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for changed in self.changes.iter().take(TOLD) {
            writeln!(f, "{changed}")?;
        }
        if self.changes.len() > TOLD {
            writeln!(f, "{} more changes", self.changes.len() - TOLD)?;
        }
        match self.changes.len() {
            0 => write!(f, "{}: nothing to repair", self.path.display()),
            1 => write!(f, "{}: 1 change", self.path.display()),
            changes => write!(f, "{}: {changes} changes", self.path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchies::FileOptions;

    fn lines(text: &str) -> HierarchyLines {
        HierarchyLines::parse(text.as_bytes(), "age.csv".as_ref(), &FileOptions::default()).unwrap()
    }

    fn mended(text: &str, values: &[&str]) -> (String, String) {
        let values = values.iter().map(|value| Some(value.to_string())).collect();
        let column = ColumnValues::new("p.csv", "age", 1, values);
        let repaired = repair(&lines(text), Some(&column)).unwrap();
        (repaired.text().0, repaired.to_string())
    }

    #[test]
    fn a_file_in_order_stays_as_it_is() {
        assert_eq!(
            mended("a,x,*\nb,x,*\n", &["a"]),
            ("a,x,*\nb,x,*\n".into(), "age.csv: nothing to repair".into())
        );
    }

    #[test]
    fn all_that_is_clear_is_mended_and_told_with_its_line() {
        let (text, told) = mended("a;x;*\n\na;x;*\nb;x\nc;x;+\nd;y;*;\n", &["a", "e\nf", "e\ng"]);
        assert_eq!(text, "a;x;*\nb;x;*\nc;x;*\nd;y;*\n\"e\nf\";*;*\n\"e\ng\";*;*\n");
        let expected = "\
            line 6: empty cells at the end removed\n\
            line 4: had 2 columns, labels added\n\
            line 3: dropped, it repeats line 1\n\
            line 5: label of level 2 replaced by that of most lines in its group\n\
            new line 5: added for a value without a line, the top from level 1 on\n\
            new line 7: added for a value without a line, the top from level 1 on\n\
            age.csv: 6 changes";
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_not_clear_is_told_with_its_line() {
        let told = |text: &str| repair(&lines(text), None).unwrap_err().to_string();
        assert_eq!(
            told("\na;x;*\na;y;*\n"),
            "age.csv:3: repeats the value of line 2. Delete one of the two lines"
        );
        assert!(
            told("a;x;*\n\nb;x;y\n").starts_with("age.csv:3: equals line 1 on level 1, but not on level 2. ")
        );
        assert!(told("a;;x;*\nb;\"x;*\n").starts_with("age.csv:1: has an empty label on level 1. "));
        assert!(told("a;;x;*\nb;\"x;*\n").contains("\nage.csv:2: opens a quote that is never closed. "));
        assert!(told("").starts_with("age.csv: has no lines. "));
    }

    #[test]
    fn the_missing_values_line_is_kept() {
        let repaired = repair(&lines("a;x;*\n;unknown\n"), None).unwrap();
        assert_eq!(repaired.text().0, "a;x;*\n;unknown;*\n");
        assert_eq!(repaired.changes, [Changed::Padded { line: 2, columns: 2 }]);
    }
}
