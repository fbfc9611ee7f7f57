//! Plans in which an operator would have no meaning.

use super::wording::problem;
use crate::operator::Operator;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// What stands below an operator: the same rows every time, and rows that do not depend on a row of another query.
pub(super) fn below_operator(function: &str, input: &LogicalPlan) -> Result<()> {
    input.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| match expr.is_volatile_node() {
                true => Err(problem(format!(
                    "{function}: {} gives something else every time it is asked, so nothing can be promised about its relation; \
                     use randomize, or call it above {function}",
                    expr.schema_name()
                ))),
                false => Ok(TreeNodeRecursion::Continue),
            })
        })
    })?;
    match foreign(input, &[])? {
        None => Ok(()),
        Some(column) => Err(problem(format!(
            "{function}: its relation may not refer to {}, a column of the query around it",
            column.flat_name()
        ))),
    }
}

/// A column that belongs to a query around the plan. Subqueries inside it may refer to rows of the plan itself: the scopes.
fn foreign(plan: &LogicalPlan, scopes: &[&DFSchema]) -> Result<Option<Column>> {
    let inputs = plan.inputs();
    let around: Vec<&DFSchema> =
        scopes.iter().copied().chain(inputs.iter().map(|input| input.schema().as_ref())).collect();
    let mut found = None;
    plan.apply_expressions(|expr| {
        expr.apply(|expr| {
            found = match expr {
                Expr::OuterReferenceColumn(_, column) => {
                    (!scopes.iter().any(|scope| scope.has_column(column))).then(|| column.clone())
                }
                Expr::ScalarSubquery(subquery) => foreign(&subquery.subquery, &around)?,
                Expr::Exists(exists) => foreign(&exists.subquery.subquery, &around)?,
                Expr::InSubquery(within) => foreign(&within.subquery.subquery, &around)?,
                _ => None,
            };
            Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })
    })?;
    // The right side of a lateral join refers to rows of the left one.
    let below = if matches!(plan, LogicalPlan::Join(_)) { &around[..] } else { scopes };
    for input in inputs {
        if found.is_some() {
            break;
        }
        found = foreign(input, below)?;
    }
    Ok(found)
}

/// What an operator cuts into windows has the order that was asked for: one that a join, a union or a group would lose is refused.
pub(super) fn order_reaches(function: &str, input: &LogicalPlan) -> Result<()> {
    match input {
        LogicalPlan::Sort(_) | LogicalPlan::TableScan(_) => Ok(()),
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Limit(_) => {
            input.inputs().into_iter().try_for_each(|below| order_reaches(function, below))
        }
        _ => match sorts(input) {
            false => Ok(()),
            true => Err(problem(format!(
                "{function}: an ORDER BY stands below a join, a union, a group or another operator, where the order is lost; sort last: \
                 {function}((SELECT … ORDER BY …), …)"
            ))),
        },
    }
}

/// Whether rows are sorted somewhere for the order's sake, not to cut off some of them.
fn sorts(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(sort) if sort.fetch.is_none() => true,
        LogicalPlan::Limit(_) => false,
        other => other.inputs().into_iter().any(sorts),
    }
}

/// Columns that operators add for a while are called so.
const RESERVED: &str = "__paravent_";

/// Most joins of a statement. Planning many takes time that grows with their square and more, and no limit of time looks into it.
const MOST_JOINS: usize = 60;

/// The whole plan: not too many joins; operators stand in FROM, and not in a relation that is defined by itself.
pub fn whole_plan(plan: &LogicalPlan) -> Result<()> {
    let mut joins = 0;
    plan.apply_with_subqueries(|node| {
        joins += usize::from(matches!(node, LogicalPlan::Join(_)));
        if joins > MOST_JOINS {
            return Err(problem(format!("the statement has more than {MOST_JOINS} joins")));
        }
        if let Some(field) = node.schema().fields().iter().find(|field| field.name().starts_with(RESERVED)) {
            return Err(problem(format!("column {:?}: names that begin with {RESERVED} are taken", field.name())));
        }
        if let LogicalPlan::RecursiveQuery(recursive) = node
            && (Operator::is_in(&recursive.static_term)? || Operator::is_in(&recursive.recursive_term)?)
        {
            let name = &recursive.name;
            return Err(problem(format!(
                "WITH RECURSIVE {name}: an operator cannot stand inside a recursive query; apply it to the finished {name}"
            )));
        }
        node.apply_subqueries(|subquery| match Operator::is_in(subquery)? {
            true => Err(problem(
                "an operator stands in a subquery of an expression (a value, IN or EXISTS); put it into FROM or WITH and join",
            )),
            false => Ok(TreeNodeRecursion::Continue),
        })
    })?;
    Ok(())
}
