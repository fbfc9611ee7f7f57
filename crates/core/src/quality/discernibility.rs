//! DM, discernibility.

use super::boxes::{has_domain, share};
use super::class_squares::{least, with_least};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel, Sizes};
use crate::criteria::Suppression;
use crate::grouping::Classes;
use crate::lattice::Node;

/// `DM = Σ_{E kept} |E|² + Σ_{E suppressed} |E|·m`, from `m` (best) to `m²`.
///
/// Bayardo & Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
pub(super) struct Discernibility;

impl QualityMetric for Discernibility {
    fn card(&self) -> Card {
        Card {
            name: "discernibility",
            title: "discernibility",
            range: Range::Squares,
            meaning: "With how many rows each row can be confused, summed up; a row left out counts as confused with all.",
            source: "Bayardo & Agrawal, \"Data privacy through optimal k-anonymization\", ICDE 2005.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::ClassSizes
    }

    fn follows_from_release(&self) -> bool {
        true
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        (outcome.kept_squares + u128::from(outcome.suppressed_rows) * u128::from(model.rows)) as f64
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        least(model, node)
    }

    // Classes only merge, and a row of a too small class is in one of at least `p` rows there, or is suppressed and costs `m ≥ p`.
    fn lower_bound_above(&self, model: &QualityModel, classes: &Classes, _: u64) -> Option<f64> {
        Some(with_least(classes, u128::from(model.least_class_size.min(model.rows).max(1))))
    }

    fn lower_bound_without(&self, model: &QualityModel, rows: u64) -> f64 {
        model.rows as f64 * rows as f64 + (model.rows - rows.min(model.rows)) as f64
    }

    // A suppressed row costs as many as there are rows.
    fn most_suppressed(&self, model: &QualityModel, loss: f64) -> Option<u64> {
        Some((loss / model.rows.max(1) as f64) as u64)
    }

    // `s` rows suppressed and the rest in at most `EC` classes cost at least `(m − s)² / EC + s·m`. For `EC ≥ 2` that is least at
    // `s = 0`, the bound for rows; for one class it is least at `s = m / 2`, with `3/4 · m²`, and the bound for `EC ≥ 2` is below that.
    fn bound_of_split_classes(&self, bound: f64, rows: f64, _: f64) -> f64 {
        bound.min(0.75 * rows * rows)
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(OnBoxes {
            cell: share,
            sizes: Sizes::Squares,
            is_the_sum: false,
            loses: has_domain,
            has_balance: false,
            // Every row is in a class of at least `p` rows, or costs as much as all rows together.
            bound: |bound| bound.rows as f64 * bound.least_class_size.min(bound.rows) as f64,
            value: |sums| (sums.squares + u128::from(sums.suppressed) * u128::from(sums.rows)) as f64,
        })
    }
}
