//! Selections above a generalization.
//!
//! α^G promises something about all rows it gives. A query that picks among them by anything but their labels may show the rest of a class: fewer rows than promised. Whoever has
//! the whole result learns nothing new from the part, but the part alone must not be handed out as if it kept the promise: it is counted again (`counted_again`).

use crate::operator::{Generalization, Operator};
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::{Distinct, Expr, JoinType, LogicalPlan, Projection};
use std::collections::BTreeSet;

/// How rows are picked.
#[derive(Clone, Default)]
pub(super) struct Picked {
    /// Columns that conditions read.
    columns: BTreeSet<String>,
    /// Whether a join may leave rows out.
    joined: bool,
    /// Whether a condition asks another query.
    asked: bool,
    /// Whether only some of the rows are shown.
    limited: bool,
    /// Columns that decide on the order of the rows.
    sorted: BTreeSet<String>,
    /// Whether groups of rows are picked by a figure of theirs.
    groups: bool,
    /// Whether groups of rows are picked in any way.
    some_groups: bool,
}

impl Picked {
    /// Whether all rows are there so far.
    fn nothing(&self) -> bool {
        self.columns.is_empty() && !self.joined && !self.asked && !self.limited
    }
}

/// A generalization and what is done to its rows.
pub(super) struct Late<'a> {
    /// The generalization.
    pub(super) node: &'a LogicalPlan,
    pub(super) what: &'a Generalization,
    /// The highest node up to which rows are rows: picked and joined, but not grouped.
    pub(super) top: &'a LogicalPlan,
    /// The columns of `top` that are shown, or that rows are grouped by, by their places.
    pub(super) shown: Vec<usize>,
    picked: Picked,
}

/// The generalizations of a plan, with what is done to their rows.
pub(super) fn late(plan: &LogicalPlan) -> Vec<Late<'_>> {
    let mut found = Vec::new();
    below(plan, Above::rows(plan), &Picked::default(), &mut found);
    found
}

/// Remarks on the rows of a generalization that are picked afterwards.
pub(super) fn remarks(late: &Late<'_>) -> Vec<String> {
    let again = late.how().map(|how| {
        format!(
            "Rows are picked {how} after generalize ({}); the classes of those shown were counted again.",
            late.what.promise
        )
    });
    again.into_iter().chain(others(late.what, &late.picked)).collect()
}

/// What stands above a node.
#[derive(Clone)]
struct Above<'a> {
    top: &'a LogicalPlan,
    shown: Vec<usize>,
}

impl<'a> Above<'a> {
    /// Rows that are shown with all their columns.
    fn rows(top: &'a LogicalPlan) -> Above<'a> {
        Above { top, shown: (0..top.schema().fields().len()).collect() }
    }

    /// Rows of which only what these expressions read is shown.
    fn grouped<'e>(top: &'a LogicalPlan, by: impl Iterator<Item = &'e Expr>) -> Above<'a> {
        let read = by.flat_map(|expr| expr.column_refs());
        let mut shown: Vec<usize> =
            read.filter_map(|column| top.schema().maybe_index_of_column(column)).collect();
        shown.sort_unstable();
        shown.dedup();
        Above { top, shown }
    }
}

fn below<'a>(plan: &'a LogicalPlan, above: Above<'a>, picked: &Picked, found: &mut Vec<Late<'a>>) {
    let mut picked = picked.clone();
    let mut above = above;
    match (plan, Operator::of(plan)) {
        (_, Some(Operator::Generalize(node))) => {
            found.push(Late { node: plan, what: node.what(), top: above.top, shown: above.shown, picked });
            return below(node.input(), Above::rows(node.input()), &Picked::default(), found);
        }
        (_, Some(operator)) => {
            // A figure of private says nothing about one row; the others give out every row they get.
            picked = Picked::default();
            above = Above::rows(operator.input());
        }
        // What stands above speaks of groups, not of rows.
        (LogicalPlan::Aggregate(aggregate), _) => {
            let groups = aggregate.group_expr.len();
            let figures = plan.schema().columns().split_off(groups.min(plan.schema().fields().len()));
            let by_figure = figures.iter().any(|figure| picked.columns.contains(&figure.name));
            let some_groups = picked.some_groups || !picked.nothing();
            picked = Picked { groups: picked.groups || by_figure, some_groups, ..Picked::default() };
            above = Above::grouped(&aggregate.input, aggregate.group_expr.iter());
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
            picked.asked |= asks(&filter.predicate);
            picked.columns.extend(filter.predicate.column_refs().iter().map(|column| column.name.clone()));
        }
        (LogicalPlan::Distinct(Distinct::On(distinct)), _) => {
            let on = distinct.on_expr.iter().flat_map(|expr| expr.column_refs());
            picked.columns.extend(on.map(|column| column.name.clone()));
            picked.limited = true;
        }
        // What is picked above it is picked from rows all the same.
        (LogicalPlan::Distinct(Distinct::All(input)), _) if picked.nothing() => above = Above::rows(input),
        _ => {}
    }
    let several = !matches!(
        plan,
        LogicalPlan::Join(_)
            | LogicalPlan::Projection(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Aggregate(_)
            | LogicalPlan::Distinct(_)
    ) && Operator::of(plan).is_none();
    for (side, input) in plan.inputs().into_iter().enumerate() {
        // Columns are told apart by their names here, and the other side may have one of the same name.
        let loses = matches!(plan, LogicalPlan::Join(join)
            if !keeps(join.join_type)[side.min(1)] || !picked.columns.is_empty());
        let above = if several { Above::rows(input) } else { above.clone() };
        below(input, above, &Picked { joined: picked.joined || loses, ..picked.clone() }, found);
    }
}

/// Whether an expression asks another query: what it picks by is not among the columns it reads.
fn asks(predicate: &Expr) -> bool {
    let found = predicate.exists(|expr| {
        Ok(matches!(
            expr,
            Expr::Exists(_) | Expr::InSubquery(_) | Expr::ScalarSubquery(_) | Expr::SetComparison(_)
        ))
    });
    found.unwrap_or(true)
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

impl Late<'_> {
    /// Whether groups of its rows are picked: the rows of a group that is shown must be enough by themselves.
    pub(super) fn picks_groups(&self) -> bool {
        self.picked.some_groups
    }

    /// How rows are picked by anything but their labels; none where whole classes are, or all.
    pub(super) fn how(&self) -> Option<String> {
        let is_label = |name: &&String| self.what.quasi.iter().any(|column| column.name == **name);
        let mut by: Vec<&str> =
            self.picked.columns.iter().filter(|name| !is_label(name)).map(String::as_str).collect();
        let first = self.picked.sorted.iter().filter(|name| !is_label(name) && self.picked.limited);
        by.extend(first.map(String::as_str));
        by.dedup();
        let others = [(self.picked.asked, "another query"), (self.picked.joined, "a join")];
        by.extend(others.into_iter().filter(|(is, _)| *is).map(|(_, word)| word));
        match by.as_slice() {
            [] => None,
            [one] => Some(format!("by {one}")),
            [all @ .., last] => Some(format!("by {} and {last}", all.join(", "))),
        }
    }
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
