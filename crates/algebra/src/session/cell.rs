//! The cells of an answer, for those who do not speak Arrow.

use super::Answer;
use crate::error::AlgebraError;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

/// One cell.
#[derive(Clone, PartialEq, Eq)]
pub enum Cell {
    /// NULL
    Missing,
    /// A number, as it is written.
    Number(String),
    /// true or false
    Truth(bool),
    /// Anything else.
    Text(String),
}

/// Cells stay out of logs.
impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cell(..)")
    }
}

impl Answer {
    /// The names of the columns.
    pub fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// All rows, cell by cell.
    pub fn cells(&self) -> Result<Vec<Vec<Cell>>, AlgebraError> {
        let options = FormatOptions::default();
        let mut rows = Vec::with_capacity(self.rows());
        for batch in &self.batches {
            let formatters = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
            let formatters = formatters.collect::<Result<Vec<_>, _>>().map_err(|_| AlgebraError::Internal)?;
            for row in 0..batch.num_rows() {
                let cells = batch.columns().iter().zip(&formatters);
                rows.push(cells.map(|(column, formatter)| cell(column, formatter, row)).collect::<Result<
                    Vec<Cell>,
                    _,
                >>(
                )?);
            }
        }
        Ok(rows)
    }
}

fn cell(column: &dyn Array, formatter: &ArrayFormatter<'_>, row: usize) -> Result<Cell, AlgebraError> {
    if column.is_null(row) || matches!(column.data_type(), DataType::Null) {
        return Ok(Cell::Missing);
    }
    if let Some(truth) = column.as_boolean_opt() {
        return Ok(Cell::Truth(truth.value(row)));
    }
    let text = formatter.value(row).try_to_string().map_err(|_| AlgebraError::Internal)?;
    Ok(match column.data_type().is_numeric() {
        true => Cell::Number(text),
        false => Cell::Text(text),
    })
}
