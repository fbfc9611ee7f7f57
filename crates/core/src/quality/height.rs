//! HM, the height of a node.

use super::metric::{Card, QualityMetric, Range, Reads};
use super::{Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `HM = Σ_i w_i · k_i`, from 0 to `Σ m_i` with weights of 1.
///
/// Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001.
pub(super) struct Height;

impl QualityMetric for Height {
    fn card(&self) -> Card {
        Card {
            name: "height",
            title: "height",
            range: Range::Heights,
            meaning: "Steps climbed in all hierarchies together.",
            source: "Samarati, \"Protecting respondents' identities in microdata release\", TKDE 13(6), 2001.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Levels
    }

    fn follows_from_release(&self) -> bool {
        true
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        self.bound_before_check(model, &outcome.node)
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        model.columns.iter().zip(node.levels()).map(|(column, &level)| column.weight * f64::from(level)).sum()
    }

    fn is_the_height(&self) -> bool {
        true
    }
}
