//! Cells in columns, words to the left and numbers to the right; and numbers people can read.

use paravent_core::words::grouped;

/// Which way a column leans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lean {
    Left,
    Right,
}

/// Lines of cells below a heading.
#[derive(Debug)]
pub(super) struct Table {
    leans: Vec<Lean>,
    lines: Vec<Line>,
}

#[derive(Debug)]
enum Line {
    Cells(Vec<String>),
    /// A line across all columns.
    Title(String),
}

impl Table {
    pub(super) fn new(heading: &[(&str, Lean)]) -> Table {
        let names = heading.iter().map(|(name, _)| (*name).to_owned()).collect();
        Table { leans: heading.iter().map(|(_, lean)| *lean).collect(), lines: vec![Line::Cells(names)] }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.lines.push(Line::Cells(cells));
    }

    pub(super) fn title(&mut self, text: String) {
        self.lines.push(Line::Title(text));
    }

    pub(super) fn render(&self) -> String {
        let rows = || {
            self.lines.iter().filter_map(|line| match line {
                Line::Cells(cells) => Some(cells),
                Line::Title(_) => None,
            })
        };
        let width = |column: usize| {
            rows().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.leans.len()).map(width).collect();
        let mut text = String::new();
        for line in &self.lines {
            match line {
                Line::Title(title) => text.push_str(title),
                Line::Cells(cells) => text.push_str(cells_line(cells, &self.leans, &widths).trim_end()),
            }
            text.push('\n');
        }
        text
    }
}

fn cells_line(cells: &[String], leans: &[Lean], widths: &[usize]) -> String {
    let mut line = String::new();
    for ((cell, lean), &width) in cells.iter().zip(leans).zip(widths) {
        let space = " ".repeat(width.saturating_sub(cell.chars().count()));
        line.push_str("  ");
        match lean {
            Lean::Left => line.extend([cell.as_str(), &space]),
            Lean::Right => line.extend([space.as_str(), cell]),
        }
    }
    line
}

/// `30162` → `30,162`
pub(super) fn count(number: u128) -> String {
    grouped(number, ',')
}

/// Three significant digits, without powers of ten.
pub(super) fn three_digits(number: f64) -> String {
    match number {
        n if !n.is_finite() => "-".to_owned(),
        n if n >= 99.95 => count(n.round() as u128),
        n if n >= 9.995 => format!("{n:.1}"),
        n if n >= 0.0995 || n == 0.0 => format!("{n:.2}"),
        n => format!("{n:.4}"),
    }
}

/// `1.23 ms`, `45.6 s`
pub(crate) fn time(ms: f64) -> String {
    if ms >= 1000.0 { format!("{} s", three_digits(ms / 1000.0)) } else { format!("{} ms", three_digits(ms)) }
}

/// `1.5 MB`
pub(super) fn megabytes(bytes: f64) -> String {
    format!("{} MB", three_digits(bytes / 1e6))
}

/// `34×`
pub(super) fn times(factor: f64) -> String {
    format!("{}×", three_digits(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lean_left_and_numbers_right() {
        let mut table = Table::new(&[("name", Lean::Left), ("time", Lean::Right), ("note", Lean::Left)]);
        table.title("first".to_owned());
        table.row(vec!["a".to_owned(), "12 ms".to_owned(), "x".to_owned()]);
        table.row(vec!["longer".to_owned(), "1 ms".to_owned(), String::new()]);
        let expected = "  name     time  note\nfirst\n  a       12 ms  x\n  longer   1 ms\n";
        assert_eq!(table.render(), expected);
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 0.01234, 0.5, 9.99, 12.34, 123.4, 12345.0].map(three_digits);
        assert_eq!(shown, ["0.00", "0.0123", "0.50", "9.99", "12.3", "123", "12,345"]);
        assert_eq!([time(1.234), time(45_600.0)], ["1.23 ms", "45.6 s"]);
    }
}
