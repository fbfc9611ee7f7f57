//! The codes of one column, in as few bytes each as they need: most columns have far fewer values than a `u32` can tell apart.

/// One code per tuple.
#[derive(Debug, Clone)]
pub enum ColumnCodes {
    /// All below 2⁸.
    Bytes(Vec<u8>),
    /// All below 2¹⁶.
    Halves(Vec<u16>),
    /// Any.
    Words(Vec<u32>),
}

impl Default for ColumnCodes {
    fn default() -> ColumnCodes {
        ColumnCodes::Bytes(Vec::new())
    }
}

impl ColumnCodes {
    /// Appends a code; all become wider where it needs that.
    pub fn push(&mut self, code: u32) {
        match self {
            ColumnCodes::Bytes(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.widen(code),
            },
            ColumnCodes::Halves(codes) => match u16::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.widen(code),
            },
            ColumnCodes::Words(codes) => codes.push(code),
        }
    }

    #[cold]
    fn widen(&mut self, next: u32) {
        let widest = ColumnCodes::Words(Vec::new());
        *self = match std::mem::replace(self, widest) {
            ColumnCodes::Bytes(codes) if next <= u32::from(u16::MAX) => {
                ColumnCodes::Halves(codes.into_iter().map(u16::from).collect())
            }
            narrow => ColumnCodes::Words(narrow.iter().collect()),
        };
        self.push(next);
    }

    /// Number of tuples.
    pub fn len(&self) -> usize {
        match self {
            ColumnCodes::Bytes(codes) => codes.len(),
            ColumnCodes::Halves(codes) => codes.len(),
            ColumnCodes::Words(codes) => codes.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory that the codes need.
    pub fn bytes(&self) -> usize {
        match self {
            ColumnCodes::Bytes(codes) => codes.len(),
            ColumnCodes::Halves(codes) => size_of_val(&codes[..]),
            ColumnCodes::Words(codes) => size_of_val(&codes[..]),
        }
    }

    /// The largest code; `None` where there is no tuple.
    pub fn largest(&self) -> Option<u32> {
        match self {
            ColumnCodes::Bytes(codes) => codes.iter().max().map(|&code| u32::from(code)),
            ColumnCodes::Halves(codes) => codes.iter().max().map(|&code| u32::from(code)),
            ColumnCodes::Words(codes) => codes.iter().max().copied(),
        }
    }

    /// The code of a tuple.
    ///
    /// # Panics
    /// If there is no such tuple.
    pub fn get(&self, tuple: usize) -> u32 {
        match self {
            ColumnCodes::Bytes(codes) => u32::from(codes[tuple]),
            ColumnCodes::Halves(codes) => u32::from(codes[tuple]),
            ColumnCodes::Words(codes) => codes[tuple],
        }
    }

    /// The codes of some tuples, by number, in this order.
    ///
    /// # Panics
    /// If there is no such tuple.
    pub fn picked(&self, tuples: &[u32]) -> ColumnCodes {
        tuples.iter().map(|&tuple| self.get(tuple as usize)).collect()
    }

    /// Calls `visit` with every tuple's number and code, in order: the fastest way to see them all.
    pub fn each(&self, mut visit: impl FnMut(usize, u32)) {
        match self {
            ColumnCodes::Bytes(codes) => {
                codes.iter().enumerate().for_each(|(tuple, &code)| visit(tuple, u32::from(code)));
            }
            ColumnCodes::Halves(codes) => {
                codes.iter().enumerate().for_each(|(tuple, &code)| visit(tuple, u32::from(code)));
            }
            ColumnCodes::Words(codes) => {
                codes.iter().enumerate().for_each(|(tuple, &code)| visit(tuple, code))
            }
        }
    }

    /// The codes, tuple by tuple.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (bytes, halves, words): (&[u8], &[u16], &[u32]) = match self {
            ColumnCodes::Bytes(codes) => (codes, &[], &[]),
            ColumnCodes::Halves(codes) => (&[], codes, &[]),
            ColumnCodes::Words(codes) => (&[], &[], codes),
        };
        let narrow =
            bytes.iter().map(|&code| u32::from(code)).chain(halves.iter().map(|&code| u32::from(code)));
        narrow.chain(words.iter().copied())
    }
}

impl From<Vec<u32>> for ColumnCodes {
    fn from(codes: Vec<u32>) -> ColumnCodes {
        match codes.iter().copied().max().unwrap_or(0) {
            0..=0xff => ColumnCodes::Bytes(codes.iter().map(|&code| code as u8).collect()),
            0x100..=0xffff => ColumnCodes::Halves(codes.iter().map(|&code| code as u16).collect()),
            _ => ColumnCodes::Words(codes),
        }
    }
}

impl FromIterator<u32> for ColumnCodes {
    fn from_iter<I: IntoIterator<Item = u32>>(codes: I) -> ColumnCodes {
        let mut all = ColumnCodes::default();
        codes.into_iter().for_each(|code| all.push(code));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_come_back_as_they_were(
            codes in (0u32..32).prop_flat_map(|bits| prop::collection::vec(0..=(u64::MAX >> (32 + bits)) as u32, 0..300)),
        ) {
            let one_by_one: ColumnCodes = codes.iter().copied().collect();
            let at_once = ColumnCodes::from(codes.clone());
            for all in [&one_by_one, &at_once] {
                prop_assert_eq!(all.iter().collect::<Vec<u32>>(), codes.clone());
                let mut visited = Vec::new();
                all.each(|tuple, code| visited.push((tuple, code)));
                prop_assert_eq!(visited, codes.iter().copied().enumerate().collect::<Vec<_>>());
                prop_assert_eq!(all.largest(), codes.iter().copied().max());
                prop_assert_eq!((0..all.len()).map(|tuple| all.get(tuple)).collect::<Vec<u32>>(), codes.clone());
            }
            prop_assert_eq!(one_by_one.bytes(), at_once.bytes());
        }
    }
}
