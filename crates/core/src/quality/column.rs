//! What every column contributes on every level, computed once.

use super::Balance;
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use crate::table::TupleSource;
use rayon::prelude::*;
use std::borrow::Cow;

/// Everything metrics need to know about a table: per column and level, in a fixed order of addition.
#[derive(Debug, Clone)]
pub struct QualityModel {
    pub(super) columns: Vec<ColumnQuality>,
    pub(super) rows: u64,
    pub(super) least_class_size: u64,
    tuples: usize,
    pub(super) balance: Balance,
}

/// One quasi-identifier.
#[derive(Debug, Clone)]
pub(super) struct ColumnQuality {
    pub(super) weight: f64,
    pub(super) max_level: u8,
    /// By level: `−Σ_j log2 X`, in bits.
    pub(super) non_uniform_entropy: Vec<f64>,
    /// By level: `−Σ_j X log2 X`.
    pub(super) entropy: Vec<f64>,
    /// By level: Σ_j of the share of the domain that the row's label covers.
    pub(super) loss: Vec<f64>,
    /// By level and group: that share.
    pub(super) share: Vec<Vec<f64>>,
    /// Rows of every value.
    pub(super) leaves: Vec<u64>,
}

impl QualityModel {
    /// The model of a table with a ladder and a weight per quasi-identifier. `least_class_size` is what the criteria ask for.
    pub fn new(
        table: &dyn TupleSource,
        ladders: &[Ladder],
        weights: &[f64],
        least_class_size: u64,
    ) -> QualityModel {
        let of_column = |(column, (ladder, &weight)): (usize, (&Ladder, &f64))| {
            let leaves = table.value_counts(column, ladder.cardinality(0));
            ColumnQuality::new(ladder, weight, leaves)
        };
        let columns = ladders.par_iter().zip(weights).enumerate().map(of_column).collect();
        let (rows, tuples) = (table.row_count(), table.tuple_count());
        QualityModel { columns, rows, least_class_size, tuples, balance: Balance::EVEN }
    }

    /// The same where generalization and suppression count differently.
    pub fn balanced(self, balance: Balance) -> QualityModel {
        QualityModel { balance, ..self }
    }

    /// The same where both count as the literature says.
    pub fn even(&self) -> Cow<'_, QualityModel> {
        match self.balance == Balance::EVEN {
            true => Cow::Borrowed(self),
            false => Cow::Owned(self.clone().balanced(Balance::EVEN)),
        }
    }

    /// Bits hidden by generalizing one column to a level: its share of NUEM, unweighted.
    pub fn hidden_bits(&self, column: usize, level: u8) -> f64 {
        self.columns[column].non_uniform_entropy[usize::from(level)]
    }

    /// Share of a column's domain that the labels of a level leave open, in the mean over all rows: its part in `loss`, unweighted.
    pub fn open_share(&self, column: usize, level: u8) -> f64 {
        self.columns[column].loss[usize::from(level)] / self.rows.max(1) as f64
    }

    /// How many rows have each value of a column.
    pub(crate) fn value_counts(&self, column: usize) -> &[u64] {
        &self.columns[column].leaves
    }

    /// More classes than this a node cannot have: combinations of labels, and tuples.
    pub(super) fn most_classes(&self, node: &Node) -> f64 {
        let labels = self
            .columns
            .iter()
            .zip(node.levels())
            .map(|(column, &level)| column.share[usize::from(level)].len());
        labels.map(|labels| labels.max(1) as f64).product::<f64>().min(self.tuples.max(1) as f64)
    }

    /// Σ of the weights; 1 where all are 0, so that means are defined.
    pub(super) fn total_weight(&self) -> f64 {
        let total: f64 = self.columns.iter().map(|column| column.weight).sum();
        if total > 0.0 { total } else { 1.0 }
    }
}

impl ColumnQuality {
    fn new(ladder: &Ladder, weight: f64, leaves: Vec<u64>) -> ColumnQuality {
        let mut column = ColumnQuality {
            weight,
            max_level: ladder.max_level(),
            non_uniform_entropy: Vec::new(),
            entropy: Vec::new(),
            loss: Vec::new(),
            share: Vec::new(),
            leaves,
        };
        let leaves = &column.leaves;
        for rung in ladder.rungs() {
            let mut groups = vec![0u64; rung.labels.len()];
            for (&group, &rows) in rung.group_of.iter().zip(leaves) {
                groups[group as usize] += rows;
            }
            let (mut bits, mut entropy) = (0.0, 0.0);
            for (&group, &rows) in rung.group_of.iter().zip(leaves) {
                // A value that is alone in its group loses nothing, nor does one that does not occur.
                let all = groups[group as usize];
                if rows < all && rows > 0 {
                    let x = rows as f64 / all as f64;
                    let log = x.log2();
                    bits += rows as f64 * -log;
                    entropy += rows as f64 * -x * log;
                }
            }
            column.non_uniform_entropy.push(bits);
            column.entropy.push(entropy);
            column.loss.push(groups.iter().zip(&rung.loss).map(|(&rows, share)| rows as f64 * share).sum());
            column.share.push(rung.loss.clone());
        }
        column
    }
}
