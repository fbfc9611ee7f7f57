//! Rows that differ in some columns of codes.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The different rows, one after the other in one piece of memory, and the number of every row among them.
pub(super) struct Distinct {
    width: usize,
    codes: Vec<u32>,
    rows: Vec<u32>,
    of_row: Vec<u32>,
}

/// The different rows of these columns, numbered as they are met.
pub(super) fn distinct(columns: &[&[u32]], rows: usize) -> Distinct {
    let width = columns.len();
    let mut of_row = vec![0u32; rows];
    // Column by column: the number so far and the next code give the next number.
    for codes in columns {
        let mut step: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
        for (number, &code) in of_row.iter_mut().zip(*codes) {
            let next = step.len() as u32;
            *number = *step.entry((*number, code)).or_insert(next);
        }
    }
    let mut distinct = Distinct { width, codes: Vec::new(), rows: Vec::new(), of_row };
    for (row, &number) in distinct.of_row.iter().enumerate() {
        if number as usize == distinct.rows.len() {
            distinct.rows.push(0);
            distinct.codes.extend(columns.iter().map(|codes| codes[row]));
        }
        distinct.rows[number as usize] += 1;
    }
    distinct
}

impl Distinct {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The codes of one of them.
    pub(super) fn codes(&self, number: usize) -> &[u32] {
        &self.codes[number * self.width..][..self.width]
    }

    /// How often each of them occurs.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of every row among them.
    pub(super) fn of_row(&self) -> &[u32] {
        &self.of_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_have_the_number_of_their_codes(rows in vec(vec(0u32..3, 3), 0..30), width in 0usize..4) {
            let columns: Vec<Vec<u32>> =
                (0..width).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
            let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
            let found = distinct(&columns, rows.len());
            let mut slow: Vec<&[u32]> = Vec::new();
            for (row, &number) in rows.iter().zip(found.of_row()) {
                if !slow.contains(&&row[..width]) {
                    slow.push(&row[..width]);
                }
                prop_assert_eq!(slow[number as usize], &row[..width]);
            }
            prop_assert_eq!(found.len(), slow.len());
            for (number, codes) in slow.into_iter().enumerate() {
                prop_assert_eq!(found.codes(number), codes);
                let times = rows.iter().filter(|row| &row[..width] == codes).count();
                prop_assert_eq!(found.rows()[number] as usize, times);
            }
        }
    }
}
