//! Noisy aggregates: true figures from a plain query, noise added to the finished result, once.

use super::account::{Account, NoisyFigure, PrivateAccount};
use super::gather::{as_text, collect, table};
use super::{LowerError, Lowering};
use crate::operator::{Bounded, Measure, PrivateAggregate, PrivateAggregation};
use datafusion::arrow::array::{
    Array, ArrayRef, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{Column, DataFusionError, ScalarValue};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, UserDefinedLogicalNodeCore, lit, try_cast, when,
};
use paravent_noise::budget::{Cost, Grant};
use paravent_noise::mechanism::{ClampedSum, Grid, Noisy, histogram, means, open_histogram, sums};
use paravent_noise::sensitivity::{Bounds, Contribution};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError};

/// The values of the grouping columns, as text.
type GroupKey = Vec<Option<String>>;

/// The true figures of one group. Never shown.
#[derive(Clone, Default)]
struct Cell {
    rows: u64,
    /// By measure that has a column: number of values, and their total in units.
    totals: Vec<(u64, i128)>,
}

impl Lowering<'_> {
    pub(super) async fn private(
        &mut self,
        node: &PrivateAggregate,
        input: LogicalPlan,
    ) -> Result<LogicalPlan, LowerError> {
        let what = node.what();
        let cost = Cost::parse(&what.epsilon, what.delta.as_deref())
            .map_err(|error| LowerError::Budget(error.to_string()))?;
        let contribution = NonZeroU32::new(what.contribution).map_or(Contribution::ONE_ROW, Contribution::of);
        // The budget is asked before anything is read: a refusal must not depend on the data.
        let grant = {
            let mut ledger = self.world.ledger.lock().unwrap_or_else(PoisonError::into_inner);
            ledger.grant(label(what), cost.clone())?
        };
        let found = cells(what, &collect(&self.world.context, figures(what, &input)?).await?)?;
        let drawn =
            draw(what, found, contribution, grant).map_err(|error| LowerError::Budget(error.to_string()))?;
        let (spent, left) = {
            let ledger = self.world.ledger.lock().unwrap_or_else(PoisonError::into_inner);
            (ledger.spent(), ledger.left())
        };
        self.accounts.push(Account::Private(PrivateAccount {
            epsilon: cost.epsilon().to_string(),
            delta: cost.delta().to_string(),
            spent: spent.to_string(),
            left: left.to_string(),
            groups: drawn.keys.len() as u64,
            threshold: drawn.threshold.map(|threshold| threshold.to_string()),
            figures: drawn.figures,
        }));
        let batch = batch(node, &drawn.keys, drawn.columns)?;
        table(vec![batch], node.schema(), &format!("__paravent_private_{}", what.draw.number()))
    }
}

/// `private: count, sum(hours) by sex`: names of columns, no cell and no condition.
fn label(what: &PrivateAggregation) -> String {
    let figures: Vec<String> = what.measures.iter().map(Measure::name).collect();
    let by: Vec<&str> = what.by.iter().map(|column| column.name.as_str()).collect();
    let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
    format!("private: {}{by}", figures.join(", "))
}

/// `SELECT by…, count(*), count(x), sum(x cut to its bounds)… GROUP BY by…`, with at most m rows of each person.
fn figures(what: &PrivateAggregation, input: &LogicalPlan) -> Result<LogicalPlan, LowerError> {
    let named = |kind: &str, number: usize| format!("__paravent_{kind}_{number}");
    let unqualified = |name: String| Expr::Column(Column::new_unqualified(name));
    let mut columns: Vec<Expr> = what
        .by
        .iter()
        .enumerate()
        .map(|(number, column)| as_text(column).alias(named("by", number)))
        .collect();
    let bounded: Vec<&Bounded> = what.measures.iter().filter_map(Measure::bounded).collect();
    for (number, of) in bounded.iter().enumerate() {
        columns.push(clamped(of)?.alias(named("value", number)));
    }
    let mut plan = LogicalPlanBuilder::from(input.clone());
    let person = "__paravent_person";
    columns.extend(what.person.iter().map(|column| as_text(column).alias(person)));
    // A relation needs a column, even where only its rows are counted.
    columns.push(lit(1i64).alias("__paravent_one"));
    plan = plan.project(columns)?;
    if what.person.is_some() {
        // Which rows of a person count depends on that person's rows alone.
        let own = plan.schema().columns().into_iter().map(|column| Expr::Column(column).sort(true, true));
        let place = row_number()
            .partition_by(vec![unqualified(person.to_owned())])
            .order_by(own.collect())
            .build()?
            .alias("__paravent_place");
        plan = plan.window(vec![place])?;
        plan =
            plan.filter(unqualified("__paravent_place".to_owned()).lt_eq(lit(u64::from(what.contribution))))?;
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

/// The figures that may be shown.
struct Drawn {
    keys: Vec<GroupKey>,
    columns: Vec<ArrayRef>,
    figures: Vec<NoisyFigure>,
    threshold: Option<i128>,
}

fn draw(
    what: &PrivateAggregation,
    found: BTreeMap<GroupKey, Cell>,
    contribution: Contribution,
    grant: Grant,
) -> Result<Drawn, paravent_noise::mechanism::MechanismError> {
    let bounded = what.measures.iter().filter_map(Measure::bounded).count();
    // Groups that nobody declared are found by a count of their own.
    let open = what.keys.is_none() && !what.by.is_empty();
    let parts = what.measures.len() as u32 + u32::from(open && !what.measures.contains(&Measure::Count));
    let mut grants = grant.split(parts).into_iter();
    let mut next = || grants.next().ok_or(paravent_noise::mechanism::MechanismError::TooWide);
    let (keys, shown, threshold) = match (&what.keys, open) {
        (Some(keys), _) => {
            let keys = keys.iter().map(|key| key.iter().cloned().map(Some).collect()).collect();
            (keys, None, None)
        }
        (None, false) => (vec![GroupKey::new()], None, None),
        (None, true) => {
            let rows = found.iter().map(|(key, cell)| (key.clone(), cell.rows)).collect();
            let open = open_histogram(&rows, contribution, next()?)?;
            let (keys, shown): (Vec<GroupKey>, Vec<Noisy>) = open.cells.into_iter().unzip();
            (keys, Some(shown), Some(open.threshold))
        }
    };
    let empty = Cell { rows: 0, totals: vec![(0, 0); bounded] };
    let cells: Vec<&Cell> = keys.iter().map(|key| found.get(key).unwrap_or(&empty)).collect();
    let (mut columns, mut figures): (Vec<ArrayRef>, Vec<NoisyFigure>) = (Vec::new(), Vec::new());
    let mut place = 0;
    for measure in &what.measures {
        let mut clamped =
            |of: &Bounded| -> Result<Vec<ClampedSum>, paravent_noise::mechanism::MechanismError> {
                // The node has refused bounds the wrong way round.
                let bounds = Bounds::new(of.lower, of.upper)
                    .map_err(|_| paravent_noise::mechanism::MechanismError::BoundsDiffer)?;
                let of_cell =
                    |cell: &&Cell| ClampedSum::of(bounds, cell.totals[place].0, cell.totals[place].1);
                let sums = cells.iter().map(of_cell).collect();
                place += 1;
                Ok(sums)
            };
        let figure = |noisy: Option<&Noisy>, decimals: u8| NoisyFigure {
            name: measure.name(),
            noise: noisy.map(|noisy| noisy.noise.to_string()),
            half_width: noisy.map(|noisy| {
                Grid::new(decimals).map_or_else(
                    |_| noisy.half_width.to_string(),
                    |grid| grid.render(i128::try_from(noisy.half_width).unwrap_or(i128::MAX)),
                )
            }),
        };
        match measure {
            Measure::Count => {
                let noisy = match &shown {
                    Some(shown) => shown.clone(),
                    None => {
                        let rows: Vec<u64> = cells.iter().map(|cell| cell.rows).collect();
                        histogram(&rows, contribution, next()?)?
                    }
                };
                figures.push(figure(noisy.first(), 0));
                let value = |noisy: &Noisy| {
                    i64::try_from(noisy.value).unwrap_or(if noisy.value < 0 { i64::MIN } else { i64::MAX })
                };
                columns.push(Arc::new(Int64Array::from_iter_values(noisy.iter().map(value))));
            }
            Measure::Sum(of) => {
                let noisy = sums(&clamped(of)?, contribution, next()?)?;
                figures.push(figure(noisy.first(), of.decimals));
                let values = Decimal128Array::from_iter_values(noisy.iter().map(|noisy| noisy.value));
                columns.push(Arc::new(values.with_data_type(DataType::Decimal128(38, of.decimals as i8))));
            }
            Measure::Mean(of) => {
                let noisy = means(&clamped(of)?, contribution, next()?)?;
                let grid = Grid::new(of.decimals).unwrap_or(Grid::WHOLE);
                let widest = noisy.iter().map(|mean| (mean.high - mean.low) / 2.0).fold(0.0, f64::max);
                figures.push(NoisyFigure {
                    name: measure.name(),
                    noise: noisy.first().map(|mean| mean.centred_sum.noise.to_string()),
                    half_width: Some(format!("{:.4}", grid.to_f64(widest))),
                });
                columns.push(Arc::new(Float64Array::from_iter_values(
                    noisy.iter().map(|mean| grid.to_f64(mean.value)),
                )));
            }
        }
    }
    Ok(Drawn { keys, columns, figures, threshold })
}

fn batch(
    node: &PrivateAggregate,
    keys: &[GroupKey],
    columns: Vec<ArrayRef>,
) -> Result<RecordBatch, LowerError> {
    let engine = |error: datafusion::arrow::error::ArrowError| LowerError::Engine(error.into());
    let schema: Arc<Schema> = Arc::clone(node.schema().inner());
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for place in 0..node.what().by.len() {
        let texts = StringArray::from_iter(keys.iter().map(|key| key[place].as_deref()));
        arrays.push(cast(&texts, schema.field(place).data_type()).map_err(engine)?);
    }
    arrays.extend(columns);
    RecordBatch::try_new(schema, arrays).map_err(engine)
}
