//! `redact`: one more character of the value is hidden on each level.

use super::Kind;
use crate::VerifyError;
use crate::json::Node;
use crate::types::Type;

/// On level n the last (or first) n characters are replaced; a value of n characters or fewer is n mask characters.
pub(crate) struct Redact {
    mask: char,
    from: Side,
    length: u64,
    kind: Type,
}

enum Side {
    Left,
    Right,
}

impl Redact {
    pub(super) fn parse(node: &Node<'_>, kind: Type) -> Result<Redact, VerifyError> {
        let mask = node.get("char")?;
        let mut characters = mask.str()?.chars();
        let (Some(first), None) = (characters.next(), characters.next()) else {
            return Err(mask.bad("must be one character"));
        };
        let from = node.get("from")?;
        let side = match from.str()? {
            "left" => Side::Left,
            "right" => Side::Right,
            _ => return Err(from.bad("must be left or right")),
        };
        let length = node.get("length")?;
        match length.u64()? {
            0 => Err(length.bad("must be 1 or more")),
            characters => Ok(Redact { mask: first, from: side, length: characters, kind }),
        }
    }

    pub(super) fn height(&self) -> u64 {
        self.length
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        let Some(kept) = (text.chars().count() as u64).checked_sub(level) else { return false };
        if level > self.length || (level == self.length && kept > 0) {
            return false;
        }
        // `kept` is at most the number of characters, so it fits.
        let kept = kept as usize;
        let hidden = text.chars().count() - kept;
        let (mut shown, mut masked): (Box<dyn Iterator<Item = char>>, Box<dyn Iterator<Item = char>>) =
            match self.from {
                Side::Right => (Box::new(text.chars().take(kept)), Box::new(text.chars().skip(kept))),
                Side::Left => (Box::new(text.chars().skip(hidden)), Box::new(text.chars().take(hidden))),
            };
        masked.all(|character| character == self.mask) && shown.all(|character| self.may_show(character))
    }

    /// Whether a value of the attribute's type can contain the character: numbers and dates hold no letters.
    fn may_show(&self, character: char) -> bool {
        match self.kind {
            Type::Integer => character.is_ascii_digit() || matches!(character, '-' | '+'),
            Type::Date => character.is_ascii_digit() || character == '-',
            _ => true,
        }
    }
}

impl Kind for Redact {
    fn height(&self) -> u64 {
        Redact::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Redact::admits_label(self, level, text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use super::*;
    use serde_json::json;

    #[test]
    fn the_mask_covers_the_last_characters() {
        let zip = json!({ "kind": "redact", "char": "*", "from": "right", "length": 5 });
        let zip = hierarchy(zip, Type::String);
        assert_eq!(zip.height(), 5);
        assert_labels(&zip, 1, &["8266*", "8*", "*"], &["82667", "", "*266"]);
        assert_labels(&zip, 3, &["82***", "***", "Zü***"], &["82667", "8266*", "**", "826**"]);
        assert_labels(&zip, 5, &["*****"], &["8****", "******", "****", "*"]);
        assert_labels(&zip, 6, &[], &["******"]);
        assert!(zip.admits(4, None, Type::String) && !zip.admits(5, None, Type::String));
    }

    #[test]
    fn the_mask_covers_the_first_characters() {
        let phone = json!({ "kind": "redact", "char": "x", "from": "left", "length": 4 });
        assert_labels(&hierarchy(phone, Type::String), 2, &["xx34", "xx"], &["1x34", "34xx", "x"]);
    }

    #[test]
    fn a_number_hidden_too_far_is_of_another_level() {
        let zip = json!({ "kind": "redact", "char": "*", "from": "right", "length": 5 });
        assert_labels(&hierarchy(zip, Type::Integer), 2, &["826**", "8**", "**"], &["82***", "8266*"]);
    }

    #[test]
    fn absurd_lengths_cost_nothing() {
        let redact = json!({ "kind": "redact", "char": "*", "from": "right", "length": u64::MAX });
        let redact = hierarchy(redact, Type::String);
        assert_labels(&redact, u64::MAX, &[], &["*"]);
        for wrong in [json!(0), json!(-1), json!(1e300), json!("5")] {
            let redact = json!({ "kind": "redact", "char": "*", "from": "right", "length": wrong });
            assert!(try_hierarchy(redact, Type::String).is_err());
        }
    }
}
