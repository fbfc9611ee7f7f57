//! DM and DM*, discernibility.

use super::{Outcome, QualityModel};
use crate::grouping::Classes;
use crate::lattice::Node;

/// `DM = Σ_{E kept} |E|² + Σ_{E suppressed} |E|·m`, from `m` (best) to `m²`.
///
/// Bayardo & Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
pub(super) fn discernibility(model: &QualityModel, outcome: &Outcome) -> f64 {
    (outcome.kept_squares + u128::from(outcome.suppressed_rows) * u128::from(model.rows)) as f64
}

/// `DM* = Σ_E |E|²` over all classes, which makes it monotone whatever is suppressed.
pub(super) fn monotone(outcome: &Outcome) -> f64 {
    outcome.all_squares as f64
}

/// What DM and DM* are at least: `Σ |E|² ≥ m² / EC` with as many classes as the labels of the node allow. A suppressed row costs
/// `m`, never less than the size of its class.
pub(super) fn least(model: &QualityModel, node: &Node) -> f64 {
    let rows = model.rows as f64;
    rows * rows / model.most_classes(node)
}

/// What DM and DM* are at least in every generalization of the node with these classes: `DM ≥ DM*`, and DM* grows when classes merge.
pub(super) fn least_above(classes: &Classes) -> f64 {
    (0..classes.len()).map(|class| u128::from(classes.rows(class)).pow(2)).sum::<u128>() as f64
}
