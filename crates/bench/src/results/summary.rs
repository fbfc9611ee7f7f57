//! All cases in a few figures.

use super::CaseResult;
use serde::Serialize;

/// All cases in a few figures.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// Number of cases.
    pub cases: usize,
    /// Whether every case has one optimum.
    pub agree: bool,
    /// Geometric means of the times per data set, over the cases that all algorithms finished.
    pub by_dataset: Vec<Mean>,
    /// The same per promise.
    pub by_privacy: Vec<Mean>,
    /// Sums of checks over the cases that all algorithms finished.
    pub checks: Vec<CheckSum>,
    /// Cases with a reference.
    pub compared: usize,
    /// The least that we are faster, among the cases that take the reference more than 100 ms.
    pub smallest_times_faster: Option<Smallest>,
    /// Geometric mean of how much faster we are.
    pub mean_times_faster: Option<f64>,
    /// Geometric mean of how much less memory we need.
    pub mean_times_less_memory: Option<f64>,
}

/// The geometric mean of an algorithm's times over a group of cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mean {
    /// The data set, or the promise.
    pub group: String,
    /// The algorithm.
    pub algorithm: String,
    /// The mean in milliseconds.
    pub ms: f64,
    /// Number of cases.
    pub cases: usize,
}

/// The checks of an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckSum {
    /// The algorithm.
    pub algorithm: String,
    /// Nodes checked.
    pub checks: u64,
    /// Tests of few columns.
    pub subset_tests: u64,
}

/// The case in which we are least ahead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Smallest {
    /// How many times faster.
    pub times_faster: f64,
    /// The same with the counting of rows into tuples added to our time.
    pub times_faster_with_counting: f64,
    /// The data set.
    pub dataset: String,
    /// The promise.
    pub privacy: String,
    /// Share of rows that may be suppressed.
    pub suppression: f64,
    /// Cases that take the reference more than 100 ms.
    pub of: usize,
}

/// Below this a reference time is mostly start-up.
const LEAST_REFERENCE_MS: f64 = 100.0;

impl Summary {
    pub(crate) fn of(cases: &[CaseResult]) -> Summary {
        let finished: Vec<&CaseResult> =
            cases.iter().filter(|case| case.runs.iter().all(|run| run.is_finished())).collect();
        // Tables that grow have no mean worth telling.
        let alike: Vec<&CaseResult> = finished.iter().copied().filter(|case| case.scale.is_none()).collect();
        let compared = || cases.iter().filter_map(|case| Some((case, case.comparison.as_ref()?)));
        let long = || compared().filter(|(_, comparison)| comparison.reference_ms > LEAST_REFERENCE_MS);
        let smallest = long().min_by(|(_, a), (_, b)| a.times_faster.total_cmp(&b.times_faster));
        Summary {
            cases: cases.len(),
            agree: cases.iter().all(|case| case.agree),
            by_dataset: means(&alike, |case| &case.dataset),
            by_privacy: means(&alike, |case| &case.privacy),
            checks: checks(&finished),
            compared: compared().count(),
            smallest_times_faster: smallest.map(|(case, comparison)| Smallest {
                times_faster: comparison.times_faster,
                times_faster_with_counting: comparison.times_faster_with_counting,
                dataset: case.dataset.clone(),
                privacy: case.privacy.clone(),
                suppression: case.suppression,
                of: long().count(),
            }),
            mean_times_faster: geometric_mean(compared().map(|(_, comparison)| comparison.times_faster)),
            mean_times_less_memory: geometric_mean(
                compared().filter_map(|(_, comparison)| comparison.times_less_memory),
            ),
        }
    }
}

fn means(cases: &[&CaseResult], group: fn(&CaseResult) -> &String) -> Vec<Mean> {
    let mut keys: Vec<(&String, &String)> = Vec::new();
    for case in cases {
        for run in &case.runs {
            let key = (group(case), &run.algorithm);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    let mean = |(name, algorithm): (&String, &String)| {
        let runs = cases.iter().filter(|case| group(case) == name).flat_map(|case| &case.runs);
        let times: Vec<f64> =
            runs.filter(|run| run.algorithm == *algorithm).filter_map(|run| run.median_ms).collect();
        let ms = geometric_mean(times.iter().copied())?;
        Some(Mean { group: name.clone(), algorithm: algorithm.clone(), ms, cases: times.len() })
    };
    keys.into_iter().filter_map(mean).collect()
}

fn checks(cases: &[&CaseResult]) -> Vec<CheckSum> {
    let mut sums: Vec<CheckSum> = Vec::new();
    for run in cases.iter().flat_map(|case| &case.runs) {
        match sums.iter_mut().find(|sum| sum.algorithm == run.algorithm) {
            Some(sum) => {
                sum.checks += run.checks;
                sum.subset_tests += run.subset_tests;
            }
            None => sums.push(CheckSum {
                algorithm: run.algorithm.clone(),
                checks: run.checks,
                subset_tests: run.subset_tests,
            }),
        }
    }
    sums
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value.max(1e-6).ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{case, not_applicable, run};
    use super::*;

    #[test]
    fn means_are_geometric_and_leave_out_what_not_all_finished() {
        let cases = [
            case(vec![run("a", 1.0, &[0], 1.0), run("b", 10.0, &[0], 1.0)]),
            case(vec![run("a", 4.0, &[0], 1.0), run("b", 1000.0, &[0], 1.0)]),
            case(vec![run("a", 999.0, &[0], 1.0), not_applicable()]),
        ];
        let summary = Summary::of(&cases);
        let means: Vec<(f64, usize)> =
            summary.by_dataset.iter().map(|mean| (mean.ms.round(), mean.cases)).collect();
        assert_eq!(means, [(2.0, 2), (100.0, 2)]);
        assert_eq!(summary.checks.iter().map(|sum| sum.checks).collect::<Vec<_>>(), [20, 20]);
        assert!(summary.agree && summary.smallest_times_faster.is_none());
    }
}
