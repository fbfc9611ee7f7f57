//! `codes`: beginnings of codes, then ranges of codes.

use super::Kind;
use super::TOP;
use crate::VerifyError;
use crate::json::Node;
use crate::types::Type;

/// What each level from 1 shows; `*` follows.
pub(crate) struct Codes {
    levels: Vec<Level>,
    length: Option<u64>,
}

enum Level {
    Keep(u64),
    Ranges(Vec<String>),
}

impl Codes {
    pub(super) fn parse(node: &Node<'_>, _: Type) -> Result<Codes, VerifyError> {
        let list = node.get("levels")?;
        let mut levels = Vec::new();
        for level in list.items()? {
            levels.push(match level.u64() {
                Ok(0) => return Err(level.bad("must keep a character")),
                Ok(count) => Level::Keep(count),
                Err(_) => Level::Ranges(level.items()?.map(range).collect::<Result<_, _>>()?),
            });
        }
        let kept = |level: &Level| match level {
            Level::Keep(count) => *count,
            Level::Ranges(_) => 0,
        };
        // Beginnings get shorter, and nothing but ranges is above ranges.
        if levels.windows(2).any(|pair| kept(&pair[1]) > 0 && kept(&pair[1]) >= kept(&pair[0])) {
            return Err(list.bad("must get shorter"));
        }
        let align = node.get("align")?;
        if !matches!(align.str()?, "left" | "right") {
            return Err(align.bad("must be left or right"));
        }
        let length = node.optional("length").map(|length| length.u64()).transpose()?;
        if levels.is_empty() { Err(list.bad("must not be empty")) } else { Ok(Codes { levels, length }) }
    }

    pub(super) fn height(&self) -> u64 {
        self.levels.len() as u64 + 1
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        if level == self.height() {
            return text == TOP;
        }
        let Some(index) = level.checked_sub(1).and_then(|index| usize::try_from(index).ok()) else {
            return false;
        };
        match self.levels.get(index) {
            None => false,
            Some(Level::Keep(count)) => self.is_beginning(text, *count),
            // Codes outside of all ranges of a level show a range above, if there is one.
            Some(Level::Ranges(_)) => {
                let above = self.levels[index..].iter().filter_map(|level| match level {
                    Level::Ranges(ranges) => Some(ranges),
                    Level::Keep(_) => None,
                });
                text == "other" || above.flatten().any(|range| range == text)
            }
        }
    }

    /// No more than so many letters and digits, and masks for the rest of the length.
    fn is_beginning(&self, text: &str, count: u64) -> bool {
        let masks = self.length.map_or(0, |length| length.saturating_sub(count));
        let Some(beginning) =
            usize::try_from(masks).ok().and_then(|masks| text.strip_suffix(&"*".repeat(masks.min(255))))
        else {
            return false;
        };
        let places = beginning.chars().filter(|c| c.is_alphanumeric()).count() as u64;
        // What stands behind the last letter or digit was cut off.
        places <= count && beginning.chars().last().is_none_or(char::is_alphanumeric)
    }
}

impl Kind for Codes {
    fn height(&self) -> u64 {
        Codes::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Codes::admits_label(self, level, text)
    }
}

fn range(item: Node<'_>) -> Result<String, VerifyError> {
    let text = item.str()?;
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let is_code = |code: &str| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match is_code(from) && is_code(to) && from.len() == to.len() && from <= to {
        true => Ok(text.to_owned()),
        false => Err(item.bad("must be a range of codes")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use crate::types::Type;
    use serde_json::json;

    #[test]
    fn beginnings_and_ranges_are_told_apart() {
        let levels = json!([3, ["E10-E14", "E15-E16"], ["E00-E90"]]);
        let icd = hierarchy(
            json!({ "kind": "codes", "levels": levels, "length": null, "align": "left" }),
            Type::String,
        );
        assert_labels(&icd, 1, &["E11", "E1", "I10"], &["E11.9", "E119", "E1."]);
        assert_labels(&icd, 2, &["E10-E14", "E00-E90", "other"], &["E11", "E17-E19"]);
        assert_labels(&icd, 3, &["E00-E90", "other"], &["E10-E14", "*"]);
        assert_labels(&icd, 4, &["*"], &["other"]);
    }

    #[test]
    fn postcodes_are_masked_to_their_length() {
        let plz = hierarchy(
            json!({ "kind": "codes", "levels": [4, 2], "length": 5, "align": "right" }),
            Type::String,
        );
        assert_labels(&plz, 1, &["0106*"], &["01067", "010**", "106"]);
        assert_labels(&plz, 2, &["01***"], &["0106*", "01*", "010***"]);
    }

    #[test]
    fn strange_levels_are_refused() {
        for levels in [
            json!([]),
            json!([0]),
            json!([2, 2]),
            json!([["A00-B99"], 1]),
            json!([["B-A"]]),
            json!([["A00-A9"]]),
        ] {
            let spec = json!({ "kind": "codes", "levels": levels, "length": null, "align": "left" });
            assert!(try_hierarchy(spec, Type::String).is_err());
        }
    }
}
