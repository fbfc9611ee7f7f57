//! `[input]`: the table to anonymize.

use std::fmt;
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;

use super::ascii_char::AsciiChar;
use super::keys::{CELLS, Key, Takes, key, words};
use super::names::names;
use super::treatment::Sample;
use super::treatment_walk::SAMPLE;
use super::walk::{Section, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("path", Takes::Text, "The file, or - for standard input"),
    key("url", Takes::Text, "Address of a database, instead of a file"),
    key("table", Takes::Text, "With a url: the table"),
    key("format", Takes::Choice(words::<InputFormat>), "Kind of the file; told by its name"),
    key("delimiter", Takes::Text, "Delimited text: what stands between cells, or tab"),
    key("quote", Takes::Text, "Delimited text: what stands around cells"),
    key("encoding", Takes::Text, "Delimited text: UTF-8 unless said otherwise"),
    key("null", CELLS, "Texts that mean: no value"),
    key("sample", Takes::Table(SAMPLE), "A random sample, drawn before anything else"),
    key("sheet", Takes::Text, "Workbooks: the sheet; the first by default"),
    key(
        "skip",
        Takes::Whole(0, 10_000),
        "Lines above the names of the columns; in workbooks rows of the sheet",
    ),
    key("footer", Takes::Whole(0, 1_000), "Rows below the table, such as totals; blank ones are not counted"),
    key("blanks", Takes::Choice(words::<Blanks>), "What blanks around cells are"),
];

/// Where the table comes from and how to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// File, standard input or database.
    pub source: InputSource,
    /// `None`: told by the file name, see [`Input::format`].
    pub format: Option<InputFormat>,
    /// CSV only; `None`: that of the format.
    pub delimiter: Option<AsciiChar>,
    /// CSV only; `None`: `"`.
    pub quote: Option<AsciiChar>,
    /// CSV only; `None`: UTF-8, or what a byte-order mark says.
    pub encoding: Option<&'static Encoding>,
    /// CSV only: the texts of a missing value. The empty cell unless said otherwise.
    pub null: Vec<String>,
    /// A random sample is drawn before anything else.
    pub sample: Option<Sample>,
    /// Workbooks only; `None`: the first sheet.
    pub sheet: Option<String>,
    /// Lines above the names of the columns that are no part of the table; in workbooks rows of the sheet.
    pub skip: u32,
    /// Rows below the table that are no part of it, blank ones aside.
    pub footer: u32,
    /// Whether blanks around cells count.
    pub blanks: Blanks,
}

/// What blanks around cells are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blanks {
    /// Part of the cell.
    #[default]
    Keep,
    /// Nothing; and a row of empty cells is none.
    Trim,
}
names!(Blanks { Keep: "keep", Trim: "trim" });

/// Where the table comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// `path = "patients.csv"`, as written.
    File(PathBuf),
    /// `path = "-"`
    Stdin,
    /// `url = "postgres://…"` or `url = "sc://…"`, and `table = "…"`
    Engine {
        /// Address of the database or the cluster.
        url: DatabaseUrl,
        /// Name of the table, perhaps with its schema; or format and path of its files.
        table: String,
    },
}

impl InputSource {
    /// What a command line names: `-`, an address with a table behind a `#`, or a file as seen from here.
    pub fn given(path: &Path) -> InputSource {
        if path == Path::new("-") {
            return InputSource::Stdin;
        }
        match path.to_str().filter(|text| is_address(text)) {
            Some(text) => {
                let (url, table) = text.split_once('#').unwrap_or((text, ""));
                InputSource::Engine { url: DatabaseUrl(url.to_owned()), table: table.to_owned() }
            }
            None => InputSource::File(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())),
        }
    }
}

pub(super) fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://", "sc://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Address of a database. May hold a password, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(pub String);

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(..)")
    }
}

/// Makes the kinds of files that job files name: a line each, with the name and further endings of file names.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident: $name:literal $(or $ending:literal)*),+ $(,)?) => {
        /// What kind of file a table is read from.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum InputFormat {
            $($(#[$doc])* $format),+
        }
        names!(InputFormat { $($format: $name),+ });

        impl InputFormat {
            /// What the file name says; `None` for an unknown ending.
            pub fn of(path: &Path) -> Option<Self> {
                let extension = path.extension()?.to_str()?.to_ascii_lowercase();
                match extension.as_str() {
                    $($name $(| $ending)* => Some(Self::$format),)+
                    _ => None,
                }
            }
        }
    };
}

formats! {
    /// Text with a delimiter, a comma unless said otherwise.
    Csv: "csv" or "txt",
    /// Text with tabs.
    Tsv: "tsv" or "tab",
    /// Apache Parquet.
    Parquet: "parquet" or "pq",
    /// Arrow IPC file or stream.
    Arrow: "arrow" or "feather" or "ipc" or "arrows",
    /// One array of objects.
    Json: "json",
    /// One object per line.
    Jsonl: "jsonl" or "ndjson",
    /// Spreadsheet workbook.
    Xlsx: "xlsx" or "xlsm",
    /// OpenDocument spreadsheet.
    Ods: "ods",
    /// Data set of Stata.
    Dta: "dta",
}

impl Input {
    /// A file, all else left to its name.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let source = if path == Path::new("-") { InputSource::Stdin } else { InputSource::File(path) };
        Self {
            source,
            format: None,
            delimiter: None,
            quote: None,
            encoding: None,
            null: vec![String::new()],
            sample: None,
            sheet: None,
            skip: 0,
            footer: 0,
            blanks: Blanks::Keep,
        }
    }

    /// The format asked for, else that of the file name, else CSV.
    pub fn format(&self) -> InputFormat {
        let by_name = match &self.source {
            InputSource::File(path) => InputFormat::of(path),
            InputSource::Stdin | InputSource::Engine { .. } => None,
        };
        self.format.or(by_name).unwrap_or(InputFormat::Csv)
    }
}

impl Input {
    /// Reads `[input]`.
    pub(super) fn read(walk: &mut Walk, section: &Section<'_>) -> Option<Self> {
        section.allow_keys(walk, KEYS);
        let format = section.get(walk, "format", "\"csv\"");
        let format = format.and_then(|item| item.choice(walk, "an input format"));
        let source = read_source(walk, section, format);
        let delimiter = section.get(walk, "delimiter", "\";\"").and_then(|item| item.ascii_char(walk));
        let quote = section.get(walk, "quote", "'\"'").and_then(|item| item.ascii_char(walk));
        if delimiter.is_some() && delimiter == Some(quote.unwrap_or(AsciiChar::QUOTE)) {
            let key = if quote.is_some() { "quote" } else { "delimiter" };
            if let Some(item) = section.get(walk, key, "") {
                let advice = "Write e.g. delimiter = \",\" and quote = '\"'";
                walk.report(item.line, &item.key, "delimiter and quote must differ", advice);
            }
        }
        let encoding = read_encoding(walk, section);
        let null = match section.get(walk, "null", "[\"\", \"NA\"]") {
            Some(item) => item.cells(walk, 0)?,
            None => vec![String::new()],
        };
        let sample = match section.get(walk, "sample", "{ share = 0.1, key = \"sample.key\" }") {
            Some(item) => Some(Sample::read(walk, &item)?),
            None => None,
        };
        let blanks = section.get(walk, "blanks", "\"trim\"");
        let blanks = blanks.and_then(|item| item.choice(walk, "a way to treat blanks")).unwrap_or_default();
        let sheet = section.get(walk, "sheet", "\"patients\"");
        let sheet = sheet.and_then(|item| item.name(walk)).map(str::to_owned);
        let mut lines = |key: &'static str, most: u64| {
            let item = section.get(walk, key, "2");
            item.and_then(|item| item.whole(walk, 0..=most)).and_then(|lines| u32::try_from(lines).ok())
        };
        let skip = lines("skip", 10_000).unwrap_or(0);
        let footer = lines("footer", 1_000).unwrap_or(0);
        Some(Self {
            source: source?,
            format,
            delimiter,
            quote,
            encoding,
            null,
            sample,
            sheet,
            skip,
            footer,
            blanks,
        })
    }
}

fn read_source(walk: &mut Walk, section: &Section<'_>, format: Option<InputFormat>) -> Option<InputSource> {
    section.exclusive(walk, "path", "url");
    let url = section.get(walk, "url", "\"postgres://host/database\"");
    if let Some(item) = section.get(walk, "path", "\"patients.csv\"") {
        if let (None, Some(table)) = (&url, section.get(walk, "table", "")) {
            let advice = "Leave it out, or write url = \"postgres://…\" instead of path";
            walk.report(table.line, &table.key, "goes with url, not with path", advice);
        }
        let path = item.path(walk)?;
        if format.is_none() && is_foreign(&path) {
            let advice =
                "Export the table as CSV or Parquet first, or say what the file is with format = \"csv\"";
            walk.report(item.line, &item.key, "files of this kind cannot be read", advice);
        }
        return Some(Input::file(path).source);
    }
    let Some(url) = url else {
        // One of the two is needed; files are what most people have.
        section.require(walk, "path", "\"patients.csv\"");
        return None;
    };
    let table = section.require(walk, "table", "\"patients\"").and_then(|item| item.name(walk));
    let address = url.string(walk)?;
    // The address may hold a password, so no message repeats it.
    if !is_address(address) {
        url.report(walk, "must start with postgres:// or sc://");
        return None;
    }
    Some(InputSource::Engine { url: DatabaseUrl(address.to_owned()), table: table?.to_owned() })
}

/// Kinds of files that hold tables, but that are not text.
pub(super) fn is_foreign(path: &Path) -> bool {
    const FOREIGN: [&str; 12] =
        ["xls", "xlsb", "sas7bdat", "xpt", "sav", "zsav", "por", "rds", "zip", "gz", "sqlite", "db"];
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    FOREIGN.iter().any(|foreign| foreign.eq_ignore_ascii_case(extension))
}

pub(super) fn read_encoding(walk: &mut Walk, section: &Section<'_>) -> Option<&'static Encoding> {
    let item = section.get(walk, "encoding", "\"utf-8\" or encoding = \"windows-1252\"")?;
    let label = item.string(walk)?;
    // The web's list of labels, which is used here, has it without the hyphen that most people write.
    let known = if label.eq_ignore_ascii_case("latin-1") { "latin1" } else { label };
    let found = Encoding::for_label_no_replacement(known.as_bytes());
    if found.is_none() {
        item.report(walk, format!("{} is not an encoding", super::suggest::shortened(label)));
    }
    found
}
