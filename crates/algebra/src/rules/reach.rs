//! How far a partially equivalent rewrite is felt.
//!
//! Such a rewrite may change the labels of some columns. Partial equivalence of the whole plan follows only where nothing above
//! looks at them: a selection on a label, a removal of duplicates or a join on it would let other *rows* out.

use super::notation::names;
use crate::operator::{Buckets, Operator};
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// A node above a rewrite, and which of its inputs leads there.
pub(super) type Above = (LogicalPlan, usize);

/// Why a partially equivalent rewrite of `before` would change more than labels; the nodes above it from the root down.
pub(super) fn obstacle(above: &[Above], before: &LogicalPlan) -> Option<String> {
    let mut changed = touched(before);
    for (node, position) in above.iter().rev() {
        if changed.is_empty() {
            return None;
        }
        match passed_on(node, *position, &changed) {
            Some(further) => changed = further,
            None => {
                return Some(format!(
                    "something above works with [{}], so other labels there would bring out other rows",
                    names(&changed)
                ));
            }
        }
    }
    None
}

/// Whether a slicing above cuts the rows into windows of their rank: then their order has a meaning, and equal bags are not enough.
pub(super) fn rank_matters(above: &[Above]) -> bool {
    above.iter().any(|(node, _)| match Operator::of(node) {
        Some(Operator::Slice(slice)) => {
            matches!(slice.what().buckets, Buckets::Count(_) | Buckets::Size(_))
        }
        _ => false,
    })
}

/// The columns of a node that operators in it have anonymized: those with the name of such a column.
fn touched(plan: &LogicalPlan) -> Vec<Column> {
    let mut touched: Vec<String> = Vec::new();
    collect(plan, &mut touched);
    plan.schema().columns().into_iter().filter(|column| touched.contains(&column.name)).collect()
}

fn collect(plan: &LogicalPlan, touched: &mut Vec<String>) {
    let columns: Vec<Column> = match Operator::of(plan) {
        Some(Operator::Generalize(node)) => node.what().quasi.clone(),
        Some(Operator::Slice(_)) => plan.schema().columns(),
        Some(Operator::Randomize(node)) => node.what().columns().cloned().collect(),
        Some(Operator::Private(_)) => plan.schema().columns(),
        None => return plan.inputs().into_iter().for_each(|input| collect(input, touched)),
    };
    touched.extend(columns.into_iter().map(|column| column.name));
}

/// The changed columns as the node gives them on; nothing where it works with them.
fn passed_on(node: &LogicalPlan, position: usize, changed: &[Column]) -> Option<Vec<Column>> {
    let inputs = node.inputs();
    let input = inputs.get(position)?;
    let works_with = |expr: &Expr| reads_any(expr, changed) || has_subquery(expr);
    let unless = |obstacle: bool| (!obstacle).then(|| changed.to_vec());
    match node {
        LogicalPlan::Projection(projection) => {
            let mut further = Vec::new();
            for (expr, column) in projection.expr.iter().zip(node.schema().columns()) {
                match expr.clone().unalias() {
                    Expr::Column(plain) if changed.contains(&plain) => further.push(column),
                    Expr::Column(_) => {}
                    other if works_with(&other) => return None,
                    _ => {}
                }
            }
            Some(further)
        }
        LogicalPlan::Filter(filter) => unless(works_with(&filter.predicate)),
        LogicalPlan::SubqueryAlias(_) | LogicalPlan::Union(_) => {
            let pairs = input.schema().columns().into_iter().zip(node.schema().columns());
            Some(pairs.filter(|(old, _)| changed.contains(old)).map(|(_, new)| new).collect())
        }
        LogicalPlan::Join(join) => {
            let joined_on = join.on.iter().any(|(left, right)| works_with(left) || works_with(right));
            if joined_on || join.filter.as_ref().is_some_and(works_with) {
                return None;
            }
            match (join.join_type, position) {
                (JoinType::LeftMark | JoinType::RightMark, _) => None,
                (JoinType::LeftSemi | JoinType::LeftAnti, 1)
                | (JoinType::RightSemi | JoinType::RightAnti, 0) => Some(Vec::new()),
                _ => Some(changed.to_vec()),
            }
        }
        LogicalPlan::Aggregate(aggregate) => {
            let read = aggregate.group_expr.iter().chain(&aggregate.aggr_expr).any(works_with);
            (!read).then(Vec::new)
        }
        LogicalPlan::Window(window) => unless(window.window_expr.iter().any(works_with)),
        LogicalPlan::Sort(sort) => {
            unless(sort.fetch.is_some() && sort.expr.iter().any(|key| works_with(&key.expr)))
        }
        // a limit takes the first rows of an order that may be one of labels: it falls under the rest
        LogicalPlan::Repartition(_) | LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) => unless(false),
        LogicalPlan::Extension(_) => through_operator(node, changed),
        _ => None,
    }
}

/// A generalization may choose other levels for all its columns; that is partial equivalence again where k is all it promises and
/// no row is left out.
fn through_operator(node: &LogicalPlan, changed: &[Column]) -> Option<Vec<Column>> {
    match Operator::of(node)? {
        Operator::Generalize(generalize) => {
            let what = generalize.what();
            let sensitive = what.promise.sensitive();
            if changed.iter().any(|column| sensitive.contains(&column.name.as_str())) {
                return None;
            }
            if !changed.iter().any(|column| what.quasi.contains(column)) {
                return Some(changed.to_vec());
            }
            let harmless = what.promise.is_k_anonymity_only() && !what.promise.may_suppress();
            harmless.then(|| {
                let others = what.quasi.iter().filter(|column| !changed.contains(column));
                changed.iter().chain(others).cloned().collect()
            })
        }
        Operator::Randomize(randomize) => {
            let noised = randomize.what().columns().any(|column| changed.contains(column));
            (!noised).then(|| changed.to_vec())
        }
        Operator::Slice(_) | Operator::Private(_) => None,
    }
}

/// Whether an expression reads one of these columns; a name without a relation could be any of that name.
pub(super) fn reads_any(expr: &Expr, columns: &[Column]) -> bool {
    let read = expr.column_refs();
    columns.iter().any(|column| {
        read.iter().any(|other| {
            other.name == column.name && (other.relation.is_none() || other.relation == column.relation)
        })
    })
}

/// Whether an expression asks another plan.
pub(super) fn has_subquery(expr: &Expr) -> bool {
    let found = expr.exists(|part| {
        Ok(matches!(
            part,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(..)
        ))
    });
    !matches!(found, Ok(false))
}
