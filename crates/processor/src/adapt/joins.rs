//! Joins: along the links that the policy declares, so that a joined row belongs to one person.

use super::Part;
use crate::question::{Question, own_name};
use crate::refusal::Refusal;
use paravent_policy::{Policy, Table, Whose};
use std::collections::{BTreeMap, BTreeSet};

/// Whose rows a table has: a table with a person of its own, and by its columns what the table here calls them.
pub(super) struct Key<'p> {
    root: &'p str,
    columns: BTreeMap<&'p str, &'p str>,
}

/// The columns of the person, by their names in the table that they are declared in.
pub(super) fn key(table: &Table) -> Key<'_> {
    match &table.whose {
        Whose::Nobody => Key { root: &table.name, columns: BTreeMap::new() },
        Whose::Person(columns) => {
            let own = columns.iter().map(|column| (column.as_str(), column.as_str()));
            Key { root: &table.name, columns: own.collect() }
        }
        Whose::Links(links) => {
            let root = links.values().next().map_or(table.name.as_str(), |(root, _)| root);
            let columns = links.iter().map(|(own, (_, column))| (column.as_str(), own.as_str()));
            Key { root, columns: columns.collect() }
        }
    }
}

/// The table that has the people of a table as its own.
pub(super) fn root(table: &Table) -> &str {
    key(table).root
}

/// The columns of the person in a table, in the order in which the tables of a join agree.
pub(crate) fn key_columns(table: &Table) -> Vec<String> {
    key(table).columns.into_values().map(str::to_owned).collect()
}

/// Refuses joins that are not along the links: all tables are about the same people, and every two rows that are joined are of one person.
pub(super) fn along_links(question: &Question, parts: &[Part<'_>], policy: &Policy) -> Result<(), Refusal> {
    let keys: BTreeMap<&str, Key<'_>> =
        parts.iter().map(|part| (part.table.name.as_str(), key(part.table))).collect();
    let advice = advice(parts, policy);
    let roots: BTreeSet<&str> = keys.values().map(|key| key.root).collect();
    if roots.len() > 1 {
        return Err(Refusal::new("the joined tables are about different people", advice));
    }
    let columns: BTreeSet<&str> = keys.values().flat_map(|key| key.columns.keys().copied()).collect();
    // By column of the person: the tables that are joined to each other by it.
    let mut joined: BTreeMap<&str, Vec<BTreeSet<&str>>> = columns
        .iter()
        .map(|column| (*column, keys.keys().map(|table| BTreeSet::from([*table])).collect()))
        .collect();
    for (one, other) in &question.links {
        let end = |name: &str| {
            let (table, _) = name.split_once('.')?;
            let (table, key) = keys.get_key_value(table)?;
            let own = own_name(name, true);
            let column = key.columns.iter().find(|(_, mine)| **mine == own).map(|(column, _)| *column)?;
            Some((*table, column))
        };
        let (Some((left, column)), Some((right, same))) = (end(one), end(other)) else {
            let message = format!(
                "{one} = {other} is no link of the policy, and a joined row would belong to several people"
            );
            return Err(Refusal::new(message, advice));
        };
        if column != same {
            let message = format!("{one} and {other} are different parts of the person");
            return Err(Refusal::new(message, advice));
        }
        let groups = joined.entry(column).or_default();
        let mut together = BTreeSet::new();
        groups.retain(|group| {
            let touches = group.contains(left) || group.contains(right);
            if touches {
                together.extend(group.iter().copied());
            }
            !touches
        });
        groups.push(together);
    }
    match joined.values().all(|groups| groups.len() == 1) {
        true => Ok(()),
        false => Err(Refusal::new("the tables are not joined on the whole person", advice)),
    }
}

/// How the tables can be joined, from the policy.
fn advice(parts: &[Part<'_>], policy: &Policy) -> String {
    let named: BTreeSet<&str> = parts.iter().map(|part| part.table.name.as_str()).collect();
    let links = policy.tables.iter().filter_map(|table| match &table.whose {
        Whose::Links(links) => Some(links.iter().map(|(own, (root, column))| {
            (table.name.as_str(), root.as_str(), format!("{}.{own} = {root}.{column}", table.name))
        })),
        _ => None,
    });
    let own: Vec<String> = links
        .flatten()
        .filter(|(table, root, _)| named.contains(table) || named.contains(root))
        .map(|(_, _, text)| text)
        .collect();
    match own.is_empty() {
        true => "No link of the policy leads to or from these tables".to_owned(),
        false => format!("Join along the links: {}", own.join(", ")),
    }
}

/// Most rows of one person in the joined relation: each row of a table may stand beside each of another.
pub(super) fn contribution(parts: &[Part<'_>]) -> Result<u32, Refusal> {
    let all = parts.iter().try_fold(1_u32, |most, part| most.checked_mul(part.table.contribution));
    all.ok_or_else(|| {
        Refusal::new(
            "one person could have too many joined rows",
            "The owner declares a smaller contribution",
        )
    })
}
