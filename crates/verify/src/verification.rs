//! The verdict: a list of checks, each held or violated.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

/// Everything that was checked on one release, in a fixed order.
///
/// All checks are run even after one is violated, so a release whose digests were re-computed after tampering still
/// shows what was tampered with. Serializes as
/// `{ "holds": …, "rows": …, "classes": …, "checks": [ … ], "trusted": [ … ], "not_checked": [ … ], "signer": … }`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Verification {
    /// Rows found in the data file.
    pub rows: u64,
    /// Equivalence classes found in the data file.
    pub classes: u64,
    /// Every check, held or violated.
    pub checks: Vec<Check>,
    /// What was taken from the manifest because the files cannot confirm it.
    pub trusted: Vec<Trusted>,
    /// What could not be checked, and what it would need.
    pub not_checked: Vec<NotChecked>,
    /// The key of a sound signature, 64 hexadecimal digits. Whose key that is, only somebody who was given it can say.
    pub signer: Option<String>,
}

impl Verification {
    /// Whether every single check held.
    pub fn holds(&self) -> bool {
        self.violations().next().is_none()
    }

    /// The checks that did not hold.
    pub fn violations(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.outcome == Outcome::Violated)
    }
}

impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Verification", 7)?;
        out.serialize_field("holds", &self.holds())?;
        out.serialize_field("rows", &self.rows)?;
        out.serialize_field("classes", &self.classes)?;
        out.serialize_field("checks", &self.checks)?;
        out.serialize_field("trusted", &self.trusted)?;
        out.serialize_field("not_checked", &self.not_checked)?;
        out.serialize_field("signer", &self.signer)?;
        out.end()
    }
}

/// Something that the verdict rests on and that the files cannot confirm: whoever wrote the manifest has said it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Trusted {
    /// What it is: `roles`, `required`, `suppression-limit`, `rows`, `levels`, `dropped`, `reference`, `population`, `hierarchies`, `solution`, `writing`, `types`, `truth`, `reports`, `version`.
    pub what: &'static str,
    /// The same in words, with what the manifest says.
    pub detail: String,
    /// What the manifest says, for programs.
    pub said: Value,
}

/// A question that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct NotChecked {
    /// The check that was left out.
    pub name: String,
    /// The attribute or file it would have been about.
    pub subject: Option<String>,
    /// Why, and what it needs.
    pub why: String,
}

/// One question that was asked of the release, and the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Check {
    /// What was checked: `digest`, `bytes`, `manifest`, `signature`, `columns`, `identifiers`, `transform`, `rows`, `suppression`, `labels`, `types`,
    /// `order`, `classes`, `files`, `residue`, `spreadsheet`, `reference`, `population`, `privacy` or the name of a privacy model.
    pub name: String,
    /// The attribute or file the check is about, if it is about one.
    pub subject: Option<String>,
    /// The answer.
    pub outcome: Outcome,
    /// Numbers and places ("row 17, column age"); never the content of a cell.
    pub detail: String,
    /// What the manifest demands or claims; `null` where there is no single value.
    pub required: Value,
    /// What was found; `null` where there is no single value.
    pub achieved: Value,
}

/// The answer of one [`Check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The release is as promised.
    Held,
    /// The release is not as promised.
    Violated,
}

/// How many problems of one check are spelled out; the rest is counted.
const SPELLED_OUT: usize = 8;

impl Check {
    /// A check that holds exactly when no problem was found. `fine` describes the good case.
    pub(crate) fn new(
        name: &str,
        subject: Option<&str>,
        problems: &[String],
        fine: impl Into<String>,
    ) -> Check {
        let detail = match problems.len() {
            0 => fine.into(),
            n if n <= SPELLED_OUT => problems.join("; "),
            n => format!("{}; and {} more", problems[..SPELLED_OUT].join("; "), n - SPELLED_OUT),
        };
        Check {
            name: name.to_owned(),
            subject: subject.map(str::to_owned),
            outcome: if problems.is_empty() { Outcome::Held } else { Outcome::Violated },
            detail,
            required: Value::Null,
            achieved: Value::Null,
        }
    }

    /// The same check with the two values that were compared.
    pub(crate) fn comparing(mut self, required: impl Into<Value>, achieved: impl Into<Value>) -> Check {
        self.required = required.into();
        self.achieved = achieved.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(problems: usize) -> Check {
        Check::new("rows", None, &vec!["bad".to_owned(); problems], "fine")
    }

    #[test]
    fn one_violated_check_is_enough_to_fail() {
        let mut verification = Verification { checks: vec![check(0)], ..Verification::default() };
        assert!(verification.holds());
        verification.checks.push(check(1));
        assert!(!verification.holds());
        let json = serde_json::to_value(&verification).unwrap();
        assert_eq!(json["holds"], false);
        assert_eq!(json["checks"][0]["outcome"], "held");
        assert_eq!(json["checks"][1]["outcome"], "violated");
    }

    #[test]
    fn a_flood_of_problems_is_counted_not_printed() {
        assert!(check(1000).detail.ends_with("and 992 more"));
    }
}
