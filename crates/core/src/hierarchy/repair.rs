//! Mending a table that is not a hierarchy yet.

use hashbrown::HashMap;

use super::table::not_monotone;
use super::{TOP, TableError, TableHierarchy, TableProblem, TableRow};

/// A table that was mended, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// The whole table.
    pub table: TableHierarchy,
    /// What was changed; empty when the table was in order.
    pub changes: Vec<Change>,
}

/// One change. Lines count from 1 and are those of the table as it was, except for added lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A short line got more labels, those of a line with the same last label or else its own last one again.
    Padded {
        /// The line.
        line: usize,
        /// Its number of columns before.
        columns: usize,
    },
    /// A line that repeats another one, label for label, was dropped.
    Dropped {
        /// The line.
        line: usize,
        /// The line it repeats.
        first: usize,
    },
    /// A label was replaced by the one that most lines of its group have.
    Relabelled {
        /// The line.
        line: usize,
        /// The level of the label.
        level: usize,
    },
    /// A line for a value that had none.
    Added {
        /// Its line in the mended table.
        line: usize,
        /// The level from which on its label is the top; 1 unless that would contradict other lines.
        top_from: usize,
    },
}

/// Mends a table: pads short lines, drops repeated lines, lets the majority of a group decide where lines that
/// are equal on one level differ on the next, and adds a line `value;*;…;*` for each value without one.
///
/// What has no clear answer stays as it is and is reported: a value with two different lines, and groups where
/// no label has more than half of the lines.
pub fn repair(mut rows: Vec<TableRow>, without_line: &[&str]) -> Result<Repair, TableError> {
    let height = rows.iter().map(|row| row.labels.len()).max().unwrap_or(0).max(1);
    if let Some(position) = rows.iter().position(|row| row.labels.len() > usize::from(u8::MAX)) {
        return Err(TableError { problems: vec![TableProblem::TooTall { line: position + 1 }] });
    }
    let top = top_of(&rows, height);
    let mut changes = pad(&mut rows, height, &top);
    let lines = drop_repeated(&mut rows, &mut changes)?;
    follow_majorities(&mut rows, &lines, height, &mut changes)?;
    add(&mut rows, without_line, height, &top, &mut changes);
    Ok(Repair { table: TableHierarchy::new(rows)?, changes })
}

/// The top of the lines that have full height, if they agree.
fn top_of(rows: &[TableRow], height: usize) -> String {
    let mut tops = rows.iter().filter_map(|row| row.at(height));
    match tops.next() {
        Some(first) if tops.all(|top| top == first) => first.to_string(),
        _ => TOP.to_string(),
    }
}

fn pad(rows: &mut [TableRow], height: usize, top: &str) -> Vec<Change> {
    let mut above: HashMap<(usize, String), Vec<String>> = HashMap::new();
    for row in rows.iter().filter(|row| row.labels.len() == height) {
        for level in 1..height {
            let label = row.labels[level - 1].clone();
            above.entry((level, label)).or_insert_with(|| row.labels[level..].to_vec());
        }
    }
    let mut changes = Vec::new();
    for (row, line) in rows.iter_mut().zip(1..).filter(|(row, _)| row.labels.len() < height) {
        changes.push(Change::Padded { line, columns: row.labels.len() + 1 });
        row.labels.pop_if(|label| label == top);
        let known = row.labels.last().and_then(|label| above.get(&(row.labels.len(), label.clone())));
        match known {
            Some(rest) => row.labels.extend(rest.iter().cloned()),
            None => {
                let last = row.at(row.labels.len()).unwrap_or(top).to_string();
                row.labels.resize(height - 1, last);
                row.labels.push(top.to_string());
            }
        }
    }
    changes
}

/// Gives the line in the table as it was for each row that is left.
fn drop_repeated(rows: &mut Vec<TableRow>, changes: &mut Vec<Change>) -> Result<Vec<usize>, TableError> {
    let mut firsts: HashMap<Option<String>, usize> = HashMap::new();
    let mut problems = Vec::new();
    let mut repeats = vec![false; rows.len()];
    for (position, row) in rows.iter().enumerate() {
        let first = *firsts.entry(row.value.clone()).or_insert(position);
        if first == position {
            continue;
        }
        repeats[position] = true;
        if rows[first] == *row {
            changes.push(Change::Dropped { line: position + 1, first: first + 1 });
        } else {
            problems.push(TableProblem::Repeated { line: position + 1, first: first + 1 });
        }
    }
    if !problems.is_empty() {
        return Err(TableError { problems });
    }
    let mut kept = repeats.iter();
    rows.retain(|_| !kept.next().is_some_and(|repeated| *repeated));
    Ok((0..repeats.len()).filter(|position| !repeats[*position]).map(|position| position + 1).collect())
}

fn follow_majorities(
    rows: &mut [TableRow],
    lines: &[usize],
    height: usize,
    changes: &mut Vec<Change>,
) -> Result<(), TableError> {
    for level in 2..=height {
        let mut groups: HashMap<String, HashMap<String, usize>> = HashMap::new();
        for row in rows.iter() {
            let labels = groups.entry(row.labels[level - 2].clone()).or_default();
            *labels.entry(row.labels[level - 1].clone()).or_default() += 1;
        }
        groups.retain(|_, labels| labels.len() > 1);
        for (row, line) in rows.iter_mut().zip(lines) {
            let Some(labels) = groups.get(&row.labels[level - 2]) else { continue };
            let all: usize = labels.values().sum();
            let Some((label, _)) = labels.iter().find(|(_, count)| **count * 2 > all) else { continue };
            if row.labels[level - 1] != *label {
                row.labels[level - 1].clone_from(label);
                changes.push(Change::Relabelled { line: *line, level });
            }
        }
    }
    let in_file = |position: usize| lines[position - 1];
    let undecided: Vec<_> = (not_monotone(&rows.iter().collect()).into_iter())
        .map(|problem| match problem {
            TableProblem::NotMonotone { line, first, level } => {
                TableProblem::NotMonotone { line: in_file(line), first: in_file(first), level }
            }
            other => other,
        })
        .collect();
    if undecided.is_empty() { Ok(()) } else { Err(TableError { problems: undecided }) }
}

fn add(rows: &mut Vec<TableRow>, values: &[&str], height: usize, top: &str, changes: &mut Vec<Change>) {
    let mut above: HashMap<(usize, String), String> = HashMap::new();
    let mut known: hashbrown::HashSet<String> = rows.iter().filter_map(|row| row.value.clone()).collect();
    for row in rows.iter() {
        remember(&mut above, &row.labels);
    }
    for value in values {
        if !known.insert(value.to_string()) {
            continue;
        }
        // As much top as the other lines allow; where the value is a label itself, the way that label goes.
        let labels = (1..=height)
            .map(|from| {
                (1..=height).map(move |level| if level < from { *value } else { top }).map(str::to_string)
            })
            .map(Iterator::collect::<Vec<_>>)
            .find(|labels| fits(&above, labels))
            .unwrap_or_else(|| follow(&above, value, height, top));
        remember(&mut above, &labels);
        let top_from = labels.iter().rposition(|label| label != top).map_or(1, |position| position + 2);
        rows.push(TableRow { value: Some(value.to_string()), labels });
        changes.push(Change::Added { line: rows.len(), top_from });
    }
}

fn remember(above: &mut HashMap<(usize, String), String>, labels: &[String]) {
    for (level, pair) in labels.windows(2).enumerate() {
        above.insert((level, pair[0].clone()), pair[1].clone());
    }
}

fn fits(above: &HashMap<(usize, String), String>, labels: &[String]) -> bool {
    let agrees = |(level, pair): (usize, &[String])| {
        above.get(&(level, pair[0].clone())).is_none_or(|label| *label == pair[1])
    };
    labels.windows(2).enumerate().all(agrees)
}

fn follow(above: &HashMap<(usize, String), String>, value: &str, height: usize, top: &str) -> Vec<String> {
    let mut labels = vec![if height == 1 { top } else { value }.to_string()];
    for level in 0..height - 1 {
        let next = above.get(&(level, labels[level].clone())).map(String::as_str);
        let otherwise = if level + 2 == height { top } else { labels[level].as_str() };
        labels.push(next.unwrap_or(otherwise).to_string());
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<TableRow> {
        let row = |line: &str| {
            let mut cells = line.split(';').map(str::to_string);
            TableRow { value: cells.next(), labels: cells.collect() }
        };
        text.split_whitespace().map(row).collect()
    }

    fn mended(text: &str, without_line: &[&str]) -> (String, Vec<Change>) {
        let Repair { table, changes } = repair(rows(text), without_line).unwrap();
        let lines = table
            .lines()
            .to_rows()
            .into_iter()
            .map(|row| format!("{};{}", row.value.as_deref().unwrap(), row.labels.join(";")));
        (lines.collect::<Vec<_>>().join(" "), changes)
    }

    #[test]
    fn a_table_in_order_stays_as_it_is() {
        assert_eq!(mended("a;x;* b;x;*", &[]), ("a;x;* b;x;*".into(), vec![]));
    }

    #[test]
    fn values_without_a_line_go_to_the_top() {
        let (text, changes) = mended("a;x;* b;x;*", &["c", "a", "c"]);
        assert_eq!(text, "a;x;* b;x;* c;*;*");
        assert_eq!(changes, [Change::Added { line: 3, top_from: 1 }]);
        assert_eq!(mended("", &["a", "b"]).0, "a;* b;*");
        // `*` on level 1 is taken: it is a part of y.
        assert_eq!(
            mended("a;*;y;* b;x;y;*", &["c"]),
            ("a;*;y;* b;x;y;* c;c;*;*".into(), vec![Change::Added { line: 3, top_from: 2 }])
        );
        // The value is a label that goes another way.
        assert_eq!(mended("a;*;y;* b;x;y;*", &["x"]).0, "a;*;y;* b;x;y;* x;x;y;*");
    }

    #[test]
    fn short_lines_are_padded_below_the_top() {
        let (text, changes) = mended("a;x;y;* b;x;* c;z d", &[]);
        assert_eq!(text, "a;x;y;* b;x;y;* c;z;z;* d;d;d;*");
        assert_eq!(changes[0], Change::Padded { line: 2, columns: 3 });
        assert_eq!(changes.len(), 3);
    }

    #[test]
    fn the_majority_decides() {
        let (text, changes) = mended("a;x;y;* a;x;y;* b;x;y;* c;x;z;+", &[]);
        assert_eq!(text, "a;x;y;* b;x;y;* c;x;y;*");
        let dropped = Change::Dropped { line: 2, first: 1 };
        assert_eq!(
            changes,
            [dropped, Change::Relabelled { line: 4, level: 2 }, Change::Relabelled { line: 4, level: 3 }]
        );
    }

    #[test]
    fn what_has_no_clear_answer_is_refused() {
        let error = repair(rows("a;x;* a;x;* b;x;y"), &[]).unwrap_err();
        assert_eq!(error.problems, [TableProblem::NotMonotone { line: 3, first: 1, level: 2 }]);
        let error = repair(rows("a;x;* a;y;*"), &[]).unwrap_err();
        assert_eq!(error.problems, [TableProblem::Repeated { line: 2, first: 1 }]);
        assert_eq!(repair(vec![], &[]).unwrap_err().problems, [TableProblem::Empty]);
    }
}
