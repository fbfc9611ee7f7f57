//! Rows with equal quasi-identifiers form an equivalence class.

use foldhash::{HashMap, HashMapExt};

use crate::data::Column;

/// A partition of the rows.
pub(crate) struct Classes {
    /// Class of each stretch of equal rows.
    pub(crate) of: Vec<u32>,
    /// Rows of each class.
    pub(crate) sizes: Vec<u64>,
    /// First row (from 0) of each class, in file order: the way to name a class without showing it.
    pub(crate) first_rows: Vec<usize>,
    /// First stretch of each class.
    pub(crate) first: Vec<u32>,
}

/// A class with the frequencies of one more column inside it.
pub(crate) struct Group<'a> {
    /// First row of the class, from 0.
    pub(crate) first_row: usize,
    pub(crate) size: u64,
    /// Code and number of rows of every value that the class shows; no number is 0.
    pub(crate) counts: &'a [(u32, u64)],
    /// How many people can stand for different values, one each; where a row is a person, every value has one.
    pub(crate) represented: u64,
}

/// Tables up to this many entries are indexed directly instead of hashed.
const DENSE: usize = 1 << 22;

impl Classes {
    /// The classes by the given columns; without columns all rows are alike.
    /// `repeats` has the rows of each stretch.
    pub(crate) fn by(columns: &[&Column], repeats: &[u32]) -> Classes {
        let rows: u64 = repeats.iter().map(|&rows| u64::from(rows)).sum();
        let one = Classes {
            of: vec![0; repeats.len()],
            sizes: if rows == 0 { vec![] } else { vec![rows] },
            first_rows: if rows == 0 { vec![] } else { vec![0] },
            first: if rows == 0 { vec![] } else { vec![0] },
        };
        columns.iter().fold(one, |classes, column| classes.refined_by(column))
    }

    /// The classes when one more column tells rows apart.
    pub(crate) fn refined_by(&self, column: &Column) -> Classes {
        let codes = column.codes_in_use();
        match self.sizes.len().checked_mul(codes) {
            Some(cells) if cells <= DENSE => {
                let mut ids = vec![0u32; cells];
                self.split(column, |class, code, fresh| {
                    let id = &mut ids[class as usize * codes + code as usize];
                    if *id == 0 {
                        *id = fresh + 1;
                    }
                    *id - 1
                })
            }
            _ => {
                let mut ids = HashMap::with_capacity(self.sizes.len());
                self.split(column, |class, code, fresh| *ids.entry((class, code)).or_insert(fresh))
            }
        }
    }

    /// `id_of(class, code, fresh)` gives the known id of a pair, or takes the fresh one.
    fn split(&self, column: &Column, mut id_of: impl FnMut(u32, u32, u32) -> u32) -> Classes {
        let of = Vec::with_capacity(self.of.len());
        let mut refined = Classes { of, sizes: vec![], first_rows: vec![], first: vec![] };
        let mut row = 0;
        column.codes.each(|at, code| {
            let (class, rows) = (self.of[at], column.repeats[at]);
            let fresh = refined.sizes.len() as u32;
            let id = id_of(class, code, fresh);
            if id == fresh {
                refined.sizes.push(0);
                refined.first_rows.push(row);
                refined.first.push(at as u32);
            }
            refined.sizes[id as usize] += u64::from(rows);
            refined.of.push(id);
            row += rows as usize;
        });
        refined
    }

    /// Calls `visit` with every class and the frequencies of `column` inside it.
    pub(crate) fn each_group(&self, column: &Column, mut visit: impl FnMut(&Group<'_>)) {
        let cells = self.refined_by(column);
        // Sort the cells by class: count, add up, put in place.
        let mut ends = vec![0usize; self.sizes.len() + 1];
        let class_of = |cell: usize| self.of[cells.first[cell] as usize] as usize;
        (0..cells.sizes.len()).for_each(|cell| ends[class_of(cell) + 1] += 1);
        (1..ends.len()).for_each(|class| ends[class] += ends[class - 1]);
        let mut sorted = vec![(0, 0); cells.sizes.len()];
        for (cell, &rows) in cells.sizes.iter().enumerate() {
            let end = &mut ends[class_of(cell)];
            sorted[*end] = (column.codes.at(cells.first[cell] as usize), rows);
            *end += 1;
        }
        let mut start = 0;
        for (class, (&first_row, &size)) in self.first_rows.iter().zip(&self.sizes).enumerate() {
            let counts = &sorted[start..ends[class]];
            visit(&Group { first_row, size, counts, represented: counts.len() as u64 });
            start = ends[class];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tuples_share_a_class() {
        let age = Column::of("age", &[Some("1"), Some("2"), Some("1"), Some("1")]);
        let sex = Column::of("sex", &[Some("m"), Some("m"), None, Some("m")]);
        let classes = Classes::by(&[&age, &sex], &[1; 4]);
        assert_eq!(classes.of, [0, 1, 2, 0]);
        assert_eq!(classes.sizes, [2, 1, 1]);
        assert_eq!(classes.first_rows, [0, 1, 2]);
        assert_eq!(Classes::by(&[], &[1; 4]).sizes, [4]);
        assert_eq!(Classes::by(&[], &[]).sizes.len(), 0);
    }

    #[test]
    fn hashing_and_indexing_find_the_same_classes() {
        let texts: Vec<String> = (0..5000u64).map(|i| (i * i % 4093).to_string()).collect();
        let cells: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        let wide = Column::of("wide", &cells);
        let narrow =
            Column::of("narrow", &cells.iter().map(|cell| cell.map(|text| &text[..1])).collect::<Vec<_>>());
        // wide × wide is too large for a direct index, narrow × wide is not.
        let hashed = Classes::by(&[&wide, &wide], &[1; 5000]);
        let indexed = Classes::by(&[&narrow, &wide], &[1; 5000]);
        assert_eq!(hashed.of, indexed.of);
        assert_eq!(hashed.sizes, Classes::by(&[&wide], &[1; 5000]).sizes);
    }

    #[test]
    fn frequencies_add_up_to_the_class() {
        let age = Column::of("age", &[Some("1"), Some("2"), Some("1"), Some("1")]);
        let flu = Column::of("flu", &[Some("y"), Some("y"), None, Some("y")]);
        let mut seen = Vec::new();
        Classes::by(&[&age], &[1; 4])
            .each_group(&flu, |group| seen.push((group.first_row, group.size, group.counts.to_vec())));
        assert_eq!(seen, [(0, 3, vec![(1, 2), (0, 1)]), (1, 1, vec![(1, 1)])]);
    }
}
