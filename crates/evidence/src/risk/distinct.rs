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
