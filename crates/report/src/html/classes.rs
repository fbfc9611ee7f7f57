//! How large the classes are, and what that means for the risk.

use super::bins::{Bin, bins};
use super::facts::Facts;
use super::left_out;
use super::number::{count, counted, figure, percent};
use super::page::{NUMBER, row, section, table};
use super::svg::{Drawing, line, rect, text};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 46.0;
const BASE: f64 = 224.0;

/// The histogram, its figures and one sentence about the risk.
pub fn render(facts: &Facts<'_>) -> String {
    let bins = bins(&facts.view.class_sizes);
    let lead = format!(
        "Rows with the same released quasi-identifiers form a class. The smaller the class, the likelier a guess: in the \
         smallest class ({}) it is right {} of the time, over all released rows {} on average.",
        counted(facts.smallest_class(), "row", "rows"),
        percent(facts.highest_risk()),
        percent(facts.average_risk()),
    );
    let body = if bins.is_empty() {
        "<p>No class is released.</p>".to_owned()
    } else {
        let figures = bin_figures(&bins, facts.released_rows());
        format!("<figure>{}</figure>{figures}", histogram(&facts.view.class_sizes, &bins))
    };
    section("classes", "Class sizes and re-identification risk", &lead, &(body + &left_out::render(facts)))
}

/// The table of bins.
pub fn bin_figures(bins: &[Bin], rows: u64) -> String {
    let head = ["Rows per class", "Classes", "Rows", "Share of rows", "Highest risk"];
    let shown = bins.iter().filter(|bin| bin.classes > 0);
    let rows: String = shown.map(|bin| figures(bin, rows)).collect();
    table("figures", "Classes by size", &head, &rows)
}

fn figures(bin: &Bin, released: u64) -> String {
    let cells = [
        (NUMBER, count(bin.classes)),
        (NUMBER, count(bin.rows)),
        (NUMBER, percent(bin.rows as f64 / released.max(1) as f64)),
        (NUMBER, percent(1.0 / bin.from as f64)),
    ];
    row("", &sizes(bin), &cells)
}

/// Number of classes by size. There is at least one bin.
pub fn histogram(class_sizes: &[(u64, u64)], bins: &[Bin]) -> String {
    let smallest = class_sizes.first().map_or(0, |&(size, _)| size);
    let classes: u64 = class_sizes.iter().map(|&(_, classes)| classes).sum();
    let highest = bins.iter().map(|bin| bin.classes).max().unwrap_or(0).max(1);
    let (step, top) = ticks(highest);
    let y = |classes: u64| BASE - (BASE - TOP) * classes as f64 / top as f64;
    let slot = (WIDTH - LEFT) / bins.len() as f64;
    let width = (slot * 0.86).min(80.0);
    let mut shapes = String::new();
    for tick in (0..=top).step_by(usize::try_from(step).unwrap_or(1)) {
        shapes += &line("grid", (LEFT, y(tick)), (WIDTH, y(tick)));
        shapes += &text("axis end", LEFT - 8.0, y(tick) + 4.0, &short(tick));
    }
    let single = bins.iter().all(|bin| bin.from == bin.to);
    for (position, bin) in bins.iter().enumerate() {
        let left = LEFT + slot * position as f64;
        let middle = left + slot / 2.0;
        let class = if position == 0 { "column first" } else { "column" };
        // A single class stays visible beside thousands.
        let height = if bin.classes == 0 { 0.0 } else { (BASE - y(bin.classes)).max(1.5) };
        shapes += &rect(class, middle - width / 2.0, BASE - height, width, height, 2.0);
        // Sizes stand below their bar, ranges at the edges between two bars.
        shapes += &text("axis middle", if single { middle } else { left }, BASE + 20.0, &short(bin.from));
    }
    if let (false, Some(last)) = (single, bins.last()) {
        shapes += &text("axis end last", WIDTH, BASE + 20.0, &short(last.to));
    }
    let first = LEFT + slot * 0.5;
    let above = (y(bins[0].classes) - 6.0).max(TOP - 8.0);
    shapes += &line("pointer", (first, above), (first, 25.0));
    let note = format!("smallest class: {}", counted(smallest, "row", "rows"));
    shapes += &text("note", first - width / 2.0, 18.0, &note);
    shapes += &text("axis middle", LEFT + (WIDTH - LEFT) / 2.0, HEIGHT - 10.0, "rows per class");
    shapes += &text("axis end", WIDTH, 18.0, "number of classes");
    let drawing = Drawing {
        class: "histogram",
        size: (WIDTH as u32, HEIGHT as u32),
        title: "Number of classes by their size",
        description: &format!(
            "{} from {} to {} rows; the table below has the figures.",
            counted(classes, "class", "classes"),
            count(smallest),
            count(class_sizes.last().map_or(0, |&(size, _)| size)),
        ),
    };
    drawing.of(&shapes)
}

/// Distance of the grid lines and the uppermost one: 1, 2 or 5 times a power of ten, at most five lines.
fn ticks(highest: u64) -> (u64, u64) {
    let mut step = 1u64;
    for factor in [2, 5, 10].into_iter().cycle() {
        if highest.div_ceil(step) <= 4 {
            break;
        }
        let power = 10u64.pow(step.ilog10());
        step = if factor == 10 { power * 10 } else { power * factor };
    }
    (step, highest.div_ceil(step) * step)
}

fn sizes(bin: &Bin) -> String {
    if bin.from == bin.to { count(bin.from) } else { format!("{}–{}", count(bin.from), count(bin.to)) }
}

/// `1.3k` instead of `1 279`.
fn short(number: u64) -> String {
    let rounded =
        |unit: f64, letter: &str| format!("{}{letter}", figure((number as f64 / unit * 10.0).round() / 10.0));
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => rounded(1e3, "k"),
        1_000_000..1_000_000_000 => rounded(1e6, "M"),
        _ => rounded(1e9, "G"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_lines_are_round_and_few() {
        for (highest, expected) in [(1, (1, 1)), (4, (1, 4)), (5, (2, 6)), (19, (5, 20)), (371, (100, 400))] {
            assert_eq!(ticks(highest), expected, "{highest}");
        }
        assert!(ticks(u64::MAX / 16).1 >= u64::MAX / 16);
    }

    #[test]
    fn axis_labels_are_short() {
        assert_eq!((short(999), short(1_279), short(2_000_000)), ("999".into(), "1.3k".into(), "2M".into()));
    }
}
