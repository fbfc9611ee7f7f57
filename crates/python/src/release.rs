//! Releases in memory.

use crate::failed::Failed;
use crate::frame::{Frame, stream};
use crate::job_text::job;
use crate::watched::watched;
use paravent_pipeline::choose::Levels;
use paravent_pipeline::run::{self, Held, Registering, SaveOptions};
use paravent_prepare::transform::Transform;
use paravent_tables::write::Replace;
use paravent_verify::PublicKey;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A verified release.
#[pyclass]
pub(crate) struct Release(pub(crate) run::Release);

/// Options from a JSON document.
fn held(options: &str) -> Result<Held, Failed> {
    let given: Value = serde_json::from_str(options).map_err(Failed::usage)?;
    let apply = match (&given["apply"], given["apply_path"].as_str()) {
        (Value::String(text), _) => {
            Some(Transform::parse(text.as_bytes(), Path::new("transform.json")).map_err(Failed::usage)?)
        }
        (_, Some(path)) => Some(Transform::load(Path::new(path)).map_err(Failed::input_output)?),
        _ => None,
    };
    let level = |pair: &Value| {
        let level = pair[1].as_u64().and_then(|level| u8::try_from(level).ok());
        level.zip(pair[0].as_str()).map(|(level, name)| (name.to_owned(), level))
    };
    let levels = given["node"].as_array().into_iter().flatten().map(level);
    let levels = levels.collect::<Option<_>>().ok_or_else(|| Failed::usage("node: levels by column"))?;
    Ok(Held {
        show_values: given["show_values"].as_bool().unwrap_or(false),
        apply,
        levels: Levels(levels),
        explore: given["lattice"].as_bool().unwrap_or(false),
        sign: given["sign"].as_str().map(PathBuf::from),
        job_sha256: given["job_sha256"].as_str().map(str::to_owned),
    })
}

/// Anonymizes a table.
#[pyfunction]
#[pyo3(signature = (frame, text, file, options, progress = None))]
pub(crate) fn anonymize(
    py: Python<'_>,
    frame: &Frame,
    text: &str,
    file: &str,
    options: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let (job, held) = (job(text, file)?, held(options)?);
    let table = frame.for_job(&job)?;
    let run =
        move |watch: &dyn paravent_tables::watch::Watch| Ok(run::anonymize_table(&job, table, &held, watch)?);
    watched(py, progress.as_ref(), run).map(Release)
}

/// Searches and reports; nothing is released.
#[pyfunction]
#[pyo3(signature = (frame, text, file, options, progress = None))]
pub(crate) fn dry_run(
    py: Python<'_>,
    frame: &Frame,
    text: &str,
    file: &str,
    options: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (job, held) = (job(text, file)?, held(options)?);
    let table = frame.for_job(&job)?;
    let run = move |watch: &dyn paravent_tables::watch::Watch| {
        let found = run::dry_run_table(&job, table, &held, watch)?;
        Ok(json!({
            "document": found.document,
            "alternatives": found.alternatives,
            "max_levels": found.max_levels,
            "suppression_limit": found.suppression_limit,
            "lattice": found.lattice,
        })
        .to_string())
    };
    watched(py, progress.as_ref(), run)
}

#[pymethods]
impl Release {
    /// What `anonymize --json` prints.
    fn document(&self) -> String {
        json!(self.0.document()).to_string()
    }

    /// What `manifest.json` says.
    fn manifest(&self) -> String {
        self.0.manifest().to_string()
    }

    /// What `transform.json` says.
    fn transformation(&self) -> String {
        self.0.transformation_json().to_string()
    }

    /// The verifier's verdict.
    fn verification(&self) -> String {
        json!(self.0.verification()).to_string()
    }

    /// Asks the verifier again.
    #[pyo3(signature = (key = None))]
    fn verify(&self, py: Python<'_>, key: Option<&str>) -> PyResult<String> {
        let key = key
            .map(|key| PublicKey::parse(key).ok_or_else(|| Failed::usage("not a public key")))
            .transpose()?;
        let found = py.detach(|| self.0.verify(key.as_ref())).map_err(Failed::from)?;
        Ok(json!(found).to_string())
    }

    /// Neighbours that keep the promises.
    fn alternatives(&self, py: Python<'_>) -> String {
        py.detach(|| json!(self.0.alternatives())).to_string()
    }

    /// The report, self-contained.
    fn report_html(&self) -> String {
        self.0.report_html()
    }

    /// Text of a handed-out file other than the data.
    fn file(&self, name: &str) -> Option<Vec<u8>> {
        self.0.files().documents.get(name).cloned()
    }

    /// The data file.
    fn data(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let read = || {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut self.0.files().open_data()?, &mut bytes)?;
            Ok(bytes)
        };
        Ok(py.detach(read).map_err(|error: std::io::Error| Failed::input_output(error))?)
    }

    /// Released rows.
    fn __len__(&self) -> usize {
        usize::try_from(self.0.rows()).unwrap_or(usize::MAX)
    }

    /// Writes the two folders and the register line; gives the full document.
    fn save(&mut self, py: Python<'_>, path: &str, force: bool, register: bool) -> PyResult<String> {
        let options = SaveOptions {
            replace: if force { Replace::Force } else { Replace::Refuse },
            register: if register { Registering::AsTheJobSays } else { Registering::Never },
        };
        let release = &mut self.0;
        let saved =
            watched(py, None, move |watch| Ok(release.save_watched(Path::new(path), &options, watch)?))?;
        Ok(json!(saved).to_string())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = py.detach(|| self.0.batches()).map_err(Failed::from)?;
        stream(py, self.0.schema(), batches, requested_schema)
    }
}
