//! Spreadsheet workbooks (.xlsx): one sheet, the names in its first row.
//!
//! Numbers, dates and truth values are cells of their kind where every cell of the column reads back as the very same text; all
//! others, labels of intervals among them, are text. The bytes depend on the rows alone: no name, no time of writing.

#[cfg(not(feature = "xlsx"))]
pub(super) use absent::WorkbookTable;
#[cfg(feature = "xlsx")]
pub(super) use sheet::WorkbookTable;

#[cfg(feature = "xlsx")]
mod sheet {
    use std::io::Write;

    use paravent_core::values::Spelling;
    use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

    use crate::write::ColumnKind;
    use crate::write::table::{Failure, Out, ReleasedColumn};

    /// Most rows of a sheet, the header included.
    const MOST_ROWS: u64 = 1 << 20;

    /// A workbook in the making.
    pub(in crate::write) struct WorkbookTable<'a> {
        out: Out<'a>,
        columns: Vec<Vec<Cell>>,
        formats: Vec<Format>,
        workbook: Workbook,
        rows: u64,
    }

    /// A cell as the sheet has it.
    enum Cell {
        Missing,
        Text(String),
        Number(f64),
        Truth(bool),
        When(ExcelDateTime),
    }

    impl Cell {
        /// Whether the sheet shows nothing there.
        fn is_blank(&self) -> bool {
            match self {
                Cell::Missing => true,
                Cell::Text(text) => text.is_empty(),
                _ => false,
            }
        }
    }

    impl<'a> WorkbookTable<'a> {
        pub(in crate::write) fn new(
            out: Out<'a>,
            columns: &[ReleasedColumn],
            spellings: &[(String, Spelling)],
        ) -> Result<Self, Failure> {
            let mut workbook = Workbook::new();
            let fixed = ExcelDateTime::from_ymd(2000, 1, 1).map_err(failed)?;
            workbook.set_properties(&DocProperties::new().set_creation_datetime(&fixed));
            let sheet = workbook.add_worksheet();
            for (column, released) in columns.iter().enumerate() {
                sheet.write_string(0, place(column)?, &released.name).map_err(failed)?;
            }
            let shown = |column: &ReleasedColumn| {
                let spelling = spellings.iter().find(|(name, _)| *name == column.name);
                Format::new()
                    .set_num_format(number_format(column.kind, spelling.map(|(_, spelling)| spelling)))
            };
            Ok(Self {
                out,
                columns: columns.iter().map(cells).collect(),
                formats: columns.iter().map(shown).collect(),
                workbook,
                rows: 1,
            })
        }

        pub(in crate::write) fn push(&mut self, codes: &[u32], count: u64) -> Result<(), Failure> {
            assert_eq!(codes.len(), self.columns.len(), "a code for each column");
            if self.rows + count > MOST_ROWS {
                return Err(Failure::TooManyRows);
            }
            // Whoever reads the sheet sees nothing where nothing is written.
            let filled = |(column, &code): (usize, &u32)| !self.columns[column][code as usize].is_blank();
            if !codes.iter().enumerate().any(filled) {
                return Err(Failure::EmptyRow);
            }
            let sheet = self.workbook.worksheet_from_index(0).map_err(failed)?;
            for _ in 0..count {
                let row = u32::try_from(self.rows).map_err(|_| Failure::TooManyRows)?;
                for (column, &code) in codes.iter().enumerate() {
                    let cell = &self.columns[column][code as usize];
                    put(sheet, row, place(column)?, cell, &self.formats[column]).map_err(failed)?;
                }
                self.rows += 1;
            }
            Ok(())
        }

        pub(in crate::write) fn finish(mut self) -> Result<String, Failure> {
            let bytes = self.workbook.save_to_buffer().map_err(failed)?;
            self.out.write_all(&bytes)?;
            Ok(self.out.finish()?)
        }
    }

    fn put(
        sheet: &mut Worksheet,
        row: u32,
        column: u16,
        cell: &Cell,
        format: &Format,
    ) -> Result<(), XlsxError> {
        match cell {
            Cell::Missing => return Ok(()),
            Cell::Text(text) => sheet.write_string(row, column, text)?,
            Cell::Number(number) => sheet.write_number(row, column, *number)?,
            Cell::Truth(truth) => sheet.write_boolean(row, column, *truth)?,
            Cell::When(when) => sheet.write_datetime_with_format(row, column, when, format)?,
        };
        Ok(())
    }

    /// Typed if all cells are, else text.
    fn cells(column: &ReleasedColumn) -> Vec<Cell> {
        let present = || column.cells.iter().flatten();
        // Read back, a column shows seconds where one of its cells has some, and minutes where one has those.
        let lengths = |length: usize| present().all(|text| text.len() == length);
        let clocked = match column.kind {
            ColumnKind::DateTime => {
                (lengths(16) && present().any(|text| !text.ends_with("T00:00")))
                    || (lengths(19) && present().any(|text| !text.ends_with(":00")))
            }
            _ => true,
        };
        let typed = |cell: &Option<String>| match cell {
            None => Some(Cell::Missing),
            Some(text) => value(text, column.kind),
        };
        let typed: Option<Vec<Cell>> = column.cells.iter().map(typed).collect();
        typed.filter(|_| clocked).unwrap_or_else(|| {
            let text = |cell: &Option<String>| cell.clone().map_or(Cell::Missing, Cell::Text);
            column.cells.iter().map(text).collect()
        })
    }

    fn value(text: &str, kind: ColumnKind) -> Option<Cell> {
        match kind {
            ColumnKind::Text => None,
            ColumnKind::Boolean => text.parse().ok().map(Cell::Truth),
            ColumnKind::Integer | ColumnKind::Decimal => {
                // A spreadsheet keeps fifteen digits, and no more.
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                let number: f64 = text.parse().ok().filter(|_| digits <= 15)?;
                (number.to_string() == text && text != "-0").then_some(Cell::Number(number))
            }
            ColumnKind::Date => day(text).map(Cell::When),
            ColumnKind::DateTime => {
                let (date, time) = text.split_once('T')?;
                let mut parts = time.split(':').map(|part| part.parse::<u8>().ok());
                let (hour, minute) = (parts.next()??, parts.next()??);
                let second = parts.next().unwrap_or(Some(0))?;
                let when = day(date)?.and_hms(hour.into(), minute, f64::from(second));
                when.ok().filter(|_| second < 60).map(Cell::When)
            }
        }
    }

    /// Days from March 1900 on: before, spreadsheets count a day that never was.
    fn day(text: &str) -> Option<ExcelDateTime> {
        let days = crate::civil::parse_date(text)?;
        let mut parts = text.split('-').map(|part| part.parse::<u16>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let first = crate::civil::parse_date("1900-03-01")?;
        let date = ExcelDateTime::from_ymd(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        date.ok().filter(|_| days >= first)
    }

    /// How dates are shown: as they came, or by ISO 8601.
    fn number_format(kind: ColumnKind, spelling: Option<&Spelling>) -> String {
        match (kind, spelling) {
            // Spreadsheets have small letters for all, and other ones for halves of the day.
            (ColumnKind::Date | ColumnKind::DateTime, Some(Spelling::Moment(pattern))) => {
                // In which century years of two digits lie is no part of the form.
                let form = pattern.as_str();
                let form = form.split_once(" from ").map_or(form, |(form, _)| form);
                form.replace('M', "m").replace('H', "h").replace('a', "AM/PM").replace('T', "\\T")
            }
            (ColumnKind::Date, _) => "yyyy-mm-dd".to_owned(),
            (ColumnKind::DateTime, _) => "yyyy-mm-dd hh:mm:ss".to_owned(),
            _ => "General".to_owned(),
        }
    }

    fn place(column: usize) -> Result<u16, Failure> {
        u16::try_from(column).map_err(|_| Failure::TooManyRows)
    }

    fn failed(_: XlsxError) -> Failure {
        Failure::Columnar
    }
}

/// What a build without workbooks has instead.
#[cfg(not(feature = "xlsx"))]
mod absent {
    use paravent_core::values::Spelling;

    use crate::write::table::{Failure, Out, ReleasedColumn};

    pub(in crate::write) struct WorkbookTable<'a>(Out<'a>);

    impl<'a> WorkbookTable<'a> {
        pub(in crate::write) fn new(
            _: Out<'a>,
            _: &[ReleasedColumn],
            _: &[(String, Spelling)],
        ) -> Result<Self, Failure> {
            Err(Failure::NoWorkbooks)
        }

        pub(in crate::write) fn push(&mut self, _: &[u32], _: u64) -> Result<(), Failure> {
            Err(Failure::NoWorkbooks)
        }

        pub(in crate::write) fn finish(self) -> Result<String, Failure> {
            Ok(self.0.finish()?)
        }
    }
}
