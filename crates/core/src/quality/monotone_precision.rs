//! PM*, the precision of a release from its levels alone. As a loss: `1 − PM*`, from 0 (nothing lost) to 1.

use super::metric::{Card, QualityMetric, Range, Reads};
use super::relative_levels::of_node;
use super::{Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `1 − PM* = Σ_i w_i · k_i/m_i / Σ w_i`: the mean relative level, suppression not counted.
pub(super) struct MonotonePrecision;

impl QualityMetric for MonotonePrecision {
    fn card(&self) -> Card {
        Card {
            name: "precision-m",
            title: "precision, without rows left out",
            range: Range::Words("1 (nothing lost) – 0"),
            meaning: "The same, but rows left out count like all others.",
            source: "Sweeney, \"Achieving k-anonymity privacy protection using generalization and suppression\", IJUFKS 10(5), 2002.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Levels
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

    fn as_defined(&self, loss: f64) -> f64 {
        1.0 - loss
    }
}
