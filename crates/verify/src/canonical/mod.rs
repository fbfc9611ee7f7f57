//! Is the data file written exactly as its rows are always written?
//!
//! A file format leaves room for more than rows: bytes between the pages and the footer of a Parquet file, statistics,
//! notes, values under a missing cell, blank lines, quotes that nobody needs. Instead of looking for each of them, the rows that were read are
//! written again, and every byte of the file must be the one that comes out. What is in the file is then in its rows.

mod columnar;
mod comparing;
mod text;
mod typed;
mod workbook;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::data::{self, Column, Data};
use crate::folder::Folder;
use crate::manifest::{Format, Manifest, Output};
use crate::types::Type;
use crate::{Check, VerifyError};

use comparing::Comparing;

/// Reads and hashes the data file that the manifest names, and asks whether it has the bytes that its rows are written with.
pub(crate) fn read(dir: &Folder<'_>, manifest: &Manifest<'_>) -> Result<Data, VerifyError> {
    let (mut data, file) = data::read_output(dir, &manifest.output)?;
    if is_asked(manifest) {
        let other = catch_unwind(AssertUnwindSafe(|| differs(&file, manifest, &data)));
        data.differs = other.unwrap_or(true);
    }
    Ok(data)
}

/// Whether the file has other bytes than its rows are written with.
fn differs(file: &File, manifest: &Manifest<'_>, data: &Data) -> bool {
    // A column whose values could be typed may be text all the same: values that are not released may have kept it from being typed.
    let kinds: Vec<Type> = data
        .columns
        .iter()
        .map(|column| if column.is_text { Type::String } else { kind(manifest, &column.name) })
        .collect();
    written_otherwise(file, &manifest.output.format, &data.columns, &kinds)
}

/// Only a file of this version is asked.
fn written_otherwise(file: &File, format: &Format, columns: &[Column], kinds: &[Type]) -> bool {
    let comparing = Comparing::new(file);
    match format {
        Format::Csv(dialect) => text::differs(comparing, dialect, columns),
        Format::Parquet => columnar::parquet_differs(comparing, env!("CARGO_PKG_VERSION"), columns, kinds),
        Format::Arrow => columnar::arrow_differs(comparing, columns, kinds),
        Format::Table => false,
        Format::Xlsx(spellings) => workbook::differs(comparing, columns, kinds, spellings),
    }
}

/// The check for a release whose manifest tells no types: there every column that holds nothing but numbers is one of numbers.
pub(crate) fn check_untyped(file: &File, output: &Output, data: &Data) -> Check {
    let kinds: Vec<Type> = data.columns.iter().map(number_or_text).collect();
    let other =
        catch_unwind(AssertUnwindSafe(|| written_otherwise(file, &output.format, &data.columns, &kinds)));
    told(output, other.unwrap_or(true))
}

fn number_or_text(column: &Column) -> Type {
    let is_whole = |code: u32| column.text(code).is_none_or(|text| text.parse::<i64>().is_ok());
    match () {
        () if column.is_text => Type::String,
        () if (1..column.codes_in_use() as u32).all(is_whole) => Type::Integer,
        () => Type::Decimal,
    }
}

/// Labels above level 0 are texts, whatever the type of the values was.
fn kind(manifest: &Manifest<'_>, name: &str) -> Type {
    match manifest.attribute(name) {
        Some(attribute) if attribute.levels.is_none_or(|levels| levels.highest == 0) => attribute.kind,
        _ => Type::String,
    }
}

/// The check; only for releases that were written by this very version, since another one may write the same rows with other bytes.
pub(crate) fn check(manifest: &Manifest<'_>, data: &Data) -> Option<Check> {
    if !is_asked(manifest) {
        return None;
    }
    Some(told(&manifest.output, data.differs))
}

fn told(output: &Output, differs: bool) -> Check {
    let problems: &[String] = match differs {
        true => &["the file has bytes that its rows are not written with".to_owned()],
        false => &[],
    };
    Check::new("bytes", Some(&output.file), problems, "every byte is the one its rows are written with")
}

/// Whether this version can tell.
pub(crate) fn is_asked(manifest: &Manifest<'_>) -> bool {
    let is_file = !matches!(manifest.output.format, Format::Table);
    is_file && manifest.is_handed_out() && manifest.version == env!("CARGO_PKG_VERSION")
}
