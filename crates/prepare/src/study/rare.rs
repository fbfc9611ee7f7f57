//! Labels that are made of values name frequent values only.
//!
//! A rare value, whose row may well be suppressed, must not live on as the end of somebody else's label.

use paravent_core::hierarchy::{Chain, Hierarchy, TableError, TableHierarchy, TableLines};
use paravent_job::{Attribute, HierarchySpec};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// What a column holds: its values, how many rows each has, and from how many on a value may be named.
#[derive(Clone, Copy)]
pub(super) struct Occurring<'a> {
    pub(super) cells: &'a [Option<&'a str>],
    pub(super) rows: &'a [u64],
    pub(super) least: u64,
}

impl<'a> Occurring<'a> {
    fn counts(&self) -> HashMap<&'a str, u64> {
        let cells = self.cells.iter().zip(self.rows);
        cells.filter_map(|(cell, &rows)| cell.map(|cell| (cell, rows))).collect()
    }
}

/// The hierarchy of an attribute. Labels that are made of the values that occur name values of enough rows: the first and the last such
/// value of a group.
pub(super) fn without_rare_values(
    hierarchy: Hierarchy,
    attribute: &Attribute,
    occurring: Occurring<'_>,
) -> Result<Hierarchy, TableError> {
    let Some(spec) = &attribute.hierarchy else { return Ok(hierarchy) };
    let order_is_told = attribute.order.is_some();
    if !spec.is_made_from_data(order_is_told) {
        return Ok(hierarchy);
    }
    match (&hierarchy, spec) {
        (Hierarchy::Table(table), _) => of_table(table, &hierarchy, occurring),
        (Hierarchy::Chain(chain), HierarchySpec::Chain(specs)) => {
            let made =
                |(part, spec): (usize, &HierarchySpec)| spec.is_made_from_data(part == 0 && order_is_told);
            let made: Vec<bool> = specs.iter().enumerate().map(made).collect();
            Ok(of_chain(chain, &made, &hierarchy, occurring)?.unwrap_or(hierarchy))
        }
        _ => Ok(hierarchy),
    }
}

fn of_table(
    table: &TableHierarchy,
    hierarchy: &Hierarchy,
    occurring: Occurring<'_>,
) -> Result<Hierarchy, TableError> {
    let (lines, rows_of) = (table.lines(), occurring.counts());
    let rows = |value: &str| rows_of.get(value).copied().unwrap_or(0);
    // The last level is the top, which names nothing.
    let names: Vec<HashMap<&str, String>> = (1..usize::from(hierarchy.max_level()))
        .map(|level| {
            let members = lines.iter().filter_map(|line| {
                let value = line.value();
                Some((line.at(level)?, value.unwrap_or_default(), value.map_or(0, rows)))
            });
            names(members, occurring.least)
        })
        .collect();
    let mut settled = TableLines::default();
    for line in lines.iter() {
        let labels = line.labels().enumerate().map(|(at, label)| match names.get(at) {
            Some(names) => names[label].as_str(),
            None => label,
        });
        settled.push(line.value(), labels);
    }
    TableHierarchy::from_lines(settled).map(Hierarchy::Table)
}

/// Levels of a chain whose labels are made of values: those of a part that is made from data, and of the parts behind it, up to one that
/// somebody has written down. The values that they may name are the labels right below them.
struct Run<'a> {
    levels: RangeInclusive<usize>,
    first: &'a Hierarchy,
}

fn runs<'a>(chain: &'a Chain, made: &[bool]) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let (mut below, mut goes_on) = (0, false);
    for ((part, steps), &made) in chain.parts().iter().zip(chain.steps()).zip(made) {
        let end = below + usize::from(steps);
        let is_written = !made && matches!(part, Hierarchy::Table(_));
        match runs.last_mut().filter(|_| goes_on && !is_written) {
            Some(run) => run.levels = *run.levels.start()..=end,
            None if made => runs.push(Run { levels: below + 1..=end, first: part }),
            None => {}
        }
        goes_on = !is_written && (goes_on || made);
        below = end;
    }
    runs
}

/// The chain as a table of the values that occur; `None` where one of them has no place.
fn of_chain(
    chain: &Chain,
    made: &[bool],
    hierarchy: &Hierarchy,
    occurring: Occurring<'_>,
) -> Result<Option<Hierarchy>, TableError> {
    let height = hierarchy.max_level();
    let mut lines: Vec<(Option<&str>, u64, Vec<String>)> = Vec::new();
    for (&cell, &rows) in occurring.cells.iter().zip(occurring.rows) {
        let labels: Result<Vec<_>, _> = (0..=height).map(|level| hierarchy.label(cell, level)).collect();
        let Ok(labels) = labels else { return Ok(None) };
        // A missing value without a label stays missing, as in every table without a line for it.
        let labels: Option<Vec<String>> = match cell {
            Some(_) => labels.into_iter().map(|label| label.map(|label| label.into_owned())).collect(),
            None => labels.into_iter().skip(1).map(|label| label.map(|label| label.into_owned())).collect(),
        };
        lines.extend(labels.map(|labels| match cell {
            Some(_) => (cell, rows, labels),
            None => (cell, rows, [vec![String::new()], labels].concat()),
        }));
    }
    for run in runs(chain, made) {
        let below = run.levels.start() - 1;
        // Rows of each label below, and a line that has it.
        let mut known: HashMap<&str, (u64, usize)> = HashMap::new();
        for (at, (_, rows, labels)) in lines.iter().enumerate() {
            known.entry(labels[below].as_str()).or_insert((0, at)).0 += rows;
        }
        let mut order: Vec<&str> = match run.first {
            Hierarchy::Table(table) => table.lines().iter().filter_map(|line| line.value()).collect(),
            _ => Vec::new(),
        };
        order.retain(|value| known.contains_key(value));
        let named: Vec<(usize, HashMap<String, String>)> = run
            .levels
            .filter(|&level| level < usize::from(height))
            .map(|level| {
                let members = order.iter().map(|&value| {
                    let (rows, line) = known[value];
                    (lines[line].2[level].as_str(), value, rows)
                });
                let names = names(members, occurring.least);
                (level, names.into_iter().map(|(label, name)| (label.to_owned(), name)).collect())
            })
            .collect();
        for (level, names) in &named {
            for (_, _, labels) in &mut lines {
                if let Some(name) = names.get(&labels[*level]) {
                    labels[*level].clone_from(name);
                }
            }
        }
    }
    let mut table = TableLines::default();
    for (value, _, labels) in &lines {
        table.push(*value, &labels[1..]);
    }
    TableHierarchy::from_lines(table).map(|table| Some(Hierarchy::Table(table)))
}

/// Label → the label that names common values instead. Members of groups come in order: label, value, rows.
fn names<'a>(members: impl Iterator<Item = (&'a str, &'a str, u64)>, least: u64) -> HashMap<&'a str, String> {
    let mut groups: HashMap<&str, Group<'_>> = HashMap::new();
    for (label, value, rows) in members {
        let number = groups.len() + 1;
        let group = groups.entry(label).or_insert(Group { number, common: None });
        if rows >= least {
            group.common = Some((group.common.map_or(value, |(first, _)| first), value));
        }
    }
    let name = |group: Group<'_>| match group.common {
        Some((first, last)) if first == last => format!("around {first}"),
        Some((first, last)) => format!("{first}..{last}"),
        None => format!("group {}", group.number),
    };
    groups.into_iter().map(|(label, group)| (label, name(group))).collect()
}

/// A group on one level: its number there, and the first and the last value that is not rare.
struct Group<'a> {
    number: usize,
    common: Option<(&'a str, &'a str)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_core::hierarchy::group_by_order;

    fn labels(hierarchy: &Hierarchy) -> Vec<String> {
        let Hierarchy::Table(table) = hierarchy else { return Vec::new() };
        table.lines().to_rows().iter().map(|row| row.labels.join(" ")).collect()
    }

    fn ordered(values: &[&str], sizes: &[usize]) -> Hierarchy {
        Hierarchy::Table(group_by_order(values, sizes).unwrap())
    }

    const CELLS: [Option<&str>; 7] =
        [Some("a"), Some("b"), Some("c"), Some("d"), Some("e"), Some("f"), Some("g")];
    const OCCURRING: Occurring<'_> = Occurring { cells: &CELLS, rows: &[9, 7, 1, 2, 6, 1, 1], least: 5 };

    #[test]
    fn rare_values_are_not_the_ends_of_labels() {
        let made = ordered(&["a", "b", "c", "d", "e", "f", "g"], &[3]);
        let Hierarchy::Table(table) = &made else { panic!("ordering makes a table") };
        let expected = ["a..b *", "a..b *", "a..b *", "around e *", "around e *", "around e *", "group 3 *"];
        assert_eq!(labels(&of_table(table, &made, OCCURRING).unwrap()), expected);
    }

    fn settled(parts: Vec<Hierarchy>, made: &[bool]) -> Vec<String> {
        let chain = Chain::new(parts).unwrap();
        labels(&of_chain(&chain, made, &Hierarchy::Chain(chain.clone()), OCCURRING).unwrap().unwrap())
    }

    #[test]
    fn nor_are_they_in_a_chain() {
        let pairs = || ordered(&["a", "b", "c", "d", "e", "f", "g"], &[2]);
        // The second part groups the labels of the first, which name rare values: e..f and g.
        let upper = ordered(&["a..b", "c..d", "e..f", "g"], &[2]);
        assert_eq!(
            settled(vec![pairs(), upper.clone()], &[true, true]),
            [
                "a..b a..b *",
                "a..b a..b *",
                "group 2 a..b *",
                "group 2 a..b *",
                "around e around e *",
                "around e around e *",
                "group 4 around e *"
            ]
        );
        // What somebody has written stays, and so do its labels; groups of them name those of enough rows.
        let written = settled(vec![pairs(), upper], &[false, true]);
        assert_eq!([&written[0], &written[6]], ["a..b around a..b *", "g around e..f *"]);
        let levels = |chain: &Chain, made: &[bool]| -> Vec<_> {
            runs(chain, made).iter().map(|run| run.levels.clone()).collect()
        };
        let chain = Chain::new(vec![pairs(), pairs(), pairs()]).unwrap();
        assert_eq!(levels(&chain, &[true, false, true]), [1..=1, 3..=4]);
        assert_eq!(levels(&chain, &[true, true, true]), [1..=4]);
        assert!(levels(&chain, &[false, false, false]).is_empty());
    }

    #[test]
    fn values_without_a_place_are_left_to_be_told() {
        let chain = Chain::new(vec![ordered(&["a"], &[2]), ordered(&["a"], &[2])]).unwrap();
        let whole = Hierarchy::Chain(chain.clone());
        assert!(of_chain(&chain, &[true, true], &whole, OCCURRING).unwrap().is_none());
    }
}
