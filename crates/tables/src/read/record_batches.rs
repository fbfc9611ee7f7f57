//! Arrow's record batches as batches of text. Shared by the formats that arrive as such.

use std::path::PathBuf;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;

use super::batch::{ColumnBuilder, NullTexts};
use super::cell_text::Wrong;
use super::header;
use super::render::{Renderer, is_supported};
use super::source::{BATCH_BYTES, BATCH_ROWS, garbled};
use super::{Batch, Format, Place, ReadError, ReadOptions};

/// Record batches on their way to text.
pub(super) struct RecordBatches {
    path: PathBuf,
    format: Format,
    null: NullTexts,
    /// By column: whether it has labels, of which none is a missing value.
    is_label: Vec<bool>,
    limit: usize,
    names: Vec<String>,
    selected: Vec<usize>,
    builders: Vec<ColumnBuilder>,
    /// The record batch at hand and how many of its rows are delivered.
    current: Option<(RecordBatch, usize)>,
}

impl RecordBatches {
    /// Checks names and types. Types are checked for all columns: which ones are needed is not known yet, and a nested
    /// column in a table about people should be seen.
    pub(super) fn new(schema: &Schema, format: Format, options: &ReadOptions) -> Result<Self, ReadError> {
        let path = options.shown_path();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        header::check(&names, &path, Place::default())?;
        for field in schema.fields() {
            let place = Place::default().column(field.name());
            if field.data_type().is_nested() {
                return Err(ReadError::Nested { path, place });
            }
            if !is_supported(field.data_type()) {
                return Err(ReadError::UnsupportedType { path, place, kind: field.data_type().to_string() });
            }
        }
        Ok(Self {
            path,
            format,
            null: NullTexts::new(options.null.as_deref().unwrap_or_default()),
            is_label: vec![false; names.len()],
            limit: options.cell_limit(),
            selected: (0..names.len()).collect(),
            builders: names.iter().map(|_| ColumnBuilder::default()).collect(),
            names,
            current: None,
        })
    }

    /// Columns of labels: what they say is never a missing value.
    pub(super) fn with_labels(mut self, is_label: Vec<bool>) -> Self {
        self.is_label = is_label;
        self
    }

    /// The same columns, before the first row.
    pub(super) fn again(&self) -> Self {
        Self {
            path: self.path.clone(),
            format: self.format,
            null: self.null.clone(),
            is_label: self.is_label.clone(),
            limit: self.limit,
            names: self.names.clone(),
            selected: self.selected.clone(),
            builders: self.builders.iter().map(|_| ColumnBuilder::default()).collect(),
            current: None,
        }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn select(&mut self, columns: &[usize]) {
        self.selected = columns.to_vec();
        self.builders.resize_with(columns.len(), ColumnBuilder::default);
    }

    /// The selected columns in file order: what the file is asked for.
    pub(super) fn projection(&self) -> Vec<usize> {
        let mut projection = self.selected.clone();
        projection.sort_unstable();
        projection
    }

    /// Fills the batch from record batches that hold the columns of the [projection](Self::projection).
    pub(super) fn fill(
        &mut self,
        batch: &mut Batch,
        mut next: impl FnMut() -> Result<Option<RecordBatch>, ReadError>,
    ) -> Result<(), ReadError> {
        let (records, start) = loop {
            match self.current.take() {
                Some((records, start)) if start < records.num_rows() => break (records, start),
                _ => match next()? {
                    Some(records) => self.current = Some((records, 0)),
                    None => return Ok(()),
                },
            }
        };
        let projection = self.projection();
        if records.num_columns() != projection.len() {
            return Err(garbled(&self.path, self.format));
        }
        let mut rows = BATCH_ROWS.min(records.num_rows() - start);
        for (i, &column) in self.selected.iter().enumerate() {
            let Ok(position) = projection.binary_search(&column) else {
                return Err(garbled(&self.path, self.format));
            };
            let no_texts = NullTexts::default();
            let mut renderer = Renderer {
                builder: &mut self.builders[i],
                null: if self.is_label[column] { &no_texts } else { &self.null },
                cell_limit: self.limit,
                column_limit: BATCH_BYTES,
            };
            let rendered = renderer.render(records.column(position), start..start + rows);
            rows =
                rendered.map_err(|(row, wrong)| self.error(wrong, batch.first_row + row as u64, column))?;
        }
        for (i, builder) in self.builders.iter_mut().enumerate() {
            // A later column may have taken fewer rows.
            builder.truncate(rows);
            builder.finish(&mut batch.columns[i]).map_err(|row| {
                let place = Place::row(batch.first_row + row as u64).column(&self.names[self.selected[i]]);
                ReadError::NotUtf8 { path: self.path.clone(), place }
            })?;
        }
        batch.rows = rows;
        self.current = Some((records, start + rows));
        Ok(())
    }

    fn error(&self, wrong: Wrong, row: u64, column: usize) -> ReadError {
        let (path, place) = (self.path.clone(), Place::row(row).column(&self.names[column]));
        match wrong {
            Wrong::NotFinite => ReadError::NotFinite { path, place },
            Wrong::NotUtf8 => ReadError::NotText { path, place },
            Wrong::Nul => ReadError::NulByte { path, place },
            Wrong::DateOutOfRange => ReadError::DateOutOfRange { path, place },
            Wrong::TooLarge => ReadError::FieldTooLarge { path, place, limit: self.limit },
            Wrong::Type => ReadError::UnsupportedType { path, place, kind: "unknown".into() },
            Wrong::Damaged => garbled(&self.path, self.format),
        }
    }
}
