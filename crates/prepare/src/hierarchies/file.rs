//! Hierarchy files: `value;label on level 1;…;*` on each line, no header.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use paravent_core::hierarchy::{TableHierarchy, TableLines, TableProblem, repair};
use paravent_core::words;

use super::advice::Covered;
use super::delimiter;
use super::records::Records;
use paravent_job::{Problem, Problems};

/// Largest file that is read, in bytes. Hierarchies are written for people; this bounds what a device can do
/// to memory.
const LARGEST: u64 = 1 << 30;
/// How Java's object streams begin.
const JAVA: [u8; 4] = [0xAC, 0xED, 0x00, 0x05];
/// So many problems of one file are told one by one.
pub(super) const TOLD: usize = 20;

/// How a hierarchy file is stored.
#[derive(Clone, Debug)]
pub struct FileOptions {
    /// Byte between two cells; `None`: found out from the file.
    pub delimiter: Option<u8>,
    /// Texts of the missing value, those of the table: a line that starts with one of them is the missing
    /// value's.
    pub null: Vec<String>,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self { delimiter: None, null: vec![String::new()] }
    }
}

/// The lines of a hierarchy file, not checked yet.
#[derive(Clone, Debug)]
pub struct HierarchyLines {
    /// The file.
    pub path: PathBuf,
    /// Byte between two cells.
    pub delimiter: u8,
    /// The text that the missing value's line starts with.
    pub null: String,
    /// The lines that hold something.
    pub rows: Arc<TableLines>,
    /// The physical line, from 1, of each row.
    pub lines: Vec<usize>,
    /// The physical line with a quote that is never closed.
    pub open_quote: Option<usize>,
}

impl HierarchyLines {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not text. What the lines hold is a matter of [`table`](Self::table).
    pub fn read(path: &Path, options: &FileOptions) -> Result<Self, Problems> {
        let bytes =
            read_bytes(path).map_err(|reason| Problem::new(path, format!("cannot be read: {reason}")))?;
        Self::parse(&bytes, path, options)
    }

    /// From the bytes of a file; `path` is its name in messages.
    ///
    /// # Errors
    /// If the bytes are not text.
    pub fn parse(bytes: &[u8], path: &Path, options: &FileOptions) -> Result<Self, Problems> {
        if bytes.starts_with(&JAVA) {
            let advice = "Export the hierarchy itself: in ARX, Edit > Create hierarchy, then File > Export hierarchy, writes CSV";
            let message = "holds serialized Java objects (.ahs: the steps of ARX's hierarchy wizard), which are not read";
            return Err(Problem::new(path, message).advise(advice).into());
        }
        let text = decode(bytes).map_err(|line| {
            let advice = "Export the hierarchy as CSV in the encoding UTF-8";
            Problem::new(path, "is not plain text").at_line(line).advise(advice)
        })?;
        let delimiter = options.delimiter.unwrap_or_else(|| delimiter::detect(&text));
        let most = 1 + text.bytes().filter(|byte| *byte == b'\n').count();
        let mut rows = TableLines::with_capacity(most);
        let (mut lines, mut open_quote) = (Vec::with_capacity(most), None);
        let (mut empty, mut has_missing) = (None, false);
        let mut records = Records::new(&text, delimiter);
        while let Some(record) = records.next() {
            let mut cells = record.cells();
            let value = cells.next().filter(|cell| !options.null.iter().any(|null| null == cell));
            if value.as_deref() == Some("") {
                empty = Some((record.cells().skip(1).map(Cow::into_owned).collect::<Vec<_>>(), record.line));
            }
            has_missing |= value.is_none();
            rows.push(value.as_deref(), cells);
            lines.push(record.line);
            open_quote = open_quote.or(record.open_quote.then_some(record.line));
        }
        // An empty first cell means the missing value, whatever other texts mean it in the table; there it may be a value of its own as well.
        if let Some((labels, line)) = empty.filter(|_| !has_missing) {
            rows.push(None, labels);
            lines.push(line);
        }
        rows.shrink_to_fit();
        let null = null_text(&options.null).to_owned();
        Ok(Self { path: path.to_owned(), delimiter, null, rows: rows.into(), lines, open_quote })
    }

    /// The hierarchy.
    ///
    /// # Errors
    /// All that is wrong with the lines.
    pub fn table(&self) -> Result<TableHierarchy, Problems> {
        self.table_for(Covered::default())
    }

    /// The hierarchy, advice naming the column it is for.
    pub(super) fn table_for(&self, covered: Covered<'_>) -> Result<TableHierarchy, Problems> {
        self.checked(covered).map_err(|problems| abridged(problems, &self.path))
    }

    /// The hierarchy, or all that is wrong with it.
    pub(super) fn checked(&self, covered: Covered<'_>) -> Result<TableHierarchy, Problems> {
        self.checked_for(covered, &[])
    }

    /// The same, advice going by the values that the hierarchy has to cover: a repair that would refuse is none.
    pub(super) fn checked_for(
        &self,
        covered: Covered<'_>,
        values: &[&str],
    ) -> Result<TableHierarchy, Problems> {
        let mut problems = self.beyond_repair();
        if self.rows.iter().all(|row| row.labels().len() == 0) && !self.rows.is_empty() {
            let delimiter = shown(self.delimiter);
            let message = format!("has only one column: no line has a {delimiter}");
            let advice = "Write the value and its labels on each line, such as 34;20-60;*";
            problems.push(Problem::new(&self.path, message).advise(advice));
        }
        match TableHierarchy::sharing(Arc::clone(&self.rows)) {
            Ok(table) => problems.into_result(table),
            Err(error) => {
                let repair = match self.can_be_repaired(values) {
                    true => format!(", or run `{}`", covered.repair(&self.path)),
                    false => String::new(),
                };
                problems.extend(error.problems.iter().map(|problem| self.told(problem, &repair)));
                problems.sort();
                Err(problems)
            }
        }
    }

    /// The lines without empty cells at their ends, and the physical lines that had some.
    pub(super) fn trimmed(&self) -> (Self, Vec<usize>) {
        let (mut trimmed, mut cut) = (self.clone(), Vec::new());
        let mut rows = self.rows.to_rows();
        for (row, line) in rows.iter_mut().zip(&self.lines) {
            let kept = row.labels.iter().rposition(|label| !label.is_empty()).map_or(0, |last| last + 1);
            if kept < row.labels.len() {
                row.labels.truncate(kept);
                cut.push(*line);
            }
        }
        trimmed.rows = Arc::new(rows.iter().collect());
        (trimmed, cut)
    }

    /// Whether `paravent hierarchy repair` would mend the file so that it covers these values.
    pub(super) fn can_be_repaired(&self, values: &[&str]) -> bool {
        let (trimmed, _) = self.trimmed();
        trimmed.beyond_repair().is_empty() && repair(trimmed.rows.to_rows(), values).is_ok()
    }

    /// What only a person can put right.
    pub(super) fn beyond_repair(&self) -> Problems {
        let mut problems = Problems::new();
        if let Some(line) = self.open_quote {
            let advice = "Close it, or write \"\" for a quote that is part of the text";
            problems.push(self.at(line, "opens a quote that is never closed").advise(advice));
        }
        problems.extend(self.empty_labels());
        problems.sort();
        problems
    }

    /// Problems of the rows as problems of the file. A repair left them, so none is advised.
    pub(super) fn left_over(&self, problems: &[TableProblem]) -> Problems {
        let mut told: Problems = Problems(problems.iter().map(|problem| self.told(problem, "")).collect());
        told.sort();
        told
    }

    /// A label that is empty would be read as a missing value in the release.
    fn empty_labels(&self) -> impl Iterator<Item = Problem> + '_ {
        self.rows.iter().zip(&self.lines).filter_map(|(row, line)| {
            let level = row.labels().position(str::is_empty)? + 1;
            let problem = self.at(*line, format!("has an empty label on level {level}"));
            Some(if row.value().is_none() {
                problem.advise("Leave the line out: a missing value stays missing below the top")
            } else if level == row.labels().len() {
                let delimiter = shown(self.delimiter);
                problem.advise(format!(
                    "Write a label, such as *, or remove the {delimiter} at the end of the line"
                ))
            } else {
                problem.advise("Write a label, such as *")
            })
        })
    }

    /// `repair` ends the advice where a repair could help.
    fn told(&self, problem: &TableProblem, repair: &str) -> Problem {
        let line = |position: usize| self.lines.get(position.wrapping_sub(1)).copied().unwrap_or(position);
        match *problem {
            TableProblem::Empty => {
                let advice = "Write one line for each value, such as 34;20-60;*";
                Problem::new(&self.path, "has no lines").advise(advice)
            }
            TableProblem::TooTall { line: at } => {
                self.at(line(at), "has more than 256 columns").advise("Leave out levels that nobody needs")
            }
            TableProblem::Ragged { line: at, columns, expected } => {
                let columns = counted(columns, "column");
                let advice = format!("Write a label for each level{repair}");
                self.at(line(at), format!("has {columns}, but most lines have {expected}")).advise(advice)
            }
            TableProblem::Repeated { line: at, first } => {
                let missing = self.rows.get(at.wrapping_sub(1)).is_some_and(|row| row.value().is_none());
                let what =
                    if missing { "is the missing value's, as is line" } else { "repeats the value of line" };
                let advice = "Delete one of the two lines";
                self.at(line(at), format!("{what} {}", line(first))).advise(advice)
            }
            TableProblem::NotMonotone { line: at, first, level } => {
                let (below, first) = (level - 1, line(first));
                let message = format!("equals line {first} on level {below}, but not on level {level}");
                let advice = format!(
                    "Write the same label on level {level} or different ones on level {below}{repair}"
                );
                self.at(line(at), message).advise(advice)
            }
            // The library may learn of more.
            _ => Problem::new(&self.path, problem.to_string()),
        }
    }

    fn at(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem::new(&self.path, message).at_line(line)
    }
}

/// `1 column`, `3 columns`
pub(super) fn counted(count: usize, noun: &str) -> String {
    words::counted(count as u64, noun)
}

/// The first problems, and how many there are.
pub(super) fn abridged(mut problems: Problems, path: &Path) -> Problems {
    let all = problems.len();
    if all > TOLD {
        problems.0.truncate(TOLD);
        let message = format!("has {all} problems; here are the first {TOLD}");
        problems.0.insert(0, Problem::new(path, message));
    }
    problems
}

/// The whole file, or why not.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let reason = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    };
    let file = File::open(path).map_err(reason)?;
    // A device has no length; a file may grow while it is read.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(LARGEST));
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(reason)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it has more than {LARGEST} bytes"));
    }
    Ok(bytes)
}

/// A byte order mark decides; without one text is UTF-8, or else Latin-1 (as windows-1252). The error is the
/// line at fault.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, usize> {
    let line = |before: &[u8]| 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let text = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, mark)) => {
            let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]);
            text.ok_or_else(|| {
                line(&bytes[..std::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), |_| 0)])
            })?
        }
        None => match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
        },
    };
    match text.find('\0') {
        Some(position) => Err(line(&text.as_bytes()[..position])),
        None => Ok(text),
    }
}

/// The text that the missing value's line starts with: the empty one if that is missing, else the first.
pub(super) fn null_text(null: &[String]) -> &str {
    if null.iter().any(String::is_empty) { "" } else { null.first().map_or("", String::as_str) }
}

/// A delimiter as a sentence names it.
pub(super) fn shown(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "tab".to_owned(),
        b';' => "semicolon".to_owned(),
        b',' => "comma".to_owned(),
        other => format!("`{}`", other as char),
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
