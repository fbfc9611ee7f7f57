//! The risk of a table as it was read and of its release, from the counted tuples: no row is looked at again.

mod streamed;

use super::assess::DEFAULT_THRESHOLD;
use super::document::{ColumnFacts, RiskBeforeAfter, RiskSummary, SensitiveSummary};
use super::order::places;
use crate::encode::{Frequencies, HeldTuples};
use crate::study::{Study, StudyError};
use paravent_core::release::{Fate, Solution};
use paravent_core::table::FrequencyTable;
use paravent_evidence::risk::disclosure::{ClassValues, disclosure};
use paravent_evidence::risk::identity::prosecutor;
use paravent_evidence::risk::subsets::{SubsetRisk, subsets};
use paravent_evidence::risk::{ClassSizes, DistinctRows};

/// Figures of a study's table, and of the release that a solution makes of it.
pub(crate) fn before_after(study: &Study, solution: &Solution) -> Result<RiskBeforeAfter, StudyError> {
    let (before, after) = match (&study.table, study.counted.held()) {
        (Frequencies::Held(table), Some(held)) => in_memory(study, table, held, solution),
        _ => (streamed::before(study)?, streamed::after(study, solution)?),
    };
    Ok(RiskBeforeAfter { threshold: DEFAULT_THRESHOLD, before: coarse(before), after })
}

fn in_memory(
    study: &Study,
    table: &FrequencyTable,
    held: &HeldTuples,
    solution: &Solution,
) -> (RiskSummary, RiskSummary) {
    let quasi = 0..table.column_count();
    let raw: Vec<(&[u32], usize)> =
        quasi.clone().map(|at| (table.column(at), study.counted.columns[at].dictionary.len())).collect();
    let before = summary_of(study, held, &DistinctRows::of_distinct(&raw, table.rows()), |_| true);
    drop(raw);
    let rungs = quasi.map(|at| study.ladders[at].rung(solution.node.levels()[at]));
    let generalized: Vec<(Vec<u32>, usize)> = rungs
        .enumerate()
        .map(|(at, rung)| {
            let codes = table.column(at).iter().map(|&code| rung.group_of[code as usize]);
            (codes.collect(), rung.labels.len())
        })
        .collect();
    let kept = |(&rows, &fate): (&u32, &Fate)| if fate == Fate::Kept { rows } else { 0 };
    let rows: Vec<u32> = table.rows().iter().zip(solution.fates.by_tuple()).map(kept).collect();
    let columns: Vec<(&[u32], usize)> =
        generalized.iter().map(|(codes, groups)| (codes.as_slice(), *groups)).collect();
    let classes = DistinctRows::weighted(&columns, &rows);
    (before, summary_of(study, held, &classes, |tuple| rows[tuple as usize] > 0))
}

/// The report leaves the house with the release. Shares of the original values are rounded, so that they do not tell how rare a value
/// was that nobody sees any more.
fn coarse(mut before: RiskSummary) -> RiskSummary {
    let round = |share: f64| (share * 100.0).round() / 100.0;
    for SensitiveSummary { disclosure, .. } in &mut before.sensitive {
        disclosure.t_equal = round(disclosure.t_equal);
        disclosure.mean_t_equal = round(disclosure.mean_t_equal);
        disclosure.t_ordered = disclosure.t_ordered.map(round);
        disclosure.confidence_without_classes = round(disclosure.confidence_without_classes);
        disclosure.mean_confidence = round(disclosure.mean_confidence);
        disclosure.highest_factor = disclosure.highest_factor.round();
        disclosure.mean_entropy_l = round(disclosure.mean_entropy_l);
    }
    before
}

fn summary_of(
    study: &Study,
    held: &HeldTuples,
    classes: &DistinctRows,
    is_kept: impl Fn(u32) -> bool,
) -> RiskSummary {
    let singles =
        subsets(classes, 1).subsets.into_iter().map(|set| column_facts(study, set.columns[0], &set));
    let sensitive = study.counted.quasi_identifiers..study.counted.columns.len();
    let sensitive = sensitive.map(|at| sensitive_summary(study, held, classes, &is_kept, at));
    summary(&classes.sizes(), singles.collect(), sensitive.collect())
}

fn column_facts(study: &Study, column: usize, set: &SubsetRisk) -> ColumnFacts {
    ColumnFacts {
        column: study.counted.columns[column].name.clone(),
        distinction: set.distinction,
        separation: set.separation,
        unique_rows: set.unique_rows,
        contribution: None,
    }
}

fn summary(sizes: &ClassSizes, columns: Vec<ColumnFacts>, sensitive: Vec<SensitiveSummary>) -> RiskSummary {
    RiskSummary {
        rows: sizes.rows(),
        classes: sizes.classes(),
        smallest_class: sizes.smallest(),
        unique_rows: sizes.classes_of(1),
        prosecutor: prosecutor(sizes, DEFAULT_THRESHOLD),
        columns,
        sensitive,
    }
}

/// The places of a sensitive column's values on a line, where they have an order.
fn line_of(study: &Study, at: usize) -> Option<Vec<u32>> {
    let column = &study.counted.columns[at];
    let declared = study.job.attribute(&column.name).and_then(|(_, attribute)| attribute.order.as_deref());
    places(&column.dictionary.cells(), column.value_type, declared)
}

fn sensitive_summary(
    study: &Study,
    held: &HeldTuples,
    classes: &DistinctRows,
    is_kept: &impl Fn(u32) -> bool,
    at: usize,
) -> SensitiveSummary {
    let column = &study.counted.columns[at];
    // Classes are compared with the whole table, rows that were left out included.
    let reference = study.counted.rows_by_code(at);
    let counts = held.in_table().filter_map(|(number, codes)| {
        let tuple = held.frequency_tuple[number as usize];
        let class = classes.class_of()[tuple as usize];
        is_kept(tuple).then(|| (class, codes[at], held.tuples.count(number)))
    });
    let values = ClassValues::counted(counts, column.dictionary.len());
    SensitiveSummary {
        column: column.name.clone(),
        disclosure: disclosure(&values, reference, line_of(study, at).as_deref()),
    }
}
