//! Tables in a few lines of text.

use crate::microdata::{Column, Microdata};

/// The first line names the columns; cells are separated by blanks.
pub(crate) fn table(text: &str) -> Microdata {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let names = lines.next().unwrap_or_default();
    let rows: Vec<Vec<&str>> = lines.filter(|cells| !cells.is_empty()).collect();
    let columns = names.iter().enumerate().map(|(place, name)| {
        let cells: Vec<&str> = rows.iter().map(|row| row[place]).collect();
        Column::of(*name, cells.iter().copied())
    });
    Microdata::new(columns.collect())
}
