//! LM, the loss metric: how much of its domain does a label cover?

use super::{Balance, Outcome, QualityModel};

/// `LM = Σ_i w_i · LM_i / Σ w_i`, from 0 to 1.
///
/// `LM_i` is the mean over the rows of `(L(label) − 1)/(L(top) − 1)`, with `L` the number of leaves under a label, or of the share of
/// the range for numeric intervals; a suppressed cell counts 1. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
pub(super) fn arithmetic(model: &QualityModel, outcome: &Outcome) -> f64 {
    let terms = per_column(model, outcome).map(|(weight, loss)| weight * loss);
    terms.sum::<f64>() / model.total_weight()
}

/// `∏ (1 + LM_i)^(w_i / Σ w_i) − 1`: the geometric mean known from ARX as "Loss", from 0 to 1.
pub(super) fn geometric(model: &QualityModel, outcome: &Outcome) -> f64 {
    let total = model.total_weight();
    if model.columns.iter().all(|column| column.weight == 1.0) {
        let product: f64 = per_column(model, outcome).map(|(_, loss)| 1.0 + loss).product();
        return product.powf(1.0 / model.columns.len().max(1) as f64) - 1.0;
    }
    per_column(model, outcome).map(|(weight, loss)| (1.0 + loss).powf(weight / total)).product::<f64>() - 1.0
}

/// Weight and `LM_i` of each column.
fn per_column<'a>(model: &'a QualityModel, outcome: &'a Outcome) -> impl Iterator<Item = (f64, f64)> + 'a {
    let rows = model.rows as f64;
    let (levels, balance) = (outcome.node.levels(), model.balance);
    model.columns.iter().zip(levels).enumerate().map(move |(i, (column, &level))| {
        let share = &column.share[usize::from(level)];
        let kept_anyway: f64 = match outcome.suppressed_values.get(i) {
            Some(values) => values.iter().zip(share).map(|(&rows, share)| rows as f64 * share).sum(),
            None => 0.0,
        };
        // A column whose domain is a single value loses nothing, suppressed or not.
        let has_domain = column.share.last().is_some_and(|top| top.iter().any(|&share| share > 0.0));
        let suppressed = if has_domain { outcome.suppressed_rows as f64 } else { 0.0 };
        let kept = column.loss[usize::from(level)] - kept_anyway;
        let lost = match balance == Balance::EVEN {
            true => kept + suppressed,
            // A suppressed cell costs `u + s(1 − u)`, with `u` what its label would have cost.
            false => {
                let s = balance.suppression();
                balance.generalization() * kept + (1.0 - s) * kept_anyway + s * suppressed
            }
        };
        (column.weight, lost / rows)
    })
}
