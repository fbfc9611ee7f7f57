//! Where redrawn cells come from, as it is written in arguments.
//!
//! `uniform` · `uniform('f', 'm', NULL)` · `learnt` · `given(('f', 0.5), ('m', 0.5))` ·
//! `steps((-1, 0.5), (1, 0.5), tails => cyclic, domain => ('a', 'b', 'c'))`

use super::columns::choice;
use super::domain;
use super::randomize::probability;
use super::value::Value;
use super::wording::{problem, unknown};
use crate::catalog::Catalog;
use crate::operator::{Distribution, Probability, Step, Tails};
use datafusion::common::Result;

const KINDS: [&str; 4] = ["uniform", "learnt", "given", "steps"];

/// Reads a distribution; without one, all values of the domain are equally likely.
pub(super) fn distribution(
    place: &str,
    value: Option<&Value>,
    column: &str,
    catalog: &Catalog,
) -> Result<Distribution> {
    let none = (Vec::new(), Vec::new());
    let (kind, (values, named)) = match value {
        None => ("uniform".to_owned(), none),
        Some(Value::Call { name, values, named }) => (name.clone(), (values.clone(), named.clone())),
        Some(value) => match value.word() {
            Some(word) => (word, none),
            None => {
                return Err(problem(format!(
                    "{place}: {} where a distribution is expected; write one of {}",
                    value.kind(),
                    KINDS.join(", ")
                )));
            }
        },
    };
    if kind != "steps"
        && let Some((name, _)) = named.first()
    {
        return Err(problem(format!("{place}: {kind} has no argument {name}")));
    }
    match kind.as_str() {
        "uniform" if values.contains(&Value::Missing) => uniform_or_missing(place, &values),
        "uniform" => {
            let given = (!values.is_empty()).then(|| texts(place, &values)).transpose()?;
            let mut domain =
                given.map_or_else(|| domain::of(column, catalog, place), |given| Ok(Some(given)))?;
            if let Some(domain) = &mut domain {
                domain.sort();
                domain.dedup();
            }
            Ok(Distribution::Uniform { domain })
        }
        "learnt" if values.is_empty() => Ok(Distribution::Learnt),
        "learnt" => Err(problem(format!("{place}: learnt takes nothing; it is read off the column"))),
        "given" => given(place, &values),
        "steps" => steps(place, &values, &named, column, catalog),
        other => Err(problem(format!("{place}: {}", unknown("distribution", "distributions", other, KINDS)))),
    }
}

fn given(place: &str, values: &[Value]) -> Result<Distribution> {
    let example = "write e.g. given(('f', 0.5), ('m', 0.5))";
    let (mut weights, mut missing) = (Vec::new(), None);
    for value in values {
        let Value::List(pair) = value else { return Err(problem(format!("{place}: {example}"))) };
        let [value, weight] = pair.as_slice() else { return Err(problem(format!("{place}: {example}"))) };
        match value {
            Value::Missing if missing.is_some() => {
                return Err(problem(format!("{place}: a value is given twice")));
            }
            Value::Missing => missing = Some(probability(place, weight)?),
            value => weights.push((text(place, value)?, probability(place, weight)?)),
        }
    }
    if weights.is_empty() && missing.is_none() {
        return Err(problem(format!("{place}: {example}")));
    }
    weights.sort_by(|(left, _), (right, _)| left.cmp(right));
    if weights.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(problem(format!("{place}: a value is given twice")));
    }
    sums_to_one(place, weights.iter().map(|(_, weight)| weight).chain(&missing))?;
    Ok(match missing {
        Some(missing) => Distribution::GivenOrMissing { values: weights, missing },
        None => Distribution::Given(weights),
    })
}

/// `uniform('f', 'm', NULL)`: NULL is one of the values.
fn uniform_or_missing(place: &str, values: &[Value]) -> Result<Distribution> {
    let there: Vec<Value> = values.iter().filter(|value| **value != Value::Missing).cloned().collect();
    let mut domain = texts(place, &there)?;
    domain.sort();
    domain.dedup();
    let each = Probability::parse(&format!("1/{}", domain.len() + 1));
    let each = each.map_err(|error| problem(format!("{place}: {error}")))?;
    let values = domain.into_iter().map(|value| (value, each.clone())).collect();
    Ok(Distribution::GivenOrMissing { values, missing: each })
}

fn steps(
    place: &str,
    values: &[Value],
    named: &[(String, Value)],
    column: &str,
    catalog: &Catalog,
) -> Result<Distribution> {
    let example = "write e.g. steps((-1, 0.5), (1, 0.5), tails => cyclic)";
    let mut steps = Vec::new();
    for value in values {
        let Value::List(pair) = value else { return Err(problem(format!("{place}: {example}"))) };
        let [Value::Number(by), weight] = pair.as_slice() else {
            return Err(problem(format!("{place}: {example}")));
        };
        let by = by
            .parse::<i32>()
            .map_err(|_| problem(format!("{place}: {by} is not a whole number of places")))?;
        steps.push(Step { by, probability: probability(place, weight)? });
    }
    if steps.is_empty() {
        return Err(problem(format!("{place}: {example}")));
    }
    steps.sort_by_key(|step| step.by);
    if steps.windows(2).any(|pair| pair[0].by == pair[1].by) {
        return Err(problem(format!("{place}: a step is given twice")));
    }
    sums_to_one(place, steps.iter().map(|step| &step.probability))?;
    let (mut tails, mut domain) = (Tails::Clamped, None);
    for (name, value) in named {
        match name.as_str() {
            "tails" => {
                tails = choice(
                    &format!("{place}: tails"),
                    value,
                    &[("clamped", Tails::Clamped), ("cyclic", Tails::Cyclic)],
                )?
            }
            "domain" => domain = Some(texts(place, &value.items().into_iter().cloned().collect::<Vec<_>>())?),
            other => {
                return Err(problem(format!(
                    "{place}: {}",
                    unknown("argument", "arguments", other, ["tails", "domain"])
                )));
            }
        }
    }
    let domain = match domain {
        Some(domain) => Some(domain),
        None => domain::of(column, catalog, place)?,
    };
    let Some(domain) = domain else {
        return Err(problem(format!(
            "{place}: steps need the values in their order; write domain => ('low', 'middle', 'high')"
        )));
    };
    let mut seen = domain.clone();
    seen.sort();
    if seen.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(problem(format!("{place}: a value of the domain is given twice")));
    }
    Ok(Distribution::Steps { domain, steps, tails })
}

fn texts(place: &str, values: &[Value]) -> Result<Vec<String>> {
    values.iter().map(|value| text(place, value)).collect()
}

/// A value of a domain: `'f'`, `17`, `true`
fn text(place: &str, value: &Value) -> Result<String> {
    match value {
        Value::Text(text) | Value::Number(text) => Ok(text.clone()),
        Value::Truth(truth) => Ok(truth.to_string()),
        other => Err(problem(format!(
            "{place}: {} where a value is expected; write texts in quotes: 'f'",
            other.kind()
        ))),
    }
}

/// Exactly, with integers.
fn sums_to_one<'a>(place: &str, parts: impl Iterator<Item = &'a Probability>) -> Result<()> {
    let sum = parts.map(|part| *part.value()).try_fold((0_u128, 1_u128), |(above, below), part| {
        let (n, d) = (part.numerator(), part.denominator());
        let above = above.checked_mul(d)?.checked_add(n.checked_mul(below)?)?;
        let below = below.checked_mul(d)?;
        let divisor = greatest_common_divisor(above, below);
        Some((above / divisor, below / divisor))
    });
    match sum {
        Some((above, below)) if above == below => Ok(()),
        Some(_) => Err(problem(format!("{place}: the probabilities do not sum to 1"))),
        None => Err(problem(format!("{place}: the probabilities have too many digits to be added exactly"))),
    }
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}
