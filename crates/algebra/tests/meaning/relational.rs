//! π, σ, ∪, ⋈, ∩, −, renaming and the removal of duplicates, over bags.

use super::{Cell, Meaning, Outcomes, Rank, Row, Tables, Undefined, add, outcomes as of, surely, then};
use datafusion::common::{Column, JoinType, NullEquality, ScalarValue};
use datafusion::logical_expr::{Distinct, Expr, Join, LogicalPlan, Operator as Comparison};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a plan without an operator at its root means.
pub(super) fn outcomes(plan: &LogicalPlan, tables: &Tables, rank: Rank) -> Meaning {
    let plain = Rank { carried: false, ..rank };
    match plan {
        LogicalPlan::TableScan(scan) => {
            let rows = tables.0.get(scan.table_name.table());
            Ok(surely(rows.ok_or_else(|| unknown(scan.table_name.table()))?.clone()))
        }
        LogicalPlan::SubqueryAlias(node) => of(&node.input, tables, rank),
        LogicalPlan::Projection(node) => then(of(&node.input, tables, rank)?, |rows| {
            let kept = |row: &Row| node.expr.iter().map(|expr| cell(expr, row, &node.input)).collect();
            Ok(surely(rows.iter().map(kept).collect::<Result<_, _>>()?))
        }),
        LogicalPlan::Filter(node) => then(of(&node.input, tables, plain)?, |rows| {
            let mut kept = Vec::new();
            for row in rows {
                if truth(&node.predicate, row, &node.input)? == Some(true) {
                    kept.push(row.clone());
                }
            }
            Ok(surely(kept))
        }),
        LogicalPlan::Distinct(Distinct::All(input)) => then(of(input, tables, plain)?, |rows| {
            Ok(surely(rows.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect()))
        }),
        // Groups with their keys, each once, and how many rows they have.
        LogicalPlan::Aggregate(node) if node.aggr_expr.iter().all(counts_rows) => {
            then(of(&node.input, tables, plain)?, |rows| {
                let key = |row: &Row| -> Result<Row, Undefined> {
                    node.group_expr.iter().map(|expr| cell(expr, row, &node.input)).collect()
                };
                let mut groups: BTreeMap<Row, usize> = BTreeMap::new();
                for row in rows {
                    *groups.entry(key(row)?).or_default() += 1;
                }
                let with_figures = |(mut group, rows): (Row, usize)| {
                    group.extend(node.aggr_expr.iter().map(|_| Some(Arc::from(rows.to_string()))));
                    group
                };
                Ok(surely(groups.into_iter().map(with_figures).collect()))
            })
        }
        LogicalPlan::Union(node) => {
            let mut all = surely(Vec::new());
            for part in &node.inputs {
                all = paired(all, of(part, tables, plain)?, |rows, more| Ok([rows, more].concat()))?;
            }
            Ok(all)
        }
        LogicalPlan::Join(node) => {
            let (left, right) = (of(&node.left, tables, plain)?, of(&node.right, tables, plain)?);
            paired(left, right, |left, right| joined(node, left, right))
        }
        other => Err(unknown(&other.display().to_string())),
    }
}

/// `count(1)`
fn counts_rows(figure: &Expr) -> bool {
    match figure {
        Expr::Alias(alias) => counts_rows(&alias.expr),
        Expr::AggregateFunction(call) => {
            call.func.name() == "count" && matches!(call.params.args[..], [Expr::Literal(..)])
        }
        _ => false,
    }
}

fn unknown(what: &str) -> Undefined {
    Undefined::Unknown(what.to_owned())
}

/// Every outcome of two independent inputs together.
fn paired(
    left: Outcomes,
    right: Outcomes,
    together: impl Fn(&[Row], &[Row]) -> Result<Vec<Row>, Undefined>,
) -> Meaning {
    then(left, |rows| {
        let mut all = Outcomes::new();
        for (more, weight) in &right {
            add(&mut all, together(rows, more)?, *weight)?;
        }
        Ok(all)
    })
}

/// The cell of a column, perhaps as text or under another name.
fn cell(expr: &Expr, row: &Row, input: &LogicalPlan) -> Result<Cell, Undefined> {
    match expr {
        Expr::Column(column) => Ok(row[place(input, column)?].clone()),
        Expr::Alias(alias) => cell(&alias.expr, row, input),
        Expr::Cast(cast) => cell(&cast.expr, row, input),
        Expr::Literal(ScalarValue::Utf8(text), _) => Ok(text.as_deref().map(Arc::from)),
        Expr::Literal(ScalarValue::Int64(number), _) => Ok(number.map(|number| number.to_string().into())),
        other => Err(unknown(&other.to_string())),
    }
}

pub(super) fn place(input: &LogicalPlan, column: &Column) -> Result<usize, Undefined> {
    input.schema().index_of_column(column).map_err(|_| unknown(&column.flat_name()))
}

/// Three-valued logic: nothing where a missing cell is compared.
fn truth(predicate: &Expr, row: &Row, input: &LogicalPlan) -> Result<Option<bool>, Undefined> {
    Ok(match predicate {
        Expr::IsNull(inner) => Some(cell(inner, row, input)?.is_none()),
        Expr::IsNotNull(inner) => Some(cell(inner, row, input)?.is_some()),
        Expr::BinaryExpr(test) if test.op == Comparison::And => {
            match (truth(&test.left, row, input)?, truth(&test.right, row, input)?) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }
        }
        Expr::BinaryExpr(test) if test.op == Comparison::Or => {
            match (truth(&test.left, row, input)?, truth(&test.right, row, input)?) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }
        }
        Expr::BinaryExpr(test) => {
            let (left, right) = (cell(&test.left, row, input)?, cell(&test.right, row, input)?);
            let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
            match test.op {
                Comparison::Eq => Some(left == right),
                Comparison::NotEq => Some(left != right),
                other => return Err(unknown(&other.to_string())),
            }
        }
        other => return Err(unknown(&other.to_string())),
    })
}

fn joined(node: &Join, left: &[Row], right: &[Row]) -> Result<Vec<Row>, Undefined> {
    if let Some(filter) = &node.filter {
        // σ above the join without it.
        let bare = Join { filter: None, ..node.clone() };
        if node.join_type != JoinType::Inner {
            return Err(unknown("an outer join with a condition"));
        }
        let whole = LogicalPlan::Join(bare.clone());
        let mut kept = Vec::new();
        for row in joined(&bare, left, right)? {
            if truth(filter, &row, &whole)? == Some(true) {
                kept.push(row);
            }
        }
        return Ok(kept);
    }
    let mut pairs = Vec::new();
    for (one, other) in &node.on {
        let (Expr::Column(one), Expr::Column(other)) = (one, other) else {
            return Err(unknown("a join on computed values"));
        };
        pairs.push((place(&node.left, one)?, place(&node.right, other)?));
    }
    let missing_meets = node.null_equality == NullEquality::NullEqualsNull;
    let meets = |one: &Row, other: &Row| {
        let equal = |&(a, b): &(usize, usize)| one[a] == other[b] && (missing_meets || one[a].is_some());
        pairs.iter().all(equal)
    };
    let has_partner = |row: &&Row| right.iter().any(|other| meets(row, other));
    match node.join_type {
        JoinType::Inner => {
            let partners = |row: &Row| {
                let met = right.iter().filter(|other| meets(row, other));
                met.map(|other| [&row[..], other].concat()).collect::<Vec<Row>>()
            };
            Ok(left.iter().flat_map(partners).collect())
        }
        JoinType::LeftSemi => Ok(left.iter().filter(has_partner).cloned().collect()),
        JoinType::LeftAnti => Ok(left.iter().filter(|row| !has_partner(row)).cloned().collect()),
        other => Err(unknown(&other.to_string())),
    }
}
