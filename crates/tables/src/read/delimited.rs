//! Delimited text: CSV and its relatives.
//!
//! Cells may be quoted; inside quotes delimiters and line ends are text and a doubled quote is a quote. Lines end with LF,
//! CRLF or CR. A blank line is no row (a lone empty cell is written `""`). A quoted empty cell counts like an unquoted one:
//! whether it is missing is for the list of null texts to say.

use std::collections::VecDeque;
use std::path::PathBuf;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::batch::{ColumnBuilder, NullTexts};
use super::chunks::Chunks;
use super::detect::{Sample, detect_delimiter};
use super::formats::{Cells, Kind, Missing};
use super::frame::Frame;
use super::header::{self, MOST_COLUMNS};
use super::input::Raw;
use super::source::{BATCH_BYTES, BATCH_ROWS, Opened, Rows};
use super::text::TextInput;
use super::{Batch, Blanks, Dialect, Format, Header, Place, ReadError, ReadOptions};

/// Whatever is nothing else.
pub(super) const FORMAT: Kind = Kind {
    format: Format::Csv,
    shown: "delimited text",
    names: &["csv"],
    endings: &["txt"],
    is_it: |_| true,
    open: |raw, sample, options| DelimitedRows::open(raw, sample, Format::Csv, options),
    frame: Frame::of_text,
    missing: Missing::ByText,
    cells: Cells::Text,
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
    held: HeldRows,
}

/// Records that were read and may be below the table.
struct HeldRows {
    /// So many are.
    most: usize,
    rows: VecDeque<HeldRow>,
}

struct HeldRow {
    line: u64,
    /// Cells of the record, and those that are kept.
    count: usize,
    cells: Vec<Vec<u8>>,
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
            (None, _) => detect_delimiter(after_lines(&text.beginning, options.skip), quote),
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
            width: 0,
            named: options.header == Header::FirstRow,
            after_return: false,
            path,
        };
        match (options.skip, announced) {
            (0, Some(_)) => {
                records.read()?;
                records.names.clear();
            }
            (lines, _) => records.skip(lines)?,
        }
        let line = match records.read()? {
            Some(first) => first.line,
            None => return Err(ReadError::NoHeader { path: records.path }),
        };
        let pending = records.name_columns(options, line)?;
        let columns = records.names[..records.width].to_vec();

        let null = match &options.null {
            Some(texts) => NullTexts::new(texts),
            None => NullTexts::new(&[String::new()]),
        };
        let blanks = options.blanks;
        let held = HeldRows { most: options.footer as usize, rows: VecDeque::new() };
        let (selected, builders) = (Vec::new(), Vec::new());
        let mut rows = Self { records, null, blanks, selected, builders, pending, held };
        rows.select(&(0..columns.len()).collect::<Vec<_>>())?;
        Ok(Opened { dialect, columns, rows: Box::new(rows) })
    }

    /// Puts the record at hand behind those that may be below the table, and gives the first of them once there are more than that.
    fn hold(&mut self, record: &Record) -> Option<HeldRow> {
        // Of a record with more cells than that only their number is known.
        let known = if record.cells <= self.records.names.len() + 1 { record.cells } else { 0 };
        let cells = (0..known).map(|column| self.records.cell(column).to_vec()).collect();
        self.held.rows.push_back(HeldRow { line: record.line, count: record.cells, cells });
        (self.held.rows.len() > self.held.most).then(|| self.held.rows.pop_front()).flatten()
    }

    fn deliver(&mut self, held: Option<&HeldRow>) -> usize {
        let mut bytes = 0;
        for (builder, &column) in self.builders.iter_mut().zip(&self.selected) {
            let cell = held.map_or_else(|| self.records.cell(column), |row| row.cells[column].as_slice());
            let cell = trimmed(cell, self.blanks);
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
            bytes += self.deliver(None);
            batch.add_row(line);
        }
        while batch.rows < BATCH_ROWS && bytes < BATCH_BYTES {
            let Some(record) = self.records.read()? else { break };
            if self.blanks == Blanks::Trim && self.records.is_blank(&record) {
                continue;
            }
            if self.held.most > 0 {
                let Some(row) = self.hold(&record) else { continue };
                let shape = Record { line: row.line, cells: row.count, bytes: 0 };
                self.records.check_shape(&shape, |column| row.cells.get(column).map(Vec::as_slice))?;
                bytes += self.deliver(Some(&row));
                batch.add_row(row.line);
                continue;
            }
            self.records.check_shape(&record, |column| Some(self.records.cell(column)))?;
            bytes += self.deliver(None);
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

/// The text after this number of lines.
fn after_lines(text: &[u8], lines: u32) -> &[u8] {
    let mut rest = text;
    for _ in 0..lines {
        let end = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
        rest = &rest[end..];
    }
    rest
}

/// The delimiter that a first line `sep=;` announces, as some spreadsheets write and want it.
pub(super) fn announced_delimiter(beginning: &[u8]) -> Option<u8> {
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

/// What may be around the table.
fn advice(found: usize, expected: usize, line: u64) -> &'static str {
    match (found, expected) {
        // A title is in one cell, and the names come later.
        (_, 1) if line < 50 => {
            "; if there is a title above the names of the columns, say skip = LINES under [input] of the job (init finds it)"
        }
        (found, expected) if found < expected => {
            "; if it is a remark below the table, say footer = ROWS under [input] of the job (init finds it)"
        }
        _ => "",
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
    /// The columns' names; empty until the first record was read. Behind the named ones may be others without name and cells.
    names: Vec<String>,
    /// Columns with a name.
    width: usize,
    /// Whether the first record has the names; then empty cells behind the last name mean nothing.
    named: bool,
    /// Whether the byte before is a carriage return that ended a line.
    after_return: bool,
}

/// The record that was just read.
struct Record {
    /// The line on which it starts.
    line: u64,
    cells: usize,
    /// Bytes of all its cells.
    bytes: usize,
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
        self.width = cells;
        if options.header == Header::Absent {
            return Ok(Some(line));
        }
        for column in 0..cells {
            let Ok(name) = std::str::from_utf8(trimmed(self.cell(column), options.blanks)) else {
                return Err(ReadError::NotUtf8 { path: self.path.clone(), place: Place::line(line) });
            };
            self.names[column] = name.to_owned();
        }
        // A delimiter at the end of every line makes columns without a name; what stands in them is looked at row by row.
        let named = self.names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        if named > 0 {
            self.width = named;
        }
        header::name_row_numbers(&mut self.names[..self.width]);
        header::check(&self.names[..self.width], &self.path, Place::line(line))?;
        Ok(None)
    }

    /// Whether no cell of the record holds anything but blanks. A spreadsheet leaves such rows behind its table.
    fn is_blank(&self, record: &Record) -> bool {
        let known = record.cells <= self.names.len();
        record.bytes == 0
            || known && (0..record.cells).all(|column| self.cell(column).trim_ascii().is_empty())
    }

    /// As many cells as there are names, or more of which nothing is in those behind the last name.
    fn check_shape<'a>(
        &self,
        record: &Record,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<(), ReadError> {
        let (found, expected) = (record.cells, self.width);
        if found == expected {
            return Ok(());
        }
        let is_empty = |column: usize| cell(column).is_some_and(|cell| cell.trim_ascii().is_empty());
        // A cell more than the header has is kept for looking at; of further ones only the number is known.
        let known = self.named && found > expected && found <= self.names.len() + 1;
        if known && (expected..found).all(is_empty) {
            return Ok(());
        }
        Err(ReadError::RaggedRow {
            path: self.path.clone(),
            place: Place::line(record.line),
            found,
            expected,
            advice: advice(found, expected, record.line),
        })
    }

    /// Leaves out lines above the table.
    fn skip(&mut self, lines: u32) -> Result<(), ReadError> {
        for _ in 0..lines {
            loop {
                let line = self.parser.line();
                let chunk = self.chunks.peek(line)?;
                let (length, end) = (chunk.len(), chunk.iter().position(|&byte| byte == b'\n'));
                self.chunks.advance(end.map_or(length, |end| end + 1));
                if end.is_some() || length == 0 {
                    self.parser.set_line(line + u64::from(length > 0));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads the next record. The first one settles how many columns there are.
    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        self.skip_line_ends()?;
        let first = self.names.is_empty();
        let line = self.parser.line();
        let (mut length, mut cells, mut surplus, mut bytes) = (0, 0, 0, 0);
        loop {
            let input = self.chunks.peek(self.parser.line())?;
            let at_end = input.is_empty();
            let (result, read, written, ended) =
                self.parser.read_record(input, &mut self.record[length..], &mut self.ends[cells..]);
            let returned = read > 0 && input[read - 1] == b'\r';
            self.chunks.advance(read);
            length += written;
            bytes += written;
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
        let record = Record { line, cells: cells + surplus, bytes };
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
