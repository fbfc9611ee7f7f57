//! A job file on disk or on standard input, and what is no job file at all.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::input::InputFormat;
use super::problem::{Problem, Problems};

/// No job is longer, and a table that was named by mistake is not read to its end.
const MOST_BYTES: u64 = 8 << 20;
/// What standard input is called in messages. Its folder is the current one.
const STDIN: &str = "<stdin>";

/// The bytes of the job at `path` (`-` is standard input) and its name for messages.
pub(super) fn bytes(path: &Path) -> Result<(Vec<u8>, PathBuf), Problems> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { PathBuf::from(STDIN) } else { path.to_owned() };
    let unreadable =
        |error: std::io::Error| Problem::new(&name, format!("the job file cannot be read: {error}"));
    if !is_stdin && path.is_dir() {
        return Err(folder(path).into());
    }
    let mut bytes = Vec::new();
    let read = match is_stdin {
        true => std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes),
        false => std::fs::File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)),
    };
    read.map_err(unreadable)?;
    if let Some(problem) = is_table(&name, &bytes) {
        return Err(problem.into());
    }
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("is longer than {} MiB, so it is no job file", MOST_BYTES >> 20);
        return Err(Problem::new(&name, message).advise("Name the job file").into());
    }
    Ok((bytes, name))
}

fn folder(path: &Path) -> Problem {
    let job = path.join("paravent.toml");
    if path.join("manifest.json").exists() {
        let advice = format!("Name the job file; `paravent verify {}` checks a release", path.display());
        return Problem::new(path, "is a release, not a job file").advise(advice);
    }
    let problem = Problem::new(path, "is a folder, not a job file");
    match job.exists() {
        true => problem.advise(format!("Name the job file in it: {}", job.display())),
        false => problem.advise("Name the job file; `paravent init DATA` proposes one for a table"),
    }
}

/// The first thing everybody types is `paravent anonymize patients.csv`.
fn is_table(name: &Path, bytes: &[u8]) -> Option<Problem> {
    let extension = name.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let by_name = match InputFormat::of(name) {
        Some(_) => !extension.eq_ignore_ascii_case("txt"),
        None => super::input::is_foreign(name),
    };
    let by_start = [&b"PAR1"[..], b"ARROW1", b"PK\x03\x04"].iter().any(|start| bytes.starts_with(start));
    (by_name || by_start || reads_like_rows(bytes)).then(|| {
        let advice = match name == Path::new(STDIN) {
            true => "Name the job file; --input - reads the table from standard input".to_owned(),
            false => format!("Propose a job for it: paravent init {}", name.display()),
        };
        Problem::new(name, "is a table, not a job file").advise(advice)
    })
}

/// The first line that is no comment has cells, and is none that TOML could begin with.
fn reads_like_rows(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let mut lines = head.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        let cells = [',', ';', '\t', '|'].iter().any(|&delimiter| line.contains(delimiter));
        cells && !line.starts_with('[') && !line.contains('=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_recognised_by_name_and_by_content() {
        let table = |name: &str, text: &[u8]| is_table(Path::new(name), text).is_some();
        for name in ["a.csv", "a.TSV", "a.parquet", "a.jsonl", "a.xlsx", "a.sav"] {
            assert!(table(name, b"version = 1"), "{name}");
        }
        assert!(table("patients", b"age;sex\n34;f\n") && table("data.txt", b"\n# rows\nage,sex\n"));
        assert!(table("data", b"PAR1\x15\x04"));
        for text in ["version = 1", "# a, b\nversion = 1", "[input]\npath = 'a,b'", "", "verson 1"] {
            assert!(!table("job.toml", text.as_bytes()) && !table("job.txt", text.as_bytes()), "{text}");
        }
    }
}
