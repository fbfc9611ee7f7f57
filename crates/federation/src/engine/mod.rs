//! The search on coded tables: what the codes stand for, cells or tokens, it neither knows nor needs.

mod coded;
mod column_losses;
mod criteria;
mod evidence;
mod participants;
mod quality;
mod remote;

pub(crate) use coded::{CodedColumn, CodedTable, ladder_of};
pub(crate) use criteria::{View, Whole, class_criteria, counted_case, views};
pub(crate) use quality::{Margin, holder_model};
pub(crate) use remote::{Asked, LossBounds, RemoteProblem, RemoteSearch, VisibleRows};

use crate::error::ProtocolError;
use crate::outcome::Facts;
use crate::plan::{Plan, Role};
use paravent_core::criteria::{Criteria, Suppression};
use paravent_core::hierarchy::Ladder;
use paravent_core::lattice::{Lattice, NodeOrder};
use paravent_core::quality::QualityModel;
use paravent_core::release::{Fate, Solution};
use paravent_core::search::{
    self, Algorithm, LocalChecker, Problem, SearchError, SearchInput, SearchReport, Unobserved,
};
use paravent_core::table::FrequencyTable;

/// Memory for snapshots of the search.
const HISTORY_BYTES: usize = 256 << 20;

/// A coded table with everything the search needs.
pub(crate) struct Engine {
    pub(crate) table: FrequencyTable,
    /// By row: its tuple.
    pub(crate) tuple_of_row: Vec<u32>,
    pub(crate) space: Space,
    pub(crate) criteria: Criteria,
    pub(crate) suppression_limit: u64,
}

/// The quasi-identifiers and the nodes over them.
pub(crate) struct Space {
    pub(crate) ladders: Vec<Ladder>,
    pub(crate) weights: Vec<f64>,
    pub(crate) lattice: Lattice,
    pub(crate) order: NodeOrder,
}

/// The best node and what becomes of each row.
pub(crate) struct Found {
    pub(crate) facts: Facts,
    /// By row: released or not.
    pub(crate) kept: Vec<bool>,
    /// Bits hidden by the node: the loss NUEM, whatever the metric was.
    pub(crate) hidden_bits: f64,
}

impl Space {
    pub(crate) fn new(plan: &Plan, coded: &CodedTable) -> Result<Space, ProtocolError> {
        let (mut ladders, mut weights, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lowest, mut highest) = (Vec::new(), Vec::new());
        for (column, planned) in coded.columns.iter().zip(&plan.columns) {
            if let (Role::QuasiIdentifier { lowest: low, highest: high, weight, .. }, Some(ladder)) =
                (&planned.role, &column.ladder)
            {
                ladders.push(ladder.clone());
                weights.push(*weight);
                names.push(planned.name.as_str());
                lowest.push(*low);
                highest.push(*high);
            }
        }
        let order = NodeOrder::new(names.into_iter().zip(&ladders));
        Ok(Space { lattice: Lattice::new(lowest, highest)?, order, ladders, weights })
    }
}

impl Engine {
    /// Counts the tuples of a coded table.
    pub(crate) fn new(plan: &Plan, coded: &CodedTable) -> Result<Engine, ProtocolError> {
        let views = views(plan);
        let (table, tuple_of_row, combinations) = coded.frequencies(plan, &views)?;
        let rows = table.row_count();
        // An empty release is no release.
        let suppression_limit = plan.suppression_limit.floor_of(rows).min(rows - 1);
        let members = class_criteria(plan, &views, Some(&Whole::of(&table, coded, &combinations)))?;
        let criteria = Criteria::new(members, suppression(suppression_limit));
        Ok(Engine { table, tuple_of_row, space: Space::new(plan, coded)?, criteria, suppression_limit })
    }

    /// The best node and the fate of each row; `None` when no node keeps the promise.
    pub(crate) fn search(&self, plan: &Plan, coded: &CodedTable) -> Result<Option<Found>, ProtocolError> {
        let checker = LocalChecker::new(SearchInput {
            table: &self.table,
            ladders: &self.space.ladders,
            weights: &self.space.weights,
            criteria: &self.criteria,
            metric: plan.metric,
            suppression_limit: self.suppression_limit,
            history_bytes: HISTORY_BYTES,
        });
        let problem = Problem {
            lattice: &self.space.lattice,
            order: &self.space.order,
            case: checker.case(),
            case_is_assumed: false,
            checker: &checker,
            observer: &Unobserved,
            threads: 1,
        };
        let report = run_to_the_end(&problem, plan.algorithm)?;
        let Some(best) = &report.best else { return Ok(None) };
        let solution = Solution::at(&checker, &best.node).map_err(search::SearchError::from)?;
        let (in_table, fates) = (coded.memberships(plan), solution.fates.by_tuple());
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
        let model = QualityModel::new(&self.table, &self.space.ladders, &self.space.weights, 1);
        let columns = self.space.weights.iter().zip(levels).enumerate();
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

/// Whether anything may be suppressed.
pub(crate) fn suppression(limit: u64) -> Suppression {
    if limit == 0 { Suppression::Forbidden } else { Suppression::Allowed }
}
