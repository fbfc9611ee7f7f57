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
mod kind;
mod labels;
mod ladder;
mod lines;
mod lump;
mod names;
mod ordering;
mod propose;
mod redaction;
mod repair;
mod structures;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod whole;

pub use age::Age;
pub use breaks::{BreakLevel, Breaks, BreaksError};
pub use chain::{Chain, ChainError};
pub use cluster::{ClusterError, MOST_CLUSTERED_TEXTS, cluster};
pub use codes::{CodeLevel, CodeRange, Codes, CodesError};
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

use kind::Kind;
use ladder::NewGroup;
pub use ladder::categorical_loss;
use whole::Whole;

/// The top label of every hierarchy that does not say otherwise.
pub const TOP: &str = "*";

/// Makes the enum from the list of kinds.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident($kind:ident)),+ $(,)?) => {
        /// Which label a value has on each level of one column.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Hierarchy {
            /// The value, then `*`: what a quasi-identifier without a hierarchy gets.
            Whole,
            $($(#[$doc])* $name($kind)),+
        }

        impl Hierarchy {
            fn kind(&self) -> &dyn Kind {
                match self {
                    Hierarchy::Whole => &Whole,
                    $(Hierarchy::$name(kind) => kind),+
                }
            }
        }
    };
}

kinds! {
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
        self.kind().max_level()
    }

    /// What its labels are, as a sentence says it: `masked characters`.
    pub fn in_words(&self) -> &'static str {
        self.kind().in_words()
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
        self.kind().label(value, level)
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
        self.kind().share_basis()
    }

    /// Leaves of the whole hierarchy: the lines of a table, else the values present.
    pub fn leaves(&self, values: &[Option<&str>]) -> usize {
        self.kind().leaves(values)
    }

    fn loss(&self, group: &NewGroup<'_>, all: usize) -> f64 {
        self.kind().loss(group, all)
    }
}
