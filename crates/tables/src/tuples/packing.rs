//! Tuples as a few words that sort like the tuples.

/// Where each code of a tuple sits: the first column in the highest bits of the first word, so that words compare as the tuples do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packing {
    places: Vec<Place>,
    words: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Place {
    fn code(&self, words: &[u64]) -> u32 {
        ((words[self.word] >> self.shift) & self.mask) as u32
    }
}

impl Packing {
    /// For columns with these numbers of codes.
    pub fn new(cardinalities: &[usize]) -> Packing {
        let (mut word, mut free) = (0, u64::BITS);
        let mut places = Vec::with_capacity(cardinalities.len());
        for &codes in cardinalities {
            let bits = usize::BITS - codes.saturating_sub(1).leading_zeros();
            if bits > free {
                (word, free) = (word + 1, u64::BITS);
            }
            free -= bits;
            let mask = if bits == 0 { 0 } else { u64::MAX >> (u64::BITS - bits) };
            // A column of one code has no bits, and may find none free.
            places.push(Place { word, shift: free.min(u64::BITS - 1), mask });
        }
        Packing { places, words: word + 1 }
    }

    /// Words per tuple.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Columns of a tuple.
    pub fn width(&self) -> usize {
        self.places.len()
    }

    /// Writes a tuple into words that are 0.
    pub fn pack(&self, codes: impl IntoIterator<Item = u32>, words: &mut [u64]) {
        for (place, code) in self.places.iter().zip(codes) {
            words[place.word] |= u64::from(code) << place.shift;
        }
    }

    /// Writes the code of one column into the words of a tuple, which are 0 there.
    pub fn place(&self, column: usize, code: u32, words: &mut [u64]) {
        let place = self.places[column];
        words[place.word] |= u64::from(code) << place.shift;
    }

    /// The same for many tuples, one after the other.
    pub fn place_all(&self, column: usize, codes: &[u32], words: &mut [u64]) {
        let place = self.places[column];
        if self.words == 1 {
            words.iter_mut().zip(codes).for_each(|(word, &code)| *word |= u64::from(code) << place.shift);
        } else {
            let tuples = words.chunks_exact_mut(self.words).zip(codes);
            tuples.for_each(|(words, &code)| words[place.word] |= u64::from(code) << place.shift);
        }
    }

    /// The codes of a tuple.
    pub fn unpack(&self, words: &[u64], codes: &mut [u32]) {
        for (place, code) in self.places.iter().zip(codes) {
            *code = place.code(words);
        }
    }

    /// One code of a tuple.
    pub fn code(&self, words: &[u64], column: usize) -> u32 {
        self.places[column].code(words)
    }
}
