//! Raw tables for the attacker, read with the columns of the release.

use super::{AttackError, AttackOptions};
use crate::load::load_input;
use crate::{ColumnRole, LoadError, ReleaseTable, Roles, TableSource};
use paravent_evidence::microdata::Microdata;
use paravent_job::{Job, Role};
use paravent_prepare::study::sampled;
use paravent_tables::read::{Input, ReadOptions};
use paravent_tables::watch::Watch;
use std::path::Path;

/// Which columns a table must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Every released column: the original.
    All,
    /// Every quasi-identifier: population and control group.
    QuasiIdentifiers,
    /// At least one quasi-identifier: a list with names.
    Any,
}

/// What is said of cells, and nothing of the file: a cell that is written otherwise is taken as it is.
fn as_cells_only(path: &Path, known: ReadOptions) -> ReadOptions {
    let ReadOptions { null, blanks, spellings, .. } = known;
    ReadOptions { null, blanks, spellings, labels: true, ..ReadOptions::new(path) }
}

/// Reads the columns that the release has too, and the key where the table has it.
pub(super) fn read(
    path: &Path,
    wanted: Wanted,
    release: &ReleaseTable,
    options: &AttackOptions,
    watch: &dyn Watch,
) -> Result<Microdata, AttackError> {
    let job = options.in_memory.job(options.job.as_deref())?;
    let held = options.in_memory.tables.contains_key(path);
    // What is known of the original says how cells are written, and says it of lists about the same people, too; but these may be stored
    // otherwise.
    let stored = |job: Option<&Job>| -> Result<Input, AttackError> {
        if held || (job.is_some() && wanted != Wanted::All) {
            return Ok(options.in_memory.source(path, job).input()?);
        }
        let source = release.original(path, job);
        let source = match (source, wanted) {
            (TableSource::Known(known), Wanted::QuasiIdentifiers | Wanted::Any) => {
                TableSource::Known(Box::new(as_cells_only(path, *known)))
            }
            (source, _) => source,
        };
        Ok(source.input()?)
    };
    let found = stored(None)?;
    let header = found.open().map_err(LoadError::from)?.columns().to_vec();
    let has = |name: &str| header.iter().any(|known| known == name);
    let table = &release.table;
    let name = |place: &usize| table.data.columns()[*place].name().to_owned();
    let lacking =
        |places: &[usize]| -> Vec<String> { places.iter().map(name).filter(|name| !has(name)).collect() };
    let all: Vec<usize> = (0..table.data.columns().len()).collect();
    match wanted {
        Wanted::All if !lacking(&all).is_empty() => {
            return Err(AttackError::NotTheOriginal { path: path.to_owned(), columns: lacking(&all) });
        }
        Wanted::QuasiIdentifiers if !lacking(&table.quasi_identifiers).is_empty() => {
            return Err(AttackError::Incomplete {
                path: path.to_owned(),
                columns: lacking(&table.quasi_identifiers),
            });
        }
        Wanted::Any if lacking(&table.quasi_identifiers).len() == table.quasi_identifiers.len() => {
            let wanted = table.quasi_identifiers.iter().map(name).collect();
            return Err(AttackError::NoCommonColumn { path: path.to_owned(), wanted });
        }
        _ => {}
    }
    let mut columns = Vec::new();
    for &place in all.iter().filter(|&place| has(&name(place))) {
        let role =
            if table.quasi_identifiers.contains(&place) { Role::QuasiIdentifier } else { Role::Insensitive };
        let (value_type, treatment) =
            (Some(table.types[place]), release.treatments.get(&name(&place)).cloned());
        columns.push(ColumnRole { value_type, treatment, ..ColumnRole::new(name(&place), role) });
    }
    if let Some(key) =
        options.key.as_ref().filter(|key| has(key) && columns.iter().all(|known| known.name != **key))
    {
        columns.push(ColumnRole::new(key, Role::Insensitive));
    }
    // Of a table that holds the population too, only the rows to release are the original.
    let subset = job.as_ref().filter(|_| wanted == Wanted::All).and_then(|job| Roles::of_job(job).subset);
    let roles = Roles { columns, subset, person: Vec::new() };
    // Where the attacks count people, so do those who judge by the original.
    let person = job.as_ref().map(|job| Roles::of_job(job).person).unwrap_or_default();
    let named = Roles { person, ..roles }.of_people(&options.person);
    let known = named.person.iter().all(|column| has(&column.name)) && wanted != Wanted::Any;
    let roles = Roles { person: if known { named.person.clone() } else { Vec::new() }, ..named };
    let mut input = stored(job.as_ref())?;
    // Of a table of which a sample was released, the sample is the original.
    if let Some(job) = job.as_ref().filter(|_| wanted == Wanted::All) {
        input = sampled(job, input)?;
    }
    Ok(load_input(&input, &roles, watch)?.data)
}
