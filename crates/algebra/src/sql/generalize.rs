//! `generalize(relation, quasi => (…), k => 5, …)`

use super::call::{Argument, Call};
use super::columns::choice;
use super::function::{Known, RelationFunction};
use super::models;
use super::value::Value;
use super::wording::problem;
use crate::operator::{Generalize, Promise};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;
use paravent_job::{Algorithm, DecimalText, Distance, Diversity, Metric, Model, Recoding, Role, Search};

const fn argument(name: &'static str, example: &'static str, about: &'static str) -> Argument {
    Argument { name, example, about }
}

/// α^G in FROM.
pub(super) const FUNCTION: RelationFunction = RelationFunction {
    name: "generalize",
    about: "the best generalization that keeps a promise",
    arguments: &[
        argument(
            "quasi",
            "quasi => (age, sex)",
            "the quasi-identifiers; else those of the job that the relation has",
        ),
        argument("k", "k => 5", "k-anonymity: rows of the smallest class"),
        argument("l", "l => 3", "l-diversity: different sensitive values in every class"),
        argument("t", "t => 0.2", "t-closeness: how far a class may be from the table"),
        argument("sensitive", "sensitive => diagnosis", "the column that l and t protect"),
        argument("distance", "distance => 'equal'", "how t-closeness measures"),
        argument(
            "models",
            "models => '[{ model = \"k-anonymity\", k = 5 }]'",
            "any models, as in a job file",
        ),
        argument("suppression", "suppression => 0.05", "share of rows that may be left out"),
        argument("metric", "metric => 'nuem'", "what is called best"),
        argument("algorithm", "algorithm => 'auto'", "how it is looked for"),
        argument(
            "recoding",
            "recoding => 'local'",
            "global: one level per column for all rows; local: labels of its own for every class; cells: a cell stays or tells nothing",
        ),
        argument("moves", "moves => 100000", "with recoding => 'local' or 'cells': how hard to look"),
        argument("seconds", "seconds => 5", "how long to look; 0 is until it is found"),
    ],
    plan,
};

fn plan(call: &Call, input: LogicalPlan, known: &Known<'_>) -> Result<LogicalPlan> {
    let quasi = match call.columns("quasi", input.schema())? {
        Some(columns) => columns,
        None => quasi_of_job(call, input.schema(), known)?,
    };
    let promise = promise(call, input.schema(), &quasi, known)?;
    Generalize::plan(input, quasi, promise)
}

/// The job's quasi-identifiers that the relation has.
pub(super) fn quasi_of_job(call: &Call, schema: &DFSchema, known: &Known<'_>) -> Result<Vec<Column>> {
    let names = known.catalog.with_role(Role::QuasiIdentifier);
    let columns: Vec<Column> =
        schema.columns().into_iter().filter(|column| names.contains(&column.name.as_str())).collect();
    match columns.is_empty() {
        true => {
            Err(call.wrong("no quasi-identifier is known for this relation; write e.g. quasi => (age, sex)"))
        }
        false => Ok(columns),
    }
}

fn promise(call: &Call, schema: &DFSchema, quasi: &[Column], known: &Known<'_>) -> Result<Promise> {
    let job = known.catalog.job();
    let parts = ["k", "l", "t"];
    let given = parts.iter().any(|part| call.has(part));
    call.only_with(&["sensitive"], "l or t", call.has("l") || call.has("t"))?;
    call.only_with(&["distance"], "t", call.has("t"))?;
    let (models, from_job) = match (call.get("models"), given, job) {
        (Some(_), true, _) => return Err(call.wrong("models says it all; leave out k, l and t")),
        (Some(Value::Text(text)), false, _) => {
            (models::read(&call.place("models"), text, schema, quasi, known)?, false)
        }
        (Some(other), false, _) => {
            let kind = other.kind();
            return Err(problem(format!("{}: {kind} where a text is expected", call.place("models"))));
        }
        (None, true, _) => (said(call, schema, quasi, known)?, false),
        (None, false, Some(job)) => (models::of_job(call, &job.privacy.models, schema)?, true),
        (None, false, None) => {
            return Err(call.wrong("what is promised? Write e.g. k => 5, or use a job file with models"));
        }
    };
    let suppression = match (call.number("suppression")?, job) {
        (Some(text), _) => decimal(call, "suppression", text, "at least 0 and below 1", |share| {
            DecimalText::from(0) <= *share && *share < DecimalText::from(1)
        })?,
        (None, Some(job)) if from_job => job.privacy.suppression_limit.clone(),
        (None, _) => DecimalText::from(0),
    };
    let search = job.map_or_else(Search::default, |job| job.search.clone());
    Ok(Promise::new(models, suppression, self::search(call, search)?))
}

/// What k, l and t say.
fn said(call: &Call, schema: &DFSchema, quasi: &[Column], known: &Known<'_>) -> Result<Vec<Model>> {
    let mut models = Vec::new();
    if let Some(k) = call.count("k", 1)? {
        models.push(Model::KAnonymity(paravent_job::models::KAnonymity { k }));
    }
    if !call.has("l") && !call.has("t") {
        return Ok(models);
    }
    let sensitive = sensitive(call, schema, quasi, known)?;
    if let Some(l) = call.count("l", 1)? {
        models.push(match sensitive.as_slice() {
            [one] => Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity {
                attribute: one.clone(),
                l,
            }),
            _ => Model::MultiAttributeLDiversity(paravent_job::models::MultiAttributeLDiversity {
                attributes: sensitive.clone(),
                base: Diversity::Distinct { l },
            }),
        });
    }
    if let Some(text) = call.number("t")? {
        let distances: Vec<(&'static str, Distance)> =
            Distance::ALL.iter().map(|distance| (distance.name(), *distance)).collect();
        let distance = call.get("distance").map(|value| choice(&call.place("distance"), value, &distances));
        let distance = distance.transpose()?.unwrap_or_default();
        let unlimited = distance == Distance::KullbackLeibler;
        let range = if unlimited { "at least 0" } else { "between 0 and 1" };
        let t = decimal(call, "t", text, range, |t| {
            DecimalText::from(0) <= *t && (unlimited || *t <= DecimalText::from(1))
        })?;
        for attribute in sensitive {
            let placed = known.catalog.attribute(&attribute).is_some_and(|known| known.hierarchy.is_some());
            if distance == Distance::Hierarchical && !placed {
                return Err(call.wrong(format!(
                    "the hierarchical distance needs a hierarchy of {attribute} in the job file"
                )));
            }
            models.push(Model::TCloseness(paravent_job::models::TCloseness {
                attribute,
                t: t.clone(),
                distance,
            }));
        }
    }
    Ok(models)
}

fn sensitive(call: &Call, schema: &DFSchema, quasi: &[Column], known: &Known<'_>) -> Result<Vec<String>> {
    let columns = match call.columns("sensitive", schema)? {
        Some(columns) => columns.into_iter().map(|column| column.name).collect(),
        None => {
            let names = known.catalog.with_role(Role::Sensitive);
            let present =
                names.into_iter().filter(|name| schema.fields().iter().any(|field| field.name() == name));
            present.map(str::to_owned).collect::<Vec<String>>()
        }
    };
    match columns.is_empty() {
        true => Err(call.wrong("l and t need a column to protect; write e.g. sensitive => diagnosis")),
        false => match columns.iter().find(|name| quasi.iter().any(|column| column.name == **name)) {
            Some(both) => {
                Err(call.wrong(format!("column {both:?} cannot be protected and be a quasi-identifier")))
            }
            None => Ok(columns),
        },
    }
}

fn search(call: &Call, mut search: Search) -> Result<Search> {
    if let Some(value) = call.get("metric") {
        let metrics: Vec<(&'static str, Metric)> =
            Metric::ALL.iter().map(|metric| (metric.name(), *metric)).collect();
        search.metric = choice(&call.place("metric"), value, &metrics)?;
    }
    if let Some(value) = call.get("algorithm") {
        let algorithms: Vec<(&'static str, Algorithm)> =
            Algorithm::ALL.iter().map(|algorithm| (algorithm.name(), *algorithm)).collect();
        search.algorithm = choice(&call.place("algorithm"), value, &algorithms)?;
    }
    if let Some(value) = call.get("recoding") {
        let recodings: Vec<(&'static str, Recoding)> =
            Recoding::ALL.iter().map(|recoding| (recoding.name(), *recoding)).collect();
        search.recoding = choice(&call.place("recoding"), value, &recodings)?;
    }
    call.only_with(&["moves"], "recoding => 'local' or 'cells'", search.recoding != Recoding::Global)?;
    if let Some(moves) = call.whole("moves", 0)? {
        search.moves = Some(moves);
    }
    if search.recoding == Recoding::Global {
        search.moves = None;
    }
    if let Some(text) = call.number("seconds")? {
        search.seconds = match text.parse::<f64>() {
            Ok(seconds) if (0.0..=1e9).contains(&seconds) => seconds,
            _ => return Err(call.wrong(format!("seconds: {text} is not possible; write 0 or more"))),
        };
    }
    Ok(search)
}

fn decimal(
    call: &Call,
    argument: &str,
    text: &str,
    range: &str,
    within: impl Fn(&DecimalText) -> bool,
) -> Result<DecimalText> {
    match DecimalText::new(text) {
        Ok(number) if within(&number) => Ok(number),
        Ok(_) => Err(call.wrong(format!("{argument}: {text} is not possible; write a number {range}"))),
        Err(error) => Err(call.wrong(format!("{argument}: {text} {error}"))),
    }
}
