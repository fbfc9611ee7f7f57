//! Earlier releases of the same rows or people, for tables that no search made: sliced and noisy ones, answers of SQL.
//!
//! What such a table tells together with an earlier release is not tried. So nobody knows, and the verdict is not green.

use super::{CodedCells, CodedTable};
use crate::register::{
    Chain, Gathering, InputRecord, Kinds, PeopleSketch, Register, RegisterError, ReleaseLog, ReleaseRecord,
    Salt, Sketch, Sketching, are_others, are_strangers, others, row, same_people, seen_from_folder,
};
use paravent_job::{Job, Role};
use paravent_report::{Relation, could_not_be_tried, releases_in_words};
use std::path::{Path, PathBuf};

/// The releases of one register that share rows or people with a table.
#[derive(Debug, Default)]
pub struct Related {
    /// Which register; empty for the one that gets the line.
    register: String,
    /// Newest first: number, what is shared, and how much of it.
    found: Vec<(u64, Relation, Option<u64>)>,
}

impl Related {
    /// Finds them in a register. `name` tells it from the one that gets the line.
    pub(crate) fn in_chain(
        name: String,
        chain: &Chain,
        (input, kinds): (&InputRecord, &Kinds),
        job: Option<&Job>,
    ) -> Related {
        // Rows that look alike are no rows of the same people where a job says who they are, or where strangers would have as many.
        let of_others = |release: &ReleaseRecord, shared: u64| {
            let share = shared as f64 / input.rows.max(1) as f64;
            job.is_some_and(|job| are_others(job, input, release))
                || are_strangers(kinds, input, release, share)
        };
        let releases = chain.releases().into_iter().rev();
        let found = releases.filter_map(|(line, release)| {
            if release.input.sha256 == input.sha256 {
                return Some((line.sequence, Relation::SameInput, None));
            }
            let overlap = input.sketch.overlap(input.rows, &release.input.sketch, release.input.rows);
            if let Some(overlap) = overlap.filter(|it| it.is_certain && !of_others(release, it.rows)) {
                return Some((line.sequence, Relation::Overlap, Some(overlap.rows)));
            }
            let (relation, shared) = same_people(input, release)?;
            Some((line.sequence, relation, shared.map(|shared| shared.rows)))
        });
        Related { found: found.collect(), register: name }
    }

    /// What the user should know.
    pub fn warnings(&self) -> Vec<String> {
        let register = self.shown();
        let told = self.found.iter().map(|(line, relation, shared)| {
            let rows = match (relation, shared) {
                (Relation::Overlap, Some(shared)) => {
                    format!("about {shared} of these rows were released before")
                }
                (Relation::SamePeople, Some(shared)) => {
                    format!("about {shared} of these people were in a table that was released before")
                }
                _ => "this table was released before".to_owned(),
            };
            format!(
                "{rows}, as release {line} of the register{register}; what both tell together was not tried"
            )
        });
        told.collect()
    }

    /// Why the verdict is not green.
    pub fn doubt(&self) -> Option<String> {
        let numbers: Vec<u64> = self.found.iter().map(|found| found.0).collect();
        releases_in_words(&numbers, &self.shown()).as_deref().map(could_not_be_tried)
    }

    fn shown(&self) -> String {
        if self.register.is_empty() { String::new() } else { format!(" {}", self.register) }
    }
}

/// Whether a job knows registers that a table could be held against.
pub fn has_registers(job: &Job) -> bool {
    !others(job, None).is_empty()
}

/// Holds a table against registers that get no line of it: all that a job knows, or the one in `folder` where there is no job. `written` is the
/// one that does get a line. `released` has the columns that leave.
///
/// # Errors
/// If a register is broken, or files of its releases were changed.
pub fn held_against(
    table: &CodedTable,
    released: &[String],
    job: Option<&Job>,
    (folder, written): (&Path, Option<&Path>),
) -> Result<Vec<Related>, RegisterError> {
    let files: Vec<PathBuf> = match (job, written) {
        (Some(job), written) => others(job, written),
        (None, None) => vec![Register::path(folder)],
        (None, Some(_)) => Vec::new(),
    };
    let mut related = Vec::new();
    for file in files.into_iter().filter(|file| file.is_file()) {
        let chain = Register::sound(&file)?;
        let Some(salt) = chain.salt() else { continue };
        let (input, kinds) = input_record(salt, table, released, job);
        let from = job.map_or(folder, |job| job.source.folder());
        related.push(Related::in_chain(seen_from_folder(from, &file), &chain, (&input, &kinds), job));
    }
    Ok(related)
}

/// What a register keeps of a table, and its kinds of rows. `released`: the columns by which rows are compared where no job names roles.
pub(super) fn input_record(
    salt: &Salt,
    table: &CodedTable,
    released: &[String],
    job: Option<&Job>,
) -> (InputRecord, Kinds) {
    let role = |role: Role| job.into_iter().flat_map(move |job| job.with_role(role));
    // The same columns as a release of the job has, so that the two can be compared.
    let of_job = role(Role::QuasiIdentifier).chain(role(Role::Sensitive)).map(|column| column.name.clone());
    let mut columns: Vec<String> = of_job.filter(|name| table.place(name).is_ok()).collect();
    if columns.is_empty() {
        columns = released.iter().filter(|name| table.place(name).is_ok()).cloned().collect();
    }
    columns.sort();
    let (sketch, kinds) = sketch(salt, table, columns);
    let people = job.map_or_else(Vec::new, |job| people(salt, table, job));
    (InputRecord { sha256: table.sha256.clone(), rows: table.rows as u64, sketch, people }, kinds)
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

/// The sketch of a table's rows by some of its columns, and how often they occur.
fn sketch(salt: &Salt, table: &CodedTable, columns: Vec<String>) -> (Sketch, Kinds) {
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
    let kinds = Kinds::of(rows.chunk_by(|a, b| a == b).map(|same| same.len() as u64));
    (sketching.finish(columns), kinds)
}
