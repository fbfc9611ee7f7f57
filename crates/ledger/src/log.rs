//! Logs whose lines are held together by their hashes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the lines of a log say. Its first line, and no other, starts it.
pub trait Chained: Serialize + DeserializeOwned {
    /// Said of a log that begins with another line.
    const MISSING_START: &'static str;
    /// Said of a second first line.
    const STARTS_AGAIN: &'static str;

    /// Whether this starts a log of a format that this version knows.
    fn starts(&self) -> bool;
}

/// A line of a log: a JSON object that ends in the hash of all that is before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line<R> {
    /// 0 for the first line of the file, then one more each.
    pub sequence: u64,
    /// When it was written, in UTC.
    pub time: String,
    /// What happened.
    #[serde(flatten)]
    pub record: R,
    /// Hash of the line before; empty in the first.
    pub previous: String,
}

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

/// What stands between a line's content and its hash.
const BEFORE_HASH: &str = ",\"hash\":\"";
const AFTER_HASH: &str = "\"}";

impl<R: Serialize + DeserializeOwned> Line<R> {
    /// The line as it is written, without a line end, and its hash.
    pub fn sealed(&self) -> (String, String) {
        let body = serde_json::to_string(self).unwrap_or_default();
        let hash = hash(body.as_bytes());
        let open = body.strip_suffix('}').unwrap_or(&body);
        (format!("{open}{BEFORE_HASH}{hash}{AFTER_HASH}"), hash)
    }

    /// Reads a line back, with its hash.
    pub fn open(bytes: &[u8]) -> Result<(Line<R>, String), &'static str> {
        const CHANGED: &str = "the line was changed: its hash does not fit its content";
        let text = std::str::from_utf8(bytes).map_err(|_| CHANGED)?;
        let (open, end) = text.rsplit_once(BEFORE_HASH).ok_or(CHANGED)?;
        let written = end.strip_suffix(AFTER_HASH).ok_or(CHANGED)?;
        let body = format!("{open}}}");
        if hash(body.as_bytes()) != written {
            return Err(CHANGED);
        }
        let line = serde_json::from_str(&body)
            .map_err(|_| "the line is of a kind that this version does not know")?;
        Ok((line, written.to_owned()))
    }
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The time in UTC, to the second: `2024-03-09T14:05:00Z`. Empty where the clock is beyond the calendar.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or_else(String::new, |time| time.to_string())
}
