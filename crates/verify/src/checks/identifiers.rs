//! Is everything gone that had to go?

use super::Release;
use crate::Check;
use crate::manifest::Attribute;
use crate::types::Role;

pub(super) fn check(release: &Release<'_>) -> Check {
    let (manifest, data) = (release.manifest, release.data);
    let mut problems = Vec::new();
    for name in &manifest.dropped {
        if data.column(name).is_some() {
            problems.push(format!("column {name} was to be dropped but is in the file"));
        }
        if manifest.attribute(name).is_some() {
            problems.push(format!("column {name} is listed both as dropped and as released"));
        }
    }
    let as_it_is =
        |attribute: &&Attribute| attribute.role == Role::Identifying && !attribute.treatment.pseudonyms;
    for attribute in manifest.attributes.iter().filter(as_it_is) {
        problems.push(format!(
            "column {} is released although the manifest calls it identifying",
            attribute.name
        ));
    }
    let recoded = release.transform.into_iter().flat_map(|transform| &transform.columns);
    for column in recoded.filter(|column| column.role == Role::Identifying && !column.treatment.pseudonyms) {
        if !manifest.dropped.contains(&column.name) {
            problems.push(format!("identifying column {} is not listed as dropped", column.name));
            if data.column(&column.name).is_some() {
                problems.push(format!("identifying column {} is in the file", column.name));
            }
        }
    }
    let fine = format!("{} dropped columns, none in the file", manifest.dropped.len());
    Check::new("identifiers", None, &problems, fine)
}
