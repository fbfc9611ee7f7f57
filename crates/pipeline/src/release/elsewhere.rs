//! Recoding where the table lives: small mappings go there, and only rows that are released come back.

use paravent_core::release::{Fate, Solution};
use paravent_core::values::ValueType;
use paravent_prepare::study::{Study, StudyError, Treatment, says_yes};
use paravent_tables::encode::{CodedColumn, CodedLines, scan_grouped};
use paravent_tables::engine::{EngineError, Fates, MappedValue, Mapping, RecodedColumn, Recoding};
use paravent_tables::read::{EngineTable, ReadError};
use paravent_tables::spill::SpillError;
use paravent_tables::watch::Watch;
use std::collections::HashSet;

/// Uploads what a solution makes of the table, and describes the table that comes out.
pub(crate) fn upload(
    study: &Study,
    solution: &Solution,
    table: &EngineTable,
) -> Result<Recoding, StudyError> {
    let failed = |error: EngineError| failed(study, error);
    let put = |mapping: Mapping| table.engine().upload(&mapping).map_err(failed);
    let quasi = study.counted.quasi_identifiers;
    let mut mapped = Vec::new();
    for position in 0..quasi {
        let column = &study.counted.columns[position];
        let name = format!("paravent_values_{position}");
        let of = (table.name().clone(), column.name.clone());
        put(Mapping::Values { name: name.clone(), of, lines: lines(study, solution, table, position)? })?;
        mapped.push((column.name.clone(), name));
    }
    // Where people stay or go with all their rows, classes say nothing: who stays is uploaded below.
    let fates = match solution.fates.by_person() {
        Some(_) => None,
        None => fates(study, solution)?,
    };
    let kept = match &fates {
        Some(mapping) => {
            put(mapping.clone())?;
            match (mapping, &solution.boxes) {
                (Mapping::Codes { name, .. }, None) => Fates::AllBut(name.clone()),
                (Mapping::Codes { name, .. }, Some(_)) => Fates::Listed(name.clone()),
                (Mapping::Values { .. }, _) => Fates::AllStay,
            }
        }
        None => Fates::AllStay,
    };
    let mut subset: Vec<(String, String)> = kept_people(study, solution, table)?.into_iter().collect();
    match study.columns.subset {
        None => {}
        Some(place) => {
            let column = study.columns.columns[place].name.clone();
            let name = "paravent_subset".to_owned();
            let values = table.values(&column, study.input.options())?;
            let is_null = null_texts(study);
            let lines = values.into_iter().map(|value| {
                let code = u32::from(says_yes(value.as_deref().filter(|text| !is_null(text))));
                MappedValue { value, code, label: None }
            });
            let of = (table.name().clone(), column.clone());
            put(Mapping::Values { name: name.clone(), of, lines: lines.collect() })?;
            subset.push((column, name));
        }
    }
    let columns = study.columns.released().map(|(_, column)| match column.treatment {
        Treatment::QuasiIdentifier(mapped) => RecodedColumn::Label { name: column.name.clone(), mapped },
        _ => RecodedColumn::AsItIs { name: column.name.clone() },
    });
    Ok(Recoding { table: table.name().clone(), columns: columns.collect(), mapped, fates: kept, subset })
}

/// Where people are kept or left out with all their rows: the column of their tokens, and the mapping of those who are kept.
fn kept_people(
    study: &Study,
    solution: &Solution,
    table: &EngineTable,
) -> Result<Option<(String, String)>, StudyError> {
    let people = study.people.as_ref().and_then(|people| people.elsewhere.as_ref());
    let (Some(people), Some(fates)) = (people, solution.fates.by_person()) else { return Ok(None) };
    let token = |token: &u128| MappedValue { value: Some(format!("{token:032x}")), code: 1, label: None };
    let kept = people.tokens.iter().zip(fates).filter(|(_, fate)| **fate == Fate::Kept);
    let (column, name) = (people.table.token.clone(), "paravent_people".to_owned());
    let of = (table.name().clone(), column.clone());
    let mapping =
        Mapping::Values { name: name.clone(), of, lines: kept.map(|(person, _)| token(person)).collect() };
    table.engine().upload(&mapping).map_err(|error| failed(study, error))?;
    Ok(Some((column, name)))
}

/// The released rows, counted: codes of the cells in the order of the released columns, and of the person behind them where people are counted.
/// Gives the columns with those cells.
pub(super) fn released(
    study: &Study,
    solution: &Solution,
    table: &EngineTable,
    mut on_row: impl FnMut(&[u32], u64) -> Result<(), SpillError> + Send,
    watch: &dyn Watch,
) -> Result<Vec<CodedColumn>, StudyError> {
    let people = study.people.as_ref().and_then(|people| people.elsewhere.as_ref());
    let table = people.map_or(table, |people| &people.table.table);
    let mut recoding = upload(study, solution, table)?;
    let mut columns: Vec<CodedColumn> = study
        .columns
        .released()
        .map(|(_, column)| {
            let declared = column.attribute.and_then(|at| study.job.attributes[at].data_type);
            let kept_as_text = matches!(column.treatment, Treatment::QuasiIdentifier(_));
            let value_type = declared.filter(|_| !kept_as_text).map(paravent_prepare::study::value_type);
            CodedColumn::new(&column.name, value_type.unwrap_or(ValueType::String))
        })
        .collect();
    if let Some(people) = people {
        recoding.columns.push(RecodedColumn::AsItIs { name: people.table.token.clone() });
        columns.push(CodedColumn::new(&people.table.token, ValueType::String));
    }
    let source = table.recoded(&recoding, study.input.options());
    let mut codes = vec![0u32; columns.len()];
    let on_lines = |lines: CodedLines<'_>| {
        (0..lines.len).try_for_each(|line| {
            codes.iter_mut().zip(lines.codes).for_each(|(code, column)| *code = column[line]);
            on_row(&codes, lines.counts.map_or(1, |counts| counts[line]))
        })
    };
    let all = study.table.row_count() - solution.suppressed_rows;
    let progress = |rows| {
        watch.advance(rows, Some(all));
        !watch.stop()
    };
    let rows = scan_grouped(source, study.input_path.clone(), &mut columns, on_lines, progress)?;
    match rows == all {
        true => Ok(columns),
        false => Err(failed(study, EngineError::Changed)),
    }
}

/// What becomes of every value of a quasi-identifier, by the spelling that the table has.
fn lines(
    study: &Study,
    solution: &Solution,
    table: &EngineTable,
    position: usize,
) -> Result<Vec<MappedValue>, StudyError> {
    let column = &study.counted.columns[position];
    let level = solution.node.levels().get(position).copied().unwrap_or_default();
    let rung = study.task.ladders()[position].rung(if solution.boxes.is_some() { 0 } else { level });
    let is_null = null_texts(study);
    let mut lines = Vec::new();
    for value in table.values(&column.name, study.input.options())? {
        let cell = value.as_deref().filter(|text| !is_null(text));
        let canonical = cell.map(|cell| column.spelling.canonical(cell));
        let code = column.dictionary.code(cell).or_else(|| column.dictionary.code(canonical.as_deref()));
        let code = code.ok_or_else(|| failed(study, EngineError::Changed))?;
        let group = rung.group_of[code as usize];
        lines.push(match solution.boxes {
            Some(_) => MappedValue { value, code, label: None },
            None => MappedValue { value, code: group, label: rung.labels[group as usize].clone() },
        });
    }
    Ok(lines)
}

/// The classes that are left out; or, where every tuple has a box, the tuples that stay with their labels.
fn fates(study: &Study, solution: &Solution) -> Result<Option<Mapping>, StudyError> {
    let width = study.counted.quasi_identifiers;
    let name = "paravent_fates".to_owned();
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    let (mut codes, mut labels) = (Vec::new(), Vec::new());
    study.counted.each_in_table(|tuple| {
        let own = &tuple.codes[..width];
        let is_kept = solution.fates.of(tuple.frequency, own) == Fate::Kept;
        let shown = solution.boxes.as_ref().and_then(|boxes| boxes.of(tuple.frequency));
        match (&solution.boxes, shown) {
            (Some(_), Some(shown)) if is_kept && seen.insert(own.to_vec()) => {
                codes.extend_from_slice(own);
                let ladders = study.task.ladders().iter().enumerate();
                labels.extend(ladders.map(|(at, ladder)| {
                    ladder.rung(shown.levels[at]).labels[shown.groups[at] as usize].clone()
                }));
            }
            (None, _) if !is_kept => {
                let levels = study.task.ladders().iter().zip(solution.node.levels());
                let groups = levels
                    .zip(own)
                    .map(|((ladder, &level), &code)| ladder.rung(level).group_of[code as usize]);
                let groups: Vec<u32> = groups.collect();
                if seen.insert(groups.clone()) {
                    codes.extend(groups);
                }
            }
            _ => {}
        }
    })?;
    let is_needed = solution.boxes.is_some() || !codes.is_empty();
    Ok(is_needed.then_some(Mapping::Codes { name, width, codes, labels }))
}

fn null_texts(study: &Study) -> impl Fn(&str) -> bool + '_ {
    let texts = study.input.options().null.as_deref().unwrap_or_default();
    move |cell| texts.iter().any(|text| text == cell)
}

fn failed(study: &Study, error: EngineError) -> StudyError {
    ReadError::Engine { path: study.input_path.clone(), error }.into()
}
