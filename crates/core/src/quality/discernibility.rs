//! DM and DM*, discernibility.

use super::{Outcome, QualityModel};

/// `DM = Σ_{E kept} |E|² + Σ_{E suppressed} |E|·m`, from `m` (best) to `m²`.
///
/// Bayardo & Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
pub(super) fn discernibility(model: &QualityModel, outcome: &Outcome) -> f64 {
    (outcome.kept_squares + u128::from(outcome.suppressed_rows) * u128::from(model.rows)) as f64
}

/// `DM* = Σ_E |E|²` over all classes, which makes it monotone whatever is suppressed.
pub(super) fn monotone(outcome: &Outcome) -> f64 {
    outcome.all_squares as f64
}
