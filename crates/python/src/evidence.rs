//! What a table or a release tells: check, risk, attacks, verification.

use crate::failed::Failed;
use crate::frame::Frame;
use crate::job_text::job;
use crate::release::Release;
use crate::watched::{given_up_on, watched};
use paravent_assess::attack::{AttackOptions, Noise, Similar, Sliced, attack as attacked, document, trials};
use paravent_assess::check::check_table;
use paravent_assess::risk::{RiskRequest, SamplingSpec, assess_risk};
use paravent_assess::utility::utility as compared;
use paravent_assess::{InMemory, TableSource, load_held_release, load_release};
use paravent_evidence::attack::Attack;
use paravent_pipeline::choose::compare_documents;
use paravent_tables::read::Input;
use paravent_verify::{PublicKey, verify_signed};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Which promises does a table keep as it is?
#[pyfunction]
#[pyo3(signature = (frame, text, file, show_values, progress = None))]
pub(crate) fn check(
    py: Python<'_>,
    frame: &Frame,
    text: &str,
    file: &str,
    show_values: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let job = job(text, file)?;
    let table = frame.for_job(&job)?;
    watched(py, progress.as_ref(), move |watch| {
        Ok(json!(check_table(&job, table, show_values, watch)?).to_string())
    })
}

/// A table, a release, or the path of one.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    /// In memory.
    Table(PyRef<'py, Frame>),
    /// In memory.
    Release(PyRef<'py, Release>),
    /// On disk.
    Path(String),
}

impl Given<'_> {
    /// The path under which it is asked for.
    fn put(&self, name: &str, held: &mut InMemory) -> Result<PathBuf, Failed> {
        Ok(match self {
            Given::Table(frame) if name == "original" => held.table(name, frame.original()),
            Given::Table(frame) => held.table(name, frame.table()?),
            Given::Release(release) => held.release(name, release.0.files().clone()),
            Given::Path(path) => PathBuf::from(path),
        })
    }
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn pairs(value: &Value) -> Vec<(String, String)> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()))).collect()
}

/// How easily are people found in it?
#[pyfunction]
#[pyo3(signature = (subject, options, job_text = None, file = "paravent.toml", population = None, progress = None))]
pub(crate) fn risk(
    py: Python<'_>,
    subject: Given<'_>,
    options: &str,
    job_text: Option<&str>,
    file: &str,
    population: Option<Given<'_>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let given: Value = serde_json::from_str(options).map_err(Failed::usage)?;
    let mut in_memory =
        InMemory { job: job_text.map(|text| job(text, file)).transpose()?, ..InMemory::default() };
    let path = subject.put("table", &mut in_memory)?;
    let population_table = population.map(|table| table.put("population", &mut in_memory)).transpose()?;
    let fraction = given["sampling_fraction"].as_f64().map(SamplingSpec::Fraction);
    let usual = RiskRequest::default();
    let request = RiskRequest {
        quasi_identifiers: texts(&given["quasi_identifiers"]),
        sensitive: texts(&given["sensitive"]),
        person: texts(&given["person"]),
        threshold: given["threshold"].as_f64().unwrap_or(usual.threshold),
        sampling: fraction.or(given["population_size"].as_u64().map(SamplingSpec::Population)),
        population_table,
        largest_combination: given["max_columns"]
            .as_u64()
            .map_or(usual.largest_combination, |most| most as usize),
        in_memory,
        ..usual
    };
    watched(py, progress.as_ref(), move |watch| Ok(json!(assess_risk(&path, &request, watch)?).to_string()))
}

/// How far do the known attacks get?
#[pyfunction]
#[pyo3(signature = (release, options, job_text = None, file = "paravent.toml", original = None, external = None, holdout = None, population = None, sliced = None, previous = Vec::new(), progress = None))]
#[allow(
    clippy::too_many_arguments,
    reason = "one for each thing that an attacker may have; Python names them"
)]
pub(crate) fn attack(
    py: Python<'_>,
    release: Option<Given<'_>>,
    options: &str,
    job_text: Option<&str>,
    file: &str,
    original: Option<Given<'_>>,
    external: Option<Given<'_>>,
    holdout: Option<Given<'_>>,
    population: Option<Given<'_>>,
    sliced: Option<Given<'_>>,
    previous: Vec<Given<'_>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let given: Value = serde_json::from_str(options).map_err(Failed::usage)?;
    let mut in_memory =
        InMemory { job: job_text.map(|text| job(text, file)).transpose()?, ..InMemory::default() };
    let only = texts(&given["only"]).into_iter().map(|name| {
        let known = Attack::ALL.into_iter().find(|attack| attack.name() == name.as_str());
        known.ok_or_else(|| {
            Failed::usage(format!("there is no attack {name:?}; catalogue()[\"attacks\"] lists them"))
        })
    });
    let only = only.collect::<Result<Vec<_>, _>>()?;
    let noise = given["noise"].as_array().into_iter().flatten();
    let noise = noise
        .filter_map(|pair| Some(Noise { column: pair[0].as_str()?.to_owned(), keep: pair[1].as_f64()? }));
    let similar =
        pairs(&given["similar"]).into_iter().map(|(column, path)| Similar { column, path: path.into() });
    let mut put =
        |name: &str, table: Option<Given<'_>>| table.map(|table| table.put(name, &mut in_memory)).transpose();
    let release = put("release", release)?;
    let (original, external) = (put("original", original)?, put("external", external)?);
    let (holdout, population) = (put("holdout", holdout)?, put("population", population)?);
    let sliced = put("sliced", sliced)?.map(|table| Sliced {
        table,
        bucket: given["bucket"].as_str().unwrap_or_default().to_owned(),
        groups: given["group"].as_array().into_iter().flatten().map(texts).collect(),
    });
    let previous = previous.into_iter().enumerate();
    let previous = previous
        .filter_map(|(number, table)| put(&format!("previous {}", number + 1), Some(table)).transpose());
    let previous = previous.collect::<Result<Vec<_>, _>>()?;
    let options = AttackOptions {
        release,
        original,
        external,
        holdout,
        population,
        previous,
        quasi_identifiers: texts(&given["quasi_identifiers"]),
        sensitive: texts(&given["sensitive"]),
        person: texts(&given["person"]),
        key: given["key"].as_str().map(str::to_owned),
        only,
        noise: noise.collect(),
        sliced,
        queries: given["queries"].as_str().map(PathBuf::from),
        rows: given["rows"].as_u64(),
        similar: similar.collect(),
        protected: pairs(&given["protect"]),
        threshold: given["threshold"].as_f64().unwrap_or(0.8),
        k: given["k"].as_u64(),
        attempts: given["attempts"].as_u64().unwrap_or(2000) as usize,
        seed: given["seed"].as_u64().unwrap_or(0),
        in_memory,
        ..AttackOptions::default()
    };
    watched(py, progress.as_ref(), move |watch| Ok(document(&attacked(&options, watch)?).to_string()))
}

/// What is a release still good for, beside the table that it was made from?
#[pyfunction]
#[pyo3(signature = (release, original, targets = None, job_text = None, file = "paravent.toml", progress = None))]
pub(crate) fn utility(
    py: Python<'_>,
    release: Given<'_>,
    original: Given<'_>,
    targets: Option<Vec<String>>,
    job_text: Option<&str>,
    file: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let job = job_text.map(|text| job(text, file)).transpose()?;
    let (held, folder) = match release {
        Given::Release(release) => (Some(release.0.files().clone()), PathBuf::from("release")),
        Given::Path(path) => (None, PathBuf::from(path)),
        Given::Table(_) => {
            return Err(Failed::usage("a table tells no levels: give a release, or its folder").into());
        }
    };
    let (table, path) = match original {
        Given::Table(frame) => (Some(frame.original()), PathBuf::new()),
        Given::Path(path) => (None, PathBuf::from(path)),
        Given::Release(_) => {
            return Err(Failed::usage("a release is compared with the table that it was made from").into());
        }
    };
    watched(py, progress.as_ref(), move |watch| {
        let release = match &held {
            Some(files) => load_held_release(&folder, files, watch)?,
            None => load_release(&folder, watch)?,
        };
        let source = match (table, &job) {
            (Some(table), _) => TableSource::Held(Box::new(Input::from_table(table))),
            (None, job) => release.original(&path, job.as_ref()),
        };
        Ok(json!(compared(&release, &source, targets.as_deref(), usize::MAX, watch)?).to_string())
    })
}

/// Two results side by side: documents of runs, each with its name.
#[pyfunction]
pub(crate) fn compare(a: (String, String), b: (String, String)) -> PyResult<String> {
    let read = |text: &str| serde_json::from_str::<Value>(text).map_err(Failed::usage);
    let found = compare_documents((&a.0, read(&a.1)?), (&b.0, read(&b.1)?)).map_err(Failed::usage)?;
    Ok(json!(found).to_string())
}

/// Does every attack succeed on a planted weak release, and fail on a strong one?
#[pyfunction]
pub(crate) fn self_test(py: Python<'_>, seed: u64) -> PyResult<String> {
    given_up_on(py, move || {
        Ok(trials(&paravent_evidence::attack::self_test::self_test(seed), seed).to_string())
    })
}

/// Re-checks a release from its files alone.
#[pyfunction]
#[pyo3(signature = (path, key = None))]
pub(crate) fn verify(py: Python<'_>, path: &str, key: Option<&str>) -> PyResult<String> {
    let key =
        key.map(|key| PublicKey::parse(key).ok_or_else(|| Failed::usage("not a public key"))).transpose()?;
    let path = PathBuf::from(path);
    given_up_on(py, move || Ok(json!(verify_signed(&path, key.as_ref())?).to_string()))
}
