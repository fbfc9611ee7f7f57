//! How many rows the windows of a rank have.

use crate::operator::Buckets;

/// Sizes of windows in their order, as runs of equal ones. Sizes differ by one at most, the larger ones first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Windows {
    /// Size and how often; neighbours differ, nothing is 0.
    runs: Vec<(u64, u64)>,
}

impl Windows {
    /// So many windows; `None` where some would be empty.
    pub(super) fn count(rows: u64, count: u64) -> Option<Windows> {
        let size = rows.checked_div(count).filter(|size| *size > 0)?;
        let larger = rows % count;
        Some(Windows::of_runs([(size + 1, larger), (size, count - larger)]))
    }

    /// As many windows as possible with at least this number of rows.
    pub(super) fn size(rows: u64, size: u64) -> Option<Windows> {
        Windows::count(rows, rows.checked_div(size)?)
    }

    /// The windows of a kind of buckets; `None` where it has none.
    pub(super) fn of(rows: u64, buckets: &Buckets) -> Option<Windows> {
        match buckets {
            Buckets::Count(count) => Windows::count(rows, *count),
            Buckets::Size(size) => Windows::size(rows, *size),
            Buckets::By(_) | Buckets::Classes(_) => None,
        }
    }

    /// One after the other.
    pub(super) fn all(parts: impl Iterator<Item = Option<Windows>>) -> Option<Windows> {
        let parts = parts.collect::<Option<Vec<_>>>()?;
        Some(Windows::of_runs(parts.into_iter().flat_map(|part| part.runs)))
    }

    /// Whether there is a single one.
    pub(super) fn is_single(&self) -> bool {
        matches!(self.runs.as_slice(), [(_, 1)])
    }

    /// How many windows each part of the rows has, where every border between parts is a border between windows.
    pub(super) fn shares(&self, parts: &[u64]) -> Option<Vec<u64>> {
        let mut runs = self.runs.iter().copied();
        let mut run = runs.next()?;
        let mut shares = Vec::with_capacity(parts.len());
        for &part in parts {
            let (mut rows, mut share) = (part, 0);
            while rows > 0 {
                if run.1 == 0 {
                    run = runs.next()?;
                }
                let whole = (rows / run.0).min(run.1);
                if whole == 0 {
                    return None;
                }
                rows -= whole * run.0;
                run.1 -= whole;
                share += whole;
            }
            shares.push(share);
        }
        Some(shares)
    }

    fn of_runs(runs: impl IntoIterator<Item = (u64, u64)>) -> Windows {
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (size, count) in runs.into_iter().filter(|(_, count)| *count > 0) {
            match merged.last_mut() {
                Some(last) if last.0 == size => last.1 += count,
                _ => merged.push((size, count)),
            }
        }
        Windows { runs: merged }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow twin: every window by itself.
    fn sizes(rows: u64, count: u64) -> Vec<u64> {
        (0..count).map(|window| rows / count + u64::from(window < rows % count)).collect()
    }

    fn spelled_out(windows: &Windows) -> Vec<u64> {
        windows.runs.iter().flat_map(|(size, count)| vec![*size; *count as usize]).collect()
    }

    #[test]
    fn the_remainder_is_spread_over_the_first_windows() {
        assert_eq!(Windows::size(8, 3).map(|w| spelled_out(&w)), Some(vec![4, 4]));
        assert_eq!(Windows::count(7, 3).map(|w| spelled_out(&w)), Some(vec![3, 2, 2]));
        assert_eq!(Windows::size(2, 3), None);
        assert_eq!(Windows::count(4, 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn shares_are_the_windows_between_borders(rows in 1u64..60, count in 1u64..12, cut in 1u64..60) {
            prop_assume!(count <= rows && cut < rows);
            let windows = Windows::count(rows, count).unwrap();
            prop_assert_eq!(spelled_out(&windows), sizes(rows, count));
            let mut ends = Vec::new();
            for size in sizes(rows, count) {
                ends.push(ends.last().copied().unwrap_or(0) + size);
            }
            let first = ends.iter().position(|end| *end == cut).map(|at| at as u64 + 1);
            prop_assert_eq!(windows.shares(&[cut, rows - cut]), first.map(|first| vec![first, count - first]));
            if let Some(first) = first {
                // What a part makes of its share by itself is what it had in the whole.
                let parts = [Windows::count(cut, first), Windows::count(rows - cut, count - first)];
                prop_assert_eq!(Windows::all(parts.into_iter()), Some(windows));
            }
        }
    }
}
