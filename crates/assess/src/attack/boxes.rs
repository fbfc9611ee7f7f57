//! Records of a raw table and the boxes of a local recoding.
//!
//! A raw value has a label on every level, and boxes overlap: several may cover a record. An attacker who reads a release does not
//! know in which one a person is; the finest is the one with the fewest guesses, so figures are never too small.

use super::below::Below;
use super::distinct::{Distinct, distinct};
use super::project::{codes_of, covers, generalization};
use crate::ReleaseTable;
use paravent_evidence::attack::box_tree::BoxTree;
use paravent_evidence::attack::classes::Classes;
use paravent_evidence::attack::finer::FinerColumn;
use paravent_evidence::attack::projection::Lies;
use paravent_evidence::microdata::{Column, Microdata};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The quasi-identifiers that a raw table shares with a release, and the boxes that cover its records in them.
pub(super) struct Boxed<'a> {
    columns: Vec<BoxedColumn<'a>>,
    /// The boxes that are released, as far as these columns go; the finest first.
    boxes: BoxTree,
    /// By column and raw code: the released codes whose labels cover it, ascending.
    codes: Vec<Vec<Vec<u32>>>,
    /// Different records by their raw codes, and the record's number among them.
    tuples: Distinct,
}

pub(super) struct BoxedColumn<'a> {
    /// Place in the release.
    pub(super) place: usize,
    raw: &'a Column,
    /// By level and raw code: the label; `None` where the hierarchy has none. Empty where nobody says how labels were made.
    pub(super) labels: Vec<Vec<Option<Option<String>>>>,
    /// By raw code: the released codes whose labels cover it, each with the lowest level on which it does.
    pub(super) around: Vec<Vec<(u32, usize)>>,
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
        let shown: Vec<&[u32]> = columns.iter().map(|column| data.columns()[column.place].codes()).collect();
        let boxes = distinct(&shown, data.rows());
        let coarseness = |shown: &[u32]| -> f64 {
            shown.iter().zip(&widths).map(|(code, widths)| widths.get(code).copied().unwrap_or(0.0)).sum()
        };
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(widths[at].len()));
        let boxes = BoxTree::new(finest_first(&boxes, coarseness), boxes.len(), order);
        let raw: Vec<&[u32]> = columns.iter().map(|column| column.raw.codes()).collect();
        let tuples = distinct(&raw, table.rows());
        let codes = codes_around(&columns);
        Some(Boxed { columns, boxes, codes, tuples })
    }

    /// The boxes by their numbers, as released codes in these places.
    pub(super) fn boxes(&self) -> (&BoxTree, Vec<usize>) {
        (&self.boxes, self.columns.iter().map(|column| column.place).collect())
    }

    /// The different records' boxes, and the number of each record among them; `None` where all records have more boxes than `most`.
    pub(super) fn covering(&self, most: usize) -> Option<(Vec<Vec<u32>>, &[u32])> {
        let records = self.tuples.rows();
        let (mut covering, mut pairs) = (Vec::with_capacity(self.tuples.len()), 0);
        for some in self.some_tuples() {
            let around = self.all_around(some.clone());
            let times = some.map(|tuple| records[tuple] as usize);
            pairs += around.iter().zip(times).map(|(around, times)| around.len() * times).sum::<usize>();
            if pairs > most {
                return None;
            }
            covering.extend(around);
        }
        Some((covering, self.tuples.of_row()))
    }

    /// The different records, some after others, so that not all of their boxes are held at once.
    fn some_tuples(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let all = self.tuples.len();
        (0..all).step_by(AT_A_TIME).map(move |from| from..all.min(from + AT_A_TIME))
    }

    /// The boxes that cover each of some records.
    fn all_around(&self, tuples: std::ops::Range<usize>) -> Vec<Vec<u32>> {
        tuples.into_par_iter().map(|tuple| self.around(tuple)).collect()
    }

    /// Numbers of the boxes that cover a record, ascending.
    fn around(&self, tuple: usize) -> Vec<u32> {
        let mut found = Vec::new();
        self.each_around(tuple, |number| found.push(number));
        found.sort_unstable();
        found
    }

    fn each_around(&self, tuple: usize, found: impl FnMut(u32)) {
        let values = self.tuples.codes(tuple).iter();
        let around = values
            .zip(&self.codes)
            .map(|(&value, codes)| codes.get(value as usize).map_or(&[][..], Vec::as_slice));
        self.boxes.each_with(&around.collect::<Vec<_>>(), found);
    }

    /// By different record: the finest box that covers it.
    fn shown(&self) -> Vec<Option<u32>> {
        let finest = |tuple: usize| {
            let mut finest: Option<u32> = None;
            self.each_around(tuple, |number| {
                finest = Some(finest.map_or(number, |known| known.min(number)));
            });
            finest
        };
        (0..self.tuples.len()).into_par_iter().map(finest).collect()
    }

    /// The released code of every record in the quasi-identifiers, by place: that of the finest box that covers it.
    pub(super) fn codes(&self) -> BTreeMap<usize, Vec<Option<u32>>> {
        let shown = self.shown();
        let of_record = || self.tuples.of_row().iter().map(|&tuple| shown[tuple as usize]);
        let code = |at: usize| move |number: u32| self.boxes.shown(number)[at];
        let column = |(at, column): (usize, &BoxedColumn<'_>)| {
            (column.place, of_record().map(|shown| shown.map(code(at))).collect())
        };
        self.columns.iter().enumerate().map(column).collect()
    }

    /// All labels that the records lie in, in the quasi-identifier at `place`; `None` for other columns.
    pub(super) fn lies(&self, place: usize) -> Option<Lies> {
        let column = self.columns.iter().find(|column| column.place == place)?;
        let around = codes_around(std::slice::from_ref(column)).swap_remove(0);
        Some(Lies { values: column.raw.codes().to_vec(), codes: around })
    }

    /// The columns with the labels, one level below that of the class, of all records that the class covers. Empty where nobody says how
    /// labels were made.
    pub(super) fn finer(&self, classes: &Classes) -> Vec<FinerColumn> {
        let rows = self.tuples.rows();
        let at_of: Vec<Option<usize>> = classes
            .columns()
            .iter()
            .map(|place| self.columns.iter().position(|column| column.place == *place))
            .collect();
        let class_of: Vec<Option<u32>> = (0..self.boxes.len() as u32)
            .map(|number| {
                let shown = self.boxes.shown(number);
                classes.find(at_of.iter().map(|at| at.map(|at| shown[at])))
            })
            .collect();
        let known = self.columns.iter().enumerate().filter(|(_, column)| column.labels.len() > 1);
        let mut below: Vec<Below<'_>> =
            known.map(|(at, column)| Below::new(at, column, classes.len())).collect();
        for some in self.some_tuples() {
            let around = self.all_around(some.clone());
            below.par_iter_mut().for_each(|below| {
                for (tuple, around) in some.clone().zip(&around) {
                    let boxes = around
                        .iter()
                        .filter_map(|&number| Some((class_of[number as usize]?, self.boxes.shown(number))));
                    below.add(self.tuples.codes(tuple), u64::from(rows[tuple]), boxes);
                }
            });
        }
        below.into_iter().map(|below| below.column(classes)).collect()
    }
}

/// The different boxes, one after the other: by their coarseness, then by their codes.
fn finest_first(boxes: &Distinct, coarseness: impl Fn(&[u32]) -> f64) -> Vec<u32> {
    let coarse: Vec<f64> = (0..boxes.len()).map(|number| coarseness(boxes.codes(number))).collect();
    let mut finest: Vec<usize> = (0..boxes.len()).collect();
    finest.sort_unstable_by(|&a, &b| {
        coarse[a].total_cmp(&coarse[b]).then_with(|| boxes.codes(a).cmp(boxes.codes(b)))
    });
    finest.iter().flat_map(|&number| boxes.codes(number)).copied().collect()
}

/// By column and raw code: the released codes whose labels cover it, ascending.
fn codes_around(columns: &[BoxedColumn<'_>]) -> Vec<Vec<Vec<u32>>> {
    let ascending = |around: &Vec<(u32, usize)>| {
        let mut codes: Vec<u32> = around.iter().map(|&(code, _)| code).collect();
        codes.sort_unstable();
        codes
    };
    columns.iter().map(|column| column.around.iter().map(ascending).collect()).collect()
}

/// Records that are looked up together.
const AT_A_TIME: usize = 1 << 14;

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
            let by_column = |rows: &[Vec<u32>]| -> Vec<Vec<u32>> {
                (0..width).map(|at| rows.iter().map(|row| row[at]).collect()).collect()
            };
            let numbered = |rows: &[Vec<u32>]| {
                let columns = by_column(rows);
                distinct(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), rows.len())
            };
            let coarseness = |shown: &[u32]| f64::from(shown.iter().sum::<u32>());
            let boxes = numbered(&shown);
            let boxes = BoxTree::new(finest_first(&boxes, coarseness), boxes.len(), (0..width).rev().collect());
            let codes = codes_around(&columns);
            let boxed = Boxed { columns, boxes, codes, tuples: numbered(&tuples) };
            for tuple in 0..boxed.tuples.len() {
                let covered = |number: &u32| {
                    let values = boxed.tuples.codes(tuple);
                    let shown = boxed.boxes.shown(*number).iter().zip(values).zip(&covers);
                    shown.into_iter().all(|((&label, &value), covers)| covers[value as usize][label as usize])
                };
                let slow: Vec<u32> = (0..boxed.boxes.len() as u32).filter(covered).collect();
                prop_assert_eq!(boxed.around(tuple), &slow[..]);
                prop_assert_eq!(boxed.shown()[tuple], slow.first().copied());
            }
            let pairs: usize = boxed.tuples.of_row().iter().map(|&tuple| boxed.around(tuple as usize).len()).sum();
            prop_assert!(boxed.covering(pairs).is_some());
            prop_assert!(pairs == 0 || boxed.covering(pairs - 1).is_none());
        }
    }
}
