//! Is this the table the release was made from?

use super::AttackError;
use crate::ReleaseTable;
use paravent_evidence::attack::Released;
use paravent_evidence::attack::projection::Projection;
use paravent_evidence::microdata::Microdata;
use paravent_tables::digest::file_digest;
use serde_json::Value;
use std::path::Path;

/// Holds a table against what the release says of its original: the number of rows, the digest, and whether every released class can
/// have been made of its rows. Figures that are judged by another table than the original are wrong both ways, so that is an error.
/// Gives what can be said of the table; `None` for a release that says nothing of its original.
pub(super) fn told(
    path: &Path,
    dir: &Path,
    release: &ReleaseTable,
    released: &Released,
    table: &Microdata,
    projection: &Projection,
) -> Result<Option<&'static str>, AttackError> {
    let facts = &release.facts;
    if facts.input_rows == 0 {
        return Ok(None);
    }
    let (found, expected) = (table.rows() as u64, facts.input_rows);
    if found != expected {
        let (path, population) = (path.to_owned(), facts.population_rows == Some(found));
        return Err(AttackError::OtherRows { path, found, expected, population });
    }
    if digest(dir).is_some_and(|known| file_digest(path).is_ok_and(|digest| digest == known)) {
        return Ok(Some("the file the release was made from"));
    }
    // Boxes overlap: which of those that cover a row it was put into, the rows do not tell.
    if release.boxes.is_some() {
        return Ok(Some("as many as the release was made from"));
    }
    // The same rows in another file or format are the original, too.
    let mut rows = vec![0u64; released.classes.len()];
    projection.classes(&released.classes).into_iter().flatten().for_each(|class| rows[class as usize] += 1);
    let short = rows.iter().zip(released.classes.sizes()).filter(|(rows, size)| rows < size).count() as u64;
    match short {
        0 => Ok(Some("as many as the release was made from, and its classes can be made of them")),
        classes => Err(AttackError::OtherTable { path: path.to_owned(), classes }),
    }
}

/// The digest of the original: in the manifest, or in the folder that stays beside the release.
fn digest(dir: &Path) -> Option<String> {
    let mut private = dir.canonicalize().ok()?.into_os_string();
    private.push(".private");
    let private = Path::new(&private);
    let places = [dir.join("manifest.json"), private.join("report.json"), private.join("transform.json")];
    places.iter().find_map(|path| {
        let document: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let known =
            [&document["input"]["sha256"], &document["input_sha256"], &document["release"]["input_sha256"]];
        known.into_iter().find_map(|digest| digest.as_str().map(str::to_owned))
    })
}
