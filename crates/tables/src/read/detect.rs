//! Finding out how a table is stored, from its first bytes.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use csv_core::{ReadRecordResult, ReaderBuilder};

use super::formats::looks_like;
use super::input::{Raw, io_error};
use super::{Cells, Encoding, Format, ReadError, ReadOptions};

/// Bytes looked at. Where all of them are ASCII, the encoding is that of the first character further down that is not.
const SAMPLE_BYTES: u64 = 1 << 20;
/// Records looked at to find the delimiter.
const SAMPLE_RECORDS: usize = 200;
/// What may separate cells; where two fit equally well, the first.
pub(super) const DELIMITERS: [u8; 4] = *b",;\t|";

/// The beginning of a file.
#[derive(Debug)]
pub(super) struct Sample {
    pub bytes: Vec<u8>,
    /// Whether this is the whole file.
    pub whole: bool,
    /// Whether all of it is ASCII, and the first character behind it that is not is no UTF-8.
    latin_further_down: bool,
}

impl Sample {
    pub(super) fn take(raw: &mut Raw, path: &Path) -> Result<Self, ReadError> {
        let mut bytes = Vec::new();
        raw.take(SAMPLE_BYTES).read_to_end(&mut bytes).map_err(io_error(path))?;
        if bytes.is_empty() {
            return Err(ReadError::Empty { path: path.to_owned() });
        }
        let whole = (bytes.len() as u64) < SAMPLE_BYTES;
        let latin_further_down =
            !whole && bytes.is_ascii() && begins_with_latin(raw).map_err(io_error(path))?;
        raw.seek(SeekFrom::Start(bytes.len() as u64)).map_err(io_error(path))?;
        Ok(Self { whole, bytes, latin_further_down })
    }

    /// The byte order mark and its length.
    pub(super) fn byte_order_mark(&self) -> Option<(Encoding, usize)> {
        match self.bytes.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => Some((Encoding::Utf8, 3)),
            [0xFF, 0xFE, ..] => Some((Encoding::Utf16Le, 2)),
            [0xFE, 0xFF, ..] => Some((Encoding::Utf16Be, 2)),
            _ => None,
        }
    }

    /// UTF-8 if the bytes are; a character cut off by the end of the sample does not count against it.
    pub(super) fn encoding(&self) -> Encoding {
        match std::str::from_utf8(&self.bytes) {
            Ok(_) if self.latin_further_down => Encoding::Latin1,
            Ok(_) => Encoding::Utf8,
            Err(error) if error.error_len().is_none() && !self.whole => Encoding::Utf8,
            // Text with both is neither; read as UTF-8, the first bad byte is named.
            Err(_) if has_utf8_characters(&self.bytes) => Encoding::Utf8,
            Err(_) => Encoding::Latin1,
        }
    }
}

/// Whether the first character of the rest that is not ASCII is no UTF-8, either.
fn begins_with_latin(rest: &mut impl Read) -> io::Result<bool> {
    /// No character of UTF-8 is longer.
    const LONGEST: usize = 4;
    let mut chunk = vec![0; 1 << 16];
    loop {
        let read = match rest.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(false);
        }
        // The whole chunk at once is quicker than byte by byte.
        if chunk[..read].is_ascii() {
            continue;
        }
        let at = chunk[..read].iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        let mut character = chunk[at..read.min(at + LONGEST)].to_vec();
        let missing = (LONGEST - character.len()) as u64;
        rest.take(missing).read_to_end(&mut character)?;
        let valid = character.utf8_chunks().next().is_some_and(|chunk| !chunk.valid().is_empty());
        return Ok(!valid);
    }
}

/// Whether some characters beyond ASCII are proper UTF-8: in Latin-1 text that hardly happens by chance.
fn has_utf8_characters(bytes: &[u8]) -> bool {
    bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

/// What the options say, else what the bytes look like. Archives and workbooks are refused by name.
pub(super) fn format(sample: &Sample, options: &ReadOptions) -> Result<Format, ReadError> {
    let path = options.shown_path();
    let bytes = sample.bytes.as_slice();
    let what = match bytes {
        [b'$', b'F', b'L', b'2' | b'3', ..] => {
            let advice = "save it as CSV in SPSS, or with ReadStat: readstat data.sav data.csv";
            return Err(ReadError::ForeignData { path, what: "a data set of SPSS", advice });
        }
        _ if bytes.get(12..16) == Some(&[0xC2, 0xEA, 0x81, 0x60]) => {
            let advice =
                "write it as CSV in SAS (proc export), or with ReadStat: readstat data.sas7bdat data.csv";
            return Err(ReadError::ForeignData { path, what: "a data set of SAS", advice });
        }
        _ if bytes.starts_with(b"SQLite format 3\0") => {
            let advice = "export the table: sqlite3 -header -csv data.sqlite \"select * from patients\" > patients.csv";
            return Err(ReadError::ForeignData { path, what: "a database of SQLite", advice });
        }
        _ if begins_with_tag(bytes, &["<!doctype html", "<html", "<table", "<body"]) => {
            let advice = "open it in a spreadsheet and save it as CSV or .xlsx";
            return Err(ReadError::ForeignData { path, what: "a web page, whatever its name says", advice });
        }
        _ if begins_with_tag(bytes, &["<?xml"]) => "an XML document",
        _ if bytes.starts_with(b"%PDF-") => "a PDF document",
        _ if bytes.starts_with(b"{\\rtf") => "a text document (RTF)",
        [0x1F, 0x8B, ..] => "a gzip archive",
        [b'P', b'K', 3, 4, ..] if options.format().map(Format::cells) != Some(Cells::Sheet) => {
            "a ZIP archive, or a workbook under another name than .xlsx or .ods"
        }
        [0xD0, 0xCF, 0x11, 0xE0, ..] => "an old spreadsheet workbook",
        [0x28, 0xB5, 0x2F, 0xFD, ..] => "a Zstandard archive",
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => "a bzip2 archive",
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => "an xz archive",
        _ => return Ok(options.format().unwrap_or_else(|| looks_like(bytes))),
    };
    Err(ReadError::NotATable { path, what })
}

/// Whether a document begins with one of these, in small letters or capital ones, blanks and a byte order mark aside.
fn begins_with_tag(bytes: &[u8], tags: &[&str]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    tags.iter()
        .any(|tag| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes())))
}

/// Finds the delimiter of some text (UTF-8, or at least ASCII where it matters), quotes respected.
///
/// Among comma, semicolon, tab and bar the one that splits all lines into equally many cells, and into most; if none does, the
/// one that splits most lines like the first. Text of one column has no delimiter; the answer then is a comma.
pub fn detect_delimiter(text: &[u8], quote: u8) -> u8 {
    let mut best = (b',', Fit::default());
    for delimiter in DELIMITERS.into_iter().filter(|&delimiter| delimiter != quote) {
        let fit = Fit::of(text, delimiter, quote);
        if fit.cells > 1 && fit.better_than(&best.1) {
            best = (delimiter, fit);
        }
    }
    best.0
}

/// How well a delimiter fits.
#[derive(Default)]
struct Fit {
    /// Cells of the first record.
    cells: usize,
    /// Records with as many cells as the first.
    alike: usize,
    records: usize,
}

impl Fit {
    fn of(text: &[u8], delimiter: u8, quote: u8) -> Self {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).quote(quote).build();
        let mut fit = Self::default();
        let (mut rest, mut cells) = (text, 0);
        let (mut output, mut ends) = ([0; 4096], [0; 64]);
        while fit.records < SAMPLE_RECORDS {
            let (result, read, _, ended) = reader.read_record(rest, &mut output, &mut ends);
            cells += ended;
            rest = &rest[read..];
            match result {
                ReadRecordResult::Record => {
                    // The last record of the sample may be cut off. It counts only if it is all there is.
                    if rest.is_empty() && fit.records > 0 && !text.ends_with(b"\n") && !text.ends_with(b"\r")
                    {
                        break;
                    }
                    if fit.records == 0 {
                        fit.cells = cells;
                    }
                    fit.alike += usize::from(cells == fit.cells);
                    fit.records += 1;
                    cells = 0;
                }
                ReadRecordResult::End => break,
                ReadRecordResult::InputEmpty => rest = &[],
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
            }
        }
        fit
    }

    fn better_than(&self, other: &Self) -> bool {
        // Shares of records compared without rounding.
        let (ours, theirs) = (self.alike * other.records, other.alike * self.records);
        other.cells <= 1 || ours > theirs || (ours == theirs && self.cells > other.cells)
    }
}

/// Reads the sample, then the rest.
pub(super) fn replayed(sample: Sample, skip: usize, raw: Raw) -> impl Read + Send {
    let mut cursor = io::Cursor::new(sample.bytes);
    cursor.set_position(skip as u64);
    cursor.chain(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_found() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n", b';'),
            ("a\tb\n\"x,y,z\"\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("\"a;b\",c\n\"1;2\",3\n", b','),
            ("name\nann\nbob\n", b','),
            ("name\n\"a;b\"\n", b','),
            ("a;b;c\n1;2;3\n1;2\n4;5;6\n", b';'),
            ("a;b\n\"x\ny,z\";1\n", b';'),
            ("", b','),
            ("a;b", b';'),
        ] {
            assert_eq!(detect_delimiter(text.as_bytes(), b'"') as char, expected as char, "{text:?}");
        }
    }

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        for (bytes, expected) in [
            (&b"PAR1...."[..], Format::Parquet),
            (b"ARROW1\0\0", Format::Arrow),
            (b"\xFF\xFF\xFF\xFF\x10", Format::Arrow),
            (b" {\"a\": 1}", Format::Json),
            (b"[\n {", Format::Json),
            (b"[a],b", Format::Csv),
            (b"a;b", Format::Csv),
        ] {
            assert_eq!(looks_like(bytes), expected);
        }
    }
}
