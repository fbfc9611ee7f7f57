//! What a local recoding loses, by every metric that is defined on boxes.

use super::space::{Class, Space};
use crate::exact::log2;
use crate::quality::{Balance, BoxSums, Metric};

/// Sums over cells and classes, in the order of the classes.
#[derive(Debug)]
pub(super) struct Measured {
    /// Every metric that boxes have, lower is better.
    pub(super) losses: Vec<(Metric, f64)>,
}

impl Measured {
    pub(super) fn value(&self, metric: Metric) -> f64 {
        self.losses.iter().find(|(of, _)| *of == metric).map_or(f64::NAN, |&(_, value)| value)
    }
}

/// Measures classes of which no two read the same; the rows of all other tuples are suppressed.
pub(super) fn measure(space: &Space<'_>, classes: &[Class], balance: Balance) -> Measured {
    let (g, s) = (balance.generalization(), balance.suppression());
    let (ladders, weights) = (space.task.ladders(), space.task.columns().weights());
    let all = space.table.row_count();
    let kept: u64 = classes.iter().map(|class| class.rows).sum();
    let suppressed = all - kept;
    let total: f64 = weights.iter().sum();
    let total = if total > 0.0 { total } else { 1.0 };
    let rows = all as f64;
    let (mut arithmetic, mut geometric, mut precision, mut bits) = (0.0, 0.0, 0.0, 0.0);
    let (mut distorted, mut worst) = (0.0, 0.0f64);
    let heaviest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (column, (ladder, &weight)) in ladders.iter().zip(weights).enumerate() {
        let labels = &space.columns[column];
        let mut cells: Vec<Vec<u64>> = ladder.rungs().iter().map(|rung| vec![0; rung.labels.len()]).collect();
        for class in classes {
            let (level, group) = labels.place(class.labels[column]);
            cells[usize::from(level)][group as usize] += class.rows;
        }
        let highest = f64::from(ladder.max_level().max(1));
        let has_domain = ladder.rungs().last().is_some_and(|top| top.loss.iter().any(|&share| share > 0.0));
        let mut lost = if has_domain { s * suppressed as f64 } else { 0.0 };
        let mut raised = if ladder.max_level() > 0 { s * suppressed as f64 } else { 0.0 };
        let raised_rows: u64 = cells.iter().skip(1).flatten().sum();
        let changed = raised_rows + if ladder.max_level() > 0 { suppressed } else { 0 };
        distorted += weight * (changed as f64 / rows) / total;
        let values = space.table.value_counts(column, ladder.cardinality(0));
        let mut hidden = suppressed as f64 * log2(all);
        for (level, (rung, cells)) in ladder.rungs().iter().zip(&cells).enumerate() {
            let mut under = vec![0u64; rung.labels.len()];
            rung.group_of.iter().zip(&values).for_each(|(&group, n)| under[group as usize] += n);
            for ((&cells, share), under) in
                cells.iter().zip(&rung.loss).zip(under).filter(|((n, _), _)| **n > 0)
            {
                lost += g * (cells as f64 * share);
                raised += g * (cells as f64 * level as f64 / highest);
                hidden += cells as f64 * log2(under);
            }
        }
        // Every cell hides log2 of the rows that its label could stand for, less those that its value stands for.
        let exact: f64 = values.iter().filter(|&&n| n > 0).map(|&n| n as f64 * log2(n)).sum();
        arithmetic += weight * lost / rows / total;
        geometric += weight / total * (lost / rows).ln_1p();
        worst = worst.max(weight / heaviest * (lost / rows));
        precision += weight * raised / rows / total;
        bits += weight * (hidden - exact).max(0.0);
    }
    let squares: u128 = classes.iter().map(|class| u128::from(class.rows).pow(2)).sum();
    let sums = BoxSums {
        rows: all,
        suppressed,
        groups: classes.len() as u64 + u64::from(suppressed > 0),
        squares,
        least_class_size: space.task.criteria().least_class_size().max(1),
        share: arithmetic,
        log_share: geometric,
        worst_share: worst,
        relative_level: precision,
        distorted,
        bits,
    };
    let value = |metric: Metric| metric.on_boxes().map(|boxes| (metric, (boxes.value)(&sums)));
    Measured { losses: Metric::ALL.into_iter().filter_map(value).collect() }
}
