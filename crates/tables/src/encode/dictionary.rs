//! The distinct cells of one column.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::borrow::Cow;
use std::fmt;
use std::hash::BuildHasher;

/// Code ↔ cell of one column, a code per distinct cell in order of first appearance. The missing value is a cell like any other.
#[derive(Clone, Default)]
pub struct Dictionary {
    text: String,
    ends: Vec<usize>,
    missing: Option<u32>,
    codes: HashTable<u32>,
    /// Other spellings of a cell, as they were met.
    spellings: HashMap<String, u32>,
}

impl Dictionary {
    /// The code of a cell, a new one if it was not seen before.
    pub fn intern(&mut self, cell: Option<&str>) -> u32 {
        let Some(cell) = cell else {
            return match self.missing {
                Some(code) => code,
                None => {
                    let code = self.append("");
                    self.missing = Some(code);
                    code
                }
            };
        };
        let hash = hash(cell);
        if let Some(&code) = self.codes.find(hash, |&code| self.text_of(code) == cell) {
            return code;
        }
        let code = self.append(cell);
        let (text, ends) = (&self.text, &self.ends);
        self.codes.insert_unique(hash, code, |&code| self::hash(slice(text, ends, code)));
        code
    }

    /// The code of a cell whose value may be spelled in several ways; `canonical` is asked once per spelling.
    pub fn intern_value(&mut self, cell: Option<&str>, canonical: impl Fn(&str) -> Cow<'_, str>) -> u32 {
        let Some(text) = cell else { return self.intern(None) };
        if let Some(code) = self.code(cell).or_else(|| self.spellings.get(text).copied()) {
            return code;
        }
        let spelled = canonical(text);
        let code = self.intern(Some(&spelled));
        if spelled != text {
            self.spellings.insert(text.to_owned(), code);
        }
        code
    }

    /// The code of a cell that was seen before. The missing value never shares a code with a text.
    pub fn code(&self, cell: Option<&str>) -> Option<u32> {
        match cell {
            None => self.missing,
            Some(cell) => self.codes.find(hash(cell), |&code| self.text_of(code) == cell).copied(),
        }
    }

    /// The cell of a code.
    pub fn cell(&self, code: u32) -> Option<&str> {
        (self.missing != Some(code)).then(|| self.text_of(code))
    }

    /// All cells by code.
    pub fn cells(&self) -> Vec<Option<&str>> {
        (0..self.len() as u32).map(|code| self.cell(code)).collect()
    }

    /// Number of distinct cells, the missing value included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no cell was seen.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The same cells with codes in the order of their text, the missing value first; and the new code of each old one.
    /// After this, codes do not depend on the order of the rows.
    pub fn sorted(&self) -> (Dictionary, Vec<u32>) {
        let mut by_text: Vec<u32> = (0..self.len() as u32).collect();
        by_text.sort_unstable_by(|&a, &b| self.cell(a).cmp(&self.cell(b)));
        let mut sorted = Dictionary::default();
        let mut new_code = vec![0; self.len()];
        for old in by_text {
            new_code[old as usize] = sorted.intern(self.cell(old));
        }
        (sorted, new_code)
    }

    fn append(&mut self, cell: &str) -> u32 {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
        u32::try_from(self.ends.len() - 1).unwrap_or(u32::MAX)
    }

    fn text_of(&self, code: u32) -> &str {
        slice(&self.text, &self.ends, code)
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], code: u32) -> &'a str {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &text[start..ends[code]]
}

fn hash(cell: &str) -> u64 {
    FixedState::default().hash_one(cell)
}

/// Cells stay out of logs.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} cells)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_value_is_not_the_empty_text() {
        let mut dictionary = Dictionary::default();
        let codes =
            [Some("b"), None, Some(""), Some("a"), None, Some("b")].map(|cell| dictionary.intern(cell));
        assert_eq!(codes, [0, 1, 2, 3, 1, 0]);
        assert_eq!(dictionary.cells(), [Some("b"), None, Some(""), Some("a")]);
        assert_eq!(
            (dictionary.code(None), dictionary.code(Some("")), dictionary.code(Some("x"))),
            (Some(1), Some(2), None)
        );
    }

    #[test]
    fn sorted_codes_follow_the_text() {
        let mut dictionary = Dictionary::default();
        for cell in [Some("b"), Some("a"), None] {
            dictionary.intern(cell);
        }
        let (sorted, new_code) = dictionary.sorted();
        assert_eq!(sorted.cells(), [None, Some("a"), Some("b")]);
        assert_eq!(new_code, [2, 1, 0]);
    }

    #[test]
    fn cells_do_not_reach_a_log() {
        let mut dictionary = Dictionary::default();
        dictionary.intern(Some("secret"));
        assert!(!format!("{dictionary:?}").contains("secret"));
    }
}
