//! Which plans give the same bag of rows however their input is split.

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};

/// Whether the rows of a counting query are the same, in any order, on one partition and on many: row by row below the counts, so that no sum of
/// floating-point numbers, no tie, no window and no draw of the engine's own can come out in another way. What is not known here is not split.
pub(super) fn gives_the_same(plan: &LogicalPlan) -> Result<bool> {
    let LogicalPlan::Aggregate(counts) = plan else { return Ok(false) };
    let mut same = counts.aggr_expr.iter().all(is_count);
    counts.input.apply(|node| {
        same &= match node {
            LogicalPlan::Projection(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Union(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::EmptyRelation(_)
            | LogicalPlan::Values(_)
            | LogicalPlan::Distinct(Distinct::All(_)) => true,
            LogicalPlan::TableScan(scan) => scan.fetch.is_none(),
            LogicalPlan::Sort(sort) => sort.fetch.is_none(),
            _ => false,
        };
        for expr in node.expressions() {
            same &= !expr.is_volatile() && !has_query(&expr)?;
        }
        Ok(if same { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(same)
}

/// `count(1)`
fn is_count(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_count(&alias.expr),
        Expr::AggregateFunction(function) => {
            function.func.name() == "count"
                && !function.params.distinct
                && function.params.filter.is_none()
                && function.params.args.iter().all(|argument| matches!(argument, Expr::Literal(..)))
        }
        _ => false,
    }
}

fn has_query(expr: &Expr) -> Result<bool> {
    expr.exists(|part| {
        Ok(matches!(
            part,
            Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::OuterReferenceColumn(..)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::prelude::SessionContext;

    #[tokio::test]
    async fn counts_of_rows_are_split_and_nothing_that_depends_on_an_order() {
        let context = SessionContext::new();
        context.sql("CREATE TABLE t (a INT, b DOUBLE)").await.unwrap().collect().await.unwrap();
        for (sql, expected) in [
            ("SELECT a, count(1) FROM t GROUP BY a", true),
            ("SELECT a, count(1) FROM (SELECT a FROM t WHERE b > 1 UNION ALL SELECT 3) GROUP BY a", true),
            ("SELECT a, count(1) FROM (SELECT t.a FROM t JOIN t AS u ON t.a = u.a) GROUP BY a", true),
            ("SELECT b, count(1) FROM (SELECT sum(b) AS b FROM t GROUP BY a) GROUP BY b", false),
            ("SELECT a, count(1) FROM (SELECT a FROM t LIMIT 3) GROUP BY a", false),
            ("SELECT a, count(1) FROM (SELECT a FROM t ORDER BY b LIMIT 3) GROUP BY a", false),
            ("SELECT n, count(1) FROM (SELECT row_number() OVER (ORDER BY b) AS n FROM t) GROUP BY n", false),
            ("SELECT r, count(1) FROM (SELECT random() AS r FROM t) GROUP BY r", false),
            ("SELECT a, count(1) FROM t WHERE b > (SELECT avg(b) FROM t) GROUP BY a", false),
            ("SELECT a, sum(b) FROM t GROUP BY a", false),
            ("SELECT a FROM t", false),
        ] {
            let plan = context.state().create_logical_plan(sql).await.unwrap();
            // Without the projection of the SELECT list.
            let plan = match &plan {
                LogicalPlan::Projection(list) => (*list.input).clone(),
                other => other.clone(),
            };
            assert_eq!(gives_the_same(&plan).unwrap(), expected, "{sql}: {plan}");
        }
    }
}
