//! New names moved out of the way.
//!
//! A subquery with an alias puts a renaming ρ between operators that would otherwise meet: π over ρ over α^G. A renaming changes no
//! row, so before rules are tried it is moved up, past α, π, σ and the removal of duplicates, until it reaches the root or a node
//! that needs it. A union takes no notice of its inputs' qualifiers, so there it is dropped; of two renamings in a row the outer one stays.

use super::reach::has_subquery;
use crate::operator::{
    Buckets, Generalization, Generalize, Operator, Randomization, Randomize, Slice, Slicing, plan_of,
};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Distinct, Expr, Filter, Join, LogicalPlan, Projection, SubqueryAlias, Union};
use std::sync::Arc;

/// The same relation with renamings as far up as they go; the columns of the root are the same.
pub(super) fn names_up(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(moved)?.data)
}

fn moved(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if let LogicalPlan::Union(union) = &node {
        return unnamed_parts(union);
    }
    let inputs = node.inputs();
    let [LogicalPlan::SubqueryAlias(alias)] = inputs[..] else { return Ok(Transformed::no(node)) };
    let Some(names) = Names::of(alias) else { return Ok(Transformed::no(node)) };
    if let LogicalPlan::SubqueryAlias(outer) = &node {
        let named = SubqueryAlias::try_new(Arc::clone(&alias.input), outer.alias.clone())?;
        return Ok(Transformed::yes(LogicalPlan::SubqueryAlias(named)));
    }
    match below(&node, alias, &names)? {
        Some(below) => {
            let named = SubqueryAlias::try_new(Arc::new(below), alias.alias.clone())?;
            Ok(Transformed::yes(LogicalPlan::SubqueryAlias(named)))
        }
        None => Ok(Transformed::no(node)),
    }
}

/// The same relation with the renamings of joined operators below them: the sides of a join keep their names, and the join meets the
/// operators themselves.
pub(super) fn names_below_joined(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan
        .transform_up(|node| match node {
            LogicalPlan::Join(join) => {
                let (left, right) = (named_below(&join.left)?, named_below(&join.right)?);
                match left.is_some() || right.is_some() {
                    false => Ok(Transformed::no(LogicalPlan::Join(join))),
                    true => {
                        let left = left.map_or_else(|| Arc::clone(&join.left), Arc::new);
                        let right = right.map_or_else(|| Arc::clone(&join.right), Arc::new);
                        Ok(Transformed::yes(LogicalPlan::Join(Join { left, right, ..join })))
                    }
                }
            }
            other => Ok(Transformed::no(other)),
        })?
        .data)
}

/// An operator below a renaming, as one above it.
fn named_below(side: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::SubqueryAlias(alias) = side else { return Ok(None) };
    let (Some(operator), Some(names)) = (Operator::of(&alias.input), Names::of(alias)) else {
        return Ok(None);
    };
    let renamed = SubqueryAlias::try_new(Arc::new(operator.input().clone()), alias.alias.clone())?;
    let reversed = Names(names.0.into_iter().map(|(new, old)| (old, new)).collect());
    let above = operator_below(operator, Arc::new(LogicalPlan::SubqueryAlias(renamed)), &reversed)?;
    Ok(above.filter(|above| above.schema() == side.schema()))
}

/// The node over the relation below the renaming, where it can stand there.
fn below(node: &LogicalPlan, alias: &SubqueryAlias, names: &Names) -> Result<Option<LogicalPlan>> {
    let input = Arc::clone(&alias.input);
    if let Some(operator) = Operator::of(node) {
        return operator_below(operator, input, names);
    }
    match node {
        LogicalPlan::Projection(projection) => {
            let plain: Option<Vec<Expr>> = projection
                .expr
                .iter()
                .map(|expr| match expr {
                    Expr::Column(column) => names.old(column).map(Expr::Column),
                    _ => None,
                })
                .collect();
            plain.map(|plain| Ok(LogicalPlan::Projection(Projection::try_new(plain, input)?))).transpose()
        }
        LogicalPlan::Filter(filter) => match names.old_in(&filter.predicate)? {
            Some(predicate) => Ok(Some(LogicalPlan::Filter(Filter::try_new(predicate, input)?))),
            None => Ok(None),
        },
        LogicalPlan::Distinct(Distinct::All(_)) => Ok(Some(LogicalPlan::Distinct(Distinct::All(input)))),
        _ => Ok(None),
    }
}

fn operator_below(
    operator: Operator<'_>,
    input: Arc<LogicalPlan>,
    names: &Names,
) -> Result<Option<LogicalPlan>> {
    Ok(match operator {
        Operator::Generalize(node) => match names.old_generalization(node.what()) {
            Some(what) => Some(plan_of(Generalize::new(input, what)?)),
            None => None,
        },
        Operator::Slice(node) => match names.old_slicing(node.what()) {
            Some(what) => Some(plan_of(Slice::new(input, what)?)),
            None => None,
        },
        Operator::Randomize(node) => {
            let noise = node.what().noise.iter();
            let noise = noise.map(|(column, noise)| Some((names.old(column)?, noise.clone())));
            match noise.collect::<Option<Vec<_>>>() {
                Some(noise) => {
                    let what = Randomization { noise, draw: node.what().draw };
                    Some(plan_of(Randomize::new(input, what)?))
                }
                None => None,
            }
        }
        // No rule moves an aggregate: the renaming may stay.
        Operator::Private(_) => None,
    })
}

fn unnamed_parts(union: &Union) -> Result<Transformed<LogicalPlan>> {
    let mut changed = false;
    let bare = |input: &Arc<LogicalPlan>| match &**input {
        LogicalPlan::SubqueryAlias(alias) if Names::of(alias).is_some() => {
            changed = true;
            Arc::clone(&alias.input)
        }
        _ => Arc::clone(input),
    };
    let inputs = union.inputs.iter().map(bare).collect();
    let union = LogicalPlan::Union(Union { inputs, schema: Arc::clone(&union.schema) });
    Ok(if changed { Transformed::yes(union) } else { Transformed::no(union) })
}

/// Columns after and before a renaming.
struct Names(Vec<(Column, Column)>);

impl Names {
    /// Of a renaming that changes qualifiers only; where two columns have the same name, it changes names as well.
    fn of(alias: &SubqueryAlias) -> Option<Names> {
        let pairs: Vec<(Column, Column)> =
            alias.schema.columns().into_iter().zip(alias.input.schema().columns()).collect();
        pairs.iter().all(|(new, old)| new.name == old.name).then_some(Names(pairs))
    }

    fn old(&self, column: &Column) -> Option<Column> {
        let same = |new: &Column| {
            new.name == column.name && (column.relation.is_none() || column.relation == new.relation)
        };
        self.0.iter().find(|(new, _)| same(new)).map(|(_, old)| old.clone())
    }

    fn old_all(&self, columns: &[Column]) -> Option<Vec<Column>> {
        columns.iter().map(|column| self.old(column)).collect()
    }

    fn old_in(&self, expr: &Expr) -> Result<Option<Expr>> {
        let known = expr.column_refs().into_iter().all(|column| self.old(column).is_some());
        if !known || has_subquery(expr) {
            return Ok(None);
        }
        let renamed = expr.clone().transform(|part| {
            Ok(match &part {
                Expr::Column(column) => match self.old(column) {
                    Some(old) => Transformed::yes(Expr::Column(old)),
                    None => Transformed::no(part),
                },
                _ => Transformed::no(part),
            })
        })?;
        Ok(Some(renamed.data))
    }

    fn old_generalization(&self, what: &Generalization) -> Option<Generalization> {
        Some(Generalization { quasi: self.old_all(&what.quasi)?, promise: what.promise.clone() })
    }

    fn old_slicing(&self, what: &Slicing) -> Option<Slicing> {
        let groups = what.groups.iter().map(|group| self.old_all(group)).collect::<Option<Vec<_>>>()?;
        let buckets = match &what.buckets {
            Buckets::By(column) => Buckets::By(self.old(column)?),
            Buckets::Classes(classes) => Buckets::Classes(self.old_generalization(classes)?),
            other => other.clone(),
        };
        Some(Slicing { groups, buckets, ..what.clone() })
    }
}
