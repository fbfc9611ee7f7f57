//! The version of the report that may be handed out.
//!
//! Somebody who knows everybody but one person in the original could learn about that person from any figure that was computed over all rows:
//! a loss, a share before, the number of different values. What is handed out is therefore computed from released rows, or stated by a promise
//! and needed to check it: the numbers of rows read and left out, what was required and achieved. Losses have three digits. In a small table
//! one person moves the third digit, so that only losses that follow from the released rows are told there. In a large one they are all
//! told: one person rarely turns a digit, but somewhere every digit turns. Digests of the input and the job, times, the search and earlier
//! releases stay in the full version.

use super::{Audience, Document, LatticeFacts, View};
use crate::{AboutFacts, InputFacts, SearchFacts, SolutionFacts, TreatmentFacts, UnchangedFacts};
use paravent_assess::risk::{RiskBeforeAfter, RiskSummary};
use paravent_core::quality::Metric;
use paravent_prepare::study::PromiseFacts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The view that the handed-out page is drawn from. `released` has the risk figures of the released rows, compared with nothing else.
pub fn external(view: &View, released: RiskSummary) -> View {
    let mut view = view.clone();
    view.audience = Audience::Outside;
    view.node_counts = (0, 0, 0);
    for attribute in &mut view.attributes {
        attribute.levels.retain(|level| level.chosen);
        for level in &mut attribute.levels {
            level.groups = level.released_groups;
            level.relative_loss = 0.0;
        }
        // A bar without a released row would tell that somebody with another label was left out.
        attribute.distribution.retain(|bar| bar.after > 0.0);
        attribute.distribution.iter_mut().for_each(|bar| bar.before = None);
    }
    view.document = document(&view.document, released);
    view
}

/// Everything that must not leave the house is blank, so that no section can show it by mistake.
fn document(full: &Document, released: RiskSummary) -> Document {
    let mut solution = full.solution.clone();
    solution.loss = told_loss(solution.metric, solution.loss, full.input.rows).unwrap_or(f64::NAN);
    solution.losses = rounded(&solution.losses, full.input.rows);
    // Computed over all rows, also those that were left out.
    (solution.lower_bound, solution.gap) = (None, None);
    let output = full.output.clone().map(|mut output| {
        let name = Path::new(&output.path).file_name().unwrap_or_default();
        output.path = name.to_string_lossy().into_owned();
        output.seconds = 0.0;
        output
    });
    let threshold = full.risk.as_ref().map_or(0.0, |risk| risk.threshold);
    Document {
        paravent: full.paravent,
        about: full.about.clone(),
        job_sha256: String::new(),
        input: InputFacts {
            rows: full.input.rows,
            distinct_tuples: 0,
            seconds: 0.0,
            spilled_bytes: None,
            received_bytes: None,
            sha256: None,
        },
        // Whether there was a choice at all, and no more.
        lattice: LatticeFacts { nodes: u128::from(full.lattice.nodes == 1), levels: 0 },
        search: SearchFacts {
            algorithm: "",
            case: 0,
            optimal: full.search.optimal,
            checks: 0,
            rollups: 0,
            threads: 0,
            seconds: 0.0,
            peak_bytes: 0,
            subset_tests: 0,
            tagged: 0,
            bound: None,
            moves: None,
            gap_percent: None,
        },
        solution,
        // What a promise is worth was asked about the original.
        privacy: full.privacy.iter().map(|facts| PromiseFacts { loose: None, ..facts.clone() }).collect(),
        treatments: full.treatments.external(),
        output,
        warnings: Vec::new(),
        risk: Some(RiskBeforeAfter { threshold, before: released.clone(), after: released }),
        unchanged: full.unchanged.clone(),
        verdict: None,
        suppressed: None,
        opinion: None,
        utility: None,
        register: None,
        held_against: Vec::new(),
        unregistered: false,
    }
}

/// `report.json` of the release. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ExternalDocument {
    /// Version of the program.
    paravent: &'static str,
    /// What was read.
    input: ExternalInput,
    /// What was chosen.
    solution: ExternalSolution,
    /// What is promised, criterion by criterion.
    privacy: Vec<PromiseFacts>,
    /// What was written; `null` in a dry run.
    output: Option<ExternalOutput>,
    /// Who is singled out by columns that are released as they are; `null` where there are none.
    unchanged: Option<UnchangedFacts>,
    /// What remains to be feared, from released rows alone.
    risk: Option<ExternalRisk>,
    /// What was done besides generalizing and suppressing.
    #[serde(skip_serializing_if = "TreatmentFacts::is_empty")]
    treatments: TreatmentFacts,
    /// What the release is, for whom, and on what ground; absent where the job does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<AboutFacts>,
}

/// What was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ExternalInput {
    /// Rows of the table (of the subset, where one is declared).
    rows: u64,
}

/// What was chosen. Losses that follow from the released rows, with three digits; `null` for others.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ExternalSolution {
    #[serde(flatten)]
    solution: SolutionFacts,
    /// Whether it is proven to be the best.
    optimal: bool,
}

/// What was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ExternalOutput {
    /// Name of the data file.
    path: String,
    /// Its rows.
    rows: u64,
    /// Its digest.
    sha256: String,
    /// Whether the independent verifier accepted the files.
    verified: bool,
}

/// What remains to be feared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ExternalRisk {
    /// What counts as a high risk.
    threshold: f64,
    /// Of the released rows.
    after: RiskSummary,
}

/// `report.json` of the release, from the document of an [`external`] view.
pub fn external_document(document: &Document) -> Value {
    let output = document.output.clone().map(|output| ExternalOutput {
        path: output.path,
        rows: output.rows,
        sha256: output.sha256,
        verified: output.verified,
    });
    let risk = document.risk.clone();
    let mut told = json!(ExternalDocument {
        paravent: document.paravent,
        input: ExternalInput { rows: document.input.rows },
        solution: ExternalSolution { solution: document.solution.clone(), optimal: document.search.optimal },
        privacy: document.privacy.clone(),
        output,
        unchanged: document.unchanged.clone(),
        risk: risk.map(|risk| ExternalRisk { threshold: risk.threshold, after: risk.after }),
        treatments: document.treatments.clone(),
        about: document.about.clone(),
    });
    if let Some(after) = told.pointer_mut("/risk/after") {
        *after = steady(after.take());
    }
    told
}

/// The order in which shares are added up may change their last digits; what is handed out is the same to the byte.
fn steady(value: Value) -> Value {
    match value {
        Value::Number(ref number) if number.is_f64() => {
            // Beyond nine decimals, and the sign of a zero.
            // Rounded to twelve digits first: sums in another order may lie on either side of a half of the ninth.
            let steady = |number: f64| ((number * 1e12).round() / 1e3).round() / 1e9 + 0.0;
            number.as_f64().map_or(Value::Null, |number| json!(steady(number)))
        }
        Value::Array(items) => items.into_iter().map(steady).collect(),
        Value::Object(object) => object.into_iter().map(|(key, value)| (key, steady(value))).collect(),
        other => other,
    }
}

fn rounded(losses: &Map<String, Value>, rows: u64) -> Map<String, Value> {
    let round = |value: &Value| match value.as_f64() {
        // Whole numbers stay whole: a height is no measurement.
        Some(number) if value.is_f64() => json!(three_digits(number)),
        _ => value.clone(),
    };
    let told = losses.iter().filter(|(name, _)| is_told(name, rows));
    told.map(|(name, value)| (name.clone(), round(value))).collect()
}

/// From this number of rows on, one row weighs less than half of the third digit of a loss of a tenth.
const MANY_ROWS: u64 = 2_000;

/// A loss as it may be handed out: with three digits where it follows from the release or the table is large, and else not at all.
pub fn told_loss(metric: &str, loss: f64, rows: u64) -> Option<f64> {
    is_told(metric, rows).then(|| three_digits(loss))
}

fn is_told(metric: &str, rows: u64) -> bool {
    rows >= MANY_ROWS || Metric::by_name(metric).is_some_and(Metric::follows_from_release)
}

/// A number with its first three digits.
fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_table_tells_only_losses_that_follow_from_the_release() {
        assert_eq!(super::told_loss("loss", 0.123_456, 1_999), None);
        assert_eq!(super::told_loss("loss", 0.123_456, 2_000), Some(0.123));
        assert_eq!(super::told_loss("aecs", 0.123_456, 60), Some(0.123));
    }

    #[test]
    fn three_digits_stay() {
        for (exact, told) in [
            (255_559.85, 256_000.0),
            (0.412_345, 0.412),
            (1.0, 1.0),
            (0.0, 0.0),
            (-12.36, -12.4),
            (9.999, 10.0),
        ] {
            assert_eq!(three_digits(exact), told);
        }
        assert!(three_digits(f64::NAN).is_nan());
    }
}
