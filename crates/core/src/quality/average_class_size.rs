//! AECS, the average size of the equivalence classes.

use super::boxes::{has_domain, share};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{Balance, OnBoxes, Outcome, QualityModel, Sizes};
use crate::criteria::Suppression;
use crate::grouping::Classes;
use crate::lattice::Node;

/// `AECS = m / (EC · p)`: all rows over the classes, relative to the smallest class size `p` that the criteria ask for.
///
/// Suppressed rows count as one more class. LeFevre, DeWitt & Ramakrishnan, "Mondrian multidimensional
/// k-anonymity", ICDE 2006.
pub(super) struct AverageClassSize;

impl QualityMetric for AverageClassSize {
    fn card(&self) -> Card {
        Card {
            name: "aecs",
            title: "average class size",
            range: Range::Words("about 1 and more; lower is better"),
            meaning: "Rows per class, relative to the smallest class size that the promises ask for.",
            source: "LeFevre, DeWitt & Ramakrishnan, \"Mondrian multidimensional k-anonymity\", ICDE 2006.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::ClassSizes
    }

    fn follows_from_release(&self) -> bool {
        true
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
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

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    // With as many classes as the labels of the node allow.
    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        model.rows as f64 / (model.most_classes(node) * model.least_class_size.max(1) as f64)
    }

    // A generalization has no more classes; and one that it keeps has swallowed a class that is large enough, or so many too small ones
    // that together they are.
    fn lower_bound_above(&self, model: &QualityModel, classes: &Classes, _: u64) -> Option<f64> {
        let least = model.least_class_size.max(1);
        let sizes = || (0..classes.len()).map(|class| classes.rows(class)).filter(|&rows| rows > 0);
        let large = sizes().filter(|&rows| rows >= least).count() as u64;
        // What is left over of the too small ones may be suppressed, which counts as one class.
        let most = large + classes.rows_below(least).div_ceil(least);
        let most = most.min(sizes().count() as u64).max(1);
        Some(model.rows as f64 / (most * least) as f64)
    }

    // What is suppressed counts as one more class, and all classes may be kept besides.
    fn bound_of_split_classes(&self, bound: f64, rows: f64, least_class_size: f64) -> f64 {
        let classes = rows / (bound * least_class_size);
        rows / ((classes + 1.0) * least_class_size)
    }

    fn has_balance(&self) -> bool {
        true
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(OnBoxes {
            cell: share,
            sizes: Sizes::Classes,
            is_the_sum: false,
            loses: has_domain,
            has_balance: false,
            bound: |bound| {
                let classes = (bound.rows / bound.least_class_size).max(1) + u64::from(bound.may_suppress);
                bound.rows as f64 / (classes * bound.least_class_size) as f64
            },
            value: |sums| sums.rows as f64 / (sums.groups.max(1) * sums.least_class_size) as f64,
        })
    }
}
