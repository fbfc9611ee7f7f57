//! An opened table, whatever its format.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::arrow_ipc::ArrowRows;
use super::delimited::DelimitedRows;
use super::detect::{self, Sample};
use super::input::Raw;
use super::json::JsonRows;
use super::parquet_file::ParquetRows;
use super::{Batch, Dialect, Encoding, Format, ReadError, ReadOptions};

/// Rows of a batch, unless they are very long.
pub(super) const BATCH_ROWS: usize = 8192;
/// A batch ends with the row that brings it to so many bytes.
pub(super) const BATCH_BYTES: usize = 4 << 20;

/// A table opened for reading.
pub struct Source {
    path: PathBuf,
    dialect: Dialect,
    columns: Vec<String>,
    selected: Vec<usize>,
    rows: Box<dyn Rows>,
    rows_read: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Ended,
    Failed,
}

/// What a format has to offer.
pub(super) trait Rows: Send {
    /// Delivers only these columns from now on. Called before the first row, if at all.
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError>;

    /// Fills the batch, which has been told its first row and has a column for each selected one. No row: the end.
    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError>;
}

/// A format's rows together with what its beginning told.
pub(super) struct Opened {
    pub dialect: Dialect,
    pub columns: Vec<String>,
    pub rows: Box<dyn Rows>,
}

impl Source {
    /// Opens a table that is read once. For standard input, or to read a table twice, see [`Input`](super::Input).
    pub fn open(options: &ReadOptions) -> Result<Self, ReadError> {
        super::Input::new(options.clone())?.open()
    }

    pub(super) fn open_raw(mut raw: Raw, options: &ReadOptions) -> Result<Self, ReadError> {
        options.check()?;
        let path = options.shown_path();
        let sample = Sample::take(&mut raw, &path)?;
        let format = detect::format(&sample, options)?;
        let opened = match format {
            Format::Csv | Format::Tsv => DelimitedRows::open(raw, sample, format, options),
            Format::Json => JsonRows::open(raw, sample, options),
            Format::Parquet => guarded(&path, format, || ParquetRows::open(raw, options)),
            Format::Arrow => guarded(&path, format, || ArrowRows::open(raw, sample, options)),
        }?;
        let selected = (0..opened.columns.len()).collect();
        let Opened { dialect, columns, rows } = opened;
        Ok(Self { path, dialect, columns, selected, rows, rows_read: 0, state: State::Reading })
    }

    /// The names of all columns, in file order.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How the table turned out to be stored.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The path as errors show it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Delivers only these columns (indices into [`columns`](Self::columns)), in this order. The others are skipped, but a row
    /// with too few or too many cells is still an error.
    ///
    /// # Panics
    /// If rows were read already, or there is no such column, or one is selected twice.
    pub fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        assert!(
            self.rows_read == 0 && self.state == State::Reading,
            "columns are selected before rows are read"
        );
        for (i, column) in columns.iter().enumerate() {
            assert!(
                *column < self.columns.len() && !columns[..i].contains(column),
                "columns of the table, each once"
            );
        }
        self.rows.select(columns)?;
        self.selected = columns.to_vec();
        Ok(())
    }

    /// The names of the columns delivered, in the order of the selection.
    pub fn selected_columns(&self) -> Vec<String> {
        self.selected.iter().map(|&column| self.columns[column].clone()).collect()
    }

    /// How many rows were delivered so far.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// The next rows. `false` (and an empty batch) after the last; a table may have none at all.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        batch.start(self.rows_read + 1);
        batch.columns.resize_with(self.selected.len(), Default::default);
        let filled = match self.state {
            State::Reading => guarded(&self.path, self.dialect.format, || self.rows.fill(batch)),
            State::Ended => Ok(()),
            // Going on behind an error would look like the end of the table.
            State::Failed => Err(garbled(&self.path, self.dialect.format)),
        };
        if filled.is_err() || batch.rows == 0 {
            self.state = if filled.is_err() { State::Failed } else { State::Ended };
            batch.rows = 0;
            batch.columns.iter_mut().for_each(|column| *column = Default::default());
        }
        self.rows_read += batch.rows as u64;
        filled.map(|()| batch.rows > 0)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path)
            .field("dialect", &self.dialect)
            .field("columns", &self.columns)
            .field("rows_read", &self.rows_read)
            .finish_non_exhaustive()
    }
}

impl Dialect {
    /// A format with types, and no text to decode.
    pub(super) fn columnar(format: Format) -> Self {
        Self { format, delimiter: None, quote: None, encoding: None, byte_order_mark: false }
    }

    pub(super) fn text(format: Format, encoding: Encoding, byte_order_mark: bool) -> Self {
        Self { encoding: Some(encoding), byte_order_mark, ..Self::columnar(format) }
    }
}

/// Parsers of others have panicked on hostile bytes; here that is an error like any other.
fn guarded<T>(
    path: &Path,
    format: Format,
    work: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(garbled(path, format)))
}

pub(super) fn garbled(path: &Path, format: Format) -> ReadError {
    let format = match format {
        Format::Csv | Format::Tsv => "delimited text",
        Format::Parquet => "Parquet",
        Format::Arrow => "Arrow",
        Format::Json => "JSON",
    };
    ReadError::Garbled { path: path.to_owned(), format }
}
