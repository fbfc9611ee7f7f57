//! Generalization hierarchies as `transform.json` describes them, read only to answer one question: *can this cell
//! be a label of that level?* A file per kind.

mod age;
mod breaks;
mod chain;
mod codes;
mod dates;
mod intervals;
mod redact;
mod table;

use age::Age;
use breaks::Breaks;
use chain::Chain;
use codes::Codes;
use dates::Dates;
use intervals::Intervals;
use redact::Redact;
use table::Table;

use crate::VerifyError;
use crate::json::Node;
use crate::types::Type;

/// Label of the last level, unless a kind says otherwise.
const TOP: &str = "*";

/// A hierarchy of one attribute.
pub(crate) enum Hierarchy {
    /// The value, then `*`.
    Whole,
    Table(Table),
    Intervals(Intervals),
    Redact(Redact),
    Dates(Dates),
    Breaks(Breaks),
    Codes(Codes),
    Age(Age),
    Chain(Chain),
}

impl Hierarchy {
    /// Reads the `hierarchy` object of an attribute whose values have type `kind`.
    pub(crate) fn parse(node: &Node<'_>, kind: Type) -> Result<Hierarchy, VerifyError> {
        let name = node.get("kind")?;
        match name.str()? {
            "whole" => Ok(Hierarchy::Whole),
            "table" => Table::parse(node, kind).map(Hierarchy::Table),
            "intervals" => Intervals::parse(node).map(Hierarchy::Intervals),
            "redact" => Redact::parse(node, kind).map(Hierarchy::Redact),
            "breaks" => Breaks::parse(node).map(Hierarchy::Breaks),
            "codes" => Codes::parse(node).map(Hierarchy::Codes),
            "age" => Age::parse(node).map(Hierarchy::Age),
            "dates" => Dates::parse(node).map(Hierarchy::Dates),
            "chain" => Chain::parse(node, kind).map(Hierarchy::Chain),
            _ => Err(name.bad("is no hierarchy of this format")),
        }
    }

    /// The last level.
    pub(crate) fn height(&self) -> u64 {
        match self {
            Hierarchy::Whole => 1,
            Hierarchy::Table(table) => table.height(),
            Hierarchy::Intervals(intervals) => intervals.height(),
            Hierarchy::Redact(redact) => redact.height(),
            Hierarchy::Dates(dates) => dates.height(),
            Hierarchy::Breaks(breaks) => breaks.height(),
            Hierarchy::Codes(codes) => codes.height(),
            Hierarchy::Age(age) => age.height(),
            Hierarchy::Chain(chain) => chain.height(),
        }
    }

    /// Whether a cell may stand in a column that was released at `level`; `None` is a missing value.
    pub(crate) fn admits(&self, level: u64, cell: Option<&str>, kind: Type) -> bool {
        match cell {
            None => self.admits_missing(level),
            Some(text) if level == 0 => self.admits_value(text, kind),
            Some(text) => self.admits_label(level, text),
        }
    }

    /// Level 0: the value itself.
    fn admits_value(&self, text: &str, kind: Type) -> bool {
        match self {
            Hierarchy::Table(table) => table.admits_value(text),
            Hierarchy::Chain(chain) => chain.admits_value(text, kind),
            Hierarchy::Intervals(intervals) => kind.fits(text) && intervals.admits_value(text),
            Hierarchy::Breaks(breaks) => kind.fits(text) && breaks.admits_value(text),
            Hierarchy::Dates(_) | Hierarchy::Age(_) => {
                kind.fits(text) && (Type::Date.fits(text) || Type::DateTime.fits(text))
            }
            Hierarchy::Whole | Hierarchy::Redact(_) | Hierarchy::Codes(_) => kind.fits(text),
        }
    }

    /// Levels from 1.
    fn admits_label(&self, level: u64, text: &str) -> bool {
        match self {
            Hierarchy::Whole => level == 1 && text == TOP,
            Hierarchy::Table(table) => table.admits_label(level, text),
            Hierarchy::Intervals(intervals) => intervals.admits_label(level, text),
            Hierarchy::Redact(redact) => redact.admits_label(level, text),
            Hierarchy::Dates(dates) => dates.admits_label(level, text),
            Hierarchy::Breaks(breaks) => breaks.admits_label(level, text),
            Hierarchy::Codes(codes) => codes.admits_label(level, text),
            Hierarchy::Age(age) => age.admits_label(level, text),
            Hierarchy::Chain(chain) => chain.admits_label(level, text),
        }
    }

    /// A missing value stays missing below the last level, unless a table has a row for it.
    fn admits_missing(&self, level: u64) -> bool {
        match self {
            Hierarchy::Table(table) => table.admits_missing(level),
            Hierarchy::Chain(chain) => chain.admits_missing(level),
            _ => level < self.height(),
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use serde_json::Value;

    pub(crate) fn try_hierarchy(value: Value, kind: Type) -> Result<Hierarchy, VerifyError> {
        Hierarchy::parse(&Node::root("transform.json", &value), kind)
    }

    pub(crate) fn hierarchy(value: Value, kind: Type) -> Hierarchy {
        try_hierarchy(value, kind).unwrap()
    }

    /// Asserts which of the texts are labels of the level.
    pub(crate) fn assert_labels(hierarchy: &Hierarchy, level: u64, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(hierarchy.admits(level, Some(text), Type::String), "level {level} should admit {text}");
        }
        for text in bad {
            assert!(
                !hierarchy.admits(level, Some(text), Type::String),
                "level {level} should not admit {text}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{assert_labels, hierarchy, try_hierarchy};
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_has_the_value_and_the_star() {
        let whole = hierarchy(json!({ "kind": "whole" }), Type::Integer);
        assert!(whole.admits(0, Some("34"), Type::Integer) && !whole.admits(0, Some("*"), Type::Integer));
        assert_labels(&whole, 1, &["*"], &["34", "", "**"]);
        assert_labels(&whole, 2, &[], &["*"]);
        assert!(whole.admits(0, None, Type::Integer) && !whole.admits(1, None, Type::Integer));
    }

    #[test]
    fn unknown_kinds_are_refused_by_name_of_the_key() {
        let error = try_hierarchy(json!({ "kind": "magic" }), Type::String).err().unwrap();
        assert_eq!(error.to_string(), "transform.json: `kind` is no hierarchy of this format");
    }
}
