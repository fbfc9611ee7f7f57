//! Spreadsheet workbooks (.xlsx, and .ods by `ods`): a sheet whose first row names the columns.
//!
//! Numbers and dates of a workbook are values, however they are shown: they arrive in the engine's spelling. Cells of text that hold numbers or
//! dates are read as the column's spelling says. A formula counts with the value that was stored with it; an error value (`#N/A`) is a missing one. Empty rows and columns around the table are left out.

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

/// The names of the sheets.
#[cfg(feature = "xlsx")]
pub(super) fn sheets(raw: Raw, format: Format, options: &ReadOptions) -> Result<Vec<String>, ReadError> {
    cells::sheets(raw, format, options)
}

#[cfg(not(feature = "xlsx"))]
pub(super) fn sheets(_: Raw, _: Format, _: &ReadOptions) -> Result<Vec<String>, ReadError> {
    Ok(Vec::new())
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
    use std::borrow::Cow;
    use std::io::{BufReader, Seek, SeekFrom};

    use calamine::{Data, Ods, Range, Reader, Xlsx, open_workbook_from_rs};
    use paravent_core::values::Spelling;

    use crate::read::batch::{ColumnBuilder, NullTexts};
    use crate::read::frame::{Frame, Scan, Shape, is_total};
    use crate::read::header;
    use crate::read::input::{Raw, io_error};
    use crate::read::source::{BATCH_BYTES, BATCH_ROWS, Opened, Rows, form, garbled};
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

    pub(super) fn sheets(
        mut raw: Raw,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Vec<String>, ReadError> {
        let path = options.shown_path();
        raw.seek(SeekFrom::Start(0)).map_err(io_error(&path))?;
        let (raw, damaged) = (BufReader::new(raw), |_| garbled(&path, format));
        Ok(match format {
            Format::Ods => {
                let book: Ods<_> = open_workbook_from_rs(raw).map_err(|_| damaged(()))?;
                book.sheet_names()
            }
            _ => {
                let book: Xlsx<_> = open_workbook_from_rs(raw).map_err(|_| damaged(()))?;
                book.sheet_names()
            }
        })
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
            scan.see(Shape {
                line: first + row as u64 + 1,
                cells,
                filled: filled.len(),
                total,
                apart: false,
            });
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
        moments: Vec<Moments>,
        /// How cells of text are written that hold something else.
        spellings: Vec<Option<Spelling>>,
        /// Whether a text in another form stays as it is.
        labels: bool,
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
            let name =
                |column: usize| text(cells.get((first, column)), Moments::default()).unwrap_or_default();
            let trimmed = |name: String| match options.blanks {
                Blanks::Trim => name.trim().to_owned(),
                Blanks::Keep => name,
            };
            let (names, start) = match options.header {
                Header::FirstRow => ((0..width).map(|column| trimmed(name(column))).collect(), first + 1),
                Header::Absent => ((1..=width).map(|column| column.to_string()).collect(), first),
            };
            let mut names: Vec<String> = names;
            header::name_row_numbers(&mut names);
            header::check(&names, &path, Place::row((above + first) as u64 + 1))?;
            let moments = (0..width)
                .map(|column| Moments::of((start..end).filter_map(|row| cells.get((row, column)))))
                .collect();
            let spelled = |name: &String| options.spellings.iter().find(|(column, _)| column == name);
            let spellings = names.iter().map(|name| Some(spelled(name)?.1.clone())).collect();
            let empty = [String::new()];
            let null = NullTexts::new(options.null.as_deref().unwrap_or(&empty));
            let blanks = options.blanks;
            Ok(Table {
                cells,
                names,
                moments,
                spellings,
                labels: options.labels,
                null,
                blanks,
                selected: Vec::new(),
                next: start,
                end,
                path,
                format,
            })
        }
    }

    impl Table {
        /// A cell of text as the engine writes what it holds.
        fn respelled<'a>(&self, row: usize, column: usize, cell: &'a str) -> Result<Cow<'a, str>, ReadError> {
            let is_text = matches!(self.cells.get((row, column)), Some(Data::String(_)));
            let Some(spelling) = self.spellings[column].as_ref().filter(|_| is_text) else {
                return Ok(Cow::Borrowed(cell));
            };
            match spelling.read(cell) {
                Some(read) => Ok(read),
                None if self.labels => Ok(Cow::Borrowed(cell)),
                None => Err(ReadError::Misspelled {
                    path: self.path.clone(),
                    place: Place::row(self.row(row)).column(&self.names[column]),
                    form: form(spelling),
                }),
            }
        }

        /// The number of a row in the sheet, from 1.
        fn row(&self, row: usize) -> u64 {
            let first = self.cells.start().map_or(0, |(row, _)| u64::from(row));
            first + row as u64 + 1
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
                    let cell = text(self.cells.get((row, column)), self.moments[column]);
                    let cell = cell.as_deref().map(|cell| match self.blanks {
                        Blanks::Trim => cell.trim(),
                        Blanks::Keep => cell,
                    });
                    match cell.filter(|cell| !self.null.contains(cell.as_bytes())) {
                        Some(cell) => {
                            let cell = self.respelled(row, column, cell)?;
                            bytes += cell.len();
                            builder.push(cell.as_bytes());
                        }
                        None => builder.push_missing(),
                    }
                }
                batch.add_row(self.row(row));
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

    /// What a column shows of its moments.
    #[derive(Clone, Copy, Default)]
    struct Moments {
        clock: Clock,
        /// Whether no cell has a day: then all are times of day, which a workbook keeps as fractions of its day 0.
        no_day: bool,
    }

    impl Moments {
        fn of<'a>(cells: impl Iterator<Item = &'a Data>) -> Moments {
            let mut moments = Moments::default();
            let mut any_day = None;
            for cell in cells {
                moments.clock = moments.clock.max(Clock::of(cell));
                if let Data::DateTime(when) = cell
                    && !when.is_duration()
                {
                    any_day = Some(any_day == Some(true) || when.as_f64() >= 1.0);
                }
            }
            moments.no_day = any_day == Some(false);
            moments
        }
    }

    /// How much of the time of day a column shows: as much as one of its cells has.
    #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
    enum Clock {
        #[default]
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
    fn text(cell: Option<&Data>, moments: Moments) -> Option<String> {
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
                let minutes = format!("{hour:02}:{minute:02}");
                match (when.is_duration(), moments.no_day, moments.clock) {
                    (true, ..) => {
                        let seconds = (when.as_f64() * 86_400.0).round() as i64;
                        format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
                    }
                    (false, true, Clock::Seconds) => format!("{minutes}:{second:02}"),
                    (false, true, _) => minutes,
                    (false, false, Clock::None) => date,
                    (false, false, Clock::Minutes) => format!("{date}T{minutes}"),
                    (false, false, Clock::Seconds) => format!("{date}T{minutes}:{second:02}"),
                }
            }
        })
    }
}

#[cfg(all(test, feature = "xlsx"))]
#[allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
mod tests {
    use crate::read::tests::shown;
    use crate::read::{Batch, Frame, Input, ReadOptions};
    use paravent_core::values::{NumberSpelling, Pattern, Spelling};
    use rust_xlsxwriter::{Format, Workbook};

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
    fn times_of_day_have_no_day_and_moments_keep_theirs() {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet();
        let times = Format::new().set_num_format("hh:mm");
        for (column, name) in (0..).zip(["time", "precise", "moment"]) {
            sheet.write_string(0, column, name).unwrap();
        }
        for (row, [time, precise, moment]) in
            (1..).zip([[0.5, 0.25, 45_000.0], [0.75, 0.500_011_574_1, 45_000.5], [0.0, 0.75, 0.5]])
        {
            for (column, number) in (0..).zip([time, precise, moment]) {
                sheet.write_number_with_format(row, column, number, &times).unwrap();
            }
        }
        let bytes = workbook.save_to_buffer().unwrap();
        let shown = shown(&Input::from_bytes(bytes, ReadOptions::new("t.xlsx")));
        let rows: Vec<&str> = shown.split('/').collect();
        assert_eq!(rows[1], "12:00|06:00:00|2023-03-15T00:00");
        assert_eq!(rows[2], "18:00|12:00:01|2023-03-15T12:00");
        assert!(rows[3].starts_with("00:00|18:00:00|") && rows[3].ends_with("T12:00"), "{}", rows[3]);
    }

    #[test]
    fn cells_of_text_are_read_as_their_column_is_written() {
        let rows = ["born|amount", "14.03.1950|8.123,40", "01.12.1999|27,50", "gestern|1"];
        let input = Input::from_bytes(workbook(&[("A", &rows)]), ReadOptions::new("t.xlsx"));
        let spelled = input.read_as(|options| {
            let born = Spelling::Moment(Pattern::new("dd.MM.yyyy").unwrap());
            let amount = Spelling::Number(NumberSpelling::new(',', Some('.')).unwrap());
            options.spellings = vec![("born".to_owned(), born), ("amount".to_owned(), amount)];
        });
        let mut source = spelled.open().unwrap();
        let told = source.next_batch(&mut Batch::default()).err().unwrap().to_string();
        assert!(told.starts_with("t.xlsx, row 4, column `born`") && !told.contains("gestern"), "{told}");
        let known = spelled.read_as(|options| options.null = Some(vec!["gestern".to_owned()]));
        assert_eq!(shown(&known), "born|amount/1950-03-14|8123.40/1999-12-01|27.50/?|1");
    }

    #[test]
    fn the_row_of_a_name_that_is_missing_is_told() {
        let rows = ["", "age||zip", "34|f|81667"];
        let input = Input::from_bytes(workbook(&[("A", &rows)]), ReadOptions::new("t.xlsx"));
        let told = input.open().err().unwrap().to_string();
        assert!(told.starts_with("t.xlsx, row 2: the header's column 2 has no name"), "{told}");
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
        assert_eq!(input.sheets().unwrap(), ["Fälle", "Legende"]);
        let right = input.read_as(|options| options.sheet = Some("Legende".to_owned()));
        assert_eq!(shown(&right), "a|b/1|2");
    }
}
