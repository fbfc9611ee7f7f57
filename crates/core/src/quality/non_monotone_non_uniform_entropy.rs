//! NMNUEM, non-uniform entropy that charges suppression.

use super::hidden_bits::{LEFT_OUT_OF_BOXES, SOURCE, charge, of_all_nodes, of_node, on_boxes};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::{Lattice, Node};

/// `NMNUEM = NUEM − Σ_i w_i Σ_{j∈S} log2 Y`, with `Y` the share of row j's label among the suppressed rows `S`.
pub(super) struct NonMonotoneNonUniformEntropy;

impl QualityMetric for NonMonotoneNonUniformEntropy {
    fn card(&self) -> Card {
        Card {
            name: "nmnuem",
            title: "non-uniform entropy with rows left out",
            range: Range::Words("0 and more; lower is better"),
            meaning: "The same, and rows left out are charged as fully generalized.",
            source: SOURCE,
        }
    }

    fn reads(&self) -> Reads {
        Reads::Values
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        of_node(model, &outcome.node) + model.balance.suppression() * charge(model, outcome, |y| -y.log2())
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        of_node(model, node)
    }

    fn bounds_before_check(&self, model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
        of_all_nodes(model, lattice)
    }

    fn reads_suppressed_values(&self) -> bool {
        true
    }

    fn adds_up_over_columns(&self) -> bool {
        true
    }

    fn has_balance(&self) -> bool {
        true
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(on_boxes())
    }

    fn differs_on_boxes(&self) -> Option<&'static str> {
        Some(LEFT_OUT_OF_BOXES)
    }
}
