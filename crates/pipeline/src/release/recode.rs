//! The released table: generalized codes of the rows that stay, counted.

use super::sequence::{RowCounter, Rows};
use paravent_core::hierarchy::Ladder;
use paravent_core::release::{Fate, LabelBox, Solution};
use paravent_core::values::ValueType;
use paravent_job::{DataType, RowOrder};
use paravent_prepare::study::{Study, StudyError, Treatment, budget_of};
use paravent_tables::encode::{CodedColumn, Origin, try_scan};
use paravent_tables::spill::SpillError;
use paravent_tables::watch::{Phase, Watch};
use paravent_tables::write::{ColumnKind, OutputFormat, ReleasedColumn, TableWriter, WriteError, Written};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

/// The rows to release, as codes of released cells only.
#[derive(Debug)]
pub struct ReleasedTable {
    /// The columns with their cells, sorted; no cell is there that no released row shows.
    pub columns: Vec<ReleasedColumn>,
    rows: Rows,
    /// Whether the code after the last column says whose row it is.
    with_people: bool,
}

impl ReleasedTable {
    /// Writes the rows. Where people are counted: the person of every row that was written, in order.
    pub fn write(
        &self,
        path: &Path,
        file: File,
        format: &OutputFormat,
    ) -> Result<(Written, Option<Vec<u32>>), ReleaseError> {
        let mut writer = TableWriter::new(path, file, format, &self.columns)?;
        let mut persons = self.with_people.then(Vec::new);
        self.rows.each(|codes, count| {
            let (cells, person) = codes.split_at(self.columns.len());
            if let (Some(persons), [person]) = (&mut persons, person) {
                persons.extend(std::iter::repeat_n(*person, count as usize));
            }
            Ok(writer.push(cells, count)?)
        })?;
        Ok((writer.finish()?, persons))
    }

    /// Calls `visit` with the codes of each row, whose it is where people are counted, and how often it is there.
    pub(super) fn each(&self, mut visit: impl FnMut(&[u32], Option<u32>, u64)) -> Result<(), ReleaseError> {
        self.rows.each(|codes, count| {
            let (cells, person) = codes.split_at(self.columns.len());
            visit(cells, person.first().copied(), count);
            Ok(())
        })
    }

    /// Whether the rows were more than memory may hold.
    pub fn is_spilled(&self) -> bool {
        self.rows.is_spilled()
    }
}

/// Why a released table could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Rows that memory cannot hold could not be read back.
    #[error(transparent)]
    Spill(#[from] SpillError),
}

/// Where the cells of a released column come from.
enum Origins<'a> {
    /// A quasi-identifier on a level: counted code → group; group → label.
    Generalized { counted: usize, group_of: &'a [u32], labels: &'a [Option<String>] },
    /// A quasi-identifier whose level depends on the box: code by level and group; code → label.
    Boxed { position: usize, codes: Vec<Vec<u32>>, labels: Vec<Option<&'a str>> },
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
            (Treatment::QuasiIdentifier(position), _) if solution.boxes.is_some() => {
                origins.push(boxed(&study.task.ladders()[position], position));
                let boxes = solution.boxes.iter().flat_map(|boxes| &boxes.boxes);
                let is_raw = boxes.map(|shown| shown.levels[position]).all(|level| level == 0);
                let as_counted = kind(counted.columns[position].recorded_type());
                kinds.push(if is_raw { as_counted } else { ColumnKind::Text });
            }
            (Treatment::QuasiIdentifier(position), _) => {
                let level = solution.node.levels()[position];
                let rung = study.task.ladders()[position].rung(level);
                let (group_of, labels) = (rung.group_of.as_slice(), rung.labels.as_slice());
                origins.push(Origins::Generalized { counted: position, group_of, labels });
                kinds.push(if level == 0 {
                    kind(counted.columns[position].recorded_type())
                } else {
                    ColumnKind::Text
                });
            }
            (_, Some(position)) => {
                origins.push(Origins::Counted { counted: position });
                kinds.push(kind(counted.columns[position].recorded_type()));
            }
            (_, None) => {
                let value_type = declared.map_or(ValueType::String, paravent_prepare::study::value_type);
                origins.push(Origins::ReadAgain { position: read_again.len() });
                kinds.push(declared.map_or(ColumnKind::Text, |declared: DataType| {
                    kind(paravent_prepare::study::value_type(declared))
                }));
                read_again.push((index, CodedColumn::new(&column.name, value_type)));
            }
        }
    }
    let order = study.job.output.order;
    let quasi = counted.quasi_identifiers;
    let people = study.people.as_ref();
    let width = origins.len() + usize::from(people.is_some());
    let mut rows = RowCounter::new(width, order, budget_of(&study.job))?;
    let mut released = vec![0u32; width];
    let mut others: Vec<CodedColumn> = Vec::new();
    let is_kept = |person: Option<u32>| match (solution.fates.by_person(), person) {
        (Some(fates), Some(person)) => fates.get(person as usize) == Some(&Fate::Kept),
        (Some(_), None) => false,
        (None, _) => true,
    };
    if read_again.is_empty() && order != RowOrder::Input {
        match people {
            None => {
                let mut failed = None;
                counted.each_in_table(|tuple| {
                    if failed.is_none()
                        && solution.fates.of(tuple.frequency, &tuple.codes[..quasi]) == Fate::Kept
                    {
                        let shown = solution.boxes.as_ref().and_then(|boxes| boxes.of(tuple.frequency));
                        lift(&origins, shown, tuple.codes, tuple.codes.len(), &mut released);
                        failed = rows.add(&released, tuple.count).err();
                    }
                })?;
                failed.map_or(Ok(()), Err)?;
            }
            Some(people) => {
                let lifted = LiftedTuples::new(study, solution, &origins);
                let all = people.tuple_of_row.iter().zip(&people.person_of_row);
                for (&tuple, &person) in all {
                    if let Some(codes) = lifted.of(tuple).filter(|_| is_kept(Some(person))) {
                        released[..codes.len()].copy_from_slice(codes);
                        released[codes.len()] = person;
                        rows.add(&released, 1)?;
                    }
                }
            }
        }
    } else {
        let width = counted.columns.len();
        let known: Vec<usize> = counted.columns.iter().map(|column| column.dictionary.len()).collect();
        let (wanted, mut columns) = second_pass(study, read_again);
        let subset = study.columns.subset.is_some().then_some(width);
        let first_other = width + usize::from(subset.is_some());
        let mut source = study.input.open()?;
        source.select(&wanted)?;
        let mut key = vec![0u32; width + 1];
        let mut row = 0;
        let on_row = |codes: &[u32]| {
            let person = people.map(|people| people.person_of_row.get(row).copied().unwrap_or_default());
            row += 1;
            // With a subset, a row is in the table exactly if its tuple was counted there.
            let in_table = subset.is_none_or(|at| study.says_in_table(codes[at]));
            // A file that has changed may show anything; it is refused in the end.
            if !in_table || codes.iter().zip(&known).any(|(&code, &known)| code as usize >= known) {
                return Ok(());
            }
            let frequency = match counted.held() {
                None => Some(0),
                Some(held) => {
                    key[..width].copy_from_slice(&codes[..width]);
                    key[width] = Origin::Table as u32;
                    held.tuples.find(&key).map(|number| held.frequency_tuple[number as usize] as usize)
                }
            };
            let fate = frequency.map(|tuple| solution.fates.of(tuple, &codes[..quasi]));
            if fate == Some(Fate::Kept) && is_kept(person) {
                let boxes = solution.boxes.as_ref().zip(frequency);
                let shown = boxes.and_then(|(boxes, tuple)| boxes.of(tuple));
                lift(&origins, shown, codes, first_other, &mut released);
                if let (Some(person), Some(last)) = (person, released.last_mut()) {
                    *last = person;
                }
                rows.add(&released, 1)?;
            }
            Ok(())
        };
        let progress = |rows| {
            watch.advance(rows, Some(study.table.row_count()));
            !watch.stop()
        };
        try_scan(source, study.input_path.clone(), &mut columns, on_row, progress)?;
        study.input.unchanged_since(&study.fingerprint)?;
        others = columns.split_off(first_other);
    }
    let cells: Vec<Vec<Option<&str>>> = origins
        .iter()
        .map(|origin| match origin {
            Origins::Generalized { labels, .. } => labels.iter().map(Option::as_deref).collect(),
            Origins::Boxed { labels, .. } => labels.clone(),
            Origins::Counted { counted: position } => counted.columns[*position].dictionary.cells(),
            Origins::ReadAgain { position } => others[*position].dictionary.cells(),
        })
        .collect();
    let names = study.columns.released().map(|(_, column)| column.name.clone());
    let counted_off = rows.finish()?;
    let (mut columns, mut new_codes) = used_cells(counted_off.used(&cells)?, &cells, names.zip(kinds));
    if let Some(counted) = people {
        // The person is the last thing that tells rows apart, and is never a cell.
        let all = counted.person_of_row.iter().max().map_or(0, |&last| last + 1);
        new_codes.push((0..all).collect());
        let cells = vec![None; all as usize];
        columns.push(ReleasedColumn { name: String::new(), kind: ColumnKind::Text, cells });
    }
    let rows = counted_off.in_order(&new_codes, &columns, study.job.output.seed)?;
    if people.is_some() {
        columns.pop();
    }
    Ok(ReleasedTable { columns, rows, with_people: people.is_some() })
}

/// The labels of all levels of a column, those that read the same once.
fn boxed(ladder: &Ladder, position: usize) -> Origins<'_> {
    let mut numbers: HashMap<Option<&str>, u32> = HashMap::new();
    let mut labels = Vec::new();
    let codes = ladder
        .rungs()
        .iter()
        .map(|rung| {
            let code = |label| {
                *numbers.entry(label).or_insert_with(|| {
                    labels.push(label);
                    labels.len() as u32 - 1
                })
            };
            rung.labels.iter().map(Option::as_deref).map(code).collect()
        })
        .collect();
    Origins::Boxed { position, codes, labels }
}

/// Codes of the released cells of one row.
fn lift(
    origins: &[Origins<'_>],
    shown: Option<&LabelBox>,
    codes: &[u32],
    first_other: usize,
    released: &mut [u32],
) {
    for (code, origin) in released.iter_mut().zip(origins) {
        *code = match origin {
            Origins::Generalized { counted, group_of, .. } => group_of[codes[*counted] as usize],
            // A row that is kept has a box.
            Origins::Boxed { position, codes, .. } => shown.map_or(0, |shown| {
                codes[usize::from(shown.levels[*position])][shown.groups[*position] as usize]
            }),
            Origins::Counted { counted } => codes[*counted],
            Origins::ReadAgain { position } => codes[first_other + position],
        };
    }
}

/// The released codes of counted tuples, each worked out once.
struct LiftedTuples {
    width: usize,
    codes: Vec<u32>,
    /// By counted tuple: whether its class is released.
    kept: Vec<bool>,
}

impl LiftedTuples {
    fn new(study: &Study, solution: &Solution, origins: &[Origins<'_>]) -> LiftedTuples {
        let (quasi, width) = (study.counted.quasi_identifiers, origins.len());
        let mut lifted = LiftedTuples { width, codes: Vec::new(), kept: Vec::new() };
        let Some(held) = study.counted.held() else { return lifted };
        let mut codes = vec![0u32; held.tuples.width()];
        for number in 0..held.tuples.len() as u32 {
            held.tuples.unpack(number, &mut codes);
            let frequency = held.frequency_tuple[number as usize] as usize;
            let fate = solution.fates.of(frequency, &codes[..quasi]);
            lifted.kept.push(held.is_in_table(number) && fate == Fate::Kept);
            let start = lifted.codes.len();
            lifted.codes.resize(start + width, 0);
            if lifted.kept[number as usize] {
                let shown = solution.boxes.as_ref().and_then(|boxes| boxes.of(frequency));
                lift(origins, shown, &codes, codes.len(), &mut lifted.codes[start..]);
            }
        }
        lifted
    }

    /// The released codes of a counted tuple, if its class is released.
    fn of(&self, number: u32) -> Option<&[u32]> {
        let at = number as usize;
        self.kept.get(at).copied().unwrap_or(false).then(|| &self.codes[at * self.width..][..self.width])
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

/// The cells in use, in the order of their text, and the new code of each old one.
fn used_cells(
    used: Vec<Vec<bool>>,
    cells: &[Vec<Option<&str>>],
    columns: impl Iterator<Item = (String, ColumnKind)>,
) -> (Vec<ReleasedColumn>, Vec<Vec<u32>>) {
    let released = columns.zip(cells).zip(used).map(|(((name, kind), cells), used)| {
        let mut codes: Vec<u32> = (0..cells.len() as u32).filter(|&code| used[code as usize]).collect();
        codes.sort_unstable_by_key(|&code| cells[code as usize]);
        let mut new_code = vec![u32::MAX; cells.len()];
        for (new, &old) in codes.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        let cells = codes.iter().map(|&code| cells[code as usize].map(str::to_owned)).collect();
        (ReleasedColumn { name, kind, cells }, new_code)
    });
    released.unzip()
}

/// How a format with types stores a column.
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
