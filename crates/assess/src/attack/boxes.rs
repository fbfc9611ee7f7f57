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
use std::collections::{BTreeMap, HashMap};

/// The quasi-identifiers that a raw table shares with a release, and the boxes that cover its records in them.
pub(super) struct Boxed<'a> {
    columns: Vec<BoxedColumn<'a>>,
    /// The boxes that are released, as far as these columns go: a released code per column. The finest first.
    boxes: Vec<Vec<u32>>,
    /// By released code of the column at `key`: the boxes with it, the finest first.
    with: HashMap<u32, Vec<u32>>,
    key: usize,
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

    /// The lowest level on which a released label covers a value; `None` where it does not.
    fn level(&self, value: u32, code: u32) -> Option<usize> {
        let around = self.around[value as usize].iter();
        around.copied().find(|&(known, _)| known == code).map(|(_, level)| level)
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
        // Boxes are looked up by the column with the most labels.
        let key = (0..columns.len()).max_by_key(|&at| widths[at].len()).unwrap_or(0);
        let mut with: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, shown) in boxes.iter().enumerate() {
            if let Some(&code) = shown.get(key) {
                with.entry(code).or_default().push(number as u32);
            }
        }
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
        Some(Boxed { columns, boxes, with, key, tuples, of_record })
    }

    /// The boxes, as released codes in these places.
    pub(super) fn boxes(&self) -> (&[Vec<u32>], Vec<usize>) {
        (&self.boxes, self.columns.iter().map(|column| column.place).collect())
    }

    /// The different records' boxes, and the number of each record among them.
    pub(super) fn covering(&self) -> (Vec<Vec<u32>>, &[u32]) {
        let all = |tuple: &Vec<u32>| {
            let mut found: Vec<u32> = self.around(tuple).collect();
            found.sort_unstable();
            found
        };
        (self.tuples.iter().map(all).collect(), &self.of_record)
    }

    /// Numbers of the boxes that cover a record.
    fn around<'s>(&'s self, tuple: &'s [u32]) -> impl Iterator<Item = u32> + 's {
        let value = tuple.get(self.key).map(|&value| value as usize);
        let labels = value.and_then(|value| self.columns[self.key].around.get(value)).into_iter().flatten();
        let near = labels.filter_map(|(code, _)| self.with.get(code)).flatten().copied();
        near.filter(move |&number| {
            let shown = &self.boxes[number as usize];
            let mut columns = self.columns.iter().zip(tuple).zip(shown);
            columns.all(|((column, &value), &code)| column.level(value, code).is_some())
        })
    }

    /// By record: the finest box that covers it.
    fn shown(&self) -> Vec<Option<u32>> {
        let by_tuple: Vec<Option<u32>> = self.tuples.iter().map(|tuple| self.around(tuple).min()).collect();
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
        known.map(|(at, column)| self.finer_column(at, column, &rows, &class_of, classes)).collect()
    }

    fn finer_column(
        &self,
        at: usize,
        column: &BoxedColumn<'_>,
        rows: &[u64],
        class_of: &[Option<u32>],
        classes: &Classes,
    ) -> FinerColumn {
        let mut numbers: BTreeMap<Option<&str>, u32> = BTreeMap::new();
        let mut children: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); classes.len()];
        let mut under: HashMap<u32, BTreeMap<u32, u64>> = HashMap::new();
        for (tuple, &rows) in self.tuples.iter().zip(rows) {
            let value = tuple[at];
            for &(label, level) in &column.around[value as usize] {
                let Some(finer) = &column.labels[level.saturating_sub(1)][value as usize] else { continue };
                let next = numbers.len() as u32;
                let code = *numbers.entry(finer.as_deref()).or_insert(next);
                *under.entry(label).or_default().entry(code).or_default() += rows;
            }
            for number in self.around(tuple) {
                let Some(class) = class_of[number as usize] else { continue };
                let Some(level) = column.level(value, self.boxes[number as usize][at]) else { continue };
                let Some(label) = &column.labels[level.saturating_sub(1)][value as usize] else { continue };
                let next = numbers.len() as u32;
                let code = *numbers.entry(label.as_deref()).or_insert(next);
                *children[class as usize].entry(code).or_default() += rows;
            }
        }
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
            let of_class = |class: usize| sorted(under.get(&label(class)).cloned().unwrap_or_default());
            (0..classes.len()).map(of_class).collect()
        });
        let by_class = Some(children.into_iter().map(sorted).collect());
        FinerColumn {
            place: column.place,
            labels,
            codes: vec![None; self.of_record.len()],
            by_class,
            by_label,
        }
    }
}
