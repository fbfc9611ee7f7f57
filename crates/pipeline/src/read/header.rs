//! The column names.

use std::path::Path;

use hashbrown::HashMap;

use super::{Place, ReadError};

/// More columns than any table about people has; a file with more is not one.
pub(super) const MOST_COLUMNS: usize = 1 << 16;

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
