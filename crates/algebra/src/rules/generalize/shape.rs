//! What plans look like: α^G, π, σ, ∪, ⋈, ∩ and − as nodes.

use crate::operator::{Generalization, Generalize, Operator, Promise};
use crate::rules::reach::has_subquery;
use datafusion::common::{Column, DFSchema, JoinType, Result};
use datafusion::logical_expr::{Distinct, Expr, Join, LogicalPlan, Projection};
use std::sync::Arc;

/// α^G and the relation it works on.
pub(super) fn generalized(plan: &LogicalPlan) -> Option<(&Generalization, &LogicalPlan)> {
    match Operator::of(plan)? {
        Operator::Generalize(node) => Some((node.what(), node.input())),
        Operator::Slice(_) | Operator::Randomize(_) | Operator::Private(_) => None,
    }
}

/// α^G over α^G: the outer one, the inner one, and the relation.
pub(super) fn stacked(plan: &LogicalPlan) -> Option<(&Generalization, &Generalization, &LogicalPlan)> {
    let (outer, below) = generalized(plan)?;
    let (inner, relation) = generalized(below)?;
    Some((outer, inner, relation))
}

/// α^G_[X, promise] over a relation.
pub(super) fn generalize(input: LogicalPlan, quasi: &[Column], promise: &Promise) -> Result<LogicalPlan> {
    Generalize::plan(input, quasi.to_vec(), promise.clone())
}

/// π that keeps duplicates: some of the relation's columns, none renamed, none computed.
pub(super) fn projected(plan: &LogicalPlan) -> Option<(Vec<Column>, &LogicalPlan)> {
    let LogicalPlan::Projection(projection) = plan else { return None };
    let known = projection.input.schema().columns();
    let plain = projection.expr.iter().map(|expr| match expr {
        Expr::Column(column) if known.contains(column) => Some(column.clone()),
        _ => None,
    });
    Some((plain.collect::<Option<Vec<Column>>>()?, &projection.input))
}

/// π over a relation.
pub(super) fn project(input: LogicalPlan, columns: &[Column]) -> Result<LogicalPlan> {
    let columns = columns.iter().cloned().map(Expr::Column).collect();
    Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(input))?))
}

/// The relation below a removal of duplicates.
pub(super) fn distinct(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) => Some(input),
        _ => None,
    }
}

/// Whether a plan is a π that removes duplicates.
pub(super) fn is_set_projection(plan: &LogicalPlan) -> bool {
    distinct(plan).is_some_and(|below| projected(below).is_some())
}

/// An inner join on equal columns, without any other condition.
#[derive(Debug, Clone)]
pub(super) struct EquiJoin<'a> {
    join: &'a Join,
    /// Y as the left and as the right relation call it.
    on: (Vec<Column>, Vec<Column>),
}

/// One of the two relations of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    pub(super) const BOTH: [Side; 2] = [Side::Left, Side::Right];

    pub(super) fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

impl<'a> EquiJoin<'a> {
    /// The join at the root of a plan.
    pub(super) fn of(plan: &'a LogicalPlan) -> Option<EquiJoin<'a>> {
        let LogicalPlan::Join(join) = plan else { return None };
        if join.join_type != JoinType::Inner || join.filter.is_some() || join.on.is_empty() {
            return None;
        }
        let pairs = join.on.iter().map(|pair| match pair {
            (Expr::Column(left), Expr::Column(right)) => Some((left.clone(), right.clone())),
            _ => None,
        });
        let on = pairs.collect::<Option<Vec<(Column, Column)>>>()?.into_iter().unzip();
        Some(EquiJoin { join, on })
    }

    /// One of the relations.
    pub(super) fn relation(&self, side: Side) -> &'a LogicalPlan {
        match side {
            Side::Left => &self.join.left,
            Side::Right => &self.join.right,
        }
    }

    /// Y as that side calls it.
    pub(super) fn columns(&self, side: Side) -> &[Column] {
        match side {
            Side::Left => &self.on.0,
            Side::Right => &self.on.1,
        }
    }

    /// Whether a column is one of Y, on either side.
    pub(super) fn joins_on(&self, column: &Column) -> bool {
        self.on.0.contains(column) || self.on.1.contains(column)
    }

    /// The side that has all of these columns.
    pub(super) fn side_of(&self, columns: &[Column]) -> Option<Side> {
        let has = |side: Side| {
            let known = self.relation(side).schema().columns();
            columns.iter().all(|column| known.contains(column))
        };
        Side::BOTH.into_iter().find(|&side| has(side))
    }

    /// The same join with another relation on one side.
    pub(super) fn with(&self, side: Side, relation: LogicalPlan) -> Result<LogicalPlan> {
        let (left, right) = match side {
            Side::Left => (Arc::new(relation), Arc::clone(&self.join.right)),
            Side::Right => (Arc::clone(&self.join.left), Arc::new(relation)),
        };
        let Join { on, filter, join_type, join_constraint, null_equality, null_aware, .. } =
            self.join.clone();
        let join =
            Join::try_new(left, right, on, filter, join_type, join_constraint, null_equality, null_aware)?;
        Ok(LogicalPlan::Join(join))
    }
}

/// r1 ∩ r2 or r1 − r2, as the planner makes them: a semi- or anti-join on all columns.
pub(super) fn set_operation(plan: &LogicalPlan, which: JoinType) -> Option<(&LogicalPlan, &LogicalPlan)> {
    let LogicalPlan::Join(join) = plan else { return None };
    let everything = join.on.len() == join.left.schema().fields().len()
        && join.on.len() == join.right.schema().fields().len();
    (join.join_type == which && everything && join.filter.is_none()).then_some((&*join.left, &*join.right))
}

/// The plan below removals of duplicates and new names, which the planner puts around the sides of ∩ and −.
pub(super) fn bare(plan: &LogicalPlan) -> &LogicalPlan {
    match plan {
        LogicalPlan::SubqueryAlias(alias) => bare(&alias.input),
        LogicalPlan::Distinct(Distinct::All(input)) => bare(input),
        other => other,
    }
}

/// Whether a predicate gives the same answer for the same row, from the row alone.
pub(super) fn reads_the_row_only(predicate: &Expr) -> bool {
    !has_subquery(predicate) && !predicate.is_volatile()
}

/// The columns in the order of a schema.
pub(super) fn in_order(columns: &[Column], schema: &DFSchema) -> Vec<Column> {
    schema.columns().into_iter().filter(|column| columns.contains(column)).collect()
}

/// Whether all of the first are among the second.
pub(super) fn subset(columns: &[Column], of: &[Column]) -> bool {
    columns.iter().all(|column| of.contains(column))
}
