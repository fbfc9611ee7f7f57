//! PM, the precision of a release. As a loss: `1 − PM`, from 0 (nothing lost) to 1.

use super::metric::{Card, QualityMetric, Range, Reads};
use super::relative_levels::{mean, of_node};
use super::{OnBoxes, Outcome, QualityModel, Sizes};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `1 − PM`: the mean relative level of all cells, where a suppressed cell counts as fully generalized.
///
/// Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.
pub(super) struct Precision;

impl QualityMetric for Precision {
    fn card(&self) -> Card {
        Card {
            name: "precision",
            title: "precision",
            range: Range::Words("1 (nothing lost) – 0"),
            meaning: "How far below the top the cells are on average; cells of rows left out count as lost.",
            source: "Sweeney, \"Achieving k-anonymity privacy protection using generalization and suppression\", IJUFKS 10(5), 2002.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Levels
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        let rows = model.rows as f64;
        let suppressed = outcome.suppressed_rows as f64;
        let (g, s) = (model.balance.generalization(), model.balance.suppression());
        mean(model, &outcome.node, |column, relative| {
            let top = if column.max_level == 0 { 0.0 } else { 1.0 };
            ((rows - suppressed) * (g * relative) + suppressed * (s * top)) / rows
        })
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    // The loss is linear in the suppressed rows, so nothing or all of them is best.
    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        let s = model.balance.suppression();
        let all = mean(model, node, |column, _| if column.max_level == 0 { 0.0 } else { s });
        of_node(model, node).min(all)
    }

    fn has_balance(&self) -> bool {
        true
    }

    fn as_defined(&self, loss: f64) -> f64 {
        1.0 - loss
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(OnBoxes {
            cell: |label| label.weight * (label.level as f64 / f64::from(label.max_level.max(1))),
            sizes: Sizes::Free,
            is_the_sum: true,
            loses: |ladder| ladder.max_level() > 0,
            has_balance: true,
            bound: |bound| bound.mean,
            value: |sums| sums.relative_level,
        })
    }
}
