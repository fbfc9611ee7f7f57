//! The literature's heuristics, for comparison only.

use super::apply::solution;
use super::judge::Judge;
use super::space::{Class, Space};
use super::{RecodingError, united};
use crate::lattice::Node;
use crate::release::Solution;
use crate::search::SearchError;
use crate::task::Task;
use std::collections::BinaryHeap;

/// A heuristic that others have published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// Full-domain: raises the column with most different labels until few enough rows are left over.
    ///
    /// Sweeney, "Datafly: a system for providing anonymity in medical data", DBSec 1997.
    Datafly,
    /// Subtree recoding: replaces one label by its children for all rows at a time, the greatest gain first.
    ///
    /// Fung, Wang & Yu, "Top-down specialization for information and privacy preservation", ICDE 2005.
    TopDownSpecialization,
    /// Local recoding: splits a class by the children of one label as long as all parts keep the promise.
    ///
    /// LeFevre, DeWitt & Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006, with the hierarchies of the columns.
    Mondrian,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Baseline; 3] = [Baseline::Datafly, Baseline::TopDownSpecialization, Baseline::Mondrian];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::Datafly => "datafly",
            Baseline::TopDownSpecialization => "top-down-specialization",
            Baseline::Mondrian => "mondrian",
        }
    }
}

impl Task {
    /// What a heuristic of the literature makes of the task; `None` where it finds nothing that holds.
    pub fn recode_by(&self, baseline: Baseline) -> Result<Option<Solution>, RecodingError> {
        if baseline == Baseline::Datafly {
            return self.datafly();
        }
        let levels: Vec<Vec<u8>> = (self.lattice().lowest().iter().zip(self.lattice().highest()))
            .map(|(&low, &high)| (low..=high).collect())
            .collect();
        let space = Space::new(self, &levels)?;
        let mut judge = Judge::new(&space);
        let Some(coarsest) = coarsest(&space, &mut judge) else { return Ok(None) };
        let classes = match baseline {
            Baseline::Mondrian => mondrian(&space, &mut judge, coarsest),
            _ => specialized(&space, &mut judge, coarsest),
        };
        Ok(Some(solution(&space, united(&space, classes)).0))
    }

    fn datafly(&self) -> Result<Option<Solution>, RecodingError> {
        let checker = self.checker(1 << 26);
        let mut levels: Vec<u8> = self.lattice().lowest().to_vec();
        loop {
            let node = Node::new(levels.clone());
            if checker.check(&node).map_err(SearchError::from)?.holds {
                return Ok(Some(checker.solution(&node).map_err(SearchError::from)?));
            }
            let labels = |&column: &usize| self.ladders()[column].cardinality(levels[column]);
            let raisable =
                (0..levels.len()).filter(|&column| levels[column] < self.lattice().highest()[column]);
            let Some(column) = raisable.max_by_key(labels) else { return Ok(None) };
            levels[column] += 1;
        }
    }
}

/// The classes of the coarsest boxes; `None` where one of them does not hold.
fn coarsest(space: &Space<'_>, judge: &mut Judge<'_>) -> Option<Vec<Class>> {
    let box_of = |tuple: u32| -> Box<[u32]> {
        let finest = space.columns.iter().zip(space.finest(tuple));
        finest.map(|(column, &label)| column.coarsest(label)).collect()
    };
    let mut tuples: Vec<(Box<[u32]>, u32)> =
        space.tuples.iter().map(|&tuple| (box_of(tuple), tuple)).collect();
    tuples.sort_unstable();
    let mut classes = Vec::new();
    for part in tuples.chunk_by(|a, b| a.0 == b.0) {
        let tuples = part.iter().map(|&(_, tuple)| tuple).collect();
        classes.push(Class::boxed(space, tuples, part[0].0.clone()));
    }
    classes.iter().all(|class| judge.holds(class.rows, class.tuples.iter().copied())).then_some(classes)
}

/// The parts of a class by the next finer labels of a column; `None` where its label is the finest.
fn split(space: &Space<'_>, class: &Class, column: usize) -> Option<Vec<Class>> {
    let finer = space.columns[column].finer(class.labels[column])?;
    let label = |tuple: u32| finer[space.finest(tuple)[column] as usize];
    let mut tuples = class.tuples.clone();
    tuples.sort_unstable_by_key(|&tuple| (label(tuple), tuple));
    let part = |part: &[u32]| {
        let mut labels = class.labels.clone();
        labels[column] = label(part[0]);
        Class::boxed(space, part.to_vec(), labels)
    };
    Some(tuples.chunk_by(|&a, &b| label(a) == label(b)).map(part).collect())
}

fn mondrian(space: &Space<'_>, judge: &mut Judge<'_>, classes: Vec<Class>) -> Vec<Class> {
    let (mut open, mut done) = (classes, Vec::new());
    while let Some(class) = open.pop() {
        let mut columns: Vec<usize> = (0..space.width()).collect();
        columns.sort_by_key(|&at| std::cmp::Reverse(space.columns[at].cost(class.labels[at])));
        let parts = columns.into_iter().find_map(|column| {
            let parts = split(space, &class, column)?;
            let all = parts.iter().all(|part| judge.holds(part.rows, part.tuples.iter().copied()));
            all.then_some(parts)
        });
        match parts {
            Some(parts) => open.extend(parts),
            None => done.push(class),
        }
    }
    done
}

/// Top-down: what a specialization gains does not depend on the other columns, so the gains are known when a label appears, and
/// one that broke a promise breaks it for good, as classes only become smaller.
fn specialized(space: &Space<'_>, judge: &mut Judge<'_>, mut classes: Vec<Class>) -> Vec<Class> {
    let gain = |classes: &[Class], column: usize, label: u32| -> Option<i64> {
        let finer = space.columns[column].finer(label)?;
        let tuples =
            classes.iter().filter(|class| class.labels[column] == label).flat_map(|class| &class.tuples);
        let cost = |label: u32| space.columns[column].cost(label) as i64;
        Some(
            tuples
                .map(|&tuple| {
                    let below = finer[space.finest(tuple)[column] as usize];
                    space.rows(tuple) as i64 * (cost(label) - cost(below))
                })
                .sum(),
        )
    };
    let mut queue: BinaryHeap<(i64, usize, u32)> = BinaryHeap::new();
    let enqueue =
        |queue: &mut BinaryHeap<(i64, usize, u32)>, classes: &[Class], column: usize, label: u32| {
            queue.extend(gain(classes, column, label).map(|gain| (gain, column, label)));
        };
    for column in 0..space.width() {
        let mut labels: Vec<u32> = classes.iter().map(|class| class.labels[column]).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.into_iter().for_each(|label| enqueue(&mut queue, &classes, column, label));
    }
    while let Some((_, column, label)) = queue.pop() {
        let (touched, mut rest): (Vec<Class>, Vec<Class>) =
            classes.into_iter().partition(|class| class.labels[column] == label);
        let parts: Vec<Class> =
            touched.iter().flat_map(|class| split(space, class, column).unwrap_or_default()).collect();
        if parts.iter().all(|part| judge.holds(part.rows, part.tuples.iter().copied())) {
            let mut labels: Vec<u32> = parts.iter().map(|part| part.labels[column]).collect();
            labels.sort_unstable();
            labels.dedup();
            rest.extend(parts);
            classes = rest;
            labels.into_iter().for_each(|label| enqueue(&mut queue, &classes, column, label));
        } else {
            rest.extend(touched);
            classes = rest;
        }
    }
    classes
}
