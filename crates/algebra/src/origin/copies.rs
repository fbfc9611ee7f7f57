//! Where the cells of one column were made.

use crate::operator::Operator;
use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};

/// What made the cells of a column: nothing after it has changed them.
#[derive(Debug, Clone, Copy)]
pub enum Maker<'a> {
    /// They are those of a table.
    Table(&'a LogicalPlan, usize),
    /// An operator put them there: the node, and the place of the column in its relation.
    Operator(&'a LogicalPlan, usize),
    /// They were computed.
    Computed,
}

/// All makers of a column of a plan, by its place: one, or one for each part of a union.
pub fn makers(plan: &LogicalPlan, place: usize) -> Vec<Maker<'_>> {
    let mut found = Vec::new();
    look(plan, place, &mut found);
    found
}

fn look<'a>(plan: &'a LogicalPlan, place: usize, found: &mut Vec<Maker<'a>>) {
    if let Some(operator) = Operator::of(plan) {
        return through_operator(operator, plan, place, found);
    }
    match plan {
        LogicalPlan::TableScan(_) => found.push(Maker::Table(plan, place)),
        LogicalPlan::Projection(projection) => match projection.expr.get(place).map(bare) {
            Some(Expr::Column(column)) => by_name(&projection.input, column, found),
            _ => found.push(Maker::Computed),
        },
        LogicalPlan::Aggregate(aggregate) => match aggregate.group_expr.get(place).map(bare) {
            Some(Expr::Column(column)) => by_name(&aggregate.input, column, found),
            _ => found.push(Maker::Computed),
        },
        LogicalPlan::Window(window) if place < window.input.schema().fields().len() => {
            look(&window.input, place, found);
        }
        LogicalPlan::Join(join) => {
            let left = join.left.schema().fields().len();
            let only_right =
                matches!(join.join_type, JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark);
            let side = match only_right {
                true => Some((&join.right, place)),
                false if place < left => Some((&join.left, place)),
                false => Some((&join.right, place - left)),
            };
            match side.filter(|(side, place)| *place < side.schema().fields().len()) {
                Some((side, place)) => look(side, place, found),
                None => found.push(Maker::Computed),
            }
        }
        LogicalPlan::Union(union) => union.inputs.iter().for_each(|input| look(input, place, found)),
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::Distinct(Distinct::All(_))
        | LogicalPlan::Repartition(_) => match plan.inputs().first() {
            Some(input) => look(input, place, found),
            None => found.push(Maker::Computed),
        },
        _ => found.push(Maker::Computed),
    }
}

fn through_operator<'a>(
    operator: Operator<'a>,
    plan: &'a LogicalPlan,
    place: usize,
    found: &mut Vec<Maker<'a>>,
) {
    let columns = plan.schema().columns();
    let Some(column) = columns.get(place) else { return found.push(Maker::Computed) };
    let below = operator.input().schema().maybe_index_of_column(column);
    let changed = match operator {
        Operator::Generalize(node) => node.what().quasi.contains(column),
        Operator::Randomize(node) => node.what().columns().any(|own| own == column),
        // Its cells are moved, not changed.
        Operator::Slice(_) => false,
        Operator::Private(_) => return found.push(Maker::Computed),
    };
    match below {
        Some(below) if changed => found.push(Maker::Operator(plan, below)),
        Some(below) => look(operator.input(), below, found),
        None => found.push(Maker::Computed),
    }
}

fn by_name<'a>(input: &'a LogicalPlan, column: &Column, found: &mut Vec<Maker<'a>>) {
    match input.schema().maybe_index_of_column(column) {
        Some(place) => look(input, place, found),
        None => found.push(Maker::Computed),
    }
}

/// The expression below its new names.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => bare(&alias.expr),
        other => other,
    }
}
