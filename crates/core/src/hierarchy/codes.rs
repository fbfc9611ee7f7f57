//! Codes that go from large to small, by position: ICD-10, ATC, NUTS, postcodes.

use super::Side;
use super::Unplaced;
use super::kind::Kind;
use std::borrow::Cow;

use super::TOP;

/// The beginning of a code, shorter on every level, or the range of codes that it lies in; then `*`.
///
/// Only letters and digits have a position: `E11.90` has five. A code that is shorter than a beginning is its own beginning, so
/// `E11`, `E11.9` and `E11.90` come together. Codes of a fixed `length` that have lost zeros at the front (`1067` for `01067`)
/// are aligned to the right: the zeros are put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    levels: Vec<CodeLevel>,
    length: Option<u8>,
    align: Side,
}

/// One level of codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeLevel {
    /// The first characters.
    Keep(u8),
    /// The range that the code lies in, by its first characters.
    Ranges(Vec<CodeRange>),
}

/// Codes from one to another, both included; compared by as many characters as they have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeRange {
    /// Letters and digits, capital.
    pub from: String,
    /// As long as `from`, and not before it.
    pub to: String,
}

/// Why levels of codes make no hierarchy. Levels count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodesError {
    /// No level, or more than 254.
    #[error("codes need 1 to 254 levels")]
    Levels,
    /// Not fewer characters than the level below.
    #[error("level {level} must keep fewer characters than the level below it, and at least one")]
    NotShorter {
        /// The level.
        level: usize,
    },
    /// A malformed range, or two that overlap.
    #[error("level {level} has a range that is not written like A00-A09, or two that overlap")]
    Range {
        /// The level.
        level: usize,
    },
    /// A range that lies in no single range of the level above.
    #[error("a range of level {} lies partly in a range of level {level}", level - 1)]
    NotNested {
        /// The upper level.
        level: usize,
    },
    /// Alignment to the right without a length.
    #[error("codes can be aligned to the right only where they have a length")]
    NoLength,
}

/// The label of codes that lie in no range.
const OTHER: &str = "other";

impl CodeRange {
    /// `A00-A09`, or `C97` for a range of one.
    pub fn parse(text: &str) -> Option<CodeRange> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let is_code = |code: &str| {
            (1..=20).contains(&code.len())
                && code.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        };
        let range = CodeRange { from: from.to_owned(), to: to.to_owned() };
        (is_code(from) && is_code(to) && from.len() == to.len() && from <= to).then_some(range)
    }

    /// `A00-A09`.
    pub fn name(&self) -> String {
        if self.from == self.to { self.from.clone() } else { format!("{}-{}", self.from, self.to) }
    }

    fn holds(&self, code: &str) -> bool {
        code.get(..self.from.len())
            .is_some_and(|start| (self.from.as_str()..=self.to.as_str()).contains(&start))
    }

    fn lies_in(&self, other: &CodeRange) -> bool {
        let width = other.from.len();
        let cut = |code: &str| {
            code.get(..width).is_some_and(|start| (other.from.as_str()..=other.to.as_str()).contains(&start))
        };
        cut(&self.from) && cut(&self.to)
    }

    fn touches(&self, other: &CodeRange) -> bool {
        let width = self.from.len().min(other.from.len());
        self.from[..width] <= other.to[..width] && other.from[..width] <= self.to[..width]
    }
}

impl Codes {
    /// Checks that every level puts together what is together below.
    pub fn new(levels: Vec<CodeLevel>, length: Option<u8>, align: Side) -> Result<Codes, CodesError> {
        if !(1..usize::from(u8::MAX)).contains(&levels.len()) {
            return Err(CodesError::Levels);
        }
        if align == Side::Right && length.is_none() {
            return Err(CodesError::NoLength);
        }
        let mut kept = length.map_or(usize::MAX, |length| usize::from(length).saturating_add(1));
        let mut below: Option<&Vec<CodeRange>> = None;
        for (position, level) in levels.iter().enumerate() {
            let number = position + 1;
            match level {
                CodeLevel::Keep(count) => {
                    // Nothing but ranges is above ranges.
                    if *count == 0 || usize::from(*count) >= kept || below.is_some() {
                        return Err(CodesError::NotShorter { level: number });
                    }
                    kept = (*count).into();
                }
                CodeLevel::Ranges(ranges) => {
                    let well = |range: &CodeRange| CodeRange::parse(&range.name()).as_ref() == Some(range);
                    let apart = (0..ranges.len())
                        .all(|one| !ranges[..one].iter().any(|other| other.touches(&ranges[one])));
                    let fits = ranges.iter().all(|range| range.from.len() <= kept);
                    if ranges.is_empty() || !ranges.iter().all(well) || !apart || !fits {
                        return Err(CodesError::Range { level: number });
                    }
                    let nests = |range: &CodeRange| {
                        ranges.iter().all(|wider| range.lies_in(wider) || !range.touches(wider))
                    };
                    if !below.is_none_or(|finer| finer.iter().all(nests)) {
                        return Err(CodesError::NotNested { level: number });
                    }
                    below = Some(ranges);
                }
            }
        }
        Ok(Codes { levels, length, align })
    }

    /// The levels, from level 1 up.
    pub fn levels(&self) -> &[CodeLevel] {
        &self.levels
    }

    /// The number of characters of every code, if they have one.
    pub fn length(&self) -> Option<u8> {
        self.length
    }

    /// Which end of codes of different length is the same place.
    pub fn align(&self) -> Side {
        self.align
    }

    pub(super) fn max_level(&self) -> u8 {
        self.levels.len() as u8 + 1
    }

    pub(super) fn label<'a>(&self, value: Option<&'a str>, level: u8) -> Option<Cow<'a, str>> {
        if level == self.max_level() {
            return Some(Cow::Borrowed(TOP));
        }
        let value = value?;
        let Some(level) = usize::from(level).checked_sub(1) else { return Some(Cow::Borrowed(value)) };
        let code = self.aligned(value);
        Some(Cow::Owned(match &self.levels[level] {
            CodeLevel::Keep(count) => self.beginning(&code, (*count).into()),
            CodeLevel::Ranges(_) => self.range(&code, level),
        }))
    }

    /// The code with the zeros that it has lost.
    fn aligned<'a>(&self, value: &'a str) -> Cow<'a, str> {
        let places = || value.chars().filter(|c| c.is_alphanumeric()).count();
        match (self.align, self.length) {
            (Side::Right, Some(length)) if places() < length.into() && places() > 0 => {
                Cow::Owned("0".repeat(usize::from(length) - places()) + value)
            }
            _ => Cow::Borrowed(value),
        }
    }

    /// The first `count` letters and digits. Where codes have a fixed length, masks replace the rest.
    fn beginning(&self, code: &str, count: usize) -> String {
        let mut seen = 0;
        let mut beginning = String::new();
        for character in code.chars() {
            if seen == count {
                break;
            }
            seen += usize::from(character.is_alphanumeric());
            beginning.push(character);
        }
        // A sign between groups belongs to neither.
        let shown = beginning.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        beginning.truncate(shown);
        if let Some(length) = self.length {
            beginning.extend(std::iter::repeat_n('*', usize::from(length).saturating_sub(count)));
        }
        beginning
    }

    /// The range on this level, or on the next that has one.
    fn range(&self, code: &str, level: usize) -> String {
        let plain: String =
            code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
        for level in &self.levels[level..] {
            if let CodeLevel::Ranges(ranges) = level
                && let Some(range) = ranges.iter().find(|range| range.holds(&plain))
            {
                return range.name();
            }
        }
        OTHER.to_owned()
    }
}

impl Kind for Codes {
    fn in_words(&self) -> &'static str {
        "codes by position"
    }

    fn max_level(&self) -> u8 {
        Codes::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Ok(Codes::label(self, value, level))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Hierarchy, structure};
    use super::*;
    use proptest::prelude::*;

    fn labels(codes: &Codes, level: u8, values: &[&str]) -> Vec<String> {
        values.iter().map(|value| codes.label(Some(value), level).unwrap().into_owned()).collect()
    }

    #[test]
    fn diagnoses_come_together_by_category_block_and_chapter() {
        let icd = structure("icd-10").unwrap();
        let values = ["E11", "E11.9", "E11.90", "e14", "I10.00", "U99.1", "U95.0", "1234"];
        assert_eq!(labels(&icd, 1, &values), ["E11", "E11", "E11", "e14", "I10", "U99", "U95", "123"]);
        assert_eq!(
            labels(&icd, 2, &values),
            ["E10-E14", "E10-E14", "E10-E14", "E10-E14", "I10-I15", "U99", "U00-U99", "other"]
        );
        assert_eq!(
            labels(&icd, 3, &values),
            ["E00-E90", "E00-E90", "E00-E90", "E00-E90", "I00-I99", "U00-U99", "U00-U99", "other"]
        );
        assert_eq!(labels(&icd, 4, &["E11"]), ["*"]);
    }

    #[test]
    fn american_diagnoses_have_their_own_sections() {
        let icd = structure("icd-10-cm").unwrap();
        let values = ["E09.9", "I16.0", "C4A.0", "O9A.111", "M1A.00X0", "S52.501A", "Z3A.20", "V00.131A"];
        let sections = ["E08-E13", "I10-I1A", "C4A", "O94-O9A", "M1A", "S50-S59", "Z3A", "V00-V09"];
        assert_eq!(labels(&icd, 2, &values), sections);
        assert_eq!(labels(&icd, 3, &values)[3..5], ["O00-O9A", "M00-M99"]);
    }

    #[test]
    fn postcodes_that_lost_their_zero_get_it_back() {
        let plz = structure("plz").unwrap();
        assert_eq!(labels(&plz, 1, &["1067", "01067", "81667"]), ["0106*", "0106*", "8166*"]);
        assert_eq!(labels(&plz, 4, &["1067", "81667"]), ["0****", "8****"]);
        let zip = structure("zip").unwrap();
        assert_eq!(labels(&zip, 2, &["02138-1234", "2138", "90210"]), ["021**", "021**", "902**"]);
    }

    #[test]
    fn drugs_and_regions_have_their_own_steps() {
        assert_eq!(labels(&structure("atc").unwrap(), 2, &["A10BA02", "A10B"]), ["A10B", "A10B"]);
        assert_eq!(labels(&structure("nuts").unwrap(), 1, &["DE212", "DE2"]), ["DE21", "DE2"]);
        assert!(structure("icd-11").is_none());
    }

    #[test]
    fn levels_that_take_apart_what_is_together_are_refused() {
        let range = |text: &str| CodeRange::parse(text).unwrap();
        let new = |levels| Codes::new(levels, None, Side::Left).unwrap_err();
        assert_eq!(new(vec![CodeLevel::Keep(2), CodeLevel::Keep(2)]), CodesError::NotShorter { level: 2 });
        let ranges = |texts: &[&str]| CodeLevel::Ranges(texts.iter().map(|text| range(text)).collect());
        assert_eq!(new(vec![ranges(&["A00-B99"]), CodeLevel::Keep(1)]), CodesError::NotShorter { level: 2 });
        assert_eq!(new(vec![ranges(&["A00-A09", "A05-A20"])]), CodesError::Range { level: 1 });
        assert_eq!(new(vec![ranges(&["A00-B99"]), ranges(&["A00-A99"])]), CodesError::NotNested { level: 2 });
        assert_eq!(Codes::new(vec![CodeLevel::Keep(1)], None, Side::Right), Err(CodesError::NoLength));
        assert!(CodeRange::parse("A09-A00").is_none() && CodeRange::parse("A0-A09").is_none());
    }

    proptest! {
        #[test]
        fn every_structure_is_monotone(values in prop::collection::btree_set("[A-Za-z][0-9]{1,3}(\\.[0-9]{1,2})?|[0-9]{3,6}|\\PC{0,4}", 1..30)) {
            for name in super::super::STRUCTURES {
                let hierarchy = Hierarchy::Codes(structure(name).unwrap());
                let cells: Vec<Option<&str>> = values.iter().map(|value| Some(value.as_str())).collect();
                prop_assert!(hierarchy.ladder(&cells).is_ok(), "{name}");
            }
        }
    }
}
