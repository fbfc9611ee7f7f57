//! Which columns single people out together: a search for minimal combinations of columns.

use super::sample::{MISSING, Sample};

/// A minimal set of columns under which many rows stand alone: no part of it does so.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Combination {
    /// Columns, in table order.
    pub(super) columns: Vec<usize>,
    /// Share of the rows whose combination no other row has.
    pub(super) unique: f64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Small combinations first, then in table order.
    pub(super) combinations: Vec<Combination>,
    /// Whether all combinations of the sizes asked for were looked at.
    pub(super) complete: bool,
}

/// What counts as found, and how far to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Share of unique rows from which on a combination counts; above 0.
    pub(super) share: f64,
    /// Most columns of a combination.
    pub(super) size: usize,
    /// Most combinations × rows looked at.
    pub(super) effort: u64,
}

/// A column as the search sees it: dense codes of the sampled rows.
pub(super) struct DenseColumn {
    column: usize,
    codes: Vec<u32>,
    cardinality: u64,
}

impl DenseColumn {
    /// The sampled rows of a column; codes in `missing` all mean: no value.
    pub(super) fn of(sample: &Sample, column: usize, missing: &[u32]) -> Self {
        let merged = |code: u32| if missing.contains(&code) { MISSING } else { code };
        Self::new(column, sample.codes(column).iter().map(|code| merged(*code)).collect())
    }

    fn new(column: usize, mut codes: Vec<u32>) -> Self {
        let mut present = codes.clone();
        present.sort_unstable();
        present.dedup();
        for code in &mut codes {
            *code = present.partition_point(|other| other < code) as u32;
        }
        Self { column, codes, cardinality: present.len() as u64 }
    }
}

/// Minimal combinations, level by level. The share of unique rows can only grow with a column more, so what contains a
/// found combination is not looked at; and a combination has at most as many unique rows as its columns have tuples of
/// values, so what cannot reach the share is not counted.
pub(super) fn search(columns: &[DenseColumn], limits: &Limits) -> Found {
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let mut found = Found { combinations: Vec::new(), complete: true };
    if rows == 0 {
        return found;
    }
    let share = |unique: u64| unique as f64 / rows as f64;
    let enough = |unique: u64| unique > 0 && share(unique) >= limits.share;
    let mut effort = 0;
    let mut hits: Vec<Vec<usize>> = Vec::new();
    // The empty combination, which singles nobody out.
    let mut misses: Vec<Vec<usize>> = vec![Vec::new()];
    for size in 1..=limits.size {
        let mut larger_misses = Vec::new();
        for (set, column) in misses.iter().flat_map(|set| extensions(set, columns.len())) {
            let set: Vec<usize> = set.iter().copied().chain([column]).collect();
            let tuples =
                set.iter().fold(1, |product: u64, &i| product.saturating_mul(columns[i].cardinality));
            let can_be_enough = enough(tuples.min(rows as u64));
            effort += BOOKKEEPING + hits.len() as u64 + if can_be_enough { rows as u64 } else { 0 };
            if effort > limits.effort {
                found.complete = false;
                return found;
            }
            if hits.iter().any(|hit| hit.iter().all(|column| set.contains(column))) {
                continue;
            }
            let counted =
                can_be_enough.then(|| unique_rows(&set.iter().map(|&i| &columns[i]).collect::<Vec<_>>()));
            match counted.filter(|unique| enough(*unique)) {
                Some(unique) => {
                    let columns = set.iter().map(|&i| columns[i].column).collect();
                    found.combinations.push(Combination { columns, unique: share(unique) });
                    hits.push(set);
                }
                None if size < limits.size => larger_misses.push(set),
                None => {}
            }
        }
        misses = larger_misses;
    }
    found
}

/// What a combination costs that is not counted: it bounds memory as well as time.
const BOOKKEEPING: u64 = 200;

/// The set with each column behind its last one, so that every set has one way to come about.
fn extensions(set: &[usize], columns: usize) -> impl Iterator<Item = (&[usize], usize)> {
    let next = set.last().map_or(0, |last| last + 1);
    (next..columns).map(move |column| (set, column))
}

/// Rows whose combination occurs once. The key of a row is the mixed-radix number of its codes.
pub(super) fn unique_rows(columns: &[&DenseColumn]) -> u64 {
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let radix = columns.iter().try_fold(1_u64, |product, column| product.checked_mul(column.cardinality));
    match radix {
        Some(radix) => {
            let mut keys = vec![0_u64; rows];
            for column in columns {
                for (key, &code) in keys.iter_mut().zip(&column.codes) {
                    *key = *key * column.cardinality + u64::from(code);
                }
            }
            if radix <= 8 * rows as u64 {
                lonely_by_counting(&keys, radix)
            } else {
                lonely_by_sorting(&mut keys)
            }
        }
        // Too many tuples for a number: compare the codes themselves.
        None => {
            let mut keys: Vec<Vec<u32>> =
                (0..rows).map(|row| columns.iter().map(|column| column.codes[row]).collect()).collect();
            lonely_by_sorting(&mut keys)
        }
    }
}

fn lonely_by_counting(keys: &[u64], radix: u64) -> u64 {
    let mut counts = vec![0_u8; radix as usize];
    for &key in keys {
        let count = &mut counts[key as usize];
        *count = count.saturating_add(1);
    }
    counts.iter().filter(|count| **count == 1).count() as u64
}

fn lonely_by_sorting<K: Ord>(keys: &mut [K]) -> u64 {
    keys.sort_unstable();
    keys.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn columns(table: &[Vec<u32>]) -> Vec<DenseColumn> {
        let width = table.first().map_or(0, Vec::len);
        (0..width).map(|i| DenseColumn::new(i, table.iter().map(|row| row[i]).collect())).collect()
    }

    /// The slow, obvious twin: every subset, counted with a map; those without a smaller hit inside.
    fn brute_force(table: &[Vec<u32>], limits: &Limits) -> Vec<Combination> {
        let width = table.first().map_or(0, Vec::len);
        let subsets =
            (1_u32..1 << width).map(|bits| (0..width).filter(|i| bits >> i & 1 == 1).collect::<Vec<_>>());
        let hits: Vec<Combination> = subsets
            .filter(|set| set.len() <= limits.size)
            .filter_map(|set| {
                let mut counts: HashMap<Vec<u32>, u64> = HashMap::new();
                for row in table {
                    *counts.entry(set.iter().map(|&i| row[i]).collect()).or_default() += 1;
                }
                let unique = counts.values().filter(|count| **count == 1).count() as f64 / table.len() as f64;
                (unique > 0.0 && unique >= limits.share).then_some(Combination { columns: set, unique })
            })
            .collect();
        let inside = |a: &Combination, b: &Combination| {
            a.columns.len() < b.columns.len() && a.columns.iter().all(|column| b.columns.contains(column))
        };
        let mut minimal: Vec<Combination> =
            hits.iter().filter(|hit| !hits.iter().any(|other| inside(other, hit))).cloned().collect();
        minimal.sort_by(|a, b| (a.columns.len(), &a.columns).cmp(&(b.columns.len(), &b.columns)));
        minimal
    }

    proptest! {
        #[test]
        fn finds_what_brute_force_finds(
            table in (1_usize..6).prop_flat_map(|width| {
                prop::collection::vec(prop::collection::vec(0_u32..4, width), 1..30)
            }),
            share in 0.05_f64..=1.0,
            size in 1_usize..5,
        ) {
            let limits = Limits { share, size, effort: u64::MAX };
            let found = search(&columns(&table), &limits);
            prop_assert!(found.complete);
            prop_assert_eq!(found.combinations, brute_force(&table, &limits));
        }

        #[test]
        fn counting_and_sorting_agree(keys in prop::collection::vec(0_u64..50, 0..60)) {
            prop_assert_eq!(lonely_by_counting(&keys, 50), lonely_by_sorting(&mut keys.clone()));
        }
    }

    #[test]
    fn keys_too_large_for_a_number_are_compared_as_they_are() {
        let table: Vec<Vec<u32>> = (0..40).map(|row| vec![row % 20; 6]).collect();
        let mut wide = columns(&table);
        assert_eq!(unique_rows(&wide.iter().collect::<Vec<_>>()), 0);
        wide.iter_mut().for_each(|column| column.cardinality = u64::MAX / 2);
        assert_eq!(unique_rows(&wide.iter().collect::<Vec<_>>()), 0);
    }

    #[test]
    fn stops_when_the_effort_is_spent() {
        let table: Vec<Vec<u32>> = (0..30).map(|row| vec![row % 6, row / 6, row % 7]).collect();
        let found = search(&columns(&table), &Limits { share: 0.9, size: 3, effort: 40 });
        assert!(!found.complete);
        assert!(search(&[], &Limits { share: 0.9, size: 3, effort: 40 }).complete);
    }
}
