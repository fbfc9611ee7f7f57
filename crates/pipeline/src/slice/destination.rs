//! Where a sliced or noisy table or a released answer goes.

use super::SliceError;
use crate::register::Register;
use crate::release::{SigningKey, key_of};
use paravent_job::Job;
use paravent_tables::write::{Replace, Staging};
use std::path::PathBuf;

/// Where a release goes, and what goes with it.
#[derive(Debug, Clone)]
pub struct Destination {
    /// Its directory.
    pub target: PathBuf,
    /// Whether one that is there may be replaced.
    pub replace: Replace,
    /// The register, or the folder it is in; `None` writes no line.
    pub register: Option<PathBuf>,
    /// Name and digest of the job file, where there is one.
    pub job: Option<(String, String)>,
    /// A key to sign with; else the one that lies beside the job, if there is one.
    pub sign: Option<PathBuf>,
}

impl Destination {
    /// Whether a release may be put there: to be asked before anything is paid for. Gives back the key to sign with.
    ///
    /// # Errors
    /// If something is there, or the register or the key cannot be used.
    pub fn check(&self, job: Option<&Job>) -> Result<Option<SigningKey>, SliceError> {
        Staging::check(&self.target, self.replace)?;
        Register::admit(self.register.as_deref(), &self.target)?;
        Ok(key_of(self.sign.as_deref(), job)?)
    }

    /// The same for a dry run: nothing needs to be writable.
    ///
    /// # Errors
    /// If something is there, the register is broken, or the key cannot be used.
    pub fn look(&self, job: Option<&Job>) -> Result<(), SliceError> {
        Staging::check(&self.target, self.replace)?;
        match &self.register {
            Some(register) => Register::look(register, &self.target)?,
            None => Register::admit(None, &self.target)?,
        }
        key_of(self.sign.as_deref(), job)?;
        Ok(())
    }
}
