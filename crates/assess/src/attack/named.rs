//! A release directory, or any table whose columns are named.

use super::{AttackError, AttackOptions};
use crate::{LoadError, ReleaseFacts, ReleaseTable, Roles, load_table};
use paravent_core::values::ValueType;
use paravent_job::Role;
use paravent_tables::missing_words::reads_like_missing;
use paravent_tables::watch::Watch;
use std::path::Path;

/// Reads a release directory, or a table with the roles that the options or the job name.
///
/// A table may come from any tool. Nothing is known of how its labels were made, and nothing was promised but what the options say.
pub(super) fn load(
    path: &Path,
    options: &AttackOptions,
    watch: &dyn Watch,
) -> Result<ReleaseTable, AttackError> {
    let named = !(options.quasi_identifiers.is_empty() && options.sensitive.is_empty());
    // What is not there is reported as a release that is not.
    let held = &options.in_memory;
    if held.is_release(path) || !held.exists(path) {
        return match named {
            true => Err(AttackError::Options(format!(
                "{}: a release has the roles of its manifest; --quasi-identifiers and --sensitive are for tables",
                path.display()
            ))),
            false => Ok(held.load_release(path, watch)?),
        };
    }
    let job = held.job(options.job.as_deref())?;
    let roles = job.as_ref().map(Roles::of_job).unwrap_or_default();
    let roles = roles.overridden(&options.quasi_identifiers, &options.sensitive)?.of_people(&options.person);
    if roles.names(Role::QuasiIdentifier).next().is_none() {
        return Err(LoadError::NoQuasiIdentifiers { path: path.to_owned() }.into());
    }
    let mut table = load_table(&held.source(path, job.as_ref()), &roles, watch)?;
    // Cells stand here as they are written; a type in which one of them is written otherwise would change those of other tables.
    for (ty, column) in table.types.iter_mut().zip(table.data.columns()) {
        let mut cells = (0..column.labels().len() as u32).filter_map(|code| column.cell(code));
        if !cells.all(|cell| ty.canonical(cell) == cell) {
            *ty = ValueType::String;
        }
    }
    Ok(ReleaseTable {
        table,
        generalizations: Vec::new(),
        levels: Vec::new(),
        facts: ReleaseFacts::default(),
        groups: Vec::new(),
        treatments: Default::default(),
        reading: None,
    })
}

/// Texts in sensitive columns that read like a missing value but count as one of their own.
pub(super) fn warnings(release: &ReleaseTable) -> Vec<String> {
    let columns = release.table.sensitive.iter().map(|&place| &release.table.data.columns()[place]);
    let warning = |column: &paravent_evidence::microdata::Column| {
        let words = (0..column.labels().len() as u32).filter_map(|code| column.cell(code));
        let words: Vec<&str> = words.filter(|cell| reads_like_missing(cell)).collect();
        paravent_tables::missing_words::warning(column.name(), &words)
    };
    let mut warnings: Vec<String> = columns.filter_map(warning).collect();
    warnings.extend(release.left_behind());
    warnings
}
