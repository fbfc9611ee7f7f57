//! AECS, the average size of the equivalence classes.

use super::{Balance, Outcome, QualityModel};
use crate::grouping::Classes;
use crate::lattice::Node;

/// `AECS = m / (EC · p)`: all rows over the classes, relative to the smallest class size `p` that the criteria ask for.
///
/// Suppressed rows count as one more class. LeFevre, DeWitt & Ramakrishnan, "Mondrian multidimensional
/// k-anonymity", ICDE 2006.
pub(super) fn average(model: &QualityModel, outcome: &Outcome) -> f64 {
    let least = model.least_class_size.max(1);
    if model.balance != Balance::EVEN {
        let (g, s) = (model.balance.generalization(), model.balance.suppression());
        let classes = s * outcome.kept_classes as f64 + if outcome.suppressed_rows > 0 { g } else { 0.0 };
        // Where classes count nothing, all releases lose the same.
        return model.rows as f64 / (classes.max(f64::EPSILON) * least as f64);
    }
    let classes = outcome.kept_classes + u64::from(outcome.suppressed_rows > 0);
    model.rows as f64 / (classes.max(1) * least) as f64
}

/// What AECS is at least: with as many classes as the labels of the node allow.
pub(super) fn least(model: &QualityModel, node: &Node) -> f64 {
    model.rows as f64 / (model.most_classes(node) * model.least_class_size.max(1) as f64)
}

/// What AECS is at least in every generalization of the node with these classes. It has no more of them; and one that is kept has swallowed a class that is large enough, or so many too small ones that
/// together they are.
pub(super) fn least_above(model: &QualityModel, classes: &Classes) -> f64 {
    let least = model.least_class_size.max(1);
    let sizes = || (0..classes.len()).map(|class| classes.rows(class)).filter(|&rows| rows > 0);
    let large = sizes().filter(|&rows| rows >= least).count() as u64;
    // What is left over of the too small ones may be suppressed, which counts as one class.
    let most = large + classes.rows_below(least).div_ceil(least);
    let most = most.min(sizes().count() as u64).max(1);
    model.rows as f64 / (most * least) as f64
}
