//! `chain`: several hierarchies one after the other.

use super::Hierarchy;
use super::Kind;
use crate::VerifyError;
use crate::json::Node;
use crate::types::Type;

/// The labels of one part, below its top, are the values of the next; only the last part's top is a level.
pub(crate) struct Chain {
    parts: Vec<Hierarchy>,
}

impl Chain {
    pub(super) fn parse(node: &Node<'_>, kind: Type) -> Result<Chain, VerifyError> {
        let list = node.get("parts")?;
        let mut parts = Vec::new();
        let mut height = 0u64;
        for item in list.items()? {
            // The values of later parts are labels, whatever the type of the attribute.
            let part = Hierarchy::parse(&item, if parts.is_empty() { kind } else { Type::String })?;
            height = height
                .checked_add(part.height())
                .ok_or_else(|| item.bad("has more levels than can be counted"))?;
            if part.height() == 0 {
                return Err(item.bad("has no level above the value"));
            }
            parts.push(part);
        }
        if parts.is_empty() { Err(list.bad("must not be empty")) } else { Ok(Chain { parts }) }
    }

    pub(super) fn height(&self) -> u64 {
        self.parts.iter().map(|part| part.height() - 1).sum::<u64>() + 1
    }

    /// The part that a level from 1 lies in, and the level inside it.
    fn locate(&self, level: u64) -> Option<(usize, u64)> {
        let last = self.parts.len() - 1;
        let mut inside = level;
        for (index, part) in self.parts.iter().enumerate() {
            let levels = if index == last { part.height() } else { part.height() - 1 };
            if inside <= levels {
                return Some((index, inside));
            }
            inside -= levels;
        }
        None
    }

    pub(super) fn admits_value(&self, text: &str, kind: Type) -> bool {
        self.parts[0].admits_value(text, kind)
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        self.locate(level).is_some_and(|(part, inside)| self.parts[part].admits_label(inside, text))
    }

    /// A missing value has to come through every part before this one.
    pub(super) fn admits_missing(&self, level: u64) -> bool {
        self.locate(level).is_some_and(|(part, inside)| {
            self.parts[..part].iter().all(|part| part.admits_missing(part.height() - 1))
                && self.parts[part].admits_missing(inside)
        })
    }
}

impl Kind for Chain {
    fn height(&self) -> u64 {
        Chain::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Chain::admits_label(self, level, text)
    }

    fn admits_value(&self, text: &str, kind: Type) -> bool {
        Chain::admits_value(self, text, kind)
    }

    fn admits_missing(&self, level: u64) -> bool {
        Chain::admits_missing(self, level)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use crate::types::Type;
    use serde_json::json;

    #[test]
    fn the_levels_of_the_parts_follow_one_another() {
        let chain = hierarchy(
            json!({ "kind": "chain", "parts": [
                { "kind": "dates", "levels": ["month", "year"] },
                { "kind": "table", "rows": [["2023", "before", "*"], ["2024", "after", "*"]] }
            ] }),
            Type::Date,
        );
        assert_eq!(chain.height(), 4);
        assert!(chain.admits(0, Some("2024-03-09"), Type::Date));
        assert_labels(&chain, 1, &["2024-03"], &["2024", "*"]);
        assert_labels(&chain, 2, &["2024"], &["2024-03", "before", "*"]);
        assert_labels(&chain, 3, &["before", "after"], &["2024", "*"]);
        assert_labels(&chain, 4, &["*"], &["before"]);
        assert_labels(&chain, 5, &[], &["*"]);
        assert!(chain.admits(3, None, Type::Date) && !chain.admits(4, None, Type::Date));
    }

    #[test]
    fn a_missing_value_caught_by_one_part_is_not_missing_later() {
        let chain = hierarchy(
            json!({ "kind": "chain", "parts": [
                { "kind": "table", "rows": [["a", "x", "*"], [null, "none", "*"]] },
                { "kind": "table", "rows": [["x", "y", "*"], ["none", "y", "*"]] }
            ] }),
            Type::String,
        );
        assert!(chain.admits(0, None, Type::String));
        assert!(!chain.admits(1, None, Type::String) && !chain.admits(2, None, Type::String));
    }

    #[test]
    fn absurd_heights_are_refused() {
        let endless = json!({ "kind": "redact", "char": "*", "from": "right", "length": u64::MAX });
        for parts in [json!([]), json!([endless, endless]), json!([{ "kind": "table", "rows": [["a"]] }])] {
            assert!(try_hierarchy(json!({ "kind": "chain", "parts": parts }), Type::String).is_err());
        }
    }
}
