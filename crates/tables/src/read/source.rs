//! An opened table, whatever its format.

use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::detect::{self, Sample as Beginning};
use super::engine_rows::{EngineRows, EngineTable};
use super::files::Files;
use super::input::Raw;
use super::memory::TableRows;
use super::{Batch, Dialect, Encoding, Format, Place, ReadError, ReadOptions, Sample, Table};
use paravent_core::values::Spelling;

/// Rows of a batch, unless they are very long.
pub(super) const BATCH_ROWS: usize = 8192;
/// A batch ends with the row that brings it to this number of bytes.
pub(super) const BATCH_BYTES: usize = 4 << 20;

/// A table opened for reading.
pub struct Source {
    path: PathBuf,
    dialect: Dialect,
    columns: Vec<String>,
    selected: Vec<usize>,
    /// By column of the file.
    spellings: Vec<Option<Spelling>>,
    labels: bool,
    rows: Box<dyn Rows>,
    rows_read: u64,
    state: State,
    sample: Option<Sampling>,
}

/// A sample in the making.
struct Sampling {
    sample: Sample,
    /// Where the columns of the person are in a batch; the last `beside` columns are there for the draw alone.
    places: Vec<usize>,
    beside: usize,
    /// Rows of the table so far, drawn or not.
    rows: u64,
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

    /// The same, but equal rows may be delivered together, with their number.
    fn select_grouped(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.select(columns)
    }

    /// Fills the batch, which has been told its first row and has a column for each selected one. No row: the end.
    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError>;

    /// The same rows in at most this number of parts, which can be read at the same time.
    /// Called after the selection and before the first row. None: they can be read only one after the other.
    fn split(&mut self, _parts: usize) -> Result<Vec<Part>, ReadError> {
        Ok(Vec::new())
    }
}

/// A part of the rows.
pub(super) struct Part {
    /// Rows of the table before it; 0 where that is not known.
    pub before: u64,
    pub rows: Box<dyn Rows>,
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
        let sample = Beginning::take(&mut raw, &path)?;
        let format = detect::format(&sample, options)?;
        let opened = guarded(&path, format, || (format.kind().open)(raw, sample, options))?;
        Ok(Self::of(path, opened, options))
    }

    pub(super) fn open_table(table: &Table, options: &ReadOptions) -> Result<Self, ReadError> {
        Ok(Self::of(options.shown_path(), TableRows::open(table, options)?, options))
    }

    pub(super) fn open_files(files: &Files, options: &ReadOptions) -> Result<Self, ReadError> {
        let path = options.shown_path();
        let format = options.format().unwrap_or(Format::Csv);
        let opened = guarded(&path, format, || files.open(options))?;
        Ok(Self::of(path, opened, options))
    }

    /// The same rows, from now on in up to so many parts that can be read at the same time; together they are the table, one after the
    /// other. A single one where that is not possible.
    pub fn split(mut self, parts: usize) -> Result<Vec<Source>, ReadError> {
        // A sample is drawn by the numbers of rows.
        if parts < 2 || self.sample.is_some() || self.rows_read > 0 || self.state != State::Reading {
            return Ok(vec![self]);
        }
        let split = guarded(&self.path, self.dialect.format, || self.rows.split(parts))?;
        if split.len() < 2 {
            return Ok(vec![self]);
        }
        let part = |Part { before, rows }| Source {
            path: self.path.clone(),
            dialect: self.dialect.clone(),
            columns: self.columns.clone(),
            selected: self.selected.clone(),
            spellings: self.spellings.clone(),
            labels: self.labels,
            rows,
            rows_read: before,
            state: State::Reading,
            sample: None,
        };
        Ok(split.into_iter().map(part).collect())
    }

    fn of(path: PathBuf, opened: Opened, options: &ReadOptions) -> Self {
        let selected = (0..opened.columns.len()).collect();
        let Opened { dialect, columns, rows } = opened;
        let spelled = |name: &String| options.spellings.iter().find(|(column, _)| column == name);
        let spellings =
            columns.iter().map(|name| spelled(name).map(|(_, spelling)| spelling.clone())).collect();
        Self {
            path,
            dialect,
            columns,
            selected,
            spellings,
            labels: options.labels,
            rows,
            rows_read: 0,
            state: State::Reading,
            sample: None,
        }
    }

    /// Delivers the rows of a sample only. Columns of a person that the table does not have are for the job's reader to report.
    pub(super) fn sample(&mut self, sample: Sample) {
        let places =
            sample.person.iter().filter_map(|name| self.columns.iter().position(|known| known == name));
        let places = places.collect();
        self.sample = Some(Sampling { sample, places, beside: 0, rows: 0 });
    }

    pub(super) fn open_engine(table: &EngineTable, options: &ReadOptions) -> Self {
        Self::of_engine(options, EngineRows::open(table, options))
    }

    pub(super) fn of_engine(options: &ReadOptions, opened: Opened) -> Self {
        Self::of(options.shown_path(), opened, options)
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
        self.check_selection(columns);
        let wanted = self.with_columns_of_the_draw(columns);
        self.rows.select(&wanted)?;
        self.selected = columns.to_vec();
        Ok(())
    }

    /// The columns that a sample is drawn by come after those that are asked for.
    fn with_columns_of_the_draw(&mut self, columns: &[usize]) -> Vec<usize> {
        let mut wanted = columns.to_vec();
        let Some(sampling) = &mut self.sample else { return wanted };
        for name in &sampling.sample.person {
            let Some(column) = self.columns.iter().position(|known| known == name) else { continue };
            if !wanted.contains(&column) {
                wanted.push(column);
            }
        }
        let place = |name: &String| wanted.iter().position(|&column| self.columns[column] == *name);
        sampling.places = sampling.sample.person.iter().filter_map(place).collect();
        sampling.beside = wanted.len() - columns.len();
        wanted
    }

    /// Like [`select`](Self::select), but where another engine can count, equal rows are delivered together: see [`Batch::counts`].
    ///
    /// # Panics
    /// As [`select`](Self::select).
    pub fn select_grouped(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        // Rows are drawn one by one.
        if self.sample.is_some() {
            return self.select(columns);
        }
        self.check_selection(columns);
        self.rows.select_grouped(columns)?;
        self.selected = columns.to_vec();
        Ok(())
    }

    fn check_selection(&self, columns: &[usize]) {
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
        // A batch of which no row was drawn is not the end.
        loop {
            let is_filled = self.next_rows(batch)?;
            let Some(sampling) = &mut self.sample else { return Ok(is_filled) };
            if !is_filled {
                sampling.sample.ended(sampling.rows);
                return Ok(false);
            }
            let (all, drawn) = (batch.rows as u64, sampling.sample.draw(batch, &sampling.places));
            batch.retain(&drawn);
            batch.columns.truncate(self.selected.len());
            sampling.rows += all;
            self.rows_read -= all - batch.rows as u64;
            if batch.rows > 0 {
                return match self.respell(batch) {
                    Ok(()) => Ok(true),
                    Err(error) => {
                        self.state = State::Failed;
                        batch.rows = 0;
                        Err(error)
                    }
                };
            }
        }
    }

    fn next_rows(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        let (before, beside) = match &self.sample {
            Some(sampling) => (sampling.rows, sampling.beside),
            None => (self.rows_read, 0),
        };
        batch.start(before + 1);
        batch.columns.resize_with(self.selected.len() + beside, Default::default);
        let filled = match self.state {
            State::Reading => guarded(&self.path, self.dialect.format, || self.rows.fill(batch))
                // A sample is drawn by the cells as they are; what was drawn is spelled afterwards.
                .and_then(|()| if self.sample.is_some() { Ok(()) } else { self.respell(batch) }),
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

impl Source {
    /// Brings the cells of a batch to the engine's spelling.
    fn respell(&self, batch: &mut Batch) -> Result<(), ReadError> {
        for (position, &column) in self.selected.iter().enumerate() {
            // A format with types has no spelling of its own.
            let Some(spelling) = self.spellings[column].as_ref().filter(|_| self.dialect.has_spellings())
            else {
                continue;
            };
            if let Err(row) = batch.columns[position].respell(|cell| match spelling.read(cell) {
                None if self.labels => Some(Cow::Borrowed(cell)),
                read => read,
            }) {
                let (path, first_row) = batch.file().unwrap_or((&self.path, batch.first_row));
                let place = match batch.line(row) {
                    Some(line) => Place::line(line),
                    None => Place::row(first_row + row as u64),
                };
                return Err(ReadError::Misspelled {
                    path: path.to_owned(),
                    place: place.column(&self.columns[column]),
                    form: form(spelling),
                });
            }
        }
        Ok(())
    }
}

/// A spelling in words.
pub(super) fn form(spelling: &Spelling) -> String {
    match spelling {
        Spelling::Moment(pattern) => format!("format = {:?} says", pattern.as_str()),
        Spelling::Truth(truth) => format!("format = \"{}/{}\" says", truth.yes(), truth.no()),
        Spelling::Number(number) => match number.grouping() {
            Some(sign) => {
                format!(
                    "decimal = {:?} and grouping = {:?} say",
                    number.decimal().to_string(),
                    sign.to_string()
                )
            }
            None => format!("decimal = {:?} says", number.decimal().to_string()),
        },
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

    /// Whether cells are text that people wrote. Numbers and dates of other formats are values.
    fn has_spellings(&self) -> bool {
        self.encoding.is_some()
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
    let format = format.kind().shown;
    ReadError::Garbled { path: path.to_owned(), format }
}
