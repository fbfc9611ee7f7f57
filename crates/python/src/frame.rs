//! Tables from Python and back.

use crate::failed::Failed;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use paravent_tables::read::{Batch, Input, ReadOptions, Table};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

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

    /// From a file; all cells as text.
    #[staticmethod]
    fn read(py: Python<'_>, path: &str) -> PyResult<Frame> {
        let table = py.detach(|| -> Result<Table, Failed> {
            let input = Input::new(ReadOptions::new(path))?;
            let mut source = input.open()?;
            let names = source.columns().to_vec();
            let mut cells: Vec<Vec<Option<String>>> = vec![Vec::new(); names.len()];
            let mut batch = Batch::default();
            while source.next_batch(&mut batch)? {
                for (all, column) in cells.iter_mut().zip(&batch.columns) {
                    all.extend(column.iter().map(|cell| cell.map(str::to_owned)));
                }
            }
            Ok(Table::from_text(names.into_iter().zip(cells))?.named(path))
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
