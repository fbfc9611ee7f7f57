//! How many people are in two classes for certain; a part of composition.
//!
//! Where two releases are about the same rows, every row of a class of one is in a class of the other. If somebody's class fits two classes of the other
//! release, and one of these is known to be full of others, they are in the remaining one: intervals that cross (`0-9` beside `-1-8` and `9-18`) give away
//! the few between their limits. Bounds on the number of rows in each pair follow from the sizes by adding and subtracting, again and again, for each
//! value of the other cells by itself. Fréchet bounds; Dobra and Fienberg, "Bounds for cell entries in contingency tables given marginal totals", PNAS 97,
//! 2000.

use super::composition::Joined;
use std::collections::HashMap;

/// Combinations of two classes and a value; beyond, nothing is concluded.
const MOST: usize = 2_000_000;
/// Rounds of adding and subtracting. What follows from fewer is true as well.
const ROUNDS: usize = 64;

/// By class: value and rows, ascending by value.
pub(super) type Tallies = [Vec<(u32, u64)>];

/// Rows of one value in a pair of classes.
struct Cell {
    pair: usize,
    /// The left class and the value, and the right class and the value, as numbers.
    sides: [usize; 2],
    least: u64,
    most: u64,
}

/// The pairs with what follows from the sizes of all classes: nobody is in some, and in others somebody certainly is, and no more than so many. Where
/// that nobody is sure to be there, the number of people stays as it was. Unchanged where the two are not about the same rows, as far as the other cells
/// show.
pub(super) fn told_by_sizes(left: &Tallies, right: &Tallies, found: Vec<Joined>) -> Vec<Joined> {
    match bounds(left, right, &found) {
        None => found,
        Some(bounds) => {
            let told = |(joined, (least, most, values)): (Joined, (u64, u64, usize))| match (least, most) {
                (_, 0) => None,
                (0, _) => Some(Joined { values, ..joined }),
                (_, most) => Some(Joined { people: most.min(joined.people), values, ..joined }),
            };
            found.into_iter().zip(bounds).filter_map(told).collect()
        }
    }
}

/// By pair: fewest and most rows, and values that may occur. `None` where nothing can be concluded.
fn bounds(left: &Tallies, right: &Tallies, found: &[Joined]) -> Option<Vec<(u64, u64, usize)>> {
    let total = |tallies: &Tallies| {
        let mut total: HashMap<u32, u64> = HashMap::new();
        tallies.iter().flatten().for_each(|&(value, rows)| *total.entry(value).or_default() += rows);
        total
    };
    if total(left) != total(right) {
        return None;
    }
    let mut sizes: [Vec<u64>; 2] = Default::default();
    let starts = [(left, 0), (right, 1)].map(|(tallies, side): (&Tallies, usize)| {
        let start = |tally: &Vec<(u32, u64)>| {
            let at = sizes[side].len();
            sizes[side].extend(tally.iter().map(|entry| entry.1));
            at
        };
        tallies.iter().map(start).collect::<Vec<usize>>()
    });
    let mut cells = Vec::new();
    for (pair, joined) in found.iter().enumerate() {
        let (class, other) = (joined.left as usize, joined.right as usize);
        for (at, &(value, rows)) in left[class].iter().enumerate() {
            let Ok(there) = right[other].binary_search_by_key(&value, |entry| entry.0) else { continue };
            let most = rows.min(right[other][there].1);
            cells.push(Cell {
                pair,
                sides: [starts[0][class] + at, starts[1][other] + there],
                least: 0,
                most,
            });
        }
        if cells.len() > MOST {
            return None;
        }
    }
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (side, sizes) in sizes.iter().enumerate() {
            changed |= tighten(&mut cells, side, sizes)?;
        }
        if !changed {
            break;
        }
    }
    let mut bounds = vec![(0, 0, 0); found.len()];
    for cell in &cells {
        let bound = &mut bounds[cell.pair];
        *bound = (bound.0 + cell.least, bound.1 + cell.most, bound.2 + usize::from(cell.most > 0));
    }
    Some(bounds)
}

/// One side of the table: whether a bound moved, and `None` where the sizes do not go together.
fn tighten(cells: &mut [Cell], side: usize, sizes: &[u64]) -> Option<bool> {
    let mut sums = vec![(0u64, 0u64); sizes.len()];
    for cell in cells.iter() {
        let sum = &mut sums[cell.sides[side]];
        *sum = (sum.0 + cell.least, sum.1 + cell.most);
    }
    let goes_together = |(sum, &size): (&(u64, u64), &u64)| (sum.0..=sum.1).contains(&size);
    if !sums.iter().zip(sizes).all(goes_together) {
        return None;
    }
    let mut changed = false;
    for cell in cells {
        let (size, (least, most)) = (sizes[cell.sides[side]], sums[cell.sides[side]]);
        // What the others have at least, and at most.
        let (others_least, others_most) = (least - cell.least, most - cell.most);
        let (at_least, at_most) = (size.saturating_sub(others_most), size.checked_sub(others_least)?);
        changed |= at_least > cell.least || at_most < cell.most;
        cell.least = cell.least.max(at_least);
        cell.most = cell.most.min(at_most);
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tallies of so many classes from rows of left class, right class and value.
    fn tallies(
        rows: &[(u32, u32, u32)],
        of: impl Fn(&(u32, u32, u32)) -> u32,
        classes: u32,
    ) -> Vec<Vec<(u32, u64)>> {
        let counted = |class: u32| {
            let mut counts: std::collections::BTreeMap<u32, u64> = Default::default();
            rows.iter().filter(|row| of(row) == class).for_each(|row| *counts.entry(row.2).or_default() += 1);
            counts.into_iter().collect()
        };
        (0..classes).map(counted).collect()
    }

    fn joined(pairs: &[(u32, u32)], left: &Tallies, right: &Tallies) -> Vec<Joined> {
        let most = |a: &[(u32, u64)], b: &[(u32, u64)]| -> u64 {
            a.iter().flat_map(|x| b.iter().filter(|y| x.0 == y.0).map(|y| x.1.min(y.1))).sum()
        };
        let of = |&(l, r): &(u32, u32)| Joined {
            left: l,
            right: r,
            people: most(&left[l as usize], &right[r as usize]),
            values: 1,
        };
        pairs.iter().map(of).collect()
    }

    #[test]
    fn crossing_intervals_give_away_who_is_between_their_limits() {
        // Ages 0-9 and 10-19 beside 0-8 and 9-19: one person is nine.
        let rows: Vec<(u32, u32, u32)> =
            (0..20).map(|age| (u32::from(age > 9), u32::from(age > 8), 0)).collect();
        let (left, right) = (tallies(&rows, |row| row.0, 2), tallies(&rows, |row| row.1, 2));
        let found = told_by_sizes(&left, &right, joined(&[(0, 0), (0, 1), (1, 1)], &left, &right));
        assert_eq!(found.iter().map(|it| it.people).collect::<Vec<_>>(), [9, 1, 10]);
        // Somebody left in between: sizes that do not go together tell nothing.
        let fewer = tallies(&rows[1..], |row| row.1, 2);
        let pairs = joined(&[(0, 0), (0, 1), (1, 1)], &left, &fewer);
        assert_eq!(told_by_sizes(&left, &fewer, pairs.clone()), pairs);
    }

    /// Fewest and most rows of every pair over all ways to fill the table, by trying them all.
    fn all_fillings(left: &[u64], right: &[u64], allowed: &[(u32, u32)]) -> Vec<(u64, u64)> {
        fn fill(
            at: usize,
            left: &mut [u64],
            right: &mut [u64],
            allowed: &[(u32, u32)],
            now: &mut Vec<u64>,
            found: &mut Vec<(u64, u64)>,
        ) {
            if at == allowed.len() {
                if left.iter().chain(right.iter()).all(|&rest| rest == 0) {
                    found
                        .iter_mut()
                        .zip(now)
                        .for_each(|(bound, n)| *bound = (bound.0.min(*n), bound.1.max(*n)));
                }
                return;
            }
            let (l, r) = (allowed[at].0 as usize, allowed[at].1 as usize);
            for rows in 0..=left[l].min(right[r]) {
                (left[l], right[r]) = (left[l] - rows, right[r] - rows);
                now.push(rows);
                fill(at + 1, left, right, allowed, now, found);
                now.pop();
                (left[l], right[r]) = (left[l] + rows, right[r] + rows);
            }
        }
        let mut found = vec![(u64::MAX, 0); allowed.len()];
        fill(0, &mut left.to_vec(), &mut right.to_vec(), allowed, &mut Vec::new(), &mut found);
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn no_filling_of_the_table_is_outside_of_the_bounds(
            rows in prop::collection::vec((0u32..3, 0u32..3, 0u32..2), 1..7), more in prop::collection::vec((0u32..3, 0u32..3), 0..4)
        ) {
            let (left, right) = (tallies(&rows, |row| row.0, 3), tallies(&rows, |row| row.1, 3));
            let mut allowed: Vec<(u32, u32)> = rows.iter().map(|row| (row.0, row.1)).chain(more).collect();
            allowed.sort_unstable();
            allowed.dedup();
            let found = bounds(&left, &right, &joined(&allowed, &left, &right)).unwrap();
            let mut expected = vec![(0, 0); allowed.len()];
            for value in 0..2 {
                let of = |tallies: &Tallies| -> Vec<u64> {
                    tallies.iter().map(|tally| tally.iter().find(|entry| entry.0 == value).map_or(0, |entry| entry.1)).collect()
                };
                let filled = all_fillings(&of(&left), &of(&right), &allowed);
                expected.iter_mut().zip(filled).for_each(|(sum, one)| *sum = (sum.0 + one.0, sum.1 + one.1));
            }
            for (bound, exact) in found.iter().zip(expected) {
                prop_assert!(bound.0 <= exact.0 && exact.1 <= bound.1, "{bound:?} {exact:?}");
            }
        }
    }
}
