//! `paravent hierarchy validate`: is the file a hierarchy, and does it cover a column?

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::PathBuf;

use paravent_core::hierarchy::{AmbiguousLabel, TableHierarchy};

use crate::hierarchies::advice::Covered;
use crate::hierarchies::file::{TOLD, counted};
use crate::hierarchies::{ColumnValues, HierarchyLines};
use paravent_job::{Problem, Problems};

/// What a hierarchy file is like.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The file.
    pub path: PathBuf,
    /// Lines that hold a value.
    pub lines: usize,
    /// Number of levels above the value → lines with that number. A hierarchy has one entry.
    pub heights: BTreeMap<usize, usize>,
    /// Different labels on level 0, 1, …
    pub leaves: Vec<usize>,
    /// All that keeps the file from being a hierarchy of the column.
    pub problems: Problems,
    /// What is allowed but may surprise.
    pub warnings: Vec<Warning>,
    /// How it goes with the column, if one was given.
    pub coverage: Option<Coverage>,
}

/// How a hierarchy goes with a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Name of the column.
    pub column: String,
    /// Its distinct values, the missing one not counted.
    pub values: usize,
    /// Values without a line.
    pub without_line: usize,
    /// Whether cells are missing and the missing value has no line; then it stays missing below the top.
    pub missing_stays: bool,
    /// Lines whose value does not occur.
    pub unused_lines: usize,
}

/// What is allowed but may surprise. Lines are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A label that stands on two levels and is not its own generalization.
    #[error(
        "line {line}: the label of level {level} is also that of level {upper_level} on line {upper_line}; \
         data generalized with it cannot be generalized again"
    )]
    Ambiguous {
        /// Line with the label on the lower level.
        line: usize,
        /// The lower level; 0 is the value.
        level: usize,
        /// Line with the label on the upper level.
        upper_line: usize,
        /// The upper level.
        upper_level: usize,
    },
    /// More than one label on the highest level.
    #[error(
        "the highest level has {labels} labels instead of a single top; \
         a promise such as k-anonymity may be out of reach"
    )]
    ManyTops {
        /// How many.
        labels: usize,
    },
}

/// Looks at the lines of a file, and at the column it is meant for.
pub fn validate(lines: &HierarchyLines, column: Option<&ColumnValues>) -> Validation {
    let covered = column.map_or_else(Covered::default, |column| Covered {
        data: Some(&column.path),
        column: Some(&column.column),
    });
    let mut heights = BTreeMap::new();
    for row in lines.rows.iter() {
        *heights.entry(row.labels().len()).or_insert(0) += 1;
    }
    let present: Vec<&str> =
        column.map(ColumnValues::values).unwrap_or_default().into_iter().flatten().collect();
    let (mut problems, warnings) = match lines.checked_for(covered, &present) {
        Ok(table) => (Problems::new(), warnings(&table, lines)),
        Err(problems) => (problems, Vec::new()),
    };
    let coverage = column.map(|column| coverage(lines, column));
    if let Some(Coverage { column, without_line, .. }) = &coverage
        && *without_line > 0
    {
        let values = counted(*without_line, "value");
        let message = format!("has no line for {values} of column `{column}`");
        let advice = match lines.can_be_repaired(&present) {
            true => format!("Add a line for each, or run `{}`", covered.repair(&lines.path)),
            false => "Add a line for each".to_owned(),
        };
        problems.push(Problem::new(&lines.path, message).advise(advice));
        problems.sort();
    }
    let leaves = leaves(lines);
    Validation {
        path: lines.path.clone(),
        lines: lines.rows.len(),
        heights,
        leaves,
        problems,
        warnings,
        coverage,
    }
}

fn leaves(lines: &HierarchyLines) -> Vec<usize> {
    let height = lines.rows.iter().map(|row| row.labels().len()).max();
    let values: HashSet<_> = lines.rows.iter().map(|row| row.value()).collect();
    let labels =
        |level: usize| lines.rows.iter().filter_map(|row| row.at(level)).collect::<HashSet<_>>().len();
    height
        .into_iter()
        .flat_map(|height| std::iter::once(values.len()).chain((1..=height).map(labels)))
        .collect()
}

fn warnings(table: &TableHierarchy, lines: &HierarchyLines) -> Vec<Warning> {
    let tops: HashSet<_> = table.lines().iter().filter_map(|line| line.labels().next_back()).collect();
    let many_tops = (tops.len() > 1).then_some(Warning::ManyTops { labels: tops.len() });
    let at = |position: usize| lines.lines[position - 1];
    let ambiguous = |AmbiguousLabel { line, level, upper_line, upper_level }| Warning::Ambiguous {
        line: at(line),
        level,
        upper_line: at(upper_line),
        upper_level,
    };
    many_tops.into_iter().chain(table.ambiguous_labels().into_iter().map(ambiguous)).collect()
}

fn coverage(lines: &HierarchyLines, column: &ColumnValues) -> Coverage {
    let known: HashSet<_> = lines.rows.iter().map(|row| row.value()).collect();
    let values = column.values();
    let present: HashSet<_> = values.iter().copied().collect();
    Coverage {
        column: column.column.clone(),
        values: values.iter().flatten().count(),
        without_line: values.iter().filter(|value| value.is_some() && !known.contains(*value)).count(),
        missing_stays: present.contains(&None) && !known.contains(&None),
        unused_lines: known.iter().filter(|value| !present.contains(*value)).count(),
    }
}

impl Validation {
    /// The file is a hierarchy, and covers the column if one was given.
    pub fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heights: Vec<_> = self.heights.keys().map(usize::to_string).collect();
        write!(f, "{}: {}", self.path.display(), counted(self.lines, "line"))?;
        match heights.as_slice() {
            [] => writeln!(f)?,
            [height] => writeln!(f, ", highest level {height}")?,
            several => writeln!(f, ", highest levels {}", several.join(", "))?,
        }
        for (level, leaves) in self.leaves.iter().enumerate() {
            let noun = if level == 0 { "value" } else { "label" };
            writeln!(f, "  level {level}: {}", counted(*leaves, noun))?;
        }
        if let Some(coverage) = &self.coverage {
            let Coverage { column, values, without_line, missing_stays, unused_lines } = coverage;
            let values = counted(*values, "value");
            writeln!(
                f,
                "column `{column}`: {values}, {without_line} without a line; {} not used",
                counted(*unused_lines, "line")
            )?;
            if *missing_stays {
                writeln!(f, "  missing values stay missing below the highest level")?;
            }
        }
        for warning in self.warnings.iter().take(TOLD) {
            writeln!(f, "warning: {warning}")?;
        }
        if self.warnings.len() > TOLD {
            writeln!(f, "warning: {} more of this kind", self.warnings.len() - TOLD)?;
        }
        for problem in self.problems.iter().take(TOLD) {
            writeln!(f, "{problem}")?;
        }
        if self.problems.len() > TOLD {
            writeln!(f, "{} more problems", self.problems.len() - TOLD)?;
        }
        f.write_str(if self.is_valid() { "valid" } else { "not valid" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchies::FileOptions;

    fn lines(text: &str) -> HierarchyLines {
        HierarchyLines::parse(text.as_bytes(), "age.csv".as_ref(), &FileOptions::default()).unwrap()
    }

    fn column(values: &[Option<&str>]) -> ColumnValues {
        ColumnValues::new("p.csv", "age", 9, values.iter().map(|value| value.map(str::to_owned)).collect())
    }

    #[test]
    fn a_good_file_is_described() {
        let found = validate(&lines("34;20-60;*\n45;20-60;*\n66;61-99;*\n"), None);
        let expected = "age.csv: 3 lines, highest level 2\n  level 0: 3 values\n  level 1: 2 labels\n  \
                        level 2: 1 label\nvalid";
        assert_eq!(found.to_string(), expected);
        assert_eq!(found.heights, [(2, 3)].into());
    }

    #[test]
    fn a_column_has_to_be_covered() {
        let text = "34;20-60;*\n45;20-60;*\n";
        let found = validate(&lines(text), Some(&column(&[Some("34"), Some("35"), Some("36"), None])));
        let expected = Coverage {
            column: "age".into(),
            values: 3,
            without_line: 2,
            missing_stays: true,
            unused_lines: 1,
        };
        assert_eq!(found.coverage, Some(expected));
        assert_eq!(
            found.problems.to_string(),
            "age.csv: has no line for 2 values of column `age`. Add a line for each, or run \
             `paravent hierarchy repair age.csv --data p.csv --column age`"
        );
        assert!(!found.is_valid());
        assert!(validate(&lines(text), Some(&column(&[Some("34"), None]))).is_valid());
    }

    #[test]
    fn labels_on_two_levels_and_several_tops_are_warned_of() {
        let found = validate(&lines("\na;x;y;*\nb;y;z;*\n"), None);
        let ambiguous = Warning::Ambiguous { line: 3, level: 1, upper_line: 2, upper_level: 2 };
        assert_eq!(found.warnings, [ambiguous]);
        assert!(found.is_valid());
        assert_eq!(validate(&lines("a;x\nb;y\n"), None).warnings, [Warning::ManyTops { labels: 2 }]);
        assert_eq!(validate(&lines("a;a;*\nb;*;*\n"), None).warnings, []);
    }

    #[test]
    fn a_bad_file_is_described_as_far_as_possible() {
        let found = validate(&lines("a;x;*\nb;x\n\nc;y;*\n"), None);
        assert_eq!(found.heights, [(1, 1), (2, 2)].into());
        assert_eq!(found.leaves, [3, 2, 1]);
        assert_eq!(found.problems.0[0].line, Some(2));
        assert!(found.to_string().ends_with("\nnot valid"));
        assert_eq!(validate(&lines(""), None).leaves, Vec::<usize>::new());
    }
}
