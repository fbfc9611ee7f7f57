//! `order = [["single", "divorced"], ["married"]]`: groups made by hand.

use std::collections::HashSet;

use toml::de::DeValue;

use super::{HierarchyBuilder, Site};
use crate::keys::{Key, Takes, key, needed};
use crate::problem::Problems;
use crate::render_toml::{cells, list, table};
use crate::suggest::{quoted, shortened};
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{self as core, Hierarchy, group_by_hand};
use paravent_core::values::ValueType;

pub(super) const KEY: Key = key("order", Takes::Groups, "Groups made by hand, nested for more levels");
pub(super) const EXAMPLE: &str = "[[\"single\", \"divorced\"], [\"married\"]]";

/// The keys of a group with a label.
pub(crate) const KEYS: &[Key] =
    &[key("label", Takes::Text, "What is shown for the group"), needed("of", Takes::Groups, "What is in it")];

/// A group of values, or of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What is shown for the group; `None`: made from its values.
    pub label: Option<String>,
    /// What is in it.
    pub members: Members,
}

/// What is in a [`Group`]; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// Values of the column; each occurs in one group only.
    Values(Vec<String>),
    /// Groups of the level below, all equally deep.
    Groups(Vec<Group>),
}

impl Group {
    /// Levels from the values up to this group: 1 for a group of values.
    pub fn depth(&self) -> usize {
        match &self.members {
            Members::Values(_) => 1,
            Members::Groups(groups) => 1 + groups.iter().map(Group::depth).max().unwrap_or(0),
        }
    }
}

/// The groups of the highest level.
pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Vec<Group>> {
    match Seen::default().members(walk, item, 0)? {
        Members::Groups(groups) => Some(groups),
        Members::Values(_) => {
            item.report(walk, "must be a list of groups, not of values");
            None
        }
    }
}

/// What occurred already: each value has one place, each label of a level one group.
#[derive(Default)]
struct Seen {
    values: HashSet<String>,
    labels: HashSet<(usize, String)>,
}

impl Seen {
    /// A list of values, or a list of groups that are equally deep. `nesting` counts from the top.
    fn members(&mut self, walk: &mut Walk, item: &Item<'_>, nesting: usize) -> Option<Members> {
        let entries = item.entries(walk, 1)?;
        let is_group =
            |entry: &Item<'_>| matches!(entry.value.get_ref(), DeValue::Array(_) | DeValue::Table(_));
        let first_is_group = entries.first().is_some_and(is_group);
        if let Some(other) = entries.iter().find(|entry| is_group(entry) != first_is_group) {
            let advice = "Put single values into a group of their own, as in [[\"a\", \"b\"], [\"c\"]]";
            walk.report(other.line, &other.key, "values and groups cannot be in one list", advice);
            return None;
        }
        if !first_is_group {
            return self.values(walk, &entries).map(Members::Values);
        }
        let groups: Vec<Option<Group>> =
            entries.iter().map(|entry| self.group(walk, entry, nesting + 1)).collect();
        let depth = groups.first().and_then(|group| Some(group.as_ref()?.depth()));
        for (entry, group) in entries.iter().zip(&groups) {
            if let (Some(expected), Some(group)) = (depth, group)
                && group.depth() != expected
            {
                let message =
                    format!("has {} levels of groups, but its first neighbour has {expected}", group.depth());
                walk.report(entry.line, &entry.key, message, "Nest all values equally deep, as in [[\"c\"]]");
            }
        }
        groups.into_iter().collect::<Option<Vec<Group>>>().map(Members::Groups)
    }

    fn values(&mut self, walk: &mut Walk, entries: &[Item<'_>]) -> Option<Vec<String>> {
        let values: Vec<Option<String>> = entries
            .iter()
            .map(|entry| {
                let value = entry.cell(walk)?;
                if !self.values.insert(value.clone()) {
                    let message = format!("{} is listed twice", shortened(&value));
                    walk.report(entry.line, &entry.key, message, "Put each value into one group");
                }
                Some(value)
            })
            .collect();
        values.into_iter().collect()
    }

    /// A list, or a table with a label.
    fn group(&mut self, walk: &mut Walk, item: &Item<'_>, nesting: usize) -> Option<Group> {
        if let DeValue::Array(_) = item.value.get_ref() {
            return Some(Group { label: None, members: self.members(walk, item, nesting)? });
        }
        let section = item.section(walk)?;
        section.allow_keys(walk, KEYS);
        let label = match section.get(walk, "label", "\"not married\"") {
            Some(item) => {
                let label = item.name(walk)?.to_owned();
                if !self.labels.insert((nesting, label.clone())) {
                    let message =
                        format!("{} is the label of another group of this level", shortened(&label));
                    walk.report(item.line, &item.key, message, "Give each group its own label");
                }
                Some(label)
            }
            None => None,
        };
        let of = section.require(walk, "of", "[\"single\", \"divorced\"]")?;
        Some(Group { label, members: self.members(walk, &of, nesting)? })
    }
}

/// Groups made by hand, all equally deep; not empty.
impl HierarchyBuilder for Vec<Group> {
    fn text(&self) -> String {
        list(self.iter().map(text_of))
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        let groups: Vec<_> = self.iter().map(as_written).collect();
        group_by_hand(&groups).map(Hierarchy::Table).map_err(|error| {
            let advice = "Put each value into one group, and nest all values equally deep";
            site.problem("order", error.to_string()).advise(advice).into()
        })
    }
}

fn text_of(group: &Group) -> String {
    let members = match &group.members {
        Members::Values(values) => cells(values),
        Members::Groups(groups) => list(groups.iter().map(text_of)),
    };
    match &group.label {
        Some(label) => table([Some(("label", quoted(label))), Some(("of", members))]),
        None => members,
    }
}

fn as_written(group: &Group) -> core::Group {
    let members = match &group.members {
        Members::Values(values) => values.iter().cloned().map(core::Group::Value).collect(),
        Members::Groups(groups) => groups.iter().map(as_written).collect(),
    };
    core::Group::Group { label: group.label.clone(), members }
}
