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

/// What DM is at least in every generalization of the node with these classes: they only merge, and a row of a too small class is in one of at least `p` rows there, or is suppressed and costs `m ≥ p`.
pub(super) fn least_above(model: &QualityModel, classes: &Classes) -> f64 {
    let least = u128::from(model.least_class_size.min(model.rows).max(1));
    sum(classes, |rows| rows * rows.max(least))
}

/// The same for DM*, where a suppressed row costs as much as its class has rows: at most `limit` rows stay in too small classes, those of the smallest at best.
pub(super) fn monotone_least_above(model: &QualityModel, classes: &Classes, limit: u64) -> f64 {
    let least = model.least_class_size.min(model.rows).max(1);
    let mut rows_of_size = vec![0u64; least as usize];
    for rows in (0..classes.len()).map(|class| classes.rows(class)).filter(|&rows| rows < least) {
        rows_of_size[rows as usize] += rows;
    }
    let (mut left, mut saved) = (limit, 0u128);
    for (size, rows) in (0u64..).zip(rows_of_size) {
        let stay = rows.min(left);
        left -= stay;
        saved += u128::from(stay) * u128::from(least - size);
    }
    let least = u128::from(least);
    sum(classes, |rows| rows * rows.max(least)) - saved as f64
}

fn sum(classes: &Classes, cost: impl Fn(u128) -> u128) -> f64 {
    (0..classes.len()).map(|class| cost(u128::from(classes.rows(class)))).sum::<u128>() as f64
}

/// What DM is at least where so many rows are left out.
pub(super) fn least_without(model: &QualityModel, left_out: u64) -> f64 {
    model.rows as f64 * left_out as f64 + (model.rows - left_out.min(model.rows)) as f64
}

/// Fewer rows than this must be left out for DM to be below a loss.
pub(super) fn most_left_out(model: &QualityModel, loss: f64) -> u64 {
    // A row that is left out costs as many as there are rows.
    (loss / model.rows.max(1) as f64) as u64
}
