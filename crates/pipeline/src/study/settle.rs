//! What is done to a hierarchy before the data's values climb it.

use crate::job::{Attribute, HierarchySpec};
use paravent_core::hierarchy::{Hierarchy, TableError, TableHierarchy, TableRow};
use paravent_core::values::ValueType;
use std::collections::HashMap;

/// The lines of a table with their values spelled as the column's type spells them, as the cells are.
pub(super) fn spelled(hierarchy: Hierarchy, value_type: ValueType) -> Result<Hierarchy, TableError> {
    let Hierarchy::Table(table) = &hierarchy else { return Ok(hierarchy) };
    let canonical =
        |row: &TableRow| row.value.as_deref().map(|value| value_type.canonical(value).into_owned());
    if table.rows().iter().all(|row| canonical(row) == row.value) {
        return Ok(hierarchy);
    }
    let spelled = |row: &TableRow| TableRow { value: canonical(row), labels: row.labels.clone() };
    TableHierarchy::new(table.rows().iter().map(spelled).collect()).map(Hierarchy::Table)
}

/// Whether the groups of an attribute are formed from the values that occur, and so are their labels.
pub(super) fn is_made_from_data(attribute: &Attribute) -> bool {
    attribute.order.is_none()
        && matches!(&attribute.hierarchy, Some(HierarchySpec::Ordering(ordering)) if ordering.order.is_none())
}

/// A hierarchy made from the data, with labels that name values of at least `least` rows only: the first and the last such value of a
/// group. A rare value, whose row may well be suppressed, must not live on as the end of somebody else's label.
pub(super) fn without_rare_values(
    hierarchy: Hierarchy,
    rows_of: &HashMap<&str, u64>,
    least: u64,
) -> Result<Hierarchy, TableError> {
    let Hierarchy::Table(table) = &hierarchy else { return Ok(hierarchy) };
    let mut rows = table.rows().to_vec();
    let levels = rows.first().map_or(0, |row| row.labels.len());
    // The last level is the top, which names nothing.
    for level in 0..levels.saturating_sub(1) {
        let mut groups: HashMap<&str, Group<'_>> = HashMap::new();
        for row in table.rows() {
            let number = groups.len() + 1;
            let group = groups.entry(&row.labels[level]).or_insert(Group { number, common: None });
            let value =
                row.value.as_deref().filter(|value| rows_of.get(value).copied().unwrap_or(0) >= least);
            if let Some(value) = value {
                group.common = Some((group.common.map_or(value, |(first, _)| first), value));
            }
        }
        for (row, old) in rows.iter_mut().zip(table.rows()) {
            let group = &groups[old.labels[level].as_str()];
            row.labels[level] = match group.common {
                Some((first, last)) if first == last => format!("around {first}"),
                Some((first, last)) => format!("{first}..{last}"),
                None => format!("group {}", group.number),
            };
        }
    }
    TableHierarchy::new(rows).map(Hierarchy::Table)
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
        let row = |line: &&str| {
            let mut cells = line.split(' ').map(str::to_owned);
            TableRow { value: cells.next(), labels: cells.collect() }
        };
        Hierarchy::Table(TableHierarchy::new(lines.iter().map(row).collect()).unwrap())
    }

    fn labels(hierarchy: &Hierarchy) -> Vec<String> {
        let Hierarchy::Table(table) = hierarchy else { return Vec::new() };
        table.rows().iter().map(|row| row.labels.join(" ")).collect()
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
    fn lines_are_spelled_like_the_cells() {
        let settled = spelled(table(&["07 low *", "12 high *"]), ValueType::Integer).unwrap();
        assert_eq!(settled.label(Some("7"), 1).unwrap().as_deref(), Some("low"));
        assert!(spelled(table(&["07 low *", "7 low *"]), ValueType::Integer).is_err());
        assert_eq!(spelled(table(&["07 low *"]), ValueType::String).unwrap(), table(&["07 low *"]));
    }
}
