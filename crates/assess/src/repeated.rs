//! Looks for identifiers that stand in several rows, where nobody says whose row it is.

use paravent_evidence::columns::{Repeated, Repeats, may_repeat};
use paravent_job::{Job, Role};
use paravent_tables::engine::{EmptyCells, EngineError};
use paravent_tables::read::{Batch, Input, ReadError};

/// Columns that are looked at; further ones add nothing.
const MOST_COLUMNS: usize = 8;

/// The identifiers of a table that repeat. Reads the table once more, and keeps no cell. With a job, its identifying columns are looked at; columns that
/// it does not release, and all columns where there is no job, if they are called like an identifier.
pub fn repeated(input: &Input, job: Option<&Job>) -> Result<Vec<Repeated>, ReadError> {
    if job.is_some_and(|job| !job.privacy.person.is_empty()) {
        return Ok(Vec::new());
    }
    let mut source = input.open()?;
    let is_asked = |name: &str| match job.and_then(|job| job.attribute(name)) {
        Some((_, attribute)) => attribute.role == Role::Identifying && may_repeat(name, true),
        None => may_repeat(name, false),
    };
    let header = source.columns().iter().enumerate();
    let asked: Vec<(usize, String)> = header
        .filter(|(_, name)| is_asked(name))
        .map(|(at, name)| (at, name.clone()))
        .take(MOST_COLUMNS)
        .collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(table) = input.engine() {
        // Counted where the table lives: identifiers do not leave it.
        let mut found = Vec::new();
        for (_, name) in &asked {
            // A type without values that could be compared has none that repeat.
            if table.columns().iter().any(|column| column.name == *name && column.kind.is_err()) {
                continue;
            }
            let one = std::slice::from_ref(name);
            match table.engine().repeats(table.name(), one, EmptyCells::AreLeftOut) {
                Ok(told) => found.extend(Repeated::of_counts(name, told.rows, told.values, told.most)),
                // A role that may not read it cannot tell.
                Err(EngineError::Privilege { .. }) => {}
                Err(error) => return Err(ReadError::Engine { path: input.options().shown_path(), error }),
            }
        }
        return Ok(found);
    }
    source.select(&asked.iter().map(|(at, _)| *at).collect::<Vec<_>>())?;
    let mut repeats: Vec<Repeats> = asked.iter().map(|(_, name)| Repeats::new(name)).collect();
    let mut batch = Batch::default();
    let mut rows = 0;
    while source.next_batch(&mut batch)? {
        rows += batch.rows as u64;
        for (repeats, cells) in repeats.iter_mut().zip(&batch.columns) {
            cells.iter().flatten().for_each(|cell| repeats.add(cell));
        }
    }
    // Two patients called Ada Meier are two patients where each has a number of her own.
    let numbered = repeats.iter().any(|repeats| repeats.numbers_every_row(rows));
    let finish = if numbered { Repeats::finish_beside_numbers } else { Repeats::finish };
    Ok(repeats.into_iter().filter_map(finish).collect())
}
