//! The LM of the column that loses most.

use super::cell_shares::per_column;
use super::metric::{Card, QualityMetric, Range, Reads};
use super::{OnBoxes, Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::lattice::Node;

/// `max_i w_i · LM_i / max_i w_i`: no column loses more than this, from 0 to 1.
///
/// ARX offers the same maximum as an aggregate of its Loss. Nodes whose worst column is equally bad are equal: the first of them in the
/// order of nodes is taken, as with every metric.
pub(super) struct WorstLoss;

impl QualityMetric for WorstLoss {
    fn card(&self) -> Card {
        Card {
            name: "loss-maximum",
            title: "loss of the worst column",
            range: Range::Words("0 – 1"),
            meaning: "Share of all possible values that a cell leaves open on average, in the column where that is most.",
            source: "Iyengar, \"Transforming data to satisfy privacy constraints\", KDD 2002; the maximum is that of ARX.",
        }
    }

    fn reads(&self) -> Reads {
        Reads::Values
    }

    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64 {
        let heaviest = model.columns.iter().map(|column| column.weight).fold(0.0, f64::max);
        let weighted = |(weight, loss): (f64, f64)| if heaviest > 0.0 { weight / heaviest * loss } else { 0.0 };
        per_column(model, outcome).map(weighted).fold(0.0, f64::max)
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    // A suppressed cell counts 1, and no label counts more. A maximum adds nothing up, so it rounds no other way than its terms.
    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64 {
        self.loss(model, &Outcome::nothing_suppressed(node))
    }

    fn reads_suppressed_values(&self) -> bool {
        true
    }

    fn reads_shares(&self) -> bool {
        true
    }

    fn has_balance(&self) -> bool {
        true
    }

    // Cells add up and a maximum does not: the search lowers the sum over all columns, and of its recodings takes the one whose worst
    // column loses least.
    fn on_boxes(&self) -> Option<OnBoxes> {
        // Of d columns the largest `w_i · x_i` is at least their mean: `max_i w_i · x_i / w_max ≥ Σ w_i · x_i / (d · w_max)`.
        Some(OnBoxes::of_shares(|bound| bound.mean * bound.mean_weight_share, |sums| sums.worst_share))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metric;
    use crate::lattice::Node;
    use crate::release::Solution;
    use crate::testing::{Wish, criteria, patients};

    #[test]
    fn the_worst_column_counts_alone() {
        let fixture = patients();
        let criteria = criteria(&[Wish::K(1)], &fixture.table, 0);
        let checker = fixture.checker(&criteria, Metric::WorstLoss, 0);
        let worst = |node: [u8; 3]| {
            let solution = Solution::at(&checker, &Node::new(node)).unwrap();
            solution.losses.iter().find(|(metric, _)| *metric == Metric::WorstLoss).unwrap().1
        };
        // LM per column: age 16/56 on level 1, zip 24/56 on level 3.
        assert_eq!(worst([0, 0, 0]), 0.0);
        assert!((worst([1, 0, 0]) - 16.0 / 56.0).abs() < 1e-12);
        assert!((worst([1, 0, 3]) - 24.0 / 56.0).abs() < 1e-12);
        assert_eq!(worst([2, 1, 5]), 1.0);
    }
}
