//! Parts of answers on their way: a folder with figures and annotation, and the answer that is made of several.
//!
//! `part.json` holds the figures, `answer.json` the annotation with the digest of `part.json` and the plan that is left, and `answer.sig` the
//! signature of `answer.json`, if there is one. Whoever finishes an answer needs nothing else: no policy, no table, no account.

mod together;

pub use together::finish;

use crate::asked::Answered;
use crate::kept::digest;
use crate::remainder::{NoSum, Part, Remainder};
use rustix::fs::OFlags;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The figures.
pub const PART: &str = "part.json";
/// The annotation.
pub const ANSWER: &str = "answer.json";
/// Its signature.
pub const SIGNATURE: &str = "answer.sig";
/// No part is larger.
const MOST_BYTES: u64 = 64 << 20;

/// Why parts cannot be written, read or put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    /// The file system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Something else than a part of an answer.
    #[error("{}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Two parts do not belong together.
    #[error("the parts do not belong together: {0}")]
    Apart(&'static str),
    /// The plan and the figures.
    #[error(transparent)]
    NoSum(#[from] NoSum),
}

/// A part of an answer as it travels.
#[derive(Clone, PartialEq, Eq)]
pub struct Fragment {
    /// `answer.json`.
    pub answer: Vec<u8>,
    /// `part.json`.
    pub part: Vec<u8>,
    /// `answer.sig`; empty without a signature.
    pub signature: Vec<u8>,
}

/// Figures stay out of logs.
impl std::fmt::Debug for Fragment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fragment").field("signed", &!self.signature.is_empty()).finish_non_exhaustive()
    }
}

/// Gives the signature of an annotation.
pub type Sign<'a> = dyn Fn(&[u8]) -> String + 'a;

impl Fragment {
    /// A part that was answered here. `sign` gives the signature of the annotation.
    pub fn of(answered: &Answered, sign: Option<&Sign<'_>>) -> Fragment {
        let part = Part { columns: answered.columns.clone(), rows: answered.rows.clone() };
        let mut answer = serde_json::to_vec_pretty(&answered.annotation).unwrap_or_default();
        answer.push(b'\n');
        let signature = sign.map_or_else(Vec::new, |sign| sign(&answer).into_bytes());
        Fragment { answer, part: json!(part).to_string().into_bytes(), signature }
    }

    /// Writes the folder: all of it, or nothing.
    ///
    /// # Errors
    /// If it is there already, or cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), FragmentError> {
        self.stage(folder)?.put()
    }

    /// Writes everything beside the folder that is to be. It is on disk when this returns, and gone again unless it is put in its place.
    ///
    /// # Errors
    /// If the folder is there already, or something cannot be written.
    pub fn stage(&self, folder: &Path) -> Result<Staged, FragmentError> {
        let failed = |source| FragmentError::Io { path: folder.to_owned(), source };
        if folder.symlink_metadata().is_ok() {
            return Err(failed(io::Error::new(io::ErrorKind::AlreadyExists, "is there already")));
        }
        let beside = match folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => parent.to_owned(),
            None => PathBuf::from("."),
        };
        let staged = tempfile::Builder::new().prefix(".part-").tempdir_in(&beside).map_err(failed)?;
        let signature = (!self.signature.is_empty()).then_some((SIGNATURE, &self.signature));
        for (name, bytes) in [(ANSWER, &self.answer), (PART, &self.part)].into_iter().chain(signature) {
            let mut file = fs::File::create_new(staged.path().join(name)).map_err(failed)?;
            file.write_all(bytes).map_err(failed)?;
            file.sync_all().map_err(failed)?;
        }
        fs::File::open(staged.path()).and_then(|staged| staged.sync_all()).map_err(failed)?;
        Ok(Staged { staged, beside, folder: folder.to_owned() })
    }

    /// Reads a folder. Nothing of it is believed yet.
    ///
    /// # Errors
    /// If a file is missing, too large, or no file.
    pub fn read(folder: &Path) -> Result<Fragment, FragmentError> {
        let signature = match folder.join(SIGNATURE).symlink_metadata() {
            Ok(_) => bytes_of(folder.join(SIGNATURE))?,
            Err(_) => Vec::new(),
        };
        Ok(Fragment { answer: bytes_of(folder.join(ANSWER))?, part: bytes_of(folder.join(PART))?, signature })
    }

    /// One message for the way: three lengths, and what they are the lengths of.
    pub fn to_bytes(&self) -> Vec<u8> {
        let all = [&self.answer, &self.part, &self.signature];
        let lengths = all.iter().flat_map(|bytes| (bytes.len() as u64).to_le_bytes());
        lengths.chain(all.iter().flat_map(|bytes| bytes.iter().copied())).collect()
    }

    /// The same read back; nothing where a byte is missing or left over.
    pub fn from_bytes(bytes: &[u8]) -> Option<Fragment> {
        let (lengths, mut rest) = bytes.split_at_checked(24)?;
        let mut next = |place: usize| {
            let length = u64::from_le_bytes(lengths[place * 8..place * 8 + 8].try_into().ok()?);
            let (taken, left) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            rest = left;
            Some(taken.to_vec())
        };
        let (answer, part, signature) = (next(0)?, next(1)?, next(2)?);
        rest.is_empty().then_some(Fragment { answer, part, signature })
    }

    /// What is in it, with digest and form looked at. `from` is what it is called in errors.
    ///
    /// # Errors
    /// If it is no part of an answer, or the figures are others than the annotation speaks of.
    pub fn open(&self, from: &Path) -> Result<Opened, FragmentError> {
        let wrong = |file: &str, what| FragmentError::Malformed { path: from.join(file), what };
        let annotation: Value = serde_json::from_slice(&self.answer)
            .map_err(|_| wrong(ANSWER, "is no annotation of an answer"))?;
        if annotation["analysis"]["done"] != json!("partial") {
            return Err(wrong(ANSWER, "speaks of no part of an answer: nothing is left to do"));
        }
        let part: Part =
            serde_json::from_slice(&self.part).map_err(|_| wrong(PART, "holds no figures of a part"))?;
        if annotation["part"]["sha256"] != json!(digest(&part)) {
            return Err(wrong(PART, "has other figures than answer.json speaks of"));
        }
        let remainder: Remainder = serde_json::from_value(annotation["remaining_plan"].clone())
            .map_err(|_| wrong(ANSWER, "has a plan that nobody knows how to finish"))?;
        remainder.check().map_err(|_| wrong(ANSWER, "has a plan that nobody can carry out"))?;
        Ok(Opened { annotation, part, remainder })
    }
}

/// A part that is on disk, and not in its place yet.
#[derive(Debug)]
pub struct Staged {
    staged: tempfile::TempDir,
    beside: PathBuf,
    folder: PathBuf,
}

impl Staged {
    /// Puts the folder in its place.
    ///
    /// # Errors
    /// If something else is there by now.
    pub fn put(self) -> Result<(), FragmentError> {
        let failed = |source| FragmentError::Io { path: self.folder.clone(), source };
        fs::rename(self.staged.path(), &self.folder).map_err(failed)?;
        // The folder has its place now, and must stay there.
        let _ = self.staged.keep();
        fs::File::open(&self.beside).and_then(|beside| beside.sync_all()).map_err(failed)
    }
}

/// A file, and no more of it than a part may have. Whoever made the folder may have put something into it that never ends, or never begins.
fn bytes_of(path: PathBuf) -> Result<Vec<u8>, FragmentError> {
    let open = || {
        // Nobody may ever write into a pipe: it is opened without waiting, and then refused.
        let waits_for_nobody = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let file = fs::OpenOptions::new().read(true).custom_flags(waits_for_nobody).open(&path)?;
        let is_file = file.metadata()?.is_file();
        let mut bytes = Vec::new();
        if is_file {
            file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        }
        Ok((is_file, bytes))
    };
    match open() {
        Ok((false, _)) => Err(FragmentError::Malformed { path, what: "is no file" }),
        Ok((true, bytes)) if bytes.len() as u64 > MOST_BYTES => {
            Err(FragmentError::Malformed { path, what: "is too large for a part of an answer" })
        }
        Ok((true, bytes)) => Ok(bytes),
        Err(source) => Err(FragmentError::Io { path, source }),
    }
}

/// A part of an answer.
#[derive(Clone, Debug)]
pub struct Opened {
    annotation: Value,
    part: Part,
    remainder: Remainder,
}

impl Opened {
    /// The node that worked it out, if somebody said so.
    pub fn node(&self) -> Option<&str> {
        self.annotation["node"]["name"].as_str()
    }

    /// The tables that it is about.
    pub fn tables(&self) -> Vec<&str> {
        let tables = self.annotation["data"]["tables"].as_array().into_iter().flatten();
        tables.filter_map(|table| table["name"].as_str()).collect()
    }
}
