//! What lies one level below the labels of a column.

use super::boxes::BoxedColumn;
use paravent_evidence::attack::classes::Classes;
use paravent_evidence::attack::finer::{Children, FinerColumn};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Rows of the records that something covers, by finer label, ascending.
type Counted = Vec<(u32, u64)>;

/// Counts, in one column, the finer labels of the records that each class covers.
pub(super) struct Below<'a> {
    at: usize,
    column: &'a BoxedColumn<'a>,
    /// The finer labels, sorted.
    labels: Vec<Option<&'a str>>,
    /// By value, and beside each label around it: the number of the finer label; `None` where the hierarchy has none.
    finer: Vec<Vec<Option<u32>>>,
    /// By value: rows of the records that have it.
    rows: Vec<u64>,
    by_class: Vec<Counted>,
}

impl<'a> Below<'a> {
    pub(super) fn new(at: usize, column: &'a BoxedColumn<'a>, classes: usize) -> Below<'a> {
        let label_below = |value: usize, level: usize| -> Option<Option<&'a str>> {
            column.labels[level.saturating_sub(1)][value].as_ref().map(Option::as_deref)
        };
        let around = || column.around.iter().enumerate();
        let mut numbers: BTreeMap<Option<&'a str>, u32> = BTreeMap::new();
        for (value, around) in around() {
            let below = around.iter().filter_map(|&(_, level)| label_below(value, level));
            numbers.extend(below.map(|label| (label, 0)));
        }
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let finer = around().map(|(value, around)| {
            let below = around.iter().map(|&(_, level)| label_below(value, level));
            below.map(|label| label.map(|label| numbers[&label])).collect()
        });
        let finer = finer.collect();
        let labels = numbers.into_keys().collect();
        let rows = vec![0; column.around.len()];
        Below { at, column, labels, finer, rows, by_class: vec![Vec::new(); classes] }
    }

    /// Adds the rows of a record, and the classes and boxes that cover it.
    pub(super) fn add<'b>(
        &mut self,
        tuple: &[u32],
        rows: u64,
        boxes: impl Iterator<Item = (u32, &'b [u32])>,
    ) {
        let value = tuple[self.at] as usize;
        self.rows[value] += rows;
        let (around, finer) = (&self.column.around[value], &self.finer[value]);
        for (class, shown) in boxes {
            let label = around.iter().position(|(label, _)| *label == shown[self.at]);
            if let Some(finer) = label.and_then(|label| finer[label]) {
                count(&mut self.by_class[class as usize], finer, rows);
            }
        }
    }

    /// What was counted.
    pub(super) fn column(self, classes: &Classes) -> FinerColumn {
        let Below { column, labels, finer, rows, by_class, .. } = self;
        let mut by_label: HashMap<u32, Counted> = HashMap::new();
        for ((around, finer), &rows) in column.around.iter().zip(&finer).zip(&rows).filter(|of| *of.1 > 0) {
            for (&(label, _), finer) in around.iter().zip(finer) {
                if let Some(finer) = *finer {
                    count(by_label.entry(label).or_default(), finer, rows);
                }
            }
        }
        let position = classes.columns().iter().position(|&place| place == column.place);
        let by_label = position.map(|position| {
            let mut known: Vec<(u32, Counted)> = by_label.into_iter().collect();
            known.sort_unstable_by_key(|(label, _)| *label);
            let number: HashMap<u32, u32> = known.iter().map(|(label, _)| *label).zip(0..).collect();
            // Labels of which nothing is known have the last, empty list.
            let none = known.len() as u32;
            let list = |class: usize| number.get(&classes.codes(class)[position]).copied().unwrap_or(none);
            let lists = known.into_iter().map(|(_, counted)| counted).chain([Vec::new()]);
            Arc::new(Children::shared((0..classes.len()).map(list).collect(), lists))
        });
        let labels = labels.into_iter().map(|label| label.unwrap_or("(missing)").to_owned()).collect();
        let by_class = Some(Arc::new(Children::of_classes(by_class)));
        FinerColumn { place: column.place, labels, codes: Vec::new(), by_class, by_label }
    }
}

/// Adds rows to the number of a finer label.
fn count(counted: &mut Counted, finer: u32, rows: u64) {
    match counted.binary_search_by_key(&finer, |&(known, _)| known) {
        Ok(at) => counted[at].1 += rows,
        Err(at) => counted.insert(at, (finer, rows)),
    }
}
