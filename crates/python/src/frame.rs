//! Tables from Python and back.

use crate::failed::Failed;
use crate::jobs::job;
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use paravent_job::InputSource;
use paravent_prepare::study::read_options;
use paravent_tables::read::{Batch, Input, ReadOptions, Table};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use std::path::Path;
use std::sync::Arc;

/// A table that the engine reads: shared with whoever made it, not copied.
#[pyclass(frozen)]
pub(crate) struct Frame(pub(crate) Table);

#[pymethods]
impl Frame {
    /// From anything with `__arrow_c_stream__`.
    #[new]
    fn new(py: Python<'_>, table: PyTable) -> PyResult<Frame> {
        let (batches, schema) = table.into_inner();
        Ok(Frame(py.detach(|| Table::new(schema, batches)).map_err(Failed::from)?))
    }

    /// From a file; all cells as text. With a job, stored as it says.
    #[staticmethod]
    #[pyo3(signature = (path, job_text = None, file = "paravent.toml"))]
    fn read(py: Python<'_>, path: &str, job_text: Option<&str>, file: &str) -> PyResult<Frame> {
        let options = match job_text {
            Some(text) => {
                let mut job = job(text, file)?;
                job.input.source = InputSource::given(Path::new(path));
                read_options(&job).map_err(Failed::from)?
            }
            None => ReadOptions::new(path),
        };
        let table = py.detach(|| -> Result<Table, Failed> {
            let mut source = Input::new(options)?.open()?;
            let fields = source.columns().iter().map(|name| Field::new(name, DataType::Utf8, true));
            let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
            let (mut batches, mut batch) = (Vec::new(), Batch::default());
            while source.next_batch(&mut batch)? {
                let cells = batch
                    .columns
                    .iter()
                    .map(|cells| Arc::new(StringArray::from_iter(cells.iter())) as ArrayRef);
                batches.push(
                    RecordBatch::try_new(schema.clone(), cells.collect()).map_err(Failed::input_output)?,
                );
            }
            Ok(Table::new(schema, batches)?.named(path))
        });
        Ok(Frame(table?))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.columns().map(str::to_owned).collect()
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.0.rows()).unwrap_or(usize::MAX)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stream(py, self.0.schema().clone(), self.0.batches().to_vec(), requested_schema)
    }
}

/// Record batches as an Arrow stream for Python.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    requested_schema: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let table = Py::new(py, PyTable::try_new(batches, schema)?)?;
    table.bind(py).call_method1("__arrow_c_stream__", (requested_schema,))
}
