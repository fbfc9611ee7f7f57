//! The search on coded tables: what the codes stand for, cells or tokens, it neither knows nor needs.

mod coded;
mod column_losses;
mod criteria;
mod evidence;
mod participants;
mod quality;
mod remote;

pub(crate) use coded::{CodedColumn, CodedTable, ladder_of};
pub(crate) use criteria::{View, Whole, WholeColumn, class_criteria, counted_case, counted_criteria, views};
pub(crate) use quality::{Margin, holder_model};
pub(crate) use remote::{Asked, LossBounds, RemoteProblem, RemoteSearch, VisibleRows};

use crate::error::ProtocolError;
use crate::outcome::Facts;
use crate::plan::{Plan, Role};
use paravent_core::quality::QualityModel;
use paravent_core::release::Fate;
use paravent_core::search::{self, Algorithm, Problem, SearchError, SearchReport};
use paravent_core::solve::Effort;
use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
use std::sync::Arc;

/// Memory for snapshots of the search.
const HISTORY_BYTES: usize = 256 << 20;

/// A coded table as a task of the search.
pub(crate) struct Engine {
    task: Task,
    /// By row: its tuple.
    tuple_of_row: Vec<u32>,
}

/// The best node and what becomes of each row.
pub(crate) struct Found {
    pub(crate) facts: Facts,
    /// By row: released or not.
    pub(crate) kept: Vec<bool>,
    /// Bits hidden by the node: the loss NUEM, whatever the metric was.
    pub(crate) hidden_bits: f64,
}

/// The quasi-identifiers of a plan and the nodes over them.
pub(crate) fn quasi_identifiers(plan: &Plan, coded: &CodedTable) -> Result<QuasiIdentifiers, ProtocolError> {
    let columns = coded.columns.iter().zip(&plan.columns).filter_map(|(column, planned)| {
        match (&planned.role, &column.ladder) {
            (&Role::QuasiIdentifier { lowest, highest, weight, .. }, Some(ladder)) => Some(QuasiIdentifier {
                name: planned.name.clone(),
                ladder: ladder.clone(),
                levels: lowest..=highest,
                weight,
            }),
            _ => None,
        }
    });
    Ok(QuasiIdentifiers::new(columns)?)
}

impl Engine {
    /// Counts the tuples of a coded table.
    pub(crate) fn new(plan: &Plan, coded: &CodedTable) -> Result<Engine, ProtocolError> {
        let views = views(plan);
        let (table, tuple_of_row, combinations) = coded.frequencies(plan, &views)?;
        let criteria = class_criteria(plan, &views, Some(&Whole::of(&table, coded, &combinations)))?;
        let limit = SuppressionLimit::Share(plan.suppression_limit);
        let columns = quasi_identifiers(plan, coded)?;
        let task = Task::new(Arc::new(table), columns, criteria, plan.metric, limit)?;
        Ok(Engine { task, tuple_of_row })
    }

    /// The best node and the fate of each row; `None` when no node keeps the promise.
    pub(crate) fn search(&self, plan: &Plan, coded: &CodedTable) -> Result<Option<Found>, ProtocolError> {
        let effort = Effort { snapshot_bytes: HISTORY_BYTES, ..Effort::default() };
        let mut searched = self.task.search(plan.algorithm, &effort)?;
        // That there is nothing must be certain.
        if searched.report.best.is_none() && !searched.report.optimal {
            searched = self.task.search(Algorithm::BestFirst, &effort)?;
        }
        let report = &searched.report;
        let (Some(best), Some(solution)) = (&report.best, searched.solution()?) else { return Ok(None) };
        let (in_table, fates) = (coded.memberships(), solution.fates.by_tuple());
        let kept = (self.tuple_of_row.iter().enumerate())
            .map(|(row, &tuple)| {
                in_table.is_none_or(|bits| bits[row] == 1) && fates[tuple as usize] == Fate::Kept
            })
            .collect();
        let facts = Facts {
            node: best.node.levels().to_vec(),
            loss: best.loss,
            suppressed_rows: solution.suppressed_rows,
            checks: report.checks,
            subset_tests: report.subset_tests,
            optimal: report.optimal,
        };
        let hidden_bits = self.hidden_bits(best.node.levels());
        Ok(Some(Found { facts, kept, hidden_bits }))
    }

    /// NUEM of a node.
    pub(crate) fn hidden_bits(&self, levels: &[u8]) -> f64 {
        let weights = self.task.columns().weights();
        let model = QualityModel::new(self.task.tuples(), self.task.ladders(), weights, 1);
        let columns = weights.iter().zip(levels).enumerate();
        columns.map(|(column, (weight, &level))| weight * model.hidden_bits(column, level)).sum()
    }
}

/// Searches, and again with a guarantee where an algorithm without one found nothing: that there is nothing must be certain.
fn run_to_the_end(problem: &Problem<'_>, algorithm: Algorithm) -> Result<SearchReport, SearchError> {
    let report = search::run(problem, algorithm)?;
    if report.best.is_some() || report.optimal {
        return Ok(report);
    }
    search::run(problem, Algorithm::BestFirst)
}
