//! Which rows, of whom, exact answers were about: sets that later answers are held against.
//!
//! `exact.jsonl` is a chain of hashes, one line for each exact answer. `people/` holds what the lines speak of: per table and kind of figure a
//! list of rows (keyed numbers of row and person, 16 bytes each, only ever added to), and per answer the set that each row of the list is in.
//! Lists and sets are on disk before the line, and the line before the answer. What a crash leaves without a line was never told to anybody.

use super::{State, whole_lines};
use crate::refusal::AskError;
use paravent_ledger::log::{Chained, Line, Log, now};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// Disjoint sets of rows: for each row the number of its set, 0 for none. Rows beyond its end are in none.
pub type Partition = Vec<u32>;

/// Bytes of a row in a list.
const ENTRY: usize = 16;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// The first line.
    Exact {
        /// 1.
        format: u32,
        /// The program that began it.
        paravent: String,
    },
    /// An exact answer.
    Answer {
        /// Keyed name of the question.
        answer: String,
        /// Who knows it: the group of the recipient.
        group: String,
        /// The table.
        table: String,
        /// What it was about.
        sets: Vec<Stored>,
    },
    /// Rows.
    Rows {
        /// Keyed name of the question.
        answer: String,
        /// Who has them.
        group: String,
        /// The table.
        table: String,
    },
}

/// The sets of an answer in one list of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The kind of figure: `rows`, or the sum of a column.
    pub family: String,
    /// How long the list was.
    pub rows: u64,
    /// Digest of the list up to there.
    pub list: String,
    /// Digest of the file with the sets.
    pub sets: String,
}

impl Chained for Record {
    const MISSING_START: &'static str = "the first line does not start a register of exact answers";
    const STARTS_AGAIN: &'static str = "a second first line";

    fn starts(&self) -> bool {
        matches!(self, Record::Exact { format: 1, .. })
    }
}

/// The register of exact answers, while the state is held.
pub struct Exact<'s> {
    state: &'s State,
    log: Log<Record>,
}

/// The rows of one kind of figure, and what a group knows about them.
pub struct Family {
    /// Its name.
    pub name: String,
    /// By row: whose it is.
    pub people: Vec<u64>,
    /// The sets of earlier answers to the group.
    pub earlier: Vec<Partition>,
    ids: HashMap<u64, u32>,
    bytes: Vec<u8>,
    stored: usize,
}

impl Family {
    /// The place of a row in the list; adds it where it is new.
    pub fn place(&mut self, row: u64, person: u64) -> usize {
        let fresh = self.people.len() as u32;
        let place = *self.ids.entry(row).or_insert(fresh);
        if place == fresh {
            self.people.push(person);
            self.bytes.extend(row.to_le_bytes());
            self.bytes.extend(person.to_le_bytes());
        }
        place as usize
    }
}

impl<'s> Exact<'s> {
    /// Reads the register. A last line without an end was never acted on, and is taken away.
    ///
    /// # Errors
    /// If a line is not as it was written.
    pub fn open(state: &'s State) -> Result<Exact<'s>, AskError> {
        let path = state.folder.join("exact.jsonl");
        let failed = |source: io::Error| AskError::State { path: path.clone(), source };
        let bytes = whole_lines(&path).map_err(failed)?;
        let mut register = Exact { state, log: Log { lines: Vec::new(), head: String::new(), broken: None } };
        if bytes.is_empty() {
            register.append(Record::Exact { format: 1, paravent: env!("CARGO_PKG_VERSION").to_owned() })?;
            return Ok(register);
        }
        register.log = Log::read(&bytes);
        match &register.log.broken {
            None => Ok(register),
            Some(broken) => Err(failed(io::Error::other(format!("line {}: {}", broken.line, broken.what)))),
        }
    }

    /// How many exact answers about a table a group has had.
    pub fn answers(&self, group: &str, table: &str) -> usize {
        self.of(group, table).count()
    }

    /// The question by which a group has rows of a table, by its keyed name.
    pub fn rows(&self, group: &str, table: &str) -> Option<&str> {
        self.log.lines.iter().find_map(|line| match &line.record {
            Record::Rows { answer, group: whose, table: about } if whose == group && about == table => {
                Some(answer.as_str())
            }
            _ => None,
        })
    }

    /// Registers rows: the line is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written; then they must not be given.
    pub fn add_rows(&mut self, answer: &str, group: &str, table: &str) -> Result<(), AskError> {
        let (answer, group, table) = (answer.to_owned(), group.to_owned(), table.to_owned());
        self.append(Record::Rows { answer, group, table })
    }

    /// How many a group has had on a day, as in `2026-11-17`.
    pub fn on_day(&self, group: &str, day: &str) -> usize {
        let own = self.log.lines.iter().filter(|line| line.time.starts_with(day));
        own.filter(|line| matches!(&line.record, Record::Answer { group: whose, .. } | Record::Rows { group: whose, .. } if whose == group))
            .count()
    }

    fn of<'a>(&'a self, group: &'a str, table: &'a str) -> impl Iterator<Item = (u64, &'a [Stored])> {
        self.log.lines.iter().filter_map(move |line| match &line.record {
            Record::Answer { group: whose, table: about, sets, .. } if whose == group && about == table => {
                Some((line.sequence, sets.as_slice()))
            }
            _ => None,
        })
    }

    /// Rows of a table for one kind of figure, with what the group knows.
    ///
    /// # Errors
    /// If a file is missing or not as it was written: then nothing may be answered.
    pub fn family(&self, group: &str, table: &str, name: &str) -> Result<Family, AskError> {
        let path = self.list(table, name);
        let failed = |source: io::Error| AskError::State { path: path.clone(), source };
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(error)),
        };
        let told = self.log.lines.iter().rev().find_map(|line| match &line.record {
            Record::Answer { table: about, sets, .. } if about == table => {
                sets.iter().find(|stored| stored.family == name)
            }
            _ => None,
        });
        // What is beyond the last line's list was written before a crash, and nobody was told of it.
        let known = told.map_or(0, |stored| stored.rows as usize * ENTRY);
        if bytes.len() < known || told.is_some_and(|stored| digest(&bytes[..known]) != stored.list) {
            return Err(failed(io::Error::other("the list of rows is not as it was written")));
        }
        bytes.truncate(known);
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let mut family = Family {
            name: name.to_owned(),
            people: bytes.chunks_exact(ENTRY).map(|entry| number(&entry[8..])).collect(),
            ids: bytes
                .chunks_exact(ENTRY)
                .zip(0..)
                .map(|(entry, place)| (number(&entry[..8]), place))
                .collect(),
            earlier: Vec::new(),
            stored: bytes.len(),
            bytes,
        };
        for (sequence, sets) in self.of(group, table) {
            for (place, stored) in sets.iter().enumerate().filter(|(_, stored)| stored.family == name) {
                family.earlier.push(self.sets(sequence, place, stored)?);
            }
        }
        Ok(family)
    }

    fn sets(&self, sequence: u64, place: usize, stored: &Stored) -> Result<Partition, AskError> {
        let path = self.file(sequence, place);
        let read = || -> io::Result<Partition> {
            let bytes = fs::read(&path)?;
            if digest(&bytes) != stored.sets {
                return Err(io::Error::other("the sets of an earlier answer are not as they were written"));
            }
            let bytes = zstd::decode_all(bytes.as_slice())?;
            let set = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
            Ok(bytes.chunks_exact(4).map(set).collect())
        };
        read().map_err(|source| AskError::State { path: path.clone(), source })
    }

    /// Registers an answer: what it was about is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written; then the answer must not be given.
    pub fn add(
        &mut self,
        answer: &str,
        group: &str,
        table: &str,
        families: &mut [Family],
        sets: &[(usize, Partition)],
    ) -> Result<(), AskError> {
        let sequence = self.log.lines.len() as u64;
        for family in families.iter_mut() {
            self.extend(table, family)?;
        }
        let mut stored = Vec::new();
        for (place, (family, partition)) in sets.iter().enumerate() {
            let family = &families[*family];
            let raw: Vec<u8> = partition.iter().flat_map(|set| set.to_le_bytes()).collect();
            let path = self.file(sequence, place);
            let failed = |source: io::Error| AskError::State { path: path.clone(), source };
            let bytes = zstd::encode_all(raw.as_slice(), 3).map_err(failed)?;
            self.state.replace(&path, &bytes).map_err(failed)?;
            stored.push(Stored {
                family: family.name.clone(),
                rows: family.people.len() as u64,
                list: digest(&family.bytes),
                sets: digest(&bytes),
            });
        }
        let (answer, group, table) = (answer.to_owned(), group.to_owned(), table.to_owned());
        self.append(Record::Answer { answer, group, table, sets: stored })
    }

    /// The new rows of a list, behind those that lines speak of.
    fn extend(&self, table: &str, family: &mut Family) -> Result<(), AskError> {
        let path = self.list(table, &family.name);
        let mut write = || -> io::Result<()> {
            let mut file =
                OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path)?;
            file.set_len(family.stored as u64)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(&family.bytes[family.stored..])?;
            file.sync_all()?;
            family.stored = family.bytes.len();
            File::open(self.state.folder.join("people"))?.sync_all()
        };
        write().map_err(|source| AskError::State { path: path.clone(), source })
    }

    fn append(&mut self, record: Record) -> Result<(), AskError> {
        let path = self.state.folder.join("exact.jsonl");
        let line = Line {
            sequence: self.log.lines.len() as u64,
            time: now(),
            record,
            previous: self.log.head.clone(),
        };
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

    fn list(&self, table: &str, family: &str) -> PathBuf {
        let name = self.state.name(&["list of rows", table, family]);
        self.state.folder.join("people").join(format!("{}.rows", &name[..32]))
    }

    fn file(&self, sequence: u64, place: usize) -> PathBuf {
        self.state.folder.join("people").join(format!("{sequence}-{place}.sets"))
    }
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
