//! Where a table comes from. It can be opened again and again, even standard input.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::files::Files;
use super::frame::{self, Frame};
use super::{
    Batch, Cells, EngineTable, Header, ReadError, ReadOptions, Sample, Source, Table, detect, workbook,
};
use crate::engine::{Address, EngineError};

/// A table that can be opened any number of times.
///
/// A file is opened anew each time. What can be read only once (standard input, a pipe) is held in memory, up to
/// [`ReadOptions::held_limit`] bytes. A [`Table`] is in memory already.
#[derive(Clone)]
pub struct Input {
    options: ReadOptions,
    held: Held,
    sample: Option<Sample>,
}

/// Where the rows are.
#[derive(Clone)]
enum Held {
    /// In the file that the options name.
    File,
    /// In all files of a folder, or those that a pattern matches.
    Files(Files),
    /// In a file without a name.
    Unnamed(Arc<File>),
    /// In bytes of a file's format.
    Bytes(Bytes),
    /// In columns.
    Table(Table),
    /// Where the table lives.
    Engine(EngineTable),
}

/// Tells whether a file is still the one it was: its identity, length and time stamps. See [`Input::unchanged_since`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    length: u64,
    /// Device and inode; seconds and nanoseconds of the last change of content, then of the inode.
    identity: [i64; 6],
}

/// Bytes that are held stay out of logs.
impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = match &self.held {
            Held::File | Held::Unnamed(_) => "a file".to_owned(),
            Held::Files(_) => "files".to_owned(),
            Held::Bytes(bytes) => format!("{} bytes held", bytes.len()),
            Held::Table(table) => format!("{} rows held", table.rows()),
            Held::Engine(table) => format!("{table:?}"),
        };
        write!(f, "Input({}, {held})", self.options.shown_path().display())
    }
}

/// Bytes that are held stay out of logs.
impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.len())
    }
}

impl Input {
    /// The table that `options` describe. Reads standard input and pipes to their end; a file is only looked up. A folder, and a path with
    /// `*`, `?` or `[ab]` in it, is a table in many files.
    pub fn new(options: ReadOptions) -> Result<Self, ReadError> {
        let path = options.shown_path();
        if let Some(address) = Address::of_path(&options.path) {
            let table = address.map_err(EngineError::Address).and_then(|address| EngineTable::open(&address));
            let held = Held::Engine(table.map_err(|error| ReadError::Engine { path, error })?);
            return Ok(Self { options, held, sample: None });
        }
        let held = if options.is_stdin() {
            Held::Bytes(hold(io::stdin().lock(), &options)?)
        } else if let Some(files) = Files::of(&options)? {
            Held::Files(files)
        } else {
            let metadata = look_up(&options.path)?;
            match metadata.is_file() {
                true => Held::File,
                false => Held::Bytes(hold(File::open(&options.path).map_err(io_error(&path))?, &options)?),
            }
        };
        Ok(Self { options, held, sample: None })
    }

    /// A table in memory. The options' path is the name that errors use, and its ending tells the format.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>, options: ReadOptions) -> Self {
        Self { options, held: Held::Bytes(Bytes::from(bytes.into())), sample: None }
    }

    /// A table in memory, column by column.
    pub fn from_table(table: Table) -> Self {
        Self { options: table.options(), held: Held::Table(table), sample: None }
    }

    /// A file that has no name any more. The options' path is the name that errors use.
    pub fn from_unnamed(file: Arc<File>, options: ReadOptions) -> Self {
        Self { options, held: Held::Unnamed(file), sample: None }
    }

    /// The same table, read in another way.
    pub fn read_as(&self, change: impl FnOnce(&mut ReadOptions)) -> Self {
        let mut same = self.clone();
        change(&mut same.options);
        same
    }

    /// Opens the table at its first row.
    pub fn open(&self) -> Result<Source, ReadError> {
        let mut source = self.open_whole()?;
        if let Some(sample) = &self.sample {
            source.sample(sample.clone());
        }
        Ok(source)
    }

    /// What stands around the table in its file: titles above the names of the columns, remarks and totals below the last row. Nothing where that
    /// cannot be told for sure, and where the options say it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn frame(&self) -> Result<Frame, ReadError> {
        let said = self.options.skip > 0 || self.options.footer > 0 || self.options.header == Header::Absent;
        match &self.held {
            Held::File | Held::Unnamed(_) | Held::Bytes(_) if !said => {
                frame::find(self.raw()?, &self.options)
            }
            _ => Ok(Frame::default()),
        }
    }

    /// The names of the sheets, where the table is in a workbook.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn sheets(&self) -> Result<Vec<String>, ReadError> {
        let format = self.options.format().filter(|format| format.cells() == Cells::Sheet);
        match (&self.held, format) {
            (Held::File | Held::Unnamed(_) | Held::Bytes(_), Some(format)) => {
                let mut raw = self.raw()?;
                detect::format(&detect::Sample::take(&mut raw, &self.options.shown_path())?, &self.options)?;
                workbook::sheets(raw, format, &self.options)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Opens the table whatever the sample.
    fn open_whole(&self) -> Result<Source, ReadError> {
        match &self.held {
            Held::Table(table) => Source::open_table(table, &self.options),
            Held::Engine(table) => Ok(Source::open_engine(table, &self.options)),
            Held::Files(files) => Source::open_files(files, &self.options),
            _ => Source::open_raw(self.raw()?, &self.options),
        }
    }

    /// The same table, of which only a sample is read.
    pub fn sampled(self, sample: Sample) -> Self {
        Self { sample: Some(sample), ..self }
    }

    /// The sample that is read, where it is one.
    pub fn sample(&self) -> Option<&Sample> {
        self.sample.as_ref()
    }

    /// The table, where it is in memory column by column.
    pub fn table(&self) -> Option<&Table> {
        match &self.held {
            Held::Table(table) => Some(table),
            Held::File | Held::Files(_) | Held::Unnamed(_) | Held::Bytes(_) | Held::Engine(_) => None,
        }
    }

    /// The table, where it lives in an engine.
    pub fn engine(&self) -> Option<&EngineTable> {
        match &self.held {
            Held::Engine(table) => Some(table),
            Held::File | Held::Files(_) | Held::Unnamed(_) | Held::Bytes(_) | Held::Table(_) => None,
        }
    }

    /// How the table was said to be stored.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// SHA-256 of the bytes as stored, in hexadecimal. Of a table in memory: of its names and of its cells as text, row by row, however
    /// the rows are split into batches. Of a table that lives elsewhere: of its rows in any order, in the columns that were read. Of many files:
    /// of their names and digests.
    pub fn digest(&self) -> Result<String, ReadError> {
        match &self.held {
            Held::Table(_) => self.digest_of_cells(),
            Held::Engine(table) => Ok(table.digest()),
            Held::Files(files) => files.digest(&self.options.path),
            _ => hash(self.raw()?, &self.options.shown_path()),
        }
    }

    fn digest_of_cells(&self) -> Result<String, ReadError> {
        let mut hash = Sha256::new();
        let mut text = Vec::new();
        let mut put = |cell: Option<&str>, hash: &mut Sha256, last: bool| {
            match cell {
                None => text.push(0),
                Some(cell) => {
                    text.push(1);
                    text.extend_from_slice(&(cell.len() as u64).to_le_bytes());
                    text.extend_from_slice(cell.as_bytes());
                }
            }
            if last || text.len() > 1 << 16 {
                hash.update(&text);
                text.clear();
            }
        };
        let mut source = self.open_whole()?;
        let names = source.columns().to_vec();
        hash.update((names.len() as u64).to_le_bytes());
        names.iter().for_each(|name| put(Some(name), &mut hash, true));
        let mut batch = Batch::default();
        while source.next_batch(&mut batch)? {
            let mut cells: Vec<_> = batch.columns.iter().map(|column| column.iter()).collect();
            for row in 1..=batch.rows {
                for column in &mut cells {
                    put(column.next().flatten(), &mut hash, row == batch.rows);
                }
            }
        }
        Ok(hex::encode(hash.finalize()))
    }

    /// What the file looks like now.
    pub fn fingerprint(&self) -> Result<Fingerprint, ReadError> {
        match &self.held {
            Held::Bytes(bytes) => Ok(Fingerprint { length: bytes.len() as u64, identity: [0; 6] }),
            Held::Table(table) => Ok(Fingerprint { length: table.rows(), identity: [0; 6] }),
            // One transaction sees one state of the table.
            Held::Engine(_) => Ok(Fingerprint { length: 0, identity: [0; 6] }),
            Held::File => Ok(Fingerprint::of(&look_up(&self.options.path)?)),
            // Files that came or went are a change as well.
            Held::Files(files) => {
                Files::fingerprint(&Files::of(&self.options)?.unwrap_or_else(|| files.clone()))
            }
            Held::Unnamed(file) => {
                Ok(Fingerprint::of(&file.metadata().map_err(io_error(&self.options.path))?))
            }
        }
    }

    /// An error if the file was changed or replaced since the fingerprint was taken.
    pub fn unchanged_since(&self, before: &Fingerprint) -> Result<(), ReadError> {
        match self.fingerprint()? == *before {
            true => Ok(()),
            false => Err(ReadError::Changed { path: self.options.shown_path() }),
        }
    }

    fn raw(&self) -> Result<Raw, ReadError> {
        match &self.held {
            Held::Bytes(bytes) => Ok(Raw::Held { bytes: bytes.clone(), position: 0 }),
            Held::File => Raw::open(&self.options.path),
            Held::Unnamed(file) => {
                let file = crate::unnamed::reopened(file).map_err(io_error(&self.options.path))?;
                let length = file.metadata().map_err(io_error(&self.options.path))?.len();
                Ok(Raw::File { file, length })
            }
            // Columns have no bytes of a file, and many files not one row of bytes; they are opened as tables.
            Held::Table(_) | Held::Engine(_) | Held::Files(_) => {
                Ok(Raw::Held { bytes: Bytes::new(), position: 0 })
            }
        }
    }
}

#[cfg(test)]
impl Input {
    /// The bytes that are held.
    pub(super) fn bytes(&self) -> Option<Bytes> {
        match &self.held {
            Held::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// The same with other options.
    pub(super) fn with_options(self, options: ReadOptions) -> Self {
        Self { options, ..self }
    }
}

impl Fingerprint {
    /// Of many files: their bytes, and a digest of what each looks like.
    pub(super) fn of_many(length: u64, digest: &[u8]) -> Self {
        let mut identity = [0; 6];
        for (number, bytes) in identity.iter_mut().zip(digest.chunks_exact(8)) {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            *number = i64::from_le_bytes(word);
        }
        Self { length, identity }
    }

    /// All that it compares.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i64> {
        self.identity.into_iter().chain([self.length as i64])
    }

    pub(super) fn of(metadata: &Metadata) -> Self {
        let identity = [
            metadata.dev() as i64,
            metadata.ino() as i64,
            metadata.mtime(),
            metadata.mtime_nsec(),
            metadata.ctime(),
            metadata.ctime_nsec(),
        ];
        Self { length: metadata.len(), identity }
    }
}

/// SHA-256 of a file's bytes, in hexadecimal.
pub fn digest(path: impl AsRef<Path>) -> Result<String, ReadError> {
    hash(Raw::open(path.as_ref())?, path.as_ref())
}

/// The bytes of an input, wherever they are.
pub(super) enum Raw {
    File { file: File, length: u64 },
    Held { bytes: Bytes, position: usize },
}

impl Raw {
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        let length = look_up(path)?.len();
        let file = File::open(path).map_err(io_error(path))?;
        Ok(Self::File { file, length })
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Held { bytes, .. } => bytes.len() as u64,
        }
    }
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File { file, .. } => file.read(buffer),
            Self::Held { bytes, position } => {
                let count = (&bytes[*position..]).read(buffer)?;
                *position += count;
                Ok(count)
            }
        }
    }
}

impl Seek for Raw {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File { file, .. } => file.seek(to),
            Self::Held { bytes, position } => {
                let mut cursor = io::Cursor::new(bytes.as_ref());
                cursor.set_position(*position as u64);
                let target = cursor.seek(to)?.min(bytes.len() as u64);
                *position = target as usize;
                Ok(target)
            }
        }
    }
}

/// Reads to the end, but not beyond the limit.
fn hold(from: impl Read, options: &ReadOptions) -> Result<Bytes, ReadError> {
    let (path, limit) = (options.shown_path(), options.held_limit);
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io_error(&path))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLargeToHold { path, limit });
    }
    Ok(bytes.into())
}

fn look_up(path: &Path) -> Result<Metadata, ReadError> {
    let metadata = fs::metadata(path).map_err(io_error(path))?;
    if metadata.is_dir() {
        return Err(ReadError::Directory { path: path.to_owned() });
    }
    Ok(metadata)
}

fn hash(mut raw: Raw, path: &Path) -> Result<String, ReadError> {
    let mut hash = Sha256::new();
    if let Raw::Held { bytes, .. } = &raw {
        hash.update(bytes);
        return Ok(hex::encode(hash.finalize()));
    }
    let mut buffer = vec![0; 1 << 18];
    loop {
        match raw.read(&mut buffer) {
            Ok(0) => return Ok(hex::encode(hash.finalize())),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_error(path)(error)),
        }
    }
}

/// An operating system's error, with the path.
pub(super) fn io_error(path: &Path) -> impl Fn(io::Error) -> ReadError {
    let path: PathBuf = path.to_owned();
    move |source| match source.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound { path: path.clone() },
        io::ErrorKind::IsADirectory => ReadError::Directory { path: path.clone() },
        _ => ReadError::Io { path: path.clone(), source },
    }
}
