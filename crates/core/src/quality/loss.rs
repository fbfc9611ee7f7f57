//! LM, the loss metric: how much of its domain does a label cover?

use super::cell_shares::per_column;
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `LM = Σ_i w_i · LM_i / Σ w_i`, from 0 to 1.
///
/// `LM_i` is the mean over the rows of `(L(label) − 1)/(L(top) − 1)`, with `L` the number of leaves under a label, or of the share of
/// the range for numeric intervals; a suppressed cell counts 1. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
pub(super) struct Loss;

impl QualityMetric for Loss {
    fn card(&self) -> Card {
        Card {
            name: "loss",
            title: "loss",
            range: Range::Words("0 – 1"),
            meaning: "Share of all possible values that a cell leaves open on average; cells of rows left out count 1.",
            source: "Iyengar, \"Transforming data to satisfy privacy constraints\", KDD 2002.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Values
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        let terms = per_column(model, outcome).map(|(weight, loss)| weight * loss);
        terms.sum::<f64>() / model.total_weight()
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        self.loss(model, &Outcome::nothing_suppressed(node))
    }

    fn reads_suppressed_values(&self) -> bool {
        true
    }

    fn reads_shares(&self) -> bool {
        true
    }

    fn adds_up_over_columns(&self) -> bool {
        true
    }

    fn has_balance(&self) -> bool {
        true
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        let of_shares = OnBoxes::of_shares(|bound| bound.mean, |sums| sums.share);
        Some(OnBoxes { is_the_sum: true, ..of_shares })
    }
}
