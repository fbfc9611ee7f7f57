//! `randomize(relation, columns => (sex, (race, 0.3)), p => 0.2, …)`

use super::call::{Argument, Call};
use super::columns::Columns;
use super::distribution::distribution;
use super::function::{Known, RelationFunction};
use super::value::Value;
use super::wording::problem;
use crate::operator::{Noise, Probability, Randomize};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;
use paravent_core::exact::Fraction;

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
        argument("p", "p => 0.2", "how likely a cell is redrawn, where the column does not say"),
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
    let general = call.get("p").map(|value| probability(&call.place("p"), value)).transpose()?;
    let mut noise: Vec<(Column, Noise)> = Vec::new();
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
        let probability = match (p, &general) {
            (Some(p), _) => probability(&format!("{place}: {}", column.name), p)?,
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
        let distribution =
            distribution(&format!("{place}: {}", column.name), law, &column.name, known.catalog)?;
        noise.push((column, Noise { probability, distribution }));
    }
    Randomize::plan(input, noise, known.draw())
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
