//! What `slice` and `noise` share: their job, where the result goes, and what a bare table is held against.

use super::run_error;
use crate::answer::Answer;
use crate::failure::Failure;
use paravent_pipeline::job::Job;
use paravent_pipeline::slice::{CodedTable, Destination, Related, digest, held_against};
use paravent_pipeline::study::refuse_treatments;
use paravent_pipeline::write::Replace;
use std::path::{Path, PathBuf};

/// A job, and the name and digest of its file.
pub(crate) type NamedJob = (Job, (String, String));

/// The job, if there is one; `command` does what treatments cannot be combined with.
pub(crate) fn named_job(path: Option<&Path>, command: &str) -> Result<Option<NamedJob>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let (job, bytes) =
        Job::load_with_bytes(path, &[]).map_err(|problems| run_error::of_problems(problems, path))?;
    refuse_treatments(&job, command).map_err(|problems| run_error::of_problems(problems, path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Some((job, (name, digest(&bytes)))))
}

/// A file of one table, or the folder of a release.
pub(super) enum Output {
    Printed,
    File { path: PathBuf, delimiter: u8 },
    Release(PathBuf),
}

impl Output {
    pub(super) fn of(release: Option<&Path>, output: Option<&Path>) -> Result<Output, Failure> {
        if let Some(folder) = release {
            return Ok(Output::Release(folder.to_owned()));
        }
        let Some(path) = output else {
            let message =
                "where should the result go? Name a folder with --release, or a file or folder with --output";
            return Err(Failure::Usage { message: message.to_owned() });
        };
        if path.as_os_str() == "-" {
            return Ok(Output::Printed);
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv" | "txt") => Ok(Output::File { path: path.to_owned(), delimiter: b',' }),
            Some("tsv" | "tab") => Ok(Output::File { path: path.to_owned(), delimiter: b'\t' }),
            None => Ok(Output::Release(path.to_owned())),
            Some(_) => Err(Failure::Usage {
                message: format!(
                    "{}: write to a file that ends in .csv or .tsv, to -, or to a folder for a release",
                    path.display()
                ),
            }),
        }
    }
}

/// How a release is written.
pub(super) struct Written<'a> {
    /// Over one that is there.
    pub(super) force: bool,
    /// Without a line in the register.
    pub(super) no_register: bool,
    /// The key to sign with.
    pub(super) sign: Option<&'a Path>,
}

/// Where a release goes. The register lies beside the job file; without one, beside the release.
pub(super) fn destination(target: &Path, job: Option<&NamedJob>, written: &Written<'_>) -> Destination {
    let beside = || match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let register = match job {
        Some((job, _)) => job.register(),
        None => Some(beside()),
    };
    Destination {
        target: target.to_owned(),
        replace: if written.force { Replace::Force } else { Replace::Refuse },
        register: register.filter(|_| !written.no_register),
        job: job.map(|(_, named)| named.clone()),
        sign: written.sign.map(Path::to_owned),
    }
}

/// A table that leaves without a line in a register: the earlier releases of the same rows or people are told all the same.
#[derive(Debug, Default)]
pub(crate) struct Bare {
    pub(crate) warnings: Vec<String>,
    doubts: Vec<String>,
}

impl Bare {
    /// Looks into the registers that the job knows; without a job, into the one beside the file.
    pub(crate) fn held_against(
        table: &CodedTable,
        columns: &[String],
        job: Option<&Job>,
        file: Option<&Path>,
    ) -> Result<Bare, Failure> {
        let folder = file.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let places = (folder.unwrap_or(Path::new(".")), None);
        let related =
            held_against(table, columns, job, places).map_err(|error| run_error::of_register(&error))?;
        Ok(Bare {
            warnings: related.iter().flat_map(Related::warnings).collect(),
            doubts: related.iter().filter_map(Related::doubt).collect(),
        })
    }

    /// The warnings as lines of remarks.
    pub(super) fn remarks(&self) -> String {
        self.warnings.iter().map(|warning| format!("· {warning}\n")).collect()
    }

    /// Told on standard error, too, also where the rest is quiet.
    pub(crate) fn add(self, mut answer: Answer) -> Answer {
        if !self.doubts.is_empty() {
            answer.alarm = Some(self.doubts.join("; "));
            answer.json["warnings"] = self.warnings.into();
        }
        answer
    }
}
