//! GROUP BY: groups of one person each.

use super::people::bare;
use super::relation::Tracker;
use super::{Mixed, People, Unit};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Aggregate, Expr, ExprSchemable, LogicalPlan, Projection, cast, try_cast};
use std::sync::Arc;

/// Sums of floating-point numbers are taken on this grid: in floating point the last digit depends on the order of the rows, which other
/// people's rows may change.
const GRID: DataType = DataType::Decimal128(38, 10);

impl Tracker<'_> {
    pub(super) fn grouped(&mut self, aggregate: &Aggregate) -> Result<People, Mixed> {
        let people = self.of_people(&aggregate.input, "GROUP BY")?;
        let Unit::Columns(person) = self.unit else {
            return Err(Mixed::new(
                "an aggregate",
                "every row is a person here, and a group has several; group with by => (…), or let the job say whose rows they are: [privacy] person",
            ));
        };
        if !people.all_among(&aggregate.group_expr) {
            return Err(Mixed::new(
                "an aggregate over several people",
                format!(
                    "its value depends on all of them; GROUP BY {}, or group with by => (…)",
                    person.columns().join(", ")
                ),
            ));
        }
        let is_person = |expr: &Expr, columns: &Vec<Column>| matches!(bare(expr), Expr::Column(column) if columns.contains(column));
        let only_person = aggregate
            .group_expr
            .iter()
            .all(|expr| people.visible.iter().any(|columns| is_person(expr, columns)));
        let shown = aggregate.schema.columns();
        let visible = people.visible.iter().map(|columns| {
            let pairs = aggregate.group_expr.iter().zip(&shown);
            pairs.filter(|(expr, _)| is_person(expr, columns)).map(|(_, output)| output.clone()).collect()
        });
        let visible = visible.collect();
        let (groups, figures) = shown.split_at(aggregate.group_expr.len());
        let (mut computed, mut outputs) = (Vec::new(), columns(groups));
        for (expr, output) in aggregate.aggr_expr.iter().zip(figures) {
            outputs.push(figure(expr, output, &people, &mut computed)?);
        }
        outputs.extend(columns(&people.hidden));
        // The hidden columns follow from the visible ones, so they split no group.
        let groups = aggregate.group_expr.iter().cloned().chain(columns(&people.hidden)).collect();
        let grouped = Aggregate::try_new(Arc::new(people.plan.clone()), groups, computed)?;
        let plan = Projection::try_new(outputs, Arc::new(LogicalPlan::Aggregate(grouped)))?;
        let most = if only_person { Some(1) } else { people.most };
        Ok(People { plan: LogicalPlan::Projection(plan), visible, most, ..people })
    }
}

fn columns(columns: &[Column]) -> Vec<Expr> {
    columns.iter().cloned().map(Expr::Column).collect()
}

/// The figure as a column of the relation, from aggregates that do not depend on the order of the rows; these are added to `computed`.
fn figure(expr: &Expr, output: &Column, people: &People, computed: &mut Vec<Expr>) -> Result<Expr, Mixed> {
    let Expr::AggregateFunction(function) = bare(expr) else {
        return Err(Mixed::new("an aggregate of this kind", "nobody knows which rows it sees"));
    };
    let name = function.func.name();
    if function.params.distinct && name != "count" {
        return Err(Mixed::new(
            format!("{name}(DISTINCT …)"),
            "only count(DISTINCT …) of a person is known to depend on nothing else",
        ));
    }
    let floating = match function.params.args.first() {
        Some(value) => value.get_type(people.plan.schema().as_ref())?.is_floating(),
        None => false,
    };
    let mut named = |call: Expr| {
        let name = format!("__paravent_figure_{}", computed.len());
        computed.push(call.alias(name.clone()));
        cast(Expr::Column(Column::new_unqualified(name)), DataType::Float64)
    };
    let own = |value: Expr| Ok(value.alias_qualified(output.relation.clone(), output.name.clone()));
    match name {
        "sum" if floating => own(named(on_grid(function, sum_udaf()))),
        "avg" => {
            let total = named(on_grid(function, sum_udaf()));
            own(total / named(on_grid(function, count_udaf())))
        }
        "count" | "sum" | "min" | "max" | "bool_and" | "bool_or" => {
            computed.push(expr.clone());
            Ok(Expr::Column(output.clone()))
        }
        _ => Err(Mixed::new(
            format!("{name}()"),
            "its last digit depends on the order of the rows; possible are count, sum, avg, min and max of a person",
        )),
    }
}

fn on_grid(function: &AggregateFunction, by: Arc<datafusion::logical_expr::AggregateUDF>) -> Expr {
    let mut call = function.clone();
    call.func = by;
    call.params.args = call.params.args.into_iter().map(|value| try_cast(value, GRID)).collect();
    Expr::AggregateFunction(call)
}
