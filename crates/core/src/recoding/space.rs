//! What a local search works on: tuples as finest labels, with the costs of classes.

use super::RecodingError;
use super::labels::{FORBIDDEN, Labels};
use super::objective::Objective;
use super::presences::Presences;
use super::stopping::Stopping;
use crate::table::{FrequencyTable, PersonRows};
use crate::task::Task;
use std::sync::Arc;

/// A task as the search sees it.
#[derive(Debug)]
pub(super) struct Space<'a> {
    pub(super) task: &'a Task,
    pub(super) table: &'a FrequencyTable,
    pub(super) columns: Vec<Arc<Labels>>,
    pub(super) objective: Arc<Objective>,
    /// By tuple: its finest labels, one per column.
    finest: Vec<u32>,
    /// Tuples that have rows.
    pub(super) tuples: Vec<u32>,
    /// Where people are counted.
    pub(super) presences: Option<Presences>,
    /// By tuple: rows of the population, where a criterion counts them.
    population: Option<&'a [u32]>,
    /// Whether classes that hold, merged, hold again.
    pub(super) merging_is_safe: bool,
    /// Asked inside long loops.
    pub(super) stopping: Stopping<'a>,
}

/// Tuples that are released with one box.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) tuples: Vec<u32>,
    /// The box: one label per column.
    pub(super) labels: Box<[u32]>,
    pub(super) rows: u64,
    pub(super) cost: i64,
}

impl Class {
    /// The class of some tuples with a box that covers them.
    pub(super) fn boxed(space: &Space<'_>, tuples: Vec<u32>, labels: Box<[u32]>) -> Class {
        let rows = tuples.iter().map(|&tuple| space.rows(tuple)).sum();
        let cost = space.objective.class(rows, space.row_cost(&labels).unwrap_or(0));
        Class { tuples, labels, rows, cost }
    }
}

impl<'a> Space<'a> {
    /// `levels` are those that each column may show, ascending.
    pub(super) fn new(task: &'a Task, levels: &[Vec<u8>]) -> Result<Space<'a>, RecodingError> {
        let table = task.tuples().held().ok_or(RecodingError::InPieces)?;
        if task.criteria().needs().1 && (task.people().is_some() || task.criteria().judge_absent_classes()) {
            return Err(RecodingError::Population);
        }
        if task.people().is_some_and(|people| people.person_rows() != PersonRows::Apart) {
            return Err(RecodingError::PersonRows);
        }
        let objective = Objective::new(task)?;
        let ladders = task.ladders().iter().zip(levels).enumerate();
        let columns: Vec<Arc<Labels>> = ladders
            .map(|(column, (ladder, levels))| {
                Arc::new(Labels::new(ladder, levels, |level, group| objective.cell(column, level, group)))
            })
            .collect();
        let width = columns.len();
        let mut finest = vec![0; width * table.tuple_count()];
        for (column, labels) in columns.iter().enumerate() {
            table.column(column).each(|tuple, code| finest[tuple * width + column] = labels.finest(code));
        }
        let tuples = (0u32..).zip(table.rows()).filter(|&(_, &rows)| rows > 0).map(|(tuple, _)| tuple);
        let members = task.criteria().members();
        let merging_is_safe = match task.people() {
            Some(_) => members.iter().all(|member| member.more_people_never_hurt()),
            None => members.iter().all(|member| member.is_monotone(crate::criteria::Suppression::Forbidden)),
        } && objective.ignores_class_sizes();
        Ok(Space {
            task,
            table,
            tuples: tuples.collect(),
            columns,
            objective: Arc::new(objective),
            finest,
            presences: task.people().map(Presences::new),
            population: table.population().filter(|_| task.criteria().needs().1),
            merging_is_safe,
            stopping: Stopping::NEVER,
        })
    }

    /// Some of the columns alone, where tuples show other labels than their finest: `shown` has one per column of `among`.
    pub(super) fn narrowed(&self, among: &[usize], shown: Vec<u32>) -> Space<'a> {
        Space {
            task: self.task,
            table: self.table,
            columns: among.iter().map(|&column| Arc::clone(&self.columns[column])).collect(),
            objective: Arc::clone(&self.objective),
            finest: shown,
            tuples: self.tuples.clone(),
            presences: None,
            population: self.population,
            merging_is_safe: self.merging_is_safe,
            stopping: self.stopping,
        }
    }

    /// The same, and long loops ask whether to stop.
    pub(super) fn stopped_by(mut self, stopping: Stopping<'a>) -> Space<'a> {
        self.stopping = stopping;
        self
    }

    /// Number of quasi-identifiers.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The finest labels of a tuple.
    pub(super) fn finest(&self, tuple: u32) -> &[u32] {
        &self.finest[tuple as usize * self.width()..][..self.width()]
    }

    pub(super) fn rows(&self, tuple: u32) -> u64 {
        u64::from(self.table.rows()[tuple as usize])
    }

    /// What a row with these labels costs; `None` where there is no such box.
    pub(super) fn row_cost(&self, labels: &[u32]) -> Option<u64> {
        let cost = self.columns.iter().zip(labels).map(|(column, &label)| column.cost(label)).sum();
        (cost < u64::from(FORBIDDEN)).then_some(cost)
    }

    /// Widens a box until it covers another one.
    pub(super) fn widen(&self, labels: &mut [u32], by: &[u32]) {
        for ((column, label), &by) in self.columns.iter().zip(labels).zip(by) {
            *label = column.joint(*label, by);
        }
    }

    /// The class of some tuples with the finest box that covers them; `None` where there is none.
    pub(super) fn class(&self, tuples: Vec<u32>) -> Option<Class> {
        let mut labels: Box<[u32]> = self.finest(*tuples.first()?).into();
        tuples[1..].iter().for_each(|&tuple| self.widen(&mut labels, self.finest(tuple)));
        let rows = tuples.iter().map(|&tuple| self.rows(tuple)).sum();
        let cost = self.objective.class(rows, self.row_cost(&labels)?);
        Some(Class { tuples, labels, rows, cost })
    }

    /// Tuples by their coarsest boxes: several where a column may not be generalized to its top.
    pub(super) fn under_coarsest(&self, mut tuples: Vec<u32>) -> Vec<(Box<[u32]>, Vec<u32>)> {
        let coarsest = |tuple: u32| -> Box<[u32]> {
            let finest = self.columns.iter().zip(self.finest(tuple));
            finest.map(|(column, &label)| column.coarsest(label)).collect()
        };
        let Some(&first) = tuples.first() else { return Vec::new() };
        if self.columns.iter().all(|column| column.has_one_top()) {
            return vec![(coarsest(first), tuples)];
        }
        tuples.sort_by_cached_key(|&tuple| (coarsest(tuple), tuple));
        let parts = tuples.chunk_by(|&a, &b| coarsest(a) == coarsest(b));
        parts.map(|part| (coarsest(part[0]), part.to_vec())).collect()
    }

    /// By tuple: rows of the population, where a criterion counts them.
    pub(super) fn population(&self) -> Option<&'a [u32]> {
        self.population
    }

    /// The same box, as it reads.
    pub(super) fn text(&self, labels: &[u32]) -> Box<[u32]> {
        self.columns.iter().zip(labels).map(|(column, &label)| column.text(label)).collect()
    }
}
