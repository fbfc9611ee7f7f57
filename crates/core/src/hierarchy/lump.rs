//! Rare values put together.

use super::{TOP, TableError, TableHierarchy, TableLines};

/// Values of fewer rows than `least` become one label, more of them on every level, then `*`.
///
/// `rows[i]` is how often `values[i]` occurs. A frequent value stays what it is. A column of which nothing is rare has levels that
/// change nothing; the search passes over them.
///
/// ```
/// # use paravent_core::hierarchy::lump_rare;
/// let table = lump_rare(&["en", "de", "fr"], &[90, 40, 2], &[10, 50], "other").unwrap();
/// let labels: Vec<Vec<&str>> = table.lines().iter().map(|line| line.labels().collect()).collect();
/// assert_eq!(labels, [["en", "en", "*"], ["de", "other", "*"], ["other", "other", "*"]]);
/// ```
pub fn lump_rare(
    values: &[&str],
    rows: &[u64],
    least: &[u64],
    label: &str,
) -> Result<TableHierarchy, TableError> {
    let mut lines = TableLines::default();
    let mut ascending: Vec<u64> = least.to_vec();
    ascending.sort_unstable();
    for (value, &rows) in values.iter().zip(rows) {
        let labels = ascending.iter().map(|&least| if rows < least { label } else { value });
        lines.push(Some(value), labels.chain([TOP]));
    }
    TableHierarchy::from_lines(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_that_is_called_like_the_rest_joins_it() {
        // `other` is frequent on level 1 and rare on level 2: no level takes apart what is together.
        let table = lump_rare(&["other", "x", "y"], &[20, 1, 90], &[10, 50], "other");
        assert!(table.is_ok());
        // `other` stays frequent throughout: the rare ones join it and stay with it.
        assert!(lump_rare(&["other", "x"], &[99, 1], &[10, 50], "other").is_ok());
    }

    proptest! {
        #[test]
        fn no_label_names_a_rare_value(rows in prop::collection::vec(0u64..100, 1..20), first in 1u64..50, more in 0u64..50) {
            let names: Vec<String> = (0..rows.len()).map(|number| format!("v{number}")).collect();
            let values: Vec<&str> = names.iter().map(String::as_str).collect();
            let table = lump_rare(&values, &rows, &[first, first + more], "other").unwrap();
            for (line, &rows) in table.lines().iter().zip(&rows) {
                prop_assert!(rows >= first || line.labels().all(|label| Some(label) != line.value()));
            }
        }
    }
}
