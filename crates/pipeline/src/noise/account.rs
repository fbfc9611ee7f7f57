//! What was done, as data.

use super::mechanism::Mechanism;
use paravent_ledger::Receipt;
use paravent_noise::estimate::Estimate;
pub use paravent_report::{MeanEstimate, ValueEstimate};
use serde::Serialize;
use serde_json::{Value, json};

/// What was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The largest number of rows of one person, where the job says whose row it is; each costs.
    pub rows_per_person: Option<u64>,
    /// The ε of all columns together, over all rows of a person where the job says whose row it is.
    pub epsilon: String,
    /// The δ of all columns together.
    pub delta: String,
    /// Whether that bounds what the draw tells. If not, the owner let it pass.
    pub bounded: bool,
    /// What all noisy answers to this recipient have cost, this one included.
    pub spent: String,
    /// What is left.
    pub left: String,
    /// Who gets it.
    pub recipient: String,
    /// The lines of the ledgers.
    pub receipts: Vec<Receipt>,
}

/// What was done to one column, and what can still be said of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnAccount {
    /// The column.
    pub column: String,
    /// With this probability a cell was redrawn; none for cases and added numbers.
    pub probability: Option<String>,
    /// Which noise.
    pub law: &'static str,
    /// Values of the noise; none where they were read off the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<usize>,
    /// What it gives away, rounded up; infinite (`null`) where an answer rules a value out.
    pub epsilon: f64,
    /// The probability with which ε may fail to hold.
    pub delta: f64,
    /// Unbiased estimates of the true number of rows of each value, with standard errors; none where the noise cannot be undone.
    pub estimates: Option<Vec<ValueEstimate>>,
    /// The true mean of numbers, estimated without bias.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<MeanEstimate>,
}

impl ColumnAccount {
    /// Before anything is drawn.
    pub(super) fn undrawn(mechanism: &Mechanism) -> ColumnAccount {
        let cost = mechanism.cost.as_ref();
        ColumnAccount {
            column: mechanism.column.clone(),
            probability: mechanism.probability.clone(),
            law: mechanism.law,
            values: (!mechanism.read_off).then_some(mechanism.values.len()),
            epsilon: cost.map_or(f64::INFINITY, |cost| cost.epsilon().to_f64()),
            delta: cost.map_or(0.0, |cost| cost.delta().to_f64()),
            estimates: None,
            mean: None,
        }
    }

    /// From the released rows alone: how many show each value.
    pub(super) fn new(mechanism: &Mechanism, observed: &[u64]) -> ColumnAccount {
        // Where only the values were read off the column, those that no row shows stay unsaid.
        let least = u64::from(mechanism.read_off);
        let estimate = |((value, observed), estimate): ((&Option<String>, &u64), Estimate)| ValueEstimate {
            value: value.clone(),
            observed: *observed,
            estimate: estimate.value,
            standard_error: estimate.standard_error,
        };
        let estimates = mechanism.estimates(observed).map(|estimates| {
            let all = mechanism.values.iter().zip(observed).zip(estimates).map(estimate);
            all.filter(|estimate| estimate.observed >= least).collect()
        });
        let rows: u64 = observed.iter().sum();
        let mean = mechanism.mean(observed).map(|estimate| {
            let numbers = mechanism
                .values
                .iter()
                .zip(observed)
                .filter_map(|(value, rows)| Some(value.as_deref()?.parse::<f64>().ok()? * *rows as f64));
            MeanEstimate {
                observed: numbers.sum::<f64>() / rows.max(1) as f64,
                estimate: estimate.value,
                standard_error: estimate.standard_error,
            }
        });
        ColumnAccount { estimates, mean, ..ColumnAccount::undrawn(mechanism) }
    }
}

/// What a program is told of the operator.
pub(super) fn document(columns: &[ColumnAccount], charge: &Charge, seeded: bool) -> Value {
    json!({
        "operator": "randomize",
        "columns": columns,
        "seeded": seeded,
        "epsilon": charge.epsilon,
        "delta": charge.delta,
        "bounded": charge.bounded,
        "rows_per_person": charge.rows_per_person,
        "spent": charge.spent,
        "left": charge.left,
    })
}
