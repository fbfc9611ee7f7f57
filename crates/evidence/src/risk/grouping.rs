//! Rows told apart by one more column.

/// Groups of rows: a number per row and how many numbers there are. Numbers follow the order of the codes, so they do not
/// depend on the order of the rows.
pub(super) struct Groups {
    pub(super) of_row: Vec<u32>,
    pub(super) count: usize,
}

impl Groups {
    /// All rows in one group.
    pub(super) fn one(rows: usize) -> Groups {
        Groups { of_row: vec![0; rows], count: usize::from(rows > 0) }
    }

    /// The same groups, told apart by a column with codes below `cardinality`.
    pub(super) fn refined(&self, codes: &[u32], cardinality: usize) -> Groups {
        let mut of_row = vec![0; codes.len()];
        if is_dense(self.count, cardinality, codes.len()) {
            let mut number = vec![u32::MAX; self.count * cardinality];
            for (&group, &code) in self.of_row.iter().zip(codes) {
                number[group as usize * cardinality + code as usize] = 0;
            }
            let mut count = 0;
            for place in number.iter_mut().filter(|place| **place == 0) {
                *place = count;
                count += 1;
            }
            for ((row, &group), &code) in of_row.iter_mut().zip(&self.of_row).zip(codes) {
                *row = number[group as usize * cardinality + code as usize];
            }
            return Groups { of_row, count: count as usize };
        }
        let keys = self.sorted_keys(codes, cardinality);
        let mut count = 0;
        for (place, &(key, row)) in keys.iter().enumerate() {
            count += u32::from(place > 0 && keys[place - 1].0 != key);
            of_row[row as usize] = count;
        }
        Groups { of_row, count: count as usize + usize::from(!keys.is_empty()) }
    }

    /// Calls `visit` with the total weight of every refined group and, for groups of weight one, with their row.
    pub(super) fn visit_refined(
        &self,
        codes: &[u32],
        cardinality: usize,
        weights: &[u32],
        mut visit: impl FnMut(u32),
        mut alone: impl FnMut(usize),
    ) {
        if is_dense(self.count, cardinality, codes.len()) {
            let mut sizes = vec![0u32; self.count * cardinality];
            for ((&group, &code), &weight) in self.of_row.iter().zip(codes).zip(weights) {
                sizes[group as usize * cardinality + code as usize] += weight;
            }
            sizes.iter().filter(|&&size| size > 0).for_each(|&size| visit(size));
            for (row, (&group, &code)) in self.of_row.iter().zip(codes).enumerate() {
                // A row of weight one may share its group with rows of no weight, but not with others.
                if sizes[group as usize * cardinality + code as usize] == 1 && weights[row] == 1 {
                    alone(row);
                }
            }
            return;
        }
        let keys = self.sorted_keys(codes, cardinality);
        for run in keys.chunk_by(|a, b| a.0 == b.0) {
            let size: u32 = run.iter().map(|&(_, row)| weights[row as usize]).sum();
            if size > 0 {
                visit(size);
            }
            if size == 1 {
                run.iter()
                    .filter(|&&(_, row)| weights[row as usize] == 1)
                    .for_each(|&(_, row)| alone(row as usize));
            }
        }
    }

    fn sorted_keys(&self, codes: &[u32], cardinality: usize) -> Vec<(u64, u32)> {
        let key = |(row, (&group, &code)): (usize, (&u32, &u32))| {
            (u64::from(group) * cardinality as u64 + u64::from(code), row as u32)
        };
        let mut keys: Vec<(u64, u32)> = self.of_row.iter().zip(codes).enumerate().map(key).collect();
        keys.sort_unstable();
        keys
    }
}

/// Whether counting in an array costs less than sorting.
fn is_dense(groups: usize, cardinality: usize, rows: usize) -> bool {
    groups.saturating_mul(cardinality) <= rows.saturating_mul(8).max(1 << 12)
}
