//! EM, the entropy metric.

use super::hidden_bits::{SOURCE, charge};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `EM = −Σ_i w_i Σ_j X log2 X − Σ_i w_i Σ_{j∈S} Y log2 Y`. Not monotone: `−x log2 x` peaks at 1/e.
///
/// The literature leaves open how suppressed rows count; they are charged here as in NMNUEM.
pub(super) struct Entropy;

impl QualityMetric for Entropy {
    fn card(&self) -> Card {
        Card {
            name: "entropy",
            title: "entropy",
            range: Range::Words("0 and more; lower is better"),
            meaning: "Uncertainty about the original values, each weighted with its probability, in bits.",
            source: SOURCE,
        }
    }

    fn reads(&self) -> Reads {
        Reads::Values
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        let columns = model.columns.iter().zip(outcome.node.levels());
        let kept: f64 =
            columns.map(|(column, &level)| column.weight * column.entropy[usize::from(level)]).sum();
        kept + charge(model, outcome, |y| -y * y.log2())
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        false
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        self.loss(model, &Outcome::nothing_suppressed(node))
    }

    fn bounds_grow(&self) -> bool {
        false
    }

    fn reads_suppressed_values(&self) -> bool {
        true
    }
}
