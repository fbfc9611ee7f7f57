//! The classes of a table.

use super::ClassSizes;
use super::grouping::Groups;
use crate::microdata::Microdata;

/// Distinct combinations of codes, each with its number of rows: the classes of a table, in the order of their codes.
#[derive(Debug, Clone)]
pub struct DistinctRows {
    columns: Vec<Vec<u32>>,
    cardinalities: Vec<usize>,
    weights: Vec<u32>,
    class_of: Vec<u32>,
}

impl DistinctRows {
    /// The classes of these columns of a table.
    ///
    /// # Panics
    ///
    /// If the table has no such column, or more rows than 32 bits can count.
    #[must_use]
    pub fn of(data: &Microdata, columns: &[usize]) -> DistinctRows {
        let columns: Vec<(&[u32], usize)> = columns
            .iter()
            .map(|&place| (data.columns()[place].codes(), data.columns()[place].labels().len()))
            .collect();
        DistinctRows::weighted(&columns, &vec![1; data.rows()])
    }

    /// The classes of these columns, where each row may say whose it is: the class of every row, and how many different people are in each.
    ///
    /// # Panics
    ///
    /// If the table has no such column, or more rows than 32 bits can count.
    #[must_use]
    pub fn of_people(data: &Microdata, columns: &[usize]) -> DistinctRows {
        let mut classes = DistinctRows::of(data, columns);
        if let Some(people) = data.people() {
            let mut present: Vec<(u32, u32)> =
                classes.class_of.iter().copied().zip(people.iter().copied()).collect();
            present.sort_unstable();
            present.dedup();
            classes.weights.fill(0);
            present.iter().for_each(|&(class, _)| classes.weights[class as usize] += 1);
        }
        classes
    }

    /// The classes of tuples that stand for several rows each. A column is its codes and how many codes there are; tuples of no
    /// row are left out.
    ///
    /// # Panics
    ///
    /// If columns and weights differ in length, a code is too large, or there are more rows than 32 bits can count.
    #[must_use]
    pub fn weighted(columns: &[(&[u32], usize)], weights: &[u32]) -> DistinctRows {
        let rows = weights.len();
        assert!(columns.iter().all(|(codes, _)| codes.len() == rows), "a code per tuple");
        let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        assert!(rows <= u32::MAX as usize && u32::try_from(total).is_ok(), "rows are counted in 32 bits");
        let mut groups = Groups::one(rows);
        for &(codes, cardinality) in columns {
            assert!(
                codes.iter().all(|&code| (code as usize) < cardinality),
                "codes are below the cardinality"
            );
            groups = groups.refined(codes, cardinality);
        }
        let mut class_weights = vec![0u32; groups.count];
        let mut first = vec![u32::MAX; groups.count];
        for (row, &class) in groups.of_row.iter().enumerate() {
            class_weights[class as usize] += weights[row];
            first[class as usize] = first[class as usize].min(row as u32);
        }
        // Classes of no row vanish, and the others close ranks.
        let kept: Vec<usize> = (0..groups.count).filter(|&class| class_weights[class] > 0).collect();
        let mut number = vec![u32::MAX; groups.count];
        kept.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
        let representative = |codes: &[u32]| kept.iter().map(|&class| codes[first[class] as usize]).collect();
        DistinctRows {
            columns: columns.iter().map(|(codes, _)| representative(codes)).collect(),
            cardinalities: columns.iter().map(|&(_, cardinality)| cardinality).collect(),
            weights: kept.iter().map(|&class| class_weights[class]).collect(),
            class_of: groups.of_row.iter().map(|&class| number[class as usize]).collect(),
        }
    }

    /// The classes of tuples that are known to be distinct and sorted by their codes: nothing has to be grouped.
    ///
    /// # Panics
    ///
    /// If columns and weights differ in length.
    #[must_use]
    pub fn of_distinct(columns: &[(&[u32], usize)], weights: &[u32]) -> DistinctRows {
        assert!(columns.iter().all(|(codes, _)| codes.len() == weights.len()), "a code per tuple");
        let mut next = 0;
        let number = |&weight: &u32| {
            next += u32::from(weight > 0);
            if weight > 0 { next - 1 } else { u32::MAX }
        };
        let class_of: Vec<u32> = weights.iter().map(number).collect();
        let kept = |codes: &[u32]| {
            codes.iter().zip(weights).filter(|&(_, &weight)| weight > 0).map(|(&code, _)| code).collect()
        };
        DistinctRows {
            columns: columns.iter().map(|(codes, _)| kept(codes)).collect(),
            cardinalities: columns.iter().map(|&(_, cardinality)| cardinality).collect(),
            weights: weights.iter().copied().filter(|&weight| weight > 0).collect(),
            class_of,
        }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.weights.len()
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.weights.iter().map(|&weight| u64::from(weight)).sum()
    }

    /// Rows of each class.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The class of each row (or tuple) that was handed in; `u32::MAX` for tuples whose class has no row.
    #[must_use]
    pub fn class_of(&self) -> &[u32] {
        &self.class_of
    }

    /// One code per class, for each column.
    #[must_use]
    pub fn columns(&self) -> &[Vec<u32>] {
        &self.columns
    }

    /// How many codes each column may have.
    #[must_use]
    pub fn cardinalities(&self) -> &[usize] {
        &self.cardinalities
    }

    /// How many classes have how many rows.
    #[must_use]
    pub fn sizes(&self) -> ClassSizes {
        ClassSizes::of(self.weights.iter().map(|&weight| u64::from(weight)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn classes_are_what_counting_finds(
            rows in prop::collection::vec((0u32..4, 0u32..1000, 0u32..2, 0u32..3), 0..60),
        ) {
            let column = |pick: fn(&(u32, u32, u32, u32)) -> u32| rows.iter().map(pick).collect::<Vec<u32>>();
            let (a, b, c) = (column(|row| row.0), column(|row| row.1), column(|row| row.2));
            let weights = column(|row| row.3);
            let found = DistinctRows::weighted(&[(&a, 4), (&b, 1000), (&c, 2)], &weights);
            let mut counts: BTreeMap<[u32; 3], u32> = BTreeMap::new();
            for row in rows.iter().filter(|row| row.3 > 0) {
                *counts.entry([row.0, row.1, row.2]).or_default() += row.3;
            }
            prop_assert_eq!(found.weights(), counts.values().copied().collect::<Vec<u32>>());
            for (at, column) in found.columns().iter().enumerate() {
                prop_assert_eq!(column, &counts.keys().map(|key| key[at]).collect::<Vec<u32>>());
            }
            for (row, &class) in rows.iter().zip(found.class_of()) {
                let place = counts.keys().position(|key| *key == [row.0, row.1, row.2]);
                prop_assert_eq!(place.map_or(u32::MAX, |place| place as u32), class);
            }
            let again: Vec<(&[u32], usize)> = found.columns().iter().map(|c| (c.as_slice(), 1000)).collect();
            let again = DistinctRows::of_distinct(&again, found.weights());
            prop_assert_eq!((again.weights(), again.columns()), (found.weights(), found.columns()));
        }
    }
}
