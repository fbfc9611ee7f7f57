//! Means of relative levels, which both precision metrics are.

use super::QualityModel;
use super::column::ColumnQuality;
use crate::lattice::Node;

/// `1 − PM* = Σ_i w_i · k_i/m_i / Σ w_i`. A column without levels contributes 0.
pub(super) fn of_node(model: &QualityModel, node: &Node) -> f64 {
    let g = model.balance.generalization();
    mean(model, node, |_, relative| g * relative)
}

/// The weighted mean over the columns of a term of the column and its relative level.
pub(super) fn mean(model: &QualityModel, node: &Node, term: impl Fn(&ColumnQuality, f64) -> f64) -> f64 {
    let terms = model.columns.iter().zip(node.levels()).map(|(column, &level)| {
        column.weight * term(column, f64::from(level) / f64::from(column.max_level.max(1)))
    });
    terms.sum::<f64>() / model.total_weight()
}
