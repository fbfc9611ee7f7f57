//! Noise as SQL: for a database, and as a statement of `paravent sql`.

use super::Args;
use super::failed::failure;
use crate::answer::Answer;
use crate::failure::Failure;
use paravent_pipeline::job::{Job, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails, Strength};
use paravent_pipeline::noise::{NamedNoise, Prepared, Unknown, statement};
use serde_json::json;
use std::path::Path;

/// Which database the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Database {
    /// PostgreSQL 13 or later
    Postgres,
}

pub(super) fn names(text: Option<&str>) -> Vec<String> {
    let names = text.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Prints the statement. Nothing is read and nothing is charged: the database draws, and whoever runs it there keeps the account.
pub(super) fn run(args: &Args, job: Option<&Job>) -> Result<Answer, Failure> {
    let table = args.table.to_string_lossy();
    let row_key = names(args.row_key.as_deref());
    if row_key.is_empty() {
        let message = "by which columns are the rows numbered? --row-key id: an order of the database's own is not the same twice";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let mut noisy = args.named();
    let of_job = job.iter().flat_map(|job| &job.attributes).filter(|attribute| attribute.noise.is_some());
    noisy.extend(of_job.map(|attribute| attribute.name.clone()).filter(|name| !args.named().contains(name)));
    let unknown = Unknown { columns: names(args.keep.as_deref()) };
    let prepared = Prepared::new(&unknown.table(&noisy), job, &args.request()).map_err(failure)?;
    let mut columns: Vec<String> =
        prepared.mechanisms.iter().map(|mechanism| mechanism.column.clone()).collect();
    columns.extend(unknown.columns.iter().filter(|name| !noisy.contains(name)).cloned());
    if let Some(name) = prepared.dropped.iter().find(|name| columns.contains(name)) {
        let message = format!("column {name:?} is identifying by the job, which never leaves");
        return Err(Failure::Usage { message });
    }
    let text = statement(&table, &row_key, &prepared, &columns).map_err(failure)?;
    let cost = prepared.cost();
    let document = json!({
        "statement": text,
        "epsilon": cost.epsilon().to_string(),
        "delta": cost.delta().to_string(),
        "columns": columns,
    });
    Ok(Answer::of_text(text, document))
}

/// The statement of `paravent sql` that draws the same cells; none for noise that it does not know.
pub(super) fn of_sql(table: &Path, columns: &[NamedNoise]) -> Option<String> {
    if columns.is_empty() {
        return None;
    }
    let quoted = |name: &str| format!("\"{}\"", name.trim().replace('"', "\"\""));
    let columns = columns
        .iter()
        .map(|(name, spec)| {
            let Strength::Probability(p) = &spec.strength else { return None };
            Some(format!("({}, {p}{})", quoted(name), law(spec)?))
        })
        .collect::<Option<Vec<String>>>()?;
    let stem = table.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    Some(format!("SELECT * FROM randomize({}, columns => ({}))", quoted(&stem), columns.join(", ")))
}

fn law(spec: &NoiseSpec) -> Option<String> {
    use paravent_pipeline::job::{MissingNoise, OutsideCells};
    if spec.by.is_some() || spec.outside != OutsideCells::Refuse || spec.missing == MissingNoise::Draw {
        return None;
    }
    let text = |value: &String| format!("'{}'", value.replace('\'', "''"));
    let missing = spec.missing == MissingNoise::Value;
    let values = spec.values.as_ref();
    Some(match (&spec.law, values) {
        (NoiseLaw::Uniform, None) => String::new(),
        (NoiseLaw::Uniform, Some(values)) => {
            let null = missing.then(|| "NULL".to_owned());
            let values: Vec<String> = values.iter().map(text).chain(null).collect();
            format!(", uniform({})", values.join(", "))
        }
        (NoiseLaw::Learnt, _) => ", learnt".to_owned(),
        (NoiseLaw::Weights(weights), Some(values)) => {
            let null = missing.then(|| "NULL".to_owned());
            let pairs = values.iter().map(text).chain(null).zip(weights);
            let pairs: Vec<String> = pairs.map(|(value, weight)| format!("({value}, {weight})")).collect();
            format!(", given({})", pairs.join(", "))
        }
        (NoiseLaw::Steps { steps, tails, rest: NoiseRest::Refused }, Some(values)) => {
            let steps: Vec<String> = steps.iter().map(|(by, weight)| format!("({by}, {weight})")).collect();
            let tails = if *tails == NoiseTails::Cyclic { ", tails => cyclic" } else { "" };
            let domain: Vec<String> = values.iter().map(text).collect();
            format!(", steps({}{tails}, domain => ({}))", steps.join(", "), domain.join(", "))
        }
        _ => return None,
    })
}
