//! Generalization hierarchies as `transform.json` describes them, read only to answer one question: *can this cell
//! be a label of that level?* A file per kind.

use crate::VerifyError;
use crate::json::Node;
use crate::types::Type;

/// Label of the last level, unless a kind says otherwise.
const TOP: &str = "*";

/// A kind of hierarchy, read only to answer which cells it admits.
trait Kind: Send + Sync {
    /// The last level.
    fn height(&self) -> u64;
    /// Levels from 1.
    fn admits_label(&self, level: u64, text: &str) -> bool;
    /// Level 0: the value itself.
    fn admits_value(&self, text: &str, kind: Type) -> bool {
        kind.fits(text)
    }
    /// A missing value stays missing below the last level.
    fn admits_missing(&self, level: u64) -> bool {
        level < self.height()
    }
}

/// The value, then `*`.
struct Whole;

impl Kind for Whole {
    fn height(&self) -> u64 {
        1
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        level == 1 && text == TOP
    }
}

/// A hierarchy of one attribute.
pub(crate) struct Hierarchy(Box<dyn Kind>);

/// Makes the reader from the list of kinds, each with its name in `transform.json`. The files are found by their names.
macro_rules! kinds {
    ($($module:ident::$kind:ident = $name:literal),+ $(,)?) => {
        $(mod $module;)+

        impl Hierarchy {
            /// Reads the `hierarchy` object of an attribute whose values have type `kind`.
            pub(crate) fn parse(node: &Node<'_>, kind: Type) -> Result<Hierarchy, VerifyError> {
                let name = node.get("kind")?;
                match name.str()? {
                    "whole" => Ok(Hierarchy(Box::new(Whole))),
                    $($name => $module::$kind::parse(node, kind).map(|read| Hierarchy(Box::new(read))),)+
                    _ => Err(name.bad("is no hierarchy of this format")),
                }
            }
        }
    };
}

kinds! {
    table::Table = "table",
    intervals::Intervals = "intervals",
    redact::Redact = "redact",
    breaks::Breaks = "breaks",
    codes::Codes = "codes",
    age::Age = "age",
    dates::Dates = "dates",
    chain::Chain = "chain",
}

impl Hierarchy {
    /// The last level.
    pub(crate) fn height(&self) -> u64 {
        self.0.height()
    }

    /// Whether a cell may stand in a column that was released at `level`; `None` is a missing value.
    pub(crate) fn admits(&self, level: u64, cell: Option<&str>, kind: Type) -> bool {
        match cell {
            None => self.0.admits_missing(level),
            Some(text) if level == 0 => self.0.admits_value(text, kind),
            Some(text) => self.0.admits_label(level, text),
        }
    }

    fn admits_value(&self, text: &str, kind: Type) -> bool {
        self.0.admits_value(text, kind)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        self.0.admits_label(level, text)
    }

    fn admits_missing(&self, level: u64) -> bool {
        self.0.admits_missing(level)
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
