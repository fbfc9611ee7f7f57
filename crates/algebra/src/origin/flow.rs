//! What every column of a relation tells, and what the choice and the order of its rows tell.

use super::expression::Scope;
use super::{Origin, Shown};
use crate::operator::Operator;
use datafusion::common::{Column, DFSchema, JoinType, Result};
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{Distinct, Expr, Join, LogicalPlan, TableScan};
use std::collections::BTreeSet;

/// What a relation tells about the columns of its tables.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// For each of its columns, in their order.
    pub columns: Vec<BTreeSet<Origin>>,
    /// What rows were picked by above a generalization: who sees the answer knows it of every row.
    pub picked: BTreeSet<Origin>,
    /// What the rows are sorted by.
    pub sorted: BTreeSet<Origin>,
    /// Whether a generalization is below.
    pub generalized: bool,
    /// Whether a randomisation is below.
    pub randomized: bool,
}

/// Follows every column of a plan down to its tables.
pub fn flow(plan: &LogicalPlan) -> Result<Flow> {
    flow_in(plan, &[])
}

/// The same for a plan that may refer to rows of queries around it.
pub(super) fn flow_in(plan: &LogicalPlan, around: &[Scope<'_>]) -> Result<Flow> {
    if let LogicalPlan::TableScan(scan) = plan {
        return Ok(Flow { columns: scanned(scan), ..Flow::default() });
    }
    if let LogicalPlan::Join(join) = plan {
        return joined(join, around);
    }
    let mut inputs = Vec::new();
    for input in plan.inputs() {
        inputs.push(flow_in(input, around)?);
    }
    match (Operator::of(plan), inputs.as_slice()) {
        (Some(operator), [input]) => Ok(through_operator(operator, plan, input)),
        (None, [input]) => through_one(plan, input, around),
        _ => Ok(through_many(plan, &inputs)),
    }
}

fn scanned(scan: &TableScan) -> Vec<BTreeSet<Origin>> {
    let described = scan.table_name.schema() == Some("information_schema");
    let table = scan.table_name.table();
    let origin =
        |column: &str| Origin { table: table.to_owned(), column: column.to_owned(), shown: Shown::Exactly };
    let fields = scan.projected_schema.fields().iter();
    let told = fields.map(|field| (!described).then(|| origin(field.name())).into_iter().collect());
    told.collect()
}

fn through_operator(operator: Operator<'_>, plan: &LogicalPlan, input: &Flow) -> Flow {
    let below = operator.input().schema();
    let of = |column: &Column| {
        let place = below.maybe_index_of_column(column);
        place.and_then(|place| input.columns.get(place)).cloned().unwrap_or_default()
    };
    let now = |origins: BTreeSet<Origin>, shown: Shown| -> BTreeSet<Origin> {
        let changed = origins.into_iter().map(|origin| match origin.shown {
            Shown::Exactly => Origin { shown, ..origin },
            _ => origin,
        });
        changed.collect()
    };
    let schema = plan.schema().columns();
    let columns = schema.iter().map(|column| match operator {
        Operator::Generalize(node) if node.what().quasi.contains(column) => {
            now(of(column), Shown::Generalized)
        }
        Operator::Randomize(node) if node.what().columns().any(|own| own == column) => {
            now(of(column), Shown::Redrawn)
        }
        Operator::Slice(_) => now(of(column), Shown::Sliced),
        // Figures of a private aggregate are no cells.
        Operator::Private(_) => now(of(column), Shown::Grouped),
        _ => of(column),
    });
    Flow {
        columns: columns.collect(),
        picked: input.picked.clone(),
        // Operators give their rows an order of their own.
        sorted: BTreeSet::new(),
        generalized: input.generalized || matches!(operator, Operator::Generalize(_)),
        randomized: input.randomized || matches!(operator, Operator::Randomize(_)),
    }
}

fn through_one(plan: &LogicalPlan, input: &Flow, around: &[Scope<'_>]) -> Result<Flow> {
    let inputs = plan.inputs();
    let Some(below) = inputs.first() else { return Ok(Flow::default()) };
    let scope = Scope { schema: below.schema(), columns: &input.columns };
    let scopes = with(around, scope);
    let read = |expr: &Expr| super::expression::read(expr, &scopes);
    let read_all = |exprs: &mut dyn Iterator<Item = &Expr>| -> Result<BTreeSet<Origin>> {
        let mut all = BTreeSet::new();
        for expr in exprs {
            all.extend(read(expr)?);
        }
        Ok(all)
    };
    let mut flow = input.clone();
    match plan {
        LogicalPlan::Projection(projection) => {
            flow.columns = projection.expr.iter().map(read).collect::<Result<_>>()?;
        }
        LogicalPlan::Filter(filter) => flow.pick(read(&filter.predicate)?),
        LogicalPlan::Sort(sort) => flow.sorted = read_all(&mut sort.expr.iter().map(|key| &key.expr))?,
        LogicalPlan::Window(window) => {
            for expr in &window.window_expr {
                flow.columns.push(read(expr)?);
            }
        }
        LogicalPlan::Aggregate(aggregate) => {
            let mut columns = Vec::new();
            for expr in grouping_set_to_exprlist(&aggregate.group_expr)? {
                columns.push(read(expr)?);
            }
            // Grouping sets have a column of their own that numbers them.
            let numbered =
                plan.schema().fields().len().saturating_sub(columns.len() + aggregate.aggr_expr.len());
            columns.extend(std::iter::repeat_n(BTreeSet::new(), numbered));
            for expr in &aggregate.aggr_expr {
                columns.push(read(expr)?);
            }
            flow.columns = columns;
            flow.sorted = BTreeSet::new();
        }
        LogicalPlan::Distinct(Distinct::On(distinct)) => {
            flow.pick(read_all(&mut distinct.on_expr.iter())?);
            flow.columns = distinct.select_expr.iter().map(read).collect::<Result<_>>()?;
        }
        LogicalPlan::Unnest(unnest) => {
            let of = |place: &usize| input.columns.get(*place).cloned().unwrap_or_default();
            flow.columns = unnest.dependency_indices.iter().map(of).collect();
        }
        LogicalPlan::Distinct(Distinct::All(_))
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Repartition(_) => {}
        _ => flow.columns = everywhere(plan, &[input]),
    }
    Ok(flow)
}

fn through_many(plan: &LogicalPlan, inputs: &[Flow]) -> Flow {
    let all: Vec<&Flow> = inputs.iter().collect();
    let columns = match plan {
        LogicalPlan::Union(_) => {
            let width = plan.schema().fields().len();
            let at = |place: usize| -> BTreeSet<Origin> {
                inputs.iter().filter_map(|input| input.columns.get(place)).flatten().cloned().collect()
            };
            (0..width).map(at).collect()
        }
        // Among them recursive queries, in which every column may reach every other in some round.
        _ => everywhere(plan, &all),
    };
    Flow {
        columns,
        picked: inputs.iter().flat_map(|input| input.picked.clone()).collect(),
        sorted: BTreeSet::new(),
        generalized: inputs.iter().any(|input| input.generalized),
        randomized: inputs.iter().any(|input| input.randomized),
    }
}

fn joined(join: &Join, around: &[Scope<'_>]) -> Result<Flow> {
    let left = flow_in(&join.left, around)?;
    let scope = Scope { schema: join.left.schema(), columns: &left.columns };
    // The right side of a lateral join refers to rows of the left one.
    let right = flow_in(&join.right, &with(around, scope))?;
    let both = [left.columns.as_slice(), right.columns.as_slice()].concat();
    let schema: DFSchema = join.left.schema().join(join.right.schema()).unwrap_or_else(|_| DFSchema::empty());
    let scopes = [
        Scope { schema: join.left.schema(), columns: &left.columns },
        Scope { schema: join.right.schema(), columns: &right.columns },
        Scope { schema: &schema, columns: &both },
    ];
    let scopes = [around, &scopes].concat();
    let mut compared = BTreeSet::new();
    let keys = join.on.iter().flat_map(|(left, right)| [left, right]);
    for expr in keys.chain(&join.filter) {
        compared.extend(super::expression::read(expr, &scopes)?);
    }
    let mark = |own: &Flow| [own.columns.as_slice(), std::slice::from_ref(&compared)].concat();
    let mut flow = Flow {
        columns: match join.join_type {
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => both,
            JoinType::LeftSemi | JoinType::LeftAnti => left.columns.clone(),
            JoinType::RightSemi | JoinType::RightAnti => right.columns.clone(),
            JoinType::LeftMark => mark(&left),
            JoinType::RightMark => mark(&right),
        },
        picked: left.picked.union(&right.picked).cloned().collect(),
        sorted: BTreeSet::new(),
        generalized: left.generalized || right.generalized,
        randomized: left.randomized || right.randomized,
    };
    flow.pick(compared);
    Ok(flow)
}

impl Flow {
    /// Rows are picked by that. Below a generalization that is a question of which rows are looked at.
    fn pick(&mut self, by: BTreeSet<Origin>) {
        if self.generalized {
            self.picked.extend(by);
        }
    }
}

/// Every column may tell everything.
fn everywhere(plan: &LogicalPlan, inputs: &[&Flow]) -> Vec<BTreeSet<Origin>> {
    let all: BTreeSet<Origin> =
        inputs.iter().flat_map(|input| input.columns.iter()).flatten().cloned().collect();
    vec![all; plan.schema().fields().len()]
}

fn with<'a>(around: &[Scope<'a>], scope: Scope<'a>) -> Vec<Scope<'a>> {
    around.iter().copied().chain([scope]).collect()
}
