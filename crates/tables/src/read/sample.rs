//! A random sample of a table: rows, or all rows of a person, that are read at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use paravent_core::exact::Fraction;

use super::Batch;
use crate::keyed::Key;

/// Draws are below this.
const DRAWS: u64 = 1 << 60;

/// Which rows of a table are read.
///
/// A row stays with the given probability, by a keyed draw of its number; where the columns of a person are given, by a draw of
/// their cells, so that people stay or go with all their rows. Whoever holds the key can repeat the draw, nobody else.
#[derive(Debug, Clone)]
pub struct Sample {
    key: Key,
    below: u64,
    /// The columns that say whose row it is; none: rows are drawn.
    pub(super) person: Vec<String>,
    /// Rows of the table, known at the end of a pass.
    rows: Arc<AtomicU64>,
}

impl Sample {
    /// A sample of a share of the rows, or of the people whom these columns name.
    pub fn new(key: Key, share: Fraction, person: Vec<String>) -> Sample {
        Sample { key, below: share.floor_of(DRAWS), person, rows: Arc::default() }
    }

    /// Rows of the whole table; 0 before it was read to its end.
    pub fn rows_of_table(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(super) fn ended(&self, rows: u64) {
        self.rows.store(rows, Ordering::Relaxed);
    }

    /// Whether a row of a batch stays; `places` are the columns of the person in it.
    fn keeps(&self, batch: &Batch, row: usize, places: &[usize]) -> bool {
        let number = (batch.first_row + row as u64).to_be_bytes();
        let mac = match places {
            [] => self.key.mac("paravent sample of rows", [Some(&number[..])]),
            places => {
                let cells = places.iter().map(|&place| batch.columns[place].get(row).map(str::as_bytes));
                self.key.mac("paravent sample of people", cells)
            }
        };
        let mut first = [0; 8];
        first.copy_from_slice(&mac[..8]);
        u64::from_be_bytes(first) >> 4 < self.below
    }

    /// By row of a batch: whether it stays.
    pub(super) fn draw(&self, batch: &Batch, places: &[usize]) -> Vec<bool> {
        (0..batch.rows).map(|row| self.keeps(batch, row, places)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Input, ReadOptions};

    fn table(rows: u32) -> String {
        let lines = (0..rows).map(|row| format!("{},{row}\n", row / 3));
        std::iter::once("person,row\n".to_owned()).chain(lines).collect()
    }

    fn read(input: &Input, select: &[usize]) -> Vec<Vec<String>> {
        let mut source = input.open().unwrap();
        source.select(select).unwrap();
        let (mut rows, mut batch) = (Vec::<Vec<String>>::new(), Batch::default());
        while source.next_batch(&mut batch).unwrap() {
            assert_eq!(batch.columns.len(), select.len());
            for row in 0..batch.rows {
                let cells = batch.columns.iter().map(|column| column.get(row).unwrap_or_default().to_owned());
                rows.push(cells.collect());
                // The line is that of the file: a header, and a line for each row.
                let at = select.iter().position(|&column| column == 1);
                if let Some(at) = at {
                    let number: u64 = rows.last().unwrap()[at].parse().unwrap();
                    assert_eq!(batch.line(row), Some(number + 2));
                }
            }
        }
        rows
    }

    fn input(seed: u64, share: &str, person: &[&str]) -> (Input, Sample) {
        let person = person.iter().map(|&name| name.to_owned()).collect();
        let sample = Sample::new(Key::from_seed(seed), Fraction::parse(share).unwrap(), person);
        let input = Input::from_bytes(table(30_000), ReadOptions::new("t.csv"));
        (input.sampled(sample.clone()), sample)
    }

    #[test]
    fn a_share_of_the_rows_is_read_and_the_same_ones_again() {
        let (input, sample) = input(1, "0.25", &[]);
        assert_eq!(sample.rows_of_table(), 0);
        let rows = read(&input, &[1]);
        assert!((7_000..8_000).contains(&rows.len()), "{}", rows.len());
        assert_eq!(sample.rows_of_table(), 30_000);
        assert_eq!(read(&input, &[1]), rows);
        // Whatever is selected, the same rows are meant.
        assert_eq!(read(&input, &[1, 0]).len(), rows.len());
        assert_ne!(read(&self::input(2, "0.25", &[]).0, &[1]), rows);
    }

    #[test]
    fn people_stay_or_go_with_all_their_rows() {
        let (input, _) = input(1, "0.5", &["person"]);
        let rows = read(&input, &[1]);
        assert!((14_000..16_000).contains(&rows.len()), "{}", rows.len());
        let numbers: Vec<u32> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
        assert!(
            numbers.chunks(3).all(|rows| rows.len() == 3 && rows[0] / 3 == rows[2] / 3 && rows[0] % 3 == 0)
        );
        assert_eq!(read(&input, &[0]).len(), rows.len());
    }
}
