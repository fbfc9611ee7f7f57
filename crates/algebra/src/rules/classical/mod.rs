//! C1–C7: the classical rules, which the rules of the operators need beside them.
//!
//! They move π and σ past each other and past ∪ and ⋈. All hold for bags, and no operator is touched, so each is an equivalence that
//! keeps every guarantee.

mod c01;
mod c02;
mod c03;
mod c04;
mod c05;
mod c06;
mod c07;

use super::Rule;
use super::reach::has_subquery;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::Expr;

pub(super) const RULES: &[&dyn Rule] =
    &[&c01::C01, &c02::C02, &c03::C03, &c04::C04, &c05::C05, &c06::C06, &c07::C07];

/// Where they come from.
const SOURCE: &str = "classical rules of relational algebra, for bags";

/// Whether a predicate gives the same answer for the same row, from the row alone.
fn reads_the_row_only(predicate: &Expr) -> bool {
    !has_subquery(predicate) && !predicate.is_volatile()
}

const NOT_THE_ROW: &str = "the predicate reads more than the row, or is random itself";

/// The expression with other columns.
fn with_columns(expr: &Expr, other: impl Fn(&Column) -> Option<Column>) -> Result<Option<Expr>> {
    let mut known = true;
    let renamed = expr.clone().transform(|part| {
        Ok(match &part {
            Expr::Column(column) => match other(column) {
                Some(column) => Transformed::yes(Expr::Column(column)),
                None => {
                    known = false;
                    Transformed::no(part)
                }
            },
            _ => Transformed::no(part),
        })
    })?;
    Ok(known.then_some(renamed.data))
}
