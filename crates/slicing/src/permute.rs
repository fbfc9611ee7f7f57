//! The kernel: which row each group takes its values from.
//!
//! One uniform Fisher–Yates shuffle per bucket and group, `O(groups · rows)` in all. Every pair of bucket and group has a ChaCha20 stream of its own, so
//! neither the number of threads nor the order of work changes a result.
//!
//! *Random order.* Rows must not be released in the order of their buckets. A uniform order of all rows is a uniform interleaving of the buckets times a
//! uniform order inside each. The latter moves all groups of a bucket alike, and permutations that are independent and uniform stay so when all are followed by the
//! same one: the shuffles already contain it. So only the interleaving is drawn, and rows of a bucket are taken one after the other.

use rand::Rng;
use rayon::prelude::*;

use crate::buckets::Layout;
use crate::groups::{ColumnGroups, ReleasedColumn};
use crate::secret::{Secret, stream};

/// Number of a slicing operator; two slicings under one secret need different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operator(pub u64);

/// In which order the rows come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// A uniformly random order: what is released.
    Random,
    /// The result row at position `r` belongs to the bucket of row `r`: the hidden rank is carried through, for an operator that follows.
    /// Not for release, because positions tell the buckets.
    Carried,
}

/// Where the randomness of one slicing comes from, and in which order its rows come out.
#[derive(Debug, Clone, Copy)]
pub struct Draw<'a> {
    /// The key.
    pub secret: &'a Secret,
    /// The operator, which has a key of its own.
    pub operator: Operator,
    /// The order of the result.
    pub order: RowOrder,
}

/// Row numbers to gather, one array per group: the result row at position `p` takes the columns of group `g` from row `group(g)[p]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Gathers {
    groups: Vec<Vec<u32>>,
    /// For each position of a random order its place in the order of buckets, unless that is the same.
    places: Option<Vec<u32>>,
    order: RowOrder,
}

impl std::fmt::Debug for Gathers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The permutations are the secret.
        write!(f, "Gathers({} groups)", self.groups.len())
    }
}

impl Gathers {
    /// Row numbers by group, bucket after bucket.
    pub(crate) fn by_bucket(groups: Vec<Vec<u32>>) -> Gathers {
        Gathers { groups, places: None, order: RowOrder::Random }
    }

    /// The row numbers of a group.
    pub fn group(&self, number: usize) -> &[u32] {
        &self.groups[number]
    }

    /// The row numbers of all groups.
    pub fn into_groups(self) -> Vec<Vec<u32>> {
        self.groups
    }

    /// The buckets of the result: which positions came from which bucket of `layout`, the one that was permuted. As secret as the permutations; for checks.
    pub fn layout(&self, layout: &Layout) -> Layout {
        let mut positions = vec![0; layout.rows()];
        match (&self.places, self.order) {
            (_, RowOrder::Carried) => positions.copy_from_slice(layout.order()),
            (None, RowOrder::Random) => {
                positions.iter_mut().enumerate().for_each(|(p, position)| *position = p as u32);
            }
            (Some(places), RowOrder::Random) => {
                places.iter().enumerate().for_each(|(p, &place)| positions[place as usize] = p as u32);
            }
        }
        layout.moved(positions)
    }

    /// Applies the gathers to columns of codes, those of [`ColumnGroups::columns`]; the result has the columns of [`ColumnGroups::released`].
    pub fn gather(&self, groups: &ColumnGroups, columns: &[&[u32]]) -> Vec<Vec<u32>> {
        let one = |released: ReleasedColumn| -> Vec<u32> {
            let codes = columns[released.source];
            self.groups[released.group].iter().map(|&row| codes[row as usize]).collect()
        };
        let released = groups.released();
        each(released.len() * columns.first().map_or(0, |column| column.len()), released, one)
    }
}

/// Draws the permutations of all buckets and groups.
pub fn permute(layout: &Layout, groups: usize, draw: &Draw<'_>) -> Gathers {
    let key = draw.secret.derive(draw.operator.0);
    let shuffles = || -> Vec<Vec<u32>> {
        let one = |group| {
            let mut rows = layout.order().to_vec();
            shuffle_buckets(&mut rows, layout.offsets(), 0, &|bucket| {
                stream(&key, stream_number(bucket, group))
            });
            rows
        };
        each(groups * layout.rows(), (0..groups as u32).collect(), one)
    };
    match draw.order {
        RowOrder::Carried => {
            let groups = each(groups * layout.rows(), shuffles(), |rows| scattered(rows, layout));
            Gathers { groups, places: None, order: draw.order }
        }
        RowOrder::Random if layout.buckets() < 2 => {
            Gathers { groups: shuffles(), places: None, order: draw.order }
        }
        RowOrder::Random => {
            let (places, shuffled) = if groups * layout.rows() <= SMALL {
                (interleaving(layout, &key), shuffles())
            } else {
                rayon::join(|| interleaving(layout, &key), shuffles)
            };
            let gathered = |rows: Vec<u32>| places.iter().map(|&place| rows[place as usize]).collect();
            let groups = each(groups * layout.rows(), shuffled, gathered);
            Gathers { groups, places: Some(places), order: draw.order }
        }
    }
}

/// Fewer rows than this are not worth a task of their own.
const SMALL: usize = 1 << 14;

/// Applies a function to each item, on several threads if the rows to move are worth it.
fn each<T: Send, U: Send>(rows: usize, items: Vec<T>, function: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
    if rows <= SMALL {
        items.into_iter().map(function).collect()
    } else {
        items.into_par_iter().map(function).collect()
    }
}

/// The group number of the stream that draws the interleaving.
const INTERLEAVING: u32 = u32::MAX;

fn stream_number(bucket: u32, group: u32) -> u64 {
    u64::from(bucket) << 32 | u64::from(group)
}

/// Shuffles each bucket with its own stream; halves the buckets until the work is small.
fn shuffle_buckets<R: Rng>(
    rows: &mut [u32],
    offsets: &[u32],
    first: u32,
    stream: &(impl Fn(u32) -> R + Sync),
) {
    let buckets = offsets.len() - 1;
    if buckets > 1 && rows.len() > SMALL {
        let middle = buckets / 2;
        let (left, right) = rows.split_at_mut((offsets[middle] - offsets[0]) as usize);
        rayon::join(
            || shuffle_buckets(left, &offsets[..=middle], first, stream),
            || shuffle_buckets(right, &offsets[middle..], first + middle as u32, stream),
        );
        return;
    }
    let mut rest = rows;
    for bucket in 0..buckets {
        let (own, after) = rest.split_at_mut((offsets[bucket + 1] - offsets[bucket]) as usize);
        shuffle(own, &mut stream(first + bucket as u32));
        rest = after;
    }
}

/// Fisher–Yates: every order of the slice is equally likely. Durstenfeld, "Algorithm 235: Random permutation", CACM 7(7), 1964.
fn shuffle(rows: &mut [u32], random: &mut impl Rng) {
    for last in (1..rows.len()).rev() {
        let chosen = below(random, last as u32 + 1);
        rows.swap(last, chosen as usize);
    }
}

/// A uniform number below `bound` ≥ 1, without bias: draws that would favour some numbers are repeated. Lemire, "Fast random integer generation in an
/// interval", TOMACS 29(1), 2019.
fn below(random: &mut impl Rng, bound: u32) -> u32 {
    let mut product = u64::from(random.next_u32()) * u64::from(bound);
    if (product as u32) < bound {
        let unfair = bound.wrapping_neg() % bound;
        while (product as u32) < unfair {
            product = u64::from(random.next_u32()) * u64::from(bound);
        }
    }
    (product >> 32) as u32
}

/// For each released position its place in the order of buckets: a uniform interleaving of the buckets.
fn interleaving(layout: &Layout, key: &[u8; 32]) -> Vec<u32> {
    let mut bucket_of = Vec::with_capacity(layout.rows());
    for bucket in 0..layout.buckets() {
        bucket_of.resize(layout.offsets()[bucket + 1] as usize, bucket as u32);
    }
    shuffle(&mut bucket_of, &mut stream(key, stream_number(0, INTERLEAVING)));
    let mut next = layout.offsets().to_vec();
    for place in &mut bucket_of {
        let next = &mut next[*place as usize];
        *place = *next;
        *next += 1;
    }
    bucket_of
}

/// From the order of buckets back to the order of ranks.
fn scattered(rows: Vec<u32>, layout: &Layout) -> Vec<u32> {
    let mut result = vec![0; rows.len()];
    layout.order().iter().zip(rows).for_each(|(&rank, row)| result[rank as usize] = row);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives these words, one after the other.
    struct Words<'a>(std::slice::Iter<'a, u32>);
    impl rand::TryRng for Words<'_> {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(*self.0.next().expect("enough words"))
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            rand::rand_core::utils::next_u64_via_u32(self)
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            rand::rand_core::utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
        }
    }

    #[test]
    fn draws_that_would_favour_a_number_are_repeated() {
        let drawn = |bound, words: &[u32]| {
            let mut random = Words(words.iter());
            (below(&mut random, bound), random.0.len())
        };
        // 2^32 = 3 * 1,431,655,765 + 1: one word too many, the first of the first third.
        assert_eq!(drawn(3, &[0, u32::MAX]), (2, 0));
        assert_eq!(drawn(3, &[1, u32::MAX]), (0, 1));
        assert_eq!(drawn(3, &[1_431_655_765, 7]), (0, 1));
        assert_eq!(drawn(3, &[1_431_655_766, 7]), (1, 1));
        // A power of two divides 2^32: nothing is repeated.
        assert_eq!(drawn(4, &[0, 7]), (0, 1));
        assert_eq!(drawn(4, &[u32::MAX, 7]), (3, 1));
        assert_eq!(drawn(1, &[u32::MAX, 7]), (0, 1));
        assert_eq!(drawn(u32::MAX, &[0, 0, 1]), (0, 0));
    }

    #[test]
    fn many_buckets_are_shuffled_alike_in_halves_and_one_by_one() {
        let layout = Layout::by_rank(100_000, crate::Windows::Count(777), crate::MinimumSize::TWO).unwrap();
        let key = [5; 32];
        let random = |bucket| stream(&key, stream_number(bucket, 3));
        let mut halved = layout.order().to_vec();
        shuffle_buckets(&mut halved, layout.offsets(), 0, &random);
        let mut plain = Vec::new();
        for (bucket, rows) in layout.iter().enumerate() {
            let mut rows = rows.to_vec();
            shuffle(&mut rows, &mut random(bucket as u32));
            plain.extend(rows);
        }
        assert_eq!(halved, plain);
    }
}
