//! Generalization hierarchies: the levels of one column.
//!
//! A [`Hierarchy`] says which label a value has on each level; a [`Ladder`] is its extract for the values that
//! occur, as codes. Every hierarchy is *total* over the values it accepts and *monotone*: values with equal
//! labels on one level have equal labels on all higher ones. Pruning, roll-up and all proofs of monotonicity
//! rest on that, so no constructor lets a hierarchy through that breaks it.

use std::borrow::Cow;

mod age;
mod breaks;
mod chain;
mod cluster;
mod codes;
mod dates;
mod grouping;
mod intervals;
mod labels;
mod ladder;
mod lines;
mod lump;
mod ordering;
mod propose;
mod redaction;
mod repair;
mod structures;
mod table;
#[cfg(test)]
mod tests;
mod texts;

pub use age::Age;
pub use breaks::{BreakLevel, Breaks, BreaksError};
pub use chain::{Chain, ChainError};
pub use cluster::{ClusterError, MOST_CLUSTERED_TEXTS, cluster};
pub use codes::{Align, CodeLevel, CodeRange, Codes, CodesError};
pub use dates::{DatePart, Dates, DatesError};
pub use grouping::{Group, GroupingError, group_by_hand};
pub use intervals::{Grid, Intervals, IntervalsError, IntervalsSpec, Outliers, Rounding};
pub use ladder::{Ladder, LadderError, Rung};
pub use lines::{TableLine, TableLines, TableRow};
pub use lump::lump_rare;
pub use ordering::{OrderingError, group_by_order, group_sorted};
pub use propose::propose;
pub use redaction::{Redaction, RedactionError, Side};
pub use repair::{Change, Repair, repair};
pub use structures::{STRUCTURES, structure};
pub use table::{AmbiguousLabel, TableError, TableHierarchy, TableProblem};

use ladder::NewGroup;
pub use ladder::categorical_loss;

/// The top label of every hierarchy that does not say otherwise.
pub const TOP: &str = "*";

/// Which label a value has on each level of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Hierarchy {
    /// The value, then `*`: what a quasi-identifier without a hierarchy gets.
    Whole,
    /// Labels by enumeration.
    Table(TableHierarchy),
    /// Numbers by nested intervals.
    Intervals(Intervals),
    /// Texts by masking characters.
    Redaction(Redaction),
    /// Numbers cut at free points.
    Breaks(Breaks),
    /// Codes by position.
    Codes(Codes),
    /// Ages from dates of birth.
    Age(Age),
    /// Dates by parts of the calendar.
    Dates(Dates),
    /// One hierarchy on top of another.
    Chain(Chain),
}

/// What decides which share of its domain a label covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareBasis {
    /// The values present are the leaves: another table has other shares.
    ValuesPresent,
    /// The lines of the hierarchy are the leaves, and a missing value without a line is one more wherever it is present.
    Lines,
    /// The hierarchy alone: widths of intervals, texts that a mask may stand for.
    Hierarchy,
}

/// Why a value has no label. Says nothing of the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unplaced {
    /// The level is above the top.
    #[error("the hierarchy has no such level")]
    NoSuchLevel,
    /// A table without a row for the value.
    #[error("the hierarchy has no row for the value")]
    NoRow,
    /// Intervals of something that is not a number.
    #[error("the value is not a number")]
    NotANumber,
    /// A number outside the bounds, where the hierarchy refuses those.
    #[error("the number is outside the bounds of the hierarchy")]
    OutOfBounds,
    /// Parts of something that is not a date.
    #[error("the value is not a date")]
    NotADate,
    /// Hours or minutes of a date without time.
    #[error("the date has no time of day")]
    NoTime,
}

impl Hierarchy {
    /// The level of the top; level 0 is the value as it came in.
    pub fn max_level(&self) -> u8 {
        match self {
            Hierarchy::Whole => 1,
            Hierarchy::Table(table) => table.max_level(),
            Hierarchy::Intervals(intervals) => intervals.max_level(),
            Hierarchy::Redaction(redaction) => redaction.max_level(),
            Hierarchy::Breaks(breaks) => breaks.max_level(),
            Hierarchy::Codes(codes) => codes.max_level(),
            Hierarchy::Age(age) => age.max_level(),
            Hierarchy::Dates(dates) => dates.max_level(),
            Hierarchy::Chain(chain) => chain.max_level(),
        }
    }

    /// The label of a value; `None` is the missing value, which stays missing below the top unless a table has
    /// a row for it.
    ///
    /// A value without a place has no label on *any* level, not even on level 0: releasing it as it is would
    /// publish what nobody has looked at.
    pub fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        if level > self.max_level() {
            return Err(Unplaced::NoSuchLevel);
        }
        match self {
            Hierarchy::Whole if level == 0 => Ok(value.map(Cow::Borrowed)),
            Hierarchy::Whole => Ok(Some(Cow::Borrowed(TOP))),
            Hierarchy::Table(table) => table.label(value, level),
            Hierarchy::Intervals(intervals) => intervals.label(value, level),
            Hierarchy::Redaction(redaction) => Ok(redaction.label(value, level)),
            Hierarchy::Breaks(breaks) => breaks.label(value, level),
            Hierarchy::Codes(codes) => Ok(codes.label(value, level)),
            Hierarchy::Age(age) => age.label(value, level),
            Hierarchy::Dates(dates) => dates.label(value, level),
            Hierarchy::Chain(chain) => chain.label(value, level),
        }
    }

    /// The levels over the values present, each value once; a value's position is its code.
    pub fn ladder(&self, values: &[Option<&str>]) -> Result<Ladder, LadderError> {
        let all = self.leaves(values);
        Ladder::climb(
            values,
            self.max_level(),
            |value, level| self.label(value, level),
            |group| self.loss(group, all),
        )
    }

    /// What the shares in its ladders depend on.
    pub fn share_basis(&self) -> ShareBasis {
        match self {
            Hierarchy::Whole
            | Hierarchy::Dates(_)
            | Hierarchy::Breaks(_)
            | Hierarchy::Codes(_)
            | Hierarchy::Age(_) => ShareBasis::ValuesPresent,
            Hierarchy::Table(_) => ShareBasis::Lines,
            Hierarchy::Intervals(_) => ShareBasis::Hierarchy,
            Hierarchy::Redaction(redaction) => match redaction.alphabet() {
                Some(_) => ShareBasis::Hierarchy,
                None => ShareBasis::ValuesPresent,
            },
            Hierarchy::Chain(chain) => chain.only().map_or(ShareBasis::ValuesPresent, Hierarchy::share_basis),
        }
    }

    /// Leaves of the whole hierarchy: the lines of a table, else the values present.
    pub fn leaves(&self, values: &[Option<&str>]) -> usize {
        match self {
            Hierarchy::Table(table) => {
                table.len() + usize::from(values.contains(&None) && !table.has_row_for_missing())
            }
            Hierarchy::Chain(chain) => chain.only().map_or(values.len(), |part| part.leaves(values)),
            _ => values.len(),
        }
    }

    fn loss(&self, group: &NewGroup<'_>, all: usize) -> f64 {
        let present = categorical_loss(group.leaves, all);
        match self {
            Hierarchy::Whole
            | Hierarchy::Dates(_)
            | Hierarchy::Breaks(_)
            | Hierarchy::Codes(_)
            | Hierarchy::Age(_) => present,
            Hierarchy::Table(table) => categorical_loss(table.leaves(group, all), all),
            Hierarchy::Intervals(intervals) => intervals.loss(group),
            Hierarchy::Redaction(redaction) => redaction.loss(group).unwrap_or(present),
            // A single part is that part; a longer chain has no domain of its own.
            Hierarchy::Chain(chain) => chain.only().map_or(present, |part| part.loss(group, all)),
        }
    }
}
