//! Tables from Python and back.

use crate::failed::Failed;
use crate::job_text::job;
use crate::watched::watched;
use arrow::array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    new_null_array,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use paravent_job::{InputSource, Job, Role};
use paravent_prepare::study::read_options;
use paravent_tables::read::{Batch, Input, ReadError, ReadOptions, Table};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use std::path::Path;
use std::sync::Arc;

/// A table that the engine reads: shared with whoever made it, not copied.
#[pyclass(frozen)]
pub(crate) struct Frame {
    table: Table,
    /// Columns that have no text, such as lists; they are blank in `table`.
    unread: Vec<(String, String)>,
    /// What came, where something of it is unread.
    came: Option<(SchemaRef, Vec<RecordBatch>)>,
}

impl Frame {
    /// The table, if all of it can be read.
    pub(crate) fn table(&self) -> Result<Table, Failed> {
        self.without(|_| false)
    }

    /// The table for a job. Columns that it does not name, or that are identifying, never leave, so that they need not be read.
    pub(crate) fn for_job(&self, job: &Job) -> Result<Table, Failed> {
        self.without(|name| job.attribute(name).is_none_or(|(_, one)| one.role == Role::Identifying))
    }

    /// The table that a release was made from: what cannot be read was not released.
    pub(crate) fn original(&self) -> Table {
        self.table.clone()
    }

    fn without(&self, stays: impl Fn(&str) -> bool) -> Result<Table, Failed> {
        match self.unread.iter().find(|(name, _)| !stays(name)) {
            Some((_, why)) => Err(Failed::input_output(why)),
            None => Ok(self.table.clone()),
        }
    }

    fn whole(table: Table) -> Frame {
        Frame { table, unread: Vec::new(), came: None }
    }

    fn of(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Frame, Failed> {
        let mut unread = Vec::new();
        for field in schema.fields() {
            let alone = Arc::new(Schema::new(vec![field.clone()]));
            match Table::new(alone, Vec::new()) {
                Err(why @ (ReadError::Nested { .. } | ReadError::UnsupportedType { .. })) => {
                    unread.push((field.name().clone(), why.to_string()));
                }
                _ => {}
            }
        }
        if unread.is_empty() {
            return Ok(Frame::whole(Table::new(schema, batches)?));
        }
        let is_unread = |field: &Field| unread.iter().any(|(name, _)| name == field.name());
        let fields = schema.fields().iter().map(|field| match is_unread(field) {
            true => Arc::new(Field::new(field.name(), DataType::Null, true)),
            false => field.clone(),
        });
        let blanked = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let blank = |batch: &RecordBatch| {
            let cells = batch.columns().iter().zip(blanked.fields()).map(|(cells, field)| {
                match field.data_type() == cells.data_type() {
                    true => cells.clone(),
                    false => new_null_array(&DataType::Null, batch.num_rows()),
                }
            });
            let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            RecordBatch::try_new_with_options(blanked.clone(), cells.collect(), &rows)
        };
        let parts = batches.iter().map(blank).collect::<Result<Vec<_>, _>>().map_err(Failed::input_output)?;
        let table = Table::new(blanked.clone(), parts)?;
        Ok(Frame { table, unread, came: Some((schema, batches)) })
    }
}

#[pymethods]
impl Frame {
    /// From anything with `__arrow_c_stream__`.
    #[new]
    fn new(py: Python<'_>, table: PyTable) -> PyResult<Frame> {
        let (batches, schema) = table.into_inner();
        Ok(py.detach(|| Frame::of(schema, batches))?)
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
        let table = watched(py, None, move |watch| {
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
                if watch.stop() {
                    return Err(Failed::stopped());
                }
            }
            Ok(Table::new(schema, batches)?.named(path))
        })?;
        Ok(Frame::whole(table))
    }

    /// From lists of equal length: the name, what the cells are (`int`, `float`, `bool`, `text`) and the cells.
    #[staticmethod]
    fn of_lists(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Frame> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, kind, cells) in columns {
            let array: ArrayRef = match kind.as_str() {
                "int" => Arc::new(Int64Array::from(cells.extract::<Vec<Option<i64>>>()?)),
                "float" => Arc::new(Float64Array::from(cells.extract::<Vec<Option<f64>>>()?)),
                "bool" => Arc::new(BooleanArray::from(cells.extract::<Vec<Option<bool>>>()?)),
                _ => Arc::new(StringArray::from(cells.extract::<Vec<Option<String>>>()?)),
            };
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let batches = match arrays.is_empty() {
            true => Vec::new(),
            false => vec![RecordBatch::try_new(schema.clone(), arrays).map_err(Failed::usage)?],
        };
        Ok(Frame::whole(Table::new(schema, batches).map_err(Failed::from)?))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.table.columns().map(str::to_owned).collect()
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.table.rows()).unwrap_or(usize::MAX)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = match &self.came {
            Some((schema, batches)) => (schema.clone(), batches.clone()),
            None => (self.table.schema().clone(), self.table.batches().to_vec()),
        };
        stream(py, schema, batches, requested_schema)
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
