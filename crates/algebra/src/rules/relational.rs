//! π, σ, ∪, ⋈, ∩ and − as the SQL engine plans them, and how a column is found again on the other side of one.

use crate::operator::{Operator, Randomize, Slice};
use datafusion::common::{Column, DFSchema, JoinType, NullEquality, Result};
use datafusion::logical_expr::{Distinct, Expr, Filter, Join, LogicalPlan, Projection, SubqueryAlias, Union};
use std::sync::Arc;

/// α^S at the root.
pub(super) fn slice(plan: &LogicalPlan) -> Option<&Slice> {
    match Operator::of(plan) {
        Some(Operator::Slice(slice)) => Some(slice),
        _ => None,
    }
}

/// α^D at the root.
pub(super) fn randomize(plan: &LogicalPlan) -> Option<&Randomize> {
    match Operator::of(plan) {
        Some(Operator::Randomize(randomize)) => Some(randomize),
        _ => None,
    }
}

/// Where a column is in a schema.
pub(super) fn place(schema: &DFSchema, column: &Column) -> Result<usize> {
    schema.index_of_column(column)
}

/// The column at a place, with its qualifier.
pub(super) fn column_at(schema: &DFSchema, place: usize) -> Column {
    let (qualifier, field) = schema.qualified_field(place);
    Column::new(qualifier.cloned(), field.name())
}

/// The columns at the same places of another schema: what a union calls them.
pub(super) fn moved(columns: &[Column], from: &DFSchema, to: &DFSchema) -> Result<Vec<Column>> {
    columns.iter().map(|column| Ok(column_at(to, place(from, column)?))).collect()
}

/// π: a bag projection of plain columns.
pub(super) struct Projected<'a> {
    node: &'a Projection,
    /// For every output column, its place in the input.
    from: Vec<usize>,
}

impl<'a> Projected<'a> {
    /// The π at the root: `None` where there is none, the reason where it is not a plain one over bags.
    pub(super) fn of(plan: &'a LogicalPlan) -> Option<Result<Projected<'a>, String>> {
        match plan {
            LogicalPlan::Projection(node) => Some(Projected::plain(node)),
            LogicalPlan::Distinct(Distinct::All(input)) if matches!(**input, LogicalPlan::Projection(_)) => {
                Some(Err("the projection drops duplicates; the rule holds for bags only".to_owned()))
            }
            _ => None,
        }
    }

    fn plain(node: &'a Projection) -> Result<Projected<'a>, String> {
        let mut from = Vec::with_capacity(node.expr.len());
        for expr in &node.expr {
            let place = match expr {
                Expr::Column(column) => node.input.schema().maybe_index_of_column(column),
                _ => None,
            };
            match place {
                Some(place) if from.contains(&place) => {
                    return Err("the projection repeats a column".to_owned());
                }
                Some(place) => from.push(place),
                None => return Err("the projection computes or renames columns".to_owned()),
            }
        }
        Ok(Projected { node, from })
    }

    /// r
    pub(super) fn input(&self) -> &'a LogicalPlan {
        &self.node.input
    }

    /// The same columns of another relation with the same schema.
    pub(super) fn over(&self, input: LogicalPlan) -> Result<LogicalPlan> {
        Ok(LogicalPlan::Projection(Projection::try_new(self.node.expr.clone(), Arc::new(input))?))
    }

    /// What an output column is called in the input.
    pub(super) fn below(&self, column: &Column) -> Result<Column> {
        let place = place(&self.node.schema, column)?;
        Ok(column_at(self.node.input.schema(), self.from[place]))
    }

    /// What an input column is called in the output; `None` where it is projected away.
    pub(super) fn above(&self, column: &Column) -> Result<Option<Column>> {
        let place = place(self.node.input.schema(), column)?;
        let kept = self.from.iter().position(|from| *from == place);
        Ok(kept.map(|kept| column_at(&self.node.schema, kept)))
    }

    /// Input columns that are projected away, in their order.
    pub(super) fn dropped(&self) -> Vec<Column> {
        let schema = self.node.input.schema();
        let gone = (0..schema.fields().len()).filter(|place| !self.from.contains(place));
        gone.map(|place| column_at(schema, place)).collect()
    }
}

/// ∪ of bags: `None` where there is none, the reason where it is not one over bags, or mixes types.
pub(super) fn bag_union(plan: &LogicalPlan) -> Option<Result<&Union, String>> {
    match plan {
        LogicalPlan::Union(union) => {
            let types = |schema: &DFSchema| {
                schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>()
            };
            let expected = types(&union.schema);
            match union.inputs.iter().all(|input| types(input.schema()) == expected) {
                true => Some(Ok(union)),
                false => Some(Err("the parts of the union have different types".to_owned())),
            }
        }
        LogicalPlan::Distinct(Distinct::All(input)) if matches!(**input, LogicalPlan::Union(_)) => {
            Some(Err("the union drops duplicates; the rule holds for UNION ALL only".to_owned()))
        }
        _ => None,
    }
}

/// The parts of ∪, of bags or of sets.
pub(super) fn union_parts(plan: &LogicalPlan) -> Option<&[Arc<LogicalPlan>]> {
    match plan {
        LogicalPlan::Union(union) => Some(&union.inputs),
        LogicalPlan::Distinct(distinct) => match &**distinct.input() {
            LogicalPlan::Union(union) => Some(&union.inputs),
            _ => None,
        },
        _ => None,
    }
}

/// The same union of other parts with the same schemas.
pub(super) fn union_of(union: &Union, parts: Vec<LogicalPlan>) -> LogicalPlan {
    let inputs = parts.into_iter().map(Arc::new).collect();
    LogicalPlan::Union(Union { inputs, schema: Arc::clone(&union.schema) })
}

/// σ over another relation.
pub(super) fn filtered(predicate: &Expr, input: LogicalPlan) -> Result<LogicalPlan> {
    Ok(LogicalPlan::Filter(Filter::try_new(predicate.clone(), Arc::new(input))?))
}

/// The places that a predicate reads; the reason where it reads more than the row.
pub(super) fn read_by(predicate: &Expr, schema: &DFSchema) -> Result<Vec<usize>, String> {
    if predicate.is_volatile() {
        return Err("the predicate is random itself".to_owned());
    }
    let subquery = |expr: &Expr| {
        matches!(
            expr,
            Expr::Exists(_) | Expr::InSubquery(_) | Expr::ScalarSubquery(_) | Expr::SetComparison(_)
        )
    };
    let mut nested = predicate.contains_outer();
    // The visitor never fails: it only looks.
    let _ = datafusion::common::tree_node::TreeNode::apply(predicate, |expr| {
        nested |= subquery(expr);
        Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
    });
    if nested {
        return Err("the predicate has a subquery".to_owned());
    }
    let mut places = Vec::new();
    for column in predicate.column_refs() {
        match schema.maybe_index_of_column(column) {
            Some(place) => places.push(place),
            None => return Err("the predicate reads a column that the relation does not have".to_owned()),
        }
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// ⋈: an inner join on equal columns.
pub(super) struct Joined<'a> {
    node: &'a Join,
    /// The join columns of the left side.
    pub(super) left_on: Vec<Column>,
    /// The join columns of the right side.
    pub(super) right_on: Vec<Column>,
}

impl<'a> Joined<'a> {
    /// The ⋈ at the root: `None` where there is none, the reason where it is more than equal columns.
    pub(super) fn of(plan: &'a LogicalPlan) -> Option<Result<Joined<'a>, String>> {
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
        Some(Ok(Joined { node, left_on, right_on }))
    }

    /// r1
    pub(super) fn left(&self) -> &'a LogicalPlan {
        &self.node.left
    }

    /// r2
    pub(super) fn right(&self) -> &'a LogicalPlan {
        &self.node.right
    }

    /// The same join of other relations with the same schemas.
    pub(super) fn over(&self, left: LogicalPlan, right: LogicalPlan) -> Result<LogicalPlan> {
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
    pub(super) fn pairs_missing(&self) -> bool {
        self.node.null_equality == NullEquality::NullEqualsNull
    }

    /// A column of the join, as its side calls it.
    pub(super) fn side_of(&self, column: &Column) -> Result<Side> {
        let place = place(&self.node.schema, column)?;
        let width = self.node.left.schema().fields().len();
        Ok(match place.checked_sub(width) {
            None => Side::Left(column_at(self.node.left.schema(), place)),
            Some(place) => Side::Right(column_at(self.node.right.schema(), place)),
        })
    }
}

/// Where a column of a join comes from.
pub(super) enum Side {
    /// From r1.
    Left(Column),
    /// From r2.
    Right(Column),
}

/// ∩ or −: a semi or anti join on all columns, place by place. Gives both relations, without the renaming and the dropping of duplicates that come with it.
pub(super) fn set_operation(plan: &LogicalPlan, kind: JoinType) -> Option<(&LogicalPlan, &LogicalPlan)> {
    let LogicalPlan::Join(join) = plan else { return None };
    if join.join_type != kind || join.filter.is_some() || join.null_equality != NullEquality::NullEqualsNull {
        return None;
    }
    let width = join.left.schema().fields().len();
    let by_place = join.on.iter().enumerate().all(|(at, pair)| match pair {
        (Expr::Column(left), Expr::Column(right)) => {
            join.left.schema().maybe_index_of_column(left) == Some(at)
                && join.right.schema().maybe_index_of_column(right) == Some(at)
        }
        _ => false,
    });
    (join.on.len() == width && by_place).then(|| (bare(&join.left), bare(&join.right)))
}

fn bare(mut plan: &LogicalPlan) -> &LogicalPlan {
    loop {
        plan = match plan {
            LogicalPlan::Distinct(Distinct::All(input)) => input,
            LogicalPlan::SubqueryAlias(SubqueryAlias { input, .. }) => input,
            _ => return plan,
        };
    }
}
