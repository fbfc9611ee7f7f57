//! Delimited text.

use std::borrow::Cow;
use std::io::Write;

use super::table::{CsvStyle, Failure, Out, ReleasedColumn, TextEncoding};

/// Bytes gathered before they go to the file.
const BUFFER: usize = 1 << 20;

/// A table of delimited text in the making.
pub(super) struct CsvTable<'a> {
    out: Out<'a>,
    columns: Vec<Rendered>,
    buffer: Vec<u8>,
}

/// A column's cells as they stand in the file, the delimiter or line end behind each included.
struct Rendered {
    bytes: Vec<u8>,
    /// Cell i is `bytes[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
}

impl<'a> CsvTable<'a> {
    pub(super) fn new(out: Out<'a>, style: &CsvStyle, columns: &[ReleasedColumn]) -> Result<Self, Failure> {
        let alone = columns.len() == 1;
        let last = columns.len() - 1;
        let behind = |column: usize| if column == last { b'\n' } else { style.delimiter };
        let mut buffer = Vec::with_capacity(BUFFER + (64 << 10));
        if style.byte_order_mark && style.encoding == TextEncoding::Utf8 {
            buffer.extend_from_slice("\u{FEFF}".as_bytes());
        }
        for (i, column) in columns.iter().enumerate() {
            style.render_encoded(Some(&column.name), alone, column, &mut buffer)?;
            buffer.push(behind(i));
        }
        let mut all = Vec::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            let spelling = style.spellings.iter().find(|(name, _)| *name == column.name);
            let mut rendered = Rendered { bytes: Vec::new(), starts: vec![0] };
            for cell in &column.cells {
                let spelled = match (cell.as_deref(), spelling) {
                    (Some(cell), Some((_, spelling))) => {
                        if !spelling.keeps(cell) {
                            return Err(Failure::Ambiguous(column.name.clone()));
                        }
                        Some(spelling.write(cell))
                    }
                    (cell, _) => cell.map(Cow::Borrowed),
                };
                style.render_encoded(spelled.as_deref(), alone, column, &mut rendered.bytes)?;
                rendered.bytes.push(behind(i));
                rendered.starts.push(rendered.bytes.len());
            }
            all.push(rendered);
        }
        Ok(Self { out, columns: all, buffer })
    }

    pub(super) fn push(&mut self, codes: &[u32], count: u64) -> Result<(), Failure> {
        assert_eq!(codes.len(), self.columns.len(), "a code for each column");
        let mut last = 0..0;
        for repetition in 0..count {
            // Behind the first row its copies are at hand, until the buffer has gone to the file.
            if repetition > 0 && last.end == self.buffer.len() && !last.is_empty() {
                self.buffer.extend_from_within(last.clone());
                last = last.end..self.buffer.len();
            } else {
                let start = self.buffer.len();
                for (column, &code) in self.columns.iter().zip(codes) {
                    let code = code as usize;
                    self.buffer
                        .extend_from_slice(&column.bytes[column.starts[code]..column.starts[code + 1]]);
                }
                last = start..self.buffer.len();
            }
            if self.buffer.len() >= BUFFER {
                self.out.write_all(&self.buffer)?;
                self.buffer.clear();
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<String, Failure> {
        self.out.write_all(&self.buffer)?;
        Ok(self.out.finish()?)
    }
}

impl CsvStyle {
    /// Appends a cell in the encoding of the file.
    fn render_encoded(
        &self,
        cell: Option<&str>,
        alone: bool,
        column: &ReleasedColumn,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let start = out.len();
        self.render(cell, alone, out);
        if self.encoding == TextEncoding::Utf8 || out[start..].is_ascii() {
            return Ok(());
        }
        let unencodable = || Failure::Unencodable(column.name.clone());
        let text = String::from_utf8(out.split_off(start)).map_err(|_| unencodable())?;
        let (bytes, _, replaced) = encoding_rs::WINDOWS_1252.encode(&text);
        if replaced {
            return Err(unencodable());
        }
        out.extend_from_slice(&bytes);
        Ok(())
    }

    /// Appends a cell, quoted where it must be.
    ///
    /// `alone`: it is its row's only cell. An empty line is no row, so an empty cell that is alone is written as `""`.
    fn render(&self, cell: Option<&str>, alone: bool, out: &mut Vec<u8>) {
        let text = cell.unwrap_or(&self.null);
        let formula = self.spreadsheet_safe
            && cell.is_some()
            && text.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']);
        let quoted = text.bytes().any(|byte| byte == self.delimiter || matches!(byte, b'"' | b'\r' | b'\n'))
            || (text.is_empty() && alone)
            || cell.is_some_and(|cell| cell == self.null)
            // At the start of the file it would be taken for a byte order mark.
            || text.starts_with('\u{FEFF}')
            || (formula && self.delimiter == b'\'');
        if !quoted && !formula {
            out.extend_from_slice(text.as_bytes());
            return;
        }
        if quoted {
            out.push(b'"');
        }
        if formula {
            out.push(b'\'');
        }
        for byte in text.bytes() {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        if quoted {
            out.push(b'"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(style: &CsvStyle, cell: Option<&str>) -> String {
        let mut out = Vec::new();
        style.render(cell, false, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn quotes_only_where_needed() {
        let style = CsvStyle { delimiter: b';', null: "NA".into(), ..CsvStyle::default() };
        for (cell, expected) in [
            (Some("a,b"), "a,b"),
            (Some("a;b"), "\"a;b\""),
            (Some("say \"a\""), "\"say \"\"a\"\"\""),
            (Some("a\nb"), "\"a\nb\""),
            (Some(" a "), " a "),
            (Some(""), ""),
            (Some("NA"), "\"NA\""),
            (None, "NA"),
        ] {
            assert_eq!(rendered(&style, cell), expected);
        }
    }

    #[test]
    fn formulas_are_disarmed_on_request() {
        let style = CsvStyle { spreadsheet_safe: true, ..CsvStyle::default() };
        for cell in ["=1+1", "+1", "-1", "@x"] {
            assert_eq!(rendered(&style, Some(cell)), format!("'{cell}"));
            assert_eq!(rendered(&CsvStyle::default(), Some(cell)), cell);
        }
        assert_eq!(rendered(&style, Some("\tx")), "'\tx");
        assert_eq!(rendered(&style, Some("\rx")), "\"'\rx\"");
        assert_eq!(rendered(&style, Some("=a,b")), "\"'=a,b\"");
        assert_eq!(rendered(&style, Some("1-1")), "1-1");
    }
}
