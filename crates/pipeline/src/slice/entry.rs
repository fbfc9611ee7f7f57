//! A release that no job file describes, on its way into the register.

use super::{CodedCells, CodedTable, SliceError};
use crate::register::{
    Criterion, Gathering, InputRecord, JobRecord, PeopleSketch, Register, ReleaseLog, ReleaseRecord, Salt,
    Sketch, Sketching, chain_id, files, row, same_people, seen_from,
};
use paravent_job::{Job, Role};
use paravent_report::{RegisteredFacts, Relation};
use paravent_tables::write::{Replace, Staging, Written};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A locked register, and the line that is about to be added to it.
#[derive(Debug)]
pub(crate) struct PlainEntry {
    register: Register,
    target: PathBuf,
    input: InputRecord,
    quasi_identifiers: Vec<String>,
    job: JobRecord,
    criteria: Vec<Criterion>,
    /// Earlier releases of the same rows: line, and what they share.
    earlier: Vec<(u64, Relation, Option<u64>)>,
}

impl PlainEntry {
    /// Locks the register and finds the earlier releases of the same rows. `released`: the columns by which rows are compared where no job names roles.
    pub(crate) fn prepare(
        (place, target): (&Path, &Path),
        table: &CodedTable,
        (released, criteria): (&[String], Vec<(String, Value)>),
        named: Option<&(String, String)>,
        job: Option<&Job>,
    ) -> Result<PlainEntry, SliceError> {
        let register = Register::lock_for(place, Some(target))?;
        let role = |role: Role| job.into_iter().flat_map(move |job| job.with_role(role));
        let quasi: Vec<String> = role(Role::QuasiIdentifier).map(|column| column.name.clone()).collect();
        // The same columns as a release of the job has, so that the two can be compared.
        let of_job = quasi.iter().cloned().chain(role(Role::Sensitive).map(|column| column.name.clone()));
        let mut columns: Vec<String> = of_job.filter(|name| table.place(name).is_ok()).collect();
        if columns.is_empty() {
            columns = released.iter().filter(|name| table.place(name).is_ok()).cloned().collect();
        }
        columns.sort();
        let input = InputRecord {
            sha256: table.sha256.clone(),
            rows: table.rows as u64,
            sketch: sketch(register.salt(), table, columns),
            people: job.map_or_else(Vec::new, |job| people(register.salt(), table, job)),
        };
        let earlier = register.chain().releases().into_iter().rev().filter_map(|(line, release)| {
            if release.input.sha256 == input.sha256 {
                return Some((line.sequence, Relation::SameInput, None));
            }
            let overlap = input.sketch.overlap(input.rows, &release.input.sketch, release.input.rows);
            if let Some(overlap) = overlap.filter(|overlap| overlap.is_certain) {
                return Some((line.sequence, Relation::Overlap, Some(overlap.rows)));
            }
            let (relation, shared) = same_people(&input, release)?;
            Some((line.sequence, relation, shared.map(|shared| shared.rows)))
        });
        let earlier = earlier.collect();
        let (file, sha256) = named.cloned().unwrap_or_default();
        Ok(PlainEntry {
            target: target.to_owned(),
            input,
            quasi_identifiers: quasi,
            job: JobRecord { file, sha256 },
            criteria: criteria.into_iter().map(|(model, required)| Criterion { model, required }).collect(),
            earlier,
            register,
        })
    }

    /// What the report says of the register.
    pub(crate) fn facts(&self) -> RegisteredFacts {
        let chain = self.register.chain();
        RegisteredFacts {
            id: chain_id(chain),
            sequence: self.register.next(),
            releases_before: chain.releases().len() as u64,
            previous: chain.head.clone(),
        }
    }

    /// What the user should know of earlier releases.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let told = self.earlier.iter().map(|(line, relation, shared)| {
            let rows = match (relation, shared) {
                (Relation::Overlap, Some(shared)) => {
                    format!("about {shared} of these rows were released before")
                }
                (Relation::SamePeople, Some(shared)) => {
                    format!("about {shared} of these people were in a table that was released before")
                }
                _ => "this table was released before".to_owned(),
            };
            format!("{rows}, as release {line} of the register; what both tell together was not tried")
        });
        told.collect()
    }

    /// Writes the line and lets the release appear; takes the line back if it cannot.
    pub(crate) fn publish(
        self,
        staging: Staging,
        replace: Replace,
        (data, written): (&str, &Written),
    ) -> Result<(), SliceError> {
        let record = ReleaseRecord {
            release: seen_from(&Register::folder(self.register.file()), &self.target),
            files: files(staging.path(), BTreeMap::from([(data.to_owned(), written.sha256.clone())]))?,
            private: files(staging.private(), BTreeMap::new())?,
            input: self.input,
            quasi_identifiers: self.quasi_identifiers,
            job: self.job,
            criteria: self.criteria,
            rows: written.rows,
            appeared: None,
        };
        self.register.publish(record, staging, replace)
    }
}

/// The people of a table.
fn people(salt: &Salt, table: &CodedTable, job: &Job) -> Vec<PeopleSketch> {
    let rows = table.rows as u64;
    let gathered = Gathering::of_job(job, rows).into_iter().filter_map(|mut gathering| {
        let column = |name: &String| table.columns.iter().find(|column| column.name == *name);
        let columns: Vec<&CodedCells> = gathering.columns().iter().map(column).collect::<Option<_>>()?;
        for at in 0..table.rows {
            let cells = columns.iter().map(|column| column.cells[column.codes[at] as usize].as_deref());
            gathering.add(salt, cells);
        }
        gathering.finish(rows)
    });
    gathered.collect()
}

/// The sketch of a table's rows by some of its columns.
fn sketch(salt: &Salt, table: &CodedTable, columns: Vec<String>) -> Sketch {
    let sources: Vec<&CodedCells> =
        columns.iter().filter_map(|name| table.columns.iter().find(|column| column.name == *name)).collect();
    let hashes: Vec<Vec<u64>> = sources
        .iter()
        .map(|column| column.cells.iter().map(|cell| salt.cell(&column.name, cell.as_deref())).collect())
        .collect();
    let mut rows: Vec<u64> = (0..table.rows)
        .map(|at| row(sources.iter().zip(&hashes).map(|(column, hashes)| hashes[column.codes[at] as usize])))
        .collect();
    rows.sort_unstable();
    let mut sketching = Sketching::new(Sketch::bins_for(table.rows as u64));
    rows.chunk_by(|a, b| a == b).for_each(|same| sketching.add(same[0], same.len() as u64));
    sketching.finish(columns)
}
