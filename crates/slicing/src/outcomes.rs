//! Every possible result of slicing a tiny table, with its exact probability.
//!
//! A random operator is a distribution over results, so two plans with slicing are equivalent when their distributions over bags of rows are equal. [`Outcomes`] is
//! such a distribution over *ranked* tables: rows stand in the order of the hidden rank, which every operator carries through, so that a second slicing can refer to
//! the same buckets. [`Outcomes::bags`] forgets the rank: that is what a reader sees.
//!
//! ```
//! use paravent_slicing::outcomes::Outcomes;
//!
//! let table = Outcomes::certain(vec![vec![1, 10], vec![2, 20], vec![3, 30]]);
//! let (groups, buckets) = ([vec![0], vec![1]], [vec![0, 1, 2]]);
//! let once = table.slice(&groups, &buckets)?;
//! assert_eq!(once.bags()?.len(), 6); // (3!)^(2-1), equally likely
//! assert_eq!(once.slice(&groups, &buckets)?.bags()?, once.bags()?);
//! # Ok::<(), paravent_slicing::outcomes::TooLarge>(())
//! ```

mod ratio;

use std::collections::BTreeMap;

pub use ratio::Ratio;

use crate::reference::Row;

/// The results are too many to be listed, or a probability has too many digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the outcomes are too many to be listed; take fewer rows, smaller buckets or fewer groups")]
pub struct TooLarge;

/// The most results that are listed.
const MOST_RESULTS: usize = 1 << 20;

/// The most rows of a bucket: 8! = 40,320 orders.
const MOST_ROWS: usize = 8;

/// A distribution over ranked tables: `rows[r]` is the row with rank `r`.
#[derive(Clone, PartialEq, Eq)]
pub struct Outcomes(BTreeMap<Vec<Row>, Ratio>);

/// A distribution over bags of rows; a bag is the sorted list of its rows.
#[derive(Clone, PartialEq, Eq)]
pub struct Bags(BTreeMap<Vec<Row>, Ratio>);

impl Outcomes {
    /// A table that is known, with its rows in rank order.
    pub fn certain(rows: Vec<Row>) -> Outcomes {
        Outcomes(BTreeMap::from([(rows, Ratio::ONE)]))
    }

    /// Slices by disjoint groups (lists of column positions; columns in no group stay where they are) in buckets (lists of ranks). Every order of every
    /// bucket and group has the same probability, and the row at position `Ord` of a bucket keeps the rank that stood there.
    pub fn slice(&self, groups: &[Vec<usize>], buckets: &[Vec<usize>]) -> Result<Outcomes, TooLarge> {
        let mut now = self.clone();
        for bucket in buckets {
            let orders = orders(bucket.len())?;
            let each = Ratio::new(1, orders.len() as u128).ok_or(TooLarge)?;
            for group in groups {
                let mut next = BTreeMap::new();
                for (rows, probability) in &now.0 {
                    let share = probability.times(each).ok_or(TooLarge)?;
                    for order in &orders {
                        let mut moved = rows.clone();
                        for (ord, &from) in order.iter().enumerate() {
                            for &column in group {
                                moved[bucket[ord]][column] = rows[bucket[from]][column];
                            }
                        }
                        add(&mut next, moved, share)?;
                    }
                }
                now = Outcomes(next);
            }
        }
        Ok(now)
    }

    /// Applies a function to every table: a projection, a selection, an aggregate. Rows keep the order the function returns.
    pub fn map(&self, function: impl Fn(&[Row]) -> Vec<Row>) -> Result<Outcomes, TooLarge> {
        let mut mapped = BTreeMap::new();
        for (rows, &probability) in &self.0 {
            add(&mut mapped, function(rows), probability)?;
        }
        Ok(Outcomes(mapped))
    }

    /// Bag projection on columns.
    pub fn project(&self, columns: &[usize]) -> Result<Outcomes, TooLarge> {
        self.map(|rows| rows.iter().map(|row| columns.iter().map(|&column| row[column]).collect()).collect())
    }

    /// Selection of rows.
    pub fn select(&self, condition: impl Fn(&Row) -> bool) -> Result<Outcomes, TooLarge> {
        self.map(|rows| rows.iter().filter(|row| condition(row)).cloned().collect())
    }

    /// Combines two independent distributions: a union, a join, a difference.
    pub fn combine(
        &self,
        other: &Outcomes,
        function: impl Fn(&[Row], &[Row]) -> Vec<Row>,
    ) -> Result<Outcomes, TooLarge> {
        let mut combined = BTreeMap::new();
        for (ours, &our_probability) in &self.0 {
            for (theirs, &their_probability) in &other.0 {
                let probability = our_probability.times(their_probability).ok_or(TooLarge)?;
                add(&mut combined, function(ours, theirs), probability)?;
            }
        }
        Ok(Outcomes(combined))
    }

    /// The distribution over ranked tables.
    pub fn ranked(&self) -> &BTreeMap<Vec<Row>, Ratio> {
        &self.0
    }

    /// Forgets the rank.
    pub fn bags(&self) -> Result<Bags, TooLarge> {
        let mut bags = BTreeMap::new();
        for (rows, &probability) in &self.0 {
            let mut bag = rows.clone();
            bag.sort();
            add(&mut bags, bag, probability)?;
        }
        Ok(Bags(bags))
    }
}

impl Bags {
    /// How many different results.
    #[expect(clippy::len_without_is_empty, reason = "a distribution has at least one result")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The probability of a bag, in whatever order its rows are given.
    pub fn probability(&self, rows: &[Row]) -> Ratio {
        let mut bag = rows.to_vec();
        bag.sort();
        self.0.get(&bag).copied().unwrap_or(Ratio::ZERO)
    }

    /// The bags with their probabilities, in the order of bags.
    pub fn iter(&self) -> impl Iterator<Item = (&[Row], Ratio)> {
        self.0.iter().map(|(bag, &probability)| (bag.as_slice(), probability))
    }
}

impl std::fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Outcomes({} ranked tables)", self.0.len())
    }
}

impl std::fmt::Debug for Bags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bags({} bags)", self.0.len())
    }
}

fn add(to: &mut BTreeMap<Vec<Row>, Ratio>, rows: Vec<Row>, probability: Ratio) -> Result<(), TooLarge> {
    let entry = to.entry(rows).or_insert(Ratio::ZERO);
    *entry = entry.plus(probability).ok_or(TooLarge)?;
    if to.len() > MOST_RESULTS { Err(TooLarge) } else { Ok(()) }
}

/// All orders of `0..length`, lexicographically.
fn orders(length: usize) -> Result<Vec<Vec<usize>>, TooLarge> {
    if length > MOST_ROWS {
        return Err(TooLarge);
    }
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |prefix: &Vec<usize>| -> Vec<Vec<usize>> {
            let unused = (0..length).filter(|item| !prefix.contains(item));
            unused.map(|item| [prefix.as_slice(), &[item]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_all_and_different() {
        let mut four = orders(4).unwrap();
        assert_eq!(four.len(), 24);
        four.sort();
        four.dedup();
        assert_eq!(four.len(), 24);
        assert_eq!(orders(0).unwrap(), [Vec::<usize>::new()]);
        assert_eq!(orders(9), Err(TooLarge));
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let table = Outcomes::certain(vec![vec![1, 1], vec![1, 2], vec![2, 2], vec![3, 4]]);
        let sliced = table.slice(&[vec![0], vec![1]], &[vec![0, 2], vec![1, 3]]).unwrap();
        let total = sliced.bags().unwrap().iter().try_fold(Ratio::ZERO, |sum, (_, p)| sum.plus(p));
        assert_eq!(total, Some(Ratio::ONE));
    }

    #[test]
    fn equal_values_make_outcomes_likelier() {
        // Rows (1,a), (1,a), (2,b): of 6 relative orders two keep each pairing.
        let table = Outcomes::certain(vec![vec![1, 7], vec![1, 7], vec![2, 8]]);
        let bags = table.slice(&[vec![0], vec![1]], &[vec![0, 1, 2]]).unwrap().bags().unwrap();
        assert_eq!(bags.len(), 2);
        assert_eq!(bags.probability(&[vec![1, 7], vec![1, 7], vec![2, 8]]), Ratio::new(1, 3).unwrap());
        assert_eq!(bags.probability(&[vec![2, 7], vec![1, 8], vec![1, 7]]), Ratio::new(2, 3).unwrap());
    }
}
