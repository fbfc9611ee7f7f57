//! Do they belong together? The degree of unlinkability.

use super::entropy::{NotProbabilities, bits, check, entropy};
use serde::Serialize;

/// What an observer does not know about the relation of items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unlinkability {
    /// Items.
    pub items: usize,
    /// Ways to put them into groups: the Bell number.
    pub relations: u64,
    /// Entropy over these, in bits.
    pub entropy: f64,
    /// `H / log₂ B_k`: 1 if every relation is equally likely, 0 if one is certain.
    pub degree: f64,
}

/// Two items that belong together with probability `p`: the binary entropy of `p`. Steinbrecher & Köpsell, "Modelling
/// unlinkability", PET 2003.
///
/// # Errors
/// If `p` is not a probability.
pub fn of_pair(p: f64) -> Result<Unlinkability, NotProbabilities> {
    check(&[p])?;
    let entropy = bits(&[p, 1.0 - p]);
    Ok(Unlinkability { items: 2, relations: 2, entropy, degree: entropy })
}

/// Several items: the probability of every way to put them into groups. Ways that are not listed have probability 0.
///
/// `d = −Σ P_j log₂ P_j / log₂ B_k` over all `B_k` partitions of the `k` items, so that two items give [`of_pair`].
///
/// # Errors
/// If the numbers are not probabilities that sum to 1, a way is listed twice, or the ways are not over the same items.
pub fn of_partitions(ways: &[(Partition, f64)]) -> Result<Unlinkability, UnlinkabilityError> {
    let items = ways.first().map_or(0, |(partition, _)| partition.items());
    for (place, (partition, _)) in ways.iter().enumerate() {
        if partition.items() != items {
            return Err(UnlinkabilityError::OtherItems { position: place + 1 });
        }
        if ways[..place].iter().any(|(known, _)| known == partition) {
            return Err(UnlinkabilityError::Twice { position: place + 1 });
        }
    }
    let probabilities: Vec<f64> = ways.iter().map(|&(_, probability)| probability).collect();
    let entropy = entropy(&probabilities)?;
    let relations = bell(items).ok_or(UnlinkabilityError::TooMany { items })?;
    let degree = if relations < 2 { 0.0 } else { (entropy / (relations as f64).log2()).min(1.0) };
    Ok(Unlinkability { items, relations, entropy, degree })
}

/// Two sets, users and actions: the probability of every way to say who did what. Ways that are not listed have probability 0.
///
/// A way gives the user of each action. Where every listed way gives each action a user of its own, that is known, and only such ways
/// count: n!/(n−m)! for m actions (or users) among n of the others. Else any user may have done any action: `users^actions` ways. The
/// degree is the entropy by the logarithm of their number, so two equally likely ways to assign two users to two actions give 1.
///
/// # Errors
/// If the numbers are not probabilities that sum to 1, a way is listed twice, is about other actions, or names another user.
pub fn between_sets(ways: &[(Vec<usize>, f64)], users: usize) -> Result<Unlinkability, UnlinkabilityError> {
    let actions = ways.first().map_or(0, |(way, _)| way.len());
    for (place, (way, _)) in ways.iter().enumerate() {
        if way.len() != actions || way.iter().any(|&user| user >= users) {
            return Err(UnlinkabilityError::OtherItems { position: place + 1 });
        }
        if ways[..place].iter().any(|(known, _)| known == way) {
            return Err(UnlinkabilityError::Twice { position: place + 1 });
        }
    }
    let probabilities: Vec<f64> = ways.iter().map(|&(_, probability)| probability).collect();
    let entropy = entropy(&probabilities)?;
    let one_to_one = |way: &Vec<usize>| (0..way.len()).all(|at| !way[..at].contains(&way[at]));
    let (items, too_many) = (users + actions, UnlinkabilityError::TooMany { items: users + actions });
    let relations = match ways.iter().all(|(way, _)| one_to_one(way)) {
        true => {
            let (many, few) = (users.max(actions) as u64, users.min(actions) as u64);
            (0..few).try_fold(1u64, |ways, taken| ways.checked_mul(many - taken))
        }
        false => (users as u64).checked_pow(u32::try_from(actions).unwrap_or(u32::MAX)),
    };
    let relations = relations.ok_or(too_many)?;
    let degree = if relations < 2 { 0.0 } else { (entropy / (relations as f64).log2()).min(1.0) };
    Ok(Unlinkability { items, relations, entropy, degree })
}

/// Why a degree cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum UnlinkabilityError {
    /// The numbers are at fault.
    #[error(transparent)]
    NotProbabilities(#[from] NotProbabilities),
    /// A way to group other items than the first one does.
    #[error("grouping {position} is not over the items of the first one")]
    OtherItems {
        /// Which, from 1.
        position: usize,
    },
    /// The same grouping again.
    #[error("grouping {position} was listed before")]
    Twice {
        /// Which, from 1.
        position: usize,
    },
    /// The Bell number does not fit into 64 bits.
    #[error("{items} items are too many: at most 25 can be looked at")]
    TooMany {
        /// How many.
        items: usize,
    },
}

/// A way to put items 0, 1, … into groups: an equivalence relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// By item: the smallest item of its group, so that equal relations are equal.
    first: Vec<usize>,
}

impl Partition {
    /// From the group of each item, whatever the groups are called.
    #[must_use]
    pub fn of<T: PartialEq>(groups: &[T]) -> Partition {
        let first = |group: &T| groups.iter().position(|other| other == group).unwrap_or_default();
        Partition { first: groups.iter().map(first).collect() }
    }

    /// How many items.
    #[must_use]
    pub fn items(&self) -> usize {
        self.first.len()
    }

    /// Every way to put `items` into groups.
    #[must_use]
    pub fn all(items: usize) -> Vec<Partition> {
        let mut found = vec![Vec::new()];
        for item in 0..items {
            let longer = |first: &Vec<usize>| {
                let mut groups: Vec<usize> = first.clone();
                groups.push(item);
                groups.sort_unstable();
                groups.dedup();
                let longer = groups.into_iter().map(|group| [first.as_slice(), &[group]].concat());
                longer.collect::<Vec<_>>()
            };
            found = found.iter().flat_map(longer).collect();
        }
        found.into_iter().map(|first| Partition { first }).collect()
    }
}

/// The number of partitions of `items` things, by Bell's triangle; `None` beyond 64 bits.
#[must_use]
pub fn bell(items: usize) -> Option<u64> {
    // A row ends with the next Bell number, which may need more bits.
    let mut row = vec![1u128];
    for _ in 0..items {
        let mut next = vec![*row.last()?];
        for &above in &row {
            next.push(next.last()?.checked_add(above)?);
        }
        row = next;
    }
    u64::try_from(*row.first()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_the_literature() {
        for (p, degree) in [(0.0, 0.0), (0.1, 0.468_996), (0.25, 0.811_278), (0.5, 1.0), (1.0, 0.0)] {
            assert!((of_pair(p).unwrap().degree - degree).abs() < 1e-6, "{p}");
        }
        assert!(of_pair(1.5).is_err());
    }

    #[test]
    fn there_are_as_many_relations_as_bell_says() {
        for (items, number) in [(0, 1), (1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (8, 4140)] {
            assert_eq!(bell(items), Some(number));
            assert_eq!(Partition::all(items).len() as u64, number);
        }
        assert_eq!((bell(25), bell(26)), (Some(4_638_590_332_229_999_353), None));
    }

    #[test]
    fn two_items_give_the_pair() {
        let [together, apart] = [Partition::of(&["a", "a"]), Partition::of(&["a", "b"])];
        for p in [0.0, 0.2, 0.5, 0.9] {
            let found = of_partitions(&[(together.clone(), p), (apart.clone(), 1.0 - p)]).unwrap();
            assert!((found.degree - of_pair(p).unwrap().degree).abs() < 1e-12);
        }
    }

    #[test]
    fn equally_likely_relations_are_unlinkable() {
        for items in 2..6 {
            let all = Partition::all(items);
            let p = 1.0 / all.len() as f64;
            let ways: Vec<_> = all.into_iter().map(|way| (way, p)).collect();
            assert!((of_partitions(&ways).unwrap().degree - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn two_equally_likely_assignments_of_two_users_are_unlinkable() {
        let found = between_sets(&[(vec![0, 1], 0.5), (vec![1, 0], 0.5)], 2).unwrap();
        assert_eq!((found.degree, found.relations), (1.0, 2));
        assert_eq!(between_sets(&[(vec![0, 1], 1.0)], 2).unwrap().degree, 0.0);
        // One user may have done both: four ways.
        let all = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|way| (way.to_vec(), 0.25));
        assert_eq!(between_sets(&all, 2).unwrap().degree, 1.0);
        let some = between_sets(&[(vec![0, 0], 0.5), (vec![0, 1], 0.5)], 2).unwrap();
        assert_eq!((some.degree, some.relations), (0.5, 4));
        assert!(between_sets(&[(vec![0, 2], 1.0)], 2).is_err());
        assert!(between_sets(&[(vec![0, 1], 0.5), (vec![0, 1], 0.5)], 2).is_err());
        // Three users, two actions, one each: six ways.
        assert_eq!(between_sets(&[(vec![0, 1], 1.0)], 3).unwrap().relations, 6);
    }

    #[test]
    fn listings_that_make_no_sense_are_refused() {
        let way = |groups: &[u8]| Partition::of(groups);
        assert_eq!(way(&[1, 2, 1]), way(&[9, 0, 9]));
        let twice = of_partitions(&[(way(&[1, 2, 1]), 0.5), (way(&[9, 0, 9]), 0.5)]);
        assert_eq!(twice, Err(UnlinkabilityError::Twice { position: 2 }));
        let other = of_partitions(&[(way(&[1, 2, 1]), 0.5), (way(&[1, 1]), 0.5)]);
        assert_eq!(other, Err(UnlinkabilityError::OtherItems { position: 2 }));
        assert!(of_partitions(&[(way(&[1, 1]), 0.4)]).is_err() && of_partitions(&[]).is_err());
    }
}
