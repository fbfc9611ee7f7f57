//! Text in columns, for terminals.

/// Which way a column leans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lean {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// Lines of cells, aligned.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// By column; those beyond lean left.
    leans: Vec<Lean>,
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
enum Line {
    Cells(Vec<String>),
    /// A line across all columns.
    Title(String),
}

impl Columns {
    /// Columns that lean as they are told to, below their names.
    pub fn headed(heading: &[(&str, Lean)]) -> Columns {
        let mut columns =
            Columns { leans: heading.iter().map(|(_, lean)| *lean).collect(), lines: Vec::new() };
        columns.row(heading.iter().map(|(name, _)| *name));
        columns
    }

    /// Adds a line.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.lines.push(Line::Cells(cells.into_iter().map(Into::into).collect()));
    }

    /// Adds a line that no column makes room for.
    pub fn title(&mut self, text: impl Into<String>) {
        self.lines.push(Line::Title(text.into()));
    }

    fn lean(&self, column: usize) -> Lean {
        self.leans.get(column).copied().unwrap_or_default()
    }

    /// How wide a column is. Words at the end of a line may reach as far as they like.
    fn width(&self, column: usize) -> usize {
        let cells = self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) => Some(cells),
            Line::Title(_) => None,
        });
        let padded = cells.filter(|cells| cells.len() > column + 1 || self.lean(column) == Lean::Right);
        padded.filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// Two spaces before and between; nothing behind the last cell of a line.
    pub fn render(&self) -> String {
        let columns = self.lines.iter().map(|line| match line {
            Line::Cells(cells) => cells.len(),
            Line::Title(_) => 0,
        });
        let widths: Vec<usize> = (0..columns.max().unwrap_or(0)).map(|column| self.width(column)).collect();
        let mut text = String::new();
        for line in &self.lines {
            match line {
                Line::Title(title) => text.push_str(title),
                Line::Cells(cells) => text.push_str(self.line(cells, &widths).trim_end()),
            }
            text.push('\n');
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
            let space = " ".repeat(width.saturating_sub(cell.chars().count()));
            line.push_str("  ");
            match self.lean(column) {
                Lean::Left => line.extend([cell.as_str(), &space]),
                Lean::Right => line.extend([space.as_str(), cell]),
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut columns = Columns::default();
        columns.row(["a", "bb", "c"]);
        columns.row(["aaa", "b"]);
        assert_eq!(columns.render(), "  a    bb  c\n  aaa  b\n");
    }

    #[test]
    fn words_lean_left_and_numbers_right() {
        let heading = [("name", Lean::Left), ("time", Lean::Right), ("note", Lean::Left)];
        let mut columns = Columns::headed(&heading);
        columns.title("first");
        columns.row(["a", "12 ms", "x"]);
        columns.row(["longer", "1 ms", ""]);
        assert_eq!(columns.render(), "  name     time  note\nfirst\n  a       12 ms  x\n  longer   1 ms\n");
        // The last column leans right as well.
        let mut columns = Columns::headed(&[("name", Lean::Left), ("rows", Lean::Right)]);
        columns.row(["a", "1,000,000"]);
        assert_eq!(columns.render(), "  name       rows\n  a     1,000,000\n");
    }
}
