//! Answers are subtracted from each other.
//!
//! An answer about few people tells of them, and so does one about all but few. Of two answers, the difference is about those in one
//! of the row sets only. A tracker takes three or more: with the answers about A, B and A ∪ B ∪ {x} comes x. So all linear combinations
//! of the answers are audited: people who are in the same queries are one *atom*; the membership vectors of the queries over the
//! atoms span what can be computed, and the reduced basis (over a prime field, where nothing is rounded) shows combinations that are
//! about few atoms. Figure: the fewest rows that an answer, or a combination of answers, is about; held against k.
//! Denning, Denning and Schwartz, "The tracker: a threat to statistical database security", TODS 4(1), 1979; Chin and Özsoyoğlu,
//! "Auditing and inference control in statistical databases", IEEE TSE 8(6), 1982.

use super::catalogue::{Card, Tried};
use super::means::{Means, Queries};
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::query_basis::{Atoms, combinations};
use super::{Attack, Bound, Figure, Finding, Outcome, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "query-differencing",
    question: "Do answers together tell of a few people?",
    assumption: "The attacker sees the answers to all queries, and adds and subtracts them.",
    source: "Denning, Denning and Schwartz, The Tracker, TODS 1979",
    needs: "a log of queries (--queries FILE)",
    tried: Tried::OnRequest,
};

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

/// Queries looked at in combination; the audit of more takes too long, and the report says so.
const MOST_AUDITED: usize = 1_000;

/// Few people that one answer, two, or a combination of many is about.
struct Exposed {
    rows: u64,
    how: String,
    text: String,
}

/// Runs the attack on a log of row sets. `total`: how many rows the table has, where that is known; the answer about all of them is.
#[must_use]
pub fn query_differencing(queries: &[Vec<u32>], k: u64, total: Option<u64>) -> Outcome {
    let k = k.max(2);
    let mut exposed = Vec::new();
    let distinct = |rows: &[u32]| {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows.dedup();
        rows.len() as u64
    };
    for (number, rows) in queries.iter().enumerate() {
        let size = distinct(rows);
        let how = || format!("query {}", number + 1);
        if (1..k).contains(&size) {
            let text = format!("the answer is about {}", counted(size, "row"));
            exposed.push(Exposed { rows: size, how: how(), text });
        }
        if let Some(outside) =
            total.and_then(|total| total.checked_sub(size)).filter(|rows| (1..k).contains(rows))
        {
            let text = format!("the answer is about all but {}", counted(outside, "row"));
            exposed.push(Exposed { rows: outside, how: how(), text });
        }
    }
    let close = close_pairs(queries, k);
    exposed.extend(close.iter().map(|pair| Exposed {
        rows: pair.rows,
        how: format!("queries {} and {}", pair.first + 1, pair.second + 1),
        text: format!("subtracting the answers tells of {}", counted(pair.rows, "row")),
    }));
    let audited = &queries[..queries.len().min(MOST_AUDITED)];
    let (atoms, found) = combinations(audited, total, k);
    for combination in &found {
        // What one answer or two tell is named already, and so is what one leaves of the whole table.
        let named = if combination.with_total { 1 } else { 2 };
        if combination.queries.len() > named {
            let list: Vec<String> =
                combination.queries.iter().take(8).map(|query| (query + 1).to_string()).collect();
            let more = if combination.queries.len() > 8 { ", \u{2026}" } else { "" };
            let total = if combination.with_total { " and the whole table" } else { "" };
            exposed.push(Exposed {
                rows: combination.rows,
                how: format!("queries {}{more}{total}", list.join(", ")),
                text: format!("a combination of the answers tells of {}", counted(combination.rows, "row")),
            });
        }
    }
    exposed.sort_by_key(|exposed| exposed.rows);
    outcome(queries, k, &exposed, &close, &atoms)
}

fn outcome(queries: &[Vec<u32>], k: u64, exposed: &[Exposed], close: &[ClosePair], atoms: &Atoms) -> Outcome {
    let least = exposed.first().map_or(k, |exposed| exposed.rows);
    let asked = counted(queries.len() as u64, "query");
    let result = match exposed.len() as u64 {
        0 => format!(
            "No answer to {asked}, and no combination of them that was found, is about fewer than {k} rows."
        ),
        n => format!("{} of answers to {asked} tell of fewer than {k} rows.", counted(n, "combination")),
    };
    let findings = exposed.iter().map(|exposed| Finding {
        class: vec![exposed.how.clone()],
        value: exposed.rows as f64,
        text: exposed.text.clone(),
    });
    let figure = Figure { what: "fewest rows that answers tell of", value: least as f64, unit: Unit::Count };
    let bound = Bound {
        value: k as f64,
        from: format!("whatever is computed from the answers is about {k} rows, or none"),
    };
    let outcome = Outcome::new(
        Attack::QueryDifferencing,
        Severity::of_finding(!exposed.is_empty(), true),
        figure,
        result,
    )
    .against(Some(bound))
    .with("queries", queries.len())
    .with("pairs too close", close.len())
    .with("groups of people that the queries do not tell apart", atoms.sizes.len())
    .at(findings);
    match queries.len() > MOST_AUDITED {
        true => outcome.with("queries looked at in combination", format!("the first {MOST_AUDITED}")),
        false => outcome,
    }
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let of = |queries: &Queries| query_differencing(&queries.rows_of, queries.k, queries.rows);
    means.queries.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let step = if plant == Plant::Weak { 1 } else { planted::K as u32 };
    query_differencing(&[(0..100).collect(), (step..100).collect()], planted::K, None)
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
        let outcome = query_differencing(&[all.clone(), but_one, all.clone()], 5, None);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0));
        assert_eq!(outcome.findings[0].class, ["queries 1 and 2"]);
        assert_eq!(
            query_differencing(&[all.clone(), all], 5, None).severity,
            Severity::Covered,
            "the same answer twice tells nothing"
        );
    }

    fn rows(range: std::ops::Range<u32>) -> Vec<u32> {
        range.collect()
    }

    #[test]
    fn one_answer_about_few_or_about_all_but_few_is_enough() {
        let outcome = query_differencing(&[vec![7]], 5, None);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        let all_but_two = rows(2..100);
        assert_eq!(
            query_differencing(std::slice::from_ref(&all_but_two), 5, None).severity,
            Severity::Covered
        );
        let outcome = query_differencing(&[all_but_two], 5, Some(100));
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 2.0), "{}", outcome.result);
        assert_eq!(query_differencing(&[rows(0..50)], 5, Some(100)).severity, Severity::Covered);
    }

    #[test]
    fn a_tracker_of_three_is_found() {
        // A, B and A \u{222a} B \u{222a} {x}: no two of them are close.
        let tracker = [rows(0..20), rows(20..40), rows(0..41)];
        let outcome = query_differencing(&tracker, 5, None);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert_eq!(outcome.findings[0].class, ["queries 1, 2, 3"]);
        // The same look: the third has ten more, who hide each other.
        let harmless = [rows(0..20), rows(20..40), rows(0..50)];
        assert_eq!(query_differencing(&harmless, 5, None).severity, Severity::Covered);
    }

    #[test]
    fn overlaps_that_need_division_by_two_are_found() {
        // A ∪ B, B ∪ C, A ∪ C with blocks of one in A only: 2·A = (A∪B) + (A∪C) − (B∪C).
        let (a, b, c) = (0..3u32, 10..30u32, 40..60u32);
        let both = |x: &std::ops::Range<u32>, y: &std::ops::Range<u32>| {
            x.clone().chain(y.clone()).collect::<Vec<u32>>()
        };
        let log = [both(&a, &b), both(&b, &c), both(&a, &c)];
        let outcome = query_differencing(&log, 5, None);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 3.0), "{}", outcome.result);
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
