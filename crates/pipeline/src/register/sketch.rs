//! How many rows do two tables share? Answered from a few hundred hexadecimal digits.
//!
//! One-permutation MinHash (Li, Owen & Zhang 2012) with b-bit values (Li & König 2010): every row is hashed with the register's salt, the hash
//! chooses one of the bins, and each bin keeps the last four bits of its smallest hash. The share of bins that agree estimates the Jaccard
//! similarity `J = |A∩B| / |A∪B|`; a sixteenth of the others agrees by chance and is taken off.
//!
//! Four bits of one row in a bin of at least sixteen say next to nothing about a row that somebody has in mind: a table with it explains a
//! sketch about twice as well as one without it. Below 1,024 rows bins hold fewer rows, and a register tells more.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;

/// Fewest and most bins.
const BINS: (usize, usize) = (64, 1024);
/// Rows that a bin holds on average, where there are enough bins.
const ROWS_PER_BIN: u64 = 16;
/// Values of four bits.
const VALUES: f64 = 16.0;
/// A bin without a row.
const EMPTY: u8 = b'-';

/// What hashes are salted with: 32 random bytes in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Salt(String);

impl Salt {
    /// A new one, from the operating system.
    ///
    /// # Errors
    /// If there are no random numbers.
    pub fn random() -> io::Result<Salt> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Salt(hex::encode(bytes)))
    }

    /// The hash of a cell of a column. Missing is not the empty text.
    pub fn cell(&self, column: &str, cell: Option<&str>) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.0.as_bytes());
        hash.update((column.len() as u64).to_le_bytes());
        hash.update(column.as_bytes());
        hash.update([u8::from(cell.is_some())]);
        hash.update(cell.unwrap_or_default().as_bytes());
        let digest = hash.finalize();
        digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

/// The hash of a row, from those of its cells in the order of the columns' names.
pub(crate) fn row(cells: impl Iterator<Item = u64>) -> u64 {
    cells.fold(0x7061_7261_7665_6e74, |hash, cell| mix(hash ^ cell))
}

/// The finalizer of SplitMix64, which is one to one.
pub(super) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// What is kept of a table's rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    /// The columns that make a row, by name.
    pub columns: Vec<String>,
    /// A hexadecimal digit per bin; `-` is a bin without a row.
    pub bins: String,
}

/// A sketch in the making. The order of the rows does not matter.
pub(crate) struct Sketching {
    smallest: Vec<Option<u64>>,
}

impl Sketching {
    pub(crate) fn new(bins: usize) -> Sketching {
        Sketching { smallest: vec![None; bins.clamp(1, BINS.1)] }
    }

    /// Adds all rows that are equal. A row that is there n times counts as n different ones.
    pub(crate) fn add(&mut self, hash: u64, count: u64) {
        let bins = self.smallest.len();
        for occurrence in 0..count {
            let hash = mix(hash ^ mix(occurrence));
            let bin = &mut self.smallest[(hash >> 32) as usize % bins];
            // The upper half chooses the bin, the lower is what is compared.
            let value = hash & 0xffff_ffff;
            *bin = Some(bin.map_or(value, |known| known.min(value)));
        }
    }

    pub(crate) fn finish(self, columns: Vec<String>) -> Sketch {
        let digit = |bin: Option<u64>| match bin {
            Some(value) => char::from_digit((mix(value) & 15) as u32, 16).unwrap_or('0'),
            None => char::from(EMPTY),
        };
        Sketch { columns, bins: self.smallest.into_iter().map(digit).collect() }
    }
}

/// The estimate for two tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Jaccard similarity of the two bags of rows, 0 to 1.
    pub similarity: f64,
    /// Rows in both.
    pub rows: u64,
    /// Whether that is more than chance explains: five standard errors above nothing.
    pub is_certain: bool,
}

impl Sketch {
    /// Number of bins of a table with this number of rows: a power of two.
    pub fn bins_for(rows: u64) -> usize {
        let wanted = usize::try_from(rows / ROWS_PER_BIN).unwrap_or(usize::MAX);
        1 << wanted.clamp(BINS.0, BINS.1).ilog2()
    }

    /// The standard error of a similarity that is estimated from two sketches of this size: the share of bins that agree is a binomial one.
    pub(crate) fn standard_error(&self, similarity: f64) -> f64 {
        let chance = 1.0 / VALUES;
        let agree = similarity + (1.0 - similarity) * chance;
        (agree * (1.0 - agree) / self.bins.len().max(1) as f64).sqrt() / (1.0 - chance)
    }

    /// Share of rows that two tables have in common; `None` for sketches of different columns or sizes.
    pub fn overlap(&self, rows: u64, other: &Sketch, other_rows: u64) -> Option<Overlap> {
        if self.columns != other.columns || self.bins.len() != other.bins.len() {
            return None;
        }
        let (mut used, mut both, mut equal) = (0u32, 0u32, 0u32);
        for (ours, theirs) in self.bins.bytes().zip(other.bins.bytes()) {
            used += u32::from(ours != EMPTY || theirs != EMPTY);
            if ours != EMPTY && theirs != EMPTY {
                both += 1;
                equal += u32::from(ours == theirs);
            }
        }
        let (used, both, equal) = (f64::from(used.max(1)), f64::from(both), f64::from(equal));
        let chance = 1.0 / VALUES;
        let similarity = ((equal - both * chance) / (1.0 - chance) / used).clamp(0.0, 1.0);
        let error = (both * chance * (1.0 - chance)).sqrt() / (1.0 - chance) / used;
        let shared = similarity * (rows + other_rows) as f64 / (1.0 + similarity);
        let rows = (shared.round() as u64).min(rows).min(other_rows);
        Some(Overlap { similarity, rows, is_certain: rows > 0 && similarity > 5.0 * error })
    }
}
