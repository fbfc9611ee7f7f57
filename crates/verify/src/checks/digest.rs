//! Are these the bytes that were written?

use super::Release;
use crate::Check;

pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let manifest = release.manifest;
    let compare = |file: &str, required: &str, found: &str| {
        let differs = !required.eq_ignore_ascii_case(found);
        let problems: &[String] =
            if differs { &["the file is not the one the manifest was written for".to_owned()] } else { &[] };
        Check::new("digest", Some(file), problems, "SHA-256 as in the manifest").comparing(required, found)
    };
    vec![
        compare(&manifest.output.file, &manifest.output.sha256, &release.data.sha256),
        compare(&manifest.transform_file, &manifest.transform_sha256, &release.transform_sha256),
    ]
}
