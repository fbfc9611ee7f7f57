//! Buckets: which rows are mixed with each other.

mod merge;

pub use merge::Shown;

use rayon::prelude::*;

/// The fewest rows of a bucket, at least 2: a bucket of one row would be released as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MinimumSize(u32);

impl MinimumSize {
    /// The smallest minimum, and the default.
    pub const TWO: MinimumSize = MinimumSize(2);

    /// At least `rows` rows per bucket.
    pub fn new(rows: u32) -> Result<MinimumSize, BucketError> {
        if rows < 2 { Err(BucketError::MinimumBelowTwo { given: rows }) } else { Ok(MinimumSize(rows)) }
    }

    /// The number of rows.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for MinimumSize {
    fn default() -> MinimumSize {
        MinimumSize::TWO
    }
}

/// How rows in rank order are cut into windows. The remainder is spread: sizes differ by at most one, the larger ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Windows {
    /// This many buckets.
    Count(u32),
    /// As many buckets as have at least this many rows each.
    Size(u32),
}

/// What to do with values that have too few rows for a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallBuckets {
    /// Refuse.
    Refuse,
    /// In the order of codes, take neighbours together until there are enough rows; what is left over at the end joins the last bucket.
    Merge,
}

/// Why rows cannot be put into buckets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BucketError {
    /// A bucket of one row is released as it is.
    #[error("a minimum bucket size of {given} would release rows as they are; it must be at least 2")]
    MinimumBelowTwo {
        /// The minimum that was asked for.
        given: u32,
    },
    /// Not even one bucket.
    #[error("{rows} rows are too few for one bucket of at least {minimum}")]
    TooFewRows {
        /// Rows of the table.
        rows: usize,
        /// The minimum size.
        minimum: u32,
    },
    /// Row numbers have 32 bits.
    #[error("{rows} rows are too many to slice at once; at most {} can be", u32::MAX)]
    TooManyRows {
        /// Rows of the table.
        rows: usize,
    },
    /// Zero buckets were asked for.
    #[error("0 buckets cannot hold rows; ask for at least 1")]
    NoBuckets,
    /// Buckets would be smaller than the minimum.
    #[error(
        "{buckets} buckets of {rows} rows would have fewer than {minimum} rows each; ask for at most {at_most}"
    )]
    TooManyBuckets {
        /// Buckets that were asked for.
        buckets: u32,
        /// Rows of the table.
        rows: usize,
        /// The minimum size.
        minimum: u32,
        /// The most that is possible.
        at_most: u32,
    },
    /// The size asked for is below the minimum.
    #[error("buckets of {size} rows are smaller than the minimum of {minimum}; ask for at least {minimum}")]
    SizeBelowMinimum {
        /// Size that was asked for.
        size: u32,
        /// The minimum size.
        minimum: u32,
    },
    /// Values, classes or given buckets with too few rows.
    #[error(
        "{small} of {buckets} buckets have fewer than {minimum} rows ({rows} rows in all); merge them with their neighbours or choose another column"
    )]
    SmallBuckets {
        /// Buckets below the minimum.
        small: usize,
        /// All buckets.
        buckets: usize,
        /// Rows in the small ones.
        rows: usize,
        /// The minimum size.
        minimum: u32,
    },
    /// A given order or given buckets do not name every row once.
    #[error("the buckets must name each of the {rows} rows exactly once")]
    NotAPartition {
        /// Rows of the table.
        rows: usize,
    },
}

impl BucketError {
    /// What is wrong, without a number of the data: for somebody who asks and does not own the table.
    pub fn without_figures(&self) -> String {
        match self {
            BucketError::TooFewRows { minimum, .. } => {
                format!("the relation has too few rows for one bucket of at least {minimum}")
            }
            BucketError::TooManyBuckets { buckets, minimum, .. } => {
                format!("{buckets} buckets would have fewer than {minimum} rows each; ask for fewer")
            }
            BucketError::SmallBuckets { minimum, .. } => {
                format!(
                    "some buckets have fewer than {minimum} rows; merge them with their neighbours or choose another column"
                )
            }
            BucketError::TooManyRows { .. } => {
                "the relation has too many rows to be sliced at once".to_owned()
            }
            BucketError::NotAPartition { .. } => "the buckets must name each row exactly once".to_owned(),
            BucketError::MinimumBelowTwo { .. }
            | BucketError::NoBuckets
            | BucketError::SizeBelowMinimum { .. } => self.to_string(),
        }
    }
}

/// Rows in the order of their buckets, and where each bucket begins.
#[derive(Clone, PartialEq, Eq)]
pub struct Layout {
    rows: Vec<u32>,
    /// One more than buckets; the last is the number of rows.
    offsets: Vec<u32>,
}

impl std::fmt::Debug for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Which row is in which bucket stays secret.
        write!(f, "Layout({} rows in {} buckets)", self.rows(), self.buckets())
    }
}

impl Layout {
    /// Windows of the rows in the order they stand in: the rank of a row is its position. The order must not be that of another release.
    pub fn by_rank(rows: usize, windows: Windows, minimum: MinimumSize) -> Result<Layout, BucketError> {
        let offsets = window_offsets(rows, windows, minimum)?;
        Ok(Layout { rows: (0..offsets[offsets.len() - 1]).collect(), offsets })
    }

    /// Windows of the rows in a given order: `order[rank]` is the row with that rank.
    pub fn by_order(order: Vec<u32>, windows: Windows, minimum: MinimumSize) -> Result<Layout, BucketError> {
        let offsets = window_offsets(order.len(), windows, minimum)?;
        refuse_unless_permutation(&order)?;
        Ok(Layout { rows: order, offsets })
    }

    /// A bucket per code, in the order of codes; inside a bucket rows keep their order.
    pub fn by_value(codes: &[u32], small: SmallBuckets, minimum: MinimumSize) -> Result<Layout, BucketError> {
        let count = row_count(codes.len())?;
        if count < minimum.get() {
            return Err(BucketError::TooFewRows { rows: codes.len(), minimum: minimum.get() });
        }
        let (rows, mut offsets) = sorted_by_code(codes);
        if small == SmallBuckets::Merge {
            offsets = merged(&offsets, minimum);
        }
        Layout { rows, offsets }.with_minimum(minimum)
    }

    /// A bucket per class of a generalization, for releasing the original values permuted inside each class. `classes[row]` is the number of
    /// the row's class; left-out rows must be gone. k-anonymous classes have at least k rows, and keep their ℓ-diversity as buckets.
    pub fn by_classes(classes: &[u32], minimum: MinimumSize) -> Result<Layout, BucketError> {
        Layout::by_value(classes, SmallBuckets::Refuse, minimum)
    }

    /// Buckets as lists of rows, which must name every row once.
    pub fn from_buckets(buckets: &[Vec<u32>], minimum: MinimumSize) -> Result<Layout, BucketError> {
        let rows: Vec<u32> = buckets.concat();
        row_count(rows.len())?;
        refuse_unless_permutation(&rows)?;
        let mut offsets = vec![0];
        let mut end = 0;
        for bucket in buckets {
            end += bucket.len() as u32;
            offsets.push(end);
        }
        Layout { rows, offsets }.with_minimum(minimum)
    }

    /// Everything in one bucket, of whatever size: to compare tables whose buckets are not known.
    pub fn undivided(rows: usize) -> Result<Layout, BucketError> {
        let count = row_count(rows)?;
        let offsets = if count == 0 { vec![0] } else { vec![0, count] };
        Ok(Layout { rows: (0..count).collect(), offsets })
    }

    /// The same buckets after rows have moved to new places.
    pub(crate) fn moved(&self, rows: Vec<u32>) -> Layout {
        Layout { rows, offsets: self.offsets.clone() }
    }

    fn with_minimum(self, minimum: MinimumSize) -> Result<Layout, BucketError> {
        let sizes = self.offsets.windows(2).map(|pair| pair[1] - pair[0]);
        let small: Vec<u32> = sizes.filter(|&size| size < minimum.get()).collect();
        if small.is_empty() && self.buckets() > 0 {
            return Ok(self);
        }
        if self.rows.is_empty() {
            return Err(BucketError::TooFewRows { rows: 0, minimum: minimum.get() });
        }
        Err(BucketError::SmallBuckets {
            small: small.len(),
            buckets: self.buckets(),
            rows: small.iter().map(|&size| size as usize).sum(),
            minimum: minimum.get(),
        })
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many buckets.
    pub fn buckets(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The rows of a bucket.
    pub fn bucket(&self, number: usize) -> &[u32] {
        &self.rows[self.offsets[number] as usize..self.offsets[number + 1] as usize]
    }

    /// The rows of each bucket.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.buckets()).map(|number| self.bucket(number))
    }

    /// The rows of the smallest bucket; 0 without rows.
    pub fn smallest(&self) -> usize {
        self.iter().map(<[u32]>::len).min().unwrap_or(0)
    }

    /// The rows of the largest bucket; 0 without rows.
    pub fn largest(&self) -> usize {
        self.iter().map(<[u32]>::len).max().unwrap_or(0)
    }

    /// All rows, bucket after bucket.
    pub fn order(&self) -> &[u32] {
        &self.rows
    }

    /// Where each bucket begins in [`order`](Layout::order), and the number of rows at the end.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}

fn row_count(rows: usize) -> Result<u32, BucketError> {
    u32::try_from(rows).map_err(|_| BucketError::TooManyRows { rows })
}

/// Window borders as a function of the number of rows alone.
fn window_offsets(rows: usize, windows: Windows, minimum: MinimumSize) -> Result<Vec<u32>, BucketError> {
    let count = row_count(rows)?;
    let minimum = minimum.get();
    if count < minimum {
        return Err(BucketError::TooFewRows { rows, minimum });
    }
    let buckets = match windows {
        Windows::Count(0) => return Err(BucketError::NoBuckets),
        Windows::Count(buckets) if count / buckets < minimum => {
            return Err(BucketError::TooManyBuckets { buckets, rows, minimum, at_most: count / minimum });
        }
        Windows::Count(buckets) => buckets,
        Windows::Size(size) if size < minimum => {
            return Err(BucketError::SizeBelowMinimum { size, minimum });
        }
        Windows::Size(size) => (count / size).max(1),
    };
    let (each, remainder) = (count / buckets, count % buckets);
    Ok((0..=buckets).map(|bucket| bucket * each + bucket.min(remainder)).collect())
}

fn refuse_unless_permutation(order: &[u32]) -> Result<(), BucketError> {
    let mut seen = vec![false; order.len()];
    for &row in order {
        match seen.get_mut(row as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err(BucketError::NotAPartition { rows: order.len() }),
        }
    }
    Ok(())
}

/// Rows by code, rows of one code in their order, and where each code begins.
fn sorted_by_code(codes: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let distinct = codes.iter().max().map_or(0, |&largest| largest as usize + 1);
    // Codes of a dictionary are dense and can be counted; anything else is sorted.
    if distinct <= 2 * codes.len() { counted_by_code(codes, distinct) } else { sparse_by_code(codes) }
}

fn counted_by_code(codes: &[u32], distinct: usize) -> (Vec<u32>, Vec<u32>) {
    let mut next = vec![0_u32; distinct + 1];
    codes.iter().for_each(|&code| next[code as usize + 1] += 1);
    let mut offsets = vec![0];
    for code in 0..distinct {
        let size = next[code + 1];
        next[code + 1] += next[code];
        if size > 0 {
            offsets.push(next[code + 1]);
        }
    }
    let mut rows = vec![0; codes.len()];
    for (row, &code) in codes.iter().enumerate() {
        let place = &mut next[code as usize];
        rows[*place as usize] = row as u32;
        *place += 1;
    }
    (rows, offsets)
}

fn sparse_by_code(codes: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut keys: Vec<u64> =
        codes.iter().enumerate().map(|(row, &code)| u64::from(code) << 32 | row as u64).collect();
    keys.par_sort_unstable();
    let mut offsets = vec![0];
    for place in 1..=keys.len() {
        if place == keys.len() || keys[place] >> 32 != keys[place - 1] >> 32 {
            offsets.push(place as u32);
        }
    }
    (keys.into_iter().map(|key| key as u32).collect(), offsets)
}

/// Fewer borders, so that every bucket has the minimum.
fn merged(offsets: &[u32], minimum: MinimumSize) -> Vec<u32> {
    let mut kept = vec![0];
    for &end in &offsets[1..] {
        if end - kept[kept.len() - 1] >= minimum.get() {
            kept.push(end);
        }
    }
    // Rows left over at the end belong to the last bucket.
    if let (Some(last), Some(&end)) = (kept.last_mut().filter(|last| **last > 0), offsets.last()) {
        *last = end;
    }
    kept
}

#[cfg(test)]
mod tests;
