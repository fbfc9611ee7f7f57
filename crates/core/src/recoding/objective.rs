//! What a local search minimises: the metric as a sum over classes, in whole numbers.

use super::RecodingError;
use super::labels::CELL_SCALE;
use crate::exact::log2;
use crate::hierarchy::{Ladder, Rung};
use crate::quality::{Balance, BoxBound, BoxLabel, OnBoxes, Sizes};
use crate::task::Task;

/// A metric that is a sum over classes: rows × cells of the box, and a term of the class size.
///
/// Whole numbers: sums do not depend on their order.
#[derive(Debug)]
pub(super) struct Objective {
    metric: OnBoxes,
    /// By column, level and group: what a cell with that label costs, as a share of what a suppressed row costs.
    cells: Vec<Vec<Vec<f64>>>,
    /// Cost of a released cell, as a share of its usual cost.
    generalization: f64,
    /// What a suppressed row costs where that may be less than its box; in units of `CELL_SCALE`.
    suppressed: Option<u64>,
}

/// Where class sizes decide, the cost of cells is divided by this: it only breaks ties.
const TIE_BREAK: i64 = 1 << 20;
/// Cost of a square, or of a class.
const SIZE_UNIT: i64 = 1 << 12;
const CLASS_UNIT: i64 = 1 << 40;

impl Objective {
    pub(super) fn new(task: &Task) -> Result<Objective, RecodingError> {
        let (metric, columns, balance) = (task.metric(), task.columns(), task.balance());
        let Some(on_boxes) = metric.on_boxes() else {
            return Err(RecodingError::Metric(metric));
        };
        if balance != Balance::EVEN && !on_boxes.has_balance {
            return Err(RecodingError::Balance(metric));
        }
        let total: f64 = columns.weights().iter().sum();
        let total = if total > 0.0 { total } else { 1.0 };
        let bits = log2(task.tuples().row_count()).max(1.0);
        let of_column = |(column, (ladder, &weight)): (usize, (&Ladder, &f64))| {
            let weight = weight / total;
            let values = task.tuples().value_counts(column, ladder.cardinality(0));
            let of_level = |(level, rung): (usize, &Rung)| {
                let mut rows = vec![0u64; rung.labels.len()];
                rung.group_of.iter().zip(&values).for_each(|(&group, n)| rows[group as usize] += n);
                let label = |(&share, rows): (&f64, u64)| {
                    let max_level = ladder.max_level();
                    (on_boxes.cell)(&BoxLabel { weight, level, max_level, share, rows, bits })
                };
                rung.loss.iter().zip(rows).map(label).collect()
            };
            ladder.rungs().iter().enumerate().map(of_level).collect()
        };
        let cells = columns.ladders().iter().zip(columns.weights()).enumerate().map(of_column).collect();
        let lost: f64 = (columns.ladders().iter().zip(columns.weights()))
            .filter(|(ladder, _)| (on_boxes.loses)(ladder))
            .map(|(_, weight)| weight / total)
            .sum();
        let may_suppress = balance.suppression() < 1.0 && task.suppression_limit() > 0;
        let suppressed = may_suppress.then_some((balance.suppression() * lost * CELL_SCALE) as u64);
        Ok(Objective { metric: on_boxes, cells, generalization: balance.generalization(), suppressed })
    }

    /// What a cell with this label costs: the costs of a row's cells sum up to at most 1.
    pub(super) fn cell(&self, column: usize, level: u8, group: usize) -> f64 {
        self.cells[column][usize::from(level)][group]
    }

    /// The least that a row costs which could be released for `cost`: that, or what suppressing it costs.
    pub(super) fn least_of_row(&self, cost: u64) -> u64 {
        let released = match self.generalization < 1.0 {
            true => (self.generalization * cost as f64) as u64,
            false => cost,
        };
        self.suppressed.map_or(released, |suppressed| released.min(suppressed))
    }

    /// What a suppressed row costs, where suppressing may cost less than releasing.
    pub(super) fn suppressed_row(&self) -> Option<u64> {
        self.suppressed
    }

    /// What a class costs whose rows cost so much each.
    pub(super) fn class(&self, rows: u64, row_cost: u64) -> i64 {
        let rows = i64::try_from(rows).unwrap_or(i64::MAX);
        let cells = rows.saturating_mul(row_cost as i64);
        match self.metric.sizes {
            Sizes::Free => cells,
            Sizes::Squares => {
                rows.saturating_mul(rows).saturating_mul(SIZE_UNIT).saturating_add(cells / TIE_BREAK)
            }
            Sizes::Classes => (cells / TIE_BREAK).saturating_sub(CLASS_UNIT),
        }
    }

    /// Whether classes with equal boxes cost the same together as apart.
    pub(super) fn ignores_class_sizes(&self) -> bool {
        self.metric.sizes == Sizes::Free
    }

    /// Whether less cost is less of the metric.
    pub(super) fn is_the_metric(&self) -> bool {
        self.metric.is_the_sum
    }

    /// The lower bound of the metric that follows from a lower bound of the sum of row costs.
    pub(super) fn bound(&self, task: &Task, row_costs: u128) -> f64 {
        let (columns, rows) = (task.columns(), task.tuples().row_count());
        let total: f64 = columns.weights().iter().sum();
        let heaviest = columns.weights().iter().copied().fold(0.0, f64::max);
        let mean_weight = total / columns.weights().len().max(1) as f64;
        let exact_bits = || {
            let of_column = |(column, (ladder, weight)): (usize, (&Ladder, &f64))| {
                let values = task.tuples().value_counts(column, ladder.cardinality(0));
                let bits = values.iter().filter(|&&n| n > 0).map(|&n| n as f64 * log2(n));
                weight * bits.sum::<f64>()
            };
            columns.ladders().iter().zip(columns.weights()).enumerate().map(of_column).sum::<f64>()
        };
        (self.metric.bound)(&BoxBound {
            rows,
            least_class_size: task.criteria().least_class_size().max(1),
            // Where people are counted, the number of rows outside a class is unknown.
            outside: if task.people().is_some() { rows } else { task.suppression_limit() },
            may_suppress: task.suppression_limit() > 0,
            mean: row_costs as f64 / CELL_SCALE / rows.max(1) as f64,
            total_weight: if total > 0.0 { total } else { 1.0 },
            mean_weight_share: if heaviest > 0.0 { mean_weight / heaviest } else { 1.0 },
            exact_bits: &exact_bits,
        })
    }
}
