//! The labels that every tuple shows, tuple by tuple.

use super::super::space::{Class, Space};
use hashbrown::HashMap;

/// A label per tuple and column.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    width: usize,
    /// By tuple and column.
    labels: Vec<u32>,
    /// Tuples whose rows are released, ascending.
    pub(super) released: Vec<u32>,
}

impl Shown {
    /// Every tuple as fine as it may be.
    pub(super) fn finest(space: &Space<'_>) -> Shown {
        let width = space.width();
        let labels = (0..space.table.tuple_count() as u32).flat_map(|tuple| space.finest(tuple)).copied();
        Shown { width, labels: labels.collect(), released: space.tuples.clone() }
    }

    /// Every tuple with the box of its class; the others are suppressed.
    pub(super) fn of_classes(space: &Space<'_>, classes: &[Class]) -> Shown {
        let mut shown = Shown::finest(space);
        shown.released.clear();
        for class in classes {
            for &tuple in &class.tuples {
                shown.of_mut(tuple).copy_from_slice(&class.labels);
                shown.released.push(tuple);
            }
        }
        shown.released.sort_unstable();
        shown
    }

    /// The labels of a tuple.
    pub(super) fn of(&self, tuple: u32) -> &[u32] {
        &self.labels[tuple as usize * self.width..][..self.width]
    }

    pub(super) fn of_mut(&mut self, tuple: u32) -> &mut [u32] {
        &mut self.labels[tuple as usize * self.width..][..self.width]
    }

    /// What the released rows cost, and the suppressed ones at most.
    pub(super) fn cost(&self, space: &Space<'_>) -> u128 {
        let cost = |&tuple: &u32| {
            u128::from(space.rows(tuple)) * u128::from(space.row_cost(self.of(tuple)).unwrap_or(u64::MAX))
        };
        self.released.iter().map(cost).sum()
    }

    /// Tuples with equal labels as classes, in the order of their first tuples.
    pub(super) fn classes(&self, space: &Space<'_>) -> Vec<Class> {
        let mut numbers: HashMap<&[u32], usize> = HashMap::new();
        let mut classes: Vec<Class> = Vec::new();
        for &tuple in &self.released {
            let labels = self.of(tuple);
            let number = *numbers.entry(labels).or_insert(classes.len());
            if number == classes.len() {
                classes.push(Class { tuples: Vec::new(), labels: labels.into(), rows: 0, cost: 0 });
            }
            classes[number].tuples.push(tuple);
            classes[number].rows += space.rows(tuple);
        }
        for class in &mut classes {
            class.cost = space.objective.class(class.rows, space.row_cost(&class.labels).unwrap_or(0));
        }
        classes
    }

    /// The rows that read the same in some columns, in the order of their first tuples. The labels are those of these columns; the
    /// finest that cover all where labels of several levels read the same.
    pub(super) fn sets(&self, space: &Space<'_>, choice: &[usize]) -> Vec<Class> {
        let mut numbers: HashMap<Box<[u32]>, usize> = HashMap::new();
        let mut sets: Vec<Class> = Vec::new();
        for &tuple in &self.released {
            let labels = self.of(tuple);
            let number = *numbers.entry(self.text(space, tuple, choice)).or_insert(sets.len());
            if number == sets.len() {
                let labels = choice.iter().map(|&column| labels[column]).collect();
                sets.push(Class { tuples: Vec::new(), labels, rows: 0, cost: 0 });
            }
            let set = &mut sets[number];
            for (own, &column) in set.labels.iter_mut().zip(choice) {
                if *own != labels[column] {
                    *own = space.columns[column].joint(*own, labels[column]);
                }
            }
            set.tuples.push(tuple);
            set.rows += space.rows(tuple);
        }
        sets
    }

    /// How a tuple reads in some columns.
    pub(super) fn text(&self, space: &Space<'_>, tuple: u32, choice: &[usize]) -> Box<[u32]> {
        let labels = self.of(tuple);
        choice.iter().map(|&column| space.columns[column].text(labels[column])).collect()
    }
}
