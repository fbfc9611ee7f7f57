//! Operators on parts of a table.

use super::numbers::{count, time};
use paravent_core::words::{Columns, Lean};
use serde::Serialize;

/// What parts cost and save.
#[derive(Debug, Clone, Serialize)]
pub struct PartsResult {
    /// Name of the table.
    pub dataset: String,
    /// Its rows.
    pub rows: usize,
    /// What α^G promises.
    pub privacy: &'static str,
    /// α^G by number of random parts.
    pub generalized: Vec<PartsLine>,
    /// α^S and α^D, whole and on parts.
    pub forms: Vec<FormTime>,
}

/// α^G on so many random parts.
#[derive(Debug, Clone, Serialize)]
pub struct PartsLine {
    /// Share of rows that may be suppressed.
    pub suppression: &'static str,
    /// Number of parts.
    pub parts: usize,
    /// Different vectors of levels that the parts chose.
    pub levels: usize,
    /// LM of the union, each part with the best levels of its own.
    pub loss: f64,
    /// Rows that are left out then.
    pub suppressed_rows: u64,
    /// LM of the union where all show the component-wise maximum of their levels.
    pub loss_with_shared_levels: f64,
    /// Counting and searching all parts, on one thread and on two.
    pub ms: [f64; 2],
    /// Counting all parts, adding the counts up, and searching once.
    pub ms_with_added_counts: [f64; 2],
    /// Whether that is the node of the whole table.
    pub same_by_added_counts: bool,
}

/// A form of an operator on one thread and on two.
#[derive(Debug, Clone, Serialize)]
pub struct FormTime {
    /// `α^S` or `α^D`.
    pub operator: &'static str,
    /// How the table was cut.
    pub form: &'static str,
    /// Medians.
    pub ms: [f64; 2],
    /// α^D: whether the cells are those that the whole table shows. α^S: whether every column has the cells that it had, in whatever order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_cells: Option<bool>,
}

/// As aligned text.
pub(super) fn text(result: &PartsResult) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("may suppress", Right),
        ("parts", Right),
        ("levels", Right),
        ("loss (LM)", Right),
        ("suppressed", Right),
        ("shared levels", Right),
        ("1 thread", Right),
        ("2 threads", Right),
        ("added counts, 1", Right),
        ("2", Right),
    ]);
    for line in &result.generalized {
        table.row(vec![
            line.suppression.to_owned(),
            line.parts.to_string(),
            line.levels.to_string(),
            format!("{:.4}", line.loss),
            count(u128::from(line.suppressed_rows)),
            format!("{:.4}", line.loss_with_shared_levels),
            time(line.ms[0]),
            time(line.ms[1]),
            time(line.ms_with_added_counts[0]),
            time(line.ms_with_added_counts[1]),
        ]);
    }
    let differing = result.generalized.iter().filter(|line| !line.same_by_added_counts).count();
    let told = match differing {
        0 => "Added counts give the node of the whole table, always.\n".to_owned(),
        lines => format!("ADDED COUNTS GIVE ANOTHER NODE in {lines} lines\n"),
    };
    let mut forms = Columns::headed(&[
        ("operator", Left),
        ("form", Left),
        ("1 thread", Right),
        ("2 threads", Right),
        ("same cells", Left),
    ]);
    for form in &result.forms {
        let same = match (form.same_cells, form.operator) {
            (None, _) => "drawn anew",
            (Some(true), "α^S") => "yes, in another order",
            (Some(true), _) => "yes",
            (Some(false), _) => "NO",
        };
        forms.row(vec![
            form.operator.to_owned(),
            form.form.to_owned(),
            time(form.ms[0]),
            time(form.ms[1]),
            same.to_owned(),
        ]);
    }
    let PartsResult { dataset, privacy, rows, .. } = result;
    format!(
        "{dataset}, {} rows, {privacy}: α^G on random parts\n{}{told}\n{}",
        count(*rows as u128),
        table.render(),
        forms.render()
    )
}
