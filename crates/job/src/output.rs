//! `[output]`: what is written.

use std::path::PathBuf;

use super::ascii_char::AsciiChar;
use super::names::names;
use super::walk::{Section, Walk};

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
    /// Where the release gets a line.
    pub register: RegisterFile,
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
            register: RegisterFile::Beside,
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
}
names!(OutputFormat { Csv: "csv", Parquet: "parquet", Arrow: "arrow" });

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

impl Output {
    /// Reads `[output]`.
    pub(super) fn read(walk: &mut Walk, section: &Section<'_>) -> Self {
        section
            .allow(walk, &["path", "format", "order", "seed", "spreadsheet_safe", "delimiter", "register"]);
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
        Self {
            path: path.unwrap_or(default.path),
            format: format.unwrap_or(default.format),
            order: order.unwrap_or(default.order),
            seed,
            spreadsheet_safe: spreadsheet_safe.unwrap_or(default.spreadsheet_safe),
            delimiter,
            register: register.unwrap_or(default.register),
        }
    }
}
