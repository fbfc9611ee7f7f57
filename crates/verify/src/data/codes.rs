//! Small numbers in as few bytes as they need.

/// A list of codes: a byte each as long as all are small, more when a larger one comes.
#[derive(Debug)]
pub(crate) enum Codes {
    Byte(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Codes {
        Codes::Byte(Vec::new())
    }
}

impl Codes {
    pub(crate) fn push(&mut self, code: u32) {
        match self {
            Codes::Byte(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => {
                    *self = Codes::Two(codes.iter().map(|&code| u16::from(code)).collect());
                    self.push(code);
                }
            },
            Codes::Two(codes) => match u16::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => {
                    *self = Codes::Four(codes.iter().map(|&code| u32::from(code)).collect());
                    self.push(code);
                }
            },
            Codes::Four(codes) => codes.push(code),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Codes::Byte(codes) => codes.len(),
            Codes::Two(codes) => codes.len(),
            Codes::Four(codes) => codes.len(),
        }
    }

    /// The code at a place.
    pub(crate) fn at(&self, place: usize) -> u32 {
        match self {
            Codes::Byte(codes) => u32::from(codes[place]),
            Codes::Two(codes) => u32::from(codes[place]),
            Codes::Four(codes) => codes[place],
        }
    }

    /// Keeps the first codes.
    pub(crate) fn truncate(&mut self, length: usize) {
        match self {
            Codes::Byte(codes) => codes.truncate(length),
            Codes::Two(codes) => codes.truncate(length),
            Codes::Four(codes) => codes.truncate(length),
        }
    }

    pub(crate) fn last(&self) -> Option<u32> {
        self.len().checked_sub(1).map(|last| self.at(last))
    }

    /// Calls `visit` with every code and its place.
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, u32)) {
        match self {
            Codes::Byte(codes) => {
                codes.iter().enumerate().for_each(|(place, &code)| visit(place, u32::from(code)));
            }
            Codes::Two(codes) => {
                codes.iter().enumerate().for_each(|(place, &code)| visit(place, u32::from(code)));
            }
            Codes::Four(codes) => codes.iter().enumerate().for_each(|(place, &code)| visit(place, code)),
        }
    }

    /// The codes of other codes, by number.
    pub(crate) fn translated(self, translation: &[u32]) -> Codes {
        if translation.iter().enumerate().all(|(code, &other)| code == other as usize) {
            return self;
        }
        let mut codes = Codes::default();
        self.each(|_, code| codes.push(translation[code as usize]));
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_widths_hold_what_was_pushed(list in prop::collection::vec(prop_oneof![0u32..9, 0u32..300, 0u32..70_000, any::<u32>()], 0..40)) {
            let mut codes = Codes::default();
            list.iter().for_each(|&code| codes.push(code));
            prop_assert_eq!((codes.len(), codes.last()), (list.len(), list.last().copied()));
            let mut seen = Vec::new();
            codes.each(|place, code| seen.push((place, code)));
            prop_assert!(seen.iter().all(|&(place, code)| list[place] == code && codes.at(place) == code));
            prop_assert_eq!(seen.len(), list.len());
        }
    }
}
