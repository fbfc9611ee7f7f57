//! What is done to a hierarchy before the data's values climb it.

use paravent_core::hierarchy::{Hierarchy, TableError, TableHierarchy, TableLines};
use paravent_core::values::{Spelling, ValueType};
use std::collections::HashSet;

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
