//! A release directory, or any table whose columns are named.

use super::{AttackError, AttackOptions};
use crate::{LoadError, ReleaseFacts, ReleaseTable, Roles, TableSource, load_release, load_table};
use paravent_job::{Job, Role};
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
    if path.is_dir() || !path.exists() {
        return match named {
            true => Err(AttackError::Options(format!(
                "{}: a release has the roles of its manifest; --quasi-identifiers and --sensitive are for tables",
                path.display()
            ))),
            false => Ok(load_release(path, watch)?),
        };
    }
    let job = options.job.as_deref().map(Job::load).transpose()?;
    let roles = job.as_ref().map(Roles::of_job).unwrap_or_default();
    let roles = roles.overridden(&options.quasi_identifiers, &options.sensitive)?.of_people(&options.person);
    if roles.names(Role::QuasiIdentifier).next().is_none() {
        return Err(LoadError::NoQuasiIdentifiers { path: path.to_owned() }.into());
    }
    let source = match &job {
        Some(job) => TableSource::AsInJob(path, job),
        None => TableSource::File(path),
    };
    let table = load_table(&source, &roles, watch)?;
    Ok(ReleaseTable {
        table,
        generalizations: Vec::new(),
        boxes: None,
        facts: ReleaseFacts::default(),
        groups: Vec::new(),
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
    if release.facts.people && release.table.data.people().is_none() {
        warnings.push(
            "the release promises something to people, and only its private folder says whose rows they are: rows are counted here"
                .to_owned(),
        );
    }
    warnings
}
