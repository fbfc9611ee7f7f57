//! AECS, the average size of the equivalence classes.

use super::{Outcome, QualityModel};
use crate::grouping::Classes;
use crate::lattice::Node;

/// `AECS = m / (EC · p)`: all rows over the classes, relative to the smallest class size `p` that the criteria ask for.
///
/// Suppressed rows count as one more class. LeFevre, DeWitt & Ramakrishnan, "Mondrian multidimensional
/// k-anonymity", ICDE 2006.
pub(super) fn average(model: &QualityModel, outcome: &Outcome) -> f64 {
    let classes = outcome.kept_classes + u64::from(outcome.suppressed_rows > 0);
    model.rows as f64 / (classes.max(1) * model.least_class_size.max(1)) as f64
}

/// What AECS is at least: with as many classes as the labels of the node allow.
pub(super) fn least(model: &QualityModel, node: &Node) -> f64 {
    model.rows as f64 / (model.most_classes(node) * model.least_class_size.max(1) as f64)
}

/// What AECS is at least in every generalization of the node with these classes: it has no more of them.
pub(super) fn least_above(model: &QualityModel, classes: &Classes) -> f64 {
    let present = (0..classes.len()).filter(|&class| classes.rows(class) > 0).count() as u64;
    model.rows as f64 / (present.max(1) * model.least_class_size.max(1)) as f64
}
