//! Where a table comes from. It can be opened again and again, even standard input.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{ReadError, ReadOptions, Source};

/// A table that can be opened any number of times.
///
/// A file is opened anew each time. What can be read only once (standard input, a pipe) is held in memory, up to
/// [`ReadOptions::held_limit`] bytes.
#[derive(Clone)]
pub struct Input {
    pub(super) options: ReadOptions,
    pub(super) held: Option<Bytes>,
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
        let held = self.held.as_ref().map_or(0, Bytes::len);
        write!(f, "Input({}, {held} bytes held)", self.options.shown_path().display())
    }
}

/// Bytes that are held stay out of logs.
impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.len())
    }
}

impl Input {
    /// The table that `options` describe. Reads standard input and pipes to their end; a file is only looked up.
    pub fn new(options: ReadOptions) -> Result<Self, ReadError> {
        let path = options.shown_path();
        let held = if options.is_stdin() {
            Some(hold(io::stdin().lock(), &options)?)
        } else {
            let metadata = look_up(&options.path)?;
            match metadata.is_file() {
                true => None,
                false => Some(hold(File::open(&options.path).map_err(io_error(&path))?, &options)?),
            }
        };
        Ok(Self { options, held })
    }

    /// A table in memory. The options' path is the name that errors use, and its ending tells the format.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>, options: ReadOptions) -> Self {
        Self { options, held: Some(Bytes::from(bytes.into())) }
    }

    /// Opens the table at its first row.
    pub fn open(&self) -> Result<Source, ReadError> {
        Source::open_raw(self.raw()?, &self.options)
    }

    /// How the table was said to be stored.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// SHA-256 of the bytes as stored, in hexadecimal.
    pub fn digest(&self) -> Result<String, ReadError> {
        hash(self.raw()?, &self.options.shown_path())
    }

    /// What the file looks like now.
    pub fn fingerprint(&self) -> Result<Fingerprint, ReadError> {
        match &self.held {
            Some(bytes) => Ok(Fingerprint { length: bytes.len() as u64, identity: [0; 6] }),
            None => Ok(Fingerprint::of(&look_up(&self.options.path)?)),
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
            Some(bytes) => Ok(Raw::Held { bytes: bytes.clone(), position: 0 }),
            None => Raw::open(&self.options.path),
        }
    }
}

impl Fingerprint {
    fn of(metadata: &Metadata) -> Self {
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
