//! `private(relation, by => (sex), count => true, sum => (hours, 0, 99), epsilon => 1, …)`

use super::call::{Argument, Call};
use super::columns::Columns;
use super::function::{Known, RelationFunction};
use super::value::Value;
use super::wording::problem;
use crate::operator::{Bounded, Measure, PrivateAggregate, PrivateAggregation};
use crate::tracking::Unit;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;

const fn argument(name: &'static str, example: &'static str, about: &'static str) -> Argument {
    Argument { name, example, about }
}

/// Noisy aggregates in FROM.
pub(super) const FUNCTION: RelationFunction = RelationFunction {
    name: "private",
    about: "counts, sums and means with differential privacy",
    arguments: &[
        argument(
            "by",
            "by => (sex)",
            "the columns whose values make the groups; without it the whole relation",
        ),
        argument(
            "keys",
            "keys => ('f', 'm')",
            "the groups, declared in advance; without them delta is needed",
        ),
        argument("count", "count => true", "the number of rows"),
        argument("sum", "sum => (hours, 0, 99)", "the sum of a column, cut to bounds"),
        argument("avg", "avg => (age, 17, 90)", "the mean of a column, cut to bounds"),
        argument("epsilon", "epsilon => 1.0", "ε of all figures together"),
        argument("delta", "delta => 0.000001", "δ of all figures together; 0 unless given"),
        argument(
            "person",
            "person => id",
            "whose rows they are: only what the job declares as [privacy] person, so it can be left out",
        ),
        argument("contribution", "contribution => 1", "most rows of one person that count"),
    ],
    plan,
};

fn plan(call: &Call, input: LogicalPlan, known: &Known<'_>) -> Result<LogicalPlan> {
    let schema = input.schema();
    let by = call.columns("by", schema)?.unwrap_or_default();
    let keys = call.get("keys").map(|value| keys(call, value, by.len())).transpose()?;
    let mut measures = Vec::new();
    if call.truth("count")? {
        measures.push(Measure::Count);
    }
    measures.extend(bounded(call, "sum", schema)?.into_iter().map(Measure::Sum));
    measures.extend(bounded(call, "avg", schema)?.into_iter().map(Measure::Mean));
    let Some(epsilon) = call.number("epsilon")? else {
        return Err(call.wrong("how much may it tell? Write e.g. epsilon => 1.0"));
    };
    let zero = |text: &&str| text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    let delta = call.number("delta")?.filter(zero).map(str::to_owned);
    person(call, known)?;
    let contribution = call.count("contribution", 1)?.unwrap_or(1);
    let epsilon = epsilon.to_owned();
    let draw = known.draw();
    let what = PrivateAggregation { by, keys, measures, epsilon, delta, contribution, draw };
    PrivateAggregate::plan(input, what)
}

/// Who is a person is the owner's word, not the asker's: the argument may only repeat it.
fn person(call: &Call, known: &Known<'_>) -> Result<()> {
    let Some(value) = call.get("person") else { return Ok(()) };
    let declared = Unit::of(known.catalog);
    let mut asked = Vec::new();
    for item in value.items() {
        match item {
            Value::Name(idents) => asked.extend(idents.last().map(|ident| match ident.quote_style {
                Some(_) => ident.value.clone(),
                None => ident.value.to_lowercase(),
            })),
            Value::Text(text) => asked.push(text.clone()),
            other => {
                return Err(call.wrong(format!("person: {} where a column's name is expected", other.kind())));
            }
        }
    }
    let same = |one: &str, other: &str| one == other || one.to_lowercase() == other.to_lowercase();
    let (mut left, mut right) = (asked.clone(), declared.columns().to_vec());
    left.sort_unstable();
    right.sort_unstable();
    match left.len() == right.len() && left.iter().zip(&right).all(|(one, other)| same(one, other)) {
        true => Ok(()),
        false if right.is_empty() => Err(call.wrong(
            "person: who is a person is declared by the owner of the data, and the job declares nothing, so every row is one; write [privacy] person in the job",
        )),
        false => Err(call.wrong(format!(
            "person: the job declares {} as the person, and a question cannot change it; leave the argument out",
            declared.columns().join(", ")
        ))),
    }
}

/// A key per group: a value for every column of `by`; a value alone where there is one column.
fn keys(call: &Call, value: &Value, columns: usize) -> Result<Vec<Vec<String>>> {
    let text = |value: &Value| match value {
        Value::Text(text) | Value::Number(text) => Ok(text.clone()),
        Value::Truth(truth) => Ok(truth.to_string()),
        other => Err(call.wrong(format!(
            "keys: {} where a value is expected; write e.g. keys => ('f', 'm')",
            other.kind()
        ))),
    };
    let key = |item: &Value| match item {
        Value::List(values) => values.iter().map(text).collect(),
        one if columns == 1 => Ok(vec![text(one)?]),
        _ => Err(call.wrong(format!("keys: write a list of {columns} values for every group"))),
    };
    value.items().into_iter().map(key).collect()
}

/// `(hours, 0, 99)`, or a list of such.
fn bounded(call: &Call, argument: &str, schema: &DFSchema) -> Result<Vec<Bounded>> {
    let Some(value) = call.get(argument) else { return Ok(Vec::new()) };
    let place = call.place(argument);
    let items = value.items();
    let several = items.iter().all(|item| matches!(item, Value::List(_)));
    let items = if several { items } else { vec![value] };
    let example =
        || problem(format!("{place}: write a column with its bounds, e.g. {argument} => (hours, 0, 99)"));
    let one = |item: &Value| {
        let Value::List(parts) = item else { return Err(example()) };
        let [column, Value::Number(lower), Value::Number(upper)] = parts.as_slice() else {
            return Err(example());
        };
        let column = Columns { schema, place: &place }.one(column)?;
        let digits = |text: &str| text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let decimals = digits(lower).max(digits(upper));
        let bound = |text: &str| {
            units(text, decimals).ok_or_else(|| {
                problem(format!("{place}: {text} is no bound; write a number of at most 18 digits"))
            })
        };
        let (lower, upper) = (bound(lower)?, bound(upper)?);
        let decimals = u8::try_from(decimals).unwrap_or(u8::MAX);
        Ok(Bounded { column, lower, upper, decimals })
    };
    items.into_iter().map(one).collect()
}

/// A decimal number in units of its last digit.
fn units(text: &str, decimals: usize) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction:0<decimals$}");
    (digits.trim_start_matches('-').len() <= 18).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_counted_in_units_of_the_last_digit() {
        assert_eq!(units("99", 0), Some(99));
        assert_eq!(units("-1.5", 2), Some(-150));
        assert_eq!(units("0.25", 2), Some(25));
        assert_eq!(units("-0.5", 1), Some(-5));
        assert_eq!(units("4/3", 0), None);
        assert_eq!(units("9999999999999999999", 0), None);
    }
}
