//! Bars side by side: every case, every algorithm, and the reference where there is one.

use super::axis::{Axis, short, short_time};
use super::writer::{Anchor, Drawing, FAINT_INK, GRID, HEADING, PLAIN, SMALL, TITLE};
use super::{REFERENCE, algorithms, colour};
use crate::results::{CaseResult, Results};
use paravent_core::words::counted;

const WIDTH: f64 = 1140.0;
const LEFT: f64 = 350.0;
const RIGHT: f64 = WIDTH - 90.0;
const BAR: f64 = 10.0;
const BETWEEN_BARS: f64 = 2.0;
const BETWEEN_CASES: f64 = 10.0;
const HEADER: f64 = 118.0;
const DATASET: f64 = 30.0;
const FOOTER: f64 = 50.0;

/// What a bar shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Milliseconds,
    /// Carries over between machines, so a reference can stand beside.
    HashAggregations,
}

struct Bar {
    fill: &'static str,
    value: f64,
}

/// The chart of all cases that are not about growth; `None` if there is none.
pub fn comparison(results: &Results) -> Option<String> {
    let cases: Vec<&CaseResult> = results.cases.iter().filter(|case| case.scale.is_none()).collect();
    if cases.is_empty() {
        return None;
    }
    let compared = cases.iter().find_map(|case| case.comparison.as_ref());
    let unit = if compared.is_some() { Unit::HashAggregations } else { Unit::Milliseconds };
    let names = algorithms(cases.iter().copied());
    let bars: Vec<Vec<Bar>> = cases.iter().map(|case| bars_of(case, &names, unit)).collect();
    let axis = Axis::logarithmic(bars.iter().flatten().map(|bar| bar.value), LEFT, RIGHT);
    let mut drawing = Drawing::new();
    let bottom = HEADER + body_height(&cases, &bars);
    grid(&mut drawing, &axis, bottom, unit);
    body(&mut drawing, &axis, &cases, &bars, unit);
    let title = "Search time by case and algorithm";
    drawing.text(24.0, 36.0, TITLE, title);
    let what = match unit {
        Unit::Milliseconds => "after loading, median",
        Unit::HashAggregations => "after loading, median, in plain hash aggregations of the same table",
    };
    let (runs, threads) = (counted(results.repeat as u64, "run"), counted(results.threads as u64, "thread"));
    let metric = common_metric(&cases).map_or_else(String::new, |metric| format!("; metric {metric}"));
    let how = format!("{what}; {runs}, {threads}{metric}; logarithmic, shorter is better");
    drawing.text(24.0, 56.0, SMALL, &how);
    legend(&mut drawing, &names, compared.map(|comparison| comparison.program.as_str()));
    Some(drawing.finish(WIDTH, bottom + FOOTER, title))
}

fn bars_of(case: &CaseResult, names: &[&str], unit: Unit) -> Vec<Bar> {
    let ours = case.runs.iter().filter_map(|run| {
        let value = match unit {
            Unit::Milliseconds => run.median_ms,
            Unit::HashAggregations => run.hash_aggregations,
        };
        let position = names.iter().position(|name| *name == run.algorithm)?;
        Some(Bar { fill: colour(position), value: value? })
    });
    let theirs = case
        .comparison
        .as_ref()
        .map(|comparison| Bar { fill: REFERENCE, value: comparison.reference_hash_aggregations });
    ours.chain(theirs).collect()
}

/// The metric, where all cases have the same: it need not be said with each.
fn common_metric(cases: &[&CaseResult]) -> Option<&'static str> {
    let first = cases.first()?.metric;
    cases.iter().all(|case| case.metric == first).then_some(first)
}

fn height_of(bars: &[Bar]) -> f64 {
    (bars.len().max(1) as f64) * (BAR + BETWEEN_BARS) + BETWEEN_CASES
}

fn is_new_dataset(cases: &[&CaseResult], position: usize) -> bool {
    position == 0 || cases[position].dataset != cases[position - 1].dataset
}

fn body_height(cases: &[&CaseResult], bars: &[Vec<Bar>]) -> f64 {
    let headings = (0..cases.len()).filter(|&position| is_new_dataset(cases, position)).count();
    headings as f64 * DATASET + bars.iter().map(|bars| height_of(bars)).sum::<f64>()
}

fn grid(drawing: &mut Drawing, axis: &Axis, bottom: f64, unit: Unit) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        drawing.line([x, HEADER + 4.0], [x, bottom], GRID);
        let label = match unit {
            Unit::Milliseconds => short_time(tick),
            Unit::HashAggregations => short(tick),
        };
        // Long charts are read from both ends.
        for y in [HEADER - 2.0, bottom + 16.0] {
            drawing.text(x, y, SMALL.anchored(Anchor::Middle), &label);
        }
    }
    let label = match unit {
        Unit::Milliseconds => "search time",
        Unit::HashAggregations => "search time in hash aggregations",
    };
    drawing.text((LEFT + RIGHT) / 2.0, bottom + 36.0, PLAIN.anchored(Anchor::Middle), label);
}

fn body(drawing: &mut Drawing, axis: &Axis, cases: &[&CaseResult], bars: &[Vec<Bar>], unit: Unit) {
    let mut y = HEADER;
    let metric = common_metric(cases);
    for (position, (case, bars)) in cases.iter().zip(bars).enumerate() {
        if is_new_dataset(cases, position) {
            let heading = format!("{}  ({} rows)", case.dataset, short(case.rows as f64));
            drawing.text(24.0, y + 18.0, HEADING, &heading);
            drawing.line([24.0, y + 24.0], [LEFT - 12.0, y + 24.0], GRID);
            y += DATASET;
        }
        let middle = y + (bars.len().max(1) as f64) * (BAR + BETWEEN_BARS) / 2.0 + 3.0;
        let suppression = crate::case::share(case.suppression);
        let label = match metric {
            Some(_) => format!("{} · {suppression}", case.privacy),
            None => format!("{} · {suppression} · {}", case.privacy, case.metric),
        };
        drawing.text(LEFT - 10.0, middle, PLAIN.anchored(Anchor::End), &shortened(&label));
        for (row, bar) in bars.iter().enumerate() {
            let top = y + row as f64 * (BAR + BETWEEN_BARS);
            let width = (axis.at(bar.value) - LEFT).max(1.5);
            drawing.rectangle([LEFT, top, width, BAR], bar.fill);
            let value = match unit {
                Unit::Milliseconds => short_time(bar.value),
                Unit::HashAggregations => short(bar.value),
            };
            drawing.text(LEFT + width + 4.0, top + BAR - 1.0, SMALL, &value);
        }
        y += height_of(bars);
    }
}

fn shortened(label: &str) -> String {
    const MOST: usize = 50;
    match label.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label.to_owned(),
    }
}

fn legend(drawing: &mut Drawing, names: &[&str], reference: Option<&str>) {
    let ours = names.iter().enumerate().map(|(position, name)| (*name, colour(position)));
    let mut x = 24.0;
    for (name, fill) in ours.chain(reference.map(|name| (name, REFERENCE))) {
        drawing.rectangle([x, 72.0, 12.0, 12.0], fill);
        drawing.text(x + 18.0, 82.5, PLAIN, name);
        x += 18.0 + 7.2 * name.chars().count() as f64 + 24.0;
    }
    drawing.line([24.0, 96.0], [WIDTH - 24.0, 96.0], FAINT_INK);
}

#[cfg(test)]
mod tests {
    use super::super::writer::tests::assert_well_formed;
    use super::*;
    use crate::results::tests::{case, not_applicable, results, run};

    #[test]
    fn every_algorithm_has_its_bar_and_nothing_breaks() {
        let odd = CaseResult {
            dataset: "<&>".to_owned(),
            ..case(vec![run("a", 0.0, &[0], 1.0), not_applicable()])
        };
        let results = results(vec![case(vec![run("a", 1.0, &[0], 1.0), run("b", 3.0, &[0], 1.0)]), odd]);
        let svg = comparison(&results).unwrap();
        assert_well_formed(&svg);
        // Three bars, three squares of the legend (a, b, ola) and the ground.
        assert_eq!(svg.matches("<rect").count(), 7);
    }

    #[test]
    fn no_case_no_chart() {
        assert!(comparison(&results(Vec::new())).is_none());
    }
}
