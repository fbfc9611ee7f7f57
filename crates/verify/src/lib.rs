//! An independent second opinion on a finished release.
//!
//! A release is a directory with the released rows, a `manifest.json` that says what is promised, and a
//! `transform.json` that says how the columns were changed. [`verify`] reads these files, and nothing else, and asks of
//! every promise whether it is kept: are these the files that were written, are all identifiers gone, do the row
//! counts add up, is every quasi-identifier a label of the level it was released at, and does every privacy
//! criterion hold when it is computed afresh, with exact arithmetic, from the released rows?
//!
//! The crate shares no code with the engine that made the release: a mistake there is not repeated here. It trusts
//! nothing it reads. Hostile bytes give a [`VerifyError`], never a panic, and no message holds the content of a cell.
//!
//! ```
//! # use std::fs;
//! # let release = tempfile::tempdir()?;
//! # let release = release.path();
//! # fs::write(release.join("data.csv"), "sex\n*\n*\n")?;
//! # fs::write(release.join("transform.json"), r#"{"format":1,"attributes":[
//! #   {"name":"sex","role":"quasi-identifier","type":"string","level":1,"hierarchy":{"kind":"whole"}}]}"#)?;
//! # fs::write(release.join("manifest.json"), r#"{"format":1,"input":{"rows":2},
//! #   "transform":{"file":"transform.json","sha256":"unknown"},
//! #   "output":{"file":"data.csv","format":"csv","sha256":"unknown","rows":2,"order":"canonical",
//! #     "delimiter":",","null":"","spreadsheet_safe":false},
//! #   "suppression":{"limit":"0","limit_rows":0,"rows":0},
//! #   "attributes":[{"name":"sex","role":"quasi-identifier","type":"string","level":1,"max_level":1}],"dropped":[],
//! #   "privacy":[{"model":"k-anonymity","required":{"k":2},"achieved":{"k":2},"holds":true}],
//! #   "solution":{"classes":1,"smallest_class":2}}"#)?;
//! let verification = paravent_verify::verify(release)?;
//! for check in verification.violations() {
//!     println!("{}: {}", check.name, check.detail); // digest: the file is not the one the manifest was written for
//! }
//! assert!(!verification.holds());
//! # assert!(verification.violations().all(|check| check.name == "digest"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The data's way: [`Data`](data) (cells as small numbers) → [`Classes`](classes) (rows with equal quasi-identifiers)
//! → [`checks`] and [`criteria`] → [`Verification`].
#![allow(rustdoc::private_intra_doc_links)]

mod calendar;
mod checks;
mod classes;
mod criteria;
mod data;
mod decimal;
mod error;
mod fraction;
mod hierarchy;
mod json;
mod manifest;
mod slice;
mod transform;
mod types;
mod values;
mod verification;

use std::path::Path;

use checks::Release;
use classes::Classes;
use manifest::Manifest;
use transform::Transform;

pub use error::VerifyError;
pub use verification::{Check, Outcome, Verification};

const MANIFEST: &str = "manifest.json";

/// Re-checks the release in a directory from its files alone.
///
/// Runs every check and reports every violation.
///
/// # Errors
///
/// Only if the release cannot be examined at all: a file is absent, unreadable, or not of its format.
pub fn verify(dir: &Path) -> Result<Verification, VerifyError> {
    let document = json::parse(MANIFEST, &data::read_document(dir, MANIFEST)?)?;
    if slice::is_sliced(&document) {
        return slice::verify(dir, &document);
    }
    let manifest = Manifest::parse(MANIFEST, &document)?;
    let bytes = data::read_document(dir, &manifest.transform_file)?;
    let transform =
        Transform::parse(&manifest.transform_file, &json::parse(&manifest.transform_file, &bytes)?)?;
    let data = data::read(dir, &manifest.output)?;
    let columns: Vec<_> =
        manifest.quasi_identifiers().filter_map(|attribute| data.column(&attribute.name)).collect();
    let classes = Classes::by(&columns, data.columns.first().map_or(&[], |column| &column.repeats));
    let release = Release {
        manifest: &manifest,
        transform: &transform,
        transform_sha256: data::sha256(&bytes),
        data: &data,
        classes: &classes,
    };
    let mut checks = checks::run(&release);
    checks.push(checks::files::check(dir, &manifest)?);
    checks.extend(criteria::judge(&release)?);
    Ok(Verification { rows: data.rows as u64, classes: classes.sizes.len() as u64, checks })
}
