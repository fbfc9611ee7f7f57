//! `[output]`: what is written.

use std::path::PathBuf;

use encoding_rs::Encoding;

use super::ascii_char::AsciiChar;
use super::input::{DatabaseUrl, is_address, read_encoding};
use super::keys::{Key, Takes, key, words};
use super::names::names;
use super::spelling::decimal_sign;
use super::walk::{Section, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("path", Takes::Text, "The directory of the release"),
    key("url", Takes::Text, "Address of the database, where it is said again"),
    key("table", Takes::Text, "A table beside the input, instead of a data file"),
    key("format", Takes::Choice(words::<OutputFormat>), "Kind of the data file"),
    key("order", Takes::Choice(words::<RowOrder>), "Order of the rows"),
    key("seed", Takes::Whole(0, u64::MAX), "Makes a shuffled order repeatable"),
    key("spreadsheet_safe", Takes::Truth, "Cells cannot be taken for formulas"),
    key("delimiter", Takes::Text, "Delimited text: what stands between cells"),
    key("encoding", Takes::Text, "Delimited text: utf-8 or windows-1252"),
    key("bom", Takes::Truth, "Delimited text: a byte order mark"),
    key("decimal", Takes::Text, "Delimited text: the decimal sign, a comma or a point"),
    key(
        "register",
        Takes::Either(&[Takes::Truth, Takes::Text]),
        "The register of releases: yes, no, or where",
    ),
    key("lang", Takes::Choice(words::<Lang>), "Language of the reports"),
    key(
        "suppressed",
        Takes::Choice(words::<SuppressedRows>),
        "Whether suppressed rows are left out or shown as *",
    ),
];

/// What is written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The release directory, as written.
    pub path: PathBuf,
    /// Kind of the data file.
    pub format: OutputFormat,
    /// Order of its rows.
    pub order: RowOrder,
    /// Makes a shuffled order repeatable; set with [`RowOrder::Shuffled`] only.
    pub seed: Option<u64>,
    /// CSV only: cells that a spreadsheet would run as a formula get a `'` in front.
    pub spreadsheet_safe: bool,
    /// CSV only; `None`: that of the input, else a comma.
    pub delimiter: Option<AsciiChar>,
    /// CSV only; `None`: UTF-8.
    pub encoding: Option<&'static Encoding>,
    /// CSV only: whether the file starts with a byte order mark, by which spreadsheets know UTF-8.
    pub bom: bool,
    /// CSV only: `,` or `.`; `None`: that of each column in the input.
    pub decimal: Option<char>,
    /// Where the release gets a line.
    pub register: RegisterFile,
    /// The table to make instead of a data file, in the database where the input lives.
    pub table: Option<OutputTable>,
    /// Language of the reports.
    pub lang: Lang,
    /// Whether suppressed rows are in the data file.
    pub suppressed: SuppressedRows,
}

/// A table to make in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputTable {
    /// Address of the database; `None`: that of the input.
    pub url: Option<DatabaseUrl>,
    /// Name of the table, perhaps with its schema.
    pub table: String,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            path: PathBuf::from("release"),
            format: OutputFormat::Csv,
            order: RowOrder::Canonical,
            seed: None,
            spreadsheet_safe: false,
            delimiter: None,
            encoding: None,
            bom: false,
            decimal: None,
            register: RegisterFile::Beside,
            table: None,
            lang: Lang::En,
            suppressed: SuppressedRows::Drop,
        }
    }
}

/// Where the register of releases is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterFile {
    /// Beside the job file, under its usual name.
    Beside,
    /// Here: a file, or a folder in which it has its usual name.
    At(PathBuf),
    /// Nowhere: the release gets no line.
    None,
}

/// Kind of the data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// `data.csv`
    Csv,
    /// `data.parquet`
    Parquet,
    /// `data.arrow`
    Arrow,
    /// `data.xlsx`
    Xlsx,
}
names!(OutputFormat { Csv: "csv", Parquet: "parquet", Arrow: "arrow", Xlsx: "xlsx" });

/// Order of the released rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowOrder {
    /// Sorted, which hides the order of the input.
    Canonical,
    /// At random.
    Shuffled,
    /// As they came, which can give people away.
    Input,
}
names!(RowOrder { Canonical: "canonical", Shuffled: "shuffled", Input: "input" });

/// Language of the reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// German.
    De,
}
names!(Lang { En: "en", De: "de" });

/// What the data file shows of suppressed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SuppressedRows {
    /// Nothing: they are left out.
    #[default]
    Drop,
    /// A row each, with `*` in every cell.
    Star,
}
names!(SuppressedRows { Drop: "drop", Star: "star" });

impl Output {
    /// Reads `[output]`.
    pub(super) fn read(walk: &mut Walk, section: &Section<'_>) -> Self {
        section.allow_keys(walk, KEYS);
        let default = Self::default();
        let path = section.get(walk, "path", "\"release\"").and_then(|item| item.path(walk));
        let format = section.get(walk, "format", "\"csv\"");
        let format = format.and_then(|item| item.choice(walk, "an output format"));
        let order_item = section.get(walk, "order", "\"canonical\"");
        let order = order_item.as_ref().and_then(|item| item.choice(walk, "an order of rows"));
        let seed = section.get(walk, "seed", "42").and_then(|item| {
            let seed = item.whole(walk, 0..=u64::MAX);
            // A misspelled order is a problem of its own.
            let settled = order.is_some() || order_item.is_none();
            if settled && order != Some(RowOrder::Shuffled) && walk.complete() {
                let advice = "Write order = \"shuffled\", or leave the seed out";
                walk.report(item.line, &item.key, "only a shuffled order needs a seed", advice);
            }
            seed
        });
        let spreadsheet_safe =
            section.get(walk, "spreadsheet_safe", "true").and_then(|item| item.truth(walk));
        let register =
            section.get(walk, "register", "false").and_then(|item| match item.value.get_ref().is_str() {
                true => item.path(walk).map(RegisterFile::At),
                false => item.truth(walk).map(|kept| match kept {
                    true => RegisterFile::Beside,
                    false => RegisterFile::None,
                }),
            });
        let delimiter = section.get(walk, "delimiter", "\";\"").and_then(|item| {
            let delimiter = item.ascii_char(walk)?;
            if delimiter == AsciiChar::QUOTE {
                item.report(walk, "must differ from the quote");
            }
            Some(delimiter)
        });
        let encoding = writable_encoding(walk, section);
        let bom = section.get(walk, "bom", "true").and_then(|item| item.truth(walk));
        let lang = section.get(walk, "lang", "\"de\"").and_then(|item| item.choice(walk, "a language"));
        let suppressed = section.get(walk, "suppressed", "\"star\"");
        let suppressed = suppressed.and_then(|item| item.choice(walk, "a way to treat suppressed rows"));
        Self {
            path: path.unwrap_or(default.path),
            format: format.unwrap_or(default.format),
            order: order.unwrap_or(default.order),
            seed,
            spreadsheet_safe: spreadsheet_safe.unwrap_or(default.spreadsheet_safe),
            delimiter,
            encoding,
            bom: bom.unwrap_or(default.bom),
            decimal: decimal_sign(walk, section),
            register: register.unwrap_or(default.register),
            table: read_table(walk, section),
            lang: lang.unwrap_or(default.lang),
            suppressed: suppressed.unwrap_or(default.suppressed),
        }
    }
}

/// `table`, and `url` where it is said again.
fn read_table(walk: &mut Walk, section: &Section<'_>) -> Option<OutputTable> {
    let url = section.get(walk, "url", "\"postgres://host/database\"");
    let Some(table) = section.get(walk, "table", "\"released\"") else {
        if let Some(url) = url {
            let advice = "Write table = \"released\" beside it, or leave it out to get files";
            walk.report(url.line, &url.key, "goes with table", advice);
        }
        return None;
    };
    let table = table.name(walk)?.to_owned();
    let url = match url {
        None => None,
        Some(item) => {
            let address = item.string(walk)?;
            if !is_address(address) {
                // The address may hold a password, so no message repeats it.
                item.report(walk, "must start with postgres:// or sc://");
                return None;
            }
            Some(DatabaseUrl(address.to_owned()))
        }
    };
    Some(OutputTable { url, table })
}

/// UTF-8 or windows-1252, which German and western European spreadsheets expect.
fn writable_encoding(walk: &mut Walk, section: &Section<'_>) -> Option<&'static Encoding> {
    let encoding = read_encoding(walk, section)?;
    if encoding == encoding_rs::UTF_8 || encoding == encoding_rs::WINDOWS_1252 {
        return Some(encoding);
    }
    if let Some(item) = section.get(walk, "encoding", "\"utf-8\" or encoding = \"windows-1252\"") {
        item.report(walk, "releases are not written in this encoding");
    }
    None
}
