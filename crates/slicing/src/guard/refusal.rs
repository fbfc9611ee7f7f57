//! Why a slicing is refused: with the figure for the owner of the table, without it for somebody who asks a question.

use super::{Findings, Limits};
use crate::groups::ColumnGroups;
use crate::share::Share;

/// Why a slicing is refused. `Display` is for the owner: it holds figures of the data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The buckets are made by the only column that differs from group to group.
    #[error("{}", self.text(true))]
    NothingMixed {
        /// The columns by which buckets are made.
        known: Vec<String>,
    },
    /// The buckets are made by a sensitive column.
    #[error("{}", self.text(true))]
    SensitiveKnown {
        /// The column.
        column: String,
    },
    /// Too many rows are alone inside a group.
    #[error("{}", self.text(true))]
    Unique {
        /// Number of the group, from 1.
        group: usize,
        /// The columns looked at.
        columns: Vec<String>,
        /// Rows that are alone.
        rows: usize,
        /// All rows.
        all: usize,
        /// The limit.
        limit: Share,
    },
    /// Too many rows are in buckets where a column has one value.
    #[error("{}", self.text(true))]
    Constant {
        /// Number of the group, from 1.
        group: usize,
        /// The column.
        column: String,
        /// Rows in such buckets.
        rows: usize,
        /// All rows.
        all: usize,
        /// Rows in such buckets by chance.
        expected: f64,
        /// The limit.
        limit: Share,
    },
    /// Groups tell each other.
    #[error("{}", self.text(true))]
    Linked {
        /// Numbers of the groups, from 1.
        groups: (usize, usize),
        /// The columns that tell.
        determinant: Vec<String>,
        /// The column that is told.
        dependent: String,
        /// Rows that are linked again.
        rows: usize,
        /// Rows that chance links.
        chance: usize,
        /// All rows.
        all: usize,
        /// The limit.
        limit: Share,
    },
    /// A bucket has too few sensitive values.
    #[error("{}", self.text(true))]
    Diversity {
        /// The sensitive column.
        column: String,
        /// What is demanded.
        l: u32,
        /// The fewest of a bucket.
        least: usize,
        /// Buckets below the demand.
        below: usize,
        /// All buckets.
        buckets: usize,
    },
}

fn percent(rows: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * rows as f64 / all.max(1) as f64)
}

impl Refusal {
    /// Which group and what for, without a figure of the data.
    pub fn without_figures(&self) -> String {
        self.text(false)
    }

    fn text(&self, figures: bool) -> String {
        let figure = |text: String| if figures { text } else { String::new() };
        match self {
            Refusal::NothingMixed { known } => format!(
                "the buckets are made by {}, which every bucket gives away, and no two groups are left to be mixed: every row would leave as it came; make buckets by another column",
                known.join(", ")
            ),
            Refusal::SensitiveKnown { column } => format!(
                "the buckets are made by {column}, which is sensitive: every bucket gives its value away, and every group would be linked with it; make buckets by another column"
            ),
            Refusal::Unique { group, columns, rows, all, limit } => format!(
                "group {group} singles people out: the share of rows whose combination of {} occurs once is above {limit}{}; spread these columns over several groups, or raise the limit",
                columns.join(", "),
                figure(format!(" ({rows} of {all} rows, {})", percent(*rows, *all))),
            ),
            Refusal::Constant { group, column, rows, all, expected, limit } => format!(
                "column {column} (group {group}) is constant in too many buckets, so that nothing is mixed there: the share of such rows is more than {limit} above what chance makes{}; put rows into buckets in random order or by another column, make larger buckets, or merge them",
                figure(format!(
                    " ({rows} of {all} rows, {}; by chance {:.1} %)",
                    percent(*rows, *all),
                    100.0 * expected / (*all).max(1) as f64
                )),
            ),
            Refusal::Linked { groups, determinant, dependent, rows, chance, all, limit } => format!(
                "{} (group {}) tells {dependent} (group {}), so that whoever knows how puts the two groups together again for more than {limit} of the rows{}; keep these columns in one group, leave one out, or make larger buckets",
                determinant.join(", "),
                groups.0,
                groups.1,
                figure(format!(" ({}, by chance {})", percent(*rows, *all), percent(*chance, *all))),
            ),
            Refusal::Diversity { column, l, least, below, buckets } => format!(
                "not every bucket has {l} different values of {column}{}; make larger buckets, or merge them",
                figure(format!(" ({below} of {buckets} buckets have fewer, one of them {least})")),
            ),
        }
    }
}

impl Findings {
    /// Everything that is beyond the limits, the worst kinds first.
    pub fn refusals(&self, groups: &ColumnGroups, limits: &Limits) -> Vec<Refusal> {
        let name = |&column: &usize| groups.columns()[column].clone();
        let mut refusals = Vec::new();
        if !limits.demand_anything() {
            return refusals;
        }
        if !self.known.is_empty() && self.mixed_groups < 2 {
            refusals.push(Refusal::NothingMixed { known: self.known.clone() });
        }
        let sensitive = self.known_sensitive.iter().cloned();
        refusals.extend(sensitive.map(|column| Refusal::SensitiveKnown { column }));
        let (all, limit) = (self.rows, limits.unique);
        let unique = self.unique.iter().filter(|group| limit.is_exceeded_by(group.rows, all));
        refusals.extend(unique.map(|found| Refusal::Unique {
            group: found.group,
            columns: found.columns.iter().map(name).collect(),
            rows: found.rows,
            all,
            limit,
        }));
        let limit = limits.constant;
        let constant = self.constant.iter().filter(|found| {
            self.mixed_groups > 1
                && limit.is_exceeded_by(found.rows.saturating_sub(found.expected.ceil() as usize), all)
        });
        refusals.extend(constant.map(|found| Refusal::Constant {
            group: found.group,
            column: name(&found.column),
            rows: found.rows,
            all,
            expected: found.expected,
            limit,
        }));
        let limit = limits.linked;
        // A dependency that helps little beyond the size of the buckets is told, not refused.
        let linked = self
            .links
            .iter()
            .filter(|link| limit.is_exceeded_by(link.linked, all) && 2 * link.linked >= 3 * link.chance);
        refusals.extend(linked.map(|link| Refusal::Linked {
            groups: link.groups,
            determinant: link.determinant.iter().map(name).collect(),
            dependent: name(&link.dependent),
            rows: link.linked,
            chance: link.chance,
            all,
            limit,
        }));
        let below = self.diversity.iter().filter(|found| found.least < limits.diversity as usize);
        refusals.extend(below.map(|found| Refusal::Diversity {
            column: name(&found.column),
            l: limits.diversity,
            least: found.least,
            below: found.buckets_below,
            buckets: self.buckets,
        }));
        refusals
    }
}
