//! How many rows a plan gives.

use super::Facts;
use datafusion::common::JoinType;
use datafusion::logical_expr::{BinaryExpr, Expr, FetchType, LogicalPlan, Operator as Comparison};

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
