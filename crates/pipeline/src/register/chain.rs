//! The lines of a register, held together by their hashes.

use super::line::{Line, Record, ReleaseRecord};
use super::sketch::Salt;
use serde::Serialize;

/// A register that was read: all lines up to the first that is not as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The sound lines; the first starts the register.
    pub lines: Vec<Line>,
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

impl Chain {
    /// Reads the bytes of a register.
    pub fn read(bytes: &[u8]) -> Chain {
        let mut chain = Chain { lines: Vec::new(), head: String::new(), broken: None };
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
        let (line, hash) = Line::open(bytes)?;
        let starts = matches!(line.record, Record::Register { format: 1, .. });
        match (self.lines.is_empty(), starts) {
            (true, false) => return Err("the first line, which starts the register, is missing"),
            (false, true) => return Err("the register starts again in the middle"),
            _ => {}
        }
        if line.sequence != self.lines.len() as u64 || line.previous != self.head {
            return Err("the line does not follow the one before it: a line was removed, added or moved");
        }
        self.lines.push(line);
        self.head = hash;
        Ok(())
    }

    /// The salt of its sketches.
    pub fn salt(&self) -> Option<&Salt> {
        match &self.lines.first()?.record {
            Record::Register { salt, .. } => Some(salt),
            Record::Release(_) | Record::Withdrawal { .. } => None,
        }
    }

    /// The releases, in the order in which they were made, with their lines; withdrawn ones are left out.
    pub fn releases(&self) -> Vec<(&Line, &ReleaseRecord)> {
        let withdrawn: Vec<u64> = self
            .lines
            .iter()
            .filter_map(|line| match line.record {
                Record::Withdrawal { of } => Some(of),
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
