//! No group may contain a quasi-identifier: its rows would be released as they are, and found by whoever knows them.

use std::collections::BTreeSet;
use std::fmt;

use super::{ColumnGroups, GroupError};

/// Sets of columns that identify people when known together.
///
/// A set counts as contained in a group when all its columns stand there. A set of one column cannot be spread over groups; it counts as contained
/// when its group has any other column, and is let through alone, where it tells nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdentifyingSets {
    sets: BTreeSet<BTreeSet<String>>,
}

/// What to do with a group that contains an identifying set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Refuse the groups.
    Refuse,
    /// Let them through and say so.
    Override,
}

/// A group that contains an identifying set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentifyingGroup {
    /// Number of the group, from 1.
    pub group: usize,
    /// The columns of the set.
    pub columns: Vec<String>,
}

impl fmt::Display for IdentifyingGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<String> = self.columns.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "group {} contains the quasi-identifier {}", self.group, columns.join(", "))
    }
}

impl IdentifyingSets {
    /// Nothing is declared.
    pub fn none() -> IdentifyingSets {
        IdentifyingSets::default()
    }

    /// Declared sets. Empty ones say nothing and are left out.
    pub fn declared<C: AsRef<str>>(sets: &[Vec<C>]) -> IdentifyingSets {
        IdentifyingSets::none().with(sets)
    }

    /// Only roles are declared: all columns with the role of a quasi-identifier together are the identifying set.
    pub fn from_roles<C: AsRef<str>>(quasi_identifiers: &[C]) -> IdentifyingSets {
        let set: Vec<&str> = quasi_identifiers.iter().map(AsRef::as_ref).collect();
        IdentifyingSets::declared(&[set])
    }

    /// These and more, such as sets that were found in the data.
    pub fn with<C: AsRef<str>>(mut self, sets: &[Vec<C>]) -> IdentifyingSets {
        let owned = sets.iter().map(|set| set.iter().map(|name| name.as_ref().to_owned()).collect());
        self.sets.extend(owned.filter(|set: &BTreeSet<String>| !set.is_empty()));
        self
    }

    /// The sets, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &BTreeSet<String>> {
        self.sets.iter()
    }
}

impl ColumnGroups {
    /// The groups that contain an identifying set, in the order of the groups.
    pub fn identifying_groups(&self, sets: &IdentifyingSets) -> Vec<IdentifyingGroup> {
        let mut found = Vec::new();
        for (number, group) in self.names().iter().enumerate() {
            for set in sets.iter() {
                let alone = set.len() == 1 && group.len() == 1;
                if !alone && set.iter().all(|column| group.contains(&column.as_str())) {
                    found
                        .push(IdentifyingGroup { group: number + 1, columns: set.iter().cloned().collect() });
                }
            }
        }
        found
    }

    /// Refuses groups that contain an identifying set; with [`Guard::Override`] returns them for the report.
    pub fn guard(&self, sets: &IdentifyingSets, guard: Guard) -> Result<Vec<IdentifyingGroup>, GroupError> {
        let found = self.identifying_groups(sets);
        match (found.first(), guard) {
            (Some(first), Guard::Refuse) => Err(GroupError::Identifying(first.clone())),
            _ => Ok(found),
        }
    }
}
