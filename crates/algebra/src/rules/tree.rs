//! Plans as trees, in the algebra's notation.

use super::notation::{names, operator_head, shown};
use crate::operator::{Operator, Overlap};
use crate::xml::condition_text;
use datafusion::common::{DFSchema, JoinType};
use datafusion::logical_expr::{Distinct, Expr, Join, LogicalPlan};

/// A line per node, inputs below. Unlike the log it shows conditions in full: whoever sees the tree has seen the plan.
///
/// ```text
/// π[day, group]
/// └─ α^G[day; k = 3]
///    └─ donors
/// ```
pub fn tree(plan: &LogicalPlan) -> String {
    let mut text = String::new();
    branch(plan, "", "", &mut text);
    text
}

/// `here` stands before the node's own line, `below` before those of its inputs.
fn branch(plan: &LogicalPlan, here: &str, below: &str, text: &mut String) {
    text.push_str(&format!("{here}{}\n", head(plan)));
    let inputs = plan.inputs();
    for (position, input) in inputs.iter().enumerate() {
        let (own, further) = match position + 1 == inputs.len() {
            true => ("└─ ", "   "),
            false => ("├─ ", "│  "),
        };
        branch(input, &format!("{below}{own}"), &format!("{below}{further}"), text);
    }
}

fn head(plan: &LogicalPlan) -> String {
    if let Some(operator) = Operator::of(plan) {
        return match operator {
            Operator::Slice(node) => {
                let what = node.what();
                let groups: Vec<String> =
                    what.groups.iter().map(|group| format!("{{{}}}", names(group))).collect();
                let overlap = if what.overlap == Overlap::Forbidden { "" } else { ", overlapping" };
                format!("α^S[{}; {}{overlap}]", groups.join(" "), what.buckets)
            }
            _ => operator_head(operator),
        };
    }
    match plan {
        LogicalPlan::TableScan(scan) => scan.table_name.to_string(),
        LogicalPlan::Projection(projection) => format!("π[{}]", list(&projection.expr)),
        LogicalPlan::Filter(filter) => format!("σ[{}]", condition(&filter.predicate, filter.input.schema())),
        LogicalPlan::Union(_) => "∪".to_owned(),
        LogicalPlan::Distinct(Distinct::All(_)) => "δ".to_owned(),
        LogicalPlan::Distinct(Distinct::On(distinct)) => format!("δ[{}]", list(&distinct.on_expr)),
        LogicalPlan::SubqueryAlias(alias) => format!("ρ[{}]", alias.alias),
        LogicalPlan::Join(join) => joined(join),
        LogicalPlan::Aggregate(aggregate) => {
            let figures: Vec<String> =
                aggregate.aggr_expr.iter().map(|expr| condition(expr, aggregate.input.schema())).collect();
            let groups = list(&aggregate.group_expr);
            let bar = if groups.is_empty() || figures.is_empty() { "" } else { "; " };
            format!("γ[{groups}{bar}{}]", figures.join(", "))
        }
        LogicalPlan::Sort(sort) => {
            let keys: Vec<String> = sort.expr.iter().map(|key| shown(&key.expr)).collect();
            format!("τ[{}]", keys.join(", "))
        }
        LogicalPlan::Limit(_) => "limit".to_owned(),
        LogicalPlan::Values(_) | LogicalPlan::EmptyRelation(_) => "values".to_owned(),
        other => {
            // The kind of node alone.
            let line = other.display().to_string();
            line.split([':', ' ']).next().unwrap_or_default().to_lowercase()
        }
    }
}

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(shown).collect::<Vec<String>>().join(", ")
}

/// As SQL where it can be written so.
fn condition(predicate: &Expr, schema: &DFSchema) -> String {
    condition_text(predicate, schema).unwrap_or_else(|| predicate.human_display().to_string())
}

fn joined(join: &Join) -> String {
    let whole = join.on.len() == join.left.schema().fields().len();
    let sign = match join.join_type {
        JoinType::LeftSemi if whole => return "∩".to_owned(),
        JoinType::LeftAnti if whole => return "−".to_owned(),
        JoinType::Inner if join.on.is_empty() && join.filter.is_none() => return "×".to_owned(),
        JoinType::Inner => "⋈".to_owned(),
        other => format!("{} join", other.to_string().to_lowercase()),
    };
    let pairs = join.on.iter().map(|(left, right)| match (shown(left), shown(right)) {
        (left, right) if left == right => left,
        (left, right) => format!("{left} = {right}"),
    });
    let filter = join.filter.iter().map(|filter| condition(filter, &join.schema));
    format!("{sign}[{}]", pairs.chain(filter).collect::<Vec<String>>().join(", "))
}
