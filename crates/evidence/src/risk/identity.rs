//! Three attackers who want to know which row is whose.

use super::journalist::expected_inverse;
use super::{ClassSizes, DistinctRows};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What an attacker achieves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Attacker {
    /// The largest probability of finding a person's row, 0 to 1.
    pub highest: f64,
    /// Its mean over the rows.
    pub mean: f64,
    /// Rows whose probability is above the threshold.
    pub rows_above: u64,
    /// Their share.
    pub share_above: f64,
}

impl Attacker {
    /// Sums up risks of rows, given as (risk, rows).
    fn of(risks: impl Iterator<Item = (f64, u64)> + Clone, rows: u64, threshold: f64) -> Attacker {
        let above = |risk: f64| risk > threshold * (1.0 + 1e-12);
        let rows_above = risks.clone().filter(|&(risk, _)| above(risk)).map(|(_, rows)| rows).sum();
        let share = |part: f64| if rows == 0 { 0.0 } else { part / rows as f64 };
        Attacker {
            highest: risks.clone().map(|(risk, _)| risk).fold(0.0, f64::max),
            mean: share(risks.map(|(risk, rows)| risk * rows as f64).sum()),
            rows_above,
            share_above: share(rows_above as f64),
        }
    }
}

/// The prosecutor knows that his victim is in the table: risk `1/|E|` for every row of class `E`.
///
/// `mean = classes/rows`: that share of the rows is found, on average, by an attacker who matches everyone (the marketer).
#[must_use]
pub fn prosecutor(sizes: &ClassSizes, threshold: f64) -> Attacker {
    let risks = sizes.counts().map(|(size, classes)| (1.0 / size as f64, size * classes));
    let exact = if sizes.rows() == 0 { 0.0 } else { sizes.classes() as f64 / sizes.rows() as f64 };
    Attacker { mean: exact, ..Attacker::of(risks, sizes.rows(), threshold) }
}

/// The journalist does not know whether his victim is in the table; what counts is the class in the population, of which only
/// the sampling fraction is known here. Risk of a row: the expectation of `1/F` for a class of `f` rows in the sample, see
/// [`expected_inverse`]. Benedetti & Franconi, "Statistical and technological solutions for controlled data dissemination",
/// 1998.
#[must_use]
pub fn estimated_journalist(sizes: &ClassSizes, sampling_fraction: f64, threshold: f64) -> Attacker {
    let risks =
        sizes.counts().map(|(size, classes)| (expected_inverse(size, sampling_fraction), size * classes));
    let risks: Vec<(f64, u64)> = risks.collect();
    Attacker::of(risks.iter().copied(), sizes.rows(), threshold)
}

/// What a table of the population says about the rows that are in a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PopulationRisk {
    /// The journalist: risk `1/F` of a row whose class has `F` people in the population. The mean is also the share of rows that
    /// a marketer who matches the whole population finds.
    pub journalist: Attacker,
    /// People in the smallest class of the population that the table shows.
    pub smallest_class: u64,
    /// Rows of the table that are alone in the population.
    pub unique_rows: u64,
    /// Rows whose class has fewer people in the population than rows in the table: the population is not one.
    pub rows_not_covered: u64,
    /// Smallest share of a population class that is in the table, over the classes of the table.
    pub least_presence: f64,
    /// Largest share; 1: whoever matches the class is known to be in the table.
    pub largest_presence: f64,
}

/// The journalist with the population in hand: `pairs` are, for every class of the table, its rows and its people.
#[must_use]
pub fn known_journalist(pairs: impl IntoIterator<Item = (u64, u64)>, threshold: f64) -> PopulationRisk {
    let mut rows_of: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut rows, mut not_covered) = (0, 0);
    let (mut least, mut largest) = (f64::INFINITY, 0.0f64);
    for (in_table, people) in pairs {
        rows += in_table;
        if people < in_table {
            not_covered += in_table;
        }
        // Whoever is in the table exists.
        let people = people.max(in_table);
        *rows_of.entry(people).or_insert(0) += in_table;
        let presence = in_table as f64 / people as f64;
        (least, largest) = (least.min(presence), largest.max(presence));
    }
    let risks = rows_of.iter().map(|(&people, &rows)| (1.0 / people as f64, rows));
    PopulationRisk {
        journalist: Attacker::of(risks, rows, threshold),
        smallest_class: rows_of.keys().next().copied().unwrap_or(0),
        unique_rows: rows_of.get(&1).copied().unwrap_or(0),
        rows_not_covered: not_covered,
        least_presence: if rows == 0 { 0.0 } else { least },
        largest_presence: largest,
    }
}

/// Rows and people of every class of a table, given the population in the same codes.
#[must_use]
pub fn matched(table: &DistinctRows, population: &DistinctRows) -> Vec<(u64, u64)> {
    let key = |rows: &DistinctRows, class: usize| -> Vec<u32> {
        rows.columns().iter().map(|column| column[class]).collect()
    };
    // Both are in the order of their codes.
    let mut next = 0;
    let pair = |class: usize| {
        let wanted = key(table, class);
        while next < population.classes() && key(population, next) < wanted {
            next += 1;
        }
        let found = next < population.classes() && key(population, next) == wanted;
        let people = if found { population.weights()[next] } else { 0 };
        (u64::from(table.weights()[class]), u64::from(people))
    };
    (0..table.classes()).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes(list: &[u64]) -> ClassSizes {
        ClassSizes::of(list.iter().copied())
    }

    #[test]
    fn the_prosecutor_of_a_small_table() {
        let risk = prosecutor(&sizes(&[1, 2, 5, 12]), 0.2);
        assert_eq!((risk.highest, risk.mean, risk.rows_above), (1.0, 4.0 / 20.0, 3));
        assert_eq!(
            prosecutor(&sizes(&[5]), 0.2).rows_above,
            0,
            "a risk equal to the threshold is not above it"
        );
        assert_eq!(prosecutor(&sizes(&[]), 0.2).mean, 0.0);
    }

    #[test]
    fn people_who_are_not_in_the_population_are_told() {
        let risk = known_journalist([(2, 10), (3, 1), (1, 1)], 0.2);
        assert_eq!((risk.rows_not_covered, risk.smallest_class, risk.unique_rows), (3, 1, 1));
        assert_eq!((risk.least_presence, risk.largest_presence), (0.2, 1.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn figures_agree_with_row_by_row(list in prop::collection::vec(1u64..20, 1..30), k in 1u64..20) {
            let threshold = 1.0 / k as f64;
            let rows: Vec<u64> = list.iter().flat_map(|&size| vec![size; size as usize]).collect();
            let risk = prosecutor(&sizes(&list), threshold);
            let naive = rows.iter().map(|&size| 1.0 / size as f64).sum::<f64>() / rows.len() as f64;
            prop_assert!((risk.mean - naive).abs() < 1e-12);
            prop_assert_eq!(risk.rows_above, rows.iter().filter(|&&size| size < k).count() as u64);
            prop_assert_eq!(risk.rows_above, sizes(&list).rows_below(k));
            let journalist = estimated_journalist(&sizes(&list), 1.0, threshold);
            prop_assert!((journalist.mean - risk.mean).abs() < 1e-12, "a sample of everybody is the population");
        }

        #[test]
        fn classes_are_matched_by_their_codes(
            table in prop::collection::vec((0u32..3, 0u32..3), 1..20),
            others in prop::collection::vec((0u32..3, 0u32..3), 0..20),
        ) {
            let distinct = |rows: &[(u32, u32)]| {
                let (a, b): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
                DistinctRows::weighted(&[(&a, 3), (&b, 3)], &vec![1; rows.len()])
            };
            let everybody: Vec<(u32, u32)> = table.iter().chain(&others).copied().collect();
            let risk = known_journalist(matched(&distinct(&table), &distinct(&everybody)), 0.2);
            let people = |row: &(u32, u32)| everybody.iter().filter(|other| *other == row).count();
            let naive = table.iter().map(|row| 1.0 / people(row) as f64).sum::<f64>() / table.len() as f64;
            prop_assert!((risk.journalist.mean - naive).abs() < 1e-12);
            prop_assert_eq!(risk.unique_rows as usize, table.iter().filter(|row| people(row) == 1).count());
            prop_assert_eq!(risk.rows_not_covered, 0);
        }
    }
}
