//! How much a client may take.

use std::time::Duration;

/// Largest message before login.
pub(crate) const STRANGER: usize = 10_000;
/// How long logging in may take.
pub(crate) const LOGIN: Duration = Duration::from_secs(15);
/// A wrong password is told after so long.
pub(crate) const WRONG_PASSWORD: Duration = Duration::from_millis(500);
/// Prepared statements, and portals, of one connection.
pub(crate) const PREPARED: usize = 200;

/// How much clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// Questions that are worked on at a time; others wait.
    pub at_once: usize,
    /// Largest statement with its parameters, in bytes.
    pub statement: usize,
    /// How long a client waits for an answer.
    pub time: Duration,
    /// How long a connection may be silent.
    pub idle: Duration,
    /// Answers and refusals leave on multiples of this time, counted from the arrival of the statement.
    pub grid: Duration,
    /// Memory of the SQL engine for one question, in bytes.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 100,
            at_once: 2,
            statement: 64 << 10,
            time: Duration::from_secs(60),
            idle: Duration::from_secs(30 * 60),
            grid: Duration::from_millis(100),
            memory: 1 << 30,
        }
    }
}
