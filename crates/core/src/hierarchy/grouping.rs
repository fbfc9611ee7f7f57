//! Grouping by hand: values put into nested groups.

use super::{TOP, TableError, TableHierarchy, TableRow};

/// A value or a group of them, as someone wrote it down.
#[derive(Clone, PartialEq, Eq)]
pub enum Group {
    /// A value of the column.
    Value(String),
    /// Values that belong together, or groups of them.
    Group {
        /// How the group is called; `{single, divorced}` by default.
        label: Option<String>,
        /// What is in it.
        members: Vec<Group>,
    },
}

/// Why groups make no hierarchy. Values count from 1, in the order written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupingError {
    /// A value in more or fewer groups than the first one.
    #[error("value {value} is {depth} groups deep, but value 1 is {expected} groups deep")]
    UnequalDepth {
        /// The value.
        value: usize,
        /// Number of groups around it.
        depth: usize,
        /// Number of groups around value 1.
        expected: usize,
    },
    /// A group without members.
    #[error("the group after value {value} is empty")]
    EmptyGroup {
        /// The value before it; 0 if there is none.
        value: usize,
    },
    /// More levels than a hierarchy can have.
    #[error("groups may be nested at most 254 times")]
    TooDeep,
    /// A value twice, or groups of the same name that are grouped differently. Lines are values.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Puts values into the groups given, and all of them under `*`.
///
/// ```
/// # use paravent_core::hierarchy::{Group, group_by_hand};
/// let group = |values: &[&str]| Group::Group {
///     label: None,
///     members: values.iter().map(|value| Group::Value(value.to_string())).collect(),
/// };
/// let table = group_by_hand(&[group(&["single", "divorced"]), group(&["married"])]).unwrap();
/// assert!(table.lines().get(1).unwrap().labels().eq(["{single, divorced}", "*"]));
/// ```
pub fn group_by_hand(groups: &[Group]) -> Result<TableHierarchy, GroupingError> {
    let mut rows = Vec::new();
    collect(groups, 0, &mut rows)?;
    let expected = rows.first().map_or(0, |row| row.labels.len());
    if let Some(position) = rows.iter().position(|row| row.labels.len() != expected) {
        let depth = rows[position].labels.len();
        return Err(GroupingError::UnequalDepth { value: position + 1, depth, expected });
    }
    for row in &mut rows {
        row.labels.push(TOP.to_string());
    }
    Ok(TableHierarchy::new(rows)?)
}

/// Appends a row per value, with the labels of the groups around it from the inside out.
fn collect(groups: &[Group], depth: usize, rows: &mut Vec<TableRow>) -> Result<(), GroupingError> {
    if depth >= usize::from(u8::MAX) {
        return Err(GroupingError::TooDeep);
    }
    for group in groups {
        match group {
            Group::Value(value) => rows.push(TableRow { value: Some(value.clone()), labels: Vec::new() }),
            Group::Group { label, members } => {
                let first = rows.len();
                collect(members, depth + 1, rows)?;
                if rows.len() == first {
                    return Err(GroupingError::EmptyGroup { value: first });
                }
                let label = label.clone().unwrap_or_else(|| {
                    let values: Vec<_> =
                        rows[first..].iter().filter_map(|row| row.value.as_deref()).collect();
                    format!("{{{}}}", values.join(", "))
                });
                rows[first..].iter_mut().for_each(|row| row.labels.push(label.clone()));
            }
        }
    }
    Ok(())
}

/// Values never reach a log: only the shape is shown.
impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Group::Value(_) => write!(f, "Value"),
            Group::Group { members, .. } => f.debug_list().entries(members).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::TableProblem;

    fn value(text: &str) -> Group {
        Group::Value(text.to_string())
    }

    fn group(members: Vec<Group>) -> Group {
        Group::Group { label: None, members }
    }

    #[test]
    fn more_levels_by_nesting() {
        let named = Group::Group { label: Some("A".into()), members: vec![value("AA"), value("A0")] };
        let table = group_by_hand(&[
            group(vec![named, group(vec![value("AB")])]),
            group(vec![group(vec![value("00")])]),
        ]);
        let labels: Vec<_> = table.unwrap().lines().to_rows().into_iter().map(|row| row.labels).collect();
        assert_eq!(labels[1], ["A", "{AA, A0, AB}", "*"]);
        assert_eq!(labels[2], ["{AB}", "{AA, A0, AB}", "*"]);
        assert_eq!(labels[3], ["{00}", "{00}", "*"]);
        assert_eq!(group_by_hand(&[value("a")]).unwrap().lines().to_rows()[0].labels, ["*"]);
    }

    #[test]
    fn uneven_or_empty_groups_are_refused() {
        let uneven = group_by_hand(&[group(vec![value("a")]), value("b")]).unwrap_err();
        assert_eq!(uneven, GroupingError::UnequalDepth { value: 2, depth: 0, expected: 1 });
        assert_eq!(group_by_hand(&[value("a"), group(vec![])]), Err(GroupingError::EmptyGroup { value: 1 }));
        let deep = (0..300).fold(value("a"), |inner, _| group(vec![inner]));
        assert_eq!(group_by_hand(&[deep]), Err(GroupingError::TooDeep));
        let none = TableError { problems: vec![TableProblem::Empty] };
        assert_eq!(group_by_hand(&[]), Err(GroupingError::Table(none)));
        let twice = TableError { problems: vec![TableProblem::Repeated { line: 2, first: 1 }] };
        assert_eq!(group_by_hand(&[value("a"), value("a")]), Err(GroupingError::Table(twice)));
    }
}
