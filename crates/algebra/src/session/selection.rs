//! Selections above a generalization.
//!
//! α^G promises something about all rows it gives. A query that picks among them by anything but their labels may show the rest of a class: fewer rows than promised. Whoever has
//! the whole result learns nothing new from the part, but the part alone must not be handed out as if it kept the promise.

use crate::operator::{Generalization, Operator};
use datafusion::logical_expr::{JoinType, LogicalPlan, Projection};
use std::collections::BTreeSet;

/// How rows are picked.
#[derive(Clone, Default)]
struct Picked {
    /// Columns that conditions read.
    columns: BTreeSet<String>,
    /// Whether a join may leave rows out.
    joined: bool,
    /// Whether only some of the rows are shown.
    limited: bool,
    /// Columns that decide on the order of the rows.
    sorted: BTreeSet<String>,
    /// Whether groups of rows are picked by a figure of theirs.
    groups: bool,
}

/// A remark for every generalization whose rows are picked afterwards.
pub(super) fn remarks(plan: &LogicalPlan) -> Vec<String> {
    let mut remarks = Vec::new();
    below(plan, &Picked::default(), &mut remarks);
    remarks
}

fn below(plan: &LogicalPlan, picked: &Picked, remarks: &mut Vec<String>) {
    let mut picked = picked.clone();
    match (plan, Operator::of(plan)) {
        (_, Some(Operator::Generalize(node))) => {
            remarks.extend(remark(node.what(), &picked));
            remarks.extend(others(node.what(), &picked));
            picked = Picked::default();
        }
        (_, Some(Operator::Private(_))) => picked = Picked::default(),
        // What stands above speaks of groups, not of rows.
        (LogicalPlan::Aggregate(aggregate), _) => {
            let groups = aggregate.group_expr.len();
            let figures = plan.schema().columns().split_off(groups.min(plan.schema().fields().len()));
            let by_figure = figures.iter().any(|figure| picked.columns.contains(&figure.name));
            picked = Picked { groups: picked.groups || by_figure, ..Picked::default() };
        }
        (LogicalPlan::Projection(projection), _) => {
            picked.columns = below_projection(projection, &picked.columns);
            picked.sorted = below_projection(projection, &picked.sorted);
        }
        (LogicalPlan::Limit(_), _) => picked.limited = true,
        (LogicalPlan::Sort(sort), _) => {
            picked.limited |= sort.fetch.is_some();
            let columns = sort.expr.iter().flat_map(|key| key.expr.column_refs());
            picked.sorted.extend(columns.map(|column| column.name.clone()));
        }
        (LogicalPlan::Filter(filter), _) => {
            picked.columns.extend(filter.predicate.column_refs().iter().map(|column| column.name.clone()));
        }
        _ => {}
    }
    for (side, input) in plan.inputs().into_iter().enumerate() {
        let loses = matches!(plan, LogicalPlan::Join(join) if !keeps(join.join_type)[side.min(1)]);
        below(input, &Picked { joined: picked.joined || loses, ..picked.clone() }, remarks);
    }
}

/// What columns are called, or made of, below a projection.
fn below_projection(projection: &Projection, columns: &BTreeSet<String>) -> BTreeSet<String> {
    let outputs = projection.schema.columns();
    let made_of = |name: &String| -> Vec<String> {
        match outputs.iter().position(|output| output.name == *name) {
            Some(place) => {
                projection.expr[place].column_refs().iter().map(|column| column.name.clone()).collect()
            }
            None => vec![name.clone()],
        }
    };
    columns.iter().flat_map(made_of).collect()
}

/// Whether a join keeps every row of its left and of its right side.
fn keeps(join: JoinType) -> [bool; 2] {
    match join {
        JoinType::Full => [true, true],
        JoinType::Left | JoinType::LeftMark => [true, false],
        JoinType::Right | JoinType::RightMark => [false, true],
        _ => [false, false],
    }
}

fn remark(what: &Generalization, picked: &Picked) -> Option<String> {
    let is_label = |name: &&String| what.quasi.iter().any(|column| column.name == **name);
    let others: Vec<&str> =
        picked.columns.iter().filter(|name| !is_label(name)).map(String::as_str).collect();
    let how = match (others.is_empty(), picked.joined) {
        (true, false) => return None,
        (false, false) => format!("by {}", others.join(", ")),
        (true, true) => "by a join".to_owned(),
        (false, true) => format!("by {} and a join", others.join(", ")),
    };
    Some(format!(
        "Rows are picked {how} after generalize ({}): the promise is about all rows it gave, and classes of those shown may be smaller. \
         To have it for what is shown, pick inside the parentheses: generalize((SELECT … WHERE …), …).",
        what.promise
    ))
}

/// Remarks on rows that are cut off, sorted or grouped afterwards.
fn others(what: &Generalization, picked: &Picked) -> Vec<String> {
    let promise = &what.promise;
    let mut remarks = Vec::new();
    if picked.limited {
        remarks.push(format!(
            "Only some of the rows that generalize ({promise}) gave are shown (LIMIT): classes of those shown may be smaller than promised."
        ));
    }
    let is_label = |name: &&String| what.quasi.iter().any(|column| column.name == **name);
    let exact: Vec<&str> = picked.sorted.iter().filter(|name| !is_label(name)).map(String::as_str).collect();
    if !exact.is_empty() {
        remarks.push(format!(
            "Rows are sorted by {} after generalize ({promise}): inside a class their order tells what the labels do not.",
            exact.join(", ")
        ));
    }
    if picked.groups {
        remarks.push(format!(
            "Groups are picked by a figure (HAVING) after generalize ({promise}): a group of few rows may stand for few people."
        ));
    }
    remarks
}
