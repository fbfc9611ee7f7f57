//! Neighbouring buckets taken together until each shows enough.

use super::{Layout, MinimumSize};

/// A sensitive column, and the code of its missing cells, which are no secrets.
pub type Secrets<'a> = (&'a [u32], Option<u32>);

impl Layout {
    /// Takes neighbouring buckets together until each has the minimum of rows and at least `l` different values of every sensitive column. What is left over at the
    /// end joins the last bucket; so a table without `l` values becomes one bucket that does not have them either.
    pub fn merged(&self, minimum: MinimumSize, l: u32, sensitive: &[Secrets<'_>]) -> Layout {
        let mut kept = vec![0];
        let mut seen: Vec<Vec<u32>> = vec![Vec::new(); sensitive.len()];
        let mut start = 0;
        for number in 0..self.buckets() {
            for &row in self.bucket(number) {
                for ((codes, missing), seen) in sensitive.iter().zip(&mut seen) {
                    let code = codes[row as usize];
                    if seen.len() < l as usize && Some(code) != *missing && !seen.contains(&code) {
                        seen.push(code);
                    }
                }
            }
            let end = self.offsets[number + 1];
            if end - start >= minimum.get() && seen.iter().all(|seen| seen.len() >= l as usize) {
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
    use crate::{Layout, MinimumSize, Windows};

    #[test]
    fn neighbours_are_merged_until_every_bucket_is_diverse() {
        let codes = [1, 1, 1, 2, 3, 3, 3, 3, 4, 4];
        let layout = Layout::by_rank(10, Windows::Size(2), MinimumSize::TWO).unwrap();
        let sizes = |l: u32, missing: Option<u32>| -> Vec<usize> {
            let merged = layout.merged(MinimumSize::TWO, l, &[(&codes, missing)]);
            merged.iter().map(<[u32]>::len).collect()
        };
        assert_eq!(sizes(1, None), [2, 2, 2, 2, 2]);
        assert_eq!(sizes(2, None), [4, 6]);
        assert_eq!(sizes(3, None), [10]);
        assert_eq!(sizes(2, Some(2)), [6, 4]);
        assert_eq!(sizes(9, None), [10]);
    }
}
