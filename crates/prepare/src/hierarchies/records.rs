//! Delimited text in memory, record by record; records may differ in length.
//!
//! The table reader stops at the first row that has too few cells; a hierarchy is to be mended in one go, so
//! here all records are delivered as they are.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// The quote of hierarchy files.
const QUOTE: u8 = b'"';

/// Walks over text, quotes respected. Blank lines are no records. No iterator: a record is lent until the next.
pub(super) struct Records<'t> {
    text: &'t str,
    position: usize,
    /// Physical line of `position`, from 1.
    line: usize,
    parser: Reader,
    cells: Vec<u8>,
    ends: Vec<usize>,
}

/// One record.
pub(super) struct Record<'r> {
    /// Physical line on which it starts; line ends inside quotes count.
    pub line: usize,
    /// Whether a quote was still open at the end of the text.
    pub open_quote: bool,
    cells: &'r [u8],
    /// At least one.
    ends: &'r [usize],
}

impl<'r> Record<'r> {
    /// At least one.
    pub(super) fn cells(
        &self,
    ) -> impl DoubleEndedIterator<Item = Cow<'r, str>> + ExactSizeIterator + use<'r> {
        let Record { cells, ends, .. } = *self;
        (0..ends.len()).map(move |cell| {
            let start = if cell == 0 { 0 } else { ends[cell - 1] };
            // Cells are cut at ASCII characters of text, so they are text.
            String::from_utf8_lossy(&cells[start..ends[cell]])
        })
    }
}

impl<'t> Records<'t> {
    pub(super) fn new(text: &'t str, delimiter: u8) -> Self {
        Self {
            text,
            position: 0,
            line: 1,
            parser: ReaderBuilder::new().delimiter(delimiter).quote(QUOTE).build(),
            cells: vec![0; 256],
            ends: vec![0; 16],
        }
    }

    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.position..]
    }

    /// Goes forward and counts the lines passed, whether they end with LF, CRLF or CR.
    fn pass(&mut self, bytes: usize) {
        let text = self.text.as_bytes();
        for at in self.position..self.position + bytes {
            let ends_line = text[at] == b'\n' || (text[at] == b'\r' && text.get(at + 1) != Some(&b'\n'));
            self.line += usize::from(ends_line);
        }
        self.position += bytes;
    }

    fn skip_blank_lines(&mut self) {
        let blank = self.rest().iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        self.pass(blank);
    }

    /// The next record, if there is one.
    pub(super) fn next(&mut self) -> Option<Record<'_>> {
        self.skip_blank_lines();
        if self.rest().is_empty() {
            return None;
        }
        let line = self.line;
        let (mut length, mut count, mut ended) = (0, 0, false);
        loop {
            // The last line may lack its end; a second end would be needed only by an open quote.
            let input = match self.rest() {
                [] if !ended => &b"\n"[..],
                rest => rest,
            };
            let borrowed = self.rest().is_empty() && !ended;
            let (result, read, written, cells) =
                self.parser.read_record(input, &mut self.cells[length..], &mut self.ends[count..]);
            if borrowed {
                ended |= read > 0;
            } else {
                self.pass(read);
            }
            length += written;
            count += cells;
            match result {
                ReadRecordResult::End => return None,
                ReadRecordResult::Record => {
                    let open_quote = input.is_empty();
                    return Some(Record { line, open_quote, cells: &self.cells, ends: &self.ends[..count] });
                }
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(2 * self.cells.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let (mut records, mut shown) = (Records::new(text, b';'), Vec::new());
        while let Some(record) = records.next() {
            let open = if record.open_quote { "!" } else { "" };
            let cells: Vec<_> = record.cells().collect();
            shown.push(format!("{}:{}{open}", record.line, cells.join("|")));
        }
        shown
    }

    #[test]
    fn lines_are_physical_lines() {
        assert_eq!(shown("a;b\n\n\"c\nd\";e\nf"), ["1:a|b", "3:c\nd|e", "5:f"]);
        assert_eq!(shown("a;b\r\nc;d\r\n\r\ne;f"), ["1:a|b", "2:c|d", "4:e|f"]);
        assert_eq!(shown("a\rb\r\rc"), ["1:a", "2:b", "4:c"]);
        assert_eq!(shown("\n\n"), Vec::<String>::new());
        assert_eq!(shown(""), Vec::<String>::new());
    }

    #[test]
    fn records_may_differ_in_length() {
        assert_eq!(shown("a;b;c\nd\n;\n\"\"\n"), ["1:a|b|c", "2:d", "3:|", "4:"]);
        let wide = vec!["x"; 300].join(";");
        assert_eq!(Records::new(&wide, b';').next().unwrap().cells().len(), 300);
        let long = "ä".repeat(5000);
        assert_eq!(Records::new(&long, b';').next().unwrap().cells().collect::<String>(), long);
    }

    #[test]
    fn quotes_hide_delimiters_and_must_be_closed() {
        assert_eq!(shown("\"a;\"\"b\"\"\";c"), ["1:a;\"b\"|c"]);
        assert_eq!(shown("a;b\nc;\"d\ne;f\n"), ["1:a|b", "2:c|d\ne;f\n\n!"]);
        assert_eq!(shown("\"a"), ["1:a\n!"]);
        assert_eq!(shown("\"a\""), ["1:a"]);
    }
}
