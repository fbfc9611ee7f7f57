//! Iterated full-domain recoding, what ARX calls local recoding: for comparison, and as a start where there are few tuples.

use super::apply::solution;
use super::judge::Judge;
use super::space::{Class, Space};
use super::{RecodingError, united};
use crate::quality::Balance;
use crate::release::{Fate, Solution};
use crate::search::Algorithm;
use crate::solve;
use crate::table::{FrequencyTable, Histograms, SensitiveColumn};
use crate::task::{SuppressionLimit, Task};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Task {
    /// The best full-domain release of all rows, of which any number may be suppressed; then that of the suppressed rows, and so on until
    /// nothing more is released. What is left becomes one class of the coarsest box if that holds. The smaller the gs-factor, the fewer
    /// rows and the finer labels each step has.
    ///
    /// Prasser, Eicher, Spengler, Bild & Kuhn, "Flexible data anonymization using ARX", Software: Practice and Experience 50(7), 2020.
    /// The task must allow suppression, as its criteria are judged so in every step.
    pub fn recode_iteratively(
        &self,
        balance: Balance,
        effort: &solve::Effort<'_>,
    ) -> Result<Option<Solution>, RecodingError> {
        let ranges = self.lattice().lowest().iter().zip(self.lattice().highest());
        let levels: Vec<Vec<u8>> = ranges.map(|(&low, &high)| (low..=high).collect()).collect();
        let space = Space::new(self, &levels)?;
        let (mut classes, left) = iterated(&space, balance, effort)?;
        classes.extend(coarsest_of(&space, left));
        // Classes of different steps that read the same are one class, and may not hold together.
        let mut judge = Judge::new(&space);
        let mut classes = united(&space, classes);
        classes.retain(|class| judge.holds(class.rows, class.tuples.iter().copied()));
        Ok((!classes.is_empty()).then(|| solution(&space, classes).0))
    }
}

/// The classes of the best full-domain release of all rows, then of those that it suppresses, and so on; and the tuples of which nothing
/// more is released.
pub(super) fn iterated(
    space: &Space<'_>,
    balance: Balance,
    effort: &solve::Effort<'_>,
) -> Result<(Vec<Class>, Vec<u32>), RecodingError> {
    let (mut left, mut classes) = (space.tuples.clone(), Vec::new());
    while !left.is_empty() {
        let rows: u64 = left.iter().map(|&tuple| space.rows(tuple)).sum();
        let Some(part) = part_of(space, &left) else { break };
        // A part of the people who were counted before has the tuples that are left.
        let Ok(people) = space.task.people().map(|people| people.among(&left, &part)).transpose() else {
            break;
        };
        let limit = SuppressionLimit::Count(rows);
        let Some(part) = space.task.over(Arc::new(part), people.map(Arc::new), limit) else { break };
        let Some(best) = part.balanced(balance).solve(Algorithm::BestFirst, effort)? else { break };
        let fates = best.fates.by_tuple();
        let mut kept: BTreeMap<Box<[u32]>, Vec<u32>> = BTreeMap::new();
        for (&tuple, _) in left.iter().zip(fates).filter(|(_, fate)| **fate == Fate::Kept) {
            let finest = space.columns.iter().zip(space.finest(tuple)).zip(best.node.levels());
            let labels: Option<Box<[u32]>> =
                finest.map(|((column, &label), &level)| column.at_level(label, level)).collect();
            let Some(labels) = labels else { return Ok((Vec::new(), space.tuples.clone())) };
            kept.entry(labels).or_default().push(tuple);
        }
        if kept.is_empty() {
            break;
        }
        classes.extend(kept.into_iter().map(|(labels, tuples)| Class::boxed(space, tuples, labels)));
        let mut fate = fates.iter();
        left.retain(|_| fate.next() == Some(&Fate::Suppressed));
    }
    Ok((classes, left))
}

/// The rows that are left as one class, where its box exists.
fn coarsest_of(space: &Space<'_>, left: Vec<u32>) -> Option<Class> {
    let first = space.finest(*left.first()?);
    let labels: Box<[u32]> =
        space.columns.iter().zip(first).map(|(column, &label)| column.coarsest(label)).collect();
    let mut covering = labels.clone();
    left.iter().for_each(|&tuple| space.widen(&mut covering, space.finest(tuple)));
    (covering == labels).then(|| Class::boxed(space, left, labels))
}

/// A table of some of the tuples, in their order.
fn part_of(space: &Space<'_>, tuples: &[u32]) -> Option<FrequencyTable> {
    let table = space.table;
    let codes =
        |column: usize| tuples.iter().map(|&tuple| table.column(column).get(tuple as usize)).collect();
    let columns: Vec<Vec<u32>> = (0..space.width()).map(codes).collect();
    let rows = tuples.iter().map(|&tuple| table.rows()[tuple as usize]).collect();
    let sensitive = table.sensitive().iter().map(|column| {
        let mut histograms = Histograms::new();
        for &tuple in tuples {
            let (values, counts) = column.histograms.entry(tuple as usize);
            histograms.push(values.iter().copied().zip(counts.iter().copied()));
        }
        SensitiveColumn { cardinality: column.cardinality, histograms }
    });
    FrequencyTable::new(columns, rows, None, sensitive.collect()).ok()
}
