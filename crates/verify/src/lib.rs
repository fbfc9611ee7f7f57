//! An independent second opinion on a finished release.
//!
//! A release is a directory with the released rows, reports, and a `manifest.json` that says what is promised; the private folder beside it
//! has a `transform.json` that says how the columns were changed. [`verify`] reads these files, and nothing else, and asks of
//! every promise whether it is kept: are these the files that were written, byte by byte, are all identifiers gone, do the row
//! counts add up, is every quasi-identifier a label of the level it was released at, and does every privacy
//! criterion hold when it is computed afresh, with exact arithmetic, from the released rows?
//! It works from the release alone. What it could not check then, and what it took from the manifest on trust, is part of the verdict.
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

mod answer;
mod calendar;
mod canonical;
mod checks;
mod classes;
mod criteria;
mod data;
mod decimal;
mod error;
mod folder;
mod fraction;
mod hierarchy;
mod json;
mod kinds;
mod manifest;
mod noise;
mod people;
mod private;
mod signature;
mod slice;
mod spelling;
mod told;
mod transform;
mod treatment;
mod trust;
mod types;
mod values;
mod verification;

use std::path::Path;

use checks::{Release, documents, files};
use classes::Classes;
use folder::Folder;
use manifest::{Format, Manifest, PersonRows};
use people::People;
use signature::Signed;
use transform::Transform;

pub use data::CountedRows;
pub use error::VerifyError;
pub use folder::Held;
pub use signature::{PublicKey, signer_of_answer};
pub use told::Told;
pub use verification::{Check, NotChecked, Outcome, Trusted, Verification};

const MANIFEST: &str = "manifest.json";

/// Re-checks the release in a directory from its files alone.
///
/// Runs every check and reports every violation.
///
/// # Errors
///
/// Only if the release cannot be examined at all: a file is absent, unreadable, or not of its format.
pub fn verify(dir: &Path) -> Result<Verification, VerifyError> {
    verify_signed(dir, None)
}

/// The same, and asks whether the manifest was signed with a key.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_signed(dir: &Path, key: Option<&PublicKey>) -> Result<Verification, VerifyError> {
    verify_folder(&Folder::Directory(dir.to_owned()), None, key)
}

/// The table that a release is, and the columns whose equal rows must be counted to verify it; `None` where the rows are in a file.
///
/// # Errors
///
/// As [`verify`].
pub fn wanted(dir: &Path) -> Result<Option<(String, Vec<String>)>, VerifyError> {
    let bytes = Folder::Directory(dir.to_owned()).read(MANIFEST)?;
    let document = json::parse(MANIFEST, &bytes)?;
    if document["output"]["format"] != "table" {
        return Ok(None);
    }
    let manifest = Manifest::parse(MANIFEST, &document)?;
    let columns = data::wanted(&manifest)?;
    Ok(Some((manifest.output.file, columns)))
}

/// The same as [`verify_signed`] for a release that is a table in a database: its rows were counted there.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_counted(
    dir: &Path,
    rows: &CountedRows,
    key: Option<&PublicKey>,
) -> Result<Verification, VerifyError> {
    verify_folder(&Folder::Directory(dir.to_owned()), Some(rows), key)
}

/// The same for a release in memory: every check that is made of files on disk is made of these.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_held(release: &Held<'_>, key: Option<&PublicKey>) -> Result<Verification, VerifyError> {
    verify_folder(&Folder::Handed(*release), None, key)
}

fn verify_folder(
    dir: &Folder<'_>,
    rows: Option<&CountedRows>,
    key: Option<&PublicKey>,
) -> Result<Verification, VerifyError> {
    let bytes = dir.read(MANIFEST)?;
    let document = json::parse(MANIFEST, &bytes)?;
    let of_another_kind = match () {
        () if slice::is_sliced(&document) => Some(slice::verify(dir, &bytes, &document)?),
        () if noise::is_noisy(&document) => Some(noise::verify(dir, &bytes, &document)?),
        () if answer::is_answer(&document) => Some(answer::verify(dir, &bytes, &document)?),
        () => None,
    };
    if let Some(mut verification) = of_another_kind {
        verification.checks.extend(private::check(dir, &data::sha256(&bytes))?);
        return signature::added(verification, dir, &bytes, key);
    }
    let manifest = Manifest::parse(MANIFEST, &document)?;
    let manifest_sha256 = data::sha256(&bytes);
    let private = private::read(dir, &manifest, &manifest_sha256)?;
    let transform = private.as_ref().map(|read| Transform::parse(&read.file, &read.document)).transpose()?;
    let mut data = match (&manifest.output.format, rows) {
        (Format::Table, Some(rows)) => rows.data()?,
        (Format::Table, None) => {
            return Err(VerifyError::Elsewhere { table: manifest.output.file.clone() });
        }
        _ => canonical::read(dir, &manifest)?,
    };
    // Every byte was looked at; from here on rows of stars are no rows.
    data.take_stars(manifest.suppression.stars());
    let columns: Vec<_> =
        manifest.quasi_identifiers().filter_map(|attribute| data.column(&attribute.name)).collect();
    let classes = Classes::by(&columns, data.columns.first().map_or(&[], |column| &column.repeats));
    let people = match (&manifest.people, &private) {
        (Some(_), Some(private)) => Some(People::read(&private.folder, &private.document)?),
        _ => None,
    };
    let repeats = data.columns.first().map_or(&[][..], |column| &column.repeats);
    let counted = people.as_ref().map(|people| people.counted(&classes, repeats));
    let by_people = manifest.people.as_ref().is_some_and(|people| people.rows == PersonRows::Set);
    let counted = counted.map(|counted| if by_people { counted.by_all_rows() } else { counted });
    let release = Release {
        manifest: &manifest,
        manifest_sha256: &manifest_sha256,
        transform: transform.as_ref(),
        transform_sha256: private.as_ref().map(|read| read.sha256.as_str()),
        data: &data,
        classes: &classes,
        counted: counted.as_ref(),
        people: people.as_ref().map(People::count),
    };
    let signed = if manifest.is_handed_out() { signature::read(dir, &bytes)? } else { Signed::Not };
    let (signature, unsigned) = signature::check(&signed, key);
    let mut checks = checks::run(&release);
    checks.extend(people.as_ref().map(|people| people.check(data.rows)));
    checks.extend(canonical::check(&manifest, &data));
    checks.extend(documents::check(&manifest, &bytes, &document));
    checks.extend(signature);
    checks.push(files::check(dir, &manifest)?);
    checks.extend(files::check_reports(dir, &manifest));
    checks.extend(criteria::judge(&release)?);
    let mut not_checked = trust::not_checked(&release);
    not_checked.extend(unsigned);
    Ok(Verification {
        rows: data.rows as u64,
        classes: release.sizes().len() as u64,
        checks,
        trusted: trust::trusted(&release, &document),
        not_checked,
        signer: signed.signer(),
    })
}
