//! Lines: how the time grows with rows, quasi-identifiers and the lattice.

use super::axis::{Axis, short, short_time};
use super::writer::{Anchor, Drawing, GRID, HEADING, PLAIN, SMALL, TITLE};
use super::{algorithms, colour};
use crate::results::{CaseResult, Results};
use crate::workload::Axis as Growth;

const PANEL: f64 = 430.0;
const HEIGHT: f64 = 470.0;
const TOP: f64 = 130.0;
const BOTTOM: f64 = HEIGHT - 66.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = PANEL - 26.0;

/// The charts of the scaling workload, side by side; `None` if it was not run.
pub fn scaling(results: &Results) -> Option<String> {
    let of = |growth: Growth| -> Vec<&CaseResult> {
        let on = |case: &&CaseResult| case.scale.is_some_and(|scale| scale.axis == growth);
        results.cases.iter().filter(on).collect()
    };
    let panels: Vec<(Growth, Vec<&CaseResult>)> = Growth::ALL
        .into_iter()
        .map(|growth| (growth, of(growth)))
        .filter(|(_, cases)| !cases.is_empty())
        .collect();
    let first = panels.first().and_then(|(_, cases)| cases.first())?;
    let names = algorithms(panels.iter().flat_map(|(_, cases)| cases.iter().copied()));
    let mut drawing = Drawing::new();
    let title = "How the search time grows";
    drawing.text(24.0, 36.0, TITLE, title);
    let suppression = crate::case::share(first.suppression);
    let what = format!(
        "made-up tables, {}, {suppression} suppressed at most, {}; logarithmic",
        first.privacy, first.metric
    );
    drawing.text(24.0, 56.0, SMALL, &what);
    let mut x = 24.0;
    for (position, name) in names.iter().enumerate() {
        drawing.rectangle([x, 72.0, 12.0, 12.0], colour(position));
        drawing.text(x + 18.0, 82.5, PLAIN, name);
        x += 18.0 + 7.2 * name.chars().count() as f64 + 24.0;
    }
    for (position, (growth, cases)) in panels.iter().enumerate() {
        panel(&mut drawing, position as f64 * PANEL, *growth, cases, &names);
    }
    Some(drawing.finish(panels.len() as f64 * PANEL, HEIGHT, title))
}

fn panel(drawing: &mut Drawing, offset: f64, growth: Growth, cases: &[&CaseResult], names: &[&str]) {
    let value = |case: &CaseResult| case.scale.map_or(0.0, |scale| scale.value);
    let values = cases.iter().map(|case| value(case));
    let x = match growth {
        Growth::Rows | Growth::Nodes => Axis::logarithmic(values, offset + LEFT, offset + RIGHT),
        Growth::QuasiIdentifiers => Axis::linear(values, offset + LEFT, offset + RIGHT),
    };
    let times = cases.iter().flat_map(|case| &case.runs).filter_map(|run| run.median_ms);
    let y = Axis::logarithmic(times, BOTTOM, TOP);
    drawing.text(offset + LEFT, TOP - 14.0, HEADING, &format!("search time by {}", growth.name()));
    for tick in y.ticks() {
        let at = y.at(tick);
        drawing.line([offset + LEFT, at], [offset + RIGHT, at], GRID);
        drawing.text(offset + LEFT - 8.0, at + 4.0, SMALL.anchored(Anchor::End), &short_time(tick));
    }
    for tick in x.ticks() {
        let at = x.at(tick);
        drawing.line([at, TOP], [at, BOTTOM], GRID);
        drawing.text(at, BOTTOM + 18.0, SMALL.anchored(Anchor::Middle), &short(tick));
    }
    let centre = offset + (LEFT + RIGHT) / 2.0;
    drawing.text(centre, BOTTOM + 42.0, PLAIN.anchored(Anchor::Middle), growth.name());
    for (position, name) in names.iter().enumerate() {
        let point = |case: &&CaseResult| {
            let run = case.runs.iter().find(|run| run.algorithm == *name && run.is_finished())?;
            Some([x.at(value(case)), y.at(run.median_ms?)])
        };
        let points: Vec<[f64; 2]> = cases.iter().filter_map(point).collect();
        if !points.is_empty() {
            drawing.path(&points, colour(position));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::writer::tests::assert_well_formed;
    use super::*;
    use crate::results::tests::{case, results, run};
    use crate::workload::Scale;

    #[test]
    fn each_algorithm_has_a_line_in_each_panel() {
        let at = |axis, value, ms| CaseResult {
            scale: Some(Scale { axis, value }),
            ..case(vec![run("a", ms, &[0], 1.0), run("b", ms * 3.0, &[0], 1.0)])
        };
        let results = results(vec![
            at(Growth::Rows, 1e4, 5.0),
            at(Growth::Rows, 1e5, 40.0),
            at(Growth::QuasiIdentifiers, 3.0, 1.0),
        ]);
        let svg = scaling(&results).unwrap();
        assert_well_formed(&svg);
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (4, 6));
    }

    #[test]
    fn without_the_workload_there_is_no_chart() {
        assert!(scaling(&results(vec![case(vec![run("a", 1.0, &[0], 1.0)])])).is_none());
    }
}
