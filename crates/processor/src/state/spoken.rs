//! What people said after the policy was written: consent that was given and withdrawn, as a chain of lines.
//!
//! People are keyed numbers, so nobody without the key can tell who they are. A line is on disk before anybody is told that it is written; a last
//! line without an end was never told, and is taken away. The last word of a person about a purpose is the one that counts.

use super::{State, whole_lines};
use crate::refusal::AskError;
use paravent_ledger::log::{Chained, Line, Log, now};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// The first line.
    Consents {
        /// 1.
        format: u32,
        /// The program that began it.
        paravent: String,
        /// A number that only the key of the folder gives: with another key nobody in the register could be found again.
        key: u64,
    },
    /// People agreed. All of one call stand in one line, so that it is there as a whole or not at all.
    Given {
        /// To what.
        agreements: Vec<Agreement>,
    },
    /// People withdrew.
    Withdrawn {
        /// From what; none: from everything.
        purpose: Option<String>,
        /// Keyed numbers.
        people: Vec<u64>,
    },
}

/// People who agreed to the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// What for.
    pub purpose: String,
    /// First day; none: any.
    pub from: Option<String>,
    /// Last day; none: any.
    pub until: Option<String>,
    /// Keyed numbers.
    pub people: Vec<u64>,
}

impl Chained for Record {
    const MISSING_START: &'static str = "the first line does not start a register of consents";
    const STARTS_AGAIN: &'static str = "a second first line";

    fn starts(&self) -> bool {
        matches!(self, Record::Consents { format: 1, .. })
    }
}

/// The last word of a person about a purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Agreed, from a day until a day.
    Given {
        /// First day; none: any.
        from: Option<String>,
        /// Last day; none: any.
        until: Option<String>,
        /// When it was written.
        time: String,
    },
    /// Withdrew.
    Withdrawn {
        /// When it was written.
        time: String,
    },
}

/// The register of consents, while the state is held.
pub struct Spoken<'s> {
    state: &'s State,
    log: Log<Record>,
}

impl<'s> Spoken<'s> {
    /// Reads the register; writes nothing where there is none.
    ///
    /// # Errors
    /// If a line is not as it was written: then nobody knows who agreed, and nothing is answered.
    pub fn open(state: &'s State) -> Result<Spoken<'s>, AskError> {
        let path = path(state);
        let failed = |source: io::Error| AskError::State { path: path.clone(), source };
        let bytes = whole_lines(&path).map_err(failed)?;
        let empty = Log { lines: Vec::new(), head: String::new(), broken: None };
        let log = if bytes.is_empty() { empty } else { Log::read(&bytes) };
        if let Some(broken) = &log.broken {
            return Err(failed(io::Error::other(format!("line {}: {}", broken.line, broken.what))));
        }
        let of_another_key = |line: &Line<Record>| matches!(&line.record, Record::Consents { key, .. } if *key != check(state));
        match log.lines.iter().any(of_another_key) {
            true => Err(failed(io::Error::other("the register of consents belongs to another key"))),
            false => Ok(Spoken { state, log }),
        }
    }

    /// By person: the last word about a purpose.
    pub fn words(&self, purpose: &str) -> BTreeMap<u64, Word> {
        let mut words = BTreeMap::new();
        for line in &self.log.lines {
            match &line.record {
                Record::Consents { .. } => {}
                Record::Given { agreements } => {
                    for one in agreements.iter().filter(|one| one.purpose == purpose) {
                        let (from, until) = (one.from.clone(), one.until.clone());
                        let word = Word::Given { from, until, time: line.time.clone() };
                        words.extend(one.people.iter().map(|person| (*person, word.clone())));
                    }
                }
                Record::Withdrawn { purpose: from, people } => {
                    if from.as_deref().is_none_or(|from| from == purpose) {
                        let word = Word::Withdrawn { time: line.time.clone() };
                        words.extend(people.iter().map(|person| (*person, word.clone())));
                    }
                }
            }
        }
        words
    }

    /// Writes a line; it is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written; then nothing was said.
    pub fn add(&mut self, record: Record) -> Result<(), AskError> {
        if self.log.lines.is_empty() {
            let paravent = env!("CARGO_PKG_VERSION").to_owned();
            self.append(Record::Consents { format: 1, paravent, key: check(self.state) })?;
        }
        self.append(record)
    }

    fn append(&mut self, record: Record) -> Result<(), AskError> {
        let path = path(self.state);
        let sequence = self.log.lines.len() as u64;
        let line = Line { sequence, time: now(), record, previous: self.log.head.clone() };
        let (text, hash) = line.sealed();
        let write = || -> io::Result<()> {
            let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
            file.write_all(format!("{text}\n").as_bytes())?;
            file.sync_all()?;
            File::open(&self.state.folder)?.sync_all()
        };
        write().map_err(|source| AskError::State { path: path.clone(), source })?;
        self.log.lines.push(line);
        self.log.head = hash;
        Ok(())
    }
}

fn check(state: &State) -> u64 {
    state.number(&["register of consents"])
}

fn path(state: &State) -> PathBuf {
    state.folder.join("consents.jsonl")
}
