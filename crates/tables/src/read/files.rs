//! A table in many files: all of a folder, or those that a pattern matches. Their rows follow each other in the order of the files' names.
//!
//! Folders called `year=2024` are columns, as data lakes have them.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::batch::TextColumn;
use super::detect::{self, Sample};
use super::input::{Fingerprint, Raw, io_error};
use super::source::{Opened, Part, Rows};
use super::{Batch, Format, ReadError, ReadOptions};

/// Folders within folders that are looked into.
const DEEPEST: usize = 32;
/// What data lakes write for a missing value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// The files of one table.
#[derive(Clone, Debug)]
pub(super) struct Files {
    list: Arc<[DataFile]>,
}

/// A file, and the cells that its folders tell.
#[derive(Clone, Debug)]
struct DataFile {
    path: Arc<Path>,
    bytes: u64,
    /// Columns and cells of folders called `column=cell`.
    told: Vec<(String, Option<String>)>,
}

impl Files {
    /// The files that a path stands for: those of a folder, or those that match where it has `*`, `?`, `[ab]` or `**` in it. `None` where it
    /// is a file, or nothing.
    ///
    /// # Errors
    /// If a folder cannot be listed, has no table in it, or nothing matches.
    pub(super) fn of(options: &ReadOptions) -> Result<Option<Files>, ReadError> {
        let path = options.path.as_path();
        let mut found = Vec::new();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => below(path, DEEPEST, &mut found)?,
            Ok(_) => return Ok(None),
            Err(_) if has_wildcards(path.as_os_str()) => {
                let parts: Vec<&OsStr> = path.components().map(Component::as_os_str).collect();
                let mut matched = Vec::new();
                matching(PathBuf::new(), &parts, DEEPEST, &mut matched)?;
                for path in matched {
                    if path.is_dir() { below(&path, DEEPEST, &mut found)? } else { found.push(path) }
                }
            }
            Err(_) => return Ok(None),
        }
        found.sort();
        found.dedup();
        let mut list = Vec::new();
        for found in found {
            let bytes = fs::metadata(&found).map_err(io_error(&found))?.len();
            let is_table = options.format.is_some() || Format::of_path(&found).is_some();
            // Writers of data lakes leave files without a row.
            if is_table && bytes > 0 {
                let told = told_by_folders(path, &found);
                list.push(DataFile { path: found.into(), bytes, told });
            }
        }
        match list.is_empty() {
            false => Ok(Some(Files { list: list.into() })),
            true if path.is_dir() => Err(ReadError::Directory { path: path.to_owned() }),
            true => Err(ReadError::NothingMatches { path: path.to_owned() }),
        }
    }

    /// What the files look like now. `now` are those that there are now.
    pub(super) fn fingerprint(now: &Files) -> Result<Fingerprint, ReadError> {
        let mut hash = Sha256::new();
        let mut length = 0;
        for file in now.list.iter() {
            let one = Fingerprint::of(&fs::metadata(&file.path).map_err(io_error(&file.path))?);
            hash.update(file.path.as_os_str().as_encoded_bytes());
            hash.update([0]);
            one.numbers().for_each(|number| hash.update(number.to_le_bytes()));
            length += file.bytes;
        }
        Ok(Fingerprint::of_many(length, &hash.finalize()))
    }

    /// SHA-256 over the names and the digests of the files, in hexadecimal.
    pub(super) fn digest(&self, root: &Path) -> Result<String, ReadError> {
        let digests: Vec<Result<[u8; 32], ReadError>> =
            self.list.par_iter().map(|file| digest(&file.path)).collect();
        let mut hash = Sha256::new();
        for (file, digest) in self.list.iter().zip(digests) {
            let name = file.path.strip_prefix(root).unwrap_or(&file.path).as_os_str().as_encoded_bytes();
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name);
            hash.update(digest?);
        }
        Ok(hex::encode(hash.finalize()))
    }

    /// Opens the first file; the others follow.
    pub(super) fn open(&self, options: &ReadOptions) -> Result<Opened, ReadError> {
        let mut options = options.clone();
        let first = opened(&self.list[0], &options)?;
        options.format = Some(first.dialect.format);
        // A short file may look as if it had another one.
        options.delimiter = options.delimiter.or(first.dialect.delimiter);
        let mut columns = first.columns;
        let told = self.list[0].told.iter().map(|(name, _)| name.clone());
        let told: Vec<String> = told.filter(|name| !columns.contains(name)).collect();
        columns.extend(told);
        let rows = FilesRows {
            files: self.list.clone(),
            next: 0,
            end: self.list.len(),
            options,
            selected: (0..columns.len()).collect(),
            columns: columns.clone(),
            current: None,
        };
        Ok(Opened { dialect: first.dialect, columns, rows: Box::new(rows) })
    }
}

/// The first file of a table in many files; `None` where the table is one file.
pub(super) fn first(path: &Path) -> Option<PathBuf> {
    let files = Files::of(&ReadOptions::new(path)).ok().flatten()?;
    files.list.first().map(|file| file.path.to_path_buf())
}

/// All files below a folder, but those whose names begin with a dot or an underscore: they tell about the others.
fn below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    for path in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(['.', '_']) {
            continue;
        }
        match path.is_dir() {
            true if depth > 0 => below(&path, depth - 1, found)?,
            true => {}
            false => found.push(path),
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    let mut listed = listed.map_err(io_error(folder))?;
    listed.sort();
    Ok(listed)
}

/// The paths that a pattern matches, part by part.
fn matching(
    base: PathBuf,
    parts: &[&OsStr],
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), ReadError> {
    let Some((part, rest)) = parts.split_first() else {
        if base.exists() {
            found.push(base);
        }
        return Ok(());
    };
    if !has_wildcards(part) {
        return matching(base.join(part), rest, depth, found);
    }
    let folder = if base.as_os_str().is_empty() { Path::new(".") } else { base.as_path() };
    if !folder.is_dir() {
        return Ok(());
    }
    let any_depth = *part == "**";
    if any_depth {
        matching(base.clone(), rest, depth, found)?;
    }
    for entry in entries(folder)? {
        let Some(name) = entry.file_name().and_then(OsStr::to_str) else { continue };
        let next = base.join(name);
        match any_depth {
            true if depth > 0 && next.is_dir() && !name.starts_with(['.', '_']) => {
                matching(next, parts, depth - 1, found)?;
            }
            true => {}
            false if matches(&part.to_string_lossy(), name) => matching(next, rest, depth, found)?,
            false => {}
        }
    }
    Ok(())
}

/// Whether the path is a pattern.
fn has_wildcards(text: &OsStr) -> bool {
    text.as_encoded_bytes().iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Whether a name matches: `*` is any text, `?` any character, `[a-z]` one of these. A leading dot must be written.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    if name.first() == Some(&'.') && pattern.first() != Some(&'.') {
        return false;
    }
    // Where the last star is, and how much it has taken.
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match (pattern.get(at), one_of(&pattern[at.min(pattern.len())..])) {
            (Some('*'), _) => {
                star = Some((at, of));
                at += 1;
                continue;
            }
            (Some('['), Some((length, set))) if set.contains(name[of]) => at += length,
            (Some('?'), _) => at += 1,
            (Some(&letter), None) if letter == name[of] => at += 1,
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (at, of) = (place + 1, taken + 1);
                    continue;
                }
                None => return false,
            },
        }
        of += 1;
    }
    pattern[at.min(pattern.len())..].iter().all(|&letter| letter == '*')
}

/// The characters of a `[…]`.
struct Set<'a> {
    letters: &'a [char],
    is_negated: bool,
}

impl Set<'_> {
    fn contains(&self, letter: char) -> bool {
        let mut rest = self.letters;
        let mut found = false;
        while let Some((&first, more)) = rest.split_first() {
            (found, rest) = match more {
                ['-', last, more @ ..] => (found || (first..=*last).contains(&letter), more),
                _ => (found || first == letter, more),
            };
        }
        found != self.is_negated
    }
}

/// The set that a pattern starts with, and its length; `None` where it starts with another character.
fn one_of(pattern: &[char]) -> Option<(usize, Set<'_>)> {
    let [first, rest @ ..] = pattern else { return None };
    if *first != '[' {
        return None;
    }
    let (is_negated, letters) = match rest {
        ['!', rest @ ..] => (true, rest),
        _ => (false, rest),
    };
    // A bracket that closes at once is one of the set.
    let end = letters.iter().skip(1).position(|&letter| letter == ']')? + 1;
    Some((1 + usize::from(is_negated) + end + 1, Set { letters: &letters[..end], is_negated }))
}

/// Columns and cells of the folders between a table and its file.
fn told_by_folders(root: &Path, file: &Path) -> Vec<(String, Option<String>)> {
    let inner = if root.is_dir() { file.strip_prefix(root).unwrap_or(file) } else { file };
    let folders = inner.parent().into_iter().flat_map(Path::components);
    let pair = |folder: Component<'_>| {
        let (name, cell) = folder.as_os_str().to_str()?.split_once('=')?;
        let cell = (cell != NO_VALUE).then(|| unescaped(cell));
        Some((unescaped(name), cell)).filter(|(name, _)| !name.is_empty())
    };
    folders.filter_map(pair).collect()
}

/// `%3A` is a colon in names of folders.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &more[2..] } else { more };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn digest(path: &Path) -> Result<[u8; 32], ReadError> {
    let mut file = fs::File::open(path).map_err(io_error(path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hash.finalize().into()),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_error(path)(error)),
        }
    }
}

fn opened(file: &DataFile, options: &ReadOptions) -> Result<Opened, ReadError> {
    let options = ReadOptions { path: file.path.to_path_buf(), ..options.clone() };
    options.check()?;
    let mut raw = Raw::open(&options.path)?;
    let sample = Sample::take(&mut raw, &options.path)?;
    let format = detect::format(&sample, &options)?;
    (format.kind().open)(raw, sample, &options)
}

/// The rows of some of the files.
struct FilesRows {
    files: Arc<[DataFile]>,
    /// The file after the one at hand, and the one after the last.
    next: usize,
    end: usize,
    options: ReadOptions,
    columns: Vec<String>,
    selected: Vec<usize>,
    current: Option<Current>,
}

/// The file at hand.
struct Current {
    rows: Box<dyn Rows>,
    file: Arc<Path>,
    delivered: u64,
    /// By place in the batch: cells that the folders tell.
    told: Vec<(usize, Option<String>)>,
}

impl FilesRows {
    fn open_next(&mut self) -> Result<Option<Current>, ReadError> {
        if self.next >= self.end {
            return Ok(None);
        }
        let file = &self.files[self.next];
        self.next += 1;
        let others = || (file.path.to_path_buf(), self.files[0].path.to_path_buf());
        let ending = Format::of_path(&file.path);
        if ending.is_some() && ending != Format::of_path(&self.files[0].path) {
            let (path, first) = others();
            return Err(ReadError::OtherFormat { path, first });
        }
        let Opened { columns, mut rows, .. } = opened(file, &self.options)?;
        let (mut wanted, mut told) = (Vec::new(), Vec::new());
        let known = |name: &String| columns.contains(name) || file.told.iter().any(|(told, _)| told == name);
        let width = columns.len() + file.told.iter().filter(|(name, _)| !columns.contains(name)).count();
        if width != self.columns.len() || !self.columns.iter().all(known) {
            let (path, first) = others();
            return Err(ReadError::OtherColumns { path, first });
        }
        for (place, &column) in self.selected.iter().enumerate() {
            let name = &self.columns[column];
            match columns.iter().position(|known| known == name) {
                Some(column) => wanted.push(column),
                None => {
                    let cell =
                        file.told.iter().find(|(told, _)| told == name).and_then(|(_, cell)| cell.clone());
                    told.push((place, cell));
                }
            }
        }
        rows.select(&wanted)?;
        Ok(Some(Current { rows, file: file.path.clone(), delivered: 0, told }))
    }
}

impl Rows for FilesRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.selected = columns.to_vec();
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let first_row = batch.first_row;
        loop {
            let mut current = match self.current.take() {
                Some(current) => current,
                None => match self.open_next()? {
                    Some(current) => current,
                    None => return Ok(()),
                },
            };
            batch.start(current.delivered + 1);
            current.told.iter().rev().for_each(|(place, _)| drop(batch.columns.remove(*place)));
            current.rows.fill(batch)?;
            for (place, cell) in &current.told {
                batch.columns.insert(*place, TextColumn::repeated(cell.as_deref(), batch.rows));
            }
            batch.first_row = first_row;
            if batch.rows > 0 {
                batch.is_from(current.file.clone(), current.delivered + 1);
                current.delivered += batch.rows as u64;
                self.current = Some(current);
                return Ok(());
            }
        }
    }

    fn split(&mut self, parts: usize) -> Result<Vec<Part>, ReadError> {
        let all: u64 = self.files.iter().map(|file| file.bytes).sum();
        let mut split: Vec<Part> = Vec::new();
        let (mut begin, mut sum) = (0, 0);
        for (at, file) in self.files.iter().enumerate() {
            sum += file.bytes;
            let share = u128::from(all) * (split.len() as u128 + 1) / parts.max(1) as u128;
            if u128::from(sum) >= share || at + 1 == self.files.len() {
                let rows = FilesRows {
                    files: self.files.clone(),
                    next: begin,
                    end: at + 1,
                    options: self.options.clone(),
                    columns: self.columns.clone(),
                    selected: self.selected.clone(),
                    current: None,
                };
                split.push(Part { before: 0, rows: Box::new(rows) });
                begin = at + 1;
            }
        }
        Ok(split)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.bak", false),
            ("*.csv", ".hidden.csv", false),
            (".*", ".hidden", true),
            ("part-?", "part-1", true),
            ("part-?", "part-12", false),
            ("*a*b*", "xaaxbx", true),
            ("*a*b*", "xbxa", false),
            ("[0-9]x", "7x", true),
            ("[!0-9]x", "7x", false),
            ("[]]x", "]x", true),
            ("a[", "a[", true),
            ("ä*", "äö", true),
            ("**", "all", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_tell_columns() {
        let told = told_by_folders(Path::new("none*"), Path::new("a/year=2024/x/b%3Ac=%C3%A4/p.csv"));
        let pair = |name: &str, cell: &str| (name.to_owned(), Some(cell.to_owned()));
        assert_eq!(told, [pair("year", "2024"), pair("b:c", "ä")]);
        let missing = told_by_folders(Path::new("none*"), Path::new("k=__HIVE_DEFAULT_PARTITION__/p.csv"));
        assert_eq!(missing, [("k".to_owned(), None)]);
    }
}
