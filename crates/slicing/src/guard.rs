//! What a slicing must not give away, asked of the table before a row leaves.
//!
//! Slicing protects by mixing. It does not protect
//! - rows that are alone with their values *inside* a group: the group releases them as they are ([`UniqueGroup`]);
//! - values that are the same all over a bucket: permuting equal values changes nothing ([`ConstantColumn`]);
//! - groups that tell each other: whoever knows the zip code of a town puts the two together again ([`Link`]);
//! - sensitive values in buckets with too few of them ([`SensitiveColumn`]).
//!
//! A column by which the buckets are made is *known* to every group: whoever reads a bucket reads its value. So it counts as a column of every group,
//! and a slicing whose groups hold nothing else to mix is none.

mod constant;
mod links;
mod refusal;
mod unique;

pub use constant::ConstantColumn;
pub use links::Link;
pub use refusal::Refusal;
pub use unique::{UniqueGroup, unique_rows};

use crate::checks::Sliced;
use crate::groups::ColumnGroups;
use crate::share::Share;

/// How much a slicing may give away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Limits {
    /// Most rows whose combination of values inside a group occurs once.
    pub unique: Share,
    /// Most rows in buckets that are constant in a column, beyond what chance makes.
    pub constant: Share,
    /// Most rows that a dependency between groups links again.
    pub linked: Share,
    /// Fewest different values of a sensitive column in a bucket; 1 demands nothing.
    pub diversity: u32,
}

impl Limits {
    /// What a release is held to unless its owner says otherwise.
    pub const STANDARD: Limits =
        Limits { unique: Share::TENTH, constant: Share::TENTH, linked: Share::FIFTH, diversity: 1 };

    /// Everything is let through: for plans whose result does not leave.
    pub const NONE: Limits =
        Limits { unique: Share::ALL, constant: Share::ALL, linked: Share::ALL, diversity: 1 };

    /// Whether there is anything to look for.
    pub fn demand_anything(&self) -> bool {
        *self != Limits::NONE
    }
}

/// A table about to be sliced.
#[derive(Clone, Copy)]
pub struct Examined<'a> {
    /// The groups.
    pub groups: &'a ColumnGroups,
    /// The columns of [`ColumnGroups::columns`] before slicing, and the buckets.
    pub table: Sliced<'a>,
    /// Columns by which the buckets are made.
    pub known: &'a [usize],
    /// Columns whose labels make the buckets, as those of a generalization do. Whoever finds a bucket by them knows them, so they may be constant there.
    pub labelled: &'a [usize],
    /// Sensitive columns.
    pub sensitive: &'a [usize],
    /// For each column the code of a missing cell, if it has one: a missing cell is no secret.
    pub missing: &'a [Option<u32>],
    /// Whose row it is, where a person may have several: rows that one person shares with nobody else are alone.
    pub person: Option<&'a [u32]>,
}

impl Examined<'_> {
    fn rows(&self) -> usize {
        self.table.layout.rows()
    }

    /// The columns that are mixed: those of a group without the known ones.
    fn mixed(&self, group: usize) -> Vec<usize> {
        self.groups.groups()[group].iter().copied().filter(|column| !self.known.contains(column)).collect()
    }
}

/// Different values of a sensitive column per bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveColumn {
    /// The column, as a position in [`ColumnGroups::columns`].
    pub column: usize,
    /// The fewest of a bucket: the ℓ that holds.
    pub least: usize,
    /// Buckets below what is demanded.
    pub buckets_below: usize,
}

/// What a slicing gives away.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Rows of the table.
    pub rows: usize,
    /// Buckets.
    pub buckets: usize,
    /// Groups that have something to mix.
    pub mixed_groups: usize,
    /// Known columns, by name.
    pub known: Vec<String>,
    /// Sensitive columns that are known, by name.
    pub known_sensitive: Vec<String>,
    /// Per group with at least two columns (known ones included).
    pub unique: Vec<UniqueGroup>,
    /// Per column that is mixed.
    pub constant: Vec<ConstantColumn>,
    /// Columns of different groups where one tells the other.
    pub links: Vec<Link>,
    /// Per sensitive column.
    pub diversity: Vec<SensitiveColumn>,
}

/// Looks at everything that can be found. `diversity` is the number of values that buckets are counted against.
pub fn examine(what: &Examined<'_>, diversity: u32) -> Findings {
    let name = |&column: &usize| what.groups.columns()[column].clone();
    let known_sensitive = what.known.iter().filter(|column| what.sensitive.contains(column));
    Findings {
        rows: what.rows(),
        buckets: what.table.layout.buckets(),
        mixed_groups: (0..what.groups.len()).filter(|&group| !what.mixed(group).is_empty()).count(),
        known: what.known.iter().map(name).collect(),
        known_sensitive: known_sensitive.map(name).collect(),
        unique: unique::unique(what),
        constant: constant::constant(what),
        links: links::links(what),
        diversity: what.sensitive.iter().map(|&column| sensitive(what, column, diversity)).collect(),
    }
}

fn sensitive(what: &Examined<'_>, column: usize, l: u32) -> SensitiveColumn {
    let codes = what.table.columns[column];
    let missing = what.missing.get(column).copied().flatten();
    let distinct: Vec<usize> = what
        .table
        .layout
        .iter()
        .map(|bucket| {
            let mut values: Vec<u32> =
                bucket.iter().map(|&row| codes[row as usize]).filter(|&code| Some(code) != missing).collect();
            values.sort_unstable();
            values.dedup();
            values.len()
        })
        .collect();
    SensitiveColumn {
        column,
        least: distinct.iter().copied().min().unwrap_or(0),
        buckets_below: distinct.iter().filter(|&&values| values < l as usize).count(),
    }
}

#[cfg(test)]
mod tests;
