//! Plans in one line, in the algebra's notation.

use crate::operator::Operator;
use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// `π[day, group](α^G[day; k = 3](donors))`. Literals are left out: a predicate is shown by the columns that it reads.
pub(super) fn one_line(plan: &LogicalPlan) -> String {
    let below = || plan.inputs().iter().map(|input| one_line(input)).collect::<Vec<String>>();
    if let Some(operator) = Operator::of(plan) {
        return format!("{}({})", operator_head(operator), below().join(", "));
    }
    match plan {
        LogicalPlan::TableScan(scan) => scan.table_name.to_string(),
        LogicalPlan::Projection(projection) => {
            let shown: Vec<String> = projection.expr.iter().map(shown).collect();
            format!("π[{}]({})", shown.join(", "), below().join(", "))
        }
        LogicalPlan::Filter(filter) => {
            format!("σ[F({})]({})", read_by(&filter.predicate), below().join(", "))
        }
        LogicalPlan::Union(_) => format!("({})", below().join(" ∪ ")),
        LogicalPlan::Distinct(_) => format!("δ({})", below().join(", ")),
        LogicalPlan::SubqueryAlias(alias) => format!("ρ[{}]({})", alias.alias, below().join(", ")),
        LogicalPlan::Join(join) => {
            let on: Vec<String> = join.on.iter().map(|(left, _)| shown(left)).collect();
            let everything = on.len() == join.left.schema().fields().len();
            let sign = match join.join_type {
                JoinType::Inner => format!("⋈[{}]", on.join(", ")),
                JoinType::LeftSemi if everything => "∩".to_owned(),
                JoinType::LeftAnti if everything => "−".to_owned(),
                other => format!("{other}[{}]", on.join(", ")),
            };
            format!("({})", below().join(&format!(" {sign} ")))
        }
        LogicalPlan::Aggregate(_) => format!("γ({})", below().join(", ")),
        LogicalPlan::Sort(_) => format!("τ({})", below().join(", ")),
        LogicalPlan::Limit(_) => format!("limit({})", below().join(", ")),
        LogicalPlan::Values(_) | LogicalPlan::EmptyRelation(_) => "values".to_owned(),
        _ => format!("…({})", below().join(", ")),
    }
}

pub(super) fn operator_head(operator: Operator<'_>) -> String {
    match operator {
        Operator::Generalize(node) => format!("α^G[{}; {}]", names(&node.what().quasi), node.what().promise),
        Operator::Slice(node) => {
            let groups: Vec<String> =
                node.what().groups.iter().map(|group| format!("{{{}}}", names(group))).collect();
            format!("α^S[{}]", groups.join(" "))
        }
        Operator::Randomize(node) => {
            let noise = node.what().noise.iter();
            let noise: Vec<String> =
                noise.map(|(column, noise)| format!("{} {}", column.name, noise.probability)).collect();
            format!("α^D[{}]", noise.join(", "))
        }
        Operator::Private(node) => format!("γ^ε[{}; ε = {}]", names(&node.what().by), node.what().epsilon),
    }
}

pub(super) fn shown(expr: &Expr) -> String {
    match expr {
        Expr::Column(column) => column.name.clone(),
        Expr::Alias(alias) => match (&*alias.expr, &alias.name) {
            (Expr::Cast(cast), name) if matches!(&*cast.expr, Expr::Column(column) if column.name == *name) =>
            {
                format!("text({name})")
            }
            (_, name) => name.clone(),
        },
        other => format!("f({})", read_by(other)),
    }
}

fn read_by(expr: &Expr) -> String {
    let mut names: Vec<&str> = expr.column_refs().into_iter().map(|column| column.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// Names for people, separated by commas.
pub(super) fn names<'a>(columns: impl IntoIterator<Item = &'a Column>) -> String {
    let names: Vec<&str> = columns.into_iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}
