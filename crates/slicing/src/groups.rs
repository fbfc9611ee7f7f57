//! Column groups: which columns keep their rows together.

mod algebra;
mod identifying;

use std::collections::BTreeMap;

pub use identifying::{Guard, IdentifyingGroup, IdentifyingSets};

/// May a column stand in several groups?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Every released column stands in exactly one group.
    Forbidden,
    /// A column may stand in several groups; from the second on its copies are called `column@2`, `column@3`. Equal values can then be used
    /// to link groups again: see [`crate::checks::relinking`].
    Copies,
}

/// A complete set of column groups over named columns.
///
/// Groups keep the order they were given in; the columns of a group stand in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnGroups {
    columns: Vec<String>,
    groups: Vec<Vec<usize>>,
    overlap: Overlap,
}

/// One column of the sliced table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedColumn {
    /// Its name: that of the column, or `column@2` for a copy.
    pub name: String,
    /// Position of the column in [`ColumnGroups::columns`].
    pub source: usize,
    /// The group whose rows it follows.
    pub group: usize,
}

/// Why a set of column groups cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// There is nothing to slice.
    #[error("no column is released; name at least one column")]
    NoColumns,
    /// The table names a column twice.
    #[error("column `{column}` is released twice; name every column once")]
    ReleasedTwice {
        /// The column.
        column: String,
    },
    /// A group has no column.
    #[error("group {group} is empty; name its columns or leave it out")]
    EmptyGroup {
        /// Number of the group, from 1.
        group: usize,
    },
    /// A group names a column that is not released.
    #[error(
        "group {group} names the column `{column}`, which is not released; the released columns are {released}"
    )]
    UnknownColumn {
        /// Number of the group, from 1.
        group: usize,
        /// The name that was given.
        column: String,
        /// The released columns, separated by commas.
        released: String,
    },
    /// A projection or a set names a column the groups do not have.
    #[error("the groups have no column `{column}`; they have {released}")]
    NotGrouped {
        /// The name that was given.
        column: String,
        /// The released columns, separated by commas.
        released: String,
    },
    /// A group names a column twice.
    #[error("group {group} names the column `{column}` twice; name it once")]
    TwiceInGroup {
        /// Number of the group, from 1.
        group: usize,
        /// The column.
        column: String,
    },
    /// A column stands in two groups although groups are to be disjoint.
    #[error(
        "column `{column}` stands in group {first} and in group {second}; leave it out of one, or allow overlapping groups (which can re-link them)"
    )]
    InTwoGroups {
        /// The column.
        column: String,
        /// Number of the first group that has it, from 1.
        first: usize,
        /// Number of the second, from 1.
        second: usize,
    },
    /// A released column stands in no group.
    #[error("column `{column}` stands in no group; add it to one, or do not release it")]
    Ungrouped {
        /// The column.
        column: String,
    },
    /// The name of a copy is taken.
    #[error("the copy `{copy}` of column `{column}` would have the name of another column; rename that one")]
    CopyNameTaken {
        /// The column that stands in several groups.
        column: String,
        /// The name its copy would have.
        copy: String,
    },
    /// A group contains all columns of an identifying set.
    #[error("{0}; spread these columns over several groups")]
    Identifying(IdentifyingGroup),
    /// A product of groupings needs the same columns on both sides.
    #[error("column `{column}` is grouped on one side only; both groupings must cover the same columns")]
    DifferentColumns {
        /// The column.
        column: String,
    },
    /// A product of groupings needs disjoint groups.
    #[error("column `{column}` stands in several groups; only disjoint groups can be combined")]
    Overlapping {
        /// The column.
        column: String,
    },
}

impl ColumnGroups {
    /// Groups over the columns to release, in the order of the table. Every column must stand in a group, and in exactly one unless copies
    /// are allowed.
    pub fn new<C: AsRef<str>, G: AsRef<str>>(
        columns: &[C],
        groups: &[Vec<G>],
        overlap: Overlap,
    ) -> Result<ColumnGroups, GroupError> {
        let columns: Vec<String> = columns.iter().map(|name| name.as_ref().to_owned()).collect();
        if columns.is_empty() {
            return Err(GroupError::NoColumns);
        }
        let mut position = BTreeMap::new();
        for (index, name) in columns.iter().enumerate() {
            if position.insert(name.as_str(), index).is_some() {
                return Err(GroupError::ReleasedTwice { column: name.clone() });
            }
        }
        let mut first_group: Vec<Option<usize>> = vec![None; columns.len()];
        let mut positions = Vec::with_capacity(groups.len());
        for (number, group) in groups.iter().enumerate() {
            let mut members = Vec::with_capacity(group.len());
            for name in group {
                let name = name.as_ref();
                let column = *position.get(name).ok_or_else(|| GroupError::UnknownColumn {
                    group: number + 1,
                    column: name.to_owned(),
                    released: columns.join(", "),
                })?;
                if members.contains(&column) {
                    return Err(GroupError::TwiceInGroup { group: number + 1, column: name.to_owned() });
                }
                match (first_group[column], overlap) {
                    (Some(first), Overlap::Forbidden) => {
                        return Err(GroupError::InTwoGroups {
                            column: name.to_owned(),
                            first: first + 1,
                            second: number + 1,
                        });
                    }
                    (Some(_), Overlap::Copies) => {}
                    (None, _) => first_group[column] = Some(number),
                }
                members.push(column);
            }
            if members.is_empty() {
                return Err(GroupError::EmptyGroup { group: number + 1 });
            }
            members.sort_unstable();
            positions.push(members);
        }
        if let Some(column) = first_group.iter().position(Option::is_none) {
            return Err(GroupError::Ungrouped { column: columns[column].clone() });
        }
        let groups = ColumnGroups { columns, groups: positions, overlap };
        groups.refuse_taken_names()?;
        Ok(groups)
    }

    /// Every column a group of its own.
    pub fn each_alone<C: AsRef<str>>(columns: &[C]) -> Result<ColumnGroups, GroupError> {
        let groups: Vec<Vec<&str>> = columns.iter().map(|name| vec![name.as_ref()]).collect();
        ColumnGroups::new(columns, &groups, Overlap::Forbidden)
    }

    fn refuse_taken_names(&self) -> Result<(), GroupError> {
        for released in self.released() {
            let column = &self.columns[released.source];
            if released.name != *column && self.columns.contains(&released.name) {
                return Err(GroupError::CopyNameTaken { column: column.clone(), copy: released.name });
            }
        }
        Ok(())
    }

    /// How many groups.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one group")]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// The released columns, in the order of the table.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The groups as positions in [`columns`](ColumnGroups::columns), ascending inside a group.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// The groups by name.
    pub fn names(&self) -> Vec<Vec<&str>> {
        let name = |&column: &usize| self.columns[column].as_str();
        self.groups.iter().map(|group| group.iter().map(name).collect()).collect()
    }

    /// May columns stand in several groups?
    pub fn overlap(&self) -> Overlap {
        self.overlap
    }

    /// The columns of the sliced table: those of the table in their order, each with the first group that has it, then the copies in the
    /// order of the groups.
    pub fn released(&self) -> Vec<ReleasedColumn> {
        let mut originals: Vec<Option<ReleasedColumn>> = vec![None; self.columns.len()];
        let mut copies = Vec::new();
        let mut seen = vec![0_usize; self.columns.len()];
        for (group, members) in self.groups.iter().enumerate() {
            for &source in members {
                seen[source] += 1;
                let name = &self.columns[source];
                match seen[source] {
                    1 => originals[source] = Some(ReleasedColumn { name: name.clone(), source, group }),
                    times => {
                        copies.push(ReleasedColumn { name: format!("{name}@{times}"), source, group });
                    }
                }
            }
        }
        originals.into_iter().flatten().chain(copies).collect()
    }

    /// The groups as positions in [`released`](ColumnGroups::released), columns in the order of [`groups`](ColumnGroups::groups); disjoint also
    /// when columns have copies.
    pub fn released_groups(&self) -> Vec<Vec<usize>> {
        let released = self.released();
        let mut groups = vec![Vec::new(); self.groups.len()];
        for (position, column) in released.iter().enumerate() {
            groups[column.group].push(position);
        }
        groups.iter_mut().for_each(|group| group.sort_by_key(|&position| released[position].source));
        groups
    }

    /// Do these two columns (positions in [`columns`](ColumnGroups::columns)) stand together in a group? The first such group.
    pub fn together(&self, first: usize, second: usize) -> Option<usize> {
        self.groups.iter().position(|group| group.contains(&first) && group.contains(&second))
    }

    fn position(&self, name: &str) -> Result<usize, GroupError> {
        self.columns.iter().position(|column| column == name).ok_or_else(|| GroupError::NotGrouped {
            column: name.to_owned(),
            released: self.columns.join(", "),
        })
    }
}

#[cfg(test)]
mod tests;
