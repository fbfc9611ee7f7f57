//! Making the files of a release: data first, then what describes it, and at last the verifier's word.

use super::{RunError, sha256};
use crate::files::{pretty, put, put_private};
use crate::release::{
    ReportDigests, SigningKey, file_name, manifest, output_format, recode, transform, unchanged,
};
use paravent_core::release::Solution;
use paravent_prepare::study::{Found, Study};
use paravent_report::{self as report, UnchangedFacts, View, external_document};
use paravent_tables::read::ReadError;
use paravent_tables::watch::{Phase, Watch};
use paravent_tables::write::{OutputFormat, Staging, Written};
use paravent_verify::{Verification, verify};
use rand::rngs::{ChaCha20Rng, SysRng};
use rand::{Rng, SeedableRng};
use std::path::Path;
use std::thread::JoinHandle;

/// What a release is made of.
pub(super) struct Making<'a> {
    pub(super) study: &'a Study,
    pub(super) found: &'a Found,
    pub(super) solution: &'a Solution,
}

/// A data file that was written, but is described by nothing yet.
pub(super) struct Data {
    pub(super) staging: Staging,
    /// Name of the data file.
    pub(super) name: String,
    pub(super) written: Written,
    /// Where people are counted: a token per released row, line by line.
    people: Option<Vec<u8>>,
    format: OutputFormat,
    /// What the columns tell that are released as they are.
    pub(super) unchanged: Option<UnchangedFacts>,
}

/// A line per row. Tokens are drawn anew for every release, so that two of them cannot be joined.
fn tokens(persons: &[u32]) -> Result<Vec<u8>, RunError> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut random = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| RunError::NoRandomness)?;
    let most = persons.iter().max().map_or(0, |&most| most as usize + 1);
    let tokens: Vec<u64> = (0..most).map(|_| random.next_u64()).collect();
    let mut lines = Vec::with_capacity(persons.len() * 17);
    for &person in persons {
        let token = tokens[person as usize];
        lines.extend((0..16).map(|digit| DIGITS[(token >> (60 - 4 * digit)) as usize & 15]));
        lines.push(b'\n');
    }
    Ok(lines)
}

impl Making<'_> {
    /// Recodes and writes the rows.
    pub(super) fn data(&self, target: &Path, watch: &dyn Watch) -> Result<Data, RunError> {
        let released = recode(self.study, self.solution, watch)?;
        let unchanged = unchanged::<RunError>(self.study, self.solution, &released)?;
        watch.begin(Phase::Writing);
        let staging = Staging::beside(target)?;
        let format = output_format(self.study, &released.columns);
        let name = file_name(&format);
        let (written, persons) =
            released.write(&staging.path().join(&name), staging.create(&name)?, &format)?;
        let people = persons.map(|persons| tokens(&persons)).transpose()?;
        Ok(Data { staging, name, written, people, format, unchanged })
    }

    /// Writes everything that is handed out, and the transformation, and asks the verifier. The reports speak of a verified release: there is
    /// none unless the verifier agrees. Gives the digest of the input, which nobody needed before.
    pub(super) fn describe(
        &self,
        data: &Data,
        outside: &View,
        key: Option<&SigningKey>,
        input_digest: JoinHandle<Result<String, ReadError>>,
        watch: &dyn Watch,
    ) -> Result<(String, Verification), RunError> {
        let (study, staging) = (self.study, &data.staging);
        let page = report::render(outside);
        let document = pretty(&external_document(&outside.document));
        put(staging, "report.html", page.as_bytes())?;
        put(staging, "report.json", &document)?;
        let reports = ReportDigests { html: sha256(page.as_bytes()), json: sha256(&document) };
        let manifest = manifest(study, self.found, self.solution, &data.written, &data.format, &reports)?;
        let manifest = pretty(&manifest);
        put(staging, "manifest.json", &manifest)?;
        if let Some(key) = key {
            put(staging, "manifest.sig", key.sign(&manifest).as_bytes())?;
        }
        if let Some(people) = &data.people {
            put_private(staging, "people.txt", people)?;
        }
        let people = data.people.as_deref().map(sha256);
        let transform = transform(study, self.solution, &sha256(&manifest), people.as_deref());
        put_private(staging, "transform.json", &pretty(&transform))?;
        let input_digest = input_digest.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        study.input.unchanged_since(&study.fingerprint)?;
        watch.begin(Phase::Verifying);
        Ok((input_digest, verify(staging.path())?))
    }
}
