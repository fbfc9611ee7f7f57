//! The table of a job file, with its quasi-identifiers and the sensitive columns that its models guard.

use super::splitmix::{below, number};
use super::{Column, DataSet, Generalizes, Levels, Origin};
use crate::audience::{Audience, StopOnly};
use crate::error::BenchError;
use paravent_pipeline::hierarchies;
use paravent_pipeline::job::Job;
use paravent_pipeline::study::Study;
use std::path::Path;

/// Counted tuples become rows again, in an order that is mixed but always the same: rows as they come in files are not sorted
/// either, and sorted ones would be grouped too easily.
pub(super) fn read(path: &Path, name: String, audience: &dyn Audience) -> Result<DataSet, BenchError> {
    let mut job = Job::load(path)?;
    // Every row is needed, so all are held.
    job.search.memory = None;
    let study = Study::prepare(job, None, false, &StopOnly(audience))?;
    let counted = &study.counted;
    let held = counted.held().ok_or_else(|| BenchError::internal("the table is not in memory".to_owned()))?;
    let mut rows: Vec<u32> = Vec::new();
    for tuple in held.in_table() {
        rows.extend((0..held.tuples.count(tuple)).map(|_| tuple));
    }
    shuffle(&mut rows);
    let mut columns = Vec::new();
    for (position, coded) in counted.columns.iter().enumerate() {
        let codes = rows.iter().map(|&tuple| held.tuples.code(tuple, position)).collect();
        let levels = match position < counted.quasi_identifiers {
            true => Some(Levels {
                hierarchy: study.hierarchies[position].clone(),
                ladder: study.task.ladders()[position].clone(),
                lowest: study.task.lattice().lowest()[position],
                highest: study.task.lattice().highest()[position],
                generalizes: Generalizes::Yes,
            }),
            false => distances(&study, coded)?,
        };
        columns.push(Column { coded: coded.clone(), codes, levels });
    }
    let sensitive =
        if columns.len() > counted.quasi_identifiers { counted.quasi_identifiers } else { columns.len() - 1 };
    let notes = study.warnings.clone();
    Ok(DataSet { name, rows: rows.len(), columns, sensitive, origin: Origin::Job(path.to_owned()), notes })
}

/// The hierarchy of a sensitive column, where the job has one.
fn distances(
    study: &Study,
    coded: &paravent_pipeline::encode::CodedColumn,
) -> Result<Option<Levels>, BenchError> {
    let Some((index, attribute)) = study.job.attribute(&coded.name) else { return Ok(None) };
    if attribute.hierarchy.is_none() {
        return Ok(None);
    }
    let hierarchy = hierarchies::build(&study.job, index, &coded.dictionary.cells(), coded.value_type)?;
    // A hierarchy that does not cover the values is of no use for distances; equal ones will do.
    let levels = Levels::climb(hierarchy, coded).ok();
    Ok(levels.map(|levels| Levels { generalizes: Generalizes::ForDistancesOnly, ..levels }))
}

/// Fisher–Yates with fixed numbers.
fn shuffle(rows: &mut [u32]) {
    for last in (1..rows.len()).rev() {
        let other = below(number(1, last as u64), last as u64 + 1) as usize;
        rows.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;

    #[test]
    fn the_tour_is_a_data_set() {
        let folder = tempfile::tempdir().unwrap();
        let files = paravent_pipeline::demo::write_rows(folder.path(), 300).unwrap();
        let set = read(&files.job, "demo".to_owned(), &Nobody).unwrap();
        assert_eq!((set.rows, set.quasi_identifiers().len()), (300, 5));
        assert_eq!(set.columns[set.sensitive].coded.name, "diagnosis");
        assert!(set.columns.iter().all(|column| column.codes.len() == 300));
    }

    #[test]
    fn shuffling_keeps_the_rows() {
        let mut rows: Vec<u32> = (0..100).collect();
        shuffle(&mut rows);
        assert!(rows.windows(2).any(|pair| pair[0] > pair[1]));
        rows.sort_unstable();
        assert_eq!(rows, (0..100).collect::<Vec<_>>());
    }
}
