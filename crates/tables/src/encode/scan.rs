//! One pass over a table: every wanted column gets its dictionary, every row becomes a tuple of codes.

use super::{Dictionary, NumberTreatment};
use crate::read::{Batch, ReadAhead, ReadError, Source};
use crate::spill::SpillError;
use paravent_core::values::ValueType;
use rayon::prelude::*;
use std::path::PathBuf;

/// A column that is being coded.
#[derive(Debug, Clone)]
pub struct CodedColumn {
    /// Name of the column.
    pub name: String,
    /// What its cells are: the declared type, or the narrowest one that all values have.
    pub value_type: ValueType,
    /// How its cells are spelled. Only a declared type has a spelling of its own; what merely looks like a truth value (`f`) or a number (`007`) stays as it is.
    pub spelling: ValueType,
    /// Its distinct cells.
    pub dictionary: Dictionary,
    /// By code: the line (or row, where the format has no lines) of the first occurrence, for messages.
    pub first_seen: Vec<Seen>,
    /// The type under which released cells are written down, once they are known; see [`recorded_type`](Self::recorded_type).
    pub recorded: Option<ValueType>,
    /// What becomes of its numbers before they are coded.
    pub treatment: Option<NumberTreatment>,
}

/// Where a cell was seen first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Physical line, where the format has lines.
    pub line: Option<u64>,
    /// Row, counted from 1 without the header; 0 where rows were counted elsewhere, or are in many files.
    pub row: u64,
    /// Whether it was in the population and not in the table itself.
    pub in_population: bool,
}

impl CodedColumn {
    /// A column nothing was read of yet.
    pub fn new(name: impl Into<String>, value_type: ValueType) -> CodedColumn {
        CodedColumn {
            name: name.into(),
            value_type,
            spelling: value_type,
            dictionary: Dictionary::default(),
            first_seen: Vec::new(),
            recorded: None,
            treatment: None,
        }
    }

    /// The type under which the cells are written down: reading them back with it must give every text as it is here. A type that
    /// nobody declared and that would spell a cell anew (`02138` as a number) is none.
    pub fn recorded_type(&self) -> ValueType {
        self.recorded.unwrap_or_else(|| self.type_of(self.value_type, &self.dictionary.cells()))
    }

    /// `guessed` where it spells all these cells as they are, else the type they were read with.
    pub fn type_of(&self, guessed: ValueType, cells: &[Option<&str>]) -> ValueType {
        let stays = |cell: &&str| guessed.canonical(cell) == **cell;
        match self.spelling == guessed || cells.iter().flatten().all(stays) {
            true => guessed,
            false => self.spelling,
        }
    }
}

/// Why a pass ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The table could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A cell is not what its column is declared to be.
    #[error("{}{}: column {column} is declared as {expected}, but this cell is not one", path.display(), place(*.seen))]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What was declared.
        expected: &'static str,
        /// Where.
        seen: Seen,
    },
    /// There is a header and nothing else.
    #[error("{}: the table has no rows", path.display())]
    NoRows {
        /// The file.
        path: PathBuf,
    },
    /// More distinct cells than codes.
    #[error("{}: column {column} has more than 4 billion different values", path.display())]
    TooManyValues {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Tuples that memory cannot hold could not be put aside.
    #[error(transparent)]
    Spill(#[from] SpillError),
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Stopped,
}

fn place(seen: Seen) -> String {
    match seen.line {
        Some(line) => format!(", line {line}"),
        // Counted elsewhere, or in many files: the number of the row is unknown.
        None if seen.row == 0 => String::new(),
        None => format!(", row {}", seen.row),
    }
}

/// Reads a source (already narrowed to these columns, in this order) to its end. `progress` hears the rows so far and may stop it.
pub fn scan(
    source: Source,
    path: PathBuf,
    columns: &mut [CodedColumn],
    mut on_row: impl FnMut(&[u32]) + Send,
    progress: impl FnMut(u64) -> bool,
) -> Result<u64, ScanError> {
    let on_row = |codes: &[u32]| {
        on_row(codes);
        Ok(())
    };
    try_scan(source, path, columns, on_row, progress)
}

/// The same for a visitor that may fail at a row.
pub fn try_scan(
    source: Source,
    path: PathBuf,
    columns: &mut [CodedColumn],
    mut on_row: impl FnMut(&[u32]) -> Result<(), SpillError> + Send,
    progress: impl FnMut(u64) -> bool,
) -> Result<u64, ScanError> {
    let mut tuple = vec![0u32; columns.len()];
    let on_rows = |codes: &[Vec<u32>], rows: usize| {
        (0..rows).try_for_each(|row| {
            tuple.iter_mut().zip(codes).for_each(|(code, column)| *code = column[row]);
            on_row(&tuple)
        })
    };
    scan_columns(source, path, columns, on_rows, progress)
}

/// Like [`try_scan`], but hands over the codes of many rows at a time, column by column, with their number. Coding the next rows overlaps with
/// the caller's work.
pub fn scan_columns(
    source: Source,
    path: PathBuf,
    columns: &mut [CodedColumn],
    on_rows: impl FnMut(&[Vec<u32>], usize) -> Result<(), SpillError> + Send,
    progress: impl FnMut(u64) -> bool,
) -> Result<u64, ScanError> {
    scan_with(source, path, columns, |_| Ok(()), on_rows, progress)
}

/// Like [`scan_columns`]; `beside` sees each batch with all its columns, those after the coded ones included, before its codes are
/// handed over.
pub fn scan_with(
    source: Source,
    path: PathBuf,
    columns: &mut [CodedColumn],
    beside: impl FnMut(&Batch) -> Result<(), ScanError> + Send,
    mut on_rows: impl FnMut(&[Vec<u32>], usize) -> Result<(), SpillError> + Send,
    progress: impl FnMut(u64) -> bool,
) -> Result<u64, ScanError> {
    let on_lines = |lines: CodedLines<'_>| on_rows(lines.codes, lines.len);
    scan_lines(source, path, columns, beside, on_lines, progress)
}

/// Codes of many lines at a time, column by column. A line is a row, unless equal rows were counted elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct CodedLines<'a> {
    /// By column.
    pub codes: &'a [Vec<u32>],
    /// How many lines.
    pub len: usize,
    /// How many rows each line stands for; `None`: one.
    pub counts: Option<&'a [u64]>,
}

/// Like [`scan_columns`] for a source that may deliver equal rows together ([`Source::select_grouped`]).
pub fn scan_grouped(
    source: Source,
    path: PathBuf,
    columns: &mut [CodedColumn],
    on_lines: impl FnMut(CodedLines<'_>) -> Result<(), SpillError> + Send,
    progress: impl FnMut(u64) -> bool,
) -> Result<u64, ScanError> {
    scan_lines(source, path, columns, |_| Ok(()), on_lines, progress)
}

/// Like [`scan_grouped`]; `beside` sees each batch with all its columns.
pub fn scan_lines(
    source: Source,
    path: PathBuf,
    columns: &mut [CodedColumn],
    mut beside: impl FnMut(&Batch) -> Result<(), ScanError> + Send,
    mut on_lines: impl FnMut(CodedLines<'_>) -> Result<(), SpillError> + Send,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<u64, ScanError> {
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
    let mut coded = codes.clone();
    let (mut rows, mut waiting) = (0u64, 0);
    let mut counts: Option<Vec<u64>> = None;
    let mut ahead = ReadAhead::start(source);
    let mut batch = Batch::default();
    loop {
        let more = ahead.next_batch(&mut batch)?;
        let (taken, failed) = rayon::join(
            || on_lines(CodedLines { codes: &coded, len: waiting, counts: counts.as_deref() }),
            || match more {
                true => code_columns(columns, &mut codes, &batch, &path).or_else(|| beside(&batch).err()),
                false => None,
            },
        );
        taken?;
        if let Some(error) = failed {
            return Err(error);
        }
        if !more {
            return Ok(rows);
        }
        std::mem::swap(&mut coded, &mut codes);
        waiting = batch.rows;
        counts = batch.counts().map(<[u64]>::to_vec);
        rows += counts.as_ref().map_or(batch.rows as u64, |counts| counts.iter().sum());
        if !progress(rows) {
            return Err(ScanError::Stopped);
        }
    }
}

/// Codes all columns of a batch; the failure of the first column that has one.
fn code_columns(
    columns: &mut [CodedColumn],
    codes: &mut [Vec<u32>],
    batch: &Batch,
    path: &std::path::Path,
) -> Option<ScanError> {
    let both = columns.par_iter_mut().zip(codes).enumerate();
    both.map(|(position, (column, codes))| code_column(column, codes, batch, position, path).err())
        .find_first(Option::is_some)
        .flatten()
}

/// Codes one column of a batch. A cell is checked against the column's type when it is seen for the first time.
pub(super) fn code_column(
    column: &mut CodedColumn,
    codes: &mut Vec<u32>,
    batch: &Batch,
    position: usize,
    path: &std::path::Path,
) -> Result<(), ScanError> {
    codes.clear();
    for (row, cell) in batch.columns[position].iter().enumerate() {
        let known = column.dictionary.len();
        let value_type = column.value_type;
        let code = match (value_type, &column.treatment) {
            (typed, Some(treatment)) => {
                column.dictionary.intern_value(cell, |text| treatment.apply(typed.canonical(text)))
            }
            (ValueType::String, None) => column.dictionary.intern(cell),
            (typed, None) => column.dictionary.intern_value(cell, |text| typed.canonical(text)),
        };
        if code as usize == known {
            let number = if batch.counts().is_some() { 0 } else { batch.first_row + row as u64 };
            let mut seen = Seen { line: batch.line(row), row: number, in_population: false };
            if cell.is_some_and(|cell| !column.value_type.accepts(cell)) {
                let mut path = path;
                if let Some((file, first_row)) = batch.file() {
                    (path, seen.row) = (file, first_row + row as u64);
                }
                return Err(ScanError::WrongType {
                    path: path.to_owned(),
                    column: column.name.clone(),
                    expected: column.value_type.name(),
                    seen,
                });
            }
            if batch.file().is_some() {
                // A line or row of one file among many.
                seen = Seen { line: None, row: 0, in_population: false };
            }
            if code == u32::MAX {
                return Err(ScanError::TooManyValues { path: path.to_owned(), column: column.name.clone() });
            }
            column.first_seen.push(seen);
        }
        codes.push(code);
    }
    Ok(())
}
