//! Which column of the well-known benchmark tables is the sensitive one.

use super::Column;

/// The sensitive columns of ADULT, CUP, FARS, ATUS and IHIS in the evaluation of Kohlmayer, "Datenschutz und biomedizinische
/// Forschung", TU München 2015.
const KNOWN: [&str; 6] = [
    "occupation",
    "ramntall",
    "istatenum",
    "highest level of school completed",
    "highest-school-level",
    "educ",
];

/// The well-known sensitive column, else the last one that has a hierarchy.
pub(super) fn sensitive_of(columns: &[Column]) -> usize {
    let known = |column: &Column| KNOWN.contains(&column.coded.name.to_lowercase().as_str());
    let last = || columns.iter().rposition(|column| column.levels.is_some());
    columns.iter().position(known).or_else(last).unwrap_or(0)
}
