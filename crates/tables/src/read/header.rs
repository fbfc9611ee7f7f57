//! The column names.

use std::path::Path;

use hashbrown::HashMap;

use super::{Place, ReadError};

/// More columns than any table about people has; a file with more is not one.
pub(super) const MOST_COLUMNS: usize = 1 << 16;

/// The name of a column that only numbers the rows.
const ROW_NUMBER: &str = "row_number";

/// Programs for statistics write the numbers of the rows as a first column and leave its name empty.
pub(super) fn name_row_numbers(names: &mut [String]) {
    if let [first, others @ ..] = names
        && first.is_empty()
        && !others.is_empty()
        && others.iter().all(|name| !name.is_empty() && name != ROW_NUMBER)
    {
        ROW_NUMBER.clone_into(first);
    }
}

/// Every column has a name, and no two the same. If the first row is no header after all, its cells are data: so the errors
/// tell positions, not names.
pub(super) fn check(names: &[String], path: &Path, place: Place) -> Result<(), ReadError> {
    let path = path.to_owned();
    if names.is_empty() {
        return Err(ReadError::NoHeader { path });
    }
    if names.len() > MOST_COLUMNS {
        return Err(ReadError::TooManyColumns { path, limit: MOST_COLUMNS });
    }
    let mut seen = HashMap::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(ReadError::EmptyName { path, place, column: i + 1 });
        }
        if let Some(first) = seen.insert(name, i) {
            return Err(ReadError::DuplicateName { path, place, first: first + 1, second: i + 1 });
        }
    }
    Ok(())
}

/// Whether a name reads like a cell: a number, a date, a time, an address. A table without a header has its first person's cells for names, which
/// no message may show.
pub fn reads_like_a_cell(name: &str) -> bool {
    let name = name.trim();
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let of_numbers = |c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '/' | ':' | ' ' | 'T' | 'Z' | '%')
    };
    (digits > 0 && name.chars().all(of_numbers)) || (name.contains('@') && name.contains('.'))
}

/// The names of a table's columns for a message, unless one of them reads like a cell.
pub fn listed(names: &[String]) -> String {
    match names.iter().any(|name| reads_like_a_cell(name)) {
        true => format!("{} columns whose names are not shown: the first row reads like data", names.len()),
        false => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_read_like_cells_are_not_shown() {
        for cell in ["34", "81660", "1990-03-01", "01.02.1999 10:30", "-1,5", "anna@example.org"] {
            assert!(reads_like_a_cell(cell), "{cell}");
        }
        for name in ["age", "q1", "2nd diagnosis", "ICD-10", "T", "zip (5)"] {
            assert!(!reads_like_a_cell(name), "{name}");
        }
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(listed(&names(&["zip", "age"])), "`zip`, `age`");
        assert!(!listed(&names(&["Anna", "34"])).contains("Anna"));
    }
}
