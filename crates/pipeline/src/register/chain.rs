//! The lines of a register, held together by their hashes.

use super::line::{Line, Record, ReleaseRecord};
use super::sketch::Salt;
use paravent_ledger::log::{Chained, Log};
use std::collections::HashSet;

impl Chained for Record {
    const MISSING_START: &'static str = "the first line, which starts the register, is missing";
    const STARTS_AGAIN: &'static str = "the register starts again in the middle";

    fn starts(&self) -> bool {
        matches!(self, Record::Register { format: 1, .. })
    }
}

/// A register that was read.
pub type Chain = Log<Record>;

/// What a register has beyond its lines.
pub trait ReleaseLog {
    /// The salt of its sketches.
    fn salt(&self) -> Option<&Salt>;
    /// The releases, in the order in which they were made, with their lines; withdrawn ones are left out.
    fn releases(&self) -> Vec<(&Line, &ReleaseRecord)>;
}

impl ReleaseLog for Chain {
    fn salt(&self) -> Option<&Salt> {
        match &self.lines.first()?.record {
            Record::Register { salt, .. } => Some(salt),
            Record::Release(_) | Record::Withdrawal { .. } => None,
        }
    }

    fn releases(&self) -> Vec<(&Line, &ReleaseRecord)> {
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
