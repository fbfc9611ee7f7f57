//! Sums of squared class sizes, which both discernibility metrics are.

use super::QualityModel;
use crate::grouping::Classes;
use crate::lattice::Node;

/// Lower bound of DM and DM*: `Σ |E|² ≥ m² / EC` with as many classes as the labels of the node allow. A suppressed row costs
/// `m`, never less than the size of its class.
pub(super) fn least(model: &QualityModel, node: &Node) -> f64 {
    let rows = model.rows as f64;
    rows * rows / model.most_classes(node)
}

/// `Σ |E| · max(|E|, least)`: every row is in a class of at least `least` rows in a generalization that keeps it.
pub(super) fn with_least(classes: &Classes, least: u128) -> f64 {
    let cost = |rows: u128| rows * rows.max(least);
    (0..classes.len()).map(|class| cost(u128::from(classes.rows(class)))).sum::<u128>() as f64
}
