//! A table that is in memory already.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::record_batches::RecordBatches;
use super::source::{Opened, Rows, garbled};
use super::{Batch, Dialect, Format, ReadError, ReadOptions};

/// Record batches of one schema. A clone shares the memory; nothing is copied before cells are coded.
///
/// ```
/// use paravent_tables::read::{Input, Table};
///
/// let cells = |cells: &[&str]| cells.iter().map(|cell| Some((*cell).to_owned())).collect();
/// let table = Table::from_text([("age", cells(&["34", "45"])), ("sex", cells(&["f", "m"]))])?;
/// assert_eq!((table.rows(), table.columns().collect::<Vec<_>>()), (2, vec!["age", "sex"]));
/// assert_eq!(Input::from_table(table).open()?.columns(), ["age", "sex"]);
/// # Ok::<(), paravent_tables::read::ReadError>(())
/// ```
#[derive(Clone)]
pub struct Table {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
    name: String,
}

/// Cells stay out of logs.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({}, {} columns, {} rows)", self.name, self.schema.fields().len(), self.rows())
    }
}

impl Table {
    /// A table of record batches, which must all have the columns and types of the schema.
    ///
    /// # Errors
    /// If a batch has another schema, a column has no name, two have the same, or a type has no text.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Table, ReadError> {
        let table = Table { schema, batches: batches.into(), name: "table".to_owned() };
        let fits = |batch: &RecordBatch| {
            let (found, asked) = (batch.schema_ref().fields(), table.schema.fields());
            found.len() == asked.len()
                && found
                    .iter()
                    .zip(asked)
                    .all(|(a, b)| a.name() == b.name() && a.data_type() == b.data_type())
        };
        if !table.batches.iter().all(fits) {
            return Err(garbled(table.options().path.as_ref(), Format::Arrow));
        }
        RecordBatches::new(&table.schema, Format::Arrow, &table.options())?;
        Ok(table)
    }

    /// A table of text cells; `None` is a missing value.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the columns are not equally long.
    pub fn from_text<N: Into<String>>(
        columns: impl IntoIterator<Item = (N, Vec<Option<String>>)>,
    ) -> Result<Table, ReadError> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
            .into_iter()
            .map(|(name, cells)| {
                let array = StringArray::from(cells);
                (Field::new(name.into(), arrow::datatypes::DataType::Utf8, true), Arc::new(array) as ArrayRef)
            })
            .unzip();
        let schema = Arc::new(Schema::new(fields));
        if arrays.is_empty() {
            return Table::new(schema, Vec::new());
        }
        let batch = RecordBatch::try_new(schema.clone(), arrays)
            .map_err(|_| garbled("table".as_ref(), Format::Arrow))?;
        Table::new(schema, vec![batch])
    }

    /// The same under another name, which messages use.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Table {
        self.name = name.into();
        self
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.schema.fields().iter().map(|field| field.name().as_str())
    }

    /// How many rows.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    pub(super) fn options(&self) -> ReadOptions {
        ReadOptions { format: Some(Format::Arrow), ..ReadOptions::new(&self.name) }
    }
}

/// The rows of a table in memory.
pub(super) struct TableRows {
    table: Table,
    next: usize,
    batches: RecordBatches,
}

impl TableRows {
    pub(super) fn open(table: &Table, options: &ReadOptions) -> Result<Opened, ReadError> {
        let batches = RecordBatches::new(&table.schema, Format::Arrow, options)?;
        let columns = batches.names().to_vec();
        let rows = Box::new(TableRows { table: table.clone(), next: 0, batches });
        Ok(Opened { dialect: Dialect::columnar(Format::Arrow), columns, rows })
    }
}

impl Rows for TableRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.batches.select(columns);
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let projection = self.batches.projection();
        let (table, next) = (&self.table, &mut self.next);
        self.batches.fill(batch, || {
            let Some(records) = table.batches.get(*next) else { return Ok(None) };
            *next += 1;
            let damaged = |_| garbled(table.name.as_ref(), Format::Arrow);
            records.project(&projection).map(Some).map_err(damaged)
        })
    }
}
