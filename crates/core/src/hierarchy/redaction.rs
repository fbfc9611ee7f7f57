//! Texts by masking characters: `81775`, `8177*`, `817**`, …

use super::ShareBasis;
use super::Unplaced;
use super::kind::Kind;
use super::ladder::categorical_loss;
use super::names::names;
use std::borrow::Cow;

use super::ladder::NewGroup;

/// One more character masked on each level, the last level masks all.
///
/// On level n the n characters on one side are the mask; a value of n characters or fewer is the mask n times.
/// The top, level `length`, is the mask `length` times for every value, also for longer ones. Characters are
/// Unicode scalar values, as `str::chars` gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    mask: char,
    from: Side,
    length: u8,
    alphabet: Option<u32>,
}

/// An end of a text: where masking starts, or which end of codes of different length is the same place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// `*1775`: for codes whose last characters tell most to a reader.
    Left,
    /// `8177*`: for codes that go from large to small, like postal codes.
    #[default]
    Right,
}
names!(Side { Left: "left", Right: "right" });

/// Why masking is not possible that way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedactionError {
    /// A level masks one character more, so there are 1 to 255 levels.
    #[error("the length has to be between 1 and 255 characters")]
    Length,
    /// With one character there is only one text of each length.
    #[error("an alphabet has at least two characters")]
    Alphabet,
}

impl Redaction {
    /// `length`: number of levels, the characters of the longest value. `alphabet`: how many different
    /// characters a position can hold; with it the loss counts all possible texts, without it those present.
    pub fn new(
        mask: char,
        from: Side,
        length: usize,
        alphabet: Option<u32>,
    ) -> Result<Redaction, RedactionError> {
        let length = u8::try_from(length).ok().filter(|length| *length > 0).ok_or(RedactionError::Length)?;
        if alphabet.is_some_and(|size| size < 2) {
            return Err(RedactionError::Alphabet);
        }
        Ok(Redaction { mask, from, length, alphabet })
    }

    /// The length that suits these values: characters of the longest one, at least 1 and at most 255.
    pub fn length_for(values: &[Option<&str>]) -> usize {
        let longest = values.iter().flatten().map(|value| value.chars().count()).max();
        longest.unwrap_or(1).clamp(1, u8::MAX.into())
    }

    /// The character that hides others.
    pub fn mask(&self) -> char {
        self.mask
    }

    /// An end of a text: where masking starts, or which end of codes of different length is the same place.
    pub fn from(&self) -> Side {
        self.from
    }

    /// Number of characters that the top shows.
    pub fn length(&self) -> usize {
        self.length.into()
    }

    /// How many different characters a position can hold, if that was said.
    pub fn alphabet(&self) -> Option<u32> {
        self.alphabet
    }

    pub(super) fn max_level(&self) -> u8 {
        self.length
    }

    pub(super) fn label<'a>(&self, value: Option<&'a str>, level: u8) -> Option<Cow<'a, str>> {
        let hidden = usize::from(level);
        let masks = || std::iter::repeat_n(self.mask, hidden);
        if level == self.length {
            return Some(masks().collect());
        }
        let value = value?;
        if level == 0 {
            return Some(Cow::Borrowed(value));
        }
        let shown = value.chars().count().saturating_sub(hidden);
        Some(match self.from {
            Side::Right => value.chars().take(shown).chain(masks()).collect(),
            Side::Left => masks().chain(value.chars().skip(hidden)).collect(),
        })
    }

    /// `(a^n − 1) / (a^length − 1)` with an alphabet of size a: the texts a label may stand for. Values of
    /// another length are treated as if they had `length` characters.
    pub(super) fn loss(&self, group: &NewGroup<'_>) -> Option<f64> {
        let size = f64::from(self.alphabet?);
        if group.level == self.length {
            return Some(1.0);
        }
        if group.first.is_none() {
            return Some(0.0);
        }
        let power = |n: u8| (0..n).fold(1.0, |product: f64, _| product * size);
        let all = power(self.length);
        Some(if all.is_finite() {
            (power(group.level) - 1.0) / (all - 1.0)
        } else {
            // Beyond floats the two "− 1" of the formula do not matter.
            1.0 / power(self.length - group.level)
        })
    }
}

impl Kind for Redaction {
    fn in_words(&self) -> &'static str {
        "masked characters"
    }

    fn max_level(&self) -> u8 {
        Redaction::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Ok(Redaction::label(self, value, level))
    }

    fn share_basis(&self) -> ShareBasis {
        match self.alphabet() {
            Some(_) => ShareBasis::Hierarchy,
            None => ShareBasis::ValuesPresent,
        }
    }

    fn loss(&self, group: &NewGroup<'_>, all: usize) -> f64 {
        Redaction::loss(self, group).unwrap_or_else(|| categorical_loss(group.leaves, all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(redaction: &Redaction, value: &str) -> Vec<String> {
        (0..=redaction.max_level()).map(|n| redaction.label(Some(value), n).unwrap().into_owned()).collect()
    }

    #[test]
    fn short_and_long_values_reach_the_same_top() {
        let right = Redaction::new('*', Side::Right, 3, None).unwrap();
        assert_eq!(labels(&right, "817"), ["817", "81*", "8**", "***"]);
        assert_eq!(labels(&right, "8"), ["8", "*", "**", "***"]);
        assert_eq!(labels(&right, ""), ["", "*", "**", "***"]);
        assert_eq!(labels(&right, "8177"), ["8177", "817*", "81**", "***"]);
        let left = Redaction::new('#', Side::Left, 3, None).unwrap();
        assert_eq!(labels(&left, "817"), ["817", "#17", "##7", "###"]);
        assert_eq!(labels(&left, "8"), ["8", "#", "##", "###"]);
    }

    #[test]
    fn characters_are_not_bytes() {
        let right = Redaction::new('·', Side::Right, 3, None).unwrap();
        assert_eq!(labels(&right, "aß🙂"), ["aß🙂", "aß·", "a··", "···"]);
    }

    #[test]
    fn missing_stays_missing_below_the_top() {
        let right = Redaction::new('*', Side::Right, 2, None).unwrap();
        assert_eq!([0, 1].map(|level| right.label(None, level)), [None, None]);
        assert_eq!(right.label(None, 2).as_deref(), Some("**"));
    }

    #[test]
    fn an_alphabet_counts_possible_texts() {
        let loss = |length, alphabet, level| {
            let redaction = Redaction::new('*', Side::Right, length, Some(alphabet)).unwrap();
            redaction.loss(&NewGroup { level, first: Some("x"), label: Some("x"), leaves: 1 }).unwrap()
        };
        assert_eq!(loss(5, 10, 1), 9.0 / 99_999.0);
        assert_eq!(loss(5, 10, 4), 9_999.0 / 99_999.0);
        assert_eq!(loss(5, 10, 5), 1.0);
        assert!(loss(255, u32::MAX, 254) > 0.0 && loss(255, u32::MAX, 254) < 1e-9);
        assert_eq!(loss(255, u32::MAX, 1), 0.0);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        assert_eq!(Redaction::new('*', Side::Left, 0, None), Err(RedactionError::Length));
        assert_eq!(Redaction::new('*', Side::Left, 256, None), Err(RedactionError::Length));
        assert_eq!(Redaction::new('*', Side::Left, 2, Some(1)), Err(RedactionError::Alphabet));
    }
}
