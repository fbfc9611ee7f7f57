//! Tables of a few lines, and what becomes of them.

mod delimited;
mod hostile;
mod inputs;
mod json;
#[cfg(feature = "stata")]
mod stata;
mod typed;

use super::*;

pub(super) type Cells = Vec<Vec<Option<String>>>;

/// A table in memory; the name's ending tells the format.
pub(super) fn input(name: &str, bytes: impl Into<Vec<u8>>) -> Input {
    Input::from_bytes(bytes, ReadOptions::new(name))
}

/// All rows of a source.
pub(super) fn rows(source: &mut Source) -> Result<Cells, ReadError> {
    let (mut batch, mut rows) = (Batch::default(), Vec::new());
    while source.next_batch(&mut batch)? {
        assert_eq!(batch.first_row, rows.len() as u64 + 1);
        let start = rows.len();
        rows.resize(start + batch.rows, Vec::new());
        for column in &batch.columns {
            assert_eq!(column.len(), batch.rows);
            for (row, cell) in column.iter().enumerate() {
                assert_eq!(cell, column.get(row));
                rows[start + row].push(cell.map(str::to_owned));
            }
        }
    }
    assert_eq!(batch.rows, 0);
    assert_eq!(source.rows_read(), rows.len() as u64);
    Ok(rows)
}

/// Column names and rows.
pub(super) fn read(input: &Input) -> Result<(Vec<String>, Cells), ReadError> {
    let mut source = input.open()?;
    Ok((source.columns().to_vec(), rows(&mut source)?))
}

/// The table in one line: columns behind `|`, rows behind `/`, a missing value is `?`.
pub(super) fn shown(input: &Input) -> String {
    match read(input) {
        Ok((columns, rows)) => {
            let line = |cells: &Vec<Option<String>>| {
                cells.iter().map(|cell| cell.as_deref().unwrap_or("?")).collect::<Vec<_>>().join("|")
            };
            std::iter::once(columns.join("|")).chain(rows.iter().map(line)).collect::<Vec<_>>().join("/")
        }
        Err(error) => error.to_string(),
    }
}
