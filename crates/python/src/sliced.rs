//! Slicing and noise.

use crate::failed::Failed;
use crate::frame::{Frame, stream};
use crate::job_text::job;
use crate::watched::{given_up_on, watched};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use paravent_job::Job;
use paravent_ledger::Book;
use paravent_pipeline::noise::{self as noises, NoisyTable, Prepared, column};
use paravent_pipeline::slice::{
    self as slices, Buckets, CodedTable, Destination, Request, SlicedTable, record_batches,
};
use paravent_slicing::{Limits, Share};
use paravent_tables::digest::sha256;
use paravent_tables::read::Input;
use paravent_tables::write::Replace;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A sliced table.
#[pyclass]
pub(crate) struct Sliced {
    table: CodedTable,
    sliced: SlicedTable,
    request: Request,
    job: Option<Job>,
    batches: (SchemaRef, Vec<RecordBatch>),
}

/// A noisy table.
#[pyclass]
pub(crate) struct Noisy {
    table: CodedTable,
    noisy: NoisyTable,
    job: Option<Job>,
    batches: (SchemaRef, Vec<RecordBatch>),
}

fn lists(value: &Value) -> Vec<Vec<String>> {
    let names = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    value.as_array().into_iter().flatten().map(names).collect()
}

fn share(value: &Value, usual: Share) -> Result<Share, Failed> {
    match value {
        Value::Null => Ok(usual),
        Value::String(text) => Share::parse(text).map_err(Failed::usage),
        other => Share::parse(&other.to_string()).map_err(Failed::usage),
    }
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn request(given: &Value) -> Result<Request, Failed> {
    let buckets = match (
        number(&given["bucket"]),
        number(&given["buckets"]),
        given["by"].as_str(),
        number(&given["within"]),
    ) {
        (Some(rows), ..) => Buckets::Size(rows),
        (_, Some(count), ..) => Buckets::Count(count),
        (_, _, Some(column), _) => Buckets::By(column.to_owned()),
        (.., Some(k)) => {
            let quasi = given["quasi_identifiers"].as_array();
            let quasi =
                quasi.map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
            Buckets::Within { k, quasi }
        }
        _ => {
            return Err(Failed::usage(
                "where are rows mixed? Give bucket=ROWS, buckets=N, by=COLUMN or within=K",
            ));
        }
    };
    let standard = Limits::STANDARD;
    Ok(Request {
        shuffle: given["shuffle"].as_bool().unwrap_or(false),
        minimum: number(&given["minimum"]).unwrap_or(2),
        merge: given["merge"].as_bool().unwrap_or(false),
        overlap: number(&given["overlap"]),
        sensitive: given["sensitive"]
            .as_array()
            .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        identifying: lists(&given["identifying"]),
        allow_identifying: given["allow_identifying"].as_bool().unwrap_or(false),
        limits: Limits {
            unique: share(&given["most_unique"], standard.unique)?,
            constant: share(&given["most_constant"], standard.constant)?,
            linked: share(&given["most_linked"], standard.linked)?,
            diversity: number(&given["diversity"]).unwrap_or(1).max(1),
        },
        seed: given["seed"].as_u64(),
        ..Request::new(lists(&given["groups"]), buckets)
    })
}

/// Permutes column groups inside hidden buckets of rows.
#[pyfunction]
#[pyo3(signature = (frame, options, job_text = None, file = "paravent.toml"))]
pub(crate) fn slice(
    py: Python<'_>,
    frame: &Frame,
    options: &str,
    job_text: Option<&str>,
    file: &str,
) -> PyResult<Sliced> {
    let given: Value = serde_json::from_str(options).map_err(Failed::usage)?;
    let job = job_text.map(|text| job(text, file)).transpose()?;
    let (request, came) = (request(&given)?, frame.table()?);
    given_up_on(py, move || {
        let table = CodedTable::read(&Input::from_table(came.clone()))?;
        let sliced = slices::slice(&table, job.as_ref(), &request)?;
        let batches = record_batches(&sliced.columns, Some(&came));
        Ok(Sliced { table, sliced, request, job, batches })
    })
}

/// Draws noise for cells, after it was paid for.
#[pyfunction]
#[pyo3(signature = (frame, options, job_text = None, file = "paravent.toml"))]
pub(crate) fn noise(
    py: Python<'_>,
    frame: &Frame,
    options: &str,
    job_text: Option<&str>,
    file: &str,
) -> PyResult<Noisy> {
    let given: Value = serde_json::from_str(options).map_err(Failed::usage)?;
    let job = job_text.map(|text| job(text, file)).transpose()?;
    let columns = given["columns"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let columns = columns.map(column).collect::<Result<Vec<_>, _>>().map_err(Failed::usage)?;
    let request = noises::Request { columns, seed: given["seed"].as_u64() };
    let Some(ledger) = given["ledger"].as_str().map(PathBuf::from) else {
        return Err(
            Failed::usage("noise is paid from a ledger: give ledger=\"paravent-ledger.jsonl\"").into()
        );
    };
    let came = frame.table()?;
    watched(py, None, move |watch| {
        let table = CodedTable::read_watched(&Input::from_table(came.clone()), watch)?;
        let prepared = Prepared::new(&table, job.as_ref(), &request)?;
        let mut book = Book::on_disk(Some(&ledger), job.as_ref());
        book = book.towards(given["recipient"].as_str().unwrap_or(Book::ANYONE));
        if given["allow_unbounded"].as_bool().unwrap_or(false) {
            book = book.allowing_unbounded();
        }
        if let Some(epsilon) = given["epsilon"].as_str() {
            book.lower(epsilon, given["delta"].as_str()).map_err(Failed::usage)?;
        }
        // What is paid is paid: whoever wants to stop is heard before.
        if watch.stop() {
            return Err(Failed::stopped());
        }
        let noisy = prepared.pay(&mut book)?.draw(&table)?;
        let batches = record_batches(&noisy.columns, Some(&came));
        Ok(Noisy { table, noisy, job, batches })
    })
}

/// Where a release goes; the register is the one beside the job.
fn destination(
    job: Option<&Job>,
    path: &str,
    force: bool,
    register: bool,
    sign: Option<&str>,
) -> Destination {
    let named = job.map(|job| {
        let name = job.source.file().file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, sha256(job.to_toml().as_bytes()))
    });
    Destination {
        target: PathBuf::from(path),
        replace: if force { Replace::Force } else { Replace::Refuse },
        register: job.and_then(Job::register).filter(|_| register),
        job: named,
        sign: sign.map(PathBuf::from),
    }
}

#[pymethods]
impl Sliced {
    /// What the report says.
    fn document(&self) -> String {
        slices::release_document(&self.sliced, &self.request).to_string()
    }

    fn __len__(&self) -> usize {
        self.sliced.rows()
    }

    /// Writes a release, verified and registered.
    #[pyo3(signature = (path, force, register, sign = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: &str,
        force: bool,
        register: bool,
        sign: Option<&str>,
    ) -> PyResult<String> {
        let to = destination(self.job.as_ref(), path, force, register, sign);
        let write =
            || slices::write_release(&self.table, &self.sliced, &self.request, self.job.as_ref(), &to);
        Ok(py.detach(write).map_err(Failed::from)?.to_string())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stream(py, self.batches.0.clone(), self.batches.1.clone(), requested_schema)
    }
}

#[pymethods]
impl Noisy {
    /// What was drawn and what it cost.
    fn document(&self) -> String {
        json!({ "rows": self.noisy.rows(), "operators": [self.noisy.account()] }).to_string()
    }

    fn __len__(&self) -> usize {
        self.noisy.rows()
    }

    /// Writes a release, verified and registered.
    #[pyo3(signature = (path, force, register, sign = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: &str,
        force: bool,
        register: bool,
        sign: Option<&str>,
    ) -> PyResult<String> {
        if self.job.is_none() {
            return Err(Failed::usage("a release needs a job that says which columns identify people").into());
        }
        let to = destination(self.job.as_ref(), path, force, register, sign);
        let write = || noises::write_release(&self.table, &self.noisy, self.job.as_ref(), &to);
        Ok(py.detach(write).map_err(Failed::from)?.to_string())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stream(py, self.batches.0.clone(), self.batches.1.clone(), requested_schema)
    }
}
