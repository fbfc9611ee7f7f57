//! What is done to a hierarchy before the data's values climb it.

use paravent_core::hierarchy::{Hierarchy, TableError, TableHierarchy, TableLines};
use paravent_core::values::{Spelling, ValueType};
use paravent_job::Attribute;
use std::collections::{HashMap, HashSet};

/// The lines of a table with their values spelled as the column's type spells them, as the cells are.
pub(super) fn spelled(
    hierarchy: Hierarchy,
    value_type: ValueType,
    spelling: Option<&Spelling>,
) -> Result<Hierarchy, TableError> {
    let Hierarchy::Table(table) = &hierarchy else { return Ok(hierarchy) };
    let lines = table.lines();
    let canonical = |value: &str| canonical(value, value_type, spelling);
    if lines.iter().filter_map(|line| line.value()).all(|value| canonical(value) == value) {
        return Ok(hierarchy);
    }
    let mut spelled = TableLines::default();
    for line in lines.iter() {
        spelled.push(line.value().map(canonical).as_deref(), line.labels());
    }
    TableHierarchy::from_lines(spelled).map(Hierarchy::Table)
}

/// The engine's spelling of a value that a hierarchy file or the job writes, perhaps as the column writes it.
pub(super) fn canonical(value: &str, value_type: ValueType, spelling: Option<&Spelling>) -> String {
    let read = spelling.and_then(|spelling| spelling.read(value));
    let read = read.unwrap_or(value.into());
    value_type.canonical(&read).into_owned()
}

/// A table with a line for every value that it does not know: the value, then the most general label on every level.
/// Other kinds of hierarchies know every value they can know.
pub(super) fn with_unknown_values(
    hierarchy: Hierarchy,
    cells: &[Option<&str>],
) -> Result<Hierarchy, TableError> {
    let Hierarchy::Table(table) = &hierarchy else { return Ok(hierarchy) };
    let known: HashSet<&str> = table.lines().iter().filter_map(|line| line.value()).collect();
    let unknown: Vec<&str> = cells.iter().flatten().copied().filter(|cell| !known.contains(cell)).collect();
    let height = usize::from(hierarchy.max_level());
    let top = table.lines().iter().next().and_then(|line| line.at(height)).map(str::to_owned);
    let (false, Some(top)) = (unknown.is_empty() || height == 0, top) else { return Ok(hierarchy) };
    let mut lines = TableLines::default();
    for line in table.lines().iter() {
        lines.push(line.value(), line.labels());
    }
    for value in unknown {
        lines.push(Some(value), std::iter::repeat_n(top.as_str(), height));
    }
    TableHierarchy::from_lines(lines).map(Hierarchy::Table)
}

/// Whether the groups of an attribute are formed from the values that occur, and so are their labels.
pub(super) fn is_made_from_data(attribute: &Attribute) -> bool {
    let order_is_told = attribute.order.is_some();
    attribute.hierarchy.as_ref().is_some_and(|spec| spec.is_made_from_data(order_is_told))
}

/// A hierarchy made from the data, with labels that name values of at least `least` rows only: the first and the last such value of a
/// group. A rare value, whose row may well be suppressed, must not live on as the end of somebody else's label.
pub(super) fn without_rare_values(
    hierarchy: Hierarchy,
    rows_of: &HashMap<&str, u64>,
    least: u64,
) -> Result<Hierarchy, TableError> {
    let Hierarchy::Table(table) = &hierarchy else { return Ok(hierarchy) };
    let lines = table.lines();
    // The last level is the top, which names nothing.
    let names: Vec<_> =
        (1..hierarchy.max_level()).map(|level| common_names(lines, level.into(), rows_of, least)).collect();
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

/// Label on one level → the label that names common values instead.
fn common_names<'a>(
    lines: &'a TableLines,
    level: usize,
    rows_of: &HashMap<&str, u64>,
    least: u64,
) -> HashMap<&'a str, String> {
    let mut groups: HashMap<&str, Group<'_>> = HashMap::new();
    for line in lines.iter() {
        let Some(label) = line.at(level) else { continue };
        let number = groups.len() + 1;
        let group = groups.entry(label).or_insert(Group { number, common: None });
        let value = line.value().filter(|value| rows_of.get(value).copied().unwrap_or(0) >= least);
        if let Some(value) = value {
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

    fn table(lines: &[&str]) -> Hierarchy {
        let mut table = TableLines::default();
        for line in lines {
            let mut cells = line.split(' ');
            table.push(cells.next(), cells);
        }
        Hierarchy::Table(TableHierarchy::from_lines(table).unwrap())
    }

    fn labels(hierarchy: &Hierarchy) -> Vec<String> {
        let Hierarchy::Table(table) = hierarchy else { return Vec::new() };
        table.lines().to_rows().iter().map(|row| row.labels.join(" ")).collect()
    }

    #[test]
    fn rare_values_are_not_the_ends_of_labels() {
        let made = table(&["a a..c *", "b a..c *", "c a..c *", "d d..f *", "e d..f *", "f d..f *", "g g *"]);
        let rows_of = HashMap::from([("a", 9), ("b", 7), ("c", 1), ("d", 2), ("e", 6), ("f", 1), ("g", 1)]);
        let settled = without_rare_values(made, &rows_of, 5).unwrap();
        let expected = ["a..b *", "a..b *", "a..b *", "around e *", "around e *", "around e *", "group 3 *"];
        assert_eq!(labels(&settled), expected);
    }

    #[test]
    fn unknown_values_have_the_top_label_only() {
        let known = table(&["a x *", "b x *"]);
        let cells = [Some("a"), None, Some("z"), Some("b")];
        let all = with_unknown_values(known.clone(), &cells).unwrap();
        assert_eq!(labels(&all), ["x *", "x *", "* *"]);
        assert!(known.ladder(&cells).is_err() && all.ladder(&cells).is_ok());
    }

    #[test]
    fn lines_are_spelled_like_the_cells() {
        let settled = spelled(table(&["07 low *", "12 high *"]), ValueType::Integer, None).unwrap();
        assert_eq!(settled.label(Some("7"), 1).unwrap().as_deref(), Some("low"));
        assert!(spelled(table(&["07 low *", "7 low *"]), ValueType::Integer, None).is_err());
        assert_eq!(spelled(table(&["07 low *"]), ValueType::String, None).unwrap(), table(&["07 low *"]));
    }
}
