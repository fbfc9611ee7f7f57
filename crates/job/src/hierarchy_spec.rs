//! How the hierarchy of an attribute is to be built.

use std::path::PathBuf;

use super::ascii_char::AsciiChar;
use super::decimal::DecimalText;
use super::hierarchies::{Age, Breaks, Cluster, CodesSpec, Lump};
use super::names::names;
pub use super::side::Side;

/// The value of `hierarchy`: one builder, or several on top of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HierarchySpec {
    /// `"age.csv"` or `{ file = "age.csv" }`: value, level 1, … on each line.
    File(HierarchyFile),
    /// `{ intervals = { widths = [5, 10], min = 0, max = 100 } }`
    Intervals(Intervals),
    /// `{ redact = { from = "right" } }`: one more character is hidden on each level.
    Redact(Redact),
    /// `{ breaks = [[18, 30, 65], [18]] }`: intervals between free points, open at both ends.
    Breaks(Breaks),
    /// `{ codes = "icd-10" }`: beginnings and ranges of codes.
    Codes(CodesSpec),
    /// `{ age = { on = "2024-12-31" } }`: completed years since birth.
    Age(Age),
    /// `{ lump = { least = [20] } }`: rare values become one.
    Lump(Lump),
    /// `{ cluster = { sizes = [20, 8, 3] } }`: near values become one.
    Cluster(Cluster),
    /// `{ dates = ["month", "year"] }`, fine to coarse, each unit a union of the one before; not empty.
    Dates(Vec<DateUnit>),
    /// `{ order = [["single", "divorced"], ["married"]] }`: grouped by hand, all groups equally deep; not empty.
    Order(Vec<Group>),
    /// `{ ordering = { sizes = [2, 3] } }`: neighbours in the order of the values are grouped.
    Ordering(Ordering),
    /// `{ chain = [{ … }, { … }] }`: the labels of one part are the values of the next; two or more, no chain inside.
    Chain(Vec<HierarchySpec>),
}

impl HierarchySpec {
    /// Whether groups and labels are made from the values that occur and how often.
    pub fn is_counted(&self) -> bool {
        matches!(self, HierarchySpec::Lump(_) | HierarchySpec::Cluster(_))
    }
}

/// A hierarchy written down value by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyFile {
    /// As written; [`Job::resolve`](super::Job::resolve) makes it relative to the job file.
    pub path: PathBuf,
    /// `None`: found out from the file.
    pub delimiter: Option<AsciiChar>,
}

/// Intervals of growing width. `0 < widths[0] < widths[1] < …`, each dividing the next; `min < max`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Width on level 1, 2, …; not empty.
    pub widths: Vec<DecimalText>,
    /// Start of the first interval.
    pub min: DecimalText,
    /// End of the last interval, included.
    pub max: DecimalText,
    /// What becomes of values outside.
    pub outliers: Outliers,
    /// Whether values are brought to a whole number first.
    pub rounding: Rounding,
}

/// What becomes of values outside `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outliers {
    /// They become `<min` and `>max`.
    #[default]
    Label,
    /// They go into the first or last interval.
    Clamp,
    /// They are an error.
    Refuse,
}
names!(Outliers { Label: "label", Clamp: "clamp", Refuse: "refuse" });

/// How a value is brought to a whole number before it is put into an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Not at all.
    #[default]
    None,
    /// Towards minus infinity.
    Down,
    /// To the nearest.
    Nearest,
    /// Towards plus infinity.
    Up,
}
names!(Rounding { None: "none", Down: "down", Nearest: "nearest", Up: "up" });

/// Characters are hidden one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redact {
    /// How many different characters a place can hold, at least 2; `None`: counted in the data.
    pub alphabet: Option<u32>,
    /// The end where hiding starts.
    pub from: Side,
    /// What is shown instead of a hidden character.
    pub fill: char,
    /// Number of characters, 1 to 255; `None`: that of the longest value.
    pub length: Option<u8>,
}

/// A span of time that dates are generalized to. Declared from fine to coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DateUnit {
    /// `2024-03-09T14:05`
    Minute,
    /// `2024-03-09T14`
    Hour,
    /// `2024-03-09`
    Day,
    /// `2024-W10`, the ISO week. Lies across months and years, so no other unit is a union of weeks.
    Week,
    /// `2024-03`
    Month,
    /// `2024-Q1`
    Quarter,
    /// `2024-H1`
    HalfYear,
    /// `2024`
    Year,
    /// `2020s`
    Decade,
    /// `2000-2099`
    Century,
}
names!(DateUnit {
    Minute: "minute",
    Hour: "hour",
    Day: "day",
    Week: "week",
    Month: "month",
    Quarter: "quarter",
    HalfYear: "half-year",
    Year: "year",
    Decade: "decade",
    Century: "century",
});

/// A group of values, or of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What is shown for the group; `None`: made from its values.
    pub label: Option<String>,
    /// What is in it.
    pub members: Members,
}

/// What is in a [`Group`]; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// Values of the column; each occurs in one group only.
    Values(Vec<String>),
    /// Groups of the level below, all equally deep.
    Groups(Vec<Group>),
}

impl Group {
    /// Levels from the values up to this group: 1 for a group of values.
    pub fn depth(&self) -> usize {
        match &self.members {
            Members::Values(_) => 1,
            Members::Groups(groups) => 1 + groups.iter().map(Group::depth).max().unwrap_or(0),
        }
    }
}

/// Neighbouring values are grouped, then neighbouring groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// How many values (then groups) make a group of level 1, 2, …; not empty, each at least 2.
    pub sizes: Vec<u32>,
    /// The values in order; `None`: the order of the column.
    pub order: Option<Vec<String>>,
}
