//! Jobs as text: what is read, and what is written.

use crate::failed::Failed;
use paravent_job::Job;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

/// The job of a text.
pub(crate) fn job(text: &str, file: &str) -> Result<Job, Failed> {
    Ok(Job::parse(text, Path::new(file))?)
}

/// A TOML document as JSON.
#[pyfunction]
pub(crate) fn parse_toml(text: &str) -> PyResult<String> {
    let document: toml::Table =
        text.parse().map_err(|error: toml::de::Error| Failed::usage(error.message().to_owned()))?;
    Ok(plain(toml::Value::Table(document)).to_string())
}

/// TOML as JSON; a day is its text, quoted or not.
fn plain(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(day) => json!(day.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        toml::Value::Table(keys) => {
            Value::Object(keys.into_iter().map(|(key, value)| (key, plain(value))).collect())
        }
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(truth) => json!(truth),
    }
}

/// A JSON document as TOML.
#[pyfunction]
pub(crate) fn to_toml(document: &str) -> PyResult<String> {
    let value: Value = serde_json::from_str(document).map_err(Failed::usage)?;
    Ok(toml::to_string(&value).map_err(Failed::usage)?)
}

/// The job as it is written down, after all its keys were checked.
#[pyfunction]
pub(crate) fn checked_job(text: &str, file: &str) -> PyResult<String> {
    Ok(job(text, file)?.to_toml())
}
