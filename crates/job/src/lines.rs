//! Where each key of a job file stands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::Problem;

/// The file a job was read from and the line of each key in it.
///
/// A job that was not read from a file has the default: `paravent.toml` in the current folder, no lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    file: PathBuf,
    lines: BTreeMap<String, usize>,
    /// Keys that were set beside the file.
    set: BTreeSet<String>,
}

impl Default for Source {
    fn default() -> Self {
        Self::of_file("paravent.toml")
    }
}

impl Source {
    /// A file whose lines are not known.
    pub fn of_file(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), lines: BTreeMap::new(), set: BTreeSet::new() }
    }

    /// Keys on lines beyond the file's own were set.
    pub(super) fn new(file: &Path, document: &DeTable<'_>, starts: &LineStarts, own_lines: usize) -> Self {
        let mut source = Self::of_file(file);
        source.note_table("", document, starts);
        let (own, set) = source.lines.into_iter().partition(|&(_, line)| line <= own_lines);
        source.lines = own;
        source.set = BTreeMap::into_keys(set).collect();
        source
    }

    /// The job file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        match self.file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// The line of a key spelled like `privacy.models[1].l`; if it is not in the file, that of what it belongs to.
    pub fn line(&self, key: &str) -> Option<usize> {
        let mut key = key;
        loop {
            if let Some(&line) = self.lines.get(key) {
                return Some(line);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }

    /// A problem with `key`, with the file and the line of that key.
    pub fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        if self.set.contains(key) {
            return Problem::new(super::settings::PLACE, message).at_key(key);
        }
        let problem = Problem::new(&self.file, message).at_key(key);
        match self.line(key) {
            Some(line) => problem.at_line(line),
            None => problem,
        }
    }

    /// A path seen from where the program runs: relative ones start at the job file's folder.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        match self.file.parent() {
            Some(folder) => folder.join(path),
            None => path.to_path_buf(),
        }
    }

    fn note_table(&mut self, path: &str, table: &DeTable<'_>, starts: &LineStarts) {
        for (key, value) in table {
            let path = child(path, key.get_ref());
            self.lines.insert(path.clone(), starts.line(key.span().start));
            self.note_value(&path, value, starts);
        }
    }

    fn note_value(&mut self, path: &str, value: &Spanned<DeValue<'_>>, starts: &LineStarts) {
        match value.get_ref() {
            DeValue::Table(table) => self.note_table(path, table, starts),
            DeValue::Array(entries) => {
                for (i, entry) in entries.iter().enumerate() {
                    let path = format!("{path}[{i}]");
                    self.lines.insert(path.clone(), starts.line(entry.span().start));
                    self.note_value(&path, entry, starts);
                }
            }
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
    }
}

/// The path of `key` inside the table at `path`.
pub(super) fn child(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let key = if bare { key.to_owned() } else { super::suggest::shortened(key) };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// Byte offsets at which the lines of a text start.
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(super) fn of(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(i, _)| i + 1);
        Self(std::iter::once(0).chain(after_breaks).collect())
    }

    /// The line, counted from 1, that holds the byte at `offset`.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start <= offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        let document = DeTable::parse(text).unwrap();
        Source::new(Path::new("study/job.toml"), document.get_ref(), &LineStarts::of(text), usize::MAX)
    }

    #[test]
    fn knows_the_line_of_every_key() {
        let text = "a = 1\n[[t]]\nx = 1\n[[t]]\ny = [\n  { l = 2 },\n  { l = 3 },\n]\n[s]\n";
        let source = source(text);
        let places = [("a", 1), ("t", 2), ("t[0]", 2), ("t[0].x", 3), ("t[1]", 4), ("t[1].y", 5)];
        for (key, line) in places.into_iter().chain([("t[1].y[1]", 7), ("t[1].y[1].l", 7), ("s", 9)]) {
            assert_eq!(source.line(key), Some(line), "{key}");
        }
    }

    #[test]
    fn an_absent_key_is_where_it_would_belong() {
        let source = source("a = 1\n[[t]]\nx = 1\n");
        assert_eq!(source.line("t[0].max_level"), Some(2));
        assert_eq!(source.line("t[0].hierarchy.order[3][1]"), Some(2));
        assert_eq!(source.line("u.v"), None);
        assert_eq!(source.problem("t[0].y", "is odd").to_string(), "study/job.toml:2: t[0].y: is odd");
    }

    #[test]
    fn paths_start_at_the_job_file() {
        assert_eq!(source("").resolve(Path::new("data/x.csv")), Path::new("study/data/x.csv"));
        assert_eq!(source("").resolve(Path::new("/x.csv")), Path::new("/x.csv"));
        assert_eq!(Source::default().resolve(Path::new("x.csv")), Path::new("x.csv"));
    }
}
