//! What a local search minimises: the metric as a sum over classes, in whole numbers.

use super::RecodingError;
use super::labels::CELL_SCALE;
use crate::hierarchy::{Ladder, Rung};
use crate::quality::{Balance, Metric};
use crate::task::Task;

/// A metric that is a sum over classes: rows × cells of the box, and a term of the class size.
///
/// Whole numbers: sums do not depend on their order.
#[derive(Debug)]
pub(super) struct Objective {
    /// By column, level and group: what a cell with that label costs, as a share of what a suppressed row costs.
    cells: Vec<Vec<Vec<f64>>>,
    sizes: Sizes,
    /// What a released cell costs, as a share of what it else does.
    generalization: f64,
    /// What a suppressed row costs where that may be less than its box; in units of `CELL_SCALE`.
    suppressed: Option<u64>,
}

/// What the size of a class costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sizes {
    /// Nothing: the metric looks at cells.
    Free,
    /// The square of its rows; cells only break ties.
    Squares,
    /// Every class is a gain; cells only break ties.
    Classes,
}

/// Where class sizes decide, cells cost this share of what they else do.
const TIE_BREAK: i64 = 1 << 20;
/// What a square or a class costs then.
const SIZE_UNIT: i64 = 1 << 12;
const CLASS_UNIT: i64 = 1 << 40;

impl Objective {
    pub(super) fn new(task: &Task) -> Result<Objective, RecodingError> {
        let (metric, columns, balance) = (task.metric(), task.columns(), task.balance());
        if balance != Balance::EVEN
            && !matches!(metric, Metric::Loss | Metric::GeometricLoss | Metric::Precision)
        {
            return Err(RecodingError::Balance(metric));
        }
        let sizes = match metric {
            Metric::Height | Metric::MonotonePrecision | Metric::Entropy => {
                return Err(RecodingError::Metric(metric));
            }
            Metric::Discernibility | Metric::MonotoneDiscernibility => Sizes::Squares,
            Metric::AverageClassSize => Sizes::Classes,
            Metric::Precision
            | Metric::Loss
            | Metric::GeometricLoss
            | Metric::NonUniformEntropy
            | Metric::NonMonotoneNonUniformEntropy => Sizes::Free,
        };
        let total: f64 = columns.weights().iter().sum();
        let total = if total > 0.0 { total } else { 1.0 };
        let bits = (task.tuples().row_count() as f64).log2().max(1.0);
        let of_column = |(column, (ladder, &weight)): (usize, (&Ladder, &f64))| {
            let weight = weight / total;
            let values = task.tuples().value_counts(column, ladder.cardinality(0));
            let of_level = |(level, rung): (usize, &Rung)| match metric {
                Metric::Precision => {
                    let share = level as f64 / f64::from(ladder.max_level().max(1));
                    vec![weight * share; rung.labels.len()]
                }
                Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => {
                    let mut rows = vec![0u64; rung.labels.len()];
                    rung.group_of.iter().zip(&values).for_each(|(&group, n)| rows[group as usize] += n);
                    rows.iter().map(|&rows| weight * (rows.max(1) as f64).log2() / bits).collect()
                }
                _ => rung.loss.iter().map(|share| weight * share).collect(),
            };
            ladder.rungs().iter().enumerate().map(of_level).collect()
        };
        let cells = columns.ladders().iter().zip(columns.weights()).enumerate().map(of_column).collect();
        // A column with a single value loses nothing, suppressed or not.
        let loses = |ladder: &Ladder| match metric {
            Metric::Precision => ladder.max_level() > 0,
            _ => ladder.rungs().last().is_some_and(|top| top.loss.iter().any(|&share| share > 0.0)),
        };
        let lost: f64 = (columns.ladders().iter().zip(columns.weights()))
            .filter(|(ladder, _)| loses(ladder))
            .map(|(_, weight)| weight / total)
            .sum();
        let may_suppress = balance.suppression() < 1.0 && task.suppression_limit() > 0;
        let suppressed = may_suppress.then_some((balance.suppression() * lost * CELL_SCALE) as u64);
        Ok(Objective { cells, sizes, generalization: balance.generalization(), suppressed })
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
        match self.sizes {
            Sizes::Free => cells,
            Sizes::Squares => {
                rows.saturating_mul(rows).saturating_mul(SIZE_UNIT).saturating_add(cells / TIE_BREAK)
            }
            Sizes::Classes => (cells / TIE_BREAK).saturating_sub(CLASS_UNIT),
        }
    }

    /// Whether classes with equal boxes cost the same together as apart.
    pub(super) fn ignores_class_sizes(&self) -> bool {
        self.sizes == Sizes::Free
    }

    /// The lower bound of the metric that follows from a lower bound of the sum of row costs.
    pub(super) fn bound(&self, task: &Task, row_costs: u128) -> f64 {
        let rows = task.tuples().row_count();
        let least = task.criteria().least_class_size().max(1);
        let may_suppress = task.suppression_limit() > 0;
        let mean = row_costs as f64 / CELL_SCALE / rows.max(1) as f64;
        match task.metric() {
            // `ln(1 + x) ≥ x · ln 2` for x from 0 to 1, so `Σ w ln(1 + x_i) ≥ ln 2 · Σ w x_i`.
            Metric::GeometricLoss => mean.exp2() - 1.0,
            Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => self.hidden_bits(task, mean),
            // Every row is in a class of at least `least` rows, or costs as much as all rows together.
            Metric::Discernibility => rows as f64 * least.min(rows) as f64,
            Metric::MonotoneDiscernibility => {
                // At most `limit` rows are outside such a class; where people are counted, nobody knows how many.
                let limit = if task.people().is_some() { rows } else { task.suppression_limit() };
                (rows - limit.min(rows)) as f64 * least as f64
            }
            Metric::AverageClassSize => {
                let classes = (rows / least).max(1) + u64::from(may_suppress);
                rows as f64 / (classes * least) as f64
            }
            _ => mean,
        }
    }

    /// Undoes the scaling of the cells, and takes off what the values themselves stand for.
    fn hidden_bits(&self, task: &Task, mean: f64) -> f64 {
        let columns = task.columns();
        let rows = task.tuples().row_count() as f64;
        let total: f64 = columns.weights().iter().sum();
        let exact =
            columns.ladders().iter().zip(columns.weights()).enumerate().map(|(column, (ladder, weight))| {
                let values = task.tuples().value_counts(column, ladder.cardinality(0));
                let bits = values.iter().filter(|&&n| n > 0).map(|&n| n as f64 * (n as f64).log2());
                weight * bits.sum::<f64>()
            });
        let hidden = mean * rows * if total > 0.0 { total } else { 1.0 } * rows.log2().max(1.0);
        (hidden - exact.sum::<f64>()).max(0.0)
    }
}
