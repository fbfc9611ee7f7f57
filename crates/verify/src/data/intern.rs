//! One dictionary per column: each distinct text is stored once and every cell becomes a small number.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::codes::Codes;
use crate::VerifyError;

/// Code of a missing value.
pub(crate) const MISSING: u32 = 0;

/// A finished column. Code 0 is the missing value, code c the c-th distinct text.
pub(crate) struct Column {
    pub(crate) name: String,
    values: Vec<Box<str>>,
    /// One per stretch of equal rows.
    pub(crate) codes: Codes,
    /// Rows of each stretch; the same for all columns.
    pub(crate) repeats: Arc<[u32]>,
    /// Cells that a spreadsheet would take for a formula: number and first row; counted for CSV only.
    pub(crate) formulas: Option<Place>,
    /// Pieces of text in the file that belong to no row.
    pub(crate) residue: u64,
    /// Whether a columnar file holds the cells as text.
    pub(crate) is_text: bool,
    /// Whether nobody has looked at its cells: a column of a table that no promise is about.
    pub(crate) unseen: bool,
}

/// How many cells, and the first of them (row from 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) cells: u64,
    pub(crate) first_row: usize,
}

impl Column {
    /// The text behind a code; `None` is a missing value.
    pub(crate) fn text(&self, code: u32) -> Option<&str> {
        self.values.get((code as usize).checked_sub(1)?).map(|text| &**text)
    }

    /// Number of codes, the missing value included whether or not it occurs.
    pub(crate) fn codes_in_use(&self) -> usize {
        self.values.len() + 1
    }

    /// Where the cells are that satisfy the test; the test runs once per distinct value.
    pub(crate) fn places(&self, test: impl Fn(Option<&str>) -> bool) -> Option<Place> {
        let wanted: Vec<bool> = (0..self.codes_in_use()).map(|code| test(self.text(code as u32))).collect();
        places(&self.codes, &self.repeats, &wanted)
    }

    /// Keeps the first stretches, as many as `repeats` has. Texts that no row shows any more are forgotten.
    pub(super) fn cut(&mut self, repeats: &Arc<[u32]>) {
        self.codes.truncate(repeats.len());
        self.repeats = Arc::clone(repeats);
        let mut used = vec![false; self.codes_in_use()];
        self.codes.each(|_, code| used[code as usize] = true);
        let mut translation = vec![MISSING; used.len()];
        let mut kept: Vec<Box<str>> = Vec::new();
        for (at, text) in std::mem::take(&mut self.values).into_iter().enumerate() {
            if used[at + 1] {
                kept.push(text);
                translation[at + 1] = kept.len() as u32;
            }
        }
        self.values = kept;
        self.codes = std::mem::take(&mut self.codes).translated(&translation);
    }

    /// How many rows stand before a stretch.
    pub(crate) fn rows_before(&self, stretch: usize) -> usize {
        self.repeats[..stretch].iter().map(|&rows| rows as usize).sum()
    }

    #[cfg(test)]
    pub(crate) fn of(name: &str, cells: &[Option<&str>]) -> Column {
        let mut interner = Interner::default();
        for cell in cells {
            match cell {
                Some(text) => interner.push(text.as_bytes()),
                None => interner.push_missing(),
            }
        }
        interner.finish(name.to_owned(), "data", 1, &vec![1; cells.len()].into()).unwrap()
    }
}

/// A column under construction.
#[derive(Default)]
pub(super) struct Interner {
    hasher: RandomState,
    table: HashTable<u32>,
    /// The distinct texts one after the other; text c ends at `ends[c - 1]`.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    codes: Codes,
}

impl Interner {
    pub(super) fn push_missing(&mut self) {
        self.codes.push(MISSING);
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        // Released rows are often sorted, so the cell above is a good guess.
        let code = match self.codes.last() {
            Some(last) if last != MISSING && self.bytes_of(last) == text => last,
            _ => self.code_of(text),
        };
        self.codes.push(code);
    }

    /// Repeats a code that [`Interner::code_of`] gave out.
    pub(super) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The code of a text, a new one if need be.
    pub(super) fn code_of(&mut self, text: &[u8]) -> u32 {
        let hash = self.hasher.hash_one(text);
        let (bytes, ends) = (&self.bytes, &self.ends);
        if let Some(&code) = self.table.find(hash, |&code| slice(bytes, ends, code) == text) {
            return code;
        }
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        let code = self.ends.len() as u32;
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.table.insert_unique(hash, code, |&code| hasher.hash_one(slice(bytes, ends, code)));
        code
    }

    /// The codes of this column's cells in another one.
    pub(super) fn translate_into(&self, other: &mut Interner) -> Vec<u32> {
        let mut translate =
            |code: u32| if code == MISSING { MISSING } else { other.code_of(self.bytes_of(code)) };
        let mut codes = Vec::with_capacity(self.codes.len());
        self.codes.each(|_, code| codes.push(translate(code)));
        codes
    }

    fn bytes_of(&self, code: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, code)
    }

    /// Where the cells are whose text satisfies the test.
    pub(super) fn places(&self, repeats: &[u32], test: impl Fn(&[u8]) -> bool) -> Option<Place> {
        let wanted: Vec<bool> =
            (0..=self.ends.len() as u32).map(|code| code != MISSING && test(self.bytes_of(code))).collect();
        places(&self.codes, repeats, &wanted)
    }

    /// Which codes some row shows.
    fn shown(&self) -> Vec<bool> {
        let mut shown = vec![false; self.ends.len() + 1];
        self.codes.each(|_, code| shown[code as usize] = true);
        shown
    }

    /// The column as it stands; texts that no row shows are counted as residue.
    pub(super) fn finish(
        self,
        name: String,
        file: &str,
        position: usize,
        repeats: &Arc<[u32]>,
    ) -> Result<Column, VerifyError> {
        self.finish_with(name, file, position, repeats, |text| Some(Cow::Borrowed(text)))
    }

    /// The column with every distinct text translated by `meaning`: `None` makes it a missing value.
    pub(super) fn finish_with(
        self,
        name: String,
        file: &str,
        position: usize,
        repeats: &Arc<[u32]>,
        meaning: impl Fn(&str) -> Option<Cow<'_, str>>,
    ) -> Result<Column, VerifyError> {
        let shown = self.shown();
        let mut target = Interner::default();
        let mut translation = vec![MISSING; self.ends.len() + 1];
        let mut residue = 0;
        for code in 1..=self.ends.len() as u32 {
            if !shown[code as usize] {
                residue += 1;
                continue;
            }
            let Ok(text) = std::str::from_utf8(self.bytes_of(code)) else {
                let stretch = (0..self.codes.len()).find(|&at| self.codes.at(at) == code).unwrap_or(0);
                let row = repeats[..stretch].iter().map(|&rows| u64::from(rows)).sum::<u64>() + 1;
                return Err(VerifyError::NotUtf8 { file: file.to_owned(), row, column: position });
            };
            if let Some(text) = meaning(text) {
                translation[code as usize] = target.code_of(text.as_bytes());
            }
        }
        let codes = self.codes.translated(&translation);
        let values = (1..=target.ends.len() as u32)
            .map(|code| String::from_utf8_lossy(target.bytes_of(code)).into_owned().into_boxed_str())
            .collect();
        Ok(Column {
            name,
            values,
            codes,
            repeats: Arc::clone(repeats),
            formulas: None,
            residue,
            is_text: false,
            unseen: false,
        })
    }
}

fn places(codes: &Codes, repeats: &[u32], wanted: &[bool]) -> Option<Place> {
    let mut found: Option<Place> = None;
    let mut row = 0;
    codes.each(|stretch, code| {
        let rows = repeats[stretch];
        if wanted[code as usize] {
            found.get_or_insert(Place { cells: 0, first_row: row }).cells += u64::from(rows);
        }
        row += rows as usize;
    });
    found
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], code: u32) -> &'a [u8] {
    let index = code as usize - 1;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &bytes[start..ends[index]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_share_a_code_and_missing_is_zero() {
        let column = Column::of("age", &[Some("a"), None, Some("b"), Some("a"), Some("")]);
        assert_eq!((0..5).map(|row| column.codes.at(row)).collect::<Vec<_>>(), [1, 0, 2, 1, 3]);
        assert_eq!(column.text(2), Some("b"));
        assert_eq!(column.text(3), Some(""));
        assert_eq!(column.text(0), None);
        assert_eq!(column.places(|text| text == Some("a")), Some(Place { cells: 2, first_row: 0 }));
        assert_eq!(column.places(|text| text == Some("z")), None);
    }

    #[test]
    fn many_distinct_cells_survive_the_growth_of_the_table() {
        let texts: Vec<String> = (0..10_000).map(|i| i.to_string()).collect();
        let cells: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        let column = Column::of("n", &cells);
        assert!((0..10_000).all(|row| column.text(column.codes.at(row)) == Some(texts[row].as_str())));
    }

    #[test]
    fn a_cell_that_is_not_utf8_is_named_by_place() {
        let mut interner = Interner::default();
        interner.push(b"fine");
        interner.push(b"\xff");
        let error = interner.finish("age".to_owned(), "data.csv", 3, &[1, 1].into()).err().unwrap();
        assert_eq!(error.to_string(), "data.csv, row 2, column 3: not UTF-8");
    }
}
