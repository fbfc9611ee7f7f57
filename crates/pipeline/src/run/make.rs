//! Making the files of a release: data first, then what describes it, and at last the verifier's word.

use super::{Published, RunError, Solved, settle_verdict, sha256};
use crate::files::{pretty, put, put_private};
use crate::register::{Announced, Beside, Entry, others};
use crate::release::{
    ReleasedTable, ReportDigests, SigningKey, file_name, manifest, output_format, recode, transform,
    unchanged,
};
use paravent_assess::attack::AttackOptions;
use paravent_core::release::Solution;
use paravent_job::SuppressedRows;
use paravent_prepare::study::{Found, Study};
use paravent_report::{self as report, Document, UnchangedFacts, View, external_document};
use paravent_tables::watch::{Phase, Watch};
use paravent_tables::write::{HeldFiles, OutputFormat, Staging, WriteError, Written};
use paravent_verify::{Held, Verification, VerifyError, verify, verify_held};
use rand::rngs::{ChaCha20Rng, SysRng};
use rand::{Rng, SeedableRng};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The two folders of a release in the making, wherever they are.
pub(super) trait Folders: Send {
    /// The data file, to be written once; about this number of bytes is expected.
    fn data(&mut self, name: &str, expected: u64) -> Result<File, WriteError>;
    /// The data file for messages.
    fn shown(&self, name: &str) -> PathBuf;
    /// A file that is handed out.
    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError>;
    /// A file that stays.
    fn put_private(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError>;
    /// What the verifier says of them.
    fn verify(&self) -> Result<Verification, VerifyError>;
    /// The release as something to attack.
    fn target(&self) -> AttackOptions;
}

/// Hidden directories beside the place where they will appear.
impl Folders for Staging {
    fn data(&mut self, name: &str, _: u64) -> Result<File, WriteError> {
        self.create(name)
    }

    fn shown(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        put(self, name, bytes)
    }

    fn put_private(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        put_private(self, name, bytes)
    }

    fn verify(&self) -> Result<Verification, VerifyError> {
        verify(self.path())
    }

    fn target(&self) -> AttackOptions {
        AttackOptions { release: Some(self.path().to_owned()), ..AttackOptions::default() }
    }
}

/// In memory; large data in a file without a name.
impl Folders for HeldFiles {
    fn data(&mut self, name: &str, expected: u64) -> Result<File, WriteError> {
        self.create_data(name, expected)
    }

    fn shown(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.documents.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn put_private(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.private.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn verify(&self) -> Result<Verification, VerifyError> {
        verify_held(&as_seen(self), None)
    }

    fn target(&self) -> AttackOptions {
        let mut target = AttackOptions::default();
        target.release = Some(target.in_memory.release("release", self.clone()));
        target
    }
}

/// A release in memory as the verifier takes it.
pub(super) fn as_seen(held: &HeldFiles) -> Held<'_> {
    Held { data: (&held.data_name, &held.data), documents: &held.documents, private: Some(&held.private) }
}

/// What a release is made of.
pub(super) struct Making<'a> {
    pub(super) study: &'a Study,
    pub(super) found: &'a Found,
    pub(super) solution: &'a Solution,
}

/// A data file that was written, but is described by nothing yet.
pub(super) struct Data<F> {
    pub(super) folders: F,
    /// Name of the data file.
    pub(super) name: String,
    pub(super) written: Written,
    /// Where people are counted: a token per released row, line by line.
    pub(super) people: Option<Vec<u8>>,
    pub(super) format: OutputFormat,
    /// What the columns tell that are released as they are.
    pub(super) unchanged: Option<UnchangedFacts>,
    pub(super) released: ReleasedTable,
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
    pub(super) fn data<F: Folders>(&self, mut folders: F, watch: &dyn Watch) -> Result<Data<F>, RunError> {
        let mut released = recode(self.study, self.solution, watch)?;
        let unchanged = unchanged::<RunError>(self.study, self.solution, &released)?;
        if self.study.job.output.suppressed == SuppressedRows::Star {
            released.show_stars(self.solution.suppressed_rows);
        }
        watch.begin(Phase::Writing);
        let format = output_format(self.study, &released.columns);
        let name = file_name(&format);
        let file = folders.data(&name, self.expected_bytes(&released))?;
        let (written, persons) = released.write(&folders.shown(&name), file, &format)?;
        let people = persons.map(|persons| tokens(&persons)).transpose()?;
        Ok(Data { folders, name, written, people, format, unchanged, released })
    }

    /// About the mean cell of each column for every row.
    fn expected_bytes(&self, released: &ReleasedTable) -> u64 {
        let widths = released.columns.iter().map(|column| {
            let bytes: usize = column.cells.iter().flatten().map(String::len).sum();
            bytes as u64 / column.cells.len().max(1) as u64 + 1
        });
        let rows = self.study.table.row_count() - self.solution.suppressed_rows;
        widths.sum::<u64>().saturating_mul(rows)
    }

    /// Writes everything that is handed out, and the transformation, and asks the verifier. The reports speak of a verified release: there is
    /// none unless the verifier agrees.
    pub(super) fn describe<F: Folders>(
        &self,
        data: &mut Data<F>,
        outside: &View,
        key: Option<&SigningKey>,
        watch: &dyn Watch,
    ) -> Result<Verification, RunError> {
        let (study, files) = (self.study, &mut data.folders);
        let page = report::render(outside);
        let document = pretty(&external_document(&outside.document));
        files.put("report.html", page.as_bytes())?;
        files.put("report.json", &document)?;
        let reports = ReportDigests { html: sha256(page.as_bytes()), json: sha256(&document) };
        let manifest = manifest(study, self.found, self.solution, &data.written, &data.format, &reports)?;
        let manifest = pretty(&manifest);
        files.put("manifest.json", &manifest)?;
        if let Some(key) = key {
            files.put("manifest.sig", key.sign(&manifest).as_bytes())?;
        }
        if let Some(people) = &data.people {
            files.put_private("people.txt", people)?;
        }
        let people = data.people.as_deref().map(sha256);
        let shown = &data.released.columns;
        let transform = transform(study, self.solution, &sha256(&manifest), people.as_deref(), shown);
        files.put_private("transform.json", &pretty(&transform))?;
        study.input.unchanged_since(&study.fingerprint)?;
        watch.begin(Phase::Verifying);
        Ok(files.verify()?)
    }
}

/// A verified release that is not in its place yet.
#[derive(Debug)]
pub(super) struct Made {
    /// The document says all but what the register adds, and has no verdict yet.
    pub(super) solved: Solved,
    /// For the report that stays.
    pub(super) view: View,
    pub(super) verification: Verification,
    pub(super) name: String,
    pub(super) written: Written,
    pub(super) released: ReleasedTable,
}

impl Made {
    /// Adds what the register knows, writes the reports that stay, and lets the release appear. Gives the full document.
    pub(super) fn publish(
        &self,
        staging: Staging,
        to: &Published<'_>,
        watch: &dyn Watch,
    ) -> Result<Document, RunError> {
        let mut document = self.solved.document.clone();
        document.unregistered = to.register.is_none();
        self.hold_against_others(&mut document, &staging.target(), to.register, watch)?;
        let entry = match to.register {
            Some(register) => {
                let made = Announced {
                    input: document.input.sha256.as_deref().unwrap_or_default(),
                    job: &document.job_sha256,
                    data: (&self.name, &self.written.sha256),
                };
                let study = &self.solved.study;
                Some(Entry::prepare::<RunError>(study, (register, to.target), &staging, &made, watch)?)
            }
            None => None,
        };
        if let Some(entry) = &entry {
            document.warnings.extend(entry.warnings());
            document.register = Some(entry.facts());
        }
        settle_verdict(&mut document);
        let view = View { document: document.clone(), ..self.view.clone() };
        put_private(&staging, "report.html", report::render(&view).as_bytes())?;
        put_private(&staging, "report.json", &pretty(&json!(document)))?;
        if watch.stop() {
            return Err(RunError::Stopped);
        }
        match entry {
            Some(entry) => {
                let rows = self.solved.study.table.row_count() - self.solved.solution.suppressed_rows;
                entry.publish::<RunError>(staging, to.replace, rows)?;
            }
            None => staging.publish(to.replace)?,
        }
        Ok(document)
    }

    /// Holds the release against the releases of registers that get no line of it.
    pub(super) fn hold_against_others(
        &self,
        document: &mut Document,
        target: &AttackOptions,
        register: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<(), RunError> {
        let study = &self.solved.study;
        for file in others(&study.job, register) {
            let input = match &document.input.sha256 {
                Some(digest) => digest.clone(),
                None => study.input.digest()?,
            };
            let Some(mut beside) = Beside::read::<RunError>(study, &file, &input, watch)? else { continue };
            beside.attack(target, &self.written.sha256, watch);
            document.warnings.extend(beside.warnings());
            document.held_against.push(beside.told());
        }
        Ok(())
    }

    /// The page that stays, as it is before a register adds to it.
    pub(super) fn page(&self, document: &Document) -> String {
        report::render(&View { document: document.clone(), ..self.view.clone() })
    }
}
