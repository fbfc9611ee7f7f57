//! Looks for identifiers that stand in several rows, where nobody says whose row it is.

use paravent_evidence::columns::{Repeated, Repeats, may_repeat};
use paravent_job::{Job, Role};
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
    source.select(&asked.iter().map(|(at, _)| *at).collect::<Vec<_>>())?;
    let mut repeats: Vec<Repeats> = asked.iter().map(|(_, name)| Repeats::new(name)).collect();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        for (repeats, cells) in repeats.iter_mut().zip(&batch.columns) {
            cells.iter().flatten().for_each(|cell| repeats.add(cell));
        }
    }
    Ok(repeats.into_iter().filter_map(Repeats::finish).collect())
}
