//! π, with and without its removal of duplicates.

use super::columns::{column_at, place};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, Projection};
use std::sync::Arc;

/// π: a bag projection of plain columns.
pub(in crate::rules) struct Projected<'a> {
    node: &'a Projection,
    /// For every output column, its place in the input.
    from: Vec<usize>,
}

impl<'a> Projected<'a> {
    /// The π at the root: `None` where there is none, the reason where it is not a plain one over bags.
    pub(in crate::rules) fn of(plan: &'a LogicalPlan) -> Option<Result<Projected<'a>, String>> {
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
    pub(in crate::rules) fn input(&self) -> &'a LogicalPlan {
        &self.node.input
    }

    /// The same columns of another relation with the same schema.
    pub(in crate::rules) fn over(&self, input: LogicalPlan) -> Result<LogicalPlan> {
        Ok(LogicalPlan::Projection(Projection::try_new(self.node.expr.clone(), Arc::new(input))?))
    }

    /// What an output column is called in the input.
    pub(in crate::rules) fn below(&self, column: &Column) -> Result<Column> {
        let place = place(&self.node.schema, column)?;
        Ok(column_at(self.node.input.schema(), self.from[place]))
    }

    /// What an input column is called in the output; `None` where it is projected away.
    pub(in crate::rules) fn above(&self, column: &Column) -> Result<Option<Column>> {
        let place = place(self.node.input.schema(), column)?;
        let kept = self.from.iter().position(|from| *from == place);
        Ok(kept.map(|kept| column_at(&self.node.schema, kept)))
    }

    /// Input columns that are projected away, in their order.
    pub(in crate::rules) fn dropped(&self) -> Vec<Column> {
        let schema = self.node.input.schema();
        let gone = (0..schema.fields().len()).filter(|place| !self.from.contains(place));
        gone.map(|place| column_at(schema, place)).collect()
    }

    /// The output columns, as the input calls them.
    fn columns(&self) -> Vec<Column> {
        self.from.iter().map(|&place| column_at(self.node.input.schema(), place)).collect()
    }
}

/// π that keeps duplicates, and the relation it works on: some of the relation's columns, none renamed, none computed.
pub(in crate::rules) fn projected(plan: &LogicalPlan) -> Option<(Vec<Column>, &LogicalPlan)> {
    let pi = Projected::of(plan)?.ok()?;
    Some((pi.columns(), pi.input()))
}

/// π over a relation.
pub(in crate::rules) fn project(input: LogicalPlan, columns: &[Column]) -> Result<LogicalPlan> {
    let columns = columns.iter().cloned().map(Expr::Column).collect();
    Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(input))?))
}

/// The relation below a removal of duplicates.
pub(in crate::rules) fn distinct(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) => Some(input),
        _ => None,
    }
}

/// Whether a plan is a π that removes duplicates.
pub(in crate::rules) fn is_set_projection(plan: &LogicalPlan) -> bool {
    distinct(plan).is_some_and(|below| projected(below).is_some())
}

/// Whether a projection, also one that drops duplicates, stands directly over a node that is looked for.
pub(in crate::rules) fn projects(plan: &LogicalPlan, looked_for: impl Fn(&LogicalPlan) -> bool) -> bool {
    let projection = match plan {
        LogicalPlan::Distinct(distinct) => &**distinct.input(),
        other => other,
    };
    matches!(projection, LogicalPlan::Projection(node) if looked_for(&node.input))
}
