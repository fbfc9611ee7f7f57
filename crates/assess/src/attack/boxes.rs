//! Records of a raw table and the boxes of a local recoding.
//!
//! A raw value has a label on every level, and boxes overlap: several may cover a record. An attacker who reads a release does not
//! know in which one a person is; the finest is the one with the fewest guesses, so figures are never too small.

use super::project::codes_of;
use crate::ReleaseTable;
use paravent_evidence::attack::finer::FinerColumn;
use paravent_evidence::microdata::{Column, Microdata};
use std::collections::{BTreeMap, HashMap};

/// The quasi-identifiers that a raw table shares with a release, and the box of each record.
pub(super) struct Boxed<'a> {
    columns: Vec<BoxedColumn<'a>>,
    /// By record: levels and codes of the finest box that covers it in these columns, one for each of them.
    shown: Vec<Option<usize>>,
    /// The boxes, as far as these columns go.
    boxes: Vec<(Vec<u8>, Vec<u32>)>,
}

struct BoxedColumn<'a> {
    /// Place in the release.
    place: usize,
    raw: &'a Column,
    /// By level and raw code: the label; `None` where the hierarchy has none.
    labels: Vec<Vec<Option<Option<String>>>>,
}

impl<'a> Boxed<'a> {
    /// Looks every record up; `None` for releases with one level per column.
    pub(super) fn of(release: &'a ReleaseTable, table: &'a Microdata) -> Option<Boxed<'a>> {
        let all = release.boxes.as_ref()?;
        let (mut columns, mut positions) = (Vec::new(), Vec::new());
        let quasi = release.table.quasi_identifiers.iter().zip(&release.generalizations).enumerate();
        for (position, (&place, generalization)) in quasi {
            let name = release.table.data.columns()[place].name();
            let Some(raw) = table.place(name).map(|place| &table.columns()[place]) else { continue };
            let label = |level: u8, code: u32| generalization.label_on(level, raw.cell(code)).ok();
            let on_level =
                |level: u8| (0..raw.labels().len() as u32).map(|code| label(level, code)).collect();
            columns.push(BoxedColumn {
                place,
                raw,
                labels: (0..=generalization.level).map(on_level).collect(),
            });
            positions.push(position);
        }
        let codes: Vec<HashMap<Option<&str>, u32>> =
            columns.iter().map(|column| codes_of(&release.table.data.columns()[column.place])).collect();
        let part = |shown: &paravent_prepare::transform::AppliedBox| -> Option<(Vec<u8>, Vec<u32>)> {
            let levels = positions.iter().map(|&at| shown.levels[at]).collect();
            let labels = positions.iter().zip(&codes);
            let codes = labels.map(|(&at, codes)| codes.get(&shown.labels[at].as_deref()).copied());
            Some((levels, codes.collect::<Option<_>>()?))
        };
        let boxes: Vec<(Vec<u8>, Vec<u32>)> = all.iter().filter_map(part).collect();
        let shown = look_up(&columns, &codes, &boxes, table.rows());
        Some(Boxed { columns, shown, boxes })
    }

    /// The released code of every record in the quasi-identifier at `place`; `None` where the raw table lacks it.
    pub(super) fn codes(&self, place: usize) -> Option<Vec<Option<u32>>> {
        let at = self.columns.iter().position(|column| column.place == place)?;
        Some(self.shown.iter().map(|shown| shown.map(|number| self.boxes[number].1[at])).collect())
    }

    /// The columns with the labels of each record one level below that of its box.
    pub(super) fn finer(&self) -> Vec<FinerColumn> {
        let finer = |(at, column): (usize, &BoxedColumn<'_>)| {
            let mut numbers: BTreeMap<Option<String>, u32> = BTreeMap::new();
            let mut codes = Vec::with_capacity(self.shown.len());
            for (shown, &raw) in self.shown.iter().zip(column.raw.codes()) {
                let level = shown.map(|number| self.boxes[number].0[at].saturating_sub(1));
                let label = level.and_then(|level| column.labels[usize::from(level)][raw as usize].as_ref());
                let next = numbers.len() as u32;
                codes.push(label.map(|label| *numbers.entry(label.clone()).or_insert(next)));
            }
            let mut labels = vec![String::new(); numbers.len()];
            for (label, number) in numbers {
                labels[number as usize] = label.unwrap_or_else(|| "(missing)".to_owned());
            }
            FinerColumn { place: column.place, labels, codes }
        };
        let generalized = |at: usize| self.boxes.iter().any(|(levels, _)| levels[at] > 0);
        self.columns.iter().enumerate().filter(|&(at, _)| generalized(at)).map(finer).collect()
    }
}

/// By record: the finest box that covers it, by the sum of relative levels; the first one of several.
fn look_up(
    columns: &[BoxedColumn<'_>],
    codes: &[HashMap<Option<&str>, u32>],
    boxes: &[(Vec<u8>, Vec<u32>)],
    records: usize,
) -> Vec<Option<usize>> {
    let height = |column: &BoxedColumn<'_>| (column.labels.len().saturating_sub(1)).max(1) as f64;
    let coarseness = |levels: &[u8]| -> f64 {
        columns.iter().zip(levels).map(|(column, &level)| f64::from(level) / height(column)).sum()
    };
    let mut by_levels: BTreeMap<&[u8], HashMap<&[u32], usize>> = BTreeMap::new();
    for (number, (levels, labels)) in boxes.iter().enumerate() {
        by_levels.entry(levels).or_default().entry(labels).or_insert(number);
    }
    let mut order: Vec<(f64, &[u8])> = by_levels.keys().map(|levels| (coarseness(levels), *levels)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
    // By column, level and raw code: the released code of the label.
    let released: Vec<Vec<Vec<Option<u32>>>> = columns
        .iter()
        .zip(codes)
        .map(|(column, codes)| {
            let code = |label: &Option<Option<String>>| {
                label.as_ref().and_then(|label| codes.get(&label.as_deref()).copied())
            };
            column.labels.iter().map(|labels| labels.iter().map(code).collect()).collect()
        })
        .collect();
    let mut known: HashMap<Vec<u32>, Option<usize>> = HashMap::new();
    let mut find = |raw: Vec<u32>| -> Option<usize> {
        if let Some(found) = known.get(&raw) {
            return *found;
        }
        let found = order.iter().find_map(|(_, levels)| {
            let labels = released.iter().zip(*levels).zip(&raw);
            let labels: Option<Vec<u32>> =
                labels.map(|((column, &level), &code)| column[usize::from(level)][code as usize]).collect();
            by_levels[levels].get(&labels?[..]).copied()
        });
        known.insert(raw, found);
        found
    };
    (0..records)
        .map(|record| find(columns.iter().map(|column| column.raw.codes()[record]).collect()))
        .collect()
}
