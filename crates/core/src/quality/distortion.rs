//! MD, minimal distortion: how many cells no longer show their value?

use super::boxes::{OnBoxes, Sizes};
use super::metric::{Card, QualityMetric, Range, Reads};
use super::relative_levels::mean;
use super::{Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `MD = Σ_i w_i · ((m − s)·[k_i > 0] + s·[m_i > 0]) / (m · Σ w_i)`: the share of cells that are generalized or suppressed, from 0 to 1.
///
/// A unit of penalty for each cell, as Samarati (TKDE 13(6), 2001) and Sweeney charge it; named by Fung, Wang, Chen & Yu,
/// "Privacy-preserving data publishing: a survey of recent developments", ACM Computing Surveys 42(4), 2010.
pub(super) struct Distortion;

impl QualityMetric for Distortion {
    fn card(&self) -> Card {
        Card {
            name: "distortion",
            title: "minimal distortion",
            range: Range::Words("0 – 1"),
            meaning: "Share of cells that no longer show their value; cells of rows left out count as well.",
            source: "Fung, Wang, Chen & Yu, \"Privacy-preserving data publishing: a survey of recent developments\", ACM Computing Surveys 42(4), 2010.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Levels
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        let (rows, suppressed) = (model.rows as f64, outcome.suppressed_rows as f64);
        mean(model, &outcome.node, |column, relative| {
            let kept = if relative > 0.0 { rows - suppressed } else { 0.0 };
            let lost = if column.max_level > 0 { suppressed } else { 0.0 };
            (kept + lost) / rows
        })
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    // A suppressed cell of a column with levels counts 1, as a generalized one does: suppressing never costs less.
    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        self.loss(model, &Outcome::nothing_suppressed(node))
    }

    fn on_boxes(&self) -> Option<OnBoxes> {
        Some(OnBoxes {
            cell: |label| if label.level > 0 { label.weight } else { 0.0 },
            sizes: Sizes::Free,
            is_the_sum: true,
            loses: |ladder| ladder.max_level() > 0,
            has_balance: false,
            bound: |bound| bound.mean,
            value: |sums| sums.distorted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metric;
    use crate::lattice::Node;
    use crate::release::Solution;
    use crate::testing::{Wish, criteria, patients};

    fn share(node: [u8; 3], wishes: &[Wish], limit: u64) -> f64 {
        let fixture = patients();
        let criteria = criteria(wishes, &fixture.table, limit);
        let checker = fixture.checker(&criteria, Metric::Distortion, limit);
        let solution = Solution::at(&checker, &Node::new(node)).unwrap();
        solution.losses.iter().find(|(metric, _)| *metric == Metric::Distortion).unwrap().1
    }

    #[test]
    fn a_generalized_column_counts_however_high_it_is() {
        assert_eq!(share([0, 0, 0], &[Wish::K(1)], 0), 0.0);
        assert_eq!(share([0, 0, 1], &[Wish::K(1)], 0), 1.0 / 3.0);
        assert_eq!(share([0, 0, 5], &[Wish::K(1)], 0), 1.0 / 3.0);
        assert_eq!(share([2, 1, 5], &[Wish::K(1)], 0), 1.0);
    }

    #[test]
    fn cells_of_suppressed_rows_count() {
        // Two of eight rows are suppressed, with one column in three as it was.
        let share = share([1, 0, 3], &[Wish::Recursive(40, 2)], 2);
        assert!((share - (2.0 + 0.25) / 3.0).abs() < 1e-12, "{share}");
    }
}
