//! `table`: one row per value, one column per level.

use super::Kind;
use foldhash::{HashMap, HashSet, HashSetExt};

use super::TOP;
use crate::VerifyError;
use crate::json::Node;
use crate::types::Type;

/// The labels of each level, and where the missing value goes.
pub(crate) struct Table {
    levels: Vec<HashSet<Box<str>>>,
    /// Spellings of the values on level 0 that the attribute's type makes equal.
    spellings: HashSet<Box<str>>,
    kind: Type,
    /// The row of the missing value, if it has one.
    missing: Option<Vec<Option<Box<str>>>>,
}

impl Table {
    pub(super) fn parse(node: &Node<'_>, kind: Type) -> Result<Table, VerifyError> {
        let rows = node.get("rows")?;
        let mut levels: Vec<HashSet<Box<str>>> = Vec::new();
        let mut paths: HashMap<Box<str>, usize> = HashMap::default();
        let mut missing = None;
        for (index, row) in rows.items()?.enumerate() {
            let cells = row.cells()?;
            if index == 0 {
                levels.resize_with(cells.len(), HashSet::new);
            }
            if cells.is_empty() || cells.len() != levels.len() {
                return Err(row.bad("must have one label per level, as many as the first row"));
            }
            match &cells[0] {
                None if missing.is_some() => return Err(row.bad("is a second row for the missing value")),
                None => missing = Some(cells.clone()),
                Some(value) => {
                    if paths.insert(value.clone(), index).is_some() {
                        return Err(row.bad("is a second row for the same value"));
                    }
                    if cells.contains(&None) {
                        return Err(row.bad("has a missing label for a value that is there"));
                    }
                }
            }
            for (labels, cell) in levels.iter_mut().zip(cells) {
                labels.extend(cell);
            }
        }
        if levels.is_empty() {
            return Err(rows.bad("must not be empty"));
        }
        let spellings = match kind {
            Type::String => HashSet::new(),
            _ => levels[0].iter().filter_map(|value| kind.canonical(value)).map(|text| text.into()).collect(),
        };
        Ok(Table { levels, spellings, kind, missing })
    }

    pub(super) fn height(&self) -> u64 {
        self.levels.len() as u64 - 1
    }

    fn labels(&self, level: u64) -> Option<&HashSet<Box<str>>> {
        self.levels.get(usize::try_from(level).ok()?)
    }

    pub(super) fn admits_value(&self, text: &str) -> bool {
        self.levels[0].contains(text)
            || self.kind.canonical(text).is_some_and(|spelling| self.spellings.contains(&*spelling))
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        let Some(labels) = self.labels(level) else { return false };
        // A missing value without a row gets the top label; it is `*` where the table has no single one.
        let stands_for_missing =
            level == self.height() && self.missing.is_none() && labels.len() > 1 && text == TOP;
        labels.contains(text) || stands_for_missing
    }

    pub(super) fn admits_missing(&self, level: u64) -> bool {
        match &self.missing {
            None => level < self.height() || level == 0,
            Some(row) => {
                usize::try_from(level).ok().and_then(|level| row.get(level)).is_some_and(Option::is_none)
            }
        }
    }
}

impl Kind for Table {
    fn height(&self) -> u64 {
        Table::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Table::admits_label(self, level, text)
    }

    fn admits_value(&self, text: &str, _: Type) -> bool {
        Table::admits_value(self, text)
    }

    fn admits_missing(&self, level: u64) -> bool {
        Table::admits_missing(self, level)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_label_belongs_to_its_column() {
        let age = hierarchy(
            json!({ "kind": "table", "rows": [["18", "<=19", "*"], ["34", "20-60", "*"], ["35", "20-60", "*"]] }),
            Type::Integer,
        );
        assert_eq!(age.height(), 2);
        assert_labels(&age, 0, &["18", "34"], &["20-60", "36", "*"]);
        assert_labels(&age, 1, &["<=19", "20-60"], &["34", "*", ""]);
        assert_labels(&age, 2, &["*"], &["20-60", "34"]);
        assert_labels(&age, 3, &[], &["*"]);
        assert!(age.admits(1, None, Type::Integer) && !age.admits(2, None, Type::Integer));
        assert!(age.admits(0, Some("018"), Type::Integer), "the same integer in another spelling");
    }

    #[test]
    fn a_missing_value_with_a_row_goes_where_the_row_says() {
        let table = hierarchy(
            json!({ "kind": "table", "rows": [["a", "x", "*"], [null, "unknown", "*"]] }),
            Type::String,
        );
        assert!(table.admits(0, None, Type::String));
        assert!(!table.admits(1, None, Type::String) && table.admits(1, Some("unknown"), Type::String));
    }

    #[test]
    fn ragged_empty_or_doubled_rows_are_refused() {
        for rows in [
            json!([["a", "*"], ["b"]]),
            json!([]),
            json!([[]]),
            json!([["a", "*"], ["a", "*"]]),
            json!([[null, "*"], [null, "*"]]),
            json!([["a", null]]),
            json!([["a", 1]]),
            json!("a"),
        ] {
            assert!(try_hierarchy(json!({ "kind": "table", "rows": rows }), Type::String).is_err());
        }
    }
}
