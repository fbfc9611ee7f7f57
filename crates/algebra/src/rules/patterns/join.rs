//! ⋈ on equal columns, and which side a column comes from.

use super::columns::{column_at, place, subset};
use datafusion::common::{Column, JoinType, NullEquality, Result};
use datafusion::logical_expr::{Expr, Join, LogicalPlan};
use std::sync::Arc;

/// ⋈: an inner join on equal columns, without any other condition.
#[derive(Debug, Clone)]
pub(in crate::rules) struct EquiJoin<'a> {
    node: &'a Join,
    /// The join columns of the left side.
    pub(in crate::rules) left_on: Vec<Column>,
    /// The join columns of the right side.
    pub(in crate::rules) right_on: Vec<Column>,
}

/// One of the two relations of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rules) enum Side {
    /// r1
    Left,
    /// r2
    Right,
}

impl Side {
    pub(in crate::rules) const BOTH: [Side; 2] = [Side::Left, Side::Right];

    pub(in crate::rules) fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

impl<'a> EquiJoin<'a> {
    /// The ⋈ at the root: `None` where there is none, the reason where it is more than equal columns.
    pub(in crate::rules) fn of(plan: &'a LogicalPlan) -> Option<Result<EquiJoin<'a>, String>> {
        let LogicalPlan::Join(node) = plan else { return None };
        if node.join_type != JoinType::Inner {
            return None;
        }
        if node.filter.is_some() || node.on.is_empty() {
            return Some(Err("the join is not on equal columns alone".to_owned()));
        }
        let (mut left_on, mut right_on) = (Vec::new(), Vec::new());
        for pair in &node.on {
            let (Expr::Column(left), Expr::Column(right)) = pair else {
                return Some(Err("the join compares computed values".to_owned()));
            };
            let left = node.left.schema().maybe_index_of_column(left);
            let right = node.right.schema().maybe_index_of_column(right);
            let (Some(left), Some(right)) = (left, right) else {
                return Some(Err("the join names columns of the other side".to_owned()));
            };
            left_on.push(column_at(node.left.schema(), left));
            right_on.push(column_at(node.right.schema(), right));
        }
        Some(Ok(EquiJoin { node, left_on, right_on }))
    }

    /// r1
    pub(in crate::rules) fn left(&self) -> &'a LogicalPlan {
        &self.node.left
    }

    /// r2
    pub(in crate::rules) fn right(&self) -> &'a LogicalPlan {
        &self.node.right
    }

    /// The same join of other relations with the same schemas.
    pub(in crate::rules) fn over(&self, left: LogicalPlan, right: LogicalPlan) -> Result<LogicalPlan> {
        let node = self.node;
        let join = Join::try_new(
            Arc::new(left),
            Arc::new(right),
            node.on.clone(),
            None,
            node.join_type,
            node.join_constraint,
            node.null_equality,
            node.null_aware,
        )?;
        Ok(LogicalPlan::Join(join))
    }

    /// Whether rows without a value in a join column find partners, too.
    pub(in crate::rules) fn pairs_missing(&self) -> bool {
        self.node.null_equality == NullEquality::NullEqualsNull
    }

    /// The side that a column of the join comes from, and what that side calls it.
    pub(in crate::rules) fn origin(&self, column: &Column) -> Result<(Side, Column)> {
        let place = place(&self.node.schema, column)?;
        let width = self.node.left.schema().fields().len();
        Ok(match place.checked_sub(width) {
            None => (Side::Left, column_at(self.node.left.schema(), place)),
            Some(place) => (Side::Right, column_at(self.node.right.schema(), place)),
        })
    }

    /// One of the relations.
    pub(in crate::rules) fn relation(&self, side: Side) -> &'a LogicalPlan {
        match side {
            Side::Left => self.left(),
            Side::Right => self.right(),
        }
    }

    /// Y as that side calls it.
    pub(in crate::rules) fn columns(&self, side: Side) -> &[Column] {
        match side {
            Side::Left => &self.left_on,
            Side::Right => &self.right_on,
        }
    }

    /// Whether a column is one of Y, on either side.
    pub(in crate::rules) fn joins_on(&self, column: &Column) -> bool {
        self.left_on.contains(column) || self.right_on.contains(column)
    }

    /// The side that has all of these columns.
    pub(in crate::rules) fn side_with(&self, columns: &[Column]) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| subset(columns, &self.relation(side).schema().columns()))
    }

    /// The same join with another relation on one side.
    pub(in crate::rules) fn with(&self, side: Side, relation: LogicalPlan) -> Result<LogicalPlan> {
        match side {
            Side::Left => self.over(relation, self.right().clone()),
            Side::Right => self.over(self.left().clone(), relation),
        }
    }
}
