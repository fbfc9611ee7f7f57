//! How a table is stored: what the user says, and what was found.

use std::path::{Path, PathBuf};

use paravent_core::values::Spelling;

use super::{Format, ReadError};
use crate::engine::Address;

/// Where a table is and how it is stored. Everything but the path may be left open.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// By default the file name's ending decides, and if that says nothing, the first bytes.
    pub format: Option<Format>,
    /// Byte between two cells (delimited text). By default found by [`detect_delimiter`](super::detect_delimiter).
    pub delimiter: Option<u8>,
    /// Byte around cells that hold delimiters or line ends (delimited text). By default `"`.
    pub quote: Option<u8>,
    /// By default a byte order mark decides; without one text is UTF-8, or Latin-1 if its beginning is not UTF-8.
    pub encoding: Option<Encoding>,
    /// The sheet of a workbook; by default the first.
    pub sheet: Option<String>,
    /// Lines above the column names that are no part of the table (delimited text), or rows of the sheet (workbooks).
    pub skip: u32,
    /// Rows after the last one that are no part of the table, blank ones aside (delimited text, workbooks).
    pub footer: u32,
    /// Whether the first row holds the column names (delimited text).
    pub header: Header,
    /// Cells with one of these texts are missing, quoted or not. By default the empty cell in delimited text; in the other
    /// formats, which have a null of their own, no text is taken for a missing value.
    pub null: Option<Vec<String>>,
    /// Whether blanks around cells and rows without any cell are left out (delimited text, workbooks).
    pub blanks: Blanks,
    /// How the cells of a column are written, by its name. They are delivered in the engine's spelling.
    pub spellings: Vec<(String, Spelling)>,
    /// Whether a cell that is not written so is a label and stays as it is, as in a release; else it is an error.
    pub labels: bool,
    /// Largest cell in bytes, at most 1 GiB. It bounds the memory that a quote which is never closed can take.
    pub field_limit: usize,
    /// Most bytes held for an input that can be read only once (standard input, a pipe).
    pub held_limit: u64,
}

impl ReadOptions {
    /// The table at `path`, everything else to be found out.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            delimiter: None,
            quote: None,
            encoding: None,
            sheet: None,
            skip: 0,
            footer: 0,
            header: Header::FirstRow,
            null: None,
            blanks: Blanks::Keep,
            spellings: Vec::new(),
            labels: false,
            field_limit: 16 << 20,
            held_limit: 4 << 30,
        }
    }

    pub(super) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The path as errors show it.
    pub fn shown_path(&self) -> PathBuf {
        match Address::of_path(&self.path) {
            Some(Ok(address)) => PathBuf::from(address.to_string()),
            Some(Err(_)) => PathBuf::from("the address of the table"),
            None if self.is_stdin() => PathBuf::from("standard input"),
            None => self.path.clone(),
        }
    }

    /// [`field_limit`](Self::field_limit), so that a batch's offsets fit into 32 bits.
    pub(super) fn cell_limit(&self) -> usize {
        self.field_limit.min(1 << 30)
    }

    pub(super) fn check(&self) -> Result<(), ReadError> {
        let usable = |byte: Option<u8>| byte.is_none_or(|b| b.is_ascii() && !matches!(b, b'\r' | b'\n' | 0));
        let delimiter = self.delimiter.or((self.format() == Some(Format::Tsv)).then_some(b'\t'));
        let reason = if !usable(self.delimiter) || !usable(self.quote) {
            "delimiter and quote must each be one ASCII character, and no line end"
        } else if delimiter.is_some() && delimiter == Some(self.quote.unwrap_or(b'"')) {
            "delimiter and quote are the same character"
        } else {
            return Ok(());
        };
        Err(ReadError::Options { path: self.shown_path(), reason })
    }

    /// What was asked for, else what the file name's ending says.
    pub(super) fn format(&self) -> Option<Format> {
        self.format.or_else(|| Format::of_path(&self.path))
    }
}

/// What blanks around cells are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blanks {
    /// Part of the cell.
    #[default]
    Keep,
    /// Nothing; and a row of empty cells does not count.
    Trim,
}

/// How characters are stored as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// ISO 8859-1 in the superset windows-1252, as browsers read it.
    Latin1,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

impl Encoding {
    /// The encoding called so in job files.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Self::Utf8,
            "latin-1" | "latin1" | "iso-8859-1" | "windows-1252" | "cp1252" => Self::Latin1,
            "utf-16" | "utf-16le" => Self::Utf16Le,
            "utf-16be" => Self::Utf16Be,
            _ => return None,
        })
    }

    /// The name that job files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Latin1 => "latin-1",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
        }
    }
}

/// Whether the first row of delimited text holds the column names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// It does.
    FirstRow,
    /// It is a row like the others; columns are called `1`, `2`, …
    Absent,
}

/// How a table turned out to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// How the rows are stored.
    pub format: Format,
    /// Byte between two cells; delimited text only.
    pub delimiter: Option<u8>,
    /// Byte around cells; delimited text only.
    pub quote: Option<u8>,
    /// How characters are stored; text formats only.
    pub encoding: Option<Encoding>,
    /// Whether the file starts with a byte order mark.
    pub byte_order_mark: bool,
}
