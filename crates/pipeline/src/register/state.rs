//! Is everything still as the register says?

use super::chain::{Chain, ReleaseLog};
use super::error::RegisterError;
use super::eyes::{Eyes, Files};
use super::file::Register;
use super::line::ReleaseRecord;
use super::witness;
use paravent_ledger::log::Broken;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What became of a registered release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseState {
    /// All its files are as they were.
    InPlace,
    /// A later release took its place.
    Replaced,
    /// The run ended after its line was written and before its files appeared.
    NeverAppeared,
    /// Its directory is not there any more.
    Gone,
    /// Files were changed, removed or exchanged.
    Changed,
    /// A release that it had replaced is in its place again.
    PutBack,
}

impl ReleaseState {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            ReleaseState::InPlace => "in place",
            ReleaseState::Replaced => "replaced",
            ReleaseState::NeverAppeared => "never appeared",
            ReleaseState::Gone => "gone",
            ReleaseState::Changed => "CHANGED",
            ReleaseState::PutBack => "PUT BACK",
        }
    }
}

/// What was found of one release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line of the register, from 1.
    pub line: usize,
    /// The number of the release.
    pub sequence: u64,
    /// Its directory.
    pub release: String,
    /// What became of it.
    pub state: ReleaseState,
    /// Why that is said.
    pub detail: String,
}

impl Finding {
    /// Whether files are there that were never registered in this place.
    fn is_wrong(&self) -> bool {
        matches!(self.state, ReleaseState::Changed | ReleaseState::PutBack)
    }
}

/// What was found of a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Whether the chain is whole and no file was changed.
    pub holds: bool,
    /// The file.
    pub register: PathBuf,
    /// Its sound lines.
    pub lines: usize,
    /// The first line that is not as it was written.
    pub broken: Option<Broken>,
    /// Releases that say they are registered, and are not: lines were removed, or the register was exchanged.
    pub unregistered: Vec<Broken>,
    /// What became of each release.
    pub releases: Vec<Finding>,
}

/// Looks at a register and at the releases it names. Changes nothing. Reads every file once, however many lines name it.
///
/// # Errors
/// If there is no register, or it cannot be read.
pub fn verify(place: &Path) -> Result<Verified, RegisterError> {
    let path = Register::path(place);
    let mut chain = Register::read(place)?;
    // Behind a broken line nothing can be said of what is missing.
    let missing = |chain: &Chain| {
        if chain.broken.is_none() { witness::missing(&path, chain, None) } else { Vec::new() }
    };
    let mut unregistered = missing(&chain);
    if !unregistered.is_empty() {
        // Another run may have added its line between the two looks.
        chain = Register::read(place)?;
        unregistered = missing(&chain);
    }
    let releases = findings(&Register::folder(place), &chain);
    Ok(Verified {
        holds: chain.broken.is_none() && unregistered.is_empty() && !releases.iter().any(Finding::is_wrong),
        register: path,
        lines: chain.lines.len(),
        broken: chain.broken.clone(),
        unregistered,
        releases,
    })
}

/// What became of every release.
fn findings(folder: &Path, chain: &Chain) -> Vec<Finding> {
    let all = chain.releases();
    let mut eyes = Eyes::new(folder, &all);
    all.iter().map(|&(line, release)| eyes.finding(line, release)).collect()
}

/// The releases whose files were changed or exchanged.
pub(super) fn wrong(folder: &Path, chain: &Chain) -> Vec<Finding> {
    findings(folder, chain).into_iter().filter(Finding::is_wrong).collect()
}

/// Whether all files of a release are in their place, as registered.
pub(super) fn is_in_place(directory: &Path, release: &ReleaseRecord) -> bool {
    Files::default().changed(directory, release).is_empty()
}

/// What tells a register from others.
pub(crate) fn chain_id(chain: &Chain) -> String {
    let salt = chain.salt().map(|salt| salt.cell("", None)).unwrap_or_default();
    format!("{salt:016x}")
}
