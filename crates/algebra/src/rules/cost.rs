//! What a plan costs: how much the operators must look at.

use super::{Facts, site};
use crate::operator::Operator;
use datafusion::common::JoinType;
use datafusion::logical_expr::{BinaryExpr, Expr, FetchType, LogicalPlan, Operator as Comparison};
use paravent_core::words::counted;
use serde::Serialize;
use std::fmt;

/// Assumed rows of a relation whose number of rows is unknown.
const UNKNOWN_ROWS: u64 = 1_000;
/// Share of rows that an equation keeps.
const EQUAL: f64 = 0.1;
/// Share of rows that a comparison keeps.
const RANGE: f64 = 1.0 / 3.0;
/// Share of rows that any other predicate, a semi-join or the removal of duplicates keeps.
const OTHER: f64 = 0.5;
/// Groups per row of an aggregation.
const GROUPS: f64 = 0.1;

/// The price of a plan; the smaller is better, the first part that differs decides.
///
/// All parts are natural numbers, so a plan cannot become cheaper for ever: this is why rewriting for a lower price comes to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cost {
    /// Σ rows × columns of raw rows that leave the place where they live; 0 where no relation is said to live elsewhere.
    pub raw_cells: u64,
    /// Σ rows × columns of the relations that the operators work on.
    pub cells: u64,
    /// How many operators there are.
    pub operators: u64,
    /// How many nodes the plan has.
    pub nodes: u64,
}

impl Cost {
    /// The price of a plan. Numbers of rows are exact where they are known, else estimated from the plan's shape.
    pub fn of(plan: &LogicalPlan, facts: &dyn Facts) -> Cost {
        Cost { raw_cells: site::raw_cells(plan, facts), ..Cost::of_nodes(plan, facts) }
    }

    /// The price of the nodes, wherever they work.
    fn of_nodes(plan: &LogicalPlan, facts: &dyn Facts) -> Cost {
        let mut cost = Cost { raw_cells: 0, cells: 0, operators: 0, nodes: 1 };
        if let Some(operator) = Operator::of(plan) {
            let input = operator.input();
            let columns = input.schema().fields().len() as u64;
            cost.cells = estimated_rows(input, facts).saturating_mul(columns);
            cost.operators = 1;
        }
        for input in plan.inputs() {
            let below = Cost::of_nodes(input, facts);
            cost.cells = cost.cells.saturating_add(below.cells);
            cost.operators += below.operators;
            cost.nodes += below.nodes;
        }
        cost
    }
}

/// `6000 cells, 1 operator`, and before it `12000 raw cells leave their places` where some do
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.raw_cells > 0 {
            write!(f, "{} raw cells leave their places, ", self.raw_cells)?;
        }
        write!(f, "{} cells, {}", self.cells, counted(self.operators, "operator"))
    }
}

/// How many rows a plan gives: exactly, where the facts say so, else by the usual rules of thumb.
pub fn estimated_rows(plan: &LogicalPlan, facts: &dyn Facts) -> u64 {
    if let Some(rows) = facts.rows(plan) {
        return rows;
    }
    let rows = |plan: &LogicalPlan| estimated_rows(plan, facts);
    match plan {
        LogicalPlan::Filter(filter) => share(rows(&filter.input), selectivity(&filter.predicate)),
        LogicalPlan::Join(join) => {
            let (left, right) = (rows(&join.left), rows(&join.right));
            let unfiltered = match join.join_type {
                JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full if join.on.is_empty() => {
                    left.saturating_mul(right)
                }
                JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => left.max(right),
                JoinType::LeftSemi | JoinType::LeftAnti => share(left, OTHER),
                JoinType::RightSemi | JoinType::RightAnti => share(right, OTHER),
                JoinType::LeftMark => left,
                JoinType::RightMark => right,
            };
            join.filter.as_ref().map_or(unfiltered, |filter| share(unfiltered, selectivity(filter)))
        }
        LogicalPlan::Union(union) => {
            union.inputs.iter().fold(0, |sum, input| sum.saturating_add(rows(input)))
        }
        LogicalPlan::Distinct(distinct) => share(rows(distinct.input()), OTHER),
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => 1,
        LogicalPlan::Aggregate(aggregate) => share(rows(&aggregate.input), GROUPS),
        LogicalPlan::Limit(limit) => match limit.get_fetch_type() {
            Ok(FetchType::Literal(Some(fetch))) => rows(&limit.input).min(fetch as u64),
            _ => rows(&limit.input),
        },
        LogicalPlan::Values(values) => values.values.len() as u64,
        LogicalPlan::EmptyRelation(empty) => u64::from(empty.produce_one_row),
        LogicalPlan::TableScan(scan) => {
            let kept =
                scan.filters.iter().fold(UNKNOWN_ROWS, |rows, filter| share(rows, selectivity(filter)));
            scan.fetch.map_or(kept, |fetch| kept.min(fetch as u64))
        }
        other => match other.inputs()[..] {
            [input] => rows(input),
            _ => UNKNOWN_ROWS,
        },
    }
}

fn share(rows: u64, share: f64) -> u64 {
    (rows as f64 * share).ceil() as u64
}

/// Share of rows that a predicate keeps, as if its parts were independent.
fn selectivity(predicate: &Expr) -> f64 {
    match predicate {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Comparison::And => selectivity(left) * selectivity(right),
            Comparison::Or => {
                let (left, right) = (selectivity(left), selectivity(right));
                left + right - left * right
            }
            Comparison::Eq => EQUAL,
            Comparison::NotEq => 1.0 - EQUAL,
            Comparison::Lt | Comparison::LtEq | Comparison::Gt | Comparison::GtEq => RANGE,
            _ => OTHER,
        },
        Expr::Not(inner) => 1.0 - selectivity(inner),
        Expr::IsNull(_) => EQUAL,
        Expr::IsNotNull(_) => 1.0 - EQUAL,
        Expr::Between(between) if between.negated => 1.0 - RANGE,
        Expr::Between(_) => RANGE,
        _ => OTHER,
    }
}
