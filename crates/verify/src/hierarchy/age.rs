//! `age`: completed years since a date of birth.

use super::Kind;
use super::TOP;
use crate::VerifyError;
use crate::calendar::Fields;
use crate::json::Node;
use crate::types::Type;

/// Years on a day, then `*`.
pub(crate) struct Age;

impl Age {
    pub(super) fn parse(node: &Node<'_>, _: Type) -> Result<Age, VerifyError> {
        let day = node.get("on")?;
        let mut fields = Fields::of(day.str()?);
        match fields.date().and_then(|_| fields.end()) {
            Some(()) => Ok(Age),
            None => Err(day.bad("must be a day")),
        }
    }

    pub(super) fn height(&self) -> u64 {
        2
    }

    /// Years of four digits are apart by fewer than 10,000.
    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        match level {
            1 => text.parse::<i16>().is_ok_and(|years| years.abs() < 10_000 && years.to_string() == text),
            2 => text == TOP,
            _ => false,
        }
    }
}

impl Kind for Age {
    fn height(&self) -> u64 {
        Age::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Age::admits_label(self, level, text)
    }

    fn admits_value(&self, text: &str, kind: Type) -> bool {
        kind.fits(text) && (Type::Date.fits(text) || Type::DateTime.fits(text))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use crate::types::Type;
    use serde_json::json;

    #[test]
    fn ages_are_whole_years() {
        let age = hierarchy(json!({ "kind": "age", "on": "2024-12-31" }), Type::Date);
        assert_labels(&age, 1, &["0", "40", "-1"], &["40.5", "040", "1984-03-09", "*"]);
        assert_labels(&age, 2, &["*"], &["40"]);
        assert!(age.admits(0, Some("1984-03-09"), Type::Date) && !age.admits(0, Some("40"), Type::Date));
        assert!(try_hierarchy(json!({ "kind": "age", "on": "2024-02-30" }), Type::Date).is_err());
    }
}
