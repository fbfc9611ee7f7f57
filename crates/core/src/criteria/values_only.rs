//! Diversity of values, not of empty cells.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::grouping::{Class, Distribution};

/// A diversity criterion that does not take the missing value for a value.
///
/// A class of empty cells and one diagnosis shows one diagnosis, however many cells are empty. So the criterion sees the counts of the
/// other values only: `d`, `p` and `r_1 ≥ r_2 ≥ …` are those of the rows that have a value. The rows without one stay in the class and
/// its size. A class without any value has nothing to be diverse in and fails what asks for a value; failing keeps distinct
/// ℓ-diversity monotone with suppression, since merging can then only turn failing classes into others.
///
/// What is monotone stays so: the rows with a value of a merged class are those of its parts, and each part that holds has some.
#[derive(Debug)]
pub struct ValuesOnly {
    /// What the values must keep.
    pub criterion: Box<dyn ClassCriterion>,
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// Code of the missing value.
    pub missing: u32,
}

impl ValuesOnly {
    fn empty_cells(&self, class: &Class<'_>) -> u64 {
        class.distributions[self.sensitive].dense.get(self.missing as usize).copied().map_or(0, u64::from)
    }

    /// Shows the class without the missing value.
    fn seen<T>(&self, class: &Class<'_>, look: impl FnOnce(&Class<'_>) -> T) -> T {
        if self.empty_cells(class) == 0 {
            return look(class);
        }
        let whole = &class.distributions[self.sensitive];
        let present: Vec<u32> =
            whole.present.iter().copied().filter(|&value| value != self.missing).collect();
        let mut distributions = class.distributions.to_vec();
        distributions[self.sensitive] = Distribution { present: &present, ..*whole };
        look(&Class { distributions: &distributions, ..*class })
    }
}

impl ClassCriterion for ValuesOnly {
    fn needs(&self) -> Needs {
        self.criterion.needs()
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        self.criterion.is_monotone(suppression)
    }

    fn implied_class_size(&self) -> u64 {
        self.criterion.implied_class_size()
    }

    fn more_people_never_hurt(&self) -> bool {
        self.criterion.more_people_never_hurt()
    }

    fn implied_people(&self) -> u64 {
        self.criterion.implied_people()
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.seen(class, |class| self.criterion.holds(class))
    }

    // Rows without a value may stay with any rows that hold; where none can, they go too.
    fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        if self.holds(class) {
            return 0;
        }
        let valued = class.rows - self.empty_cells(class);
        let left_out =
            self.seen(class, |class| self.criterion.fewest_suppressed(&Class { rows: valued, ..*class }));
        if left_out == valued && valued > 0 { class.rows } else { left_out }
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        self.seen(class, |class| self.criterion.gauge(class, achieved));
    }

    fn own_bound(&self) -> Option<Box<dyn ClassCriterion>> {
        let criterion = self.criterion.own_bound()?;
        Some(Box::new(ValuesOnly { criterion, sensitive: self.sensitive, missing: self.missing }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criteria::{DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity};
    use crate::exact::Fraction;

    /// Value 0 is the missing one.
    fn with_class<T>(counts: &[u32], look: impl FnOnce(&Class<'_>) -> T) -> T {
        let present: Vec<u32> =
            (0..counts.len() as u32).filter(|&value| counts[value as usize] > 0).collect();
        let rows = counts.iter().map(|&count| u64::from(count)).sum();
        let distribution = Distribution::of_rows(counts, &present, rows);
        look(&Class { rows, population: rows, distributions: &[distribution] })
    }

    fn only(criterion: impl ClassCriterion + 'static) -> ValuesOnly {
        ValuesOnly { criterion: Box::new(criterion), sensitive: 0, missing: 0 }
    }

    #[test]
    fn an_empty_cell_is_no_second_diagnosis() {
        let distinct = only(DistinctLDiversity { sensitive: 0, l: 2 });
        for (counts, holds) in
            [(&[1, 1, 0][..], false), (&[0, 1, 1], true), (&[7, 1, 1], true), (&[9, 0, 0], false)]
        {
            assert_eq!(with_class(counts, |class| distinct.holds(class)), holds, "{counts:?}");
        }
        let mut achieved = Achieved::default();
        with_class(&[3, 2, 1], |class| distinct.gauge(class, &mut achieved));
        assert_eq!(achieved.get("l"), Some(2.0));
    }

    #[test]
    fn the_spread_is_that_of_the_rows_with_a_value() {
        let entropy = only(EntropyLDiversity { sensitive: 0, l: Fraction::parse("2").unwrap() });
        assert!(with_class(&[50, 4, 4], |class| entropy.holds(class)));
        assert!(!with_class(&[4, 4, 0], |class| entropy.holds(class)), "two equal counts, but one value");
        assert!(!with_class(&[4, 0, 0], |class| entropy.holds(class)));
        let mut achieved = Achieved::default();
        with_class(&[4, 0, 0], |class| entropy.gauge(class, &mut achieved));
        assert_eq!(achieved.get("l"), Some(0.0));
        let recursive = only(RecursiveLDiversity { sensitive: 0, c: Fraction::parse("2").unwrap(), l: 2 });
        assert!(with_class(&[50, 4, 3], |class| recursive.holds(class)), "4 < 2 · 3");
        assert!(!with_class(&[50, 4, 2], |class| recursive.holds(class)), "the empty cells are no tail");
    }

    #[test]
    fn no_subset_that_holds_leaves_out_fewer_rows() {
        // Every way to keep some of the rows, for small classes.
        let entropy = only(EntropyLDiversity { sensitive: 0, l: Fraction::parse("1.9").unwrap() });
        let distinct = only(DistinctLDiversity { sensitive: 0, l: 2 });
        for empty in 0..3u32 {
            for a in 0..6u32 {
                for b in 0..4u32 {
                    for criterion in [&entropy, &distinct] {
                        let counts = [empty, a, b];
                        let bound = with_class(&counts, |class| match criterion.holds(class) {
                            true => 0,
                            false => criterion.fewest_suppressed(class),
                        });
                        let rows = u64::from(empty + a + b);
                        let kept = (0..=empty)
                            .flat_map(|e| (0..=a).flat_map(move |x| (0..=b).map(move |y| [e, x, y])));
                        let most = kept.filter(|kept| with_class(kept, |class| criterion.holds(class)));
                        let most = most.map(|kept| u64::from(kept.iter().sum::<u32>())).max().unwrap_or(0);
                        assert!(bound <= rows - most, "{counts:?}: {bound} > {rows} - {most}");
                    }
                }
            }
        }
    }
}
