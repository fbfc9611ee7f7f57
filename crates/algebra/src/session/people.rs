//! People, not rows: a generalization counts rows, so each of them must be another person.

use crate::catalog::Catalog;
use crate::error::AlgebraError;
use crate::lower::World;
use crate::operator::{Buckets, Operator, Slice};
use crate::whose::{Carried, People, by_name, carried};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::functions_aggregate::expr_fn::{count, count_distinct};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, TableScan, lit};
use std::collections::BTreeSet;

/// Refuses a plan in which a generalization would take several rows of one person for several people. Gives back what a reader
/// should know. No number of the data is told.
pub(super) async fn one_row_each(
    plan: &LogicalPlan,
    tables: Tables<'_>,
    catalog: &Catalog,
    world: &World,
) -> std::result::Result<Vec<String>, AlgebraError> {
    let running = |error| AlgebraError::running(&error);
    let mut remarks = Vec::new();
    for Counted { function, relation, people } in counted(plan) {
        let known = Known { person: catalog.job().map_or(&[][..], |job| &job.privacy.person), tables };
        let scanned = known.scanned(relation);
        if people && !known.person.is_empty() {
            continue;
        }
        if scanned.is_empty() || (known.person.is_empty() && !multiplies(relation).map_err(running)?) {
            continue;
        }
        let cannot = || {
            AlgebraError::Infeasible(format!(
                "{function}: whose rows these are cannot be told, and it counts rows; write the relation without WITH RECURSIVE and \
                 without private"
            ))
        };
        let Some(carried) = carried(relation, &known).map_err(running)? else { return Err(cannot()) };
        if carried.names.is_empty() {
            return Err(AlgebraError::Infeasible(format!(
                "{function}: no table of the relation has {}, so whose rows these are cannot be told; join a table that has it",
                known.person.join(", ")
            )));
        }
        let once = once(&carried, world).await.map_err(|_| cannot())?;
        let strict = !known.person.is_empty() || scanned.iter().any(|table| tables.own.contains(table));
        match (once.iter().all(|once| *once), strict || !once.contains(&true)) {
            (true, _) => {}
            (false, true) => return Err(AlgebraError::Infeasible(refusal(function, &known))),
            (false, false) => remarks.push(format!(
                "A join below {function} copies rows of one of its tables. Rows are counted: if those are people, classes have fewer of them than promised."
            )),
        }
    }
    Ok(remarks)
}

fn refusal(function: &str, known: &Known<'_>) -> String {
    match known.person {
        [] => format!(
            "{function}: rows of people are copied below it (by a join, a union or a series) or have others added to them, and it counts rows: \
             copies of one person would pass for several; keep one row for each inside the parentheses, e.g. with DISTINCT ON or GROUP BY, or join afterwards"
        ),
        columns => format!(
            "{function}: its relation is not known to have one row for each {}, and it counts rows: one person would pass for several; \
             keep one row for each inside the parentheses, e.g. with DISTINCT ON ({}) or GROUP BY",
            columns.join(", "),
            columns.join(", ")
        ),
    }
}

/// A relation whose rows an operator counts.
struct Counted<'a> {
    function: &'static str,
    relation: &'a LogicalPlan,
    /// Whether the operator counts people where the job says who they are.
    people: bool,
}

/// Whether the people of every bucket are counted when it is drawn. Classes are those of a generalization, which counts rows.
fn counts_people(node: &Slice) -> bool {
    !matches!(node.what().buckets, Buckets::Classes(_)) && !Operator::is_in(node.input()).unwrap_or(true)
}

/// The relations whose rows an operator counts as people.
fn counted(plan: &LogicalPlan) -> Vec<Counted<'_>> {
    let mut found = Vec::new();
    look(plan, &mut found);
    found
}

fn look<'a>(plan: &'a LogicalPlan, found: &mut Vec<Counted<'a>>) {
    match Operator::of(plan) {
        Some(Operator::Generalize(node)) if !node.what().quasi.is_empty() => {
            found.push(Counted { function: "generalize", relation: node.input(), people: false });
        }
        Some(Operator::Slice(node)) => {
            let people = counts_people(node);
            found.push(Counted { function: "slice", relation: node.input(), people });
        }
        _ => {}
    }
    plan.inputs().into_iter().for_each(|input| look(input, found));
}

/// Whether a row of a table may have come out more than once, or beside rows of no table.
fn multiplies(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| {
        Ok(match node {
            LogicalPlan::Join(join) => !matches!(
                join.join_type,
                JoinType::LeftSemi | JoinType::LeftAnti | JoinType::RightSemi | JoinType::RightAnti
            ),
            LogicalPlan::Aggregate(aggregate) => {
                aggregate.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_)))
            }
            LogicalPlan::Union(_) | LogicalPlan::Unnest(_) | LogicalPlan::RecursiveQuery(_) => true,
            _ => false,
        })
    })
}

/// The tables of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables<'a> {
    /// Names of all of them.
    pub(super) all: &'a [String],
    /// Names of the job's own table.
    pub(super) own: &'a BTreeSet<String>,
}

/// What the job says about people.
struct Known<'a> {
    /// The columns of the job's `person`.
    person: &'a [String],
    tables: Tables<'a>,
}

impl Known<'_> {
    /// The tables of the session in a plan. What a function in FROM or a recursive query makes up is none of them.
    fn scanned(&self, plan: &LogicalPlan) -> BTreeSet<String> {
        let mut tables = BTreeSet::new();
        // The visitor never fails: it only looks.
        let _ = plan.apply(|node| {
            if let LogicalPlan::TableScan(scan) = node
                && self.tables.all.iter().any(|name| name == scan.table_name.table())
            {
                tables.insert(scan.table_name.table().to_owned());
            }
            Ok(TreeNodeRecursion::Continue)
        });
        tables
    }
}

impl People for Known<'_> {
    fn tables(&self, part: &LogicalPlan) -> Vec<String> {
        let tables = self.scanned(part);
        let own = self.tables.own;
        if !self.person.is_empty() {
            return tables.into_iter().filter(|table| has_all(part, table, self.person)).collect();
        }
        // Without a word of the job its own table has the people; else any may.
        match tables.iter().any(|table| own.contains(table)) {
            true => tables.into_iter().filter(|table| own.contains(table)).collect(),
            false => tables.into_iter().collect(),
        }
    }

    fn person(&self, scan: &TableScan) -> Option<Vec<Column>> {
        let column = |name: &String| Column::new(Some(scan.table_name.clone()), name);
        (!self.person.is_empty()).then(|| self.person.iter().map(column).collect())
    }
}

/// Whether a table of a plan has all of these columns.
fn has_all(plan: &LogicalPlan, table: &str, columns: &[String]) -> bool {
    let found = plan.exists(|node| {
        let LogicalPlan::TableScan(scan) = node else { return Ok(false) };
        let has = |name: &String| scan.projected_schema.fields().iter().any(|field| field.name() == name);
        Ok(scan.table_name.table() == table && columns.iter().all(has))
    });
    matches!(found, Ok(true))
}

/// For each of the columns whether every row has another person.
async fn once(carried: &Carried, world: &World) -> Result<Vec<bool>> {
    let none: Vec<Expr> = Vec::new();
    let different = carried.names.iter().map(|name| count_distinct(by_name(&carried.plan, name)).alias(name));
    let figures: Vec<Expr> =
        std::iter::once(count(lit(1_i64)).alias("__paravent_rows")).chain(different).collect();
    let plan = LogicalPlanBuilder::from(carried.plan.clone()).aggregate(none, figures)?.build()?;
    let batches = world.context.execute_logical_plan(plan).await?.collect().await?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() == 1) else { return Ok(vec![true]) };
    let figure = |place: usize| batch.column(place).as_primitive_opt::<Int64Type>().map(|cell| cell.value(0));
    Ok((1..=carried.names.len()).map(|place| figure(place).is_some() && figure(place) == figure(0)).collect())
}
