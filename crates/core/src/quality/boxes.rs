//! Metrics of a local recoding, where every class has a box of labels of its own.

use crate::hierarchy::Ladder;

/// What a metric makes of a local recoding.
#[derive(Debug)]
pub(crate) struct OnBoxes {
    /// What a cell with this label costs, as a share of what a suppressed row costs.
    pub(crate) cell: fn(&BoxLabel) -> f64,
    /// What the size of a class costs.
    pub(crate) sizes: Sizes,
    /// Whether the metric is the sum of these costs, up to a factor and a constant: then less cost is less loss.
    pub(crate) is_the_sum: bool,
    /// Whether a suppressed cell of the column costs anything.
    pub(crate) loses: fn(&Ladder) -> bool,
    /// Whether the balance of generalization and suppression can be moved.
    pub(crate) has_balance: bool,
    /// Lower bound of the metric from a lower bound of the mean cost of a row.
    pub(crate) bound: fn(&BoxBound<'_>) -> f64,
    /// The metric from its sums.
    pub(crate) value: fn(&BoxSums) -> f64,
}

impl OnBoxes {
    /// A metric of the shares of the domain that labels cover. It does not look at the sizes of classes.
    pub(super) fn of_shares(bound: fn(&BoxBound<'_>) -> f64, value: fn(&BoxSums) -> f64) -> Self {
        OnBoxes {
            cell: share,
            sizes: Sizes::Free,
            is_the_sum: false,
            loses: has_domain,
            has_balance: true,
            bound,
            value,
        }
    }
}

/// What the size of a class costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// Nothing: the metric looks at cells.
    Free,
    /// The square of its rows; cells only break ties.
    Squares,
    /// Every class is a gain; cells only break ties.
    Classes,
}

/// A label of a column.
#[derive(Debug)]
pub(crate) struct BoxLabel {
    /// The column's share of all weights.
    pub(crate) weight: f64,
    pub(crate) level: usize,
    pub(crate) max_level: u8,
    /// The share of the domain that the label covers.
    pub(crate) share: f64,
    /// The rows that it could stand for.
    pub(crate) rows: u64,
    /// log2 of all rows, at least 1.
    pub(crate) bits: f64,
}

/// What is known about a recoding before it is found.
pub(crate) struct BoxBound<'a> {
    /// All rows.
    pub(crate) rows: u64,
    /// The smallest class size that the criteria ask for, at least 1.
    pub(crate) least_class_size: u64,
    /// Rows that may be outside a class of that size.
    pub(crate) outside: u64,
    pub(crate) may_suppress: bool,
    /// Lower bound of the mean cost of a row.
    pub(crate) mean: f64,
    /// Sum of the weights; 1 where all are 0.
    pub(crate) total_weight: f64,
    /// The mean weight of a column as a share of the largest; 1 where all are 0.
    pub(crate) mean_weight_share: f64,
    /// Bits that the values themselves stand for.
    pub(crate) exact_bits: &'a dyn Fn() -> f64,
}

/// Sums over the cells and classes of a recoding.
#[derive(Debug)]
pub(crate) struct BoxSums {
    /// Rows of the table.
    pub(crate) rows: u64,
    /// Rows suppressed.
    pub(crate) suppressed: u64,
    /// Classes; all suppressed rows count as one more.
    pub(crate) groups: u64,
    /// Σ |E|² over the classes released.
    pub(crate) squares: u128,
    /// The smallest class size that the criteria ask for, at least 1.
    pub(crate) least_class_size: u64,
    /// Mean share of the domain that a cell covers.
    pub(crate) share: f64,
    /// Mean of `ln(1 + share)` over the columns.
    pub(crate) log_share: f64,
    /// The largest of the columns' mean shares, each weighed by its weight as a share of the largest.
    pub(crate) worst_share: f64,
    /// Mean relative level of a cell.
    pub(crate) relative_level: f64,
    /// Share of cells that no longer show their value.
    pub(crate) distorted: f64,
    /// Bits hidden in all cells.
    pub(crate) bits: f64,
}

/// What most metrics say of a column: one whose domain is a single value loses nothing, suppressed or not.
pub(super) fn has_domain(ladder: &Ladder) -> bool {
    ladder.rungs().last().is_some_and(|top| top.loss.iter().any(|&share| share > 0.0))
}

/// The share of the domain that a label covers.
pub(super) fn share(label: &BoxLabel) -> f64 {
    label.weight * label.share
}
