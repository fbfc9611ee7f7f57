//! Neighbouring buckets taken together until each shows enough.

use super::{Layout, MinimumSize};

/// A column of which every bucket must show some different values.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The column.
    pub codes: &'a [u32],
    /// The code of its missing cells, which do not count.
    pub missing: Option<u32>,
    /// How many different values.
    pub least: u32,
}

impl Layout {
    /// Takes neighbouring buckets together until each has the minimum of rows and enough different values of every column. What is left over at the
    /// end joins the last bucket; so a table without enough values becomes one bucket that does not have them either.
    pub fn merged(&self, minimum: MinimumSize, columns: &[Shown<'_>]) -> Layout {
        let mut kept = vec![0];
        let mut seen: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        let mut start = 0;
        let enough = |seen: &[Vec<u32>]| {
            seen.iter().zip(columns).all(|(seen, column)| seen.len() >= column.least as usize)
        };
        for number in 0..self.buckets() {
            for &row in self.bucket(number) {
                for (column, seen) in columns.iter().zip(&mut seen) {
                    let code = column.codes[row as usize];
                    let counts = seen.len() < column.least as usize && Some(code) != column.missing;
                    if counts && !seen.contains(&code) {
                        seen.push(code);
                    }
                }
            }
            let end = self.offsets[number + 1];
            if end - start >= minimum.get() && enough(&seen) {
                kept.push(end);
                start = end;
                seen.iter_mut().for_each(Vec::clear);
            }
        }
        let rows = self.rows() as u32;
        match kept.last_mut() {
            Some(last) if *last > 0 => *last = rows,
            _ if rows > 0 => kept.push(rows),
            _ => {}
        }
        Layout { rows: self.rows.clone(), offsets: kept }
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;
    use crate::{Layout, MinimumSize, Windows};

    #[test]
    fn neighbours_are_merged_until_every_bucket_is_diverse() {
        let codes = [1, 1, 1, 2, 3, 3, 3, 3, 4, 4];
        let layout = Layout::by_rank(10, Windows::Size(2), MinimumSize::TWO).unwrap();
        let sizes = |least: u32, missing: Option<u32>| -> Vec<usize> {
            let merged = layout.merged(MinimumSize::TWO, &[Shown { codes: &codes, missing, least }]);
            merged.iter().map(<[u32]>::len).collect()
        };
        assert_eq!(sizes(1, None), [2, 2, 2, 2, 2]);
        assert_eq!(sizes(2, None), [4, 6]);
        assert_eq!(sizes(3, None), [10]);
        assert_eq!(sizes(2, Some(2)), [6, 4]);
        assert_eq!(sizes(9, None), [10]);
    }
}
