//! Rows as delimited text: the mark, the characters and the spellings that the manifest says, a line feed after every row, quotes
//! only where they are needed.

use std::io::Write;

use super::comparing::Comparing;
use crate::data::Column;
use crate::manifest::Dialect;
use crate::spelling::to_windows;

pub(super) fn differs(mut out: Comparing<'_>, dialect: &Dialect, columns: &[Column]) -> bool {
    let alone = columns.len() == 1;
    let mut header = Vec::new();
    if dialect.bom {
        header.extend_from_slice(b"\xEF\xBB\xBF");
    }
    for (index, column) in columns.iter().enumerate() {
        if !encoded(Some(&column.name), dialect, alone, &mut header) {
            return true;
        }
        header.push(ending(dialect, index, columns.len()));
    }
    // Each distinct cell is written once.
    let rendered: Vec<Vec<Vec<u8>>> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let spelling = dialect.spelling(&column.name);
            let cells = (0..column.codes_in_use() as u32).map(|code| {
                let mut bytes = Vec::new();
                let text = column.text(code);
                let shown = text.and_then(|text| spelling?.shown(text));
                // A character that cannot be written is missed in the comparison.
                encoded(shown.as_deref().or(text), dialect, alone, &mut bytes);
                bytes.push(ending(dialect, index, columns.len()));
                bytes
            });
            cells.collect()
        })
        .collect();
    let Some(first) = columns.first() else { return true };
    let mut row = Vec::new();
    let mut written = out.write_all(&header);
    for (stretch, &rows) in first.repeats.iter().enumerate() {
        row.clear();
        for (column, cells) in columns.iter().zip(&rendered) {
            row.extend_from_slice(&cells[column.codes.at(stretch) as usize]);
        }
        for _ in 0..rows {
            written = written.and_then(|()| out.write_all(&row));
        }
    }
    written.is_err() || out.finish()
}

/// What stands behind a cell.
fn ending(dialect: &Dialect, index: usize, columns: usize) -> u8 {
    if index + 1 == columns { b'\n' } else { dialect.delimiter }
}

/// Appends a cell in the encoding of the file; `false` if it has none there.
fn encoded(text: Option<&str>, dialect: &Dialect, alone: bool, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    cell(text, dialect, alone, out);
    if !dialect.windows || out[start..].is_ascii() {
        return true;
    }
    let utf8 = String::from_utf8(out.split_off(start)).ok();
    match utf8.and_then(|text| to_windows(&text)) {
        Some(bytes) => {
            out.extend_from_slice(&bytes);
            true
        }
        None => false,
    }
}

fn cell(cell: Option<&str>, dialect: &Dialect, alone: bool, out: &mut Vec<u8>) {
    let text = cell.unwrap_or(&dialect.null);
    let guarded = cell.is_some()
        && dialect.spreadsheet_safe
        && text.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']);
    let special = |byte: u8| byte == dialect.delimiter || byte == b'"' || byte == b'\r' || byte == b'\n';
    let quoted = text.bytes().any(special)
        // An empty line would be no row.
        || (alone && text.is_empty())
        // Told apart from a missing value.
        || cell == Some(dialect.null.as_str())
        // Told apart from a byte order mark.
        || text.starts_with('\u{FEFF}')
        || (guarded && dialect.delimiter == b'\'');
    let mark: &[u8] = if quoted { b"\"" } else { b"" };
    out.extend_from_slice(mark);
    if guarded {
        out.push(b'\'');
    }
    for byte in text.bytes() {
        out.push(byte);
        if byte == b'"' {
            out.push(byte);
        }
    }
    out.extend_from_slice(mark);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: Option<&str>, dialect: &Dialect, alone: bool) -> String {
        let mut out = Vec::new();
        cell(text, dialect, alone, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_are_quoted_only_where_they_must_be() {
        let plain = Dialect {
            delimiter: b';',
            null: "NA".into(),
            spreadsheet_safe: false,
            windows: false,
            bom: false,
            spellings: Vec::new(),
        };
        for (text, alone, expected) in [
            (Some("a,b"), false, "a,b"),
            (Some("a;b"), false, "\"a;b\""),
            (Some("say \"a\""), false, "\"say \"\"a\"\"\""),
            (Some(""), false, ""),
            (Some(""), true, "\"\""),
            (Some("NA"), false, "\"NA\""),
            (None, false, "NA"),
        ] {
            assert_eq!(written(text, &plain, alone), expected);
        }
        let safe = Dialect { spreadsheet_safe: true, ..plain };
        assert_eq!(written(Some("=1"), &safe, false), "'=1");
        assert_eq!(written(Some("\rx"), &safe, false), "\"'\rx\"");
        assert_eq!(written(None, &safe, false), "NA");
    }
}
