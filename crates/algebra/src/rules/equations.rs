//! Joins on equal columns, however they are written.
//!
//! `a JOIN b USING (id)`, `a JOIN b ON a.id = b.id` and `a, b WHERE a.id = b.id` are the same join. The engine plans the second with a
//! condition and the third as a selection above ×, where no rule would see an equation. So before rules are tried, equations between
//! the two sides become what the join is on.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, ExprSchema, JoinType, NullEquality, Result};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{BinaryExpr, Expr, Filter, Join, LogicalPlan, Operator as Comparison};
use std::sync::Arc;

/// The same rows with equations in the joins they belong to.
pub(super) fn equations_into_joins(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_down(moved)?.data)
}

fn moved(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match &node {
        LogicalPlan::Join(join) if is_inner(join) => {
            let Some(filter) = &join.filter else { return Ok(Transformed::no(node)) };
            let parts = split_conjunction(filter).into_iter().cloned().collect();
            match sorted(parts, join) {
                Parts { on, below, rest } if !on.is_empty() || !below.is_empty() => {
                    Ok(Transformed::yes(LogicalPlan::Join(rebuilt(join, on, below, conjunction(rest))?)))
                }
                _ => Ok(Transformed::no(node)),
            }
        }
        LogicalPlan::Filter(filter) => {
            let LogicalPlan::Join(join) = &*filter.input else { return Ok(Transformed::no(node)) };
            if !is_inner(join) {
                return Ok(Transformed::no(node));
            }
            let parts = split_conjunction(&filter.predicate).into_iter().cloned().collect();
            let Parts { on, below, rest } = sorted(parts, join);
            if on.is_empty() && below.is_empty() {
                return Ok(Transformed::no(node));
            }
            let join = LogicalPlan::Join(rebuilt(join, on, below, join.filter.clone())?);
            Ok(Transformed::yes(match conjunction(rest) {
                Some(rest) => LogicalPlan::Filter(Filter::try_new(rest, Arc::new(join))?),
                None => join,
            }))
        }
        _ => Ok(Transformed::no(node)),
    }
}

/// An inner join in which a missing value equals nothing, as in a condition.
fn is_inner(join: &Join) -> bool {
    join.join_type == JoinType::Inner && join.null_equality == NullEquality::NullEqualsNothing
}

/// Parts of a condition by where they belong.
struct Parts {
    /// Equations between the two sides, the left one's column first.
    on: Vec<(Expr, Expr)>,
    /// Equations between relations that the left side joins itself.
    below: Vec<Expr>,
    rest: Vec<Expr>,
}

fn sorted(parts: Vec<Expr>, join: &Join) -> Parts {
    let (left, right) = (join.left.schema(), join.right.schema());
    let joins_below = matches!(&*join.left, LogicalPlan::Join(below) if is_inner(below));
    let mut sorted = Parts { on: Vec::new(), below: Vec::new(), rest: Vec::new() };
    for part in parts {
        let Some((first, second)) = equation(&part) else {
            sorted.rest.push(part);
            continue;
        };
        let on = [(first, second), (second, first)].into_iter().find_map(|(first, second)| {
            let (first, second) = (own(first, left, right)?, own(second, right, left)?);
            let type_of = |schema: &DFSchema, column: &Column| {
                schema.field_from_column(column).ok().map(|field| field.data_type().clone())
            };
            let same = type_of(left, &first).is_some() && type_of(left, &first) == type_of(right, &second);
            same.then_some((Expr::Column(first), Expr::Column(second)))
        });
        let is_below = joins_below && own(first, left, right).is_some() && own(second, left, right).is_some();
        match on {
            Some(pair) => sorted.on.push(pair),
            None if is_below => sorted.below.push(part),
            None => sorted.rest.push(part),
        }
    }
    sorted
}

fn equation(part: &Expr) -> Option<(&Column, &Column)> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Comparison::Eq, right }) = part else { return None };
    match (&**left, &**right) {
        (Expr::Column(left), Expr::Column(right)) => Some((left, right)),
        _ => None,
    }
}

/// The column as its side calls it, where the other side could not mean it.
fn own(column: &Column, side: &DFSchema, other: &DFSchema) -> Option<Column> {
    let place = side.maybe_index_of_column(column)?;
    (!other.has_column(column)).then(|| side.columns().swap_remove(place))
}

fn rebuilt(join: &Join, on: Vec<(Expr, Expr)>, below: Vec<Expr>, filter: Option<Expr>) -> Result<Join> {
    let left = match conjunction(below) {
        Some(below) => Arc::new(LogicalPlan::Filter(Filter::try_new(below, Arc::clone(&join.left))?)),
        None => Arc::clone(&join.left),
    };
    let on = join.on.iter().cloned().chain(on).collect();
    let right = Arc::clone(&join.right);
    Join::try_new(
        left,
        right,
        on,
        filter,
        join.join_type,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )
}
