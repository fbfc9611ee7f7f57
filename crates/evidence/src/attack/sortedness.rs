//! Is a table sorted by what it shows? Then the order of its rows says nothing more.

use super::Released;
use crate::microdata::Column;
use std::cmp::Ordering;

/// Whether the rows are sorted by some order of their columns: then a row's place follows from its content.
#[must_use]
pub fn is_sorted(released: &Released) -> bool {
    sorted_runs(released).1
}

/// The runs of rows that tie in all columns by which the release is sorted, as numbers by row, and whether these are all columns.
///
/// Any column that never falls within runs of equal cells so far can come next; taking one never spoils another. Tools sort by text,
/// by number or without regard to capitals, up or down.
pub(super) fn sorted_runs(released: &Released) -> (Vec<u32>, bool) {
    let rows = released.table.rows();
    let mut tied = vec![true; rows.saturating_sub(1)];
    let all = take_sorted(released, (0..released.table.columns().len()).collect(), &mut tied);
    let mut runs = Vec::with_capacity(rows);
    let mut run = 0;
    for row in 0..rows {
        run += u32::from(row > 0 && !tied[row - 1]);
        runs.push(run);
    }
    (runs, all)
}

/// Whether the rows are sorted by the quasi-identifiers, in some order of these, and then by all other columns. Rows that are sorted by a secret first
/// were hardly put into that order to hide another.
#[must_use]
pub fn is_sorted_by_class(released: &Released) -> bool {
    let mut tied = vec![true; released.table.rows().saturating_sub(1)];
    let is_quasi = |place: &usize| released.quasi_identifiers.contains(place);
    let (quasi, others) = (0..released.table.columns().len()).partition(is_quasi);
    take_sorted(released, quasi, &mut tied) && take_sorted(released, others, &mut tied)
}

/// Takes columns by which the rows are sorted, one after the other; whether these are all of `left`. `tied[i]`: rows i and i + 1 agree in all columns taken so far.
fn take_sorted(released: &Released, mut left: Vec<usize>, tied: &mut [bool]) -> bool {
    let columns = released.table.columns();
    let ranks: Vec<Vec<Vec<u32>>> = columns.iter().map(ranks).collect();
    loop {
        let rises = |&place: &usize| {
            let codes = columns[place].codes();
            ranks[place].iter().any(|rank| {
                let rank = |row: usize| rank[codes[row] as usize];
                let mut pairs = tied.iter().enumerate().filter(|(_, tied)| **tied).map(|(row, _)| row);
                pairs.clone().all(|row| rank(row) <= rank(row + 1))
                    || pairs.all(|row| rank(row) >= rank(row + 1))
            })
        };
        let Some(position) = left.iter().position(rises) else { return left.is_empty() };
        let codes = columns[left.remove(position)].codes();
        tied.iter_mut().enumerate().for_each(|(row, tied)| *tied &= codes[row] == codes[row + 1]);
    }
}

/// By code, for each way to sort a column: its place.
fn ranks(column: &Column) -> Vec<Vec<u32>> {
    let labels = column.labels();
    let ranked = |before: &dyn Fn(&String, &String) -> Ordering| -> Vec<u32> {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by(|&a, &b| before(&labels[a], &labels[b]));
        let mut rank = vec![0u32; labels.len()];
        for at in 1..order.len() {
            let new = before(&labels[order[at - 1]], &labels[order[at]]) == Ordering::Less;
            rank[order[at]] = rank[order[at - 1]] + u32::from(new);
        }
        rank
    };
    let number = |label: &String| -> Option<f64> {
        let label = label.trim_start_matches(['[', '(', ']', '<', '>', '\u{2264}', '\u{2265}', '=', ' ']);
        let end =
            label.char_indices().find(|&(at, c)| !(c.is_ascii_digit() || c == '.' || (c == '-' && at == 0)));
        label[..end.map_or(label.len(), |(at, _)| at)].trim_end_matches('.').parse().ok()
    };
    let mut ranks = vec![
        ranked(&|a, b| a.cmp(b)),
        ranked(&|a, b| a.to_lowercase().cmp(&b.to_lowercase()).then(a.cmp(b))),
    ];
    if labels.iter().any(|label| number(label).is_some()) {
        // What is no number comes first or last, as tools have it.
        for other in [f64::NEG_INFINITY, f64::INFINITY] {
            let value = |label: &String| number(label).unwrap_or(other);
            ranks.push(ranked(&|a, b| value(a).total_cmp(&value(b)).then(a.cmp(b))));
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn sortedness_is_found_for_any_order_of_columns() {
        let by = |text: &str| is_sorted(&Released::new(table(text), vec![0], vec![]));
        assert!(by("a b\n1 1\n1 2\n2 1") && by("a b\n1 1\n2 1\n1 2") && by("a b\n1 1") && by("a"));
        assert!(by("a b\n2 1\n1 2\n1 1"), "downwards");
        assert!(!by("a b\n1 2\n2 3\n1 1\n2 2"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Sorting by every order of the columns and looking whether one of them leaves the rows in place.
        #[test]
        fn sorted_is_what_trying_all_orders_of_columns_says(rows in prop::collection::vec((0u8..2, 0u8..2, 0u8..2), 1..7)) {
            let text: String = rows.iter().map(|(a, b, c)| format!("\n{a} {b} {c}")).collect();
            let found = is_sorted(&Released::new(table(&format!("a b c{text}")), vec![0], vec![]));
            let cell = |row: &(u8, u8, u8), place: usize| [row.0, row.1, row.2][place];
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            // Each column up or down.
            let flipped = |row: &(u8, u8, u8), place: usize, ways: u8| cell(row, place) ^ (ways >> place & 1);
            let expected = orders.iter().any(|order| {
                (0..8).any(|ways| rows.is_sorted_by_key(|row| order.map(|place| flipped(row, place, ways))))
            });
            prop_assert_eq!(found, expected);
        }
    }
}
