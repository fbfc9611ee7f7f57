//! Rows on their way from a file to the engine.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A run of rows, column by column, as text. Meant to be used again for the next run.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Number of the first row. Rows count from 1; the header does not count.
    pub first_row: u64,
    /// How many rows.
    pub rows: usize,
    /// The selected columns, in the order of the selection.
    pub columns: Vec<TextColumn>,
    /// Where the physical line is not that of the row before plus one: (row within the batch, line). Empty if the format
    /// has no lines.
    lines: Vec<(u32, u64)>,
    /// Rows per line, where equal rows were counted elsewhere.
    counts: Vec<u64>,
    /// The file of a table in many files, and the number of the first row there.
    file: Option<(Arc<Path>, u64)>,
}

/// One column of a batch.
///
/// The cells' bytes follow each other without gaps. A missing value has no bytes.
#[derive(Clone, Default)]
pub struct TextColumn {
    text: String,
    ends: Vec<u32>,
    missing: Vec<bool>,
}

/// Cells stay out of logs.
impl fmt::Debug for TextColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextColumn({} cells)", self.len())
    }
}

/// Cells stay out of logs.
impl fmt::Debug for ColumnBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnBuilder({} cells)", self.ends.len())
    }
}

impl Batch {
    /// The physical line on which a row (counted from 0 within the batch) starts, if the format has lines.
    pub fn line(&self, row: usize) -> Option<u64> {
        let after = self.lines.partition_point(|&(start, _)| start as usize <= row);
        let &(start, line) = self.lines.get(after.checked_sub(1)?)?;
        Some(line + (row as u64 - u64::from(start)))
    }

    /// How many rows each row of the batch stands for; `None` where each is itself.
    pub fn counts(&self) -> Option<&[u64]> {
        (!self.counts.is_empty()).then_some(self.counts.as_slice())
    }

    pub(super) fn set_counts(&mut self, counts: Vec<u64>) {
        self.counts = counts;
    }

    /// Where the table is in many files: the one that the rows come from, and the number of the first of them there.
    pub fn file(&self) -> Option<(&Path, u64)> {
        self.file.as_ref().map(|(file, first_row)| (file.as_ref(), *first_row))
    }

    pub(super) fn is_from(&mut self, file: Arc<Path>, first_row: u64) {
        self.file = Some((file, first_row));
    }

    pub(super) fn start(&mut self, first_row: u64) {
        self.first_row = first_row;
        self.file = None;
        self.rows = 0;
        self.lines.clear();
        self.counts.clear();
    }

    /// Counts a row that starts on `line`.
    pub(super) fn add_row(&mut self, line: u64) {
        if self.rows == 0 || self.line_after_last() != line {
            self.lines.push((self.rows as u32, line));
        }
        self.rows += 1;
    }

    /// Keeps the rows that are marked, each with the line it came from.
    pub(super) fn retain(&mut self, kept: &[bool]) {
        let lines: Vec<Option<u64>> =
            (0..self.rows).filter(|&row| kept[row]).map(|row| self.line(row)).collect();
        self.columns.iter_mut().for_each(|column| column.retain(kept));
        self.rows = 0;
        self.lines.clear();
        for line in &lines {
            match line {
                Some(line) => self.add_row(*line),
                None => self.rows += 1,
            }
        }
    }

    fn line_after_last(&self) -> u64 {
        self.lines.last().map_or(0, |&(start, line)| line + (self.rows as u64 - u64::from(start)))
    }
}

impl TextColumn {
    /// The same cell in this number of rows.
    pub(super) fn repeated(cell: Option<&str>, rows: usize) -> Self {
        let text = cell.unwrap_or_default();
        let ends = (1..=rows).map(|row| (row * text.len()) as u32).collect();
        Self { text: text.repeat(rows), ends, missing: vec![cell.is_none(); rows] }
    }

    /// The cell of a row (counted from 0 within the batch); `None` if it is missing.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> Option<&str> {
        if self.missing[row] {
            return None;
        }
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        Some(&self.text[start..self.ends[row] as usize])
    }

    /// All cells, in row order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        let mut start = 0;
        self.ends.iter().zip(&self.missing).map(move |(&end, &missing)| {
            let cell = (!missing).then(|| &self.text[start..end as usize]);
            start = end as usize;
            cell
        })
    }

    /// Keeps the cells that are marked.
    fn retain(&mut self, kept: &[bool]) {
        let mut column = TextColumn::default();
        for (cell, _) in self.iter().zip(kept).filter(|(_, kept)| **kept) {
            column.text.push_str(cell.unwrap_or_default());
            column.ends.push(column.text.len() as u32);
            column.missing.push(cell.is_none());
        }
        *self = column;
    }

    /// Puts another text for every cell that is there. The error is the first row (counted from 0) for which there is none.
    pub(super) fn respell(
        &mut self,
        respelled: impl for<'t> Fn(&'t str) -> Option<Cow<'t, str>>,
    ) -> Result<(), usize> {
        let mut text = String::with_capacity(self.text.len());
        let mut ends = Vec::with_capacity(self.ends.len());
        for (row, cell) in self.iter().enumerate() {
            if let Some(cell) = cell {
                text.push_str(&respelled(cell).ok_or(row)?);
            }
            ends.push(u32::try_from(text.len()).map_err(|_| row)?);
        }
        (self.text, self.ends) = (text, ends);
        Ok(())
    }

    /// How many cells.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// A column in the making. Cells arrive as bytes and are checked to be UTF-8 together, which is much cheaper than one by one.
#[derive(Default)]
pub(super) struct ColumnBuilder {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    missing: Vec<bool>,
}

impl ColumnBuilder {
    pub(super) fn push(&mut self, cell: &[u8]) {
        self.bytes.extend_from_slice(cell);
        self.ends.push(self.bytes.len() as u32);
        self.missing.push(false);
    }

    pub(super) fn push_missing(&mut self) {
        self.ends.push(self.bytes.len() as u32);
        self.missing.push(true);
    }

    /// Adds a cell that `write` appends, unless it is one of the `null` texts.
    pub(super) fn push_with<E>(
        &mut self,
        null: &NullTexts,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let start = self.bytes.len();
        let written = write(&mut self.bytes);
        if written.is_err() {
            self.bytes.truncate(start);
        }
        written?;
        let length = self.bytes.len() - start;
        let missing = null.contains(&self.bytes[start..]);
        if missing {
            self.bytes.truncate(start);
        }
        self.ends.push(self.bytes.len() as u32);
        self.missing.push(missing);
        Ok(length)
    }

    /// Keeps the first rows only.
    pub(super) fn truncate(&mut self, rows: usize) {
        if rows < self.ends.len() {
            self.ends.truncate(rows);
            self.missing.truncate(rows);
            self.bytes.truncate(self.ends.last().map_or(0, |&end| end as usize));
        }
    }

    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Hands the cells over to `column` and takes its memory for the next ones. The error is the row (counted from 0) of the
    /// first cell that is not UTF-8.
    pub(super) fn finish(&mut self, column: &mut TextColumn) -> Result<(), usize> {
        if let Err(row) = self.check() {
            self.clear();
            return Err(row);
        }
        let old = std::mem::take(&mut column.text).into_bytes();
        // Checked above; the second look costs little and spares an `unsafe`.
        column.text = String::from_utf8(std::mem::replace(&mut self.bytes, old)).map_err(|_| 0_usize)?;
        std::mem::swap(&mut self.ends, &mut column.ends);
        std::mem::swap(&mut self.missing, &mut column.missing);
        self.clear();
        Ok(())
    }

    /// Each cell by itself must be UTF-8: two halves of a character in neighbouring cells are not.
    fn check(&self) -> Result<(), usize> {
        if self.bytes.is_ascii() {
            return Ok(());
        }
        let row_of = |byte: usize| self.ends.partition_point(|&end| end as usize <= byte);
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => match self.ends.iter().position(|&end| !text.is_char_boundary(end as usize)) {
                Some(row) => Err(row),
                None => Ok(()),
            },
            Err(error) => {
                // Everything before is UTF-8, but may still be cut in the middle of a character.
                let valid = std::str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or_default();
                let bad = row_of(error.valid_up_to());
                let cut = self.ends[..bad].iter().position(|&end| !valid.is_char_boundary(end as usize));
                Err(cut.unwrap_or(bad))
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.missing.clear();
    }
}

/// The texts that stand for a missing value.
#[derive(Clone, Debug, Default)]
pub(super) struct NullTexts {
    texts: Vec<Vec<u8>>,
    /// Bit n: some text has n bytes (bit 63: 63 or more). Most cells are told apart by their length alone.
    lengths: u64,
}

impl NullTexts {
    pub(super) fn new(texts: &[String]) -> Self {
        let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
        let lengths = texts.iter().fold(0, |bits, text| bits | 1 << text.len().min(63));
        Self { texts, lengths }
    }

    pub(super) fn contains(&self, cell: &[u8]) -> bool {
        self.lengths >> cell.len().min(63) & 1 == 1 && self.texts.iter().any(|text| text == cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_character_in_neighbouring_cells_are_found() {
        let mut builder = ColumnBuilder::default();
        builder.push(b"ok");
        builder.push(b"\xC3");
        builder.push(b"\xA9");
        assert_eq!(builder.finish(&mut TextColumn::default()), Err(1));
    }

    #[test]
    fn the_first_bad_cell_is_named() {
        for (cells, bad) in [
            (vec![&b"a"[..], b"\xFF", b"\xC3\xA9"], 1),
            (vec![b"\xC3\xA9", b"\xC3", b"\xA9", b"\xFF"], 1),
            (vec![b"", b"", b"\xC3"], 2),
            (vec![b"\xC3\xA9", b"", b"\xE9x"], 2),
        ] {
            let mut builder = ColumnBuilder::default();
            cells.iter().for_each(|cell| builder.push(cell));
            assert_eq!(builder.finish(&mut TextColumn::default()), Err(bad), "{cells:?}");
        }
    }

    #[test]
    fn lines_are_kept_although_rows_span_several() {
        let mut batch = Batch::default();
        batch.start(1);
        for line in [2, 3, 7, 8, 8] {
            batch.add_row(line);
        }
        let lines: Vec<_> = (0..batch.rows).map(|row| batch.line(row).unwrap()).collect();
        assert_eq!(lines, [2, 3, 7, 8, 8]);
    }

    #[test]
    fn null_texts_are_compared_whole() {
        let null = NullTexts::new(&["".into(), "NA".into(), "x".repeat(70)]);
        assert!(null.contains(b"") && null.contains(b"NA") && null.contains(&[b'x'; 70]));
        assert!(!null.contains(b"NB") && !null.contains(&[b'x'; 71]) && !null.contains(b" "));
    }
}
