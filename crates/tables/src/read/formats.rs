//! What every format that tables are read from can do. Their list is in the module above.

use std::path::Path;

use super::detect::Sample;
use super::frame::Frame;
use super::input::Raw;
use super::source::Opened;
use super::{FORMATS, Format, ReadError, ReadOptions, delimited, files};

/// A format: what it is called, how it is recognised, how it is opened.
pub(super) struct Kind {
    pub format: Format,
    /// In messages.
    pub shown: &'static str,
    /// In job files; the first is its name.
    pub names: &'static [&'static str],
    /// Further endings of file names.
    pub endings: &'static [&'static str],
    /// Whether the first bytes are its own. Text is recognised last.
    pub is_it: fn(&[u8]) -> bool,
    pub open: fn(Raw, Sample, &ReadOptions) -> Result<Opened, ReadError>,
    /// What stands around the table in a file; [`Frame::none`] where nothing can.
    pub frame: fn(Raw, Sample, &ReadOptions) -> Result<Frame, ReadError>,
    pub missing: Missing,
    pub cells: Cells,
}

/// Who writes the cells of a format, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// People, as text: words stand for truth values and for missing ones.
    Text,
    /// People, into a sheet: the same, although it has types.
    Sheet,
    /// Programs, as text: words may stand for truth values.
    Document,
    /// Programs, with types.
    Typed,
}

/// How a format says that a cell is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// By texts, which the job names.
    ByText,
    /// By a null of its own.
    ByNull,
    /// By a null of its own, which it tells from an empty text; by texts where the job names some.
    ByEither,
}

impl Format {
    /// The endings of file names that people are shown, the best known first.
    pub const SHOWN: [&'static str; 9] =
        [".csv", ".tsv", ".xlsx", ".ods", ".dta", ".parquet", ".arrow", ".json", ".jsonl"];

    /// `.csv, .tsv, …, .json or .jsonl`
    pub fn endings() -> String {
        let [some @ .., last] = Format::SHOWN;
        format!("{} or {last}", some.join(", "))
    }

    pub(super) fn kind(self) -> &'static Kind {
        FORMATS.iter().find(|kind| kind.format == self).copied().unwrap_or(&delimited::FORMAT)
    }

    /// The format called so in job files (`csv`, `tsv`, `parquet`, `arrow`, `json`, `jsonl`, `xlsx`, `ods`, `dta`).
    pub fn from_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|kind| kind.names.contains(&name)).map(|kind| kind.format)
    }

    /// How a missing cell is written.
    pub fn missing(self) -> Missing {
        self.kind().missing
    }

    /// Who writes its cells.
    pub fn cells(self) -> Cells {
        self.kind().cells
    }

    /// The name that job files use.
    pub fn name(self) -> &'static str {
        self.kind().names.first().copied().unwrap_or("csv")
    }

    /// The format a file name's ending stands for. `.txt` is delimited text.
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let kind = FORMATS.iter().find(|kind| kind.endings.contains(&ending.as_str()));
        kind.map(|kind| kind.format).or_else(|| Self::from_name(&ending))
    }
}

impl Format {
    /// The same for a path that may be a folder, or a pattern: the format that its first file's ending stands for.
    pub fn of_table(path: &Path) -> Option<Self> {
        Self::of_path(path).or_else(|| files::first(path).as_deref().and_then(Self::of_path))
    }
}

/// What the bytes look like.
pub(super) fn looks_like(bytes: &[u8]) -> Format {
    FORMATS.iter().find(|kind| (kind.is_it)(bytes)).map_or(Format::Csv, |kind| kind.format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_formats_share_a_name() {
        let names: Vec<&str> =
            FORMATS.iter().flat_map(|kind| kind.names.iter().chain(kind.endings)).copied().collect();
        assert!((0..names.len()).all(|i| !names[..i].contains(&names[i])));
        assert_eq!(Format::of_path(Path::new("a.TXT")), Some(Format::Csv));
        assert_eq!(Format::of_path(Path::new("a.xlsm")), Some(Format::Xlsx));
        assert_eq!(Format::of_path(Path::new("a.sav")), None);
        assert!(FORMATS.iter().all(|kind| kind.format.kind().shown == kind.shown));
    }

    #[test]
    fn people_are_shown_an_ending_of_every_format() {
        let shown = Format::SHOWN.map(|ending| Format::of_path(Path::new(&format!("table{ending}"))));
        assert!(Format::ALL.iter().all(|format| shown.contains(&Some(*format))) && !shown.contains(&None));
        assert!(
            Format::endings().starts_with(".csv, .tsv, ") && Format::endings().ends_with(", .json or .jsonl")
        );
    }
}
