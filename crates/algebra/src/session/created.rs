//! Quasi-identifiers that a join creates: columns that were harmless each in its table, and side by side point at single people.
//!
//! Uniqueness only grows with more columns. So all columns that leave as they are are asked first; where they single out more than a tenth of the
//! rows of the joined relation, columns are taken away one after the other while that stays true, and what is left is told. No number of the data is.

use crate::bounded::collect;
use crate::catalog::Catalog;
use crate::lower::World;
use crate::operator::Operator;
use crate::origin::{Origin, Shown, flow};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit, when};
use paravent_job::Role;
use std::collections::BTreeSet;

/// More columns than this are not asked about one by one.
const MOST_COLUMNS: usize = 24;

/// Warnings about the relations below generalizations and randomisations that join tables.
pub(super) async fn by_joins(plan: &LogicalPlan, catalog: &Catalog, world: &World) -> Result<Vec<String>> {
    if catalog.job().is_none() {
        return Ok(Vec::new());
    }
    let shown: BTreeSet<Origin> = flow(plan)?.columns.into_iter().flatten().collect();
    let mut relations = Vec::new();
    plan.apply(|node| {
        match Operator::of(node) {
            Some(Operator::Generalize(node)) => relations.push(node.input().clone()),
            Some(Operator::Randomize(node)) => relations.push(node.input().clone()),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut warnings = Vec::new();
    for relation in relations {
        let columns = candidates(&relation, catalog, &shown)?;
        let tables: BTreeSet<&str> = columns.iter().flat_map(|column| column.tables()).collect();
        if tables.len() < 2 || columns.len() > MOST_COLUMNS || Operator::is_in(&relation)? {
            continue;
        }
        // A relation that cannot be counted is told of when it runs.
        let Ok(found) = smallest(&relation, &columns, world).await else { continue };
        warnings.extend(found.map(|found| warning(&found)));
    }
    warnings.dedup();
    Ok(warnings)
}

/// A column that leaves as it is.
#[derive(Clone)]
struct Candidate {
    column: Column,
    origins: BTreeSet<Origin>,
}

impl Candidate {
    fn tables(&self) -> impl Iterator<Item = &str> {
        self.origins.iter().map(|origin| origin.table.as_str())
    }

    fn name(&self) -> String {
        let names: Vec<String> =
            self.origins.iter().map(|origin| format!("{}.{}", origin.table, origin.column)).collect();
        names.join(" with ")
    }
}

/// Columns of the relation that the answer shows exactly, and of which the job does not already say that they point at people.
fn candidates(relation: &LogicalPlan, catalog: &Catalog, shown: &BTreeSet<Origin>) -> Result<Vec<Candidate>> {
    let roles = [Role::Identifying, Role::QuasiIdentifier];
    let known = |origin: &Origin| {
        catalog.attribute(&origin.column).is_some_and(|attribute| roles.contains(&attribute.role))
    };
    let leaves = |origin: &Origin| origin.shown == Shown::Exactly && shown.contains(origin) && !known(origin);
    let columns = relation.schema().columns().into_iter().zip(flow(relation)?.columns);
    let candidates = columns.filter(|(_, origins)| !origins.is_empty() && origins.iter().all(leaves));
    Ok(candidates.map(|(column, origins)| Candidate { column, origins }).collect())
}

/// The smallest set that is found by taking columns away; none where all of them together single out few. Columns of one table alone are no work of the join.
async fn smallest(
    relation: &LogicalPlan,
    columns: &[Candidate],
    world: &World,
) -> Result<Option<Vec<Candidate>>> {
    if !single_out(relation, columns, world).await? {
        return Ok(None);
    }
    let mut left = columns.to_vec();
    let mut place = 0;
    while place < left.len() {
        let mut without = left.clone();
        without.remove(place);
        match !without.is_empty() && single_out(relation, &without, world).await? {
            true => left = without,
            false => place += 1,
        }
    }
    let tables: BTreeSet<&str> = left.iter().flat_map(Candidate::tables).collect();
    Ok((tables.len() > 1).then_some(left))
}

/// Whether more than a tenth of the rows are alone with their cells in these columns.
async fn single_out(relation: &LogicalPlan, columns: &[Candidate], world: &World) -> Result<bool> {
    let by: Vec<Expr> = columns.iter().map(|candidate| Expr::Column(candidate.column.clone())).collect();
    let rows = || Expr::Column(Column::new_unqualified("__paravent_rows"));
    let alone = when(rows().eq(lit(1_i64)), lit(1_i64)).otherwise(lit(0_i64))?;
    let none: Vec<Expr> = Vec::new();
    let plan = LogicalPlanBuilder::from(relation.clone())
        .aggregate(by, vec![count(lit(1_i64)).alias("__paravent_rows")])?
        .aggregate(none, vec![sum(alone), sum(rows())])?
        .build()?;
    let batches = collect(&world.context, plan).await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() == 1) else { return Ok(false) };
    let figure =
        |place: usize| batch.column(place).as_primitive_opt::<Int64Type>().map_or(0, |cell| cell.value(0));
    Ok(figure(0).saturating_mul(10) > figure(1))
}

fn warning(found: &[Candidate]) -> String {
    let names: Vec<String> = found.iter().map(Candidate::name).collect();
    format!(
        "The join makes a quasi-identifier: {} leave as they are, and side by side they single out more than a tenth of the rows. Put them into \
         quasi => (…), or leave one of them out.",
        names.join(", ")
    )
}
