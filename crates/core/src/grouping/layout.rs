//! Where each code of a tuple sits: all columns side by side in a few words, several of them together in a chunk.

use crate::table::FrequencyTable;

/// The bits of the columns within a tuple's words.
///
/// A chunk is a run of bits that is lifted by one look-up: small columns share one, a large column has its own. The order of the columns in
/// memory follows from their numbers of values and the size of the table alone.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(super) chunks: Vec<Chunk>,
    /// Words per tuple.
    pub(crate) words: usize,
    places: Vec<Place>,
}

/// A run of bits that is lifted at once.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) word: usize,
    pub(super) shift: u32,
    bits: u32,
    /// The columns in it, the one in the lowest bits first.
    pub(super) columns: Vec<usize>,
}

/// The bits of one column.
#[derive(Debug, Clone, Copy)]
struct Place {
    word: usize,
    shift: u32,
    bits: u32,
}

/// Chunks of one word that start at multiples of [`CHUNK_BITS`], where all are small and so few: shifts that are known beforehand cost less.
pub(super) const SLOTS: usize = (u64::BITS / CHUNK_BITS) as usize;
/// Tables from this size on are laid out in the order of their columns. From the large tables of the `baseline`
/// workload of `docs/guide/bench.md`, which gain by it.
const MANY_TUPLES: usize = 1 << 16;

/// Adds a column to a chunk with room for it, or makes it one of its own.
fn put(column: usize, bits: u32, chunks: &mut Vec<Chunk>, roomy: Option<usize>) {
    match roomy {
        Some(roomy) => {
            chunks[roomy].columns.push(column);
            chunks[roomy].bits += bits;
        }
        None => chunks.push(Chunk { word: 0, shift: 0, bits, columns: vec![column] }),
    }
}

/// As few chunks as can be had by putting large columns first.
fn chunks_by_size(bits: &[u32]) -> Vec<Chunk> {
    let mut by_size: Vec<usize> = (0..bits.len()).collect();
    by_size.sort_by_key(|&column| (std::cmp::Reverse(bits[column]), column));
    let mut chunks: Vec<Chunk> = Vec::new();
    for column in by_size {
        let roomy = chunks.iter().position(|chunk| chunk.bits + bits[column] <= CHUNK_BITS);
        put(column, bits[column], &mut chunks, roomy);
    }
    chunks
}

/// Neighbouring columns together, the last ones in the lowest bits. Tuples are sorted by their columns, so the numbers made of their codes hardly
/// jump from one tuple to the next, and what is counted by them stays in the cache.
fn chunks_in_order(bits: &[u32]) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for column in (0..bits.len()).rev() {
        let last = chunks.len().wrapping_sub(1);
        let roomy = chunks.last().filter(|chunk| chunk.bits + bits[column] <= CHUNK_BITS).map(|_| last);
        put(column, bits[column], &mut chunks, roomy);
    }
    chunks
}

/// Small columns share chunks of up to this many bits: tables of that size stay in the first-level cache. Not tuned.
pub(super) const CHUNK_BITS: u32 = 12;

impl Layout {
    /// The layout for columns with these numbers of codes, in a table with this number of tuples.
    pub(super) fn new(cardinalities: &[usize], tuples: usize) -> Layout {
        let bits: Vec<u32> = cardinalities
            .iter()
            .map(|&codes| usize::BITS - codes.saturating_sub(1).leading_zeros())
            .collect();
        let chunks = if tuples < MANY_TUPLES { chunks_by_size(&bits) } else { chunks_in_order(&bits) };
        Layout::of_chunks(chunks, &bits)
    }

    fn of_chunks(mut chunks: Vec<Chunk>, bits: &[u32]) -> Layout {
        let mut places = vec![Place { word: 0, shift: 0, bits: 0 }; bits.len()];
        let (mut word, mut used) = (0, 0);
        let fit_slots = chunks.len() <= SLOTS && chunks.iter().all(|chunk| chunk.bits <= CHUNK_BITS);
        for (slot, chunk) in chunks.iter_mut().enumerate() {
            if fit_slots {
                used = slot as u32 * CHUNK_BITS;
            } else if used + chunk.bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            (chunk.word, chunk.shift) = (word, used);
            for &column in &chunk.columns {
                places[column] = Place { word, shift: used, bits: bits[column] };
                used += bits[column];
            }
        }
        Layout { chunks, words: word + 1, places }
    }

    /// The words of all tuples of a table, tuple by tuple.
    pub(super) fn pack(&self, table: &FrequencyTable) -> Vec<u64> {
        let mut words = vec![0u64; table.tuple_count() * self.words];
        for (column, place) in self.places.iter().enumerate() {
            table.column(column).each(|tuple, code| {
                words[tuple * self.words + place.word] |= u64::from(code) << place.shift;
            });
        }
        words
    }

    /// Writes one code per column into the words of one tuple, which must be 0.
    pub(crate) fn write(&self, codes: impl Iterator<Item = u32>, words: &mut [u64]) {
        for (place, code) in self.places.iter().zip(codes) {
            words[place.word] |= u64::from(code) << place.shift;
        }
    }

    /// The code of one column in the words of one tuple.
    pub(super) fn code(&self, words: &[u64], column: usize) -> u32 {
        let place = self.places[column];
        ((words[place.word] >> place.shift) & low_bits(place.bits)) as u32
    }

    /// How many bits a column has.
    pub(super) fn bits(&self, column: usize) -> u32 {
        self.places[column].bits
    }
}

impl Chunk {
    /// The chunk's bits of a word.
    pub(super) fn mask(&self) -> u64 {
        low_bits(self.bits)
    }
}

fn low_bits(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (u64::BITS - bits) }
}

/// All `numbers` once for each of `others`, put together: what a chunk has once another column is added to it.
pub(super) fn repeated(numbers: &[u32], others: &[u32], put: impl Fn(u32, u32) -> u32) -> Vec<u32> {
    if let [number] = *numbers {
        return others.iter().map(|&other| put(number, other)).collect();
    }
    let mut all = Vec::with_capacity(numbers.len() * others.len());
    for &other in others {
        all.extend(numbers.iter().map(|&number| put(number, other)));
    }
    all
}
