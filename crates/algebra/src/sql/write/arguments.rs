//! Operators as calls.

use super::names::text;
use super::{Result, unwritable};
use crate::operator::{
    Bounded, Buckets, Distribution, Generalization, Measure, Merge, Noise, Operator, Overlap,
    PrivateAggregation, Slicing, Tails,
};
use datafusion::common::Column;
use paravent_job::models::Parameter;
use paravent_job::{Algorithm, Model, Recoding};
use paravent_slicing::{Limits, Share};
use serde_json::Value;

/// A function in FROM.
pub(super) struct Call {
    pub(super) function: &'static str,
    pub(super) arguments: Vec<String>,
}

type Called<'a> = dyn Fn(&Column) -> Result<String> + 'a;

/// The call of an operator over columns as its relation calls them.
pub(super) fn call(operator: Operator<'_>, called: &Called<'_>) -> Result<Call> {
    let (function, arguments) = match operator {
        Operator::Generalize(node) => ("generalize", generalize(node.what(), called)?),
        Operator::Slice(node) => ("slice", slice(node.what(), called)?),
        Operator::Randomize(node) => {
            let columns = node.what().noise.iter().map(|(column, noise)| randomized(column, noise, called));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            ("randomize", vec![format!("columns => ({})", columns.join(", "))])
        }
        Operator::Private(node) => ("private", private(node.what(), called)?),
    };
    Ok(Call { function, arguments })
}

fn list(columns: &[Column], called: &Called<'_>) -> Result<String> {
    let names = columns.iter().map(called).collect::<Result<Vec<_>>>()?;
    Ok(format!("({})", names.join(", ")))
}

fn generalize(what: &Generalization, called: &Called<'_>) -> Result<Vec<String>> {
    if what.quasi.is_empty() {
        return Err(unwritable("a generalization has no quasi-identifiers"));
    }
    let promise = &what.promise;
    let mut arguments = vec![format!("quasi => {}", list(&what.quasi, called)?)];
    match promise.models.as_slice() {
        [Model::KAnonymity(paravent_job::models::KAnonymity { k })] => arguments.push(format!("k => {k}")),
        models => {
            let models = models.iter().map(model).collect::<Result<Vec<_>>>()?;
            arguments.push(format!("models => {}", text(&format!("[{}]", models.join(", ")))));
        }
    }
    arguments.push(format!("suppression => {}", promise.suppression_limit.as_str()));
    arguments.push(format!("metric => {}", text(promise.search.metric.name())));
    if promise.search.algorithm != Algorithm::Auto {
        arguments.push(format!("algorithm => {}", text(promise.search.algorithm.name())));
    }
    if promise.search.recoding != Recoding::Global {
        arguments.push(format!("recoding => {}", text(promise.search.recoding.name())));
        arguments.extend(promise.search.moves.map(|moves| format!("moves => {moves}")));
    }
    if promise.search.seconds > 0.0 {
        arguments.push(format!("seconds => {}", promise.search.seconds));
    }
    Ok(arguments)
}

/// A model as a job file has it.
fn model(model: &Model) -> Result<String> {
    let mut parts = vec![format!("model = {}", Value::from(model.name().name()))];
    for (key, value) in model.parameters() {
        let written = match value {
            Parameter::Count(count) => count.to_string(),
            Parameter::Decimal(number) => number.to_string(),
            Parameter::Text(text) => Value::from(text).to_string(),
            Parameter::List(list) => Value::from(list).to_string(),
            Parameter::Population(_) => return Err(unwritable("a promise needs a population")),
        };
        parts.push(format!("{key} = {written}"));
    }
    Ok(format!("{{ {} }}", parts.join(", ")))
}

fn slice(what: &Slicing, called: &Called<'_>) -> Result<Vec<String>> {
    let groups = what.groups.iter().map(|group| list(group, called)).collect::<Result<Vec<_>>>()?;
    let mut arguments = vec![format!("groups => ({})", groups.join(", "))];
    match &what.buckets {
        Buckets::Count(count) => arguments.push(format!("buckets => {count}")),
        Buckets::Size(rows) => arguments.push(format!("bucket => {rows}")),
        Buckets::By(column) => arguments.push(format!("by => {}", called(column)?)),
        Buckets::Classes(classes) => {
            arguments.push(format!("within => {}", classes.promise.k()));
            arguments.push(format!("quasi => {}", list(&classes.quasi, called)?));
        }
    }
    arguments.push(format!("minimum => {}", what.least_rows));
    if let Overlap::Allowed { least } = what.overlap {
        arguments.push(format!("overlap => {least}"));
    }
    let demands = &what.demands;
    let lenient = Limits { unique: Share::ALL, diversity: demands.limits.diversity, ..Limits::STANDARD };
    let strict = Limits { unique: Limits::STANDARD.unique, ..lenient };
    match demands.limits {
        limits if limits == strict => {}
        limits if limits == lenient => arguments.push("allow_identifying => true".to_owned()),
        _ => return Err(unwritable("a slicing is held to other limits than a statement can say")),
    }
    if demands.limits.diversity > 1 {
        arguments.push(format!("l => {}", demands.limits.diversity));
        let sensitive = demands.sensitive.iter().map(|name| called(&Column::new_unqualified(name)));
        arguments.push(format!("sensitive => ({})", sensitive.collect::<Result<Vec<_>>>()?.join(", ")));
    }
    if demands.merge == Merge::Neighbours {
        arguments.push("merge => true".to_owned());
    }
    Ok(arguments)
}

fn randomized(column: &Column, noise: &Noise, called: &Called<'_>) -> Result<String> {
    let pairs = |values: &[(String, crate::operator::Probability)]| -> Vec<String> {
        values.iter().map(|(value, p)| format!("({}, {p})", text(value))).collect()
    };
    let from = match &noise.distribution {
        Distribution::Uniform { domain: None } => "uniform".to_owned(),
        Distribution::Uniform { domain: Some(values) } => {
            let values: Vec<String> = values.iter().map(|value| text(value)).collect();
            format!("uniform({})", values.join(", "))
        }
        Distribution::Given(values) => format!("given({})", pairs(values).join(", ")),
        Distribution::GivenOrMissing { values, missing } => {
            let mut all = pairs(values);
            all.push(format!("(NULL, {missing})"));
            format!("given({})", all.join(", "))
        }
        Distribution::Learnt => "learnt".to_owned(),
        Distribution::Steps { domain, steps, tails } => {
            let mut parts: Vec<String> =
                steps.iter().map(|step| format!("({}, {})", step.by, step.probability)).collect();
            let tails = match tails {
                Tails::Cyclic => "cyclic",
                Tails::Clamped => "clamped",
            };
            let domain: Vec<String> = domain.iter().map(|value| text(value)).collect();
            parts.push(format!("tails => {tails}"));
            parts.push(format!("domain => ({})", domain.join(", ")));
            format!("steps({})", parts.join(", "))
        }
        _ => return Err(unwritable("the distribution of the noise is declared outside of the plan")),
    };
    Ok(format!("({}, {}, {from})", called(column)?, noise.probability))
}

fn private(what: &PrivateAggregation, called: &Called<'_>) -> Result<Vec<String>> {
    let mut arguments = Vec::new();
    if !what.by.is_empty() {
        arguments.push(format!("by => {}", list(&what.by, called)?));
    }
    if let Some(keys) = &what.keys {
        let key = |key: &Vec<String>| {
            let values: Vec<String> = key.iter().map(|value| text(value)).collect();
            if values.len() == 1 { values.concat() } else { format!("({})", values.join(", ")) }
        };
        arguments.push(format!("keys => ({})", keys.iter().map(key).collect::<Vec<_>>().join(", ")));
    }
    let (mut sums, mut means) = (Vec::new(), Vec::new());
    for measure in &what.measures {
        match measure {
            Measure::Count => arguments.push("count => true".to_owned()),
            Measure::Sum(of) => sums.push(bounded(of, called)?),
            Measure::Mean(of) => means.push(bounded(of, called)?),
            Measure::Parts(_) => {
                return Err(unwritable("the two figures behind a mean have no name in SQL"));
            }
        }
    }
    for (name, figures) in [("sum", sums), ("avg", means)] {
        match figures.as_slice() {
            [] => {}
            [one] => arguments.push(format!("{name} => {one}")),
            several => arguments.push(format!("{name} => ({})", several.join(", "))),
        }
    }
    arguments.push(format!("epsilon => {}", what.epsilon));
    arguments.extend(what.delta.iter().map(|delta| format!("delta => {delta}")));
    arguments.push(format!("contribution => {}", what.contribution));
    Ok(arguments)
}

fn bounded(of: &Bounded, called: &Called<'_>) -> Result<String> {
    let decimal = |units: i64| match of.decimals {
        0 => units.to_string(),
        decimals => {
            let digits = format!("{:0>1$}", units.unsigned_abs(), usize::from(decimals) + 1);
            let (whole, part) = digits.split_at(digits.len() - usize::from(decimals));
            format!("{}{whole}.{part}", if units < 0 { "-" } else { "" })
        }
    };
    Ok(format!("({}, {}, {})", called(&of.column)?, decimal(of.lower), decimal(of.upper)))
}
