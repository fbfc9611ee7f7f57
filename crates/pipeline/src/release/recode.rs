//! The released table: generalized codes of the rows that stay, counted.

use super::sequence::{Sequence, sequence};
use crate::encode::{CodedColumn, Origin, Tuples, scan};
use crate::job::{DataType, RowOrder};
use crate::study::{Study, StudyError, Treatment};
use crate::watch::{Phase, Watch};
use crate::write::{ColumnKind, OutputFormat, ReleasedColumn, TableWriter, WriteError, Written};
use paravent_core::release::{Fate, Solution};
use paravent_core::values::ValueType;
use std::fs::File;
use std::path::Path;

/// The rows to release, as codes of released cells only.
#[derive(Debug)]
pub struct ReleasedTable {
    /// The columns with their cells, sorted; no cell is there that no released row shows.
    pub columns: Vec<ReleasedColumn>,
    tuples: Tuples,
    sequence: Sequence,
}

impl ReleasedTable {
    /// Writes the rows.
    pub fn write(&self, path: &Path, file: File, format: &OutputFormat) -> Result<Written, WriteError> {
        let mut writer = TableWriter::new(path, file, format, &self.columns)?;
        match &self.sequence {
            Sequence::Sorted(numbers) => {
                for &number in numbers {
                    writer.push(self.tuples.tuple(number), self.tuples.count(number))?;
                }
            }
            Sequence::RowByRow(numbers) => {
                for &number in numbers {
                    writer.push(self.tuples.tuple(number), 1)?;
                }
            }
        }
        writer.finish()
    }

    /// Rows to release.
    pub fn row_count(&self) -> u64 {
        (0..self.tuples.len() as u32).map(|number| self.tuples.count(number)).sum()
    }
}

/// Where the cells of a released column come from.
enum Origins<'a> {
    /// A quasi-identifier on a level: counted code → group; group → label.
    Generalized { counted: usize, group_of: &'a [u32], labels: &'a [Option<String>] },
    /// A column that was counted as it is.
    Counted { counted: usize },
    /// A column read in the second pass, by its position after the counted ones.
    ReadAgain { position: usize },
}

/// Applies a solution. Reads the table again where it has columns that were not counted, or where its order matters.
pub fn recode(study: &Study, solution: &Solution, watch: &dyn Watch) -> Result<ReleasedTable, StudyError> {
    watch.begin(Phase::Recoding);
    let counted = &study.counted;
    let mut read_again: Vec<(usize, CodedColumn)> = Vec::new();
    let mut origins = Vec::new();
    let mut kinds = Vec::new();
    for (index, column) in study.columns.released() {
        let declared = column.attribute.and_then(|a| study.job.attributes[a].data_type);
        match (column.treatment, study.counted_position(&column.name)) {
            (Treatment::QuasiIdentifier(position), _) => {
                let level = solution.node.levels()[position];
                let rung = study.ladders[position].rung(level);
                let (group_of, labels) = (rung.group_of.as_slice(), rung.labels.as_slice());
                origins.push(Origins::Generalized { counted: position, group_of, labels });
                kinds.push(if level == 0 {
                    kind(counted.columns[position].value_type)
                } else {
                    ColumnKind::Text
                });
            }
            (_, Some(position)) => {
                origins.push(Origins::Counted { counted: position });
                kinds.push(kind(counted.columns[position].value_type));
            }
            (_, None) => {
                let value_type = declared.map_or(ValueType::String, crate::study::value_type);
                origins.push(Origins::ReadAgain { position: read_again.len() });
                kinds.push(
                    declared.map_or(ColumnKind::Text, |declared: DataType| {
                        kind(crate::study::value_type(declared))
                    }),
                );
                read_again.push((index, CodedColumn::new(&column.name, value_type)));
            }
        }
    }
    let order = study.job.output.order;
    let mut tuples = Tuples::new(origins.len());
    let mut row_by_row = Vec::new();
    let mut released = vec![0u32; origins.len()];
    let mut others: Vec<CodedColumn> = Vec::new();
    if read_again.is_empty() && order != RowOrder::Input {
        for (number, codes) in counted.tuples_in_table() {
            if solution.fates[counted.frequency_tuple[number as usize] as usize] == Fate::Kept {
                lift(&origins, codes, codes.len(), &mut released);
                tuples.add(&released, counted.tuples.count(number));
            }
        }
    } else {
        let width = counted.columns.len();
        let (wanted, mut columns) = second_pass(study, read_again);
        let subset = study.columns.subset.is_some().then_some(width);
        let first_other = width + usize::from(subset.is_some());
        let mut source = study.input.open()?;
        source.select(&wanted)?;
        let mut key = vec![0u32; width + 1];
        let on_row = |codes: &[u32]| {
            key[..width].copy_from_slice(&codes[..width]);
            // With a subset, a row is in the table exactly if its tuple was counted there.
            let in_table = subset.is_none_or(|at| study.says_in_table(codes[at]));
            key[width] = if in_table { Origin::Table } else { Origin::Population } as u32;
            let number = if in_table { counted.tuples.find(&key) } else { None };
            let fate = number.map(|n| solution.fates[counted.frequency_tuple[n as usize] as usize]);
            if fate == Some(Fate::Kept) {
                lift(&origins, codes, first_other, &mut released);
                let number = tuples.add(&released, 1);
                if order == RowOrder::Input {
                    row_by_row.push(number);
                }
            }
        };
        let progress = |rows| {
            watch.advance(rows, Some(study.table.row_count()));
            !watch.stop()
        };
        scan(source, study.input_path.clone(), &mut columns, on_row, progress)?;
        study.input.unchanged_since(&study.fingerprint)?;
        others = columns.split_off(first_other);
    }
    let cells: Vec<Vec<Option<&str>>> = origins
        .iter()
        .map(|origin| match origin {
            Origins::Generalized { labels, .. } => labels.iter().map(Option::as_deref).collect(),
            Origins::Counted { counted: position } => counted.columns[*position].dictionary.cells(),
            Origins::ReadAgain { position } => others[*position].dictionary.cells(),
        })
        .collect();
    let names = study.columns.released().map(|(_, column)| column.name.clone());
    let columns = keep_used_cells(&mut tuples, &cells, names.zip(kinds));
    let sequence = sequence(&tuples, order, study.job.output.seed, row_by_row)?;
    Ok(ReleasedTable { columns, tuples, sequence })
}

/// Codes of the released cells of one row.
fn lift(origins: &[Origins<'_>], codes: &[u32], first_other: usize, released: &mut [u32]) {
    for (code, origin) in released.iter_mut().zip(origins) {
        *code = match origin {
            Origins::Generalized { counted, group_of, .. } => group_of[codes[*counted] as usize],
            Origins::Counted { counted } => codes[*counted],
            Origins::ReadAgain { position } => codes[first_other + position],
        };
    }
}

/// Input positions and columns of the second pass: counted ones, the subset flag, the others.
fn second_pass(study: &Study, read_again: Vec<(usize, CodedColumn)>) -> (Vec<usize>, Vec<CodedColumn>) {
    let position =
        |column: &CodedColumn| study.columns.columns.iter().position(|known| known.name == column.name);
    let mut wanted: Vec<usize> = study.counted.columns.iter().filter_map(position).collect();
    let mut columns = study.counted.columns.clone();
    if let Some(subset) = study.columns.subset {
        wanted.push(subset);
        columns.push(study.subset_column());
    }
    for (index, column) in read_again {
        wanted.push(index);
        columns.push(column);
    }
    (wanted, columns)
}

/// Replaces codes so that they number the cells in use, in the order of their text.
fn keep_used_cells(
    tuples: &mut Tuples,
    cells: &[Vec<Option<&str>>],
    columns: impl Iterator<Item = (String, ColumnKind)>,
) -> Vec<ReleasedColumn> {
    let mut new_codes: Vec<Vec<u32>> = Vec::new();
    let mut released = Vec::new();
    for (position, ((name, kind), cells)) in columns.zip(cells).enumerate() {
        let mut used = vec![false; cells.len()];
        for number in 0..tuples.len() as u32 {
            used[tuples.tuple(number)[position] as usize] = true;
        }
        let mut codes: Vec<u32> = (0..cells.len() as u32).filter(|&code| used[code as usize]).collect();
        codes.sort_unstable_by_key(|&code| cells[code as usize]);
        let mut new_code = vec![u32::MAX; cells.len()];
        for (new, &old) in codes.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        let cells = codes.iter().map(|&code| cells[code as usize].map(str::to_owned)).collect();
        released.push(ReleasedColumn { name, kind, cells });
        new_codes.push(new_code);
    }
    tuples.recode(&new_codes);
    released
}

fn kind(value_type: ValueType) -> ColumnKind {
    match value_type {
        ValueType::String => ColumnKind::Text,
        ValueType::Integer => ColumnKind::Integer,
        ValueType::Decimal => ColumnKind::Decimal,
        ValueType::Date => ColumnKind::Date,
        ValueType::DateTime => ColumnKind::DateTime,
        ValueType::Boolean => ColumnKind::Boolean,
    }
}
