//! `randomize(relation, columns => (sex, (race, 0.3)), p => 0.2, …)`

use super::call::{Argument, Call};
use super::columns::Columns;
use super::distribution::distribution;
use super::function::{Known, RelationFunction};
use super::value::Value;
use super::wording::problem;
use crate::operator::{Distribution, Noise, Probability, Randomize};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;
use paravent_core::exact::Fraction;
use paravent_noise::{self as noise, Epsilon, Ratio, Response};

const fn argument(name: &'static str, example: &'static str, about: &'static str) -> Argument {
    Argument { name, example, about }
}

/// α^D in FROM.
pub(super) const FUNCTION: RelationFunction = RelationFunction {
    name: "randomize",
    about: "cells redrawn with a known probability",
    arguments: &[
        argument(
            "columns",
            "columns => (sex, (race, 0.3))",
            "which columns; each alone, or with p, or with p and a distribution",
        ),
        argument(
            "p",
            "p => 0.2",
            "how likely a cell is redrawn, or epsilon(1), where the column does not say",
        ),
        argument(
            "distribution",
            "distribution => uniform",
            "where redrawn cells come from, where the column does not say",
        ),
    ],
    plan,
};

fn plan(call: &Call, input: LogicalPlan, known: &Known<'_>) -> Result<LogicalPlan> {
    let Some(value) = call.get("columns") else {
        return Err(call.wrong("which columns? Write e.g. columns => (sex, (race, 0.3)), p => 0.2"));
    };
    let place = call.place("columns");
    let columns = Columns { schema: input.schema(), place: &place };
    let general = call.get("p").map(|value| strength(&call.place("p"), value)).transpose()?;
    let mut all: Vec<(Column, Noise)> = Vec::new();
    for item in value.items() {
        let (name, p, law) = match item {
            Value::List(parts) => match parts.as_slice() {
                [name] => (name, None, None),
                [name, p] => (name, Some(p), None),
                [name, p, law] => (name, Some(p), Some(law)),
                _ => {
                    return Err(problem(format!(
                        "{place}: write a column as name, (name, p) or (name, p, distribution)"
                    )));
                }
            },
            name => (name, None, None),
        };
        let column = columns.one(name)?;
        let strength = match (p, &general) {
            (Some(p), _) => strength(&format!("{place}: {}", column.name), p)?,
            (None, Some(general)) => general.clone(),
            (None, None) => {
                let name = &column.name;
                return Err(problem(format!(
                    "{place}: how likely is {name} redrawn? Write ({name}, 0.2), or p => 0.2 for all columns"
                )));
            }
        };
        let (place, law) = match (law, call.get("distribution")) {
            (Some(law), _) => (place.clone(), Some(law)),
            (None, law) => (call.place("distribution"), law),
        };
        let place = format!("{place}: {}", column.name);
        let distribution = distribution(&place, law, &column.name, known.catalog)?;
        let probability = match strength {
            Strength::Probability(probability) => probability,
            Strength::Epsilon(epsilon) => keeping(&place, &epsilon, &distribution)?,
        };
        all.push((column, Noise { probability, distribution }));
    }
    Randomize::plan(input, all, known.draw())
}

/// How strong the noise of a column is.
#[derive(Clone)]
enum Strength {
    Probability(Probability),
    Epsilon(Epsilon),
}

/// `0.2`, `4/1461` or `epsilon(1)`
fn strength(place: &str, value: &Value) -> Result<Strength> {
    let Value::Call { name, values, named } = value else {
        return probability(place, value).map(Strength::Probability);
    };
    match (name.as_str(), values.as_slice(), named.as_slice()) {
        ("epsilon", [Value::Number(text)], []) => {
            let epsilon =
                Epsilon::parse(text).map_err(|error| problem(format!("{place}: epsilon: {error}")))?;
            Ok(Strength::Epsilon(epsilon))
        }
        ("epsilon", ..) => Err(problem(format!(
            "{place}: write epsilon(1); a delta is for the command `paravent noise`, whose ledger line and manifest state both"
        ))),
        _ => Err(problem(format!("{place}: {name}(…) where a probability or epsilon(…) is expected"))),
    }
}

/// The least probability of a redraw that keeps ε: the same as `paravent noise` takes, so that the draws are the same.
fn keeping(place: &str, epsilon: &Epsilon, distribution: &Distribution) -> Result<Probability> {
    let wrong = |reason: String| problem(format!("{place}: {reason}"));
    let exact = |p: &Probability| {
        let value = p.value();
        Ratio::parse(&format!("{}/{}", value.numerator(), value.denominator()))
            .map_err(|error| wrong(error.to_string()))
    };
    let made = match distribution {
        Distribution::Uniform { domain: Some(values) } => noise::Distribution::uniform(values.len() as u32),
        Distribution::Given(values) => {
            noise::Distribution::given(values.iter().map(|(_, p)| exact(p)).collect::<Result<_>>()?)
        }
        Distribution::GivenOrMissing { values, missing } => {
            let weights = values.iter().map(|(_, p)| p).chain([missing]);
            noise::Distribution::given(weights.map(exact).collect::<Result<_>>()?)
        }
        Distribution::Uniform { domain: None } | Distribution::Learnt | Distribution::Declared => {
            return Err(wrong(
                "epsilon(…) needs the values: taken from the column they would be an answer that nobody paid for; write uniform('…', '…')".to_owned(),
            ));
        }
        Distribution::Steps { .. } => {
            return Err(wrong(
                "epsilon(…) is for uniform and given; steps have the ε of their table, which the answer tells".to_owned(),
            ));
        }
    };
    let made = made.map_err(|error| wrong(error.to_string()))?;
    let response = Response::of_epsilon(epsilon, None, made).map_err(|error| wrong(error.to_string()))?;
    Probability::parse(&response.p.to_string()).map_err(|error| wrong(error.to_string()))
}

/// `0.2` or `4/1461`
pub(super) fn probability(place: &str, value: &Value) -> Result<Probability> {
    let Value::Number(text) = value else {
        return Err(problem(format!("{place}: {} where a probability is expected", value.kind())));
    };
    let whole = |text: &str| text.trim().parse::<u64>().ok();
    let fraction = text.split_once('/').map(|(above, below)| (whole(above), whole(below)));
    if let Some((Some(above), Some(below))) = fraction
        && let Some(value) = Fraction::new(above, below)
        && value <= Fraction::ONE
    {
        return Ok(Probability::exactly(value, text.clone()));
    }
    Probability::parse(text).map_err(|error| problem(format!("{place}: {error}")))
}
