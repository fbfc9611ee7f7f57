//! HM, the height of a node.

use super::QualityModel;
use crate::lattice::Node;

/// `HM = Σ_i w_i · k_i`, from 0 to `Σ m_i` with weights of 1.
///
/// Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001.
pub(super) fn height(model: &QualityModel, node: &Node) -> f64 {
    model.columns.iter().zip(node.levels()).map(|(column, &level)| column.weight * f64::from(level)).sum()
}
