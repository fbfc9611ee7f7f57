//! α^D as a plain plan: rows are numbered, and every noisy cell is a function of itself and its row's number.

use super::account::{Account, Charge, NoisyColumn, RandomizeAccount, ValueEstimate};
use super::gather::{as_text, collect_counts, collect_in_order, table};
use super::generalize::frequencies;
use super::response::{Domain, Parts, ResponseFunction};
use super::{LowerError, Lowering};
use crate::ledger::copies;
use crate::operator::{Distribution, Noise, Randomize, Tails};
use crate::tracking::Unit;
use datafusion::arrow::array::{Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, ScalarUDF, UserDefinedLogicalNodeCore,
};
use paravent_noise::budget::Cost;
use paravent_noise::distribution::{self, Ends, Rest};
use paravent_noise::draw::{Plan, Stream};
use paravent_noise::estimate::Estimator;
use paravent_noise::exact::{Probability, Ratio};
use paravent_noise::response::Response;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// The noise of one column, ready to be drawn.
struct Ready {
    column: Column,
    noise: Noise,
    response: Response,
    domain: Arc<Domain>,
    function: Arc<ScalarUDF>,
}

impl Ready {
    /// ε as it is charged and told. Where the noise was read off the column, an exact figure would tell the smallest share: it is rounded up to a tenth.
    fn epsilon(&self) -> Option<Ratio> {
        let charged = self.response.likelihood_ratio().charge()?;
        if self.noise.distribution.is_fixed() {
            return Some(charged);
        }
        Ratio::new((charged.to_f64() * 10.0).next_up().ceil() as i64, 10)
    }
}

impl Lowering<'_> {
    pub(super) async fn randomize(
        &mut self,
        node: &Randomize,
        input: LogicalPlan,
    ) -> Result<LogicalPlan, LowerError> {
        let mut ready = Vec::new();
        for (attribute, (column, noise)) in (0u32..).zip(&node.what().noise) {
            let stream = Stream { operator: node.what().draw.number(), attribute };
            ready.push(self.ready(stream, column, noise, &input).await?);
        }
        // Paid before anything is drawn. Noise that is read off the column has been looked at for its cost.
        let charge = self.charge(&ready, &input).await?;
        let plan = plain(&input, &ready)?;
        let drawn = collect_in_order(&self.world.context, plan).await?;
        let draw = node.what().draw.number();
        let columns = columns(&ready, &drawn, &input, self.released.contains(&draw))?;
        let rows = drawn.iter().map(|batch| batch.num_rows() as u64).sum();
        let seeded = self.world.key.is_seeded();
        self.accounts.push(Account::Randomize(RandomizeAccount { columns, rows, seeded, charge }));
        table(drawn, node.schema(), &format!("__paravent_noise_{draw}"))
    }

    /// Pays for a draw: the ε of every column, as often as a cell of it stands in the relation.
    async fn charge(&self, ready: &[Ready], input: &LogicalPlan) -> Result<Charge, LowerError> {
        let unit = Unit::of(&self.world.catalog);
        let mut costs = Vec::new();
        let mut unbounded = Vec::new();
        for noisy in ready {
            let name = &noisy.column.name;
            let Some(epsilon) = noisy.epsilon() else {
                unbounded.push(format!("some value of {name} can never be shown as some other"));
                continue;
            };
            match copies(input, &noisy.column, unit.columns(), &self.world.context).await? {
                Some(copies) => costs.push(Cost::of_response(epsilon).times(copies)),
                None if epsilon.is_zero() => {}
                None => unbounded
                    .push(format!("a cell of {name} may stand in any number of rows, and each is drawn for")),
            }
        }
        let names: Vec<String> =
            ready.iter().map(|noisy| format!("{} {}", noisy.column.name, noisy.noise.probability)).collect();
        let label = format!("randomize: {}", names.join(", "));
        let cost = Cost::sequential(&costs);
        let mut book = self.world.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if !unbounded.is_empty() {
            book.unbounded(&label, &unbounded.join("; "))?;
        }
        if !cost.is_nothing() {
            // A response needs no grant to be drawn: the noise is in its own matrix.
            drop(book.grant(label, cost.clone())?);
        }
        Ok(Charge {
            epsilon: cost.epsilon().to_string(),
            bounded: unbounded.is_empty(),
            spent: book.spent().to_string(),
            left: book.left().to_string(),
        })
    }

    async fn ready(
        &self,
        stream: Stream,
        column: &Column,
        noise: &Noise,
        input: &LogicalPlan,
    ) -> Result<Ready, LowerError> {
        let wrong = |source| LowerError::Distribution { column: column.name.clone(), source };
        let some = |values: &[String]| values.iter().cloned().map(Some).collect();
        let ratio = |probability: &crate::operator::Probability| {
            let value = probability.value();
            Ratio::parse(&format!("{}/{}", value.numerator(), value.denominator()))
                .map_err(|error| LowerError::Noise { column: column.name.clone(), reason: error.to_string() })
        };
        let (values, distribution): (Vec<Option<String>>, _) = match &noise.distribution {
            Distribution::Uniform { domain: Some(values) } => {
                (some(values), distribution::Distribution::uniform(values.len() as u32).map_err(wrong)?)
            }
            Distribution::Uniform { domain: None } => {
                let counts = self.counts(column, input).await?;
                let uniform = distribution::Distribution::uniform(counts.len() as u32).map_err(wrong)?;
                (counts.into_keys().collect(), uniform)
            }
            Distribution::Learnt => {
                let (values, counts): (Vec<_>, Vec<u64>) =
                    self.counts(column, input).await?.into_iter().unzip();
                (values, distribution::Distribution::learnt(&counts).map_err(wrong)?)
            }
            Distribution::Given(given) => {
                let weights = given.iter().map(|(_, weight)| ratio(weight)).collect::<Result<_, _>>()?;
                let values = given.iter().map(|(value, _)| Some(value.clone())).collect();
                (values, distribution::Distribution::given(weights).map_err(wrong)?)
            }
            Distribution::GivenOrMissing { values, missing } => {
                let weights = values.iter().map(|(_, weight)| weight).chain([missing]);
                let weights = weights.map(ratio).collect::<Result<_, _>>()?;
                let values = values.iter().map(|(value, _)| Some(value.clone())).chain([None]).collect();
                (values, distribution::Distribution::given(weights).map_err(wrong)?)
            }
            Distribution::Declared => {
                let reason =
                    "its noise distribution is declared elsewhere, and nobody said what it is".to_owned();
                return Err(LowerError::Noise { column: column.name.clone(), reason });
            }
            Distribution::Steps { domain, steps, tails } => {
                let ends = match tails {
                    Tails::Cyclic => Ends::Cyclic,
                    Tails::Clamped => Ends::Clamped,
                };
                let steps: Vec<(i32, Ratio)> = steps
                    .iter()
                    .map(|step| Ok((step.by, ratio(&step.probability)?)))
                    .collect::<Result<_, LowerError>>()?;
                let kernel =
                    distribution::Distribution::steps(domain.len() as u32, &steps, ends, Rest::Refused);
                (some(domain), kernel.map_err(wrong)?)
            }
        };
        if noise.distribution.is_fixed() {
            let field = input.schema().qualified_field_from_column(column)?.1;
            fits(column, &values, field.data_type())?;
        }
        let p = Probability::new(ratio(&noise.probability)?)
            .map_err(|error| LowerError::Noise { column: column.name.clone(), reason: error.to_string() })?;
        let response = Response::new(p, distribution);
        let plan = Plan::new(&response)
            .map_err(|error| LowerError::Noise { column: column.name.clone(), reason: error.to_string() })?;
        let domain = Arc::new(Domain::new(values));
        let function = ResponseFunction::new(Parts {
            stream,
            secret: Arc::clone(&self.world.key.noise),
            plan: Arc::new(plan),
            domain: Arc::clone(&domain),
            column: column.name.clone(),
        });
        let function = Arc::new(ScalarUDF::new_from_impl(function));
        Ok(Ready { column: column.clone(), noise: noise.clone(), response, domain, function })
    }

    /// How many rows show each value of a column.
    async fn counts(
        &self,
        column: &Column,
        input: &LogicalPlan,
    ) -> Result<BTreeMap<Option<String>, u64>, LowerError> {
        let mut counts = BTreeMap::new();
        for batch in
            collect_counts(&self.world.context, frequencies(input, std::slice::from_ref(column))?).await?
        {
            let texts = batch.column(0).as_any().downcast_ref::<StringArray>();
            let rows = batch.column(1).as_any().downcast_ref::<Int64Array>();
            let (Some(texts), Some(rows)) = (texts, rows) else { continue };
            for row in 0..batch.num_rows() {
                let value = texts.is_valid(row).then(|| texts.value(row).to_owned());
                *counts.entry(value).or_default() += rows.value(row).unsigned_abs();
            }
        }
        Ok(counts)
    }
}

/// Whether every named value can stand in the column: asked before a row is read, because an error that only a drawn row meets would tell that there is one.
fn fits(column: &Column, values: &[Option<String>], data_type: &DataType) -> Result<(), LowerError> {
    let texts: StringArray = values.iter().map(Option::as_deref).collect();
    let known = cast(&texts, data_type).map_err(|error| LowerError::Engine(error.into()))?;
    match (0..texts.len()).find(|place| texts.is_valid(*place) && known.is_null(*place)) {
        Some(place) => Err(LowerError::Noise {
            column: column.name.clone(),
            reason: format!(
                "value {} of its noise is none that the column can have ({data_type})",
                place + 1
            ),
        }),
        None => Ok(()),
    }
}

/// Row numbers below, a function call per noisy column above; columns keep their names and types.
fn plain(input: &LogicalPlan, ready: &[Ready]) -> Result<LogicalPlan, LowerError> {
    let number = "__paravent_row";
    let numbered = LogicalPlanBuilder::from(input.clone()).window(vec![row_number().alias(number)])?;
    let shown = input.schema().iter().map(|(qualifier, field)| {
        let column = Column::new(qualifier.cloned(), field.name());
        let Some(noisy) = ready.iter().find(|noisy| noisy.column == column) else {
            return Expr::Column(column);
        };
        let arguments = vec![as_text(&column), Expr::Column(Column::new_unqualified(number))];
        let drawn = noisy.function.call(arguments);
        let typed = datafusion::logical_expr::cast(drawn, field.data_type().clone());
        typed.alias_qualified(qualifier.cloned(), field.name())
    });
    Ok(numbered.project(shown.collect::<Vec<_>>())?.build()?)
}

/// `shown`: whether the answer shows all of these rows, so that how many there are is no secret.
fn columns(
    ready: &[Ready],
    drawn: &[RecordBatch],
    input: &LogicalPlan,
    shown: bool,
) -> Result<Vec<NoisyColumn>, LowerError> {
    let mut columns = Vec::new();
    for noisy in ready {
        let place = input.schema().index_of_column(&noisy.column)?;
        let mut observed = vec![0u64; noisy.domain.values.len()];
        for batch in drawn {
            let texts = cast(batch.column(place), &DataType::Utf8)
                .map_err(|error| LowerError::Engine(error.into()))?;
            let texts = texts.as_any().downcast_ref::<StringArray>();
            for cell in texts.into_iter().flatten() {
                if let Some(code) = noisy.domain.code(cell) {
                    observed[code as usize] += 1;
                }
            }
        }
        columns.push(NoisyColumn {
            column: noisy.column.name.clone(),
            probability: noisy.noise.probability.to_string(),
            values: noisy.noise.distribution.is_fixed().then_some(noisy.domain.values.len()),
            epsilon: noisy.epsilon().map_or(f64::INFINITY, |epsilon| epsilon.to_f64()),
            shown,
            estimates: shown.then(|| estimates(noisy, &observed)).flatten(),
        });
    }
    Ok(columns)
}

/// What noisy counts and the public noise tell about the true counts. Shares that were read off the column are no public noise: an estimate would hand out
/// what was read. Where only the values were, an estimate needs their number, which the account tells anyway; values that no row shows stay unsaid.
fn estimates(noisy: &Ready, observed: &[u64]) -> Option<Vec<ValueEstimate>> {
    let least_shown = match noisy.noise.distribution {
        Distribution::Learnt => return None,
        Distribution::Uniform { domain: None } => 1,
        _ => 0,
    };
    let estimates = Estimator::new(&noisy.response).ok()?.counts(observed).ok()?;
    let value =
        |((value, &observed), estimate): ((&Option<String>, &u64), paravent_noise::estimate::Estimate)| {
            let (estimate, standard_error) = (estimate.value, estimate.standard_error);
            ValueEstimate { value: value.clone(), observed, estimate, standard_error }
        };
    let all = noisy.domain.values.iter().zip(observed).zip(estimates).map(value);
    Some(all.filter(|estimate| estimate.observed >= least_shown).collect())
}
