//! A column before and after, and pairs of columns.

use super::labels::{FEWEST_ROWS, Tally, intervals, most_frequent, natural};
use super::search::chosen;
use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{Bar, CompareView, ContingencyView};
use paravent_core::release::Solution;
use paravent_core::values::ValueType;
use paravent_prepare::study::Study;
use std::collections::HashMap;

/// A label of each of two columns.
type Pair<'a> = (Option<&'a str>, Option<&'a str>);

/// Labels of a distribution.
const MOST_BARS: usize = 40;
/// Labels of a table of pairs; all others together are one more.
const MOST_LABELS: usize = 16;

/// The distribution of a column in table and release.
pub(super) fn compare(
    project: &Project,
    levels: Option<&[u8]>,
    column: &str,
    other: Option<&str>,
    run: &Run,
) -> Result<CompareView, Fault> {
    let (study, _) = project.study(run)?;
    let solution = chosen(&study, levels, run)?;
    if solution.boxes.is_some() {
        return Err(Fault::request(
            "with local recoding every class has labels of its own; look at the report of the release",
        ));
    }
    let shown = Shown::of(&study, &solution, column)?;
    let (input, input_other) = distribution(&study, shown.position);
    let (mut before, mut after) = (Tally::default(), Tally::default());
    study.each_released(&solution, |tuple, kept| {
        let label = shown.label(tuple.codes);
        before.add(label, tuple.count);
        after.add(label, kept);
    })?;
    let bars = |tally: &dyn Fn(&Option<String>) -> u64, labels: &[Bar]| -> Vec<Bar> {
        labels.iter().map(|bar| Bar { label: bar.label.clone(), rows: tally(&bar.label) }).collect()
    };
    let all: Vec<(Option<String>, u64)> = before.into_counts().collect();
    let rows_before: HashMap<Option<String>, u64> = all.iter().cloned().collect();
    let (mut labels, _) = most_frequent(all, 1, MOST_BARS);
    labels.sort_by(|a, b| natural(&a.label, &b.label));
    let before = |label: &Option<String>| rows_before.get(label).copied().unwrap_or(0);
    let contingency = match other {
        Some(other) if other != column => Some(pairs(&study, &solution, &shown, other)?),
        _ => None,
    };
    Ok(CompareView {
        column: column.to_owned(),
        level: shown.level,
        input,
        input_other,
        relabelled: bars(&before, &labels),
        output: bars(&|label| after.rows(label), &labels),
        suppressed: bars(&|label| before(label) - after.rows(label), &labels),
        contingency,
    })
}

/// The table's own values: intervals of numbers, or the most frequent values; and the rows of all others.
fn distribution(study: &Study, position: usize) -> (Vec<Bar>, u64) {
    let column = &study.counted.columns[position];
    let cells = column.dictionary.cells();
    let counted = || cells.iter().copied().zip(study.counted.rows_by_code(position).iter().copied());
    let present = counted().filter_map(|(cell, rows)| Some((cell?, rows)));
    if matches!(column.recorded_type(), ValueType::Integer | ValueType::Decimal)
        && let Some(bars) = intervals(present)
    {
        let missing = counted().filter(|(cell, _)| cell.is_none()).map(|(_, rows)| rows).sum();
        return (bars, missing);
    }
    let (mut bars, others) =
        most_frequent(counted().map(|(cell, rows)| (cell.map(str::to_owned), rows)), FEWEST_ROWS, MOST_BARS);
    bars.sort_by(|a, b| natural(&a.label, &b.label));
    (bars, others)
}

/// A counted column as the release shows it.
struct Shown<'a> {
    study: &'a Study,
    position: usize,
    level: Option<u8>,
}

impl<'a> Shown<'a> {
    fn of(study: &'a Study, solution: &Solution, column: &str) -> Result<Shown<'a>, Fault> {
        let quasi = study.counted.quasi_identifiers;
        if let Some(position) = study.counted.columns[..quasi].iter().position(|one| one.name == column) {
            return Ok(Shown { study, position, level: Some(solution.node.levels()[position]) });
        }
        match study.counted_position(column) {
            Some(position) => Ok(Shown { study, position, level: None }),
            None => Err(Fault::request("the release shows this column as it is, or not at all")
                .advise("Choose a quasi-identifier, or a sensitive column that a promise is about")),
        }
    }

    fn label(&self, codes: &[u32]) -> Option<&'a str> {
        let code = codes[self.position];
        match self.level {
            Some(level) => {
                let rung = self.study.task.ladders()[self.position].rung(level);
                rung.labels[rung.group_of[code as usize] as usize].as_deref()
            }
            None => self.study.counted.columns[self.position].dictionary.cell(code),
        }
    }
}

fn pairs(study: &Study, solution: &Solution, one: &Shown<'_>, other: &str) -> Result<ContingencyView, Fault> {
    let two = Shown::of(study, solution, other)?;
    let mut counts: HashMap<Pair<'_>, (u64, u64)> = HashMap::new();
    study.each_released(solution, |tuple, kept| {
        let pair = counts.entry((one.label(tuple.codes), two.label(tuple.codes))).or_default();
        *pair = (pair.0 + tuple.count, pair.1 + kept);
    })?;
    let axis = |of: &dyn Fn(&Pair<'_>) -> Option<String>| {
        let mut tally = Tally::default();
        counts.iter().for_each(|(pair, (rows, _))| tally.add(of(pair).as_deref(), *rows));
        let (bars, others) = most_frequent(tally.into_counts(), 1, MOST_LABELS);
        let mut labels: Vec<Option<String>> = bars.into_iter().map(|bar| bar.label).collect();
        labels.sort_by(natural);
        if others > 0 {
            labels.push(Some("…".to_owned()));
        }
        labels
    };
    let rows = axis(&|pair| pair.0.map(str::to_owned));
    let columns = axis(&|pair| pair.1.map(str::to_owned));
    let place = |labels: &[Option<String>], label: Option<&str>| {
        labels.iter().position(|one| one.as_deref() == label).unwrap_or(labels.len() - 1)
    };
    let mut input = vec![vec![0; columns.len()]; rows.len()];
    let mut output = input.clone();
    for ((a, b), (before, after)) in counts {
        let (row, column) = (place(&rows, a), place(&columns, b));
        input[row][column] += before;
        output[row][column] += after;
    }
    Ok(ContingencyView { other: other.to_owned(), rows, columns, input, output })
}
