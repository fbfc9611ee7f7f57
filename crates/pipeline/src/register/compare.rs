//! Which earlier releases were made of the same rows?

use super::chain::{Chain, ReleaseLog};
use super::line::{InputRecord, ReleaseRecord};
use super::people;
use super::sketch::{Salt, Sketch, Sketching, row};
use super::strangers::{Kinds, are_others, are_strangers};
use paravent_prepare::study::{Study, StudyError, budget_of, coded_column};
use paravent_report::{EarlierRelease, Relation, Shared};
use paravent_tables::encode::{CodedColumn, try_scan};
use paravent_tables::spill::{CountedOff, CountingTuples, SpillError};
use paravent_tables::watch::Watch;
use rayon::prelude::*;
use std::cell::LazyCell;
use std::ops::ControlFlow;

/// What the register keeps of a study's input.
pub(crate) fn input_record(
    study: &Study,
    salt: &Salt,
    sha256: String,
    watch: &dyn Watch,
) -> Result<InputRecord, StudyError> {
    let mut columns: Vec<String> = study.counted.columns.iter().map(|column| column.name.clone()).collect();
    columns.sort();
    let rows = study.table.row_count();
    let sketch = counted_sketch(study, salt, columns, Sketch::bins_for(rows))?;
    let people = people::people(study, salt, watch)?;
    Ok(InputRecord { sha256, rows, sketch, people })
}

/// The earlier releases that share rows with this input, newest first, without attacks. Those of which that cannot be said are among them.
pub(crate) fn earlier(
    study: &Study,
    chain: &Chain,
    salt: &Salt,
    input: &InputRecord,
    data: &str,
    watch: &dyn Watch,
) -> Result<Vec<EarlierRelease>, StudyError> {
    let mut found = Vec::new();
    let mut known: Vec<Sketch> = vec![input.sketch.clone()];
    let kinds = LazyCell::new(|| kinds(study));
    for (line, release) in chain.releases().into_iter().rev() {
        let mut rows = relate(study, salt, input, data, release, &mut known, watch)?;
        // Rows that look alike are no rows of the same people where the job says who they are, or where strangers would have as many.
        if let Some((Relation::Overlap, Some(shared))) = rows {
            let of_others = are_others(&study.job, input, release)
                || kinds.as_ref().is_some_and(|kinds| are_strangers(kinds, input, release, shared.share));
            rows = rows.filter(|_| !of_others);
        }
        // Rows may have changed, or be spelled in another way, and be about the same people all the same.
        let Some((relation, shared)) = stronger(rows, same_people(input, release)) else {
            continue;
        };
        found.push(EarlierRelease {
            sequence: line.sequence,
            time: line.time.clone(),
            release: release.release.clone(),
            relation,
            shared,
            attacks: Vec::new(),
            not_attacked: None,
        });
    }
    Ok(found)
}

/// What two tables have in common: their rows, unless they have far more people in common than rows, or the rows cannot be compared.
fn stronger(rows: Option<Found>, people: Option<Found>) -> Option<Found> {
    let share = |found: &Found| found.1.map_or(0.0, |shared| shared.share);
    match (rows, people) {
        (Some((Relation::Unknown, _)) | None, Some(people)) => Some(people),
        (Some(rows @ (Relation::Overlap, _)), Some(people)) if share(&people) > MORE * share(&rows) => {
            Some(people)
        }
        (rows, _) => rows,
    }
}

/// Estimates that differ by less are the same.
const MORE: f64 = 1.5;

/// A relation, and how many rows or people.
type Found = (Relation, Option<Shared>);

/// People who are in both, by the way of naming them that finds the most.
pub(crate) fn same_people(
    input: &InputRecord,
    release: &ReleaseRecord,
) -> Option<(Relation, Option<Shared>)> {
    let pairs =
        input.people.iter().flat_map(|ours| release.input.people.iter().map(move |theirs| (ours, theirs)));
    let shared = pairs.filter_map(|(ours, theirs)| Some((ours.shared(theirs)?, ours.people)));
    let (rows, people) = shared.max()?;
    Some((Relation::SamePeople, Some(Shared { rows, share: rows as f64 / people.max(1) as f64 })))
}

/// The kinds of rows of a study's table. `None` where the rows are not held in memory.
fn kinds(study: &Study) -> Option<Kinds> {
    let held = study.counted.held()?;
    Some(Kinds::of(held.in_table().map(|number| held.tuples.count(number))))
}

/// `None`: nothing in common.
fn relate(
    study: &Study,
    salt: &Salt,
    input: &InputRecord,
    data: &str,
    release: &ReleaseRecord,
    known: &mut Vec<Sketch>,
    watch: &dyn Watch,
) -> Result<Option<(Relation, Option<Shared>)>, StudyError> {
    if release.input.sha256 == input.sha256 {
        let relation = if release.data() == data { Relation::SameRelease } else { Relation::SameInput };
        let all = Shared { rows: input.rows, share: 1.0 };
        // Another subset of the same file is another table.
        return Ok(Some((relation, (release.input.rows == input.rows).then_some(all))));
    }
    let theirs = &release.input.sketch;
    let alike = |sketch: &&Sketch| sketch.columns == theirs.columns && sketch.bins.len() == theirs.bins.len();
    if !known.iter().any(|sketch| alike(&sketch)) {
        match sketch(study, salt, &theirs.columns, theirs.bins.len(), watch)? {
            Some(sketch) => known.push(sketch),
            None => return Ok(Some((Relation::Unknown, None))),
        }
    }
    let ours = known.iter().find(alike);
    let overlap = ours.and_then(|ours| ours.overlap(input.rows, theirs, release.input.rows));
    Ok(overlap.filter(|overlap| overlap.is_certain).map(|overlap| {
        let share = overlap.rows as f64 / input.rows.max(1) as f64;
        (Relation::Overlap, Some(Shared { rows: overlap.rows, share }))
    }))
}

/// The sketch of a study's table by any of its columns; `None` if it does not have them all.
fn sketch(
    study: &Study,
    salt: &Salt,
    columns: &[String],
    bins: usize,
    watch: &dyn Watch,
) -> Result<Option<Sketch>, StudyError> {
    if columns.iter().all(|name| place(study, name).is_some()) {
        return counted_sketch(study, salt, columns.to_vec(), bins).map(Some);
    }
    // Rows outside the subset would have to be left out. Elsewhere, only what the search needs is counted.
    if study.columns.subset.is_some() || study.input.engine().is_some() {
        return Ok(None);
    }
    read_sketch(study, salt, columns, bins, watch)
}

fn place(study: &Study, column: &str) -> Option<usize> {
    study.counted.columns.iter().position(|counted| counted.name == column)
}

/// From the counted tuples. Rows that are equal in these columns are counted together; where there are too many for that, in several
/// passes.
pub(super) fn counted_sketch(
    study: &Study,
    salt: &Salt,
    columns: Vec<String>,
    bins: usize,
) -> Result<Sketch, StudyError> {
    let places: Vec<usize> = columns.iter().filter_map(|name| place(study, name)).collect();
    let hashes: Vec<Vec<u64>> =
        places.iter().map(|&at| cell_hashes(salt, &study.counted.columns[at])).collect();
    let hash =
        |codes: &[u32]| row(places.iter().zip(&hashes).map(|(&at, hashes)| hashes[codes[at] as usize]));
    let mut sketch = Sketching::new(bins);
    if let Some(held) = study.counted.held() {
        let tuples = (0..held.tuples.len() as u32).into_par_iter().filter(|&number| held.is_in_table(number));
        let codes = || vec![0u32; held.tuples.width()];
        let rows = tuples.map_init(codes, |codes, number| {
            held.tuples.unpack(number, codes);
            (hash(codes), held.tuples.count(number))
        });
        add_merged(&mut sketch, &mut rows.collect::<Vec<_>>());
        return Ok(sketch.finish(columns));
    }
    let passes = study.counted.spilled().map_or(1, |tuples| {
        let bytes = tuples.len().saturating_mul(size_of::<(u64, u64)>() as u64);
        bytes / (tuples.budget().once() as u64).max(1) + 1
    });
    for pass in 0..passes {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        study.counted.each_in_table(|tuple| {
            let hash = hash(tuple.codes);
            if hash % passes == pass {
                rows.push((hash, tuple.count));
            }
        })?;
        add_merged(&mut sketch, &mut rows);
    }
    Ok(sketch.finish(columns))
}

/// From the file, read once more: for columns that were not counted.
pub(super) fn read_sketch(
    study: &Study,
    salt: &Salt,
    columns: &[String],
    bins: usize,
    watch: &dyn Watch,
) -> Result<Option<Sketch>, StudyError> {
    let mut source = study.input.open()?;
    let place = |name: &String| source.columns().iter().position(|known| known == name);
    let Some(wanted) = columns.iter().map(place).collect::<Option<Vec<usize>>>() else { return Ok(None) };
    source.select(&wanted)?;
    let mut coded: Vec<CodedColumn> = columns.iter().map(|name| coded_column(&study.job, name)).collect();
    let mut tuples = CountingTuples::new(columns.len(), budget_of(&study.job));
    let count = |codes: &[u32]| tuples.add(codes, 1);
    try_scan(source, study.input_path.clone(), &mut coded, count, |_| !watch.stop())?;
    study.input.unchanged_since(&study.fingerprint)?;
    let hashes: Vec<Vec<u64>> = coded.iter().map(|column| cell_hashes(salt, column)).collect();
    let hash = |codes: &[u32]| row(codes.iter().zip(&hashes).map(|(&code, hashes)| hashes[code as usize]));
    let mut sketch = Sketching::new(bins);
    match tuples.finish()? {
        CountedOff::Held(tally) => tally.each(|codes, count| -> Result<(), SpillError> {
            sketch.add(hash(codes), count);
            Ok(())
        })?,
        CountedOff::Spilled(runs) => {
            let cardinalities: Vec<usize> = coded.iter().map(|column| column.dictionary.len()).collect();
            let same: Vec<Vec<u32>> =
                cardinalities.iter().map(|&codes| (0..codes as u32).collect()).collect();
            runs.sorted(&same, &cardinalities)?.each(|codes, count| -> Result<_, SpillError> {
                sketch.add(hash(codes), count);
                Ok(ControlFlow::Continue(()))
            })?;
        }
    }
    Ok(Some(sketch.finish(columns.to_vec())))
}

fn cell_hashes(salt: &Salt, column: &CodedColumn) -> Vec<u64> {
    column.dictionary.cells().par_iter().map(|cell| salt.cell(&column.name, *cell)).collect()
}

/// Adds rows to a sketch; equal ones are counted together.
fn add_merged(sketch: &mut Sketching, rows: &mut [(u64, u64)]) {
    rows.par_sort_unstable();
    for group in rows.chunk_by(|a, b| a.0 == b.0) {
        sketch.add(group[0].0, group.iter().map(|row| row.1).sum());
    }
}
