//! The true figures behind noisy aggregates: a plain query, with at most m rows of each person.

use super::LowerError;
use super::gather::collect;
use crate::operator::{Bounded, Measure, PrivateAggregation};
use crate::tracking::People;
use datafusion::arrow::array::{Array, Decimal128Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DataFusionError, ScalarValue};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, lit, try_cast, when};
use datafusion::prelude::SessionContext;
use std::collections::BTreeMap;

/// The values of the grouping columns, as text.
pub(crate) type GroupKey = Vec<Option<String>>;

/// The true figures of one group. Never shown.
#[derive(Clone, Default)]
pub(super) struct Cell {
    pub(super) rows: u64,
    /// By measure that has a column: number of values, and their total in units.
    pub(super) totals: Vec<(u64, i128)>,
}

/// The true figures of every group that is found. `contribution` is the most rows of one person that count.
pub(super) async fn figures(
    what: &PrivateAggregation,
    people: &People,
    contribution: u32,
    context: &SessionContext,
) -> Result<BTreeMap<GroupKey, Cell>, LowerError> {
    let plan = query(what, people, contribution)?;
    // Whatever goes wrong here has one wording: that it went wrong must be all there is to see.
    let batches = collect(context, plan).await.map_err(|_| LowerError::Figures)?;
    cells(what, &batches)
}

/// `SELECT by…, count(*), count(x), sum(x cut to its bounds)… GROUP BY by…`, with at most `contribution` rows of each person.
fn query(what: &PrivateAggregation, people: &People, contribution: u32) -> Result<LogicalPlan, LowerError> {
    let named = |kind: &str, number: usize| format!("__paravent_{kind}_{number}");
    let unqualified = |name: String| Expr::Column(Column::new_unqualified(name));
    let text = |column: &Column| try_cast(Expr::Column(column.clone()), DataType::Utf8);
    let by = what.by.iter().enumerate();
    let mut columns: Vec<Expr> = by.map(|(number, column)| text(column).alias(named("by", number))).collect();
    let bounded: Vec<&Bounded> = what.measures.iter().filter_map(Measure::bounded).collect();
    for (number, of) in bounded.iter().enumerate() {
        columns.push(clamped(of)?.alias(named("value", number)));
    }
    let owners = people.hidden().iter().enumerate();
    columns.extend(owners.map(|(number, column)| Expr::Column(column.clone()).alias(named("owner", number))));
    // A relation needs a column, even where only its rows are counted.
    columns.push(lit(1i64).alias("__paravent_one"));
    let mut plan = LogicalPlanBuilder::from(people.plan().clone()).project(columns)?;
    if !people.hidden().is_empty() {
        // Which rows of a person count depends on that person's rows alone, and rows that are equal in all of this are equal to the figures.
        let own = plan.schema().columns().into_iter().map(|column| Expr::Column(column).sort(true, true));
        let person = (0..people.hidden().len()).map(|number| unqualified(named("owner", number)));
        let place = row_number()
            .partition_by(person.collect())
            .order_by(own.collect())
            .build()?
            .alias("__paravent_place");
        plan = plan.window(vec![place])?;
        plan = plan.filter(unqualified("__paravent_place".to_owned()).lt_eq(lit(u64::from(contribution))))?;
    }
    let groups: Vec<Expr> = (0..what.by.len()).map(|number| unqualified(named("by", number))).collect();
    let mut figures = vec![count(lit(1i64)).alias("rows")];
    for number in 0..bounded.len() {
        let value = unqualified(named("value", number));
        figures.push(count(value.clone()).alias(named("count", number)));
        figures.push(sum(value).alias(named("sum", number)));
    }
    Ok(plan.aggregate(groups, figures)?.build()?)
}

/// The value in units of its grid, cut to the bounds. What is no number on the grid counts as missing.
fn clamped(of: &Bounded) -> Result<Expr, LowerError> {
    let scale = of.decimals as i8;
    let bound = |units: i64| lit(ScalarValue::Decimal128(Some(i128::from(units)), 38, scale));
    let value = try_cast(Expr::Column(of.column.clone()), DataType::Decimal128(38, scale));
    let (lower, upper) = (bound(of.lower), bound(of.upper));
    Ok(when(value.clone().lt(lower.clone()), lower)
        .when(value.clone().gt(upper.clone()), upper)
        .otherwise(value)?)
}

fn cells(what: &PrivateAggregation, batches: &[RecordBatch]) -> Result<BTreeMap<GroupKey, Cell>, LowerError> {
    let other = || LowerError::Engine(DataFusionError::Internal("an aggregate gave other types".to_owned()));
    let bounded = what.measures.iter().filter_map(Measure::bounded).count();
    let mut cells = BTreeMap::new();
    for batch in batches {
        let number =
            |place: usize| batch.column(place).as_any().downcast_ref::<Int64Array>().ok_or_else(other);
        let texts = (0..what.by.len())
            .map(|place| batch.column(place).as_any().downcast_ref::<StringArray>().ok_or_else(other))
            .collect::<Result<Vec<_>, _>>()?;
        let rows = number(what.by.len())?;
        let mut totals = Vec::new();
        for measure in 0..bounded {
            let place = what.by.len() + 1 + 2 * measure;
            let total =
                batch.column(place + 1).as_any().downcast_ref::<Decimal128Array>().ok_or_else(other)?;
            totals.push((number(place)?, total));
        }
        for row in 0..batch.num_rows() {
            let key =
                texts.iter().map(|text| text.is_valid(row).then(|| text.value(row).to_owned())).collect();
            let total = |(counts, totals): &(&Int64Array, &Decimal128Array)| {
                let total = if totals.is_valid(row) { totals.value(row) } else { 0 };
                (counts.value(row).unsigned_abs(), total)
            };
            let cell =
                Cell { rows: rows.value(row).unsigned_abs(), totals: totals.iter().map(total).collect() };
            cells.insert(key, cell);
        }
    }
    Ok(cells)
}
