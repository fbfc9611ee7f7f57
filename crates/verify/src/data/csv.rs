//! Released rows in a CSV file (RFC 4180, with the delimiter of the manifest).

use std::borrow::Cow;
use std::fs::File;
use std::sync::Arc;

use csv::{ByteRecord, ReaderBuilder};

use super::{Column, Interner};
use crate::VerifyError;
use crate::json::MAX_COLUMNS;
use crate::manifest::Dialect;
use crate::spelling::from_windows;

/// Rows are counted in 32 bits.
pub(super) const MOST_ROWS: usize = u32::MAX as usize - 1;

pub(super) fn read(file: File, name: &str, dialect: &Dialect) -> Result<Vec<Column>, VerifyError> {
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => VerifyError::Io { file: name.to_owned(), source },
        _ => VerifyError::Garbled { file: name.to_owned(), format: "CSV", problem: "malformed record" },
    };
    let mut reader = ReaderBuilder::new()
        .delimiter(dialect.delimiter)
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(1 << 20)
        .from_reader(file);
    let mut record = ByteRecord::new();
    if !reader.read_byte_record(&mut record).map_err(failed)? {
        return Err(VerifyError::NoHeader { file: name.to_owned() });
    }
    if record.len() > MAX_COLUMNS {
        return Err(VerifyError::TooLarge { file: name.to_owned() });
    }
    let names = header(&plain_bytes(&record, dialect, true), name, dialect)?;
    let mut columns: Vec<Interner> = names.iter().map(|_| Interner::default()).collect();
    let mut row = 0;
    let mut before = ByteRecord::new();
    let mut repeats: Vec<u32> = Vec::new();
    while reader.read_byte_record(&mut record).map_err(failed)? {
        row += 1;
        // Sorted rows are often equal to the one before.
        if let Some(rows) = repeats.last_mut().filter(|rows| **rows < u32::MAX && record == before) {
            *rows += 1;
            continue;
        }
        if record.len() != names.len() {
            let (found, expected) = (record.len() as u64, names.len() as u64);
            return Err(VerifyError::RaggedRow { file: name.to_owned(), row, found, expected });
        }
        if row > MOST_ROWS as u64 {
            return Err(VerifyError::TooLarge { file: name.to_owned() });
        }
        if dialect.windows {
            for (column, cell) in columns.iter_mut().zip(&plain_bytes(&record, dialect, false)) {
                column.push(cell);
            }
        } else {
            for (column, cell) in columns.iter_mut().zip(&record) {
                column.push(cell);
            }
        }
        repeats.push(1);
        std::mem::swap(&mut record, &mut before);
    }
    if row > MOST_ROWS as u64 {
        return Err(VerifyError::TooLarge { file: name.to_owned() });
    }
    let repeats: Arc<[u32]> = repeats.into();
    let finished = columns.into_iter().zip(names).enumerate();
    finished
        .map(|(index, (column, header))| finish(column, header, name, index + 1, (dialect, &repeats)))
        .collect()
}

/// The record as UTF-8, without the byte order mark that may come first.
fn plain_bytes(record: &ByteRecord, dialect: &Dialect, first: bool) -> ByteRecord {
    let mut plain = ByteRecord::new();
    let mut text = Vec::new();
    for (index, cell) in record.iter().enumerate() {
        let marked = first && index == 0 && dialect.bom;
        let cell = if marked { cell.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(cell) } else { cell };
        text.clear();
        match dialect.windows {
            true => from_windows(cell, &mut text),
            false => text.extend_from_slice(cell),
        }
        plain.push_field(&text);
    }
    plain
}

fn header(record: &ByteRecord, file: &str, dialect: &Dialect) -> Result<Vec<String>, VerifyError> {
    let read = |(index, bytes): (usize, &[u8])| match std::str::from_utf8(bytes) {
        Ok(text) => Ok(meaning(text, dialect).to_owned()),
        Err(_) => Err(VerifyError::NotUtf8 { file: file.to_owned(), row: 0, column: index + 1 }),
    };
    record.iter().enumerate().map(read).collect()
}

fn finish(
    interner: Interner,
    name: String,
    file: &str,
    position: usize,
    (dialect, repeats): (&Dialect, &Arc<[u32]>),
) -> Result<Column, VerifyError> {
    let formulas = if dialect.spreadsheet_safe {
        interner.places(repeats, |bytes| bytes != dialect.null.as_bytes() && starts_formula(bytes))
    } else {
        None
    };
    let spelling = dialect.spelling(&name);
    let mut column = interner.finish_with(name.clone(), file, position, repeats, |text| {
        if text == dialect.null {
            return None;
        }
        let text = meaning(text, dialect);
        let plain = spelling.and_then(|spelling| spelling.plain(text));
        Some(plain.map_or(Cow::Borrowed(text), Cow::Owned))
    })?;
    column.formulas = formulas;
    Ok(column)
}

/// The text a cell stands for: without the quote that keeps spreadsheets from reading a formula.
fn meaning<'a>(text: &'a str, dialect: &Dialect) -> &'a str {
    match text.strip_prefix('\'') {
        Some(rest)
            if dialect.spreadsheet_safe && (starts_formula(rest.as_bytes()) || rest.starts_with('\'')) =>
        {
            rest
        }
        _ => text,
    }
}

fn starts_formula(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    #[test]
    fn equal_rows_that_follow_each_other_are_one_stretch() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"a,b\nx,1\nx,1\ny,1\nx,1\n\"x\",1\n").unwrap();
        file.rewind().unwrap();
        let dialect = Dialect {
            delimiter: b',',
            null: String::new(),
            spreadsheet_safe: false,
            windows: false,
            bom: false,
            spellings: Vec::new(),
        };
        let columns = read(file, "data.csv", &dialect).unwrap();
        assert_eq!(*columns[0].repeats, [2, 1, 2]);
        assert_eq!((columns[0].codes.len(), columns[0].rows_before(2)), (3, 3));
        let place = columns[0].places(|cell| cell == Some("y")).unwrap();
        assert_eq!((place.cells, place.first_row), (1, 2));
        assert_eq!(columns[1].places(|cell| cell == Some("1")).unwrap().cells, 5);
    }
}
