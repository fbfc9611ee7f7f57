//! A party's own part: its job and its table, as the agreement sees them.

use super::agreement::{Agreement, ColumnEntry, Levels};
use crate::commands::run_error;
use crate::failure::Failure;
use crate::progress::Progress;
use paravent_federation::{PartyColumn, PartyTable, Split};
use paravent_pipeline::encode::{CodedColumn, scan};
use paravent_pipeline::hierarchies::to_json;
use paravent_pipeline::job::{DataType, Job, Model, Problem, Problems, Role};
use paravent_pipeline::run::RunError;
use paravent_pipeline::study::{Study, StudyError, Treatment, value_type};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Reads and counts the party's table. The promises are those of the agreement; a part of a table may be too small for them.
pub fn study(path: &Path, quiet: bool) -> Result<Study, Failure> {
    let mut job = Job::load(path).map_err(|problems| run_error::failure(problems.into(), path))?;
    job.privacy.models = vec![Model::KAnonymity { k: 1 }];
    // Every row is sent, so all are held.
    job.search.memory = None;
    let progress = Progress::start(quiet);
    Study::prepare(job, None, false, &progress)
        .map_err(|error| run_error::failure(RunError::Study(error), path))
}

/// The columns the release gets from this party.
pub fn columns(study: &Study, owner: Option<&str>) -> Vec<ColumnEntry> {
    let released = study.columns.released();
    released
        .map(|(_, column)| {
            let levels = match column.treatment {
                Treatment::QuasiIdentifier(position) => Some(Levels {
                    height: study.ladders[position].max_level(),
                    lowest: study.lattice.lowest()[position],
                    highest: study.lattice.highest()[position],
                    weight: study.weights[position],
                    hierarchy: hierarchy_digest(study, position),
                }),
                _ => None,
            };
            let role = match column.treatment {
                Treatment::QuasiIdentifier(_) => Role::QuasiIdentifier,
                Treatment::Sensitive => Role::Sensitive,
                _ => Role::Insensitive,
            };
            let name = study.type_name(column);
            let data_type =
                DataType::ALL.iter().copied().find(|kind| kind.name() == name).unwrap_or(DataType::String);
            ColumnEntry {
                name: column.name.clone(),
                role,
                data_type,
                owner: owner.map(str::to_owned),
                levels,
            }
        })
        .collect()
}

fn hierarchy_digest(study: &Study, position: usize) -> String {
    let digest = Sha256::digest(to_json(&study.hierarchies[position]).to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the party's own columns are those of the agreement; all differences together.
pub fn fits(agreement: &Agreement, study: &Study, me: &str) -> Result<(), Problems> {
    let owner = (agreement.split == Split::Vertical).then_some(me);
    let own = columns(study, owner);
    let mut problems = Problems::new();
    let job = study.job.source.file();
    for (index, agreed) in agreement.columns.iter().enumerate() {
        if agreement.split == Split::Vertical && agreed.owner.as_deref() != owner {
            continue;
        }
        let at = |key: &str, message: String| {
            agreement.source.problem(&format!("columns[{index}].{key}"), message)
        };
        let Some(mine) = own.iter().find(|column| column.name == agreed.name) else {
            problems.push(at("name", format!("{} releases no column {:?}", job.display(), agreed.name)));
            continue;
        };
        if mine.role != agreed.role {
            problems.push(at(
                "role",
                format!("is {} here and {} in {}", agreed.role.name(), mine.role.name(), job.display()),
            ));
        }
        if mine.data_type != agreed.data_type {
            let problem = at(
                "type",
                format!(
                    "is {} here and {} in {}",
                    agreed.data_type.name(),
                    mine.data_type.name(),
                    job.display()
                ),
            );
            problems.push(
                problem.advise("Declare the type in every job, so that it does not depend on the rows"),
            );
        }
        if let (Some(mine), Some(agreed)) = (&mine.levels, &agreed.levels)
            && mine != agreed
        {
            let (key, message) = match mine.hierarchy != agreed.hierarchy {
                true => ("hierarchy", format!("the hierarchy of {} is another one", job.display())),
                false => ("height", format!("levels or weight differ from {}", job.display())),
            };
            let advice = "All parties need the same hierarchy: build it once (paravent hierarchy build) and hand out the file";
            problems.push(at(key, message).advise(advice));
        }
    }
    let agreed = |column: &&ColumnEntry| agreement.columns.iter().any(|known| known.name == column.name);
    for column in own.iter().filter(|column| !agreed(column)) {
        let message = format!("{} releases column {:?}, which nobody agreed on", job.display(), column.name);
        problems.push(
            agreement
                .source
                .problem("columns", message)
                .advise("Declare it as identifying to leave it out, or add it"),
        );
    }
    if let Some(identifier) = &agreement.identifier
        && !study
            .columns
            .columns
            .iter()
            .any(|column| column.name == *identifier && column.treatment == Treatment::Identifying)
    {
        let message = format!("{} has no identifying column {identifier:?}", job.display());
        problems.push(
            agreement
                .source
                .problem("identifier", message)
                .advise("Declare it with role = \"identifying\": it is matched, encrypted, and not released"),
        );
    }
    problems.into_result(())
}

/// The party's rows, in the order of the agreement's columns.
pub fn table(agreement: &Agreement, study: &Study, me: &str, path: &Path) -> Result<PartyTable, Failure> {
    let mine =
        |column: &&ColumnEntry| agreement.split == Split::Horizontal || column.owner.as_deref() == Some(me);
    let wanted: Vec<&ColumnEntry> = agreement.columns.iter().filter(mine).collect();
    let position = |name: &str| study.columns.columns.iter().position(|column| column.name == name);
    let mut positions = Vec::new();
    let mut coded = Vec::new();
    for column in &wanted {
        positions.extend(position(&column.name));
        coded.push(match quasi_identifier(study, &column.name) {
            Some(at) => study.counted.columns[at].clone(),
            None => CodedColumn::new(&column.name, value_type(column.data_type)),
        });
    }
    if let (Split::Vertical, Some(identifier)) = (agreement.split, &agreement.identifier) {
        positions.extend(position(identifier));
        coded.push(CodedColumn::new(identifier, value_type(DataType::String)));
    }
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); coded.len()];
    let failed = |error: StudyError| run_error::failure(RunError::from(error), path);
    let mut source = study.input.open().map_err(|error| failed(error.into()))?;
    source.select(&positions).map_err(|error| failed(error.into()))?;
    let on_row = |codes: &[u32]| rows.iter_mut().zip(codes).for_each(|(column, &code)| column.push(code));
    let count = scan(source, study.input_path.clone(), &mut coded, on_row, |_| !crate::signals::stop())
        .map_err(|error| failed(error.into()))?;
    study.input.unchanged_since(&study.fingerprint).map_err(|error| failed(error.into()))?;
    let mut identifiers = Vec::new();
    if agreement.split == Split::Vertical {
        let (codes, column) = (rows.pop().unwrap_or_default(), coded.pop());
        for code in codes {
            let cell = column.as_ref().and_then(|column| column.dictionary.cell(code));
            let missing =
                || Failure::configuration(Problem::new(path, "a row has no identifier to match it by"));
            identifiers.push(cell.ok_or_else(missing)?.to_owned());
        }
    }
    let columns = wanted.iter().zip(coded.iter().zip(rows)).map(|(column, (coded, rows))| {
        match quasi_identifier(study, &column.name) {
            Some(at) => PartyColumn::with_ladder(study.ladders[at].clone(), rows),
            None => PartyColumn::plain(
                coded.dictionary.cells().into_iter().map(|cell| cell.map(str::to_owned)).collect(),
                rows,
            ),
        }
    });
    Ok(PartyTable { columns: columns.collect(), identifiers, rows: count as usize })
}

/// Position among the quasi-identifiers.
pub fn quasi_identifier(study: &Study, name: &str) -> Option<usize> {
    study.columns.columns.iter().find(|column| column.name == name).and_then(|column| {
        match column.treatment {
            Treatment::QuasiIdentifier(position) => Some(position),
            _ => None,
        }
    })
}
