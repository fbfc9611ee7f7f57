//! Withdrawals that wait for others.

use super::State;
use crate::refusal::AskError;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{fs, io};

impl State {
    /// Whose consent is in effect: all who agree now, and those who withdrew while there are fewer than `batch` of them.
    ///
    /// # Errors
    /// If it cannot be read or kept.
    pub fn consenting(
        &self,
        purpose: &str,
        agreed: BTreeSet<u64>,
        batch: usize,
    ) -> Result<BTreeSet<u64>, AskError> {
        let path = self.consent_file(purpose);
        let failed = |source: io::Error| AskError::State { path: path.clone(), source };
        let earlier = self.consented(purpose)?;
        let withdrawn: BTreeSet<u64> = earlier.difference(&agreed).copied().collect();
        let in_effect: BTreeSet<u64> = match withdrawn.len() < batch {
            true => agreed.union(&withdrawn).copied().collect(),
            false => agreed,
        };
        if in_effect != earlier {
            let text = serde_json::to_vec(&in_effect).map_err(|_| failed(io::Error::other("no text")))?;
            self.replace(&path, &text).map_err(failed)?;
        }
        Ok(in_effect)
    }

    /// Whose consent was in effect for the last answer that was not covered by noise.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn consented(&self, purpose: &str) -> Result<BTreeSet<u64>, AskError> {
        let path = self.consent_file(purpose);
        let failed = |source: io::Error| AskError::State { path: path.clone(), source };
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|_| failed(io::Error::other("earlier consent is not as it was written"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(failed(error)),
        }
    }

    fn consent_file(&self, purpose: &str) -> PathBuf {
        self.folder.join(format!("consent-{}.json", &self.name(&["consent", purpose])[..16]))
    }
}
