//! The rows of a party, as the protocols take them.

use super::{counted, quasi_identifier};
use crate::JointError;
use crate::agreement::{Agreement, ColumnEntry};
use paravent_core::hierarchy::LadderError;
use paravent_core::values::ValueType;
use paravent_federation::{Gaps, PartyColumn, PartyTable, Split};
use paravent_job::{DataType, Problem};
use paravent_prepare::study::{Study, StudyError, says_yes, value_type};
use paravent_tables::encode::{CodedColumn, scan};
use paravent_tables::watch::Watch;
use std::path::Path;

/// The party's rows, in the order of the agreement's columns.
pub fn table(
    agreement: &Agreement,
    study: &Study,
    me: &str,
    watch: &dyn Watch,
) -> Result<PartyTable, JointError> {
    let path = study.job.source.file();
    let mine = |column: &&ColumnEntry| agreement.split == Split::Horizontal || column.is_held_by(me);
    let wanted: Vec<&ColumnEntry> = agreement.columns.iter().filter(mine).collect();
    let position = |name: &str| study.columns.columns.iter().position(|column| column.name == name);
    let mut positions = Vec::new();
    let mut coded = Vec::new();
    for column in &wanted {
        positions.extend(position(&column.name));
        coded.push(match counted(study, &column.name) {
            Some(at) => study.counted.columns[at].clone(),
            None => CodedColumn::new(&column.name, value_type(column.data_type)),
        });
    }
    if let Some(identifier) = &agreement.identifier {
        positions.extend(position(identifier));
        coded.push(CodedColumn::new(identifier, value_type(DataType::String)));
    }
    let marks = agreement.marks().filter(|_| agreement.is_marked_by(me));
    if let Some(column) = marks {
        positions.extend(position(column));
        coded.push(CodedColumn::new(column, ValueType::Boolean));
    }
    each_once(&positions, coded.len(), path)?;
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); coded.len()];
    let failed = |error: StudyError| JointError::of_job(path, error);
    let mut source = study.input.open().map_err(|error| failed(error.into()))?;
    source.select(&positions).map_err(|error| failed(error.into()))?;
    let on_row = |codes: &[u32]| rows.iter_mut().zip(codes).for_each(|(column, &code)| column.push(code));
    let count = scan(source, study.input_path.clone(), &mut coded, on_row, |_| !watch.stop())
        .map_err(|error| failed(error.into()))?;
    study.input.unchanged_since(&study.fingerprint).map_err(|error| failed(error.into()))?;
    let marks = marks.and_then(|_| Some(marked(&coded.pop()?, &rows.pop()?)));
    let mut identifiers = Vec::new();
    if agreement.identifier.is_some() {
        let (codes, column) = (rows.pop().unwrap_or_default(), coded.pop());
        for code in codes {
            let cell = column.as_ref().and_then(|column| column.dictionary.cell(code));
            let missing = || Problem::new(path, "a row has no identifier to match it by");
            let form = agreement.spelling.form(cell.ok_or_else(missing)?);
            if form.is_empty() {
                return Err(missing().into());
            }
            identifiers.push(form);
        }
    }
    no_two_alike(&identifiers, path)?;
    let mut columns = Vec::new();
    for (column, (coded, rows)) in wanted.iter().zip(coded.iter().zip(rows)) {
        if agreement.gaps == Gaps::Placeholders {
            columns.push(with_placeholder(study, column, coded, rows)?);
            continue;
        }
        columns.push(match (quasi_identifier(study, &column.name), &column.tree) {
            (Some(at), _) => {
                PartyColumn::with_hierarchy(&study.hierarchies[at], study.task.ladders()[at].clone(), rows)
            }
            (None, Some(_)) => {
                let (_, ladder) = study.sensitive_hierarchy(&column.name)?;
                PartyColumn::with_ladder(ladder, rows)
            }
            (None, None) => PartyColumn::plain(
                coded.dictionary.cells().into_iter().map(|cell| cell.map(str::to_owned)).collect(),
                rows,
            ),
        });
    }
    columns.extend(marks);
    Ok(PartyTable { columns, identifiers, rows: count as usize })
}

/// What was agreed on and what the job says fit each other, and no column has two tasks. Told here as well, because rows are read column by column.
fn each_once(positions: &[usize], wanted: usize, path: &Path) -> Result<(), JointError> {
    let mut different = positions.to_vec();
    different.sort_unstable();
    different.dedup();
    if different.len() == wanted {
        return Ok(());
    }
    let message = "a column of the agreement is not in the table, or is there for two things at once";
    let advice =
        "Rows are matched, marked and released by columns of their own: name another identifier or mark";
    Err(Problem::new(path, message).advise(advice).into())
}

fn no_two_alike(identifiers: &[String], path: &Path) -> Result<(), JointError> {
    let mut sorted: Vec<&String> = identifiers.iter().collect();
    sorted.sort_unstable();
    let twice = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    if twice == 0 {
        return Ok(());
    }
    let message = format!("{twice} rows have the identifier of another row: rows could not be matched");
    Err(Problem::new(path, message).advise("Bring one row per person").into())
}

/// A column with a value for persons whom this party does not know: the missing one.
fn with_placeholder(
    study: &Study,
    column: &ColumnEntry,
    coded: &CodedColumn,
    rows: Vec<u32>,
) -> Result<PartyColumn, JointError> {
    let mut cells = coded.dictionary.cells();
    let missing = cells.iter().position(Option::is_none).unwrap_or_else(|| {
        cells.push(None);
        cells.len() - 1
    });
    let own = match (quasi_identifier(study, &column.name), &column.tree) {
        (Some(at), _) => Some(study.hierarchies[at].clone()),
        (None, Some(_)) => Some(study.sensitive_hierarchy(&column.name)?.0),
        (None, None) => None,
    };
    let unplaced = |error: LadderError| {
        let message =
            format!("column {}: a missing value has no place in its hierarchy: {error}", column.name);
        Problem::new(study.job.source.file(), message)
    };
    let filled = match own {
        Some(hierarchy) => {
            let ladder = hierarchy.ladder(&cells).map_err(unplaced)?;
            PartyColumn::with_hierarchy(&hierarchy, ladder, rows)
        }
        None => PartyColumn::plain(cells.into_iter().map(|cell| cell.map(str::to_owned)).collect(), rows),
    };
    Ok(PartyColumn { placeholder: Some(missing as u32), ..filled })
}

/// Marks as bits: 1 for a row to release.
fn marked(column: &CodedColumn, rows: &[u32]) -> PartyColumn {
    let cells = vec![Some("0".to_owned()), Some("1".to_owned())];
    let bits: Vec<u32> = column.dictionary.cells().into_iter().map(|cell| says_yes(cell).into()).collect();
    PartyColumn::plain(cells, rows.iter().map(|&code| bits[code as usize]).collect())
}
