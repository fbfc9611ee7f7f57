//! A bounded sample of the rows, as codes.

/// Code of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// Rows chosen by a hash of their number: whatever the order of the table, each row has the same chance, and the
/// same table gives the same sample.
#[derive(Debug)]
pub(super) struct Sample {
    limit: usize,
    /// Rows whose hash ends in this number of zero bits are in the sample.
    zeros: u32,
    rows: Vec<u64>,
    /// A code per row, for each column.
    columns: Vec<Vec<u32>>,
}

impl Sample {
    /// Room for at most `limit` rows.
    pub(super) fn new(columns: usize, limit: usize) -> Self {
        Self { limit, zeros: 0, rows: Vec::new(), columns: vec![Vec::new(); columns] }
    }

    /// Is the row (counted from 1) in?
    pub(super) fn takes(&self, row: u64) -> bool {
        mixed(row).trailing_zeros() >= self.zeros
    }

    /// The codes of a row that [`takes`](Self::takes) let in.
    pub(super) fn push(&mut self, column: usize, code: u32) {
        self.columns[column].push(code);
    }

    /// Ends a row, all columns of which were pushed.
    pub(super) fn end_row(&mut self, row: u64) {
        self.rows.push(row);
    }

    /// Drops rows until the limit holds. Called between batches.
    pub(super) fn thin_out(&mut self) {
        while self.rows.len() > self.limit && self.zeros < 60 {
            self.zeros += 1;
            let zeros = self.zeros;
            let kept: Vec<bool> = self.rows.iter().map(|row| mixed(*row).trailing_zeros() >= zeros).collect();
            retain(&mut self.rows, &kept);
            self.columns.iter_mut().for_each(|codes| retain(codes, &kept));
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The codes of a column.
    pub(super) fn codes(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }
}

fn retain<T>(entries: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    entries.retain(|_| kept.next().is_some_and(|kept| *kept));
}

/// The finalizer of SplitMix64: neighbours get unrelated bits. Steele et al., OOPSLA 2014.
fn mixed(row: u64) -> u64 {
    let mut bits = row.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(rows: u64, limit: usize) -> Sample {
        let mut sample = Sample::new(1, limit);
        for row in 1..=rows {
            if sample.takes(row) {
                sample.push(0, row as u32);
                sample.end_row(row);
            }
            if row % 50 == 0 {
                sample.thin_out();
            }
        }
        sample.thin_out();
        sample
    }

    #[test]
    fn small_tables_are_taken_whole() {
        assert_eq!(sampled(100, 100).codes(0), (1..=100).collect::<Vec<u32>>());
    }

    #[test]
    fn large_tables_are_thinned_out_evenly() {
        let sample = sampled(100_000, 1000);
        assert!((250..=1000).contains(&sample.len()), "{}", sample.len());
        let first_half = sample.codes(0).iter().filter(|row| **row <= 50_000).count();
        assert!((sample.len() * 2 / 5..=sample.len() * 3 / 5).contains(&first_half));
        assert_eq!(sample.rows.len(), sample.codes(0).len());
    }
}
