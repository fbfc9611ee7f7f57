//! Reads `order = [["single", "divorced"], ["married"]]`: groups made by hand.

use std::collections::HashSet;

use toml::de::DeValue;

use super::hierarchy_spec::{Group, Members};
use super::keys::{Key, Takes, key, needed};
use super::suggest::shortened;
use super::walk::{Item, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] =
    &[key("label", Takes::Text, "What is shown for the group"), needed("of", Takes::Groups, "What is in it")];

/// The groups of the highest level.
pub(super) fn order(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<Group>> {
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
