//! Are these the bytes that were written?

use super::Release;
use crate::Check;

pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let manifest = release.manifest;
    let compare = |file: &str, required: &str, found: &str, fine: &str, other: &str| {
        let differs = !required.eq_ignore_ascii_case(found);
        let problems: &[String] = if differs { &[other.to_owned()] } else { &[] };
        Check::new("digest", Some(file), problems, fine).comparing(required, found)
    };
    let of_manifest = |file: &str, required: &str, found: &str| {
        let other = "the file is not the one the manifest was written for";
        compare(file, required, found, "SHA-256 as in the manifest", other)
    };
    let mut checks = vec![of_manifest(&manifest.output.file, &manifest.output.sha256, &release.data.sha256)];
    if let (Some(transform), Some(found)) = (&manifest.transform, release.transform_sha256) {
        checks.push(of_manifest(&transform.file, &transform.sha256, found));
    }
    if let Some(transform) = release.transform.filter(|_| manifest.is_handed_out()) {
        let required = transform.manifest_sha256.as_deref().unwrap_or("not said");
        let other = "the manifest was changed, or the private folder belongs to another release";
        let fine = "SHA-256 as in the private folder";
        checks.push(compare("manifest.json", required, release.manifest_sha256, fine, other));
    }
    checks
}
