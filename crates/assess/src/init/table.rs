//! The `[input]` of the job: the table as it was read.

use std::path::{Path, PathBuf};

use paravent_job::{AsciiChar, Input as JobInput, InputFormat, InputSource, Output, OutputFormat};
use paravent_tables::read::{Cells, Dialect, Encoding, Format, Input};

use super::profile::Profile;

/// Says what was found out, so that the next reader need not guess.
pub(super) fn input(input: &Input, profile: &Profile, job_file: &Path) -> JobInput {
    let (options, dialect) = (input.options(), &profile.dialect);
    let mut described = JobInput::file(seen_from(job_file, &options.path));
    if input.engine().is_some() {
        described.source = InputSource::given(&options.path);
        return described;
    }
    if InputFormat::of(&options.path).and_then(stored) != Some(dialect.format) {
        described.format = named(dialect.format);
    }
    let delimited = dialect.format.cells() == Cells::Text;
    let usual = if dialect.format == Format::Tsv { AsciiChar::TAB } else { AsciiChar::COMMA };
    described.delimiter = ascii(dialect.delimiter).filter(|delimiter| delimited && *delimiter != usual);
    described.quote = ascii(dialect.quote).filter(|quote| delimited && *quote != AsciiChar::QUOTE);
    described.encoding = encoding(dialect);
    described.sheet.clone_from(&options.sheet);
    (described.skip, described.footer) = (options.skip, options.footer);
    if let Some(null) = &options.null {
        described.null.clone_from(null);
    }
    described.null.extend(profile.missing_words.iter().map(str::to_owned));
    described
}

/// The `[output]`: what the reader's own programs read best, as the table was.
pub(super) fn output(profile: &Profile) -> Output {
    let dialect = &profile.dialect;
    Output {
        format: if dialect.format.cells() == Cells::Sheet { OutputFormat::Xlsx } else { OutputFormat::Csv },
        encoding: (dialect.encoding == Some(Encoding::Latin1)).then_some(encoding_rs::WINDOWS_1252),
        bom: dialect.encoding == Some(Encoding::Utf8) && dialect.byte_order_mark,
        ..Output::default()
    }
}

/// The path of the table for somebody who stands in the job file's folder.
pub(super) fn seen_from(job_file: &Path, table: &Path) -> PathBuf {
    let folder = job_file.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() || table == Path::new("-") || table.is_absolute() {
        return table.to_owned();
    }
    match table.strip_prefix(folder) {
        Ok(inside) => inside.to_owned(),
        Err(_) => std::path::absolute(table).unwrap_or_else(|_| table.to_owned()),
    }
}

fn ascii(byte: Option<u8>) -> Option<AsciiChar> {
    AsciiChar::new(char::from(byte?))
}

/// UTF-8 is what is expected anyway.
fn encoding(dialect: &Dialect) -> Option<&'static encoding_rs::Encoding> {
    match dialect.encoding? {
        Encoding::Utf8 => None,
        Encoding::Latin1 => Some(encoding_rs::WINDOWS_1252),
        Encoding::Utf16Le => Some(encoding_rs::UTF_16LE),
        Encoding::Utf16Be => Some(encoding_rs::UTF_16BE),
    }
}

/// The format as the reader calls it.
fn stored(format: InputFormat) -> Option<Format> {
    Format::from_name(format.name())
}

/// The format as job files call it.
fn named(format: Format) -> Option<InputFormat> {
    InputFormat::ALL.iter().copied().find(|known| known.name() == format.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_that_is_read_has_a_name_in_job_files_and_the_other_way_round() {
        for format in InputFormat::ALL {
            assert!(stored(*format).is_some(), "{format} is not read");
            let path = PathBuf::from(format!("table.{format}"));
            assert_eq!(InputFormat::of(&path).and_then(stored), Format::of_path(&path));
        }
        for format in Format::ALL {
            assert_eq!(named(*format).and_then(stored), Some(*format));
        }
    }

    #[test]
    fn paths_start_at_the_job_file() {
        let seen = |job: &str, table: &str| seen_from(Path::new(job), Path::new(table));
        assert_eq!(seen("paravent.toml", "data/x.csv"), Path::new("data/x.csv"));
        assert_eq!(seen("data/paravent.toml", "data/x.csv"), Path::new("x.csv"));
        assert_eq!(seen("/jobs/paravent.toml", "/data/x.csv"), Path::new("/data/x.csv"));
        assert!(seen("jobs/paravent.toml", "x.csv").is_absolute());
        assert_eq!(seen("jobs/paravent.toml", "-"), Path::new("-"));
    }
}
