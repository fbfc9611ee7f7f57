//! What can be computed from answers by adding and subtracting: a part of [query differencing](super::query_differencing).

use std::collections::BTreeMap;

/// A prime near 2⁶¹. The membership vectors hold 0 and 1, so a combination over the fractions is one over the field but for the
/// denominators this prime divides, which are beyond the determinants of any log that is read.
const PRIME: u64 = (1 << 61) - 1;

/// People who are in the same queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atoms {
    /// By atom: how many people.
    pub sizes: Vec<u64>,
    /// By query: for each atom whether it is in it. A last entry stands for the whole table, where its size is known.
    pub queries: Vec<Vec<bool>>,
}

impl Atoms {
    /// The atoms of a log. With `total`, people that no query mentions are an atom as well, and everybody is an answer that is known.
    #[must_use]
    pub fn of(queries: &[Vec<u32>], total: Option<u64>) -> Atoms {
        let mut in_queries: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, rows) in (0u32..).zip(queries) {
            for &row in rows {
                let list = in_queries.entry(row).or_default();
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        let mentioned = in_queries.len() as u64;
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        in_queries.into_values().for_each(|list| *counts.entry(list).or_default() += 1);
        if let Some(others) =
            total.and_then(|total| total.checked_sub(mentioned)).filter(|&others| others > 0)
        {
            counts.insert(Vec::new(), others);
        }
        let mut members = vec![vec![false; counts.len()]; queries.len()];
        for (atom, list) in counts.keys().enumerate() {
            list.iter().for_each(|&query| members[query as usize][atom] = true);
        }
        if total.is_some_and(|total| total >= mentioned) {
            members.push(vec![true; counts.len()]);
        }
        Atoms { sizes: counts.into_values().collect(), queries: members }
    }
}

/// Vectors of a basis whose differences are looked at.
const MOST_PAIRED: usize = 300;

/// A combination of answers that is about few people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The queries it takes, from 0; the whole table is not named.
    pub queries: Vec<usize>,
    /// Whether it takes the answer about the whole table, too.
    pub with_total: bool,
    /// How many people it is about.
    pub rows: u64,
}

/// The combinations of the reduced basis, and (of a basis that is not too long) of its differences two by two, that are about 1 to k − 1 people.
///
/// The reduced basis has a vector with support on one atom for each atom whose answer can be computed: the exact test for single
/// atoms. Sets of several atoms are found where a basis vector, or the difference of two, is about them; to look at all sums is the
/// search for short code words, which is hard.
#[must_use]
pub fn combinations(queries: &[Vec<u32>], total: Option<u64>, k: u64) -> (Atoms, Vec<Combination>) {
    let atoms = Atoms::of(queries, total);
    let basis = reduced(&atoms.queries, atoms.sizes.len());
    let about = |vector: &[u64]| -> u64 {
        vector.iter().zip(&atoms.sizes).filter(|(factor, _)| **factor != 0).map(|(_, &size)| size).sum()
    };
    let combination = |by: &[u64], rows: u64| Combination {
        queries: (0..queries.len()).filter(|&query| by[query] != 0).collect(),
        with_total: by.get(queries.len()).is_some_and(|&total| total != 0),
        rows,
    };
    let mut found = Vec::new();
    for (place, row) in basis.iter().enumerate() {
        let rows = about(&row.vector);
        if (1..k).contains(&rows) {
            found.push(combination(&row.by, rows));
        }
        let others = if basis.len() <= MOST_PAIRED { &basis[place + 1..] } else { &[] };
        for other in others {
            let vector: Vec<u64> = row.vector.iter().zip(&other.vector).map(|(&a, &b)| minus(a, b)).collect();
            let rows = about(&vector);
            if (1..k).contains(&rows) {
                let by: Vec<u64> = row.by.iter().zip(&other.by).map(|(&a, &b)| minus(a, b)).collect();
                found.push(combination(&by, rows));
            }
        }
    }
    found.sort_by(|a, b| (a.rows, a.queries.len(), &a.queries).cmp(&(b.rows, b.queries.len(), &b.queries)));
    (atoms, found)
}

/// A vector of the basis, and by how much of each query it is made.
struct Row {
    vector: Vec<u64>,
    by: Vec<u64>,
}

/// The reduced row echelon form of the membership vectors.
fn reduced(queries: &[Vec<bool>], atoms: usize) -> Vec<Row> {
    let unit = |place: usize| (0..queries.len()).map(|at| u64::from(at == place)).collect();
    let row = |(place, members): (usize, &Vec<bool>)| Row {
        vector: members.iter().map(|&member| u64::from(member)).collect(),
        by: unit(place),
    };
    let mut rows: Vec<Row> = queries.iter().enumerate().map(row).collect();
    let mut rank = 0;
    for atom in 0..atoms {
        let Some(pivot) = (rank..rows.len()).find(|&at| rows[at].vector[atom] != 0) else { continue };
        rows.swap(rank, pivot);
        let inverse = power(rows[rank].vector[atom], PRIME - 2);
        let scale = |list: &mut Vec<u64>| list.iter_mut().for_each(|entry| *entry = times(*entry, inverse));
        scale(&mut rows[rank].vector);
        scale(&mut rows[rank].by);
        let (vector, by) = (rows[rank].vector.clone(), rows[rank].by.clone());
        for (at, other) in rows.iter_mut().enumerate() {
            let factor = other.vector[atom];
            if at != rank && factor != 0 {
                take_off(&mut other.vector, &vector, factor);
                take_off(&mut other.by, &by, factor);
            }
        }
        rank += 1;
    }
    rows.truncate(rank);
    rows
}

fn take_off(from: &mut [u64], what: &[u64], factor: u64) {
    from.iter_mut().zip(what).for_each(|(entry, &other)| *entry = minus(*entry, times(other, factor)));
}

fn minus(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn atoms_are_people_in_the_same_queries() {
        let atoms = Atoms::of(&[vec![1, 2, 3, 3], vec![3, 4]], Some(10));
        let mut sizes = atoms.sizes.clone();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 2, 6]);
        assert_eq!(atoms.queries.len(), 3, "the whole table is known, too");
    }

    #[test]
    fn the_field_has_inverses() {
        for number in [1, 2, 3, 10, PRIME - 1] {
            assert_eq!(times(number, power(number, PRIME - 2)), 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Every combination with factors from −2 to 2 that is about one person is found: the person's atom is computed.
        #[test]
        fn whoever_small_factors_single_out_is_found(queries in prop::collection::vec(prop::collection::vec(0u32..7, 1..6), 1..5)) {
            let sets: Vec<Vec<bool>> = queries.iter().map(|rows| (0..7).map(|person| rows.contains(&person)).collect()).collect();
            let single = (0..5u32.pow(sets.len() as u32)).any(|code| {
                let factor = |query: usize| i64::from(code / 5u32.pow(query as u32) % 5) - 2;
                let sum: Vec<i64> = (0..7).map(|person| (0..sets.len()).map(|query| factor(query) * i64::from(sets[query][person])).sum()).collect();
                sum.iter().filter(|entry| **entry != 0).count() == 1
            });
            let (_, found) = combinations(&queries, None, 2);
            prop_assert!(!single || !found.is_empty());
            for combination in found {
                prop_assert_eq!(combination.rows, 1);
            }
        }
    }
}
