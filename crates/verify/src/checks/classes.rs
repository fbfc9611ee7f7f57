//! Are there as many classes as the manifest says, and is the smallest as large?

use serde_json::json;

use super::Release;
use crate::Check;
use crate::manifest::PersonRows;

pub(super) fn check(release: &Release<'_>) -> Check {
    let (manifest, sizes) = (release.manifest, release.sizes());
    let (classes, smallest) = (sizes.len() as u64, sizes.iter().min().copied());
    let mut problems = Vec::new();
    // Without knowing whose rows they are, rows are alike that belong to people who are not.
    let by_people = manifest.people.as_ref().is_some_and(|people| people.rows == PersonRows::Set);
    let unknown = by_people && release.lacks_people();
    if if unknown { classes > manifest.classes } else { classes != manifest.classes } {
        problems.push(format!("{classes} classes in the file, {} in the manifest", manifest.classes));
    }
    let of = if manifest.people.is_some() { "people" } else { "rows" };
    // Without knowing whose rows they are, a class has at least as many rows as people.
    let (found, claimed) = (smallest.unwrap_or(0), manifest.smallest_class.unwrap_or(0));
    if if release.lacks_people() { found < claimed } else { found != claimed } {
        problems.push(format!("the smallest class has {found} {of}, the manifest says {claimed}"));
    }
    let of = if release.lacks_people() { "rows" } else { of };
    let fine = format!("{classes} classes, the smallest of {found} {of}");
    Check::new("classes", None, &problems, fine).comparing(
        json!({ "classes": manifest.classes, "smallest_class": manifest.smallest_class }),
        json!({ "classes": classes, "smallest_class": smallest }),
    )
}
