//! Is there anything in the directory that does not belong to a release?

use std::fs;
use std::path::Path;

use crate::manifest::Manifest;
use crate::{Check, VerifyError};

/// What a release may hold beside the files that the manifest names.
const OTHERS: [&str; 3] = ["manifest.json", "report.html", "report.json"];

/// Every file of the directory is one of a release: nobody has looked at any other.
pub(crate) fn check(dir: &Path, manifest: &Manifest<'_>) -> Result<Check, VerifyError> {
    let io_error = |source| VerifyError::Io { file: dir.display().to_string(), source };
    let mut strangers = 0;
    for entry in fs::read_dir(dir).map_err(io_error)? {
        let name = entry.map_err(io_error)?.file_name();
        let known = OTHERS.iter().any(|known| name == *known)
            || name == manifest.output.file.as_str()
            || name == manifest.transform_file.as_str();
        strangers += usize::from(!known);
    }
    let problems = if strangers == 0 {
        Vec::new()
    } else {
        vec![format!("{strangers} files that are not part of a release")]
    };
    Ok(Check::new("files", None, &problems, "nothing in the directory but the release"))
}
