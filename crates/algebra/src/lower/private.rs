//! Noisy aggregates: true figures from a plain query, noise added to the finished result, once.

use super::account::{Account, NoisyFigure, PrivateAccount};
use super::figures::{Cell, GroupKey, figures};
use super::gather::table;
use super::{LowerError, Lowering, World};
use crate::operator::{Bounded, Measure, PrivateAggregate, PrivateAggregation};
use crate::tracking::{self, People, Unit};
use datafusion::arrow::array::{
    ArrayRef, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNodeCore};
use paravent_noise::budget::{Cost, Grant};
use paravent_noise::mechanism::{
    ClampedSum, Grid, MechanismError, Noisy, NoisyMean, histogram, means, open_histogram, sums,
};
use paravent_noise::sensitivity::{Bounds, Contribution};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError};

impl Lowering<'_> {
    pub(super) async fn private(
        &mut self,
        node: &PrivateAggregate,
        input: LogicalPlan,
    ) -> Result<LogicalPlan, LowerError> {
        let what = node.what();
        let cost = Cost::parse(&what.epsilon, what.delta.as_deref())
            .map_err(|error| LowerError::Budget(error.to_string()))?;
        // What cannot be tracked is refused before anything is paid.
        let tracked = Tracked::of(what, &input, &Unit::of(&self.world.catalog))?;
        // The budget is asked before anything is read: a refusal must not depend on the data.
        let grant = {
            let mut ledger = self.world.ledger.lock().unwrap_or_else(PoisonError::into_inner);
            ledger.grant(label(what), cost.clone())?
        };
        let truth = tracked.truth(self.world).await?;
        let drawn = truth.draw(grant).map_err(|error| LowerError::Budget(error.to_string()))?;
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
        let columns = drawn.columns.into_iter().map(DrawnColumn::array).collect();
        let batch = batch(node, &drawn.keys, columns)?;
        table(vec![batch], node.schema(), &format!("__paravent_private_{}", what.draw.number()))
    }
}

/// `private: count, sum(hours) by sex`: names of columns, no cell and no condition.
fn label(what: &PrivateAggregation) -> String {
    let figures: Vec<String> = what.measures.iter().map(Measure::figure).collect();
    let by: Vec<&str> = what.by.iter().map(|column| column.name.as_str()).collect();
    let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
    format!("private: {}{by}", figures.join(", "))
}

/// An aggregation over a relation whose people are known, and how many rows of each may count.
struct Tracked {
    what: PrivateAggregation,
    people: People,
    contribution: NonZeroU32,
}

impl Tracked {
    fn of(what: &PrivateAggregation, input: &LogicalPlan, unit: &Unit) -> Result<Tracked, LowerError> {
        let people = tracking::people(input, unit)?;
        let asked = NonZeroU32::new(what.contribution).unwrap_or(NonZeroU32::MIN);
        let contribution = match unit {
            // Rows beyond are left out: whose they are is known.
            Unit::Columns(_) => asked,
            Unit::Row => {
                if asked.get() > 1 {
                    return Err(LowerError::Budget(
                        "contribution => 2 or more means nothing while every row is a person; let the job say whose rows they are: [privacy] person"
                            .to_owned(),
                    ));
                }
                // A copy cannot be told from another person's row, so the noise is made for all copies.
                let most =
                    people.most_rows().and_then(|most| u32::try_from(most).ok()).and_then(NonZeroU32::new);
                most.ok_or_else(|| LowerError::Budget("one person can have too many rows here".to_owned()))?
            }
        };
        Ok(Tracked { what: what.clone(), people, contribution })
    }

    async fn truth(self, world: &World) -> Result<Truth, LowerError> {
        let found = figures(&self.what, &self.people, self.contribution.get(), &world.context).await?;
        Ok(Truth { what: self.what, found, contribution: Contribution::of(self.contribution) })
    }
}

/// The true figures of an aggregation, from which answers are drawn. Who holds it has seen the data; it shows nothing of them.
#[derive(Clone)]
pub struct Truth {
    what: PrivateAggregation,
    found: BTreeMap<GroupKey, Cell>,
    contribution: Contribution,
}

impl fmt::Debug for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Truth").finish_non_exhaustive()
    }
}

impl Truth {
    /// Reads the figures of an aggregation, without paying: for an audit by the owner of the data, who draws many answers and shows none.
    pub async fn read(node: &PrivateAggregate, world: &World) -> Result<Truth, LowerError> {
        Tracked::of(node.what(), node.input(), &Unit::of(&world.catalog))?.truth(world).await
    }

    /// The same figures with noise for other contributions than the rows were clipped to: a planted mistake, for the audit to find.
    pub(crate) fn with_contribution(self, rows: NonZeroU32) -> Truth {
        Truth { contribution: Contribution::of(rows), ..self }
    }

    /// One answer. What every answer of `private` goes through.
    pub fn draw(&self, grant: Grant) -> Result<Drawn, MechanismError> {
        draw(&self.what, &self.found, self.contribution, grant)
    }
}

/// An answer: figures that may be shown.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The groups: the values of the grouping columns.
    pub(crate) keys: Vec<GroupKey>,
    /// By measure, in the order of the groups.
    columns: Vec<DrawnColumn>,
    figures: Vec<NoisyFigure>,
    threshold: Option<i128>,
}

/// The figures of one measure.
#[derive(Debug, Clone)]
enum DrawnColumn {
    Counts(Vec<i64>),
    Sums {
        units: Vec<i128>,
        decimals: u8,
    },
    Means(Vec<f64>),
    /// Distances to the middle of the bounds, and numbers of values.
    Parts(Vec<(i128, i128)>),
}

impl DrawnColumn {
    fn array(self) -> ArrayRef {
        match self {
            DrawnColumn::Counts(counts) => Arc::new(Int64Array::from(counts)),
            DrawnColumn::Sums { units, decimals } => {
                let sums = Decimal128Array::from(units);
                Arc::new(sums.with_data_type(DataType::Decimal128(38, decimals as i8)))
            }
            DrawnColumn::Means(means) => Arc::new(Float64Array::from(means)),
            DrawnColumn::Parts(parts) => {
                let texts = parts.iter().map(|(distances, values)| Some(format!("{distances}/{values}")));
                Arc::new(StringArray::from_iter(texts))
            }
        }
    }
}

impl Drawn {
    /// A figure of a group as a number, for an audit that compares many answers; sums in units of their last decimal.
    pub(crate) fn number(&self, measure: usize, group: usize) -> f64 {
        match &self.columns[measure] {
            DrawnColumn::Counts(counts) => counts[group] as f64,
            DrawnColumn::Sums { units, .. } => units[group] as f64,
            DrawnColumn::Means(means) => means[group],
            DrawnColumn::Parts(parts) => parts[group].0 as f64 / parts[group].1.max(1) as f64,
        }
    }

    /// How many figures a group has.
    pub(crate) fn measures(&self) -> usize {
        self.columns.len()
    }
}

fn draw(
    what: &PrivateAggregation,
    found: &BTreeMap<GroupKey, Cell>,
    contribution: Contribution,
    grant: Grant,
) -> Result<Drawn, MechanismError> {
    let bounded = what.measures.iter().filter_map(Measure::bounded).count();
    // Groups that nobody declared are found by a count of their own.
    let open = what.keys.is_none() && !what.by.is_empty();
    let parts = what.measures.len() as u32 + u32::from(open && !what.measures.contains(&Measure::Count));
    let mut grants = grant.split(parts).into_iter();
    let mut next = || grants.next().ok_or(MechanismError::TooWide);
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
    let (mut columns, mut figures): (Vec<DrawnColumn>, Vec<NoisyFigure>) = (Vec::new(), Vec::new());
    let mut place = 0;
    for measure in &what.measures {
        let mut clamped = |of: &Bounded| -> Result<Vec<ClampedSum>, MechanismError> {
            // The node has refused bounds the wrong way round.
            let bounds = Bounds::new(of.lower, of.upper).map_err(|_| MechanismError::BoundsDiffer)?;
            let of_cell = |cell: &&Cell| ClampedSum::of(bounds, cell.totals[place].0, cell.totals[place].1);
            let sums = cells.iter().map(of_cell).collect();
            place += 1;
            Ok(sums)
        };
        let figure = |noisy: Option<&Noisy>, decimals: u8| NoisyFigure {
            name: measure.figure(),
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
                columns.push(DrawnColumn::Counts(noisy.iter().map(value).collect()));
            }
            Measure::Sum(of) => {
                let noisy = sums(&clamped(of)?, contribution, next()?)?;
                figures.push(figure(noisy.first(), of.decimals));
                let units = noisy.iter().map(|noisy| noisy.value).collect();
                columns.push(DrawnColumn::Sums { units, decimals: of.decimals });
            }
            Measure::Mean(of) | Measure::Parts(of) => {
                let noisy = means(&clamped(of)?, contribution, next()?)?;
                let grid = Grid::new(of.decimals).unwrap_or(Grid::WHOLE);
                let widest = noisy.iter().map(|mean| (mean.high - mean.low) / 2.0).fold(0.0, f64::max);
                figures.push(NoisyFigure {
                    name: measure.figure(),
                    noise: noisy.first().map(|mean| mean.centred_sum.noise.to_string()),
                    half_width: Some(format!("{:.4}", grid.to_f64(widest))),
                });
                let parts = |mean: &NoisyMean| (mean.centred_sum.value, mean.count.value);
                columns.push(match measure {
                    Measure::Parts(_) => DrawnColumn::Parts(noisy.iter().map(parts).collect()),
                    _ => DrawnColumn::Means(noisy.iter().map(|mean| grid.to_f64(mean.value)).collect()),
                });
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
