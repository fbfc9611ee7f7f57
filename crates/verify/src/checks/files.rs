//! Is there anything in the directory that does not belong to a release, and is every file a plain one?

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::data;
use crate::manifest::{Manifest, NamedFile};
use crate::signature::SIGNATURE;
use crate::{Check, VerifyError};

/// The pages and documents that a release has for people and programs.
const REPORTS: [&str; 2] = ["report.html", "report.json"];

/// Every file of the directory is one of a release: nobody has looked at any other. A link would show the recipient another
/// file than the one that was looked at, and a folder could hold anything.
pub(crate) fn check(dir: &Path, manifest: &Manifest<'_>) -> Result<Check, VerifyError> {
    let transform = manifest.transform.iter().map(|transform| transform.file.as_str());
    let signature = manifest.is_handed_out().then_some(SIGNATURE);
    only(dir, &manifest.output.file, transform.chain(signature))
}

/// The same for a release of data, manifest and reports.
pub(crate) fn nothing_else(dir: &Path, data: &str) -> Result<Check, VerifyError> {
    only(dir, data, std::iter::empty())
}

fn only<'a>(dir: &Path, data: &'a str, more: impl Iterator<Item = &'a str>) -> Result<Check, VerifyError> {
    let io_error = |source| VerifyError::Io { file: dir.display().to_string(), source };
    let known: Vec<&str> = REPORTS.into_iter().chain([crate::MANIFEST, data]).chain(more).collect();
    let (mut strangers, mut problems) = (0, Vec::new());
    for entry in fs::read_dir(dir).map_err(io_error)? {
        let entry = entry.map_err(io_error)?;
        let name = entry.file_name();
        match known.iter().find(|known| name == **known) {
            None => strangers += 1,
            Some(name) => {
                let metadata = entry.path().symlink_metadata().map_err(io_error)?;
                problems.extend(not_plain(&metadata).map(|what| format!("{name} {what}")));
            }
        }
    }
    if strangers > 0 {
        problems.insert(0, format!("{strangers} files that are not part of a release"));
    }
    let clash = REPORTS.contains(&data) || [crate::MANIFEST, SIGNATURE].contains(&data);
    if clash {
        problems.push("the manifest gives the data file a name that another file has".to_owned());
    }
    Ok(Check::new("files", None, &problems, "nothing in the directory but the plain files of a release"))
}

fn not_plain(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_symlink() => Some("is a symbolic link"),
        () if kind.is_dir() => Some("is a directory"),
        () if !kind.is_file() => Some("is not a file"),
        () if metadata.nlink() > 1 => Some("has another name elsewhere (a hard link)"),
        () => None,
    }
}

/// The reports are the ones that were written: what they say was computed, not written by hand.
pub(crate) fn check_reports(dir: &Path, manifest: &Manifest<'_>) -> Vec<Check> {
    if !manifest.is_handed_out() {
        return Vec::new();
    }
    reports(dir, &manifest.reports)
}

/// The reports are the ones that are listed.
pub(crate) fn reports(dir: &Path, all: &[NamedFile]) -> Vec<Check> {
    let report = |name: &str| {
        let listed: Vec<&str> =
            all.iter().filter(|report| report.file == name).map(|report| report.sha256.as_str()).collect();
        let found = data::read_document(dir, name).map(|bytes| data::sha256(&bytes));
        let problem = match (listed.as_slice(), &found) {
            (_, Err(_)) => Some("the file is not there, or is not a plain file"),
            ([required], Ok(found)) if required.eq_ignore_ascii_case(found) => None,
            ([_], Ok(_)) => Some("the file is not the one the manifest was written for"),
            (_, Ok(_)) => Some("the manifest does not list the file once"),
        };
        let problems: Vec<String> = problem.map(str::to_owned).into_iter().collect();
        Check::new("digest", Some(name), &problems, "SHA-256 as in the manifest")
            .comparing(listed.first().copied(), found.ok())
    };
    let strangers = all.iter().filter(|report| !REPORTS.contains(&report.file.as_str())).count();
    let mut checks: Vec<Check> = REPORTS.into_iter().map(report).collect();
    if strangers > 0 {
        checks.push(Check::new(
            "digest",
            None,
            &["the manifest lists reports that no release has".to_owned()],
            "",
        ));
    }
    checks
}
