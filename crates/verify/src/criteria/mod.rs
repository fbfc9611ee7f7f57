//! The privacy criteria, computed afresh from the released rows. A file per criterion.

mod beta_likeness;
mod closeness;
mod delta_presence;
mod diversity;
mod k_anonymity;
mod k_map;
mod known;
mod population;

use serde_json::{Map, Value, json};

use crate::checks::Release;
use crate::classes::Group;
use crate::json::Node;
use crate::{Check, VerifyError};

/// Judges every promise of the manifest.
pub(crate) fn judge(release: &Release<'_>) -> Result<Vec<Check>, VerifyError> {
    let promises = &release.manifest.promises;
    if promises.is_empty() {
        let nothing = "the manifest promises no privacy model".to_owned();
        return Ok(vec![Check::new("privacy", None, &[nothing], "")]);
    }
    let mut checks = Vec::new();
    for promise in promises {
        let model = promise.get("model")?.str()?;
        let required = promise.get("required")?;
        if release.lacks_people() && !needs_rows_only(model) {
            // Listed among what was not checked.
            continue;
        }
        if let Some(known) = release.manifest.most_known {
            checks.push(known::judge(release, promise, model, known)?);
            continue;
        }
        match model {
            "k-anonymity" => {
                checks.push(conclude(release, promise, None, k_anonymity::judge(release, &required)?)?)
            }
            "distinct-l-diversity"
            | "entropy-l-diversity"
            | "recursive-l-diversity"
            | "pd-recursive-l-diversity"
            | "npd-recursive-l-diversity"
            | "multi-attribute-l-diversity" => {
                let (subject, finding) = diversity::judge(release, model, &required)?;
                checks.push(conclude(release, promise, Some(&subject), finding)?);
            }
            "t-closeness" => {
                let judged = closeness::judge(release, promise, &required)?;
                checks.push(judged.reference);
                checks.push(conclude(release, promise, Some(&judged.attribute), judged.finding)?);
            }
            "beta-likeness" => {
                let (attribute, reference, finding) = beta_likeness::judge(release, promise, &required)?;
                checks.push(reference);
                checks.push(conclude(release, promise, Some(&attribute), finding)?);
            }
            "delta-presence" => {
                let (population, finding) = delta_presence::judge(release, promise, &required)?;
                checks.push(population);
                checks.push(conclude(release, promise, None, finding)?);
            }
            "k-map" => {
                let (population, finding) = k_map::judge(release, promise, &required)?;
                checks.push(population);
                checks.push(conclude(release, promise, None, finding)?);
            }
            _ => {
                let unknown =
                    "a privacy model this verifier does not know, so nobody has checked it".to_owned();
                checks.push(
                    Check::new(model, None, &[unknown], "").comparing(required.value.clone(), Value::Null),
                );
            }
        }
    }
    Ok(checks)
}

/// Whether the rows alone can refute a promise about people: nobody can be in a class without a row in it.
pub(crate) fn needs_rows_only(model: &str) -> bool {
    matches!(model, "k-anonymity" | "distinct-l-diversity")
}

/// What came out for one criterion.
pub(crate) struct Finding {
    /// Empty when the criterion holds.
    problems: Vec<String>,
    /// What to say when it does.
    fine: String,
    /// What the manifest should claim under `achieved`.
    achieved: Vec<(&'static str, Measure)>,
}

/// A measured quantity, and how a claim about it is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    /// Claims must be equal.
    Count(u64),
    /// Claims must agree to [`TOLERANCE`].
    Real(f64),
    /// As `Real`, but 0 may be claimed too: values that the release does not show may be lower.
    RealOrZero(f64),
    /// Nothing was measured (no class to look at, or no bound exists): any claim will do.
    Nothing,
}

/// Relative; two sums in different order do not end in the same digits.
const TOLERANCE: f64 = 1e-9;

impl Measure {
    /// A real unless it is infinite.
    fn real(value: f64) -> Measure {
        if value.is_finite() { Measure::Real(value) } else { Measure::Nothing }
    }

    fn agrees_with(self, claim: &Value) -> bool {
        // A claim may be a number or, like a threshold, a decimal string.
        let number = claim.as_f64().or_else(|| claim.as_str()?.parse::<f64>().ok());
        let close = |value: f64| {
            number.is_some_and(|claim| {
                (claim - value).abs() <= TOLERANCE * claim.abs().max(value.abs()).max(1e-3)
            })
        };
        match self {
            Measure::Count(count) => claim.as_u64() == Some(count),
            Measure::Real(value) => close(value),
            Measure::RealOrZero(value) => number == Some(0.0) || close(value),
            Measure::Nothing => true,
        }
    }

    fn to_json(self) -> Value {
        match self {
            Measure::Count(count) => json!(count),
            Measure::Real(value) | Measure::RealOrZero(value) => json!(value),
            Measure::Nothing => Value::Null,
        }
    }
}

/// Compares a finding with what the manifest claims.
fn conclude(
    release: &Release<'_>,
    promise: &Node<'_>,
    subject: Option<&str>,
    finding: Finding,
) -> Result<Check, VerifyError> {
    let mut problems = finding.problems;
    let claims = promise.get("achieved")?;
    for (key, measure) in &finding.achieved {
        // Figures of rows are not the ones that are claimed about people.
        if !release.lacks_people()
            && *measure != Measure::Nothing
            && !measure.agrees_with(claims.get(key)?.value)
        {
            problems.push(format!("the manifest claims another {key} than the {} found", measure.to_json()));
        }
    }
    if !promise.get("holds")?.bool()? {
        problems.push("the manifest itself says that this does not hold".to_owned());
    }
    let achieved: Map<String, Value> =
        finding.achieved.iter().map(|(key, measure)| ((*key).to_owned(), measure.to_json())).collect();
    let model = promise.get("model")?.str()?;
    Ok(Check::new(model, subject, &problems, finding.fine)
        .comparing(promise.get("required")?.value.clone(), achieved))
}

/// A criterion that looks at one class after the other.
trait ClassCriterion {
    fn take(&mut self, group: &Group<'_>);
    fn finding(&self) -> Finding;
}

/// Classes that fail, counted; the first is remembered.
#[derive(Default)]
struct Failures {
    classes: u64,
    first_row: Option<usize>,
}

impl Failures {
    fn add(&mut self, first_row: usize) {
        self.classes += 1;
        self.first_row = Some(self.first_row.map_or(first_row, |row| row.min(first_row)));
    }

    /// "3 classes …, first the one of row 17", or nothing.
    fn problem(&self, what: &str) -> Option<String> {
        let row = self.first_row? + 1;
        let classes =
            if self.classes == 1 { "1 class".to_owned() } else { format!("{} classes", self.classes) };
        Some(format!("{classes} {what}, first the class of row {row}"))
    }
}

/// The finding about an attribute that the release does not have.
fn absent(attribute: &str) -> Finding {
    let problems = vec![format!("column {attribute} is not in the release")];
    Finding { problems, fine: String::new(), achieved: vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_exactly_and_reals_to_nine_digits() {
        assert!(Measure::Count(5).agrees_with(&json!(5)));
        assert!(!Measure::Count(5).agrees_with(&json!(6)) && !Measure::Count(5).agrees_with(&json!(null)));
        assert!(Measure::Real(0.1875).agrees_with(&json!(0.187_500_000_000_1)));
        assert!(Measure::Real(0.1875).agrees_with(&json!("0.1875")));
        assert!(
            !Measure::Real(0.1875).agrees_with(&json!(0.1876))
                && !Measure::Real(0.1875).agrees_with(&json!(null))
        );
        assert!(Measure::Real(0.0).agrees_with(&json!(1e-15)));
        assert!(
            Measure::RealOrZero(0.4).agrees_with(&json!(0))
                && !Measure::RealOrZero(0.4).agrees_with(&json!(0.3))
        );
        assert!(Measure::real(f64::INFINITY).agrees_with(&json!(null)));
    }

    #[test]
    fn failing_classes_are_named_by_their_first_row() {
        let mut failures = Failures::default();
        assert_eq!(failures.problem("are small"), None);
        failures.add(16);
        failures.add(20);
        assert_eq!(failures.problem("are small").unwrap(), "2 classes are small, first the class of row 17");
    }
}
