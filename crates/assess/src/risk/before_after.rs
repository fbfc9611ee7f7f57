//! The risk of a table as it was read and of its release, class by class from the counted tuples: no row is looked at again.

use super::assess::DEFAULT_THRESHOLD;
use super::document::{ColumnFacts, RiskBeforeAfter, RiskSummary, SensitiveSummary};
use super::order::places;
use paravent_core::grouping::Class;
use paravent_core::lattice::Node;
use paravent_core::release::{Boxes, Fate, LabelBox, Solution};
use paravent_core::search::SearchError;
use paravent_core::table::TupleSource;
use paravent_evidence::risk::disclosure::DisclosureSums;
use paravent_evidence::risk::identity::prosecutor;
use paravent_evidence::risk::subsets::{SubsetRisk, subsets};
use paravent_evidence::risk::{ClassSizes, DistinctRows};
use paravent_prepare::study::{Study, StudyError};
use paravent_tables::encode::SensitiveView;
use std::collections::{BTreeMap, BTreeSet};

/// Figures of a study's table, and of the release that a solution makes of it.
pub fn before_after(study: &Study, solution: &Solution) -> Result<RiskBeforeAfter, StudyError> {
    let (before, after) = (coarse(before(study)?), after(study, solution, sums(study))?);
    Ok(RiskBeforeAfter { threshold: DEFAULT_THRESHOLD, before, after })
}

/// Figures of the release that a solution makes, compared with the released rows alone: they may be handed out.
pub fn released(study: &Study, solution: &Solution) -> Result<RiskSummary, StudyError> {
    let kept = kept_totals(study, solution)?;
    let sums = |at: usize| {
        let missing = study.counted.columns[at].dictionary.code(None);
        DisclosureSums::new(&kept[at], released_line(study, at, &kept[at]).as_deref()).without(missing)
    };
    after(study, solution, sensitive(study).map(sums).collect())
}

/// Reports travel. Shares of the original values are rounded, so that they do not tell how rare a value
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

/// A class's values of one column with their rows.
type Values = Vec<(u32, u32, u64)>;

/// The table as it was read: its distinct tuples are its classes, and they come sorted.
fn before(study: &Study) -> Result<RiskSummary, StudyError> {
    if study.people.is_some() {
        let bottom = Node::new(vec![0; study.counted.quasi_identifiers]);
        let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
        let sums = of_classes(study, &bottom, sums(study), |class| {
            *sizes.entry(class.rows).or_insert(0) += 1;
            true
        })?;
        let margins = people_by_label(study, None);
        return Ok(summary(&ClassSizes::of_counts(sizes), columns(study, margins), finished(study, sums)));
    }
    let quasi = study.counted.quasi_identifiers;
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    let mut sums = sums(study);
    let mut values: Vec<Values> = sums.iter().map(|_| Vec::new()).collect();
    let (mut class, mut rows) = (usize::MAX, 0);
    let mut finish = |rows: u64, values: &mut Vec<Values>| {
        if rows > 0 {
            *sizes.entry(rows).or_insert(0) += 1;
            sums.iter_mut().zip(values).for_each(|(sums, values)| add(sums, values));
        }
    };
    study.counted.each_in_table(|tuple| {
        if tuple.frequency != class {
            finish(rows, &mut values);
            (class, rows) = (tuple.frequency, 0);
        }
        rows += tuple.count;
        for (values, &code) in values.iter_mut().zip(&tuple.codes[quasi..]) {
            values.push((0, code, tuple.count));
        }
    })?;
    finish(rows, &mut values);
    let margins = (0..quasi).map(|at| study.counted.rows_by_code(at).to_vec()).collect();
    Ok(summary(&ClassSizes::of_counts(sizes), columns(study, margins), finished(study, sums)))
}

/// The release: the classes that are kept, generalized.
fn after(
    study: &Study,
    solution: &Solution,
    mut sums: Vec<DisclosureSums>,
) -> Result<RiskSummary, StudyError> {
    let quasi = study.counted.quasi_identifiers;
    if !sums.is_empty() {
        let mut values: Values = Vec::new();
        let visit = |class: &Class<'_>| add_class(study, class, &mut sums, &mut values);
        visit_released(study, solution, visit)?;
    }
    let sizes = ClassSizes::of_counts(solution.class_sizes.iter().copied());
    if study.people.is_some() {
        let margins = people_by_label(study, Some(solution));
        return Ok(summary(&sizes, columns(study, margins), finished(study, sums)));
    }
    let kept = study.kept_rows_by_code(solution)?;
    let generalized = |at: usize| {
        if let Some(boxes) = &solution.boxes {
            return study.rows_by_label(boxes, at).into_iter().map(|(_, rows)| rows).collect();
        }
        let rung = study.task.ladders()[at].rung(solution.node.levels()[at]);
        let mut rows = vec![0; rung.labels.len()];
        rung.group_of.iter().zip(&kept[at]).for_each(|(&group, more)| rows[group as usize] += more);
        rows
    };
    Ok(summary(&sizes, columns(study, (0..quasi).map(generalized).collect()), finished(study, sums)))
}

/// Adds the values of the classes of a node that are `wanted`. Where people are counted, a person shows a value in a class once.
fn of_classes(
    study: &Study,
    node: &Node,
    mut sums: Vec<DisclosureSums>,
    mut wanted: impl FnMut(&Class<'_>) -> bool,
) -> Result<Vec<DisclosureSums>, StudyError> {
    let mut values: Values = Vec::new();
    let visit = |class: &Class<'_>| {
        if class.rows > 0 && wanted(class) {
            add_class(study, class, &mut sums, &mut values);
        }
    };
    study.checker().visit_classes(node, visit).map_err(SearchError::from)?;
    Ok(sums)
}

/// Calls `visit` with every released class.
fn visit_released(
    study: &Study,
    solution: &Solution,
    visit: impl FnMut(&Class<'_>),
) -> Result<(), StudyError> {
    match &solution.boxes {
        Some(boxes) => study.visit_boxes(boxes, visit),
        None => Ok(study.checker().visit_released(&solution.node, visit).map_err(SearchError::from)?),
    }
}

/// Adds the values of a class to all columns.
fn add_class(study: &Study, class: &Class<'_>, sums: &mut [DisclosureSums], values: &mut Values) {
    for (position, sums) in sums.iter_mut().enumerate() {
        values_of(study, class, position, values);
        add(sums, values);
    }
}

/// By quasi-identifier and label: different people who show it, in the table as it was read or in the release.
fn people_by_label(study: &Study, solution: Option<&Solution>) -> Vec<Vec<u64>> {
    let (Some(counted), Some(table)) = (&study.people, study.table.held()) else { return Vec::new() };
    let fates = solution.map_or(&[][..], |solution| solution.fates.by_tuple());
    let gone = solution.and_then(|solution| solution.fates.by_person());
    let suppressed = |tuple: u32| fates.get(tuple as usize) == Some(&Fate::Suppressed);
    let column = |at: usize| {
        if let Some(boxes) = solution.and_then(|solution| solution.boxes.as_deref()) {
            return people_by_box_label(study, boxes, at);
        }
        let level = solution.map_or(0, |solution| solution.node.levels()[at]);
        let rung = study.task.ladders()[at].rung(level);
        let codes: Vec<u32> = (0..table.tuple_count()).map(|tuple| table.column(at).get(tuple)).collect();
        let mut people = vec![0u64; rung.labels.len()];
        let mut shown: Vec<u32> = Vec::new();
        for (&number, tuples) in counted.people.numbers().iter().zip(counted.people.each()) {
            if gone.is_some_and(|fates| fates.get(number as usize) != Some(&Fate::Kept)) {
                continue;
            }
            let kept = tuples.iter().filter(|&&tuple| !suppressed(tuple));
            shown.extend(kept.map(|&tuple| rung.group_of[codes[tuple as usize] as usize]));
            shown.sort_unstable();
            shown.dedup();
            shown.drain(..).for_each(|label| people[label as usize] += 1);
        }
        people
    };
    (0..study.counted.quasi_identifiers).map(column).collect()
}

/// The same for one column of boxes, whose labels come from several levels.
fn people_by_box_label(study: &Study, boxes: &Boxes, column: usize) -> Vec<u64> {
    let Some(counted) = &study.people else { return Vec::new() };
    let label = |shown: &LabelBox| {
        let rung = study.task.ladders()[column].rung(shown.levels[column]);
        rung.labels[shown.groups[column] as usize].as_deref()
    };
    let mut people: BTreeMap<Option<&str>, u64> = BTreeMap::new();
    for tuples in counted.people.each() {
        let shown: BTreeSet<Option<&str>> =
            tuples.iter().filter_map(|&tuple| boxes.of(tuple as usize)).map(label).collect();
        shown.into_iter().for_each(|label| *people.entry(label).or_insert(0) += 1);
    }
    people.into_values().collect()
}

/// By sensitive column and code: rows of the table, or people who show the value.
fn totals(study: &Study, at: usize) -> Vec<u64> {
    let position = at - study.counted.quasi_identifiers;
    let view = study.sensitive_views().iter().position(|view| *view == SensitiveView::Single(position));
    match (&study.people, view) {
        (Some(counted), Some(view)) => counted.people.totals(view),
        _ => study.counted.rows_by_code(at).to_vec(),
    }
}

/// The same over the classes that are kept. Who shows a value in two of them counts twice.
fn kept_totals(study: &Study, solution: &Solution) -> Result<Vec<Vec<u64>>, StudyError> {
    if study.people.is_none() {
        return study.kept_rows_by_code(solution);
    }
    let mut kept: Vec<Vec<u64>> =
        study.counted.columns.iter().map(|column| vec![0; column.dictionary.len()]).collect();
    let mut values: Values = Vec::new();
    let visit = |class: &Class<'_>| {
        for at in sensitive(study) {
            values_of(study, class, at - study.counted.quasi_identifiers, &mut values);
            values.drain(..).for_each(|(_, code, people)| kept[at][code as usize] += people);
        }
    };
    visit_released(study, solution, visit)?;
    Ok(kept)
}

/// The values of one sensitive column in a class, from a view that shows it.
fn values_of(study: &Study, class: &Class<'_>, position: usize, values: &mut Values) {
    let single = study.sensitive_views().iter().position(|view| *view == SensitiveView::Single(position));
    if let Some(view) = single {
        let distribution = &class.distributions[view];
        let rows = |&code: &u32| (0, code, u64::from(distribution.dense[code as usize]));
        values.extend(distribution.present.iter().map(rows));
        return;
    }
    let joint = study.sensitive_views().iter().enumerate().find_map(|(view, columns)| match columns {
        SensitiveView::Joint(columns) => Some((view, columns.iter().position(|&other| other == position)?)),
        SensitiveView::Single(_) => None,
    });
    let Some((view, at)) = joint else { return };
    let (combinations, distribution) = (&study.combinations()[view], &class.distributions[view]);
    let rows =
        |&code: &u32| (0, combinations[code as usize][at], u64::from(distribution.dense[code as usize]));
    values.extend(distribution.present.iter().map(rows));
}

/// Adds a class and forgets it.
fn add(sums: &mut DisclosureSums, values: &mut Values) {
    values.sort_unstable();
    values.dedup_by(|next, kept| {
        let same = next.1 == kept.1;
        if same {
            kept.2 += next.2;
        }
        same
    });
    sums.add(values);
    values.clear();
}

fn sensitive(study: &Study) -> std::ops::Range<usize> {
    study.counted.quasi_identifiers..study.counted.columns.len()
}

/// One per sensitive column. Classes are compared with the whole table, rows that were left out included.
fn sums(study: &Study) -> Vec<DisclosureSums> {
    let sums = |at: usize| {
        let missing = study.counted.columns[at].dictionary.code(None);
        DisclosureSums::new(&totals(study, at), line_of(study, at).as_deref()).without(missing)
    };
    sensitive(study).map(sums).collect()
}

fn finished(study: &Study, sums: Vec<DisclosureSums>) -> Vec<SensitiveSummary> {
    let finished = sensitive(study).zip(sums).map(|(at, sums)| SensitiveSummary {
        column: study.counted.columns[at].name.clone(),
        disclosure: sums.finish(),
    });
    finished.collect()
}

/// What each quasi-identifier tells alone, from the rows of its values.
fn columns(study: &Study, margins: Vec<Vec<u64>>) -> Vec<ColumnFacts> {
    let facts = |(at, rows): (usize, Vec<u64>)| {
        let codes: Vec<u32> = (0..rows.len() as u32).collect();
        let rows: Vec<u32> = rows.into_iter().map(|rows| u32::try_from(rows).unwrap_or(u32::MAX)).collect();
        let alone = DistinctRows::of_distinct(&[(&codes, codes.len())], &rows);
        subsets(&alone, 1).subsets.first().map(|set| column_facts(study, at, set))
    };
    margins.into_iter().enumerate().filter_map(facts).collect()
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

/// The same for the values that are released: whether they have an order must not depend on others.
fn released_line(study: &Study, at: usize, kept: &[u64]) -> Option<Vec<u32>> {
    let column = &study.counted.columns[at];
    let declared = study.job.attribute(&column.name).and_then(|(_, attribute)| attribute.order.as_deref());
    let all = column.dictionary.cells();
    let codes: Vec<usize> = (0..all.len()).filter(|&code| kept[code] > 0).collect();
    let cells: Vec<Option<&str>> = codes.iter().map(|&code| all[code]).collect();
    let places = places(&cells, column.recorded_type(), declared)?;
    let mut line = vec![0; all.len()];
    codes.iter().zip(places).for_each(|(&code, place)| line[code] = place);
    Some(line)
}

/// The places of a sensitive column's values on a line, where they have an order.
fn line_of(study: &Study, at: usize) -> Option<Vec<u32>> {
    let column = &study.counted.columns[at];
    let declared = study.job.attribute(&column.name).and_then(|(_, attribute)| attribute.order.as_deref());
    places(&column.dictionary.cells(), column.value_type, declared)
}
