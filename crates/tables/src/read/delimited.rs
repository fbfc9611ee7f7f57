//! Delimited text: CSV and its relatives.
//!
//! Cells may be quoted; inside quotes delimiters and line ends are text and a doubled quote is a quote. Lines end with LF,
//! CRLF or CR. A blank line is no row (a lone empty cell is written `""`). A quoted empty cell counts like an unquoted one:
//! whether it is missing is for the list of null texts to say.

use std::path::PathBuf;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::batch::{ColumnBuilder, NullTexts};
use super::chunks::Chunks;
use super::detect::{Sample, detect_delimiter};
use super::formats::Kind;
use super::header::{self, MOST_COLUMNS};
use super::input::Raw;
use super::source::{BATCH_BYTES, BATCH_ROWS, Opened, Rows};
use super::text::TextInput;
use super::{Batch, Blanks, Dialect, Format, Header, Place, ReadError, ReadOptions};

/// Whatever is nothing else.
pub(super) const CSV: Kind = Kind {
    format: Format::Csv,
    shown: "delimited text",
    names: &["csv"],
    endings: &["txt"],
    is_it: |_| true,
    open: |raw, sample, options| DelimitedRows::open(raw, sample, Format::Csv, options),
};

pub(super) const TSV: Kind = Kind {
    format: Format::Tsv,
    names: &["tsv"],
    endings: &["tab"],
    is_it: |_| false,
    open: |raw, sample, options| DelimitedRows::open(raw, sample, Format::Tsv, options),
    ..CSV
};

/// The rows of delimited text.
pub(super) struct DelimitedRows {
    records: Records,
    null: NullTexts,
    blanks: Blanks,
    selected: Vec<usize>,
    builders: Vec<ColumnBuilder>,
    /// The line of a record that was read but not delivered: the first one of a file without header.
    pending: Option<u64>,
}

impl DelimitedRows {
    pub(super) fn open(
        raw: Raw,
        sample: Sample,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Opened, ReadError> {
        let path = options.shown_path();
        let text = TextInput::open(raw, sample, options);
        let quote = options.quote.unwrap_or(b'"');
        let announced = announced_delimiter(&text.beginning);
        let delimiter = match (options.delimiter.or(announced), format) {
            (Some(delimiter), _) => delimiter,
            (None, Format::Tsv) => b'\t',
            (None, _) => detect_delimiter(&text.beginning, quote),
        };
        let dialect = Dialect {
            delimiter: Some(delimiter),
            quote: Some(quote),
            ..Dialect::text(format, text.encoding, text.byte_order_mark)
        };

        let mut records = Records {
            parser: ReaderBuilder::new().delimiter(delimiter).quote(quote).build(),
            chunks: Chunks::new(&path, text),
            limit: options.cell_limit(),
            record: vec![0; 4096],
            ends: vec![0; 64],
            names: Vec::new(),
            after_return: false,
            path,
        };
        if announced.is_some() {
            records.read()?;
            records.names.clear();
        }
        let line = match records.read()? {
            Some(first) => first.line,
            None => return Err(ReadError::NoHeader { path: records.path }),
        };
        let pending = records.name_columns(options, line)?;
        let columns = records.names.clone();

        let null = match &options.null {
            Some(texts) => NullTexts::new(texts),
            None => NullTexts::new(&[String::new()]),
        };
        let blanks = options.blanks;
        let mut rows = Self { records, null, blanks, selected: Vec::new(), builders: Vec::new(), pending };
        rows.select(&(0..columns.len()).collect::<Vec<_>>())?;
        Ok(Opened { dialect, columns, rows: Box::new(rows) })
    }

    fn deliver(&mut self) -> usize {
        let mut bytes = 0;
        for (builder, &column) in self.builders.iter_mut().zip(&self.selected) {
            let cell = trimmed(self.records.cell(column), self.blanks);
            bytes += cell.len();
            if self.null.contains(cell) {
                builder.push_missing();
            } else {
                builder.push(cell);
            }
        }
        bytes
    }
}

impl Rows for DelimitedRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.selected = columns.to_vec();
        self.builders.resize_with(columns.len(), ColumnBuilder::default);
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let mut bytes = 0;
        if let Some(line) = self.pending.take() {
            bytes += self.deliver();
            batch.add_row(line);
        }
        while batch.rows < BATCH_ROWS && bytes < BATCH_BYTES {
            let Some(record) = self.records.read()? else { break };
            if self.blanks == Blanks::Trim && self.records.is_blank(&record) {
                continue;
            }
            self.records.check_shape(&record)?;
            bytes += self.deliver();
            batch.add_row(record.line);
        }
        for (i, builder) in self.builders.iter_mut().enumerate() {
            builder.finish(&mut batch.columns[i]).map_err(|row| {
                let place = Place::line(batch.line(row).unwrap_or(0));
                let place = place.column(&self.records.names[self.selected[i]]);
                ReadError::NotUtf8 { path: self.records.path.clone(), place }
            })?;
        }
        Ok(())
    }
}

/// The delimiter that a first line `sep=;` announces, as some spreadsheets write and want it.
fn announced_delimiter(beginning: &[u8]) -> Option<u8> {
    match beginning {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter, b'\r' | b'\n', ..]
            if delimiter.is_ascii() && !matches!(delimiter, b'\r' | b'\n' | b'"' | 0) =>
        {
            Some(*delimiter)
        }
        _ => None,
    }
}

fn trimmed(cell: &[u8], blanks: Blanks) -> &[u8] {
    match blanks {
        Blanks::Keep => cell,
        Blanks::Trim => cell.trim_ascii(),
    }
}

/// The text, record by record.
struct Records {
    path: PathBuf,
    chunks: Chunks,
    /// Counts the lines, too.
    parser: Reader,
    limit: usize,
    /// The cells of the current record, one behind the other.
    record: Vec<u8>,
    ends: Vec<usize>,
    /// The columns' names; empty until the first record was read.
    names: Vec<String>,
    /// Whether the byte before is a carriage return that ended a line.
    after_return: bool,
}

/// The record that was just read.
struct Record {
    /// The line on which it starts.
    line: u64,
    cells: usize,
}

impl Records {
    fn cell(&self, column: usize) -> &[u8] {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.record[start..self.ends[column]]
    }

    /// Takes the names from the first record, or makes them up. Then that record is still to be delivered, and its line is
    /// the answer.
    fn name_columns(&mut self, options: &ReadOptions, line: u64) -> Result<Option<u64>, ReadError> {
        let cells = self.names.len();
        if options.header == Header::Absent {
            return Ok(Some(line));
        }
        for column in 0..cells {
            let Ok(name) = std::str::from_utf8(trimmed(self.cell(column), options.blanks)) else {
                return Err(ReadError::NotUtf8 { path: self.path.clone(), place: Place::line(line) });
            };
            self.names[column] = name.to_owned();
        }
        header::check(&self.names, &self.path, Place::line(line))?;
        Ok(None)
    }

    /// Whether no cell of the record holds anything but blanks. A spreadsheet leaves such rows behind its table.
    fn is_blank(&self, record: &Record) -> bool {
        let known = record.cells.min(self.names.len());
        record.cells <= self.names.len() && (0..known).all(|column| self.cell(column).trim_ascii().is_empty())
    }

    fn check_shape(&self, record: &Record) -> Result<(), ReadError> {
        if record.cells == self.names.len() {
            return Ok(());
        }
        let (found, expected) = (record.cells, self.names.len());
        Err(ReadError::RaggedRow {
            path: self.path.clone(),
            place: Place::line(record.line),
            found,
            expected,
        })
    }

    /// Reads the next record. The first one settles how many columns there are.
    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        self.skip_line_ends()?;
        let first = self.names.is_empty();
        let line = self.parser.line();
        let (mut length, mut cells, mut surplus) = (0, 0, 0);
        loop {
            let input = self.chunks.peek(self.parser.line())?;
            let at_end = input.is_empty();
            let (result, read, written, ended) =
                self.parser.read_record(input, &mut self.record[length..], &mut self.ends[cells..]);
            let returned = read > 0 && input[read - 1] == b'\r';
            self.chunks.advance(read);
            length += written;
            cells += ended;
            let cell_start = if cells == 0 || surplus > 0 { 0 } else { self.ends[cells - 1] };
            match result {
                ReadRecordResult::Record if at_end => {
                    // Every line has an end, so only an open quote can reach the end of the file.
                    return Err(ReadError::UnterminatedQuote {
                        path: self.path.clone(),
                        place: Place::line(line),
                    });
                }
                ReadRecordResult::Record => {
                    self.after_return = returned;
                    break;
                }
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    if length - cell_start > self.limit {
                        return Err(self.too_large(line, cells));
                    }
                    self.record.resize(2 * self.record.len(), 0);
                }
                ReadRecordResult::OutputEndsFull if first => {
                    if cells > MOST_COLUMNS {
                        return Err(ReadError::TooManyColumns {
                            path: self.path.clone(),
                            limit: MOST_COLUMNS,
                        });
                    }
                    self.ends.resize(2 * self.ends.len(), 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    // More cells than the header has: they are only counted.
                    surplus += 1;
                    cells -= 1;
                    length = 0;
                }
            }
        }
        let record = Record { line, cells: cells + surplus };
        if first {
            // One slot more than columns, so that a surplus cell shows.
            self.names = (1..=record.cells).map(|column| column.to_string()).collect();
            self.ends.resize(record.cells + 1, 0);
        }
        self.check_cells(&record, length, surplus)?;
        Ok(Some(record))
    }

    /// Checks that are needed rarely: for large records, and once the file has shown a NUL byte.
    fn check_cells(&self, record: &Record, length: usize, surplus: usize) -> Result<(), ReadError> {
        let known = record.cells.min(self.names.len());
        if length > self.limit
            && surplus == 0
            && let Some(column) = (0..known).find(|&column| self.cell(column).len() > self.limit)
        {
            return Err(self.too_large(record.line, column));
        }
        if self.chunks.nul_seen && self.record[..length].contains(&0) {
            let column = (0..known).find(|&column| surplus == 0 && self.cell(column).contains(&0));
            return Err(ReadError::NulByte {
                path: self.path.clone(),
                place: self.place(record.line, column),
            });
        }
        Ok(())
    }

    fn too_large(&self, line: u64, column: usize) -> ReadError {
        let place = self.place(line, Some(column));
        ReadError::FieldTooLarge { path: self.path.clone(), place, limit: self.limit }
    }

    fn place(&self, line: u64, column: Option<usize>) -> Place {
        let place = Place::line(line);
        match column.and_then(|column| self.names.get(column)) {
            Some(name) => place.column(name),
            None => place,
        }
    }

    /// Skips blank lines, as the parser would, but counts them before the record instead of within it. A carriage return
    /// alone ends a line, too.
    fn skip_line_ends(&mut self) -> Result<(), ReadError> {
        loop {
            let line = self.parser.line();
            let Some(&byte) = self.chunks.peek(line)?.first() else { return Ok(()) };
            match byte {
                b'\n' => {
                    self.parser.set_line(line + 1);
                    self.after_return = false;
                }
                b'\r' => {
                    self.parser.set_line(line + u64::from(self.after_return));
                    self.after_return = true;
                }
                _ => {
                    self.parser.set_line(line + u64::from(self.after_return));
                    self.after_return = false;
                    return Ok(());
                }
            }
            self.chunks.advance(1);
        }
    }
}
