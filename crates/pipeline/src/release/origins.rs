//! Where the cells of released columns come from.

use super::aggregate::{Aggregated, aggregated};
use paravent_core::hierarchy::Ladder;
use paravent_core::release::{Fate, LabelBox, Solution};
use paravent_core::values::ValueType;
use paravent_job::{Aggregate, DataType};
use paravent_prepare::study::{Study, StudyError, Treatment, coded_column, pseudonym_key, value_type};
use paravent_tables::encode::CodedColumn;
use paravent_tables::keyed::Key;
use paravent_tables::write::ColumnKind;
use std::collections::HashMap;

/// Where the cells of a released column come from.
pub(super) enum Origin<'a> {
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

/// All released columns.
pub(super) struct Origins<'a> {
    pub(super) columns: Vec<Origin<'a>>,
    /// How a format with types stores each.
    pub(super) kinds: Vec<ColumnKind>,
    /// Those that were not counted, with their place in the input.
    pub(super) read_again: Vec<(usize, CodedColumn)>,
}

impl<'a> Origins<'a> {
    pub(super) fn of(study: &'a Study, solution: &Solution) -> Result<Origins<'a>, StudyError> {
        let counted = &study.counted;
        let (mut origins, mut kinds) = (Vec::new(), Vec::new());
        let mut read_again: Vec<(usize, CodedColumn)> = Vec::new();
        for (index, column) in study.columns.released() {
            let declared = column.attribute.and_then(|a| study.job.attributes[a].data_type);
            let aggregate = column.attribute.and_then(|a| study.job.attributes[a].treatments.aggregate);
            match (column.treatment, study.counted_position(&column.name)) {
                (Treatment::QuasiIdentifier(position), _) if aggregate.is_some() => {
                    let aggregate = aggregate.unwrap_or(Aggregate::Interval);
                    origins.push(Origin::Aggregated(aggregated(study, solution, position, aggregate)?));
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
                    origins.push(Origin::Pseudonyms { position, key });
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
                    origins.push(Origin::Generalized { counted: position, group_of, labels });
                    kinds.push(if level == 0 {
                        kind(counted.columns[position].recorded_type())
                    } else {
                        ColumnKind::Text
                    });
                }
                (_, Some(position)) => {
                    origins.push(Origin::Counted { counted: position });
                    kinds.push(kind(counted.columns[position].recorded_type()));
                }
                (_, None) => {
                    origins.push(Origin::ReadAgain { position: read_again.len() });
                    kinds.push(
                        declared.map_or(ColumnKind::Text, |declared: DataType| kind(value_type(declared))),
                    );
                    read_again.push((index, coded_column(&study.job, &column.name)));
                }
            }
        }
        Ok(Origins { columns: origins, kinds, read_again })
    }

    /// The cells of each column, by code; `made` has those that are made here, `others` the columns that were not counted.
    pub(super) fn cells<'b>(
        &'b self,
        study: &'b Study,
        made: &'b [Vec<Option<String>>],
        others: &'b [CodedColumn],
        is_elsewhere: bool,
    ) -> Vec<Vec<Option<&'b str>>> {
        let of = |((place, origin), made): ((usize, &'b Origin<'a>), &'b Vec<Option<String>>)| match origin {
            // What was recoded elsewhere arrives in the cells that are released.
            _ if is_elsewhere => others[place].dictionary.cells(),
            Origin::Generalized { labels, .. } => labels.iter().map(Option::as_deref).collect(),
            Origin::Boxed { labels, .. } => labels.clone(),
            Origin::Counted { counted: position } => study.counted.columns[*position].dictionary.cells(),
            Origin::ReadAgain { position } => others[*position].dictionary.cells(),
            Origin::Aggregated(aggregated) => aggregated.labels.iter().map(Option::as_deref).collect(),
            Origin::Pseudonyms { .. } => made.iter().map(Option::as_deref).collect(),
        };
        self.columns.iter().enumerate().zip(made).map(of).collect()
    }

    /// Cells that are neither in the hierarchies nor in the table.
    pub(super) fn made(&self, others: &[CodedColumn]) -> Vec<Vec<Option<String>>> {
        self.columns.iter().map(|origin| pseudonyms(origin, others)).collect()
    }

    /// By aggregated column: how much of its variance is lost.
    pub(super) fn lost<'n>(&self, names: impl Iterator<Item = &'n String>) -> Vec<(String, Option<f64>)> {
        let lost = self.columns.iter().zip(names).filter_map(|(origin, name)| match origin {
            Origin::Aggregated(aggregated) => Some((name.clone(), aggregated.lost)),
            _ => None,
        });
        lost.collect()
    }
}

/// The pseudonyms of an identifier, by code; nothing for other columns.
fn pseudonyms(origin: &Origin<'_>, others: &[CodedColumn]) -> Vec<Option<String>> {
    let Origin::Pseudonyms { position, key } = origin else { return Vec::new() };
    let column = &others[*position];
    column
        .dictionary
        .cells()
        .into_iter()
        .map(|cell| cell.map(|cell| key.pseudonym(&column.name, cell)))
        .collect()
}

/// The labels of all levels of a column, those that read the same once.
fn boxed(ladder: &Ladder, position: usize) -> Origin<'_> {
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
    Origin::Boxed { position, codes, labels }
}

/// Codes of the released cells of one row; `tuple` is its number in the frequency table.
pub(super) fn lift(
    origins: &[Origin<'_>],
    (tuple, shown): (usize, Option<&LabelBox>),
    codes: &[u32],
    first_other: usize,
    released: &mut [u32],
) {
    for (code, origin) in released.iter_mut().zip(origins) {
        *code = match origin {
            Origin::Generalized { counted, group_of, .. } => group_of[codes[*counted] as usize],
            // A row that is kept has a box.
            Origin::Boxed { position, codes, .. } => shown.map_or(0, |shown| {
                codes[usize::from(shown.levels[*position])][shown.groups[*position] as usize]
            }),
            Origin::Aggregated(aggregated) => aggregated.codes[tuple],
            Origin::Counted { counted } => codes[*counted],
            Origin::ReadAgain { position } | Origin::Pseudonyms { position, .. } => {
                codes[first_other + position]
            }
        };
    }
}

/// The released codes of counted tuples, each worked out once.
pub(super) struct LiftedTuples {
    width: usize,
    codes: Vec<u32>,
    /// By counted tuple: whether its class is released.
    pub(super) kept: Vec<bool>,
}

impl LiftedTuples {
    pub(super) fn new(study: &Study, solution: &Solution, origins: &[Origin<'_>]) -> LiftedTuples {
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
    pub(super) fn persons_in_order(&self, kept: &[(u32, u32)], new_codes: &[Vec<u32>]) -> Vec<u32> {
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
    pub(super) fn of(&self, number: u32) -> Option<&[u32]> {
        let at = number as usize;
        self.kept.get(at).copied().unwrap_or(false).then(|| &self.codes[at * self.width..][..self.width])
    }
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
