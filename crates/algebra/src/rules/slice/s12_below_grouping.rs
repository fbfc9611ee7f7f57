//! S12: slicing below a grouping that cannot see it.

use crate::rules::outcome::{equivalent, refused};
use crate::rules::reach::has_subquery;
use crate::rules::patterns::columns::place;
use crate::rules::patterns::slice::{guards, overlapping, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Slicing below a grouping that cannot see it.
#[derive(Debug)]
pub(super) struct BelowGrouping;

static CARD: Card = Card {
    id: "S12",
    statement: "γ_{A; f(B)}(r) ⇐ γ_{A; f(B)}(α^S_V(r))",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "A and B lie inside one group; the figures do not depend on the order of rows (count, sum, avg, min, max, …); groups \
        may not overlap; a slicing that is held to limits stays where several columns are seen, because it looks for rows that are alone with them",
    source: "beyond the thesis, which asks for rules of grouping in its outlook",
    example: "V = {A, B}, {C}: count per A, or the mean of B per A, without any slicing. Counter-example: the mean of C per A",
};

/// Aggregates of a bag.
const OF_BAGS: [&str; 16] = [
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "median",
    "stddev",
    "stddev_pop",
    "var",
    "var_pop",
    "bool_and",
    "bool_or",
    "bit_and",
    "bit_or",
    "bit_xor",
    "approx_distinct",
];

impl Rule for BelowGrouping {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The left side has no operator: nothing says which slicing to add, so it never matches.
        let (LogicalPlan::Aggregate(aggregate), Way::RightToLeft) = (plan, way) else {
            return Ok(Attempt::NoMatch);
        };
        let Some(node) = slice(&aggregate.input) else { return Ok(Attempt::NoMatch) };
        if let Some(why) = overlapping(node) {
            return refused(why);
        }
        let exprs = || aggregate.group_expr.iter().chain(&aggregate.aggr_expr);
        if exprs().any(|expr| has_subquery(expr) || expr.is_volatile()) {
            return refused("the grouping reads more than the rows, or is random itself");
        }
        if !aggregate.aggr_expr.iter().all(is_of_a_bag) {
            return refused("a figure may depend on the order of the rows, which slicing changes");
        }
        let read: BTreeSet<&Column> = exprs().flat_map(Expr::column_refs).collect();
        let mut places = BTreeSet::new();
        for column in read {
            places.insert(place(node.input().schema(), column)?);
        }
        let mut seen = 0;
        for group in &node.what().groups {
            let own = group
                .iter()
                .map(|column| place(node.input().schema(), column))
                .collect::<Result<BTreeSet<_>>>()?;
            seen += usize::from(!own.is_disjoint(&places));
        }
        match (seen, guards(node, places.len())) {
            (0 | 1, Some(why)) => refused(why),
            (0 | 1, None) => {
                let input = Arc::new(node.input().clone());
                let bare =
                    Aggregate::try_new(input, aggregate.group_expr.clone(), aggregate.aggr_expr.clone())?;
                equivalent(LogicalPlan::Aggregate(bare), "the grouping reads columns of a single group")
            }
            (groups, _) => refused(format!("the grouping reads columns of {groups} groups")),
        }
    }
}

/// Whether a figure is known to be the same for every order of the rows.
fn is_of_a_bag(figure: &Expr) -> bool {
    match figure {
        Expr::Alias(alias) => is_of_a_bag(&alias.expr),
        Expr::AggregateFunction(function) => {
            OF_BAGS.contains(&function.func.name()) && function.params.order_by.is_empty()
        }
        _ => false,
    }
}
