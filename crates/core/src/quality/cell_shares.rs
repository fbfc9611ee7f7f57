//! What share of its domain a column's labels cover, which both loss metrics are made of.

use super::{Balance, Outcome, QualityModel};

/// Weight and `LM_i` of each column.
pub(super) fn per_column<'a>(
    model: &'a QualityModel,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (f64, f64)> + 'a {
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
