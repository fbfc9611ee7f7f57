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

use crate::data::{self, Data};
use crate::folder::Folder;
use crate::manifest::{Dialect, Format, Manifest};
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
    let comparing = Comparing::new(file);
    // A column whose values could be typed may be text all the same: values that are not released may have kept it from being typed.
    let kinds: Vec<Type> = data
        .columns
        .iter()
        .map(|column| if column.is_text { Type::String } else { kind(manifest, &column.name) })
        .collect();
    match &manifest.output.format {
        Format::Csv(dialect) => text::differs(comparing, dialect, &data.columns),
        Format::Parquet => columnar::parquet_differs(comparing, manifest.version, &data.columns, &kinds),
        Format::Arrow => columnar::arrow_differs(comparing, &data.columns, &kinds),
        Format::Table => false,
        Format::Xlsx(spellings) => workbook::differs(comparing, &data.columns, &kinds, spellings),
    }
}

/// The same for delimited text alone.
pub(crate) fn csv_differs(file: &File, dialect: &Dialect, data: &Data) -> bool {
    text::differs(Comparing::new(file), dialect, &data.columns)
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
    let problems: &[String] = match data.differs {
        true => &["the file has bytes that its rows are not written with".to_owned()],
        false => &[],
    };
    let file = Some(manifest.output.file.as_str());
    Some(Check::new("bytes", file, problems, "every byte is the one its rows are written with"))
}

/// Whether this version can tell.
pub(crate) fn is_asked(manifest: &Manifest<'_>) -> bool {
    let is_file = !matches!(manifest.output.format, Format::Table);
    is_file && manifest.is_handed_out() && manifest.version == env!("CARGO_PKG_VERSION")
}
