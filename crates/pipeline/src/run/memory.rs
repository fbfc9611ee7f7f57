//! The main job without files: a job and a table in, a verified release out.

use super::make::{Folders, Made, as_seen};
use super::{
    Alternative, Finished, Published, Registering, RunError, Solved, alternatives, in_pool, settle_verdict,
    sha256,
};
use crate::choose::{Levels, fix_levels};
use crate::register::Register;
use crate::release::{SigningKey, Transform, key_for};
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use paravent_job::Job;
use paravent_prepare::study::{Study, StudyError, Treatment, refuse};
use paravent_report::Document;
use paravent_tables::read::{Input, Table};
use paravent_tables::watch::{Unwatched, Watch};
use paravent_tables::write::{HeldFiles, RecordWriter, Replace, Staging};
use paravent_verify::{PublicKey, Verification, VerifyError, verify_held};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How to run a job on a table in memory, beyond what the job says.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// Whether messages may quote cells.
    pub show_values: bool,
    /// Repeats this transformation instead of searching for one.
    pub apply: Option<Transform>,
    /// Signs the manifest with this key, instead of one that lies beside the job.
    pub sign: Option<PathBuf>,
    /// SHA-256 of the job file, where there is one; else of the job as [`Job::to_toml`] writes it.
    pub job_sha256: Option<String>,
    /// Quasi-identifiers that take these levels only.
    pub levels: Levels,
    /// Whether a [dry run](dry_run_table) judges every node of the lattice.
    pub explore: bool,
}

impl Held {
    fn digest(&self, job: &Job) -> String {
        self.job_sha256.clone().unwrap_or_else(|| sha256(job.to_toml().as_bytes()))
    }

    fn solve(&self, job: &Job, table: Table, watch: &dyn Watch) -> Result<Solved, RunError> {
        let (input, mut own) = (Input::from_table(table), job.clone());
        fix_levels(&mut own, &self.levels).map_err(StudyError::from)?;
        let study = Study::prepare_input(own, input, self.apply.as_ref(), self.show_values, watch)?;
        Solved::new(study, self.apply.as_ref(), self.digest(job), watch)
    }
}

/// Searches and reports for a table in memory; nothing is released.
pub fn dry_run_table(
    job: &Job,
    table: Table,
    options: &Held,
    watch: &dyn Watch,
) -> Result<Finished, RunError> {
    refuse(job).map_err(StudyError::from)?;
    in_pool(job, || {
        let mut solved = options.solve(job, table, watch)?;
        solved.hold_against_registers(watch)?;
        solved.looked_at(options.explore, watch)
    })
}

/// Anonymizes a table in memory: the release is verified, or there is none.
///
/// The job's own input and output paths do not matter; hierarchy and population files are read from where it says.
pub fn anonymize_table(
    job: &Job,
    table: Table,
    options: &Held,
    watch: &dyn Watch,
) -> Result<Release, RunError> {
    refuse(job).map_err(StudyError::from)?;
    let key = key_for(options.sign.as_deref(), job.source.folder())?;
    in_pool(job, || {
        let solved = options.solve(job, table, watch)?;
        let (made, files) = solved.made(HeldFiles::new()?, Path::new(""), key.as_ref(), watch)?;
        let mut document = made.solved.document.clone();
        // The rows can be used at once, without being saved.
        made.hold_against_others(&mut document, &files.target(), None, watch)?;
        settle_verdict(&mut document);
        Ok(Release { made, files, document, signed_by: key.as_ref().map(SigningKey::public) })
    })
}

/// A verified release in memory.
///
/// It holds the released rows and what describes them, exactly as the files of a release would: [`save`](Self::save) only writes them.
#[derive(Debug)]
pub struct Release {
    made: Made,
    files: HeldFiles,
    document: Document,
    signed_by: Option<String>,
}

/// Where a release in memory is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether a release that is there may be replaced.
    pub replace: Replace,
    /// Whether the release is registered.
    pub register: Registering,
}

impl Default for SaveOptions {
    fn default() -> SaveOptions {
        SaveOptions { replace: Replace::Refuse, register: Registering::AsTheJobSays }
    }
}

impl Release {
    /// Names and types of the released columns. A column that is released as it came keeps its type, if that changes no cell.
    pub fn schema(&self) -> SchemaRef {
        self.writer().schema().clone()
    }

    /// The released rows, in their order.
    ///
    /// # Errors
    /// If rows that memory does not hold cannot be read back.
    pub fn batches(&self) -> Result<Vec<RecordBatch>, RunError> {
        let mut writer = self.writer();
        self.made.released.each(|codes, _, count| writer.push(codes, count))?;
        Ok(writer.finish().1)
    }

    /// The released rows as a table.
    ///
    /// # Errors
    /// As [`batches`](Self::batches).
    pub fn table(&self) -> Result<Table, RunError> {
        Ok(Table::new(self.schema(), self.batches()?)?.named("release"))
    }

    /// Released rows.
    pub fn rows(&self) -> u64 {
        self.made.solved.document.output.as_ref().map_or(0, |output| output.rows)
    }

    /// What `anonymize --json` prints.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The page that stays, self-contained.
    pub fn report_html(&self) -> String {
        self.made.page(&self.document)
    }

    /// The job that was run.
    pub fn job(&self) -> &Job {
        &self.made.solved.study.job
    }

    /// What is promised, as `manifest.json` says it.
    pub fn manifest(&self) -> Value {
        self.json("manifest.json")
    }

    /// The transformation, to be applied to rows that come later.
    ///
    /// # Errors
    /// None that a release of this version could have.
    pub fn transformation(&self) -> Result<Transform, RunError> {
        let bytes = self.files.private.get("transform.json").map(Vec::as_slice);
        Ok(Transform::parse(bytes.unwrap_or_default(), Path::new("transform.json"))?)
    }

    /// The transformation as `transform.json` has it: levels, hierarchies, labels.
    pub fn transformation_json(&self) -> Value {
        let bytes = self.files.private.get("transform.json");
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    }

    /// What the verifier said before there was a release.
    pub fn verification(&self) -> &Verification {
        &self.made.verification
    }

    /// Asks the verifier again, and whether the manifest was signed with a key.
    ///
    /// # Errors
    /// If the files cannot be examined.
    pub fn verify(&self, key: Option<&PublicKey>) -> Result<Verification, VerifyError> {
        verify_held(&as_seen(&self.files), key)
    }

    /// Neighbours of the chosen node that keep the promises, best first: what a user would try next.
    pub fn alternatives(&self) -> Vec<Alternative> {
        alternatives(&self.made.solved.study, &self.made.solved.solution)
    }

    /// The public key that signed the manifest.
    pub fn signed_by(&self) -> Option<&str> {
        self.signed_by.as_deref()
    }

    /// The table that was anonymized.
    pub fn input(&self) -> &Input {
        &self.made.solved.study.input
    }

    /// The files of the release as they are in memory.
    pub fn files(&self) -> &HeldFiles {
        &self.files
    }

    /// Writes the two folders and the line of the register: the bytes that a run from files writes. Gives the full document.
    ///
    /// # Errors
    /// If something is there already, or cannot be written or registered; nothing has appeared then.
    pub fn save(&mut self, target: &Path, options: &SaveOptions) -> Result<Document, RunError> {
        self.save_watched(target, options, &Unwatched)
    }

    /// The same with an observer, which may stop it before anything appears.
    ///
    /// # Errors
    /// As [`save`](Self::save), and if it was stopped.
    pub fn save_watched(
        &mut self,
        target: &Path,
        options: &SaveOptions,
        watch: &dyn Watch,
    ) -> Result<Document, RunError> {
        Staging::check(target, options.replace)?;
        let job = &self.made.solved.study.job;
        let register = job.register().filter(|_| options.register == Registering::AsTheJobSays);
        Register::admit(register.as_deref(), target)?;
        let threads = job.clone();
        let document = &mut self.made.solved.document;
        if document.input.sha256.is_none() {
            document.input.sha256 = Some(self.made.solved.study.input.digest()?);
        }
        if let Some(output) = &mut document.output {
            let name = Path::new(&output.path).file_name().unwrap_or_default().to_owned();
            output.path = target.join(name).display().to_string();
        }
        let made = &self.made;
        let document = in_pool(&threads, || {
            let staging = Staging::beside(target)?;
            self.files.copy_to(&staging)?;
            if watch.stop() {
                return Err(RunError::Stopped);
            }
            let to = Published { target, replace: options.replace, register: register.as_deref() };
            made.publish(staging, &to, watch)
        })?;
        self.document = document.clone();
        Ok(document)
    }

    fn json(&self, name: &str) -> Value {
        let bytes = self.files.documents.get(name);
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    }

    /// Record batches with the types of the input where nothing was generalized.
    fn writer(&self) -> RecordWriter {
        let Solved { study, solution, .. } = &self.made.solved;
        let schema = study.input.table().map(Table::schema);
        let came_as = |name: &str| Some(schema?.field_with_name(name).ok()?.data_type().clone());
        let is_raw = |position: usize| match &solution.boxes {
            None => solution.node.levels()[position] == 0,
            Some(boxes) => boxes.boxes.iter().all(|shown| shown.levels[position] == 0),
        };
        let wished: Vec<Option<DataType>> = study
            .columns
            .released()
            .map(|(_, column)| {
                let came_as = came_as(&column.name)?;
                match column.treatment {
                    Treatment::QuasiIdentifier(position) if !is_raw(position) => as_labels(came_as),
                    _ => Some(came_as),
                }
            })
            .collect();
        RecordWriter::new(&self.made.released.columns, &wished)
    }
}

/// The type of labels: the kind of text that the column came as.
fn as_labels(came_as: DataType) -> Option<DataType> {
    match &came_as {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(came_as),
        DataType::Dictionary(key, values) => {
            let values = as_labels((**values).clone())?;
            Some(DataType::Dictionary(key.clone(), Box::new(values)))
        }
        _ => None,
    }
}
