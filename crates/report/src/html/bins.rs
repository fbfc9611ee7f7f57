//! Class sizes in few enough bins to be drawn.

/// Most bars of the histogram.
const MOST_BINS: u64 = 14;

/// Classes of similar size.
#[derive(Debug, PartialEq, Eq)]
pub struct Bin {
    /// Smallest size in the bin.
    pub from: u64,
    /// Largest size in the bin.
    pub to: u64,
    /// Classes with such a size.
    pub classes: u64,
    /// Their rows.
    pub rows: u64,
}

/// One bin per size where they are few; otherwise bins that start at the smallest size and grow by a constant factor, so
/// that small classes, which carry the risk, are told apart best.
pub fn bins(sizes: &[(u64, u64)]) -> Vec<Bin> {
    let (Some(&(smallest, _)), Some(&(largest, _))) = (sizes.first(), sizes.last()) else {
        return Vec::new();
    };
    let mut bins = edges(smallest.max(1), largest.max(1));
    for &(size, classes) in sizes {
        if let Some(bin) = bins.iter_mut().find(|bin| size <= bin.to) {
            bin.classes += classes;
            bin.rows += classes.saturating_mul(size);
        }
    }
    bins
}

fn edges(smallest: u64, largest: u64) -> Vec<Bin> {
    if largest - smallest < MOST_BINS {
        return (smallest..=largest).map(|size| bin(size, size)).collect();
    }
    let mut factor = 2;
    loop {
        let bins = growing(smallest, largest, factor);
        if bins.len() as u64 <= MOST_BINS {
            return bins;
        }
        factor *= 2;
    }
}

fn growing(smallest: u64, largest: u64, factor: u64) -> Vec<Bin> {
    let mut bins = Vec::new();
    let mut from = smallest;
    while from <= largest {
        let next = from.saturating_mul(factor);
        // The last bin ends where the sizes end.
        bins.push(bin(from, if next > largest || next == u64::MAX { largest } else { next - 1 }));
        if next == u64::MAX {
            break;
        }
        from = next;
    }
    bins
}

fn bin(from: u64, to: u64) -> Bin {
    Bin { from, to, classes: 0, rows: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sizes_have_a_bin_each() {
        let bins = bins(&[(5, 3), (7, 1)]);
        let found: Vec<_> = bins.iter().map(|bin| (bin.from, bin.to, bin.classes, bin.rows)).collect();
        assert_eq!(found, [(5, 5, 3, 15), (6, 6, 0, 0), (7, 7, 1, 7)]);
    }

    #[test]
    fn wide_ranges_double() {
        let bins = bins(&[(5, 10), (9, 1), (10, 4), (2_000, 1)]);
        assert_eq!((bins[0].from, bins[0].to, bins[0].classes, bins[0].rows), (5, 9, 11, 59));
        assert_eq!((bins[1].from, bins[1].to, bins[1].classes), (10, 19, 4));
        assert_eq!(bins.iter().map(|bin| bin.classes).sum::<u64>(), 16);
    }

    #[test]
    fn any_range_fits() {
        assert!(bins(&[]).is_empty());
        assert_eq!(bins(&[(0, 1)]).len(), 1);
        for largest in [14, 15, 1_000_000, u64::MAX / 2, u64::MAX] {
            let bins = bins(&[(1, 1), (largest, 1)]);
            assert!(bins.len() as u64 <= MOST_BINS, "{largest}: {}", bins.len());
            assert_eq!(bins.iter().map(|bin| bin.classes).sum::<u64>(), 2, "{largest}");
        }
    }
}
