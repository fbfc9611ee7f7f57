//! The released table: generalized codes of the rows that stay, counted.

use super::aggregate::{Aggregated, aggregated};
use super::elsewhere::released as released_elsewhere;
use super::sequence::{RowCounter, Rows};
use paravent_core::hierarchy::Ladder;
use paravent_core::release::{Fate, LabelBox, Solution};
use paravent_core::values::ValueType;
use paravent_job::{Aggregate, DataType, RowOrder};
use paravent_prepare::study::{Study, StudyError, Treatment, budget_of, coded_column, pseudonym_key};
use paravent_tables::encode::{CodedColumn, Origin, try_scan};
use paravent_tables::keyed::Key;
use paravent_tables::spill::{Budget, SpillError};
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
    people: PeopleOfRows,
    /// By aggregated column: how much of its variance is lost inside classes.
    pub lost: Vec<(String, Option<f64>)>,
    /// Rows below all others that show a star in every cell; the code of the star by column.
    stars: Option<(Vec<u32>, u64)>,
}

/// Where it is said whose row a row is.
#[derive(Debug)]
enum PeopleOfRows {
    /// Nowhere: rows are counted.
    Nowhere,
    /// In the code after the last column.
    LastCode,
    /// Here, row by row in the order of writing, where rows that are alike are next to each other.
    InOrder(Vec<u32>),
}

/// What a suppressed row shows, where it shows anything.
const STAR: &str = "*";

impl ReleasedTable {
    /// Nothing: the rows are elsewhere.
    pub(crate) fn elsewhere() -> Result<ReleasedTable, StudyError> {
        let none = RowCounter::new(1, RowOrder::Canonical, Budget::unlimited())?;
        let column = ReleasedColumn { name: String::new(), kind: ColumnKind::Text, cells: vec![None] };
        let rows = none.finish()?.in_order(&[vec![0]], &[column], None)?;
        Ok(ReleasedTable {
            columns: Vec::new(),
            rows,
            people: PeopleOfRows::Nowhere,
            lost: Vec::new(),
            stars: None,
        })
    }

    /// Writes the rows. Where people are counted: the person of every row that was written, in order.
    pub fn write(
        &self,
        path: &Path,
        file: File,
        format: &OutputFormat,
    ) -> Result<(Written, Option<Vec<u32>>), ReleaseError> {
        let mut writer = TableWriter::new(path, file, format, &self.columns)?;
        let mut persons = match &self.people {
            PeopleOfRows::Nowhere => None,
            PeopleOfRows::LastCode => Some(Vec::new()),
            PeopleOfRows::InOrder(persons) => Some(persons.clone()),
        };
        self.rows.each(|codes, count| {
            let (cells, person) = codes.split_at(self.columns.len());
            if let (Some(persons), [person]) = (&mut persons, person) {
                persons.extend(std::iter::repeat_n(*person, count as usize));
            }
            Ok(writer.push(cells, count)?)
        })?;
        if let Some((codes, rows)) = &self.stars {
            writer.push(codes, *rows)?;
        }
        Ok((writer.finish()?, persons))
    }

    /// Adds a row for each suppressed one, below all others, with a star in every cell: it tells what the manifest says anyway.
    pub(crate) fn show_stars(&mut self, rows: u64) {
        let code = |column: &mut ReleasedColumn| {
            let known = column.cells.iter().position(|cell| cell.as_deref() == Some(STAR));
            known.unwrap_or_else(|| {
                column.cells.push(Some(STAR.to_owned()));
                column.cells.len() - 1
            }) as u32
        };
        if rows > 0 {
            self.stars = Some((self.columns.iter_mut().map(code).collect(), rows));
        }
    }

    /// Calls `visit` with the codes of each row, whose it is where people are counted, and how often it is there.
    pub fn each(&self, mut visit: impl FnMut(&[u32], Option<u32>, u64)) -> Result<(), ReleaseError> {
        let mut next = match &self.people {
            PeopleOfRows::InOrder(persons) => persons.iter(),
            PeopleOfRows::Nowhere | PeopleOfRows::LastCode => [].iter(),
        };
        self.rows.each(|codes, count| {
            let (cells, person) = codes.split_at(self.columns.len());
            match &self.people {
                PeopleOfRows::InOrder(_) => {
                    next.by_ref().take(count as usize).for_each(|&person| visit(cells, Some(person), 1));
                }
                PeopleOfRows::Nowhere | PeopleOfRows::LastCode => {
                    visit(cells, person.first().copied(), count);
                }
            }
            Ok(())
        })?;
        if let Some((codes, rows)) = &self.stars {
            visit(codes, None, *rows);
        }
        Ok(())
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
    /// A quasi-identifier of which every class shows one figure.
    Aggregated(Aggregated),
    /// A column that was counted as it is.
    Counted { counted: usize },
    /// A column read in the second pass, by its position after the counted ones.
    ReadAgain { position: usize },
    /// An identifier read in the second pass, of which pseudonyms are released.
    Pseudonyms { position: usize, key: Key },
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
        let aggregate = column.attribute.and_then(|a| study.job.attributes[a].treatments.aggregate);
        match (column.treatment, study.counted_position(&column.name)) {
            (Treatment::QuasiIdentifier(position), _) if aggregate.is_some() => {
                let aggregate = aggregate.unwrap_or(Aggregate::Interval);
                origins.push(Origins::Aggregated(aggregated(study, solution, position, aggregate)?));
                kinds.push(match aggregate {
                    Aggregate::Mean => ColumnKind::Decimal,
                    Aggregate::Median => kind(counted.columns[position].recorded_type()),
                    Aggregate::Interval => ColumnKind::Text,
                });
            }
            (Treatment::Pseudonym, _) => {
                let position = read_again.len();
                // Its key was asked for when the treatment was settled.
                let Some(key) = pseudonym_key(&study.job, &column.name)? else { continue };
                origins.push(Origins::Pseudonyms { position, key });
                kinds.push(ColumnKind::Text);
                read_again.push((index, coded_column(&study.job, &column.name)));
            }
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
                origins.push(Origins::ReadAgain { position: read_again.len() });
                kinds.push(declared.map_or(ColumnKind::Text, |declared: DataType| {
                    kind(paravent_prepare::study::value_type(declared))
                }));
                read_again.push((index, coded_column(&study.job, &column.name)));
            }
        }
    }
    let order = study.job.output.order;
    let quasi = counted.quasi_identifiers;
    let people = study.people.as_ref();
    // Rows that are alike are written next to each other: then whose they are is put in order afterwards, and no row is told from another by it.
    let by_tuple = people.is_some() && read_again.is_empty() && order == RowOrder::Canonical;
    let width = origins.len() + usize::from(people.is_some() && !by_tuple);
    let mut kept_tuples = None;
    let mut rows = RowCounter::new(width, order, budget_of(&study.job))?;
    let mut released = vec![0u32; width];
    let mut others: Vec<CodedColumn> = Vec::new();
    let is_kept = |person: Option<u32>| match (solution.fates.by_person(), person) {
        (Some(fates), Some(person)) => fates.get(person as usize) == Some(&Fate::Kept),
        (Some(_), None) => false,
        (None, _) => true,
    };
    let elsewhere = study.input.engine().filter(|_| !read_again.is_empty());
    if let Some(table) = elsewhere {
        others = released_elsewhere(study, solution, table, |codes, count| rows.add(codes, count), watch)?;
    } else if read_again.is_empty() && order != RowOrder::Input {
        match people {
            None => {
                let mut failed = None;
                counted.each_in_table(|tuple| {
                    if failed.is_none()
                        && solution.fates.of(tuple.frequency, &tuple.codes[..quasi]) == Fate::Kept
                    {
                        let shown = solution.boxes.as_ref().and_then(|boxes| boxes.of(tuple.frequency));
                        let place = (tuple.frequency, shown);
                        lift(&origins, place, tuple.codes, tuple.codes.len(), &mut released);
                        failed = rows.add(&released, tuple.count).err();
                    }
                })?;
                failed.map_or(Ok(()), Err)?;
            }
            Some(people) if by_tuple => {
                let lifted = LiftedTuples::new(study, solution, &origins);
                let all = people.tuple_of_row.iter().zip(&people.person_of_row);
                let kept =
                    all.filter(|&(&tuple, &person)| lifted.of(tuple).is_some() && is_kept(Some(person)));
                let kept: Vec<(u32, u32)> = kept.map(|(&tuple, &person)| (tuple, person)).collect();
                let mut counts = vec![0u64; lifted.kept.len()];
                kept.iter().for_each(|&(tuple, _)| counts[tuple as usize] += 1);
                for (tuple, &count) in (0u32..).zip(&counts).filter(|(_, count)| **count > 0) {
                    rows.add(lifted.of(tuple).unwrap_or_default(), count)?;
                }
                kept_tuples = Some((lifted, kept));
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
                lift(&origins, (frequency.unwrap_or(0), shown), codes, first_other, &mut released);
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
    let made: Vec<Vec<Option<String>>> = origins.iter().map(|origin| pseudonyms(origin, &others)).collect();
    let cells: Vec<Vec<Option<&str>>> = origins
        .iter()
        .enumerate()
        .zip(&made)
        .map(|((place, origin), made)| match origin {
            // What was recoded elsewhere arrives in the cells that are released.
            _ if elsewhere.is_some() => others[place].dictionary.cells(),
            Origins::Generalized { labels, .. } => labels.iter().map(Option::as_deref).collect(),
            Origins::Boxed { labels, .. } => labels.clone(),
            Origins::Counted { counted: position } => counted.columns[*position].dictionary.cells(),
            Origins::ReadAgain { position } => others[*position].dictionary.cells(),
            Origins::Aggregated(aggregated) => aggregated.labels.iter().map(Option::as_deref).collect(),
            Origins::Pseudonyms { .. } => made.iter().map(Option::as_deref).collect(),
        })
        .collect();
    let names = study.columns.released().map(|(_, column)| column.name.clone());
    let counted_off = rows.finish()?;
    let (mut columns, mut new_codes) = used_cells(counted_off.used(&cells)?, &cells, names.zip(kinds));
    if let Some(counted) = people.filter(|_| !by_tuple) {
        // The person is the last thing that tells rows apart, and is never a cell.
        let all = counted.person_of_row.iter().max().map_or(0, |&last| last + 1);
        new_codes.push((0..all).collect());
        let cells = vec![None; all as usize];
        columns.push(ReleasedColumn { name: String::new(), kind: ColumnKind::Text, cells });
    }
    let rows = counted_off.in_order(&new_codes, &columns, study.job.output.seed)?;
    let people = match (people, kept_tuples) {
        (None, _) => PeopleOfRows::Nowhere,
        (Some(_), Some((lifted, kept))) => PeopleOfRows::InOrder(lifted.persons_in_order(&kept, &new_codes)),
        (Some(_), None) => {
            columns.pop();
            PeopleOfRows::LastCode
        }
    };
    let lost = origins.iter().zip(&columns).filter_map(|(origin, column)| match origin {
        Origins::Aggregated(aggregated) => Some((column.name.clone(), aggregated.lost)),
        _ => None,
    });
    let lost = lost.collect();
    Ok(ReleasedTable { columns, rows, people, lost, stars: None })
}

/// The pseudonyms of an identifier, by code; nothing for other columns.
fn pseudonyms(origin: &Origins<'_>, others: &[CodedColumn]) -> Vec<Option<String>> {
    let Origins::Pseudonyms { position, key } = origin else { return Vec::new() };
    let column = &others[*position];
    column
        .dictionary
        .cells()
        .into_iter()
        .map(|cell| cell.map(|cell| key.pseudonym(&column.name, cell)))
        .collect()
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

/// Codes of the released cells of one row; `tuple` is its number in the frequency table.
fn lift(
    origins: &[Origins<'_>],
    (tuple, shown): (usize, Option<&LabelBox>),
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
            Origins::Aggregated(aggregated) => aggregated.codes[tuple],
            Origins::Counted { counted } => codes[*counted],
            Origins::ReadAgain { position } | Origins::Pseudonyms { position, .. } => {
                codes[first_other + position]
            }
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
                lift(origins, (frequency, shown), &codes, codes.len(), &mut lifted.codes[start..]);
            }
        }
        lifted
    }

    /// Whose rows they are, in the canonical order of the released rows: `kept` has counted tuple and person of every row, and codes are replaced
    /// as in the rows.
    fn persons_in_order(&self, kept: &[(u32, u32)], new_codes: &[Vec<u32>]) -> Vec<u32> {
        let mut codes = self.codes.clone();
        for tuple in codes.chunks_exact_mut(self.width.max(1)) {
            tuple.iter_mut().zip(new_codes).for_each(|(code, new)| {
                *code = new.get(*code as usize).copied().unwrap_or_default();
            });
        }
        let at = |tuple: u32| &codes[tuple as usize * self.width..][..self.width];
        let mut order: Vec<u32> =
            (0..self.kept.len() as u32).filter(|&tuple| self.kept[tuple as usize]).collect();
        order.sort_unstable_by(|&a, &b| at(a).cmp(at(b)).then(a.cmp(&b)));
        // A counting sort of the rows by the place of their tuple.
        let mut place = vec![0u32; self.kept.len()];
        (0u32..).zip(&order).for_each(|(at, &tuple)| place[tuple as usize] = at);
        let mut next = vec![0u32; order.len() + 1];
        kept.iter().for_each(|&(tuple, _)| next[place[tuple as usize] as usize + 1] += 1);
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        let mut persons = vec![0u32; kept.len()];
        for &(tuple, person) in kept {
            let slot = &mut next[place[tuple as usize] as usize];
            persons[*slot as usize] = person;
            *slot += 1;
        }
        persons
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
