//! ∩ and −, as the planner makes them.

use datafusion::common::{JoinType, NullEquality};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, SubqueryAlias};

/// ∩ or −: a semi or anti join on all columns, place by place. Gives both relations, without the renaming and the dropping of duplicates that come with it.
pub(in crate::rules) fn set_operation(
    plan: &LogicalPlan,
    kind: JoinType,
) -> Option<(&LogicalPlan, &LogicalPlan)> {
    let LogicalPlan::Join(join) = plan else { return None };
    if join.join_type != kind || join.filter.is_some() || join.null_equality != NullEquality::NullEqualsNull {
        return None;
    }
    let width = join.left.schema().fields().len();
    let by_place = join.on.iter().enumerate().all(|(at, pair)| match pair {
        (Expr::Column(left), Expr::Column(right)) => {
            join.left.schema().maybe_index_of_column(left) == Some(at)
                && join.right.schema().maybe_index_of_column(right) == Some(at)
        }
        _ => false,
    });
    (join.on.len() == width && by_place).then(|| (bare(&join.left), bare(&join.right)))
}

fn bare(mut plan: &LogicalPlan) -> &LogicalPlan {
    loop {
        plan = match plan {
            LogicalPlan::Distinct(Distinct::All(input)) => input,
            LogicalPlan::SubqueryAlias(SubqueryAlias { input, .. }) => input,
            _ => return plan,
        };
    }
}
