//! NUEM, non-uniform entropy.

use super::hidden_bits::{LEFT_OUT_OF_BOXES, SOURCE, of_all_nodes, of_node, on_boxes};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::{Lattice, Node};

/// `NUEM = −Σ_i w_i Σ_j log2 X`, suppression not counted: known from the node alone.
pub(super) struct NonUniformEntropy;

impl QualityMetric for NonUniformEntropy {
    fn card(&self) -> Card {
        Card {
            name: "nuem",
            title: "non-uniform entropy",
            range: Range::Words("0 – rows × columns × log₂ rows (weights of 1)"),
            meaning: "Bits needed to get from the released values back to the original ones, over all rows.",
            source: SOURCE,
        }
    }

    fn reads(&self) -> Reads {
        Reads::Values
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        of_node(model, &outcome.node)
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        of_node(model, node)
    }

    fn bounds_before_check(&self, model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
        of_all_nodes(model, lattice)
    }

    fn adds_up_over_columns(&self) -> bool {
        true
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(on_boxes())
    }

    fn differs_on_boxes(&self) -> Option<&'static str> {
        Some(LEFT_OUT_OF_BOXES)
    }
}
