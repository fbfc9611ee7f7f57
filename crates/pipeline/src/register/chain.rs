//! The lines of a register, held together by their hashes.

use super::line::{Line, Record, ReleaseRecord};
use super::sketch::Salt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;

/// What the lines of a log say. Its first line, and no other, starts it.
pub trait Chained: Serialize + DeserializeOwned {
    /// Said of a log that begins with another line.
    const MISSING_START: &'static str;
    /// Said of a second first line.
    const STARTS_AGAIN: &'static str;

    /// Whether this starts a log of a format that this version knows.
    fn starts(&self) -> bool;
}

impl Chained for Record {
    const MISSING_START: &'static str = "the first line, which starts the register, is missing";
    const STARTS_AGAIN: &'static str = "the register starts again in the middle";

    fn starts(&self) -> bool {
        matches!(self, Record::Register { format: 1, .. })
    }
}

/// A register that was read.
pub type Chain = Log<Record>;

/// A log that was read: all lines up to the first that is not as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<R> {
    /// The sound lines; the first starts the log.
    pub lines: Vec<Line<R>>,
    /// Hash of the last sound line.
    pub head: String,
    /// The first line that is not sound.
    pub broken: Option<Broken>,
}

/// A line that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// Its number in the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl<R: Chained> Log<R> {
    /// Reads the bytes of a log.
    pub fn read(bytes: &[u8]) -> Log<R> {
        let mut chain = Log { lines: Vec::new(), head: String::new(), broken: None };
        let mut rest = bytes;
        while chain.broken.is_none() && !rest.is_empty() {
            let (line, after) = match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => (Ok(&rest[..end]), &rest[end + 1..]),
                None => (Err("the line has no end"), &rest[rest.len()..]),
            };
            rest = after;
            if let Err(what) = line.and_then(|line| chain.add(line)) {
                chain.broken = Some(Broken { line: chain.lines.len() + 1, what: what.to_owned() });
            }
        }
        if chain.broken.is_none() && chain.lines.is_empty() {
            chain.broken = Some(Broken { line: 1, what: "the file is empty".to_owned() });
        }
        chain
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let (line, hash) = Line::<R>::open(bytes)?;
        match (self.lines.is_empty(), line.record.starts()) {
            (true, false) => return Err(R::MISSING_START),
            (false, true) => return Err(R::STARTS_AGAIN),
            _ => {}
        }
        if line.sequence != self.lines.len() as u64 || line.previous != self.head {
            return Err("the line does not follow the one before it: a line was removed, added or moved");
        }
        self.lines.push(line);
        self.head = hash;
        Ok(())
    }
}

impl<R: Chained> Log<R> {
    /// Whether one of the sound lines has this hash. Asked with a hash that was kept elsewhere, it shows whether the end was cut off.
    pub fn has(&self, hash: &str) -> bool {
        !hash.is_empty() && (self.head == hash || self.lines.iter().any(|line| line.previous == hash))
    }
}

impl Log<Record> {
    /// The salt of its sketches.
    pub fn salt(&self) -> Option<&Salt> {
        match &self.lines.first()?.record {
            Record::Register { salt, .. } => Some(salt),
            Record::Release(_) | Record::Withdrawal { .. } => None,
        }
    }

    /// The releases, in the order in which they were made, with their lines; withdrawn ones are left out.
    pub fn releases(&self) -> Vec<(&Line, &ReleaseRecord)> {
        let withdrawn: HashSet<u64> = self
            .lines
            .iter()
            .filter_map(|line| match line.record {
                Record::Withdrawal { of, .. } => Some(of),
                Record::Register { .. } | Record::Release(_) => None,
            })
            .collect();
        let releases = self.lines.iter().filter_map(|line| match &line.record {
            Record::Release(release) => Some((line, &**release)),
            Record::Register { .. } | Record::Withdrawal { .. } => None,
        });
        releases.filter(|(line, _)| !withdrawn.contains(&line.sequence)).collect()
    }
}
