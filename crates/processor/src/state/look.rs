//! What the state holds, for its owner: numbers of answers. No question and no person can be told from it.

use super::people::Record;
use crate::refusal::AskError;
use paravent_ledger::log::Log;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// What lies in the folder of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Answers that are given again at no cost.
    pub answers: usize,
    /// By group and table: exact answers that later ones are held against, and whether the group has rows.
    pub exact: BTreeMap<(String, String), (usize, bool)>,
    /// What is wrong with the register of exact answers; while something is, nothing exact is answered.
    pub broken: Option<String>,
}

/// Looks without a lock and writes nothing; none where nothing was asked yet.
///
/// # Errors
/// If the folder cannot be read.
pub fn look(folder: &Path) -> Result<Option<Kept>, AskError> {
    let failed = |source: io::Error| AskError::State { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder.join("cache")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let answers =
        entries.flatten().filter(|entry| entry.path().extension().is_some_and(|kind| kind == "json"));
    let mut kept = Kept { answers: answers.count(), ..Kept::default() };
    let bytes = match fs::read(folder.join("exact.jsonl")) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(kept)),
        Err(error) => return Err(failed(error)),
    };
    // A last line without an end was never acted on.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    let log: Log<Record> = Log::read(&bytes[..whole]);
    for line in log.lines {
        match line.record {
            Record::Answer { group, table, .. } => kept.exact.entry((group, table)).or_default().0 += 1,
            Record::Rows { group, table, .. } => kept.exact.entry((group, table)).or_default().1 = true,
            Record::Exact { .. } => {}
        }
    }
    kept.broken = log.broken.map(|broken| format!("line {}: {}", broken.line, broken.what));
    Ok(Some(kept))
}
