//! A release that is not on disk.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::{Staging, WriteError};
use crate::unnamed;

/// The files of a release, as they would be on disk. The data is in a file without a name, in memory while it is small.
#[derive(Clone)]
pub struct HeldFiles {
    /// Name of the data file.
    pub data_name: String,
    /// The data file.
    pub data: Arc<File>,
    /// The other files that are handed out.
    pub documents: BTreeMap<String, Vec<u8>>,
    /// The files that stay.
    pub private: BTreeMap<String, Vec<u8>>,
}

/// Contents stay out of logs.
impl fmt::Debug for HeldFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeldFiles({}, {} documents)", self.data_name, self.documents.len() + self.private.len())
    }
}

impl HeldFiles {
    /// No file yet.
    ///
    /// # Errors
    /// If the system gives no file.
    pub fn new() -> Result<HeldFiles, WriteError> {
        let data = Arc::new(unnamed::for_bytes(0).map_err(nowhere)?);
        let (documents, private) = (BTreeMap::new(), BTreeMap::new());
        Ok(HeldFiles { data_name: String::new(), data, documents, private })
    }

    /// The data file, to be written from its beginning; about so many bytes are expected.
    ///
    /// # Errors
    /// If the system gives no file.
    pub fn create_data(&mut self, name: &str, expected: u64) -> Result<File, WriteError> {
        self.data_name = name.to_owned();
        self.data = Arc::new(unnamed::for_bytes(expected).map_err(nowhere)?);
        self.data.try_clone().map_err(nowhere)
    }

    /// The data file from its beginning.
    pub fn open_data(&self) -> io::Result<File> {
        unnamed::reopened(&self.data)
    }

    /// Writes all files into directories that are about to appear.
    pub fn copy_to(&self, staging: &Staging) -> Result<(), WriteError> {
        let at = |name: &str| {
            let path = staging.path().join(name);
            move |source| WriteError::Io { path, source }
        };
        let mut file = staging.create(&self.data_name)?;
        let copied = self.open_data().and_then(|mut data| io::copy(&mut data, &mut file));
        copied.map_err(at(&self.data_name))?;
        for (name, bytes) in &self.documents {
            io::Write::write_all(&mut staging.create(name)?, bytes).map_err(at(name))?;
        }
        for (name, bytes) in &self.private {
            io::Write::write_all(&mut staging.create_private(name)?, bytes).map_err(at(name))?;
        }
        Ok(())
    }
}

/// A file without a name could not be made.
fn nowhere(source: io::Error) -> WriteError {
    WriteError::Io { path: unnamed::folder(), source }
}
