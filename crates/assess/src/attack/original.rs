//! Is this the table the release was made from?

use super::AttackError;
use crate::ReleaseTable;
use paravent_evidence::attack::Released;
use paravent_evidence::attack::classes::Classes;
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
    let (found, expected) = (table.rows() as u64, facts.input_rows);
    if facts.input_rows == 0 {
        // A table of another tool says nothing of its original, but it has no more rows.
        let released = released.table.rows() as u64;
        return match released > found {
            true => Err(AttackError::FewerRows { path: path.to_owned(), found, released }),
            false => Ok(None),
        };
    }
    if found != expected {
        let (path, population) = (path.to_owned(), facts.population_rows == Some(found));
        return Err(AttackError::OtherRows { path, found, expected, population });
    }
    if digest(dir).is_some_and(|known| file_digest(path).is_ok_and(|digest| digest == known)) {
        return Ok(Some("the file the release was made from"));
    }
    // The same rows in another file or format are the original, too. Boxes overlap, and who was handed the release does not know how labels
    // were made: then the rows do not tell which class they were put into, only the values that are released as they are.
    let no_classes = release.boxes.is_some() || facts.is_received;
    let as_they_are: Vec<usize> = (0..released.table.columns().len())
        .filter(|place| !released.quasi_identifiers.contains(place) && is_known(projection, *place))
        .collect();
    let mut columns = if no_classes { Vec::new() } else { released.quasi_identifiers.clone() };
    columns.extend(as_they_are);
    match strangers(released, projection, &columns, facts.suppressed_rows == 0) {
        0 if no_classes => Ok(Some("as many as the release was made from")),
        0 => Ok(Some("as many as the release was made from, and its classes can be made of them")),
        classes => Err(AttackError::OtherTable { path: path.to_owned(), classes }),
    }
}

/// Whether most records have a released label of the column: a column whose cells were made otherwise tells nothing here.
fn is_known(projection: &Projection, place: usize) -> bool {
    let known = (0..projection.records).filter(|&record| projection.code(place, record).is_some()).count();
    2 * known > projection.records
}

/// How many combinations of these columns cannot come from the records: more rows have them than records, or, where nothing was suppressed,
/// not as many.
fn strangers(released: &Released, projection: &Projection, columns: &[usize], is_complete: bool) -> u64 {
    let classes = Classes::by(&released.table, columns);
    let (mut rows, mut records) = (vec![0u64; classes.len()], vec![0u64; classes.len()]);
    classes.of_row().iter().for_each(|&class| rows[class as usize] += 1);
    projection.classes(&classes).into_iter().flatten().for_each(|class| records[class as usize] += 1);
    let differ = |(rows, records): (&u64, &u64)| rows > records || (is_complete && rows < records);
    rows.iter().zip(&records).filter(|counts| differ(*counts)).count() as u64
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
