//! By how much one person can change an answer: the only place where sensitivities are computed.
//!
//! Neighbouring tables differ by one *person* who is added or removed, with up to m rows ([`Contribution`]). The number of people is
//! therefore itself protected. (Where neighbours replace a person, every sensitivity here doubles at most.)
//!
//! | answer | sensitivity (L1 and L2) |
//! |---|---|
//! | count | m |
//! | sum of values in \[a, b\] | m · max(\|a\|, \|b\|) |
//! | sum of (value − c) for the mean | m · max(\|a − c\|, \|b − c\|) |
//! | histogram, all cells together | m: the rows of one person may be in one cell or in m |
//! | sums per cell, all cells together | as the sum |

use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// At most this many rows of one person are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Contribution(NonZeroU32);

/// Values are cut to this range, in units of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    lower: i64,
    upper: i64,
}

/// The lower bound lies above the upper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the lower bound lies above the upper bound")]
pub struct BoundsReversed;

/// The most that one person can change an answer, in units of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sensitivity(u128);

impl Contribution {
    /// Every person has one row.
    pub const ONE_ROW: Contribution = Contribution(NonZeroU32::MIN);

    /// At most `rows` rows per person.
    pub fn of(rows: NonZeroU32) -> Contribution {
        Contribution(rows)
    }

    /// m.
    pub fn rows(self) -> u32 {
        self.0.get()
    }

    /// Which rows may be counted: the first m of each person, in the order given.
    ///
    /// A row is chosen by looking at rows of the same person only, so nobody else's absence changes it.
    pub fn kept<P: Ord>(self, persons: impl IntoIterator<Item = P>) -> Vec<bool> {
        let mut seen: BTreeMap<P, u32> = BTreeMap::new();
        let keep = |person| {
            let rows = seen.entry(person).or_insert(0);
            *rows = rows.saturating_add(1);
            *rows <= self.rows()
        };
        persons.into_iter().map(keep).collect()
    }
}

impl Bounds {
    /// `lower ≤ upper`. Bounds must come from knowledge about the attribute, never from the data.
    pub fn new(lower: i64, upper: i64) -> Result<Bounds, BoundsReversed> {
        if lower <= upper { Ok(Bounds { lower, upper }) } else { Err(BoundsReversed) }
    }

    /// The smallest value.
    pub fn lower(self) -> i64 {
        self.lower
    }

    /// The greatest value.
    pub fn upper(self) -> i64 {
        self.upper
    }

    /// The value, cut to the bounds.
    pub fn clamp(self, value: i64) -> i64 {
        value.clamp(self.lower, self.upper)
    }

    /// The middle, rounded down.
    pub(crate) fn middle(self) -> i64 {
        ((i128::from(self.lower) + i128::from(self.upper)) >> 1) as i64
    }
}

impl Sensitivity {
    /// Of a count, and of all cells of a histogram together.
    pub fn of_count(contribution: Contribution) -> Sensitivity {
        Sensitivity(u128::from(contribution.rows()))
    }

    /// Of a sum, and of sums per cell together.
    pub fn of_sum(bounds: Bounds, contribution: Contribution) -> Sensitivity {
        Sensitivity::of_centred_sum(bounds, 0, contribution)
    }

    /// Of the sum of the distances to `centre`.
    pub fn of_centred_sum(bounds: Bounds, centre: i64, contribution: Contribution) -> Sensitivity {
        let most = bounds.lower.abs_diff(centre).max(bounds.upper.abs_diff(centre));
        Sensitivity(u128::from(contribution.rows()) * u128::from(most))
    }

    /// The number, in units of the grid.
    pub fn get(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(m: u32) -> Contribution {
        Contribution::of(NonZeroU32::new(m).unwrap())
    }

    #[test]
    fn the_first_rows_of_each_person_are_kept() {
        assert_eq!(rows(2).kept(["a", "b", "a", "a", "b"]), [true, true, true, false, true]);
    }

    #[test]
    fn extreme_bounds_do_not_overflow() {
        let all = Bounds::new(i64::MIN, i64::MAX).unwrap();
        assert_eq!(Sensitivity::of_sum(all, rows(u32::MAX)).get(), u128::from(u32::MAX) << 63);
        assert_eq!(all.middle(), -1);
        assert_eq!(Bounds::new(1, 0), Err(BoundsReversed));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Adding any person's rows changes no answer by more than is claimed, and the claim is reached.
        #[test]
        fn no_person_changes_more_than_claimed(a in -50i64..50, width in 0i64..60, m in 1u32..4, person in proptest::collection::vec((-200i64..200, 0usize..3), 0..4)) {
            let bounds = Bounds::new(a, a + width).unwrap();
            let mine = &person[..person.len().min(m as usize)];
            let centre = bounds.middle();
            let sum: i64 = mine.iter().map(|(value, _)| bounds.clamp(*value)).sum();
            let centred: i64 = mine.iter().map(|(value, _)| bounds.clamp(*value) - centre).sum();
            let mut cells = [0i64; 3];
            mine.iter().for_each(|(value, cell)| cells[*cell] += bounds.clamp(*value));
            let l1: i64 = cells.iter().map(|cell| cell.abs()).sum();
            prop_assert!(u128::from(sum.unsigned_abs()) <= Sensitivity::of_sum(bounds, rows(m)).get());
            prop_assert!(u128::from(l1.unsigned_abs()) <= Sensitivity::of_sum(bounds, rows(m)).get());
            prop_assert!(u128::from(centred.unsigned_abs()) <= Sensitivity::of_centred_sum(bounds, centre, rows(m)).get());
            prop_assert!(mine.len() as u128 <= Sensitivity::of_count(rows(m)).get());
            let farthest = bounds.lower().unsigned_abs().max(bounds.upper().unsigned_abs());
            prop_assert_eq!(u128::from(farthest) * u128::from(m), Sensitivity::of_sum(bounds, rows(m)).get());
        }
    }
}
