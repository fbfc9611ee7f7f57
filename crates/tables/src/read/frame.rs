//! What stands around a table in its file: titles above the names of the columns, remarks and totals below the last row.

use std::collections::{BTreeMap, VecDeque};

use csv_core::{ReadFieldResult, ReaderBuilder};

use super::chunks::Chunks;
use super::delimited::announced_delimiter;
use super::detect::{self, DELIMITERS, Sample};
use super::input::Raw;
use super::text::TextInput;
use super::{ReadError, ReadOptions};

/// Number of records in which titles are looked for.
const FIRST: usize = 40;
/// Most records below a table that are taken for remarks.
const LAST: usize = 5;
/// A table of fewer rows is too short to tell what is around it.
const FEWEST: u64 = 3;
/// In a table of fewer columns a row with a single cell may be a row.
const WIDE: usize = 6;
/// How rows of totals begin.
const TOTALS: [&str; 12] = [
    "summe",
    "gesamt",
    "insgesamt",
    "anzahl",
    "mittelwert",
    "total",
    "subtotal",
    "sum",
    "count",
    "average",
    "mean",
    "grand total",
];

/// What stands around a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Lines above the names of the columns.
    pub above: u32,
    /// Rows below the table, blank ones aside.
    pub below: u32,
}

/// What can be told of a record without showing its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Its line, or its row in a sheet, from 1.
    pub line: u64,
    pub cells: usize,
    /// Cells that hold something.
    pub filled: usize,
    /// Whether the first of these begins like a total.
    pub total: bool,
    /// Whether it stands below an empty row.
    pub apart: bool,
}

/// What stands around the table in a file of this format; nothing where that cannot be told for sure.
pub(super) fn find(mut raw: Raw, options: &ReadOptions) -> Result<Frame, ReadError> {
    let path = options.shown_path();
    let sample = Sample::take(&mut raw, &path)?;
    let format = detect::format(&sample, options)?;
    (format.kind().frame)(raw, sample, options)
}

impl Frame {
    /// For formats whose files hold nothing but the table.
    pub(super) fn none(_: Raw, _: Sample, _: &ReadOptions) -> Result<Frame, ReadError> {
        Ok(Frame::default())
    }

    /// Of delimited text.
    pub(super) fn of_text(raw: Raw, sample: Sample, options: &ReadOptions) -> Result<Frame, ReadError> {
        let path = options.shown_path();
        let quote = options.quote.unwrap_or(b'"');
        let text = TextInput::open(raw, sample, options);
        let known = options.delimiter.or_else(|| best_delimiter(&text.beginning, quote));
        let Some(delimiter) = known else { return Ok(Frame::default()) };
        let announced = announced_delimiter(&text.beginning).is_some();
        let mut scan = Scan::default();
        scan.read(Chunks::new(&path, text), delimiter, quote)?;
        let mut frame = scan.frame();
        // A line `sep=;` alone is no title: it is understood, and need not be there next time.
        if announced && frame.above == 1 {
            frame.above = 0;
        }
        Ok(frame)
    }
}

/// The delimiter that splits most records into equally many cells: more than one.
fn best_delimiter(beginning: &[u8], quote: u8) -> Option<u8> {
    let fit = |delimiter: u8| {
        let mut scan = Scan::default();
        scan.bytes(&mut parser(delimiter, quote), beginning);
        let widths = scan.widths.into_iter().filter(|(cells, _)| *cells > 1);
        widths.map(|(cells, records)| (records, cells)).max()
    };
    let fits = DELIMITERS.into_iter().filter(|&delimiter| delimiter != quote);
    fits.filter_map(|delimiter| Some((fit(delimiter)?, delimiter)))
        .max_by_key(|(fit, _)| *fit)
        .map(|(_, it)| it)
}

fn parser(delimiter: u8, quote: u8) -> csv_core::Reader {
    ReaderBuilder::new().delimiter(delimiter).quote(quote).build()
}

/// One pass over the records.
#[derive(Default)]
pub(super) struct Scan {
    first: Vec<Shape>,
    last: VecDeque<Shape>,
    /// Records by number of cells.
    widths: BTreeMap<usize, u64>,
    /// Cells that hold something, in all records.
    filled: u64,
    /// Whether the record before was empty.
    after_empty: bool,
    now: Record,
}

/// The record at hand.
#[derive(Default)]
struct Record {
    cells: usize,
    filled: usize,
    /// What the current cell begins with, and the first one that holds something.
    cell: Vec<u8>,
    leading: Vec<u8>,
}

impl Scan {
    fn read(&mut self, mut chunks: Chunks, delimiter: u8, quote: u8) -> Result<(), ReadError> {
        let mut parser = parser(delimiter, quote);
        loop {
            let chunk = chunks.peek(parser.line())?;
            if chunk.is_empty() {
                return Ok(());
            }
            let length = chunk.len();
            self.bytes(&mut parser, chunk);
            chunks.advance(length);
        }
    }

    fn bytes(&mut self, parser: &mut csv_core::Reader, mut rest: &[u8]) {
        /// So much of a cell is looked at.
        const LOOKED_AT: usize = 32;
        let mut output = [0; 1024];
        while !rest.is_empty() {
            let (result, read, written) = parser.read_field(rest, &mut output);
            let ended = read.checked_sub(1).map(|last| rest[last]);
            rest = &rest[read..];
            if self.now.cell.len() < LOOKED_AT {
                self.now.cell.extend(output[..written].trim_ascii().iter().take(LOOKED_AT));
            }
            if let ReadFieldResult::Field { record_end } = result {
                self.end_cell();
                if record_end {
                    // A carriage return ends a record before its line feed is counted.
                    let line = parser.line() - u64::from(ended == Some(b'\n'));
                    self.end_record(line);
                }
            }
        }
    }

    fn end_cell(&mut self) {
        let Record { cells, filled, cell, leading } = &mut self.now;
        *cells += 1;
        if !cell.is_empty() {
            *filled += 1;
            if leading.is_empty() {
                std::mem::swap(cell, leading);
            }
            cell.clear();
        }
    }

    fn end_record(&mut self, line: u64) {
        let Record { cells, filled, leading, .. } = std::mem::take(&mut self.now);
        self.see(Shape { line, cells, filled, total: begins_like_a_total(&leading), apart: false });
    }

    pub(super) fn see(&mut self, shape: Shape) {
        let apart = std::mem::replace(&mut self.after_empty, shape.filled == 0);
        // Empty rows that a spreadsheet leaves behind do not count.
        if shape.filled == 0 {
            return;
        }
        let shape = Shape { apart, ..shape };
        *self.widths.entry(shape.cells).or_default() += 1;
        self.filled += shape.filled as u64;
        if self.first.len() < FIRST {
            self.first.push(shape);
        }
        self.last.push_back(shape);
        if self.last.len() > LAST + 1 {
            self.last.pop_front();
        }
    }

    /// What is around the records of the usual width.
    pub(super) fn frame(&self) -> Frame {
        let usual = self.widths.iter().filter(|(cells, _)| **cells > 1);
        let Some((&width, &rows)) = usual.max_by_key(|(_, records)| **records) else {
            return Frame::default();
        };
        let all: u64 = self.widths.values().sum();
        // A table that is ragged all over is not told from what is around it.
        if rows < FEWEST || all - rows > FIRST as u64 {
            return Frame::default();
        }
        Frame { above: self.above(width), below: self.below(width) }
    }

    /// Lines above the first record that has a name in every column, if all before it hold less than half as much.
    fn above(&self, width: usize) -> u32 {
        let is_header = |shape: &Shape| shape.cells == width && shape.filled == width;
        let Some(at) = self.first.iter().position(is_header) else { return 0 };
        // A header of two columns may lack a name.
        let least = |shape: &Shape| if shape.cells == width { 3 } else { 2 };
        let is_title = |shape: &Shape| width >= least(shape) && shape.filled * 2 <= width;
        match at > 0 && self.first[..at].iter().all(is_title) {
            true => u32::try_from(self.first[at].line - 1).unwrap_or(0),
            false => 0,
        }
    }

    /// Records after the last row: shorter ones with hardly a cell, and totals. A spreadsheet fills a remark up with empty cells; it is told from
    /// a row where the table is wide and most of its cells hold something. A total below an empty row may have as many cells as it likes.
    fn below(&self, width: usize) -> u32 {
        let records: u64 = self.widths.values().sum();
        let is_dense = width >= WIDE && self.filled * 2 >= records * width as u64;
        let is_remark = |shape: &&Shape| {
            (shape.cells != width && shape.filled <= 2 && shape.filled < width)
                || (is_dense && shape.filled <= 2 && shape.filled * 4 <= width)
                || (shape.total && (shape.apart || shape.filled * 2 <= width))
        };
        let below = self.last.iter().rev().take_while(is_remark).count();
        if below > LAST { 0 } else { u32::try_from(below).unwrap_or(0) }
    }
}

fn begins_like_a_total(cell: &[u8]) -> bool {
    let text = String::from_utf8_lossy(cell).to_lowercase();
    let text = text.trim_start();
    TOTALS.iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    })
}

#[cfg(feature = "xlsx")]
pub(super) fn is_total(cell: &str) -> bool {
    begins_like_a_total(cell.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;

    fn frame(text: &str) -> (u32, u32) {
        let frame = Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("t.csv")).frame().unwrap();
        (frame.above, frame.below)
    }

    const ROWS: &str = "age;sex;zip\n34;f;81667\n45;m;81675\n27;f;81667\n61;m;80331\n";

    #[test]
    fn a_plain_table_has_nothing_around_it() {
        assert_eq!(frame(ROWS), (0, 0));
        assert_eq!(frame(&ROWS.replace("34;f;", "34;;")), (0, 0));
        assert_eq!(frame("age\n34\n45\n27\n"), (0, 0));
        assert_eq!(frame("a;b\n1\n"), (0, 0));
        // A first row with a missing name is a header all the same.
        assert_eq!(frame(&ROWS.replace("age;sex;zip", "age;;zip")), (0, 0));
    }

    #[test]
    fn titles_are_counted_in_lines() {
        assert_eq!(frame(&format!("Export of 1 February\n{ROWS}")), (1, 0));
        assert_eq!(frame(&format!("Export, of all\nWard: 3\n\n{ROWS}")), (3, 0));
        assert_eq!(frame(&format!("Export, of all\nWard: 3\n\n{ROWS}").replace('\n', "\r\n")), (3, 0));
        assert_eq!(frame(&format!("Export;;\n;;\n{ROWS}")), (2, 0));
        assert_eq!(frame(&format!("sep=;\nExport\n{ROWS}")), (2, 0));
        assert_eq!(frame(&format!("sep=;\r\n{ROWS}")), (0, 0), "the reader knows what it means");
    }

    #[test]
    fn remarks_and_totals_are_counted_in_rows() {
        assert_eq!(frame(&format!("{ROWS}\nRows: 4\n")), (0, 1));
        assert_eq!(frame(&format!("{ROWS}Rows: 4\nprinted by nobody")), (0, 2));
        assert_eq!(frame(&format!("Export\n{ROWS};;\nSumme;;\n")), (1, 1));
        assert_eq!(frame(&format!("{ROWS}Total;;4\n")), (0, 0), "two of three cells may be a row");
        assert_eq!(frame(&format!("{ROWS};;\n;;\nTotal;2;4\n")), (0, 1), "below an empty row it is none");
        assert_eq!(frame(&format!("{ROWS};;\nAnna;2;4\n")), (0, 0), "a row below an empty one is a row");
        assert_eq!(frame(&format!("{ROWS}Totalsen;;\n")), (0, 0), "a name is no total");
        // A remark that was filled up with empty cells, as spreadsheets do.
        let wide = "a;b;c;d;e;f;g;h\n".to_owned() + &"1;2;3;4;5;6;7;8\n".repeat(9);
        assert_eq!(frame(&format!("{wide}Summe;;;36;;;;\nprinted by nobody;;;;;;;\n")), (0, 2));
        assert_eq!(frame(&format!("{wide}printed by;nobody;;;;;;\n")), (0, 1));
        assert_eq!(frame(&format!("{wide}1;2;3;;;;;\n")), (0, 0), "three cells may be a row");
        let sparse = "a;b;c;d;e;f;g;h\n".to_owned() + &"1;;;;;;;\n".repeat(9);
        assert_eq!(frame(&sparse), (0, 0), "rows of one cell are rows where all are so");
        // A row that was cut off has more than remarks have.
        assert_eq!(frame("a;b;c;d\n1;2;3;4\n1;2;3;4\n1;2;3;4\n1;2;3\n"), (0, 0));
    }
}
