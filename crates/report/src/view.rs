//! What the page for people shows beyond the document. Holds released labels only, whoever it is for.

use super::{Document, Lang};

/// Who reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Those who have the original: everything is shown.
    House,
    /// Whoever gets the release: what released rows tell, and what the promises need. See [`external`](super::external).
    Outside,
}

/// Everything `report.html` is drawn from.
#[derive(Debug, Clone)]
pub struct View {
    /// Who reads it.
    pub audience: Audience,
    /// In which language.
    pub lang: Lang,
    /// The figures.
    pub document: Document,
    /// Columns in the order of the input.
    pub attributes: Vec<AttributeView>,
    /// Sizes of the released classes and how many classes have them, ascending.
    pub class_sizes: Vec<(u64, u64)>,
    /// Share of rows that might have been suppressed, as written in the job.
    pub suppression_limit: String,
    /// Rows that might have been suppressed.
    pub suppression_limit_rows: u64,
    /// `canonical`, `shuffled` or `input`.
    pub row_order: &'static str,
    /// What is known of the lattice's nodes: anonymous, not anonymous, not checked because it cannot be optimal.
    pub node_counts: (u64, u64, u64),
}

/// One column.
#[derive(Debug, Clone)]
pub struct AttributeView {
    /// Name of the column.
    pub name: String,
    /// `identifying`, `quasi-identifier`, `sensitive`, `insensitive`, or why a column is left out.
    pub role: &'static str,
    /// Whether the release has it.
    pub released: bool,
    /// Declared type, e.g. `integer`.
    pub data_type: &'static str,
    /// Levels of a quasi-identifier, from 0 up; empty for other columns.
    pub levels: Vec<LevelView>,
    /// Shares of the labels in the table and in the release, most frequent first, the rest summed up in a last bar. For
    /// columns with many labels only the most frequent ones. Empty for columns that are not released.
    pub distribution: Vec<Bar>,
}

/// What one level of a quasi-identifier means.
#[derive(Debug, Clone)]
pub struct LevelView {
    /// Its number; 0 is the value as it came in.
    pub level: u8,
    /// Whether the solution uses it.
    pub chosen: bool,
    /// Share of the released cells that show a label of it, where they come from several levels: 0 to 1.
    pub cells: Option<f64>,
    /// Number of different labels over the values present.
    pub groups: usize,
    /// Number of different labels over the released rows.
    pub released_groups: usize,
    /// A few labels; only from the chosen level upwards.
    pub examples: Vec<String>,
    /// Share of the column's values that a label of this level leaves open, in the mean over all rows: 0 to 1.
    pub relative_loss: f64,
}

/// One label's shares.
#[derive(Debug, Clone)]
pub struct Bar {
    /// The label; `None` is the missing value.
    pub label: Option<String>,
    /// Whether this bar sums up all labels not shown.
    pub is_rest: bool,
    /// Share of the original rows that fall under the label, 0 to 1. `None` where a table is so small that it would tell
    /// who was left out.
    pub before: Option<f64>,
    /// Share of the released rows, 0 to 1.
    pub after: f64,
}
