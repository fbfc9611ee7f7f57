//! Spreadsheet workbooks (.xlsx, and .ods by `ods`): a sheet whose first row names the columns.
//!
//! Numbers and dates of a workbook are values, however they are shown: they arrive in the engine's spelling. A formula counts with the
//! value that was stored with it; an error value (`#N/A`) is a missing one. Empty rows and columns around the table are left out.

use super::formats::{Cells, Kind, Missing};
use super::frame::Frame;
use super::input::Raw;
use super::source::Opened;
use super::{Format, ReadError, ReadOptions};

pub(super) const FORMAT: Kind = Kind {
    format: Format::Xlsx,
    shown: "workbook",
    names: &["xlsx"],
    endings: &["xlsm"],
    is_it: |bytes| bytes.starts_with(b"PK\x03\x04"),
    open: |raw, _, options| open(raw, Format::Xlsx, options),
    frame: |raw, _, options| frame(raw, Format::Xlsx, options),
    missing: Missing::ByText,
    cells: Cells::Sheet,
};

#[cfg(not(feature = "xlsx"))]
pub(super) fn open(_: Raw, _: Format, options: &ReadOptions) -> Result<Opened, ReadError> {
    Err(ReadError::Options {
        path: options.shown_path(),
        reason: "workbooks cannot be read in this build, which lacks the feature xlsx; export the sheet as CSV",
    })
}

/// A sheet of a workbook of either kind.
#[cfg(feature = "xlsx")]
pub(super) fn open(raw: Raw, format: Format, options: &ReadOptions) -> Result<Opened, ReadError> {
    cells::open(raw, format, options)
}

/// What stands around the table of the sheet.
#[cfg(feature = "xlsx")]
pub(super) fn frame(raw: Raw, format: Format, options: &ReadOptions) -> Result<Frame, ReadError> {
    cells::frame(raw, format, options)
}

#[cfg(not(feature = "xlsx"))]
pub(super) fn frame(_: Raw, _: Format, _: &ReadOptions) -> Result<Frame, ReadError> {
    Ok(Frame::default())
}

#[cfg(feature = "xlsx")]
mod cells {
    use std::io::{BufReader, Seek, SeekFrom};

    use calamine::{Data, Ods, Range, Reader, Xlsx, open_workbook_from_rs};

    use crate::read::batch::{ColumnBuilder, NullTexts};
    use crate::read::frame::{Frame, Scan, Shape, is_total};
    use crate::read::header;
    use crate::read::input::{Raw, io_error};
    use crate::read::source::{BATCH_BYTES, BATCH_ROWS, Opened, Rows, garbled};
    use crate::read::{Batch, Blanks, Dialect, Format, Header, Place, ReadError, ReadOptions};

    /// The cells of the sheet.
    fn range(mut raw: Raw, format: Format, options: &ReadOptions) -> Result<Range<Data>, ReadError> {
        raw.seek(SeekFrom::Start(0)).map_err(io_error(&options.shown_path()))?;
        match format {
            Format::Ods => sheet_of::<Ods<_>>(raw, format, options),
            _ => sheet_of::<Xlsx<_>>(raw, format, options),
        }
    }

    fn sheet_of<R: Reader<BufReader<Raw>>>(
        raw: Raw,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Range<Data>, ReadError> {
        let path = options.shown_path();
        let damaged = || garbled(&path, format);
        let mut workbook: R = open_workbook_from_rs(BufReader::new(raw)).map_err(|_| damaged())?;
        let names = workbook.sheet_names();
        let sheet = match &options.sheet {
            None => names.first(),
            Some(wanted) => names.iter().find(|name| *name == wanted),
        };
        let Some(sheet) = sheet.cloned() else {
            let sheets = names.iter().map(|name| format!("\"{name}\"")).collect();
            return Err(ReadError::NoSuchSheet { path, sheets });
        };
        workbook.worksheet_range(&sheet).map_err(|_| damaged())
    }

    /// What stands around the table of a sheet.
    pub(super) fn frame(raw: Raw, format: Format, options: &ReadOptions) -> Result<Frame, ReadError> {
        let cells = range(raw, format, options)?;
        let first = cells.start().map_or(0, |(row, _)| u64::from(row));
        let mut scan = Scan::default();
        let is_filled = |row: usize, column: usize| !is_empty(cells.get((row, column)));
        let any = |column: usize| (0..cells.height()).any(|row| is_filled(row, column));
        let width = (0..cells.width()).rev().find(|&column| any(column)).map_or(0, |column| column + 1);
        for row in 0..cells.height() {
            let filled: Vec<usize> = (0..width).filter(|&column| is_filled(row, column)).collect();
            let leading = filled.first().and_then(|&column| cells.get((row, column)));
            let total = matches!(leading, Some(Data::String(text)) if is_total(text));
            // A remark is one cell below a row without any; a row of the table may have a single value.
            let is_apart = row > 0 && !(0..width).any(|column| is_filled(row - 1, column));
            let cells = if filled.len() == 1 && width > 1 && is_apart { 1 } else { width };
            scan.see(Shape { line: first + row as u64 + 1, cells, filled: filled.len(), total });
        }
        Ok(scan.frame())
    }

    pub(super) fn open(raw: Raw, format: Format, options: &ReadOptions) -> Result<Opened, ReadError> {
        let mut table = Table::of(range(raw, format, options)?, format, options)?;
        let columns = table.names.clone();
        table.selected = (0..columns.len()).collect();
        Ok(Opened { dialect: Dialect::columnar(format), columns, rows: Box::new(table) })
    }

    /// A sheet in memory.
    struct Table {
        cells: Range<Data>,
        names: Vec<String>,
        /// How the dates of each column are written.
        clocks: Vec<Clock>,
        null: NullTexts,
        blanks: Blanks,
        selected: Vec<usize>,
        next: usize,
        end: usize,
        path: std::path::PathBuf,
        format: Format,
    }

    impl Table {
        fn of(cells: Range<Data>, format: Format, options: &ReadOptions) -> Result<Table, ReadError> {
            let path = options.shown_path();
            let filled = |row: usize| (0..cells.width()).any(|column| !is_empty(cells.get((row, column))));
            let above = cells.start().map_or(0, |(row, _)| row as usize);
            let skipped = (options.skip as usize).saturating_sub(above);
            let Some(first) = (skipped..cells.height()).find(|&row| filled(row)) else {
                return Err(ReadError::Empty { path });
            };
            let rows: Vec<usize> = (first..cells.height()).filter(|&row| filled(row)).collect();
            let last = rows.len().saturating_sub(options.footer as usize).checked_sub(1);
            let end = last.map_or(first, |last| rows[last] + 1);
            let any = |column: usize| (first..end).any(|row| !is_empty(cells.get((row, column))));
            let width = (0..cells.width()).rev().find(|&column| any(column)).map_or(0, |column| column + 1);
            let name = |column: usize| text(cells.get((first, column)), Clock::None).unwrap_or_default();
            let trimmed = |name: String| match options.blanks {
                Blanks::Trim => name.trim().to_owned(),
                Blanks::Keep => name,
            };
            let (names, start) = match options.header {
                Header::FirstRow => ((0..width).map(|column| trimmed(name(column))).collect(), first + 1),
                Header::Absent => ((1..=width).map(|column| column.to_string()).collect(), first),
            };
            let names: Vec<String> = names;
            header::check(&names, &path, Place::row(0))?;
            let clocks = (0..width)
                .map(|column| {
                    let cells = (start..end).filter_map(|row| cells.get((row, column)));
                    cells.map(Clock::of).max().unwrap_or(Clock::None)
                })
                .collect();
            let empty = [String::new()];
            let null = NullTexts::new(options.null.as_deref().unwrap_or(&empty));
            let blanks = options.blanks;
            Ok(Table { cells, names, clocks, null, blanks, selected: Vec::new(), next: start, end, path, format })
        }
    }

    impl Rows for Table {
        fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
            self.selected = columns.to_vec();
            Ok(())
        }

        fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
            let mut builders: Vec<ColumnBuilder> =
                self.selected.iter().map(|_| ColumnBuilder::default()).collect();
            let mut bytes = 0;
            while self.next < self.end && batch.rows < BATCH_ROWS && bytes < BATCH_BYTES {
                let row = self.next;
                self.next += 1;
                // A row without any cell does not count, as in the middle of a printed sheet.
                if (0..self.names.len()).all(|column| is_empty(self.cells.get((row, column)))) {
                    continue;
                }
                for (builder, &column) in builders.iter_mut().zip(&self.selected) {
                    let cell = text(self.cells.get((row, column)), self.clocks[column]);
                    let cell = cell.as_deref().map(|cell| match self.blanks {
                        Blanks::Trim => cell.trim(),
                        Blanks::Keep => cell,
                    });
                    match cell.filter(|cell| !self.null.contains(cell.as_bytes())) {
                        Some(cell) => {
                            bytes += cell.len();
                            builder.push(cell.as_bytes());
                        }
                        None => builder.push_missing(),
                    }
                }
                let first = self.cells.start().map_or(0, |(row, _)| u64::from(row));
                batch.add_row(first + row as u64 + 1);
            }
            for (builder, column) in builders.iter_mut().zip(&mut batch.columns) {
                builder.finish(column).map_err(|_| garbled(&self.path, self.format))?;
            }
            Ok(())
        }
    }

    fn is_empty(cell: Option<&Data>) -> bool {
        match cell {
            None | Some(Data::Empty) => true,
            Some(Data::String(text)) => text.is_empty(),
            Some(_) => false,
        }
    }

    /// How much of the time of day a column shows: as much as one of its cells has.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Clock {
        None,
        Minutes,
        Seconds,
    }

    impl Clock {
        fn of(cell: &Data) -> Clock {
            match cell {
                Data::DateTime(when) if !when.is_duration() => match when.to_ymd_hms_milli() {
                    (_, _, _, 0, 0, 0, _) => Clock::None,
                    (_, _, _, _, _, 0, _) => Clock::Minutes,
                    _ => Clock::Seconds,
                },
                _ => Clock::None,
            }
        }
    }

    /// A cell as the engine writes it; `None` for one without a value.
    fn text(cell: Option<&Data>, clock: Clock) -> Option<String> {
        Some(match cell? {
            Data::Empty | Data::Error(_) => return None,
            Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
            Data::Bool(truth) => truth.to_string(),
            Data::Int(number) => number.to_string(),
            Data::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number:.0}"),
            // The shortest text that is this number, and never with an exponent.
            Data::Float(number) => number.to_string(),
            Data::DateTime(when) => {
                let (year, month, day, hour, minute, second, _) = when.to_ymd_hms_milli();
                let date = format!("{year:04}-{month:02}-{day:02}");
                match (when.is_duration(), clock) {
                    (true, _) => {
                        let seconds = (when.as_f64() * 86_400.0).round() as i64;
                        format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
                    }
                    (false, Clock::None) => date,
                    (false, Clock::Minutes) => format!("{date}T{hour:02}:{minute:02}"),
                    (false, Clock::Seconds) => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
                }
            }
        })
    }
}

#[cfg(all(test, feature = "xlsx"))]
#[allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
mod tests {
    use crate::read::tests::shown;
    use crate::read::{Frame, Input, ReadOptions};
    use rust_xlsxwriter::Workbook;

    /// A workbook with these sheets; cells of a row are separated by bars.
    fn workbook(sheets: &[(&str, &[&str])]) -> Vec<u8> {
        let mut workbook = Workbook::new();
        for (name, rows) in sheets {
            let sheet = workbook.add_worksheet().set_name(*name).unwrap();
            for (row, cells) in (0..).zip(*rows) {
                for (column, cell) in (0..).zip(cells.split('|')).filter(|(_, cell)| !cell.is_empty()) {
                    sheet.write_string(row, column, cell).unwrap();
                }
            }
        }
        workbook.save_to_buffer().unwrap()
    }

    const ROWS: [&str; 8] =
        ["Export of 2024", "", "age|sex|zip", "34|f|81667", "45|m|81675", "27|f|80331", "", "Rows: 3"];

    #[test]
    fn titles_and_remarks_of_a_sheet_are_found_and_left_out() {
        let input = Input::from_bytes(workbook(&[("A", &ROWS)]), ReadOptions::new("t.xlsx"));
        assert_eq!(input.frame().unwrap(), Frame { above: 2, below: 1 });
        let input = input.read_as(|options| (options.skip, options.footer) = (2, 1));
        assert_eq!(shown(&input), "age|sex|zip/34|f|81667/45|m|81675/27|f|80331");
        let plain = Input::from_bytes(workbook(&[("A", &ROWS[2..6])]), ReadOptions::new("t.xlsx"));
        assert_eq!(plain.frame().unwrap(), Frame::default());
    }

    #[test]
    fn a_sheet_that_is_not_there_is_answered_with_those_that_are() {
        let bytes = workbook(&[("Fälle", &ROWS[2..6]), ("Legende", &["a|b", "1|2"])]);
        let input = Input::from_bytes(bytes, ReadOptions::new("t.xlsx"));
        let wrong = input.read_as(|options| options.sheet = Some("Faelle".to_owned()));
        let told = wrong.open().err().unwrap().to_string();
        assert_eq!(
            told,
            "t.xlsx: the workbook has no sheet of that name; its sheets are \"Fälle\", \"Legende\""
        );
        let right = input.read_as(|options| options.sheet = Some("Legende".to_owned()));
        assert_eq!(shown(&right), "a|b/1|2");
    }
}
