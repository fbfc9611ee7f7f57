//! Two answers are subtracted.
//!
//! Each answer may be about many people; the difference of two is about those in one of the row sets only. Figure: the fewest
//! rows by which two queries differ, held against k. Denning, Denning and Schwartz, "The tracker: a threat to statistical database
//! security", TODS 4(1), 1979.

use super::outcome::counted;
use super::{Attack, Bound, Figure, Finding, Outcome, Severity, Unit};

/// Two queries whose row sets differ by few rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosePair {
    /// Number of the first query in the log, from 0.
    pub first: usize,
    /// Number of the second.
    pub second: usize,
    /// Rows in exactly one of the two.
    pub rows: u64,
}

/// All pairs of row sets that differ in 1 to k − 1 rows. Rows are numbers; sets need not be sorted.
///
/// Sets become bit strings; those whose sizes differ by k or more are passed over.
#[must_use]
pub fn close_pairs(queries: &[Vec<u32>], k: u64) -> Vec<ClosePair> {
    // Numbered anew, so that the bit strings are no longer than the rows that occur.
    let mut known: Vec<u32> = queries.iter().flatten().copied().collect();
    known.sort_unstable();
    known.dedup();
    let words = known.len().div_ceil(64);
    let bits: Vec<Vec<u64>> = queries
        .iter()
        .map(|rows| {
            let mut bits = vec![0u64; words];
            let places = rows.iter().filter_map(|row| known.binary_search(row).ok());
            places.for_each(|place| bits[place / 64] |= 1 << (place % 64));
            bits
        })
        .collect();
    let sizes: Vec<u64> =
        bits.iter().map(|bits| bits.iter().map(|word| u64::from(word.count_ones())).sum()).collect();
    let mut order: Vec<usize> = (0..queries.len()).collect();
    order.sort_by_key(|&query| (sizes[query], query));
    let mut found = Vec::new();
    for (place, &a) in order.iter().enumerate() {
        for &b in order[place + 1..].iter().take_while(|&&b| sizes[b] - sizes[a] < k) {
            let rows: u64 = bits[a].iter().zip(&bits[b]).map(|(a, b)| u64::from((a ^ b).count_ones())).sum();
            if (1..k).contains(&rows) {
                found.push(ClosePair { first: a.min(b), second: a.max(b), rows });
            }
        }
    }
    found.sort_by_key(|pair| (pair.rows, pair.first, pair.second));
    found
}

/// Runs the attack on a log of row sets.
#[must_use]
pub fn query_differencing(queries: &[Vec<u32>], k: u64) -> Outcome {
    let found = close_pairs(queries, k);
    let least = found.first().map_or(k, |pair| pair.rows);
    let severity = if found.is_empty() { Severity::Covered } else { Severity::Broken };
    let result = match found.len() as u64 {
        0 => format!(
            "No two of {} differ by fewer than {k} rows.",
            counted(queries.len() as u64, "query").replace("querys", "queries")
        ),
        n => format!("{} of queries differ by fewer than {k} rows.", counted(n, "pair")),
    };
    let findings = found.iter().map(|pair| Finding {
        class: vec![format!("queries {} and {}", pair.first + 1, pair.second + 1)],
        value: pair.rows as f64,
        text: format!("subtracting the answers tells of {}", counted(pair.rows, "row")),
    });
    Outcome::new(
        Attack::QueryDifferencing,
        severity,
        Figure { what: "fewest rows between two queries", value: least as f64, unit: Unit::Count },
        result,
    )
    .against(Some(Bound {
        value: k as f64,
        from: format!("two answers differ by at least {k} rows, or by none"),
    }))
    .with("queries", queries.len())
    .with("pairs too close", found.len())
    .at(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn everybody_and_everybody_but_one() {
        let all: Vec<u32> = (0..100).collect();
        let but_one: Vec<u32> = (1..100).collect();
        let outcome = query_differencing(&[all.clone(), but_one, all.clone()], 5);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0));
        assert_eq!(outcome.findings[0].class, ["queries 1 and 2"]);
        assert_eq!(
            query_differencing(&[all.clone(), all], 5).severity,
            Severity::Covered,
            "the same answer twice tells nothing"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn close_pairs_are_what_sets_say(queries in prop::collection::vec(prop::collection::vec(0u32..130, 0..8), 0..8), k in 1u64..6) {
            let sets: Vec<BTreeSet<u32>> = queries.iter().map(|rows| rows.iter().copied().collect()).collect();
            let mut expected = Vec::new();
            for first in 0..sets.len() {
                for second in first + 1..sets.len() {
                    let rows = sets[first].symmetric_difference(&sets[second]).count() as u64;
                    if rows > 0 && rows < k {
                        expected.push(ClosePair { first, second, rows });
                    }
                }
            }
            expected.sort_by_key(|pair| (pair.rows, pair.first, pair.second));
            prop_assert_eq!(close_pairs(&queries, k), expected);
        }
    }
}
