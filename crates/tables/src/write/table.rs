//! A released table on its way into a file.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use paravent_core::values::Spelling;

use super::WriteError;
use super::columnar::ColumnarTable;
use super::csv::CsvTable;
use super::hashing::HashingWriter;
use super::workbook::WorkbookTable;

/// A released column: its distinct cells, already final. A row refers to a cell by its index.
#[derive(Clone, PartialEq, Eq)]
pub struct ReleasedColumn {
    /// The name in the header.
    pub name: String,
    /// What the cells are, for formats with types.
    pub kind: ColumnKind,
    /// The cells; `None` is a missing value.
    pub cells: Vec<Option<String>>,
}

/// Cells stay out of logs, released or not.
impl fmt::Debug for ReleasedColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReleasedColumn({}, {} cells)", self.name, self.cells.len())
    }
}

/// What the cells of a released column are. A wish: a typed column is written only if its cells read back as the very same
/// text, else text is written. So `007` stays what it is, and a column of labels such as `20-39` need not be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Whole numbers: 64-bit integers.
    Integer,
    /// Decimal numbers: exact, up to 38 digits.
    Decimal,
    /// `2024-03-09`.
    Date,
    /// `2024-03-09T14:05:00`, with up to six digits of a second: microseconds without a time zone.
    DateTime,
    /// `true` and `false`.
    Boolean,
}

/// The file format of a released table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Delimited text, lines end with LF; UTF-8 without a byte order mark unless said otherwise.
    Csv(CsvStyle),
    /// Apache Parquet, Snappy-compressed.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// A spreadsheet workbook; dates are shown as their column was written.
    Xlsx(Vec<(String, Spelling)>),
}

impl OutputFormat {
    /// The ending of the data file's name.
    pub fn extension(&self) -> &'static str {
        match self {
            Self::Csv(_) => "csv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Xlsx(_) => "xlsx",
        }
    }
}

/// How delimited text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    /// Byte between two cells; an ASCII character.
    pub delimiter: u8,
    /// The text of a missing value. A cell that happens to be this text is written in quotes, which tells the two apart for a
    /// reader who cares; most readers, ours included, take both for missing.
    pub null: String,
    /// Puts a `'` before cells (column names too) that a spreadsheet would take for a formula.
    pub spreadsheet_safe: bool,
    /// How characters are stored.
    pub encoding: TextEncoding,
    /// Whether the file starts with a byte order mark; UTF-8 only.
    pub byte_order_mark: bool,
    /// How the values of a column are written, by its name. Labels stay as they are.
    pub spellings: Vec<(String, Spelling)>,
}

impl Default for CsvStyle {
    fn default() -> Self {
        Self {
            delimiter: b',',
            null: String::new(),
            spreadsheet_safe: false,
            encoding: TextEncoding::Utf8,
            byte_order_mark: false,
            spellings: Vec::new(),
        }
    }
}

/// How the characters of a released file are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// Windows code page 1252, which western European spreadsheets expect.
    Windows1252,
}

impl TextEncoding {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Windows1252 => "windows-1252",
        }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Rows, without the header.
    pub rows: u64,
    /// SHA-256 of the file in hexadecimal, taken while writing.
    pub sha256: String,
}

/// Writes a table row by row.
pub struct TableWriter<'a> {
    path: PathBuf,
    rows: u64,
    table: Table<'a>,
}

enum Table<'a> {
    Csv(CsvTable<'a>),
    Columnar(Box<ColumnarTable<'a>>),
    Workbook(Box<WorkbookTable<'a>>),
}

pub(super) type Out<'a> = HashingWriter<Box<dyn Write + Send + 'a>>;

impl<'a> TableWriter<'a> {
    /// Starts a table on `out`, which should be unbuffered (a file just created). The path is for error messages.
    pub fn new(
        path: impl AsRef<Path>,
        out: impl Write + Send + 'a,
        format: &OutputFormat,
        columns: &'a [ReleasedColumn],
    ) -> Result<Self, WriteError> {
        let path = path.as_ref().to_owned();
        if columns.is_empty() {
            return Err(WriteError::Options { path, reason: "a table needs a column" });
        }
        let out: Out<'a> = HashingWriter::new(Box::new(out));
        let table = match format {
            OutputFormat::Csv(style) => {
                if !style.delimiter.is_ascii() || matches!(style.delimiter, b'"' | b'\r' | b'\n' | 0) {
                    let reason = "the delimiter must be one ASCII character, no quote and no line end";
                    return Err(WriteError::Options { path, reason });
                }
                CsvTable::new(out, style, columns).map(Table::Csv)
            }
            OutputFormat::Parquet => {
                ColumnarTable::parquet(out, columns).map(|t| Table::Columnar(Box::new(t)))
            }
            OutputFormat::Arrow => ColumnarTable::arrow(out, columns).map(|t| Table::Columnar(Box::new(t))),
            OutputFormat::Xlsx(spellings) => {
                WorkbookTable::new(out, columns, spellings).map(|t| Table::Workbook(Box::new(t)))
            }
        };
        match table {
            Ok(table) => Ok(Self { path, rows: 0, table }),
            Err(failure) => Err(failure.at(&path)),
        }
    }

    /// Writes a row `count` times. `codes` has the index of a cell for each column.
    ///
    /// # Panics
    /// If a code is not the index of a cell.
    pub fn push(&mut self, codes: &[u32], count: u64) -> Result<(), WriteError> {
        let pushed = match &mut self.table {
            Table::Csv(table) => table.push(codes, count),
            Table::Columnar(table) => table.push(codes, count),
            Table::Workbook(table) => table.push(codes, count),
        };
        pushed.map_err(|failure| failure.at(&self.path))?;
        self.rows += count;
        Ok(())
    }

    /// Writes what is still in memory. The file is not synced; [`Staging::publish`](super::Staging::publish) does that.
    pub fn finish(self) -> Result<Written, WriteError> {
        let finished = match self.table {
            Table::Csv(table) => table.finish(),
            Table::Columnar(table) => table.finish(),
            Table::Workbook(table) => table.finish(),
        };
        let sha256 = finished.map_err(|failure| failure.at(&self.path))?;
        Ok(Written { rows: self.rows, sha256 })
    }
}

/// Writes a whole table: each row comes with the number of times it occurs.
pub fn write_table<'r>(
    path: impl AsRef<Path>,
    out: impl Write + Send,
    format: &OutputFormat,
    columns: &[ReleasedColumn],
    rows: impl IntoIterator<Item = (&'r [u32], u64)>,
) -> Result<Written, WriteError> {
    let mut table = TableWriter::new(path, out, format, columns)?;
    for (codes, count) in rows {
        table.push(codes, count)?;
    }
    table.finish()
}

/// A failure before the path is known.
#[derive(Debug)]
pub(super) enum Failure {
    Io(io::Error),
    Columnar,
    /// A character that the encoding does not have; the column.
    Unencodable(String),
    /// A label that would be read as a value; the column.
    Ambiguous(String),
    /// More rows or columns than a sheet has.
    #[cfg_attr(not(feature = "xlsx"), expect(dead_code, reason = "workbooks only"))]
    TooManyRows,
    /// A row of missing cells only, which a sheet does not have.
    #[cfg_attr(not(feature = "xlsx"), expect(dead_code, reason = "workbooks only"))]
    EmptyRow,
    /// A build without workbooks.
    #[cfg_attr(feature = "xlsx", expect(dead_code, reason = "builds without workbooks only"))]
    NoWorkbooks,
}

impl Failure {
    fn at(self, path: &Path) -> WriteError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => WriteError::Io { path, source },
            Self::Columnar => WriteError::Columnar { path },
            Self::Unencodable(column) => WriteError::Unencodable { path, column },
            Self::TooManyRows => WriteError::Options {
                path,
                reason: "a sheet has 1,048,576 rows and no more; write csv or parquet",
            },
            Self::EmptyRow => WriteError::Options {
                path,
                reason: "a row in which every cell is missing would be no row of a sheet; write csv or parquet",
            },
            Self::NoWorkbooks => {
                WriteError::Options { path, reason: "this build lacks the feature xlsx; write csv instead" }
            }
            Self::Ambiguous(column) => WriteError::Ambiguous { path, column },
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
