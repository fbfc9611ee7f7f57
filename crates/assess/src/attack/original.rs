//! Is this the table the release was made from?

use super::AttackError;
use super::boxes::Boxed;
use super::placing::most_placed;
use crate::ReleaseTable;
use paravent_evidence::attack::Released;
use paravent_evidence::attack::classes::Classes;
use paravent_evidence::attack::projection::Projection;
use paravent_evidence::microdata::Microdata;
use paravent_tables::digest::file_digest;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Holds a table against what the release says of its original: the number of rows, the digest, and whether every released row can
/// have been made of a row of its own, with all cells that were not generalized. Figures that are judged by another table than the
/// original are wrong both ways, so that is an error.
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
    // The same rows in another file or format are the original, too.
    let path = || path.to_owned();
    let kept = kept_columns(release, released, table);
    if facts.is_local {
        return match unplaced(release, released, table, projection, &kept) {
            None => Ok(Some("as many as the release was made from")),
            Some(0) => Ok(Some("as many as the release was made from, and its rows can be made of them")),
            Some(rows) => Err(AttackError::NotItsRows { path: path(), rows }),
        };
    }
    match short(&released.classes, projection).1 {
        0 => {}
        classes => return Err(AttackError::OtherTable { path: path(), classes }),
    }
    let quasi = &released.quasi_identifiers;
    let with = |more: &[usize]| {
        let columns: Vec<usize> = quasi.iter().chain(more).copied().collect();
        short(&Classes::by(&released.table, &columns), projection).0
    };
    match with(&kept) {
        0 => Ok(Some("as many as the release was made from, and its rows can be made of them")),
        rows => {
            let differs = kept.iter().filter(|&&place| with(&[place]) > 0);
            let columns = differs.map(|&place| released.column(place).name().to_owned()).collect();
            Err(AttackError::OtherCells { path: path(), rows, columns })
        }
    }
}

/// The columns that leave as they are. Of a release without its private folder nobody says which texts stand for a missing cell: a column
/// whose empty cells have another text in the table is not compared.
fn kept_columns(release: &ReleaseTable, released: &Released, table: &Microdata) -> Vec<usize> {
    let is_told = |place: usize| {
        let column = released.column(place);
        let raw = table.place(column.name()).map(|at| &table.columns()[at]);
        release.facts.has_transformation
            || column.missing().is_none()
            || raw.is_some_and(|raw| raw.missing().is_some())
    };
    let others = (0..released.table.columns().len()).filter(|at| !released.quasi_identifiers.contains(at));
    others.filter(|&place| is_told(place)).collect()
}

/// Released rows that a table has too few of, and the classes they are in.
fn short(classes: &Classes, projection: &Projection) -> (u64, u64) {
    let mut rows = vec![0i64; classes.len()];
    classes.of_row().iter().for_each(|&class| rows[class as usize] += 1);
    projection.classes(classes).into_iter().flatten().for_each(|class| rows[class as usize] -= 1);
    let short = rows.iter().filter(|&&rows| rows > 0);
    (short.clone().map(|&rows| rows as u64).sum(), short.count() as u64)
}

/// Most pairs of a record and a box around it that are looked at.
const MOST_PAIRS: usize = 20_000_000;

/// Records and released rows with the same cells in the columns that leave as they are: by the record's number and by box, how many there are.
#[derive(Default)]
struct Alike {
    records: BTreeMap<u32, u64>,
    rows: BTreeMap<u32, u64>,
}

/// Boxes overlap: which of those that cover a record it was put into, nobody says. Released rows that no way of putting the records into
/// boxes explains; `None` where there are too many ways.
fn unplaced(
    release: &ReleaseTable,
    released: &Released,
    table: &Microdata,
    projection: &Projection,
    kept: &[usize],
) -> Option<u64> {
    let boxed = Boxed::of(release, table)?;
    let (boxes, places) = boxed.boxes();
    let (covering, tuple_of) = boxed.covering(MOST_PAIRS)?;
    let number_of: HashMap<&[u32], u32> =
        (0..boxes.len() as u32).map(|number| (boxes.shown(number), number)).collect();
    // Only rows with the same cells in the columns that leave as they are can be the same row.
    let alike = Classes::by(&released.table, kept);
    let mut groups: BTreeMap<u32, Alike> = BTreeMap::new();
    for (row, &group) in alike.of_row().iter().enumerate() {
        let shown: Vec<u32> = places.iter().map(|&place| released.column(place).codes()[row]).collect();
        let number = number_of.get(shown.as_slice()).copied()?;
        *groups.entry(group).or_default().rows.entry(number).or_default() += 1;
    }
    for (record, group) in projection.classes(&alike).into_iter().enumerate() {
        if let Some(group) = group.and_then(|group| groups.get_mut(&group)) {
            *group.records.entry(tuple_of[record]).or_default() += 1;
        }
    }
    let of_group = |Alike { records, rows }: Alike| {
        let wanted: u64 = rows.values().sum();
        let place_of: BTreeMap<u32, u32> = rows.keys().copied().zip(0..).collect();
        let fits: Vec<Vec<u32>> = records
            .keys()
            .map(|&tuple| {
                covering[tuple as usize].iter().filter_map(|number| place_of.get(number).copied()).collect()
            })
            .collect();
        let (guests, places): (Vec<u64>, Vec<u64>) =
            (records.into_values().collect(), rows.into_values().collect());
        wanted - most_placed(&guests, &places, &fits)
    };
    Some(groups.into_values().map(of_group).sum())
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
