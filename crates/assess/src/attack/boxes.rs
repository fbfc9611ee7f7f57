//! Records of a raw table and the boxes of a local recoding.
//!
//! A raw value has a label on every level, and boxes overlap: several may cover a record. An attacker who reads a release does not
//! know in which one a person is; the finest is the one with the fewest guesses, so figures are never too small.

use super::project::{codes_of, covers, generalization};
use crate::ReleaseTable;
use paravent_evidence::attack::classes::Classes;
use paravent_evidence::attack::finer::FinerColumn;
use paravent_evidence::attack::projection::Lies;
use paravent_evidence::microdata::{Column, Microdata};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The quasi-identifiers that a raw table shares with a release, and the boxes that cover its records in them.
pub(super) struct Boxed<'a> {
    columns: Vec<BoxedColumn<'a>>,
    /// The boxes that are released, as far as these columns go: a released code per column. The finest first.
    boxes: Vec<Vec<u32>>,
    /// The columns, that with the most labels first.
    order: Vec<usize>,
    /// Numbers of the boxes, sorted by their codes in that order: boxes with the same first codes are neighbours.
    sorted: Vec<u32>,
    /// Different records by their raw codes, and the record's number among them.
    tuples: Vec<Vec<u32>>,
    of_record: Vec<u32>,
}

struct BoxedColumn<'a> {
    /// Place in the release.
    place: usize,
    raw: &'a Column,
    /// By level and raw code: the label; `None` where the hierarchy has none. Empty where nobody says how labels were made.
    labels: Vec<Vec<Option<Option<String>>>>,
    /// By raw code: the released codes whose labels cover it, each with the lowest level on which it does.
    around: Vec<Vec<(u32, usize)>>,
}

impl<'a> BoxedColumn<'a> {
    fn of(release: &'a ReleaseTable, place: usize, raw: &'a Column) -> BoxedColumn<'a> {
        let released = &release.table.data.columns()[place];
        let values = 0..raw.labels().len() as u32;
        let Some(known) = generalization(release, place) else {
            let labels = 0..released.labels().len() as u32;
            let around = values
                .map(|value| {
                    let cell = raw.cell(value);
                    let around = labels.clone().filter(|&label| covers(released.cell(label), cell));
                    around.map(|label| (label, 0)).collect()
                })
                .collect();
            return BoxedColumn { place, raw, labels: Vec::new(), around };
        };
        let label = |level: u8, code: u32| known.label_on(level, raw.cell(code)).ok();
        let labels: Vec<Vec<Option<Option<String>>>> =
            (0..=known.level).map(|level| values.clone().map(|code| label(level, code)).collect()).collect();
        let code_of = codes_of(released);
        let around = values.map(|value| {
            let mut around: Vec<(u32, usize)> = Vec::new();
            for (level, labels) in labels.iter().enumerate() {
                let label = labels[value as usize].as_ref();
                let code = label.and_then(|label| code_of.get(&label.as_deref()).copied());
                around.extend(
                    code.filter(|code| around.iter().all(|(known, _)| known != code))
                        .map(|code| (code, level)),
                );
            }
            around
        });
        let around = around.collect();
        BoxedColumn { place, raw, labels, around }
    }
}

impl<'a> Boxed<'a> {
    /// Looks every record up; `None` for releases with one level per column.
    pub(super) fn of(release: &'a ReleaseTable, table: &'a Microdata) -> Option<Boxed<'a>> {
        if !release.facts.is_local {
            return None;
        }
        let quasi = release.table.quasi_identifiers.iter();
        let columns: Vec<BoxedColumn<'a>> = quasi
            .filter_map(|&place| {
                let name = release.table.data.columns()[place].name();
                let raw = table.place(name).map(|place| &table.columns()[place])?;
                Some(BoxedColumn::of(release, place, raw))
            })
            .collect();
        // The share of the values that a label covers.
        let widths: Vec<HashMap<u32, f64>> = columns
            .iter()
            .map(|column| {
                let mut widths: HashMap<u32, f64> = HashMap::new();
                let one = 1.0 / column.around.len().max(1) as f64;
                column.around.iter().flatten().for_each(|&(code, _)| *widths.entry(code).or_default() += one);
                widths
            })
            .collect();
        let data = &release.table.data;
        let cells: Vec<&[u32]> = columns.iter().map(|column| data.columns()[column.place].codes()).collect();
        let mut boxes: Vec<Vec<u32>> =
            (0..data.rows()).map(|row| cells.iter().map(|codes| codes[row]).collect()).collect();
        boxes.sort_unstable();
        boxes.dedup();
        let coarseness = |shown: &[u32]| -> f64 {
            shown.iter().zip(&widths).map(|(code, widths)| widths.get(code).copied().unwrap_or(0.0)).sum()
        };
        boxes.sort_by(|a, b| coarseness(a).total_cmp(&coarseness(b)).then_with(|| a.cmp(b)));
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(widths[at].len()));
        let (order, sorted) = shelves(&boxes, order);
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut tuples = Vec::new();
        let record =
            |record: usize| -> Vec<u32> { columns.iter().map(|column| column.raw.codes()[record]).collect() };
        let of_record = (0..table.rows())
            .map(|at| {
                *numbers.entry(record(at)).or_insert_with_key(|tuple| {
                    tuples.push(tuple.clone());
                    tuples.len() as u32 - 1
                })
            })
            .collect();
        Some(Boxed { columns, boxes, order, sorted, tuples, of_record })
    }

    /// The boxes, as released codes in these places.
    pub(super) fn boxes(&self) -> (&[Vec<u32>], Vec<usize>) {
        (&self.boxes, self.columns.iter().map(|column| column.place).collect())
    }

    /// The different records' boxes, and the number of each record among them; `None` where all records have more boxes than `most`.
    pub(super) fn covering(&self, most: usize) -> Option<(Vec<Vec<u32>>, &[u32])> {
        let mut records = vec![0usize; self.tuples.len()];
        self.of_record.iter().for_each(|&tuple| records[tuple as usize] += 1);
        let (mut covering, mut pairs) = (Vec::with_capacity(self.tuples.len()), 0);
        for (tuples, records) in self.tuples.chunks(AT_A_TIME).zip(records.chunks(AT_A_TIME)) {
            let around = self.all_around(tuples);
            pairs +=
                around.iter().zip(records).map(|(around, &records)| around.len() * records).sum::<usize>();
            if pairs > most {
                return None;
            }
            covering.extend(around);
        }
        Some((covering, &self.of_record))
    }

    /// The boxes that cover each of some records.
    fn all_around(&self, tuples: &[Vec<u32>]) -> Vec<Vec<u32>> {
        tuples.par_iter().map(|tuple| self.around(tuple)).collect()
    }

    /// Numbers of the boxes that cover a record, ascending.
    fn around(&self, tuple: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        self.descend(tuple, &self.order, &self.sorted, &mut found);
        found.sort_unstable();
        found
    }

    /// Those among `boxes` that cover a record in the columns `left`, given that they cover it in all others.
    fn descend(&self, tuple: &[u32], left: &[usize], boxes: &[u32], found: &mut Vec<u32>) {
        let Some((&at, left)) = left.split_first() else { return found.extend(boxes) };
        let code = |number: &u32| self.boxes[*number as usize][at];
        let labels = tuple.get(at).and_then(|&value| self.columns[at].around.get(value as usize));
        for &(label, _) in labels.into_iter().flatten() {
            let from = &boxes[boxes.partition_point(|number| code(number) < label)..];
            let same = &from[..from.partition_point(|number| code(number) == label)];
            if !same.is_empty() {
                self.descend(tuple, left, same, found);
            }
        }
    }

    /// By record: the finest box that covers it.
    fn shown(&self) -> Vec<Option<u32>> {
        let finest = |tuple: &Vec<u32>| self.around(tuple).first().copied();
        let by_tuple: Vec<Option<u32>> = self.tuples.par_iter().map(finest).collect();
        self.of_record.iter().map(|&tuple| by_tuple[tuple as usize]).collect()
    }

    /// The released code of every record in the quasi-identifiers, by place: that of the finest box that covers it.
    pub(super) fn codes(&self) -> BTreeMap<usize, Vec<Option<u32>>> {
        let shown = self.shown();
        let code = |at: usize| move |number: u32| self.boxes[number as usize][at];
        let column = |(at, column): (usize, &BoxedColumn<'_>)| {
            (column.place, shown.iter().map(|shown| shown.map(code(at))).collect())
        };
        self.columns.iter().enumerate().map(column).collect()
    }

    /// All labels that the records lie in, in the quasi-identifier at `place`; `None` for other columns.
    pub(super) fn lies(&self, place: usize) -> Option<Lies> {
        let column = self.columns.iter().find(|column| column.place == place)?;
        let codes = column.around.iter().map(|around| around.iter().map(|(code, _)| *code).collect());
        Some(Lies { values: column.raw.codes().to_vec(), codes: codes.collect() })
    }

    /// The columns with the labels, one level below that of the class, of all records that the class covers. Empty where nobody says how
    /// labels were made.
    pub(super) fn finer(&self, classes: &Classes) -> Vec<FinerColumn> {
        let mut rows = vec![0u64; self.tuples.len()];
        self.of_record.iter().for_each(|&tuple| rows[tuple as usize] += 1);
        let class_of: Vec<Option<u32>> = self
            .boxes
            .iter()
            .map(|shown| {
                let code = |place: &usize| {
                    let at = self.columns.iter().position(|column| column.place == *place)?;
                    Some(shown[at])
                };
                classes.find(classes.columns().iter().map(code))
            })
            .collect();
        let known = self.columns.iter().enumerate().filter(|(_, column)| column.labels.len() > 1);
        let mut below: Vec<Below<'_>> =
            known.map(|(at, column)| Below::new(at, column, classes.len())).collect();
        for (tuples, rows) in self.tuples.chunks(AT_A_TIME).zip(rows.chunks(AT_A_TIME)) {
            let around = self.all_around(tuples);
            below.par_iter_mut().for_each(|below| {
                for ((tuple, around), &rows) in tuples.iter().zip(&around).zip(rows) {
                    let boxes = around.iter().map(|&number| number as usize);
                    let boxes = boxes.filter_map(|number| Some((class_of[number]?, &self.boxes[number][..])));
                    below.add(tuple, rows, boxes);
                }
            });
        }
        below.into_iter().map(|below| below.column(classes, self.of_record.len())).collect()
    }
}

/// Columns in some order, and the numbers of the boxes sorted by their codes in that order.
fn shelves(boxes: &[Vec<u32>], order: Vec<usize>) -> (Vec<usize>, Vec<u32>) {
    let codes = |number: u32| -> Vec<u32> { order.iter().map(|&at| boxes[number as usize][at]).collect() };
    let mut sorted: Vec<u32> = (0..boxes.len() as u32).collect();
    sorted.sort_by_cached_key(|&number| codes(number));
    (order, sorted)
}

/// Records that are looked up together, so that not all of their boxes are held at once.
const AT_A_TIME: usize = 1 << 14;

/// What lies one level below the labels of a column.
struct Below<'a> {
    at: usize,
    column: &'a BoxedColumn<'a>,
    /// Finer labels, numbered as they are met.
    numbers: BTreeMap<Option<&'a str>, u32>,
    /// By class: rows of the records that it covers, by finer label.
    by_class: Vec<BTreeMap<u32, u64>>,
    /// By released label: the same.
    by_label: HashMap<u32, BTreeMap<u32, u64>>,
}

impl<'a> Below<'a> {
    fn new(at: usize, column: &'a BoxedColumn<'a>, classes: usize) -> Below<'a> {
        let by_class = vec![BTreeMap::new(); classes];
        Below { at, column, numbers: BTreeMap::new(), by_class, by_label: HashMap::new() }
    }

    /// The number of the label of a value one level below `level`; `None` where the hierarchy has none.
    fn finer(&mut self, value: u32, level: usize) -> Option<u32> {
        let label = self.column.labels[level.saturating_sub(1)][value as usize].as_ref()?;
        let next = self.numbers.len() as u32;
        Some(*self.numbers.entry(label.as_deref()).or_insert(next))
    }

    /// Adds the rows of a record, and the classes and boxes that cover it.
    fn add<'b>(&mut self, tuple: &[u32], rows: u64, boxes: impl Iterator<Item = (u32, &'b [u32])>) {
        let (column, value) = (self.column, tuple[self.at]);
        let mut known: Vec<(u32, u32)> = Vec::new();
        for &(label, level) in &column.around[value as usize] {
            if let Some(finer) = self.finer(value, level) {
                *self.by_label.entry(label).or_default().entry(finer).or_default() += rows;
                known.push((label, finer));
            }
        }
        for (class, shown) in boxes {
            if let Some(&(_, finer)) = known.iter().find(|(label, _)| *label == shown[self.at]) {
                *self.by_class[class as usize].entry(finer).or_default() += rows;
            }
        }
    }

    fn column(self, classes: &Classes, records: usize) -> FinerColumn {
        let Below { column, numbers, by_class, by_label, .. } = self;
        let mut labels = vec![String::new(); numbers.len()];
        for (label, number) in numbers {
            labels[number as usize] = label.unwrap_or("(missing)").to_owned();
        }
        let sorted = |of_class: BTreeMap<u32, u64>| {
            let mut of_class: Vec<(u32, u64)> = of_class.into_iter().collect();
            of_class.sort_by_key(|&(code, count)| (std::cmp::Reverse(count), code));
            of_class
        };
        let position = classes.columns().iter().position(|&place| place == column.place);
        let by_label = position.map(|position| {
            let label = |class: usize| classes.codes(class)[position];
            let of_class = |class: usize| sorted(by_label.get(&label(class)).cloned().unwrap_or_default());
            (0..classes.len()).map(of_class).collect()
        });
        let by_class = Some(by_class.into_iter().map(sorted).collect());
        FinerColumn { place: column.place, labels, codes: vec![None; records], by_class, by_label }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const VALUES: u32 = 4;
    const LABELS: u32 = 6;

    /// A column whose values have some of the labels around them, each with its level.
    fn column<'a>(raw: &'a Column, place: usize, covers: &[Vec<bool>]) -> BoxedColumn<'a> {
        let around = covers.iter().map(|of_value| {
            let labels = (0..LABELS).rev().filter(|&label| of_value[label as usize]);
            labels.map(|label| (label, label as usize)).collect()
        });
        BoxedColumn { place, raw, labels: Vec::new(), around: around.collect() }
    }

    proptest! {
        #[test]
        fn boxes_are_found_as_by_looking_at_each(
            covers in vec(vec(vec(any::<bool>(), LABELS as usize), VALUES as usize), 1..4),
            shown in vec(vec(0..LABELS, 3), 0..40),
            tuples in vec(vec(0..VALUES, 3), 1..10),
        ) {
            let raw = Column::new("c", vec![String::new(); VALUES as usize], Vec::new());
            let width = covers.len();
            let columns: Vec<_> =
                covers.iter().enumerate().map(|(place, covers)| column(&raw, place, covers)).collect();
            let mut boxes: Vec<Vec<u32>> = shown.iter().map(|shown| shown[..width].to_vec()).collect();
            boxes.sort_unstable();
            boxes.dedup();
            boxes.reverse();
            let tuples: Vec<Vec<u32>> = tuples.iter().map(|tuple| tuple[..width].to_vec()).collect();
            let (order, sorted) = shelves(&boxes, (0..width).rev().collect());
            let of_record = (0u32..).zip(&tuples).map(|(number, _)| number).collect();
            let boxed = Boxed { columns, boxes, order, sorted, tuples, of_record };
            for tuple in &boxed.tuples {
                let covered = |number: &u32| {
                    let shown = boxed.boxes[*number as usize].iter().zip(tuple).zip(&covers);
                    shown.into_iter().all(|((&label, &value), covers)| covers[value as usize][label as usize])
                };
                let slow: Vec<u32> = (0..boxed.boxes.len() as u32).filter(covered).collect();
                prop_assert_eq!(boxed.around(tuple), slow);
            }
            let pairs: usize = boxed.tuples.iter().map(|tuple| boxed.around(tuple).len()).sum();
            prop_assert!(boxed.covering(pairs).is_some());
            prop_assert!(pairs == 0 || boxed.covering(pairs - 1).is_none());
        }
    }
}
