//! Is there anything in the directory that does not belong to a release, and is every file a plain one?

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use crate::data;
use crate::folder::Folder;
use crate::json::Node;
use crate::manifest::{Format, Manifest, NamedFile};
use crate::signature::SIGNATURE;
use crate::{Check, NotChecked, VerifyError};

/// The pages and documents that a release has for people and programs.
const REPORTS: [&str; 2] = ["report.html", "report.json"];

/// Every file of the directory is one of a release: nobody has looked at any other. A link would show the recipient another
/// file than the one that was looked at, and a folder could hold anything.
pub(crate) fn check(dir: &Folder<'_>, manifest: &Manifest<'_>) -> Result<Check, VerifyError> {
    let transform = manifest.transform.iter().map(|transform| transform.file.as_str());
    let signature = manifest.is_handed_out().then_some(SIGNATURE);
    // A table has no file here.
    let data =
        if matches!(manifest.output.format, Format::Table) { "" } else { manifest.output.file.as_str() };
    only(dir, data, transform.chain(signature))
}

/// The same for a release of data, manifest, signature and reports.
pub(crate) fn nothing_else(dir: &Folder<'_>, data: &str) -> Result<Check, VerifyError> {
    only(dir, data, std::iter::once(SIGNATURE))
}

/// The reports of a release of another kind, and what is left open where an older manifest does not list them.
pub(crate) fn listed_reports(
    dir: &Folder<'_>,
    root: &Node<'_>,
) -> Result<(Vec<Check>, Option<NotChecked>), VerifyError> {
    let Some(listed) = root.optional("reports") else {
        let why = "the manifest does not list them; whoever has the folder can change them".to_owned();
        return Ok((Vec::new(), Some(NotChecked { name: "reports".to_owned(), subject: None, why })));
    };
    let listed: Vec<NamedFile> =
        listed.columns()?.map(|node| NamedFile::parse(&node)).collect::<Result<_, _>>()?;
    Ok((reports(dir, &listed), None))
}

fn only<'a>(
    dir: &Folder<'_>,
    data: &'a str,
    more: impl Iterator<Item = &'a str>,
) -> Result<Check, VerifyError> {
    let known: Vec<&str> = REPORTS.into_iter().chain([crate::MANIFEST, data]).chain(more).collect();
    let (mut strangers, mut problems) = (0, Vec::new());
    for (name, metadata) in dir.entries()? {
        match known.iter().find(|known| name == **known) {
            None => strangers += 1,
            Some(name) => {
                let what = metadata.as_ref().and_then(not_plain);
                problems.extend(what.map(|what| format!("{name} {what}")));
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
pub(crate) fn check_reports(dir: &Folder<'_>, manifest: &Manifest<'_>) -> Vec<Check> {
    if !manifest.is_handed_out() {
        return Vec::new();
    }
    reports(dir, &manifest.reports)
}

/// The reports are the ones that are listed.
pub(crate) fn reports(dir: &Folder<'_>, all: &[NamedFile]) -> Vec<Check> {
    let report = |name: &str| {
        let listed: Vec<&str> =
            all.iter().filter(|report| report.file == name).map(|report| report.sha256.as_str()).collect();
        let found = dir.read(name).map(|bytes| data::sha256(&bytes));
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
