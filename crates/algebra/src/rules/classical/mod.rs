//! C1–C7: the classical rules, which the rules of the operators need beside them.
//!
//! They move π and σ past each other and past ∪ and ⋈. All hold for bags, and no operator is touched, so each is an equivalence that
//! keeps every guarantee.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::Expr;

super::rules! {
    c01_projection_of_projection::ProjectionOfProjection,
    c02_selection_of_selection::SelectionOfSelection,
    c03_selection_and_projection::SelectionAndProjection,
    c04_selection_and_union::SelectionAndUnion,
    c05_projection_and_union::ProjectionAndUnion,
    c06_selection_and_join::SelectionAndJoin,
    c07_projection_and_join::ProjectionAndJoin,
}

/// Where they come from.
const SOURCE: &str = "classical rules of relational algebra, for bags";

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
