//! One state of a table: a version where it has versions, else its files, with their sizes and times.

use super::columns::{Columns, untyped};
use super::failure::Doing;
use super::mapping::view;
use super::messages::{
    Analyze, AnalyzedKind, AnalyzedPlan, ArrowBatch, DataSource, Read, Relation, RelationKind,
};
use super::session::{DIALECT, Session, sql};
use crate::statement;
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Int64Type, TimeUnit, TimestampMicrosecondType};
use paravent_tables::engine::{EngineError, TableName, decoded};
use std::collections::BTreeSet;

/// The view under which files are listed.
const LISTED: &str = "paravent_files";

/// What a table was when it was first looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Snapshot {
    /// Every statement reads this version.
    Version(u64),
    /// Name, size and time of every file. Looked at again after every answer.
    Files(Files),
    /// The server does not tell sizes: names alone say when files come and go.
    Names(BTreeSet<String>),
    /// Neither versions nor files are told. A statement sees one state; several may see several.
    Untold,
}

impl Snapshot {
    pub(super) fn take(session: &Session, table: &TableName) -> Result<Snapshot, EngineError> {
        let may_have_versions = table.files().is_none_or(|(format, _)| format == "delta");
        let version = if may_have_versions { version(session, table)? } else { None };
        match version {
            Some(version) => Ok(Snapshot::Version(version)),
            None => {
                let names = names(session, table)?;
                if names.is_empty() {
                    return Ok(Snapshot::Untold);
                }
                let files = files(session, &names)?;
                Ok(files.map_or(Snapshot::Names(names), Snapshot::Files))
            }
        }
    }

    /// Whether the table is still the same.
    pub(super) fn check(&self, session: &Session, table: &TableName) -> Result<(), EngineError> {
        let is_same = match self {
            Snapshot::Version(_) | Snapshot::Untold => true,
            Snapshot::Names(before) => names(session, table)? == *before,
            Snapshot::Files(before) => {
                let names = names(session, table)?;
                // What cannot be listed any more is gone.
                files(session, &names)?.is_some_and(|now| now == *before)
            }
        };
        if is_same { Ok(()) } else { Err(EngineError::FilesChanged) }
    }

    pub(super) fn version(&self) -> Option<u64> {
        match self {
            Snapshot::Version(version) => Some(*version),
            _ => None,
        }
    }
}

/// The last version of a Delta table; `None` if it is none.
fn version(session: &Session, table: &TableName) -> Result<Option<u64>, EngineError> {
    let name = DIALECT.table(table);
    // Servers that do not know the statement refuse it, and so do tables without versions.
    if let Ok(parts) = session.collect(sql(format!("DESCRIBE HISTORY {name} LIMIT 1")))? {
        return last_version(&parts);
    }
    let Some((_, path)) = table.files() else { return Ok(None) };
    let log = vec![format!("{}/_delta_log", path.trim_end_matches('/'))];
    Ok(listed(session, log)?.and_then(|files| files.iter().filter_map(|(path, ..)| number(path)).max()))
}

fn last_version(history: &[ArrowBatch]) -> Result<Option<u64>, EngineError> {
    for part in history {
        for batch in untyped(part)? {
            let versions =
                batch.column_by_name("version").and_then(|column| column.as_primitive_opt::<Int64Type>());
            if let Some(versions) = versions.filter(|versions| !versions.is_null(0)) {
                return Ok(u64::try_from(versions.value(0)).ok());
            }
        }
    }
    Ok(None)
}

/// The number of an entry of Delta's log: `…/00000000000000000007.json`
fn number(path: &str) -> Option<u64> {
    let name = path.rsplit('/').next()?.strip_suffix(".json")?;
    (name.len() == 20).then(|| name.parse().ok()).flatten()
}

type Files = BTreeSet<(String, i64, i64)>;

/// The files that make up the table; none where the server does not tell.
fn names(session: &Session, table: &TableName) -> Result<BTreeSet<String>, EngineError> {
    let plan = sql(statement::described(DIALECT, table).to_string());
    let analyze = Analyze::InputFiles(AnalyzedPlan { plan: Some(plan) });
    let client = session.client.clone();
    let told = session.run(async move { client.analyze(analyze).await })?;
    match told.map_err(|status| session.failed(&status, Doing::Counting, table))? {
        Some(AnalyzedKind::InputFiles(told)) => Ok(told.files.into_iter().collect()),
        _ => Ok(BTreeSet::new()),
    }
}

/// Exactly these files, with their sizes and times.
fn files(session: &Session, names: &BTreeSet<String>) -> Result<Option<Files>, EngineError> {
    for paths in spellings(names) {
        // Where a path is taken for a pattern, there are more files, or fewer.
        if let Some(files) = listed(session, paths)?.filter(|files| files.len() == names.len()) {
            return Ok(Some(files));
        }
    }
    Ok(None)
}

/// The paths behind names of files: servers tell names as addresses, where a blank is `%20`, and are asked for paths, where it is a blank.
/// Some tell paths.
fn spellings(names: &BTreeSet<String>) -> Vec<Vec<String>> {
    let told: Vec<String> = names.iter().cloned().collect();
    match names.iter().map(|name| decoded(name)).collect::<Result<Vec<String>, _>>() {
        Ok(paths) if paths != told => vec![paths, told],
        _ => vec![told],
    }
}

/// Files with their sizes and times, without their content; `None` if the server does not tell, or if one is not there.
fn listed(session: &Session, paths: Vec<String>) -> Result<Option<Files>, EngineError> {
    let source = DataSource { format: Some("binaryFile".to_owned()), paths };
    let read = Relation { kind: Some(RelationKind::Read(Read { source: Some(source) })) };
    match view(session, LISTED, read) {
        Err(error) if is_final(&error) => return Err(error),
        Err(_) => return Ok(None),
        Ok(()) => {}
    }
    let columns = Columns::new([
        ("path".to_owned(), DataType::Utf8),
        ("length".to_owned(), DataType::Int64),
        ("modificationTime".to_owned(), DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
    ]);
    let query = format!("SELECT path, length, modificationTime FROM {LISTED}");
    let named = TableName::parse(LISTED).ok_or(EngineError::Garbled("(a name)"))?;
    match session.collect(sql(query))? {
        Ok(parts) => Ok(Some(columns.decode(&parts)?.iter().flat_map(rows).collect())),
        Err(status) => {
            let error = session.failed(&status, Doing::Counting, &named);
            if is_final(&error) { Err(error) } else { Ok(None) }
        }
    }
}

/// Whether nothing more can be asked.
fn is_final(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Stopped | EngineError::Lost | EngineError::Ended { .. } | EngineError::LeftBehind { .. }
    )
}

fn rows(batch: &RecordBatch) -> Vec<(String, i64, i64)> {
    let paths = batch.column(0).as_string::<i32>();
    let lengths = batch.column(1).as_primitive::<Int64Type>();
    let times = batch.column(2).as_primitive::<TimestampMicrosecondType>();
    let row = |at: usize| (paths.value(at).to_owned(), lengths.value(at), times.value(at));
    (0..paths.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::{number, spellings};

    #[test]
    fn entries_of_the_log_have_numbers() {
        assert_eq!(number("file:/lake/p/_delta_log/00000000000000000012.json"), Some(12));
        for other in ["x/00000000000000000012.crc", "12.json", "x/_last_checkpoint", ""] {
            assert_eq!(number(other), None);
        }
    }
    #[test]
    fn names_that_are_addresses_are_asked_for_as_paths_first() {
        let spelled = |names: &[&str]| spellings(&names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(spelled(&["file:/lake/a", "file:/lake/b"]), [["file:/lake/a", "file:/lake/b"]]);
        // The folder is called `a%20b`: once is enough.
        let expected = [["file:/a b/1", "file:/a%20b/2"], ["file:/a%20b/1", "file:/a%2520b/2"]];
        assert_eq!(spelled(&["file:/a%20b/1", "file:/a%2520b/2"]), expected);
        // What is no address is a path.
        assert_eq!(spelled(&["/lake/100%/x"]), [["/lake/100%/x"]]);
    }
}
