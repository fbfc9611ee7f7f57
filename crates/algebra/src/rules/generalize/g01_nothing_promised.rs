//! G1: a promise of nothing.

use super::conditions::{Condition, enough_rows, is_a_function, k_anonymity_only, require};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::{Generalization, Promise};
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Cast, Expr, LogicalPlan, Projection};
use std::sync::Arc;

/// G1: `α^G[X, 1](r) ⇔ r`.
///
/// Every class has a row, so nothing is lifted and nothing left out, whether suppression is allowed or not. Models beyond
/// k-anonymity promise something, so there the rule refuses; so it does where a job asks for a least level.
///
/// Schema: α^G gives X as text. A value on level 0 is its own text, so the operator is replaced by a cast of the columns of X that
/// are no text yet, under their own names. For numbers with a fraction and for moments the text depends on who writes it; then the
/// rule refuses. Read the other way, such a cast becomes α^G[X, 1].
#[derive(Debug)]
pub(super) struct NothingPromised;

static CARD: Card = Card {
    id: "G1",
    statement: "α^G[X, 1](r) ⇔ r",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "k-anonymity only; no least level is asked for; from right to left |r| ≥ 1. The columns of X become text on both sides.",
    source: source!("which text the values of X become"),
    example: "X = {day}, k = 1 on six donors: every day stays as it is.",
};

impl Rule for NothingPromised {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let Some((what, relation)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                if what.promise.k() > 1 || what.quasi.is_empty() {
                    return Ok(Attempt::NoMatch);
                }
                match condition(what, relation, facts) {
                    Err(because) => refused(because),
                    Ok(()) => {
                        equivalent(as_text(relation, &what.quasi)?, "k = 1 holds for every table as it is")
                    }
                }
            }
            Way::RightToLeft => {
                let Some((quasi, relation)) = texts(plan) else { return Ok(Attempt::NoMatch) };
                let what = Generalization { quasi, promise: Promise::k_anonymity(1) };
                // The operator stops at a relation without rows, as it does at any with fewer than k.
                let enough = || enough_rows(facts, relation, &what.promise, "the relation");
                match condition(&what, relation, facts).and_then(|()| enough()) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(
                        generalize(relation.clone(), &what.quasi, &what.promise)?,
                        "k = 1 holds for every table as it is",
                    ),
                }
            }
        }
    }
}

fn condition(what: &Generalization, relation: &LogicalPlan, facts: &dyn Facts) -> Condition {
    k_anonymity_only(&what.promise)?;
    is_a_function(&what.promise)?;
    for column in &what.quasi {
        let (_, field) =
            relation.schema().qualified_field_from_column(column).map_err(|error| error.to_string())?;
        require(has_one_text(field.data_type()), || {
            format!(
                "the text of column {:?}, which is no whole number, date or text, is not fixed",
                column.name
            )
        })?;
        require(facts.least_level(column) == Some(0), || {
            format!("it is not known whether column {:?} may stay on level 0", column.name)
        })?;
    }
    Ok(())
}

fn has_one_text(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean | DataType::Date32
        )
}

/// The relation with these columns as text, under their own names.
fn as_text(relation: &LogicalPlan, columns: &[Column]) -> Result<LogicalPlan> {
    let mut casts = 0;
    let mut expressions = Vec::new();
    for (column, field) in relation.schema().columns().into_iter().zip(relation.schema().fields()) {
        let plain = Expr::Column(column.clone());
        expressions.push(match columns.contains(&column) && field.data_type() != &DataType::Utf8 {
            true => {
                casts += 1;
                Expr::Cast(Cast::new(Box::new(plain), DataType::Utf8))
                    .alias_qualified(column.relation, column.name)
            }
            false => plain,
        });
    }
    match casts {
        0 => Ok(relation.clone()),
        _ => Ok(LogicalPlan::Projection(Projection::try_new(expressions, Arc::new(relation.clone()))?)),
    }
}

/// A projection that only turns columns into text: these columns, and the relation.
fn texts(plan: &LogicalPlan) -> Option<(Vec<Column>, &LogicalPlan)> {
    let LogicalPlan::Projection(projection) = plan else { return None };
    let columns = projection.input.schema().columns();
    if columns.len() != projection.expr.len() {
        return None;
    }
    let mut quasi = Vec::new();
    for (column, expr) in columns.into_iter().zip(&projection.expr) {
        match expr {
            Expr::Column(plain) if *plain == column => {}
            Expr::Alias(alias) if alias.relation == column.relation && alias.name == column.name => {
                let Expr::Cast(cast) = &*alias.expr else { return None };
                let same = matches!(&*cast.expr, Expr::Column(inner) if *inner == column);
                if !same || cast.field.data_type() != &DataType::Utf8 {
                    return None;
                }
                quasi.push(column);
            }
            _ => return None,
        }
    }
    (!quasi.is_empty()).then_some((quasi, &*projection.input))
}
