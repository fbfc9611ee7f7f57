//! The geometric mean of the columns' LM.

use super::cell_shares::per_column;
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `∏ (1 + LM_i)^(w_i / Σ w_i) − 1`: the geometric mean known from ARX as "Loss", from 0 to 1.
pub(super) struct GeometricLoss;

impl QualityMetric for GeometricLoss {
    fn card(&self) -> Card {
        Card {
            name: "loss-geometric",
            title: "loss, geometric mean",
            range: Range::Words("0 – 1"),
            meaning: "The same, averaged over columns so that one lost column weighs less.",
            source: "Iyengar, \"Transforming data to satisfy privacy constraints\", KDD 2002; the mean is that of ARX.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Values
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        let total = model.total_weight();
        if model.columns.iter().all(|column| column.weight == 1.0) {
            let product: f64 = per_column(model, outcome).map(|(_, loss)| 1.0 + loss).product();
            return product.powf(1.0 / model.columns.len().max(1) as f64) - 1.0;
        }
        let factors = per_column(model, outcome).map(|(weight, loss)| (1.0 + loss).powf(weight / total));
        factors.product::<f64>() - 1.0
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

    fn has_balance(&self) -> bool {
        true
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        // `ln(1 + x) ≥ x · ln 2` for x from 0 to 1, so `Σ w ln(1 + x_i) ≥ ln 2 · Σ w x_i`.
        Some(OnBoxes::of_shares(|bound| bound.mean.exp2() - 1.0, |sums| sums.log_share.exp_m1()))
    }
}
