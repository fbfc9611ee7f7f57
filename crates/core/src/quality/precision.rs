//! PM and PM*, the precision of a release. As losses: `1 − PM`, from 0 (nothing lost) to 1.

use super::column::ColumnQuality;
use super::{Outcome, QualityModel};
use crate::lattice::Node;

/// `1 − PM* = Σ_i w_i · k_i/m_i / Σ w_i`. A column without levels contributes 0.
pub(super) fn monotone(model: &QualityModel, node: &Node) -> f64 {
    let g = model.balance.generalization();
    mean(model, node, |_, relative| g * relative)
}

/// `1 − PM`: the same per cell, where a suppressed cell counts as fully generalized.
///
/// Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.
pub(super) fn per_cell(model: &QualityModel, outcome: &Outcome) -> f64 {
    let rows = model.rows as f64;
    let suppressed = outcome.suppressed_rows as f64;
    let (g, s) = (model.balance.generalization(), model.balance.suppression());
    mean(model, &outcome.node, |column, relative| {
        let top = if column.max_level == 0 { 0.0 } else { 1.0 };
        ((rows - suppressed) * (g * relative) + suppressed * (s * top)) / rows
    })
}

/// What no node goes below with these levels, whatever it suppresses: the loss is linear in the suppressed rows, so nothing or all of
/// them is best.
pub(super) fn least(model: &QualityModel, node: &Node) -> f64 {
    let s = model.balance.suppression();
    let all = mean(model, node, |column, _| if column.max_level == 0 { 0.0 } else { s });
    monotone(model, node).min(all)
}

fn mean(model: &QualityModel, node: &Node, term: impl Fn(&ColumnQuality, f64) -> f64) -> f64 {
    let terms = model.columns.iter().zip(node.levels()).map(|(column, &level)| {
        column.weight * term(column, f64::from(level) / f64::from(column.max_level.max(1)))
    });
    terms.sum::<f64>() / model.total_weight()
}
