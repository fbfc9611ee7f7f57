//! DM*, discernibility without a charge for suppression.

use super::boxes::{has_domain, share};
use super::class_squares::{least, with_least};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel, Sizes};
use crate::criteria::Suppression;
use crate::grouping::Classes;
use crate::lattice::Node;

/// `DM* = Σ_E |E|²` over all classes, which makes it monotone whatever is suppressed.
pub(super) struct MonotoneDiscernibility;

impl QualityMetric for MonotoneDiscernibility {
    fn card(&self) -> Card {
        Card {
            name: "discernibility-m",
            title: "discernibility, without rows left out",
            range: Range::Squares,
            meaning: "The same over all classes, as if no row were left out.",
            source: "Bayardo & Agrawal, \"Data privacy through optimal k-anonymization\", ICDE 2005.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::ClassSizes
    }

    fn loss(&self, _: &QualityModel, outcome: &Outcome) -> f64 {
        outcome.all_squares as f64
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        true
    }

    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        least(model, node)
    }

    // A suppressed row costs as much as its class has rows: at most `limit` rows stay in too small classes, those of the smallest at best.
    fn lower_bound_above(&self, model: &QualityModel, classes: &Classes, limit: u64) -> Option<f64> {
        let least = model.least_class_size.min(model.rows).max(1);
        let mut rows_of_size = vec![0u64; least as usize];
        for rows in (0..classes.len()).map(|class| classes.rows(class)).filter(|&rows| rows < least) {
            rows_of_size[rows as usize] += rows;
        }
        let (mut left, mut saved) = (limit, 0u128);
        for (size, rows) in (0u64..).zip(rows_of_size) {
            let stay = rows.min(left);
            left -= stay;
            saved += u128::from(stay) * u128::from(least - size);
        }
        Some(with_least(classes, u128::from(least)) - saved as f64)
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(OnBoxes {
            cell: share,
            sizes: Sizes::Squares,
            is_the_sum: false,
            loses: has_domain,
            has_balance: false,
            bound: |bound| {
                (bound.rows - bound.outside.min(bound.rows)) as f64 * bound.least_class_size as f64
            },
            value: |sums| {
                let suppressed = u128::from(sums.suppressed);
                (sums.squares + suppressed * suppressed) as f64
            },
        })
    }

    fn differs_on_boxes(&self) -> Option<&'static str> {
        Some("all rows left out count as one class")
    }
}
