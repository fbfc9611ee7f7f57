//! What suppressing up to 5 % of the rows saves: the loss with it as a share of the loss without.
//!
//! Kohlmayer, "Datenschutz und biomedizinische Forschung", TU München 2015, table 3.1. Its columns are labelled EM and PM*; recomputing the cells shows
//! that they are the non-monotone non-uniform entropy and the precision.

use crate::audience::Audience;
use crate::case::{Case, Subset};
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::measure::Settings;
use crate::prepare::{Prepared, has_tree};
use crate::promise::{Promises, Threshold};
use crate::results::SavedResult;
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;
use paravent_core::solve;

/// The shares of rows that are compared.
const SHARES: [&str; 2] = ["0", "0.05"];
/// The metrics of the table, in its order.
const METRICS: [Metric; 4] = [
    Metric::NonMonotoneNonUniformEntropy,
    Metric::Precision,
    Metric::Discernibility,
    Metric::AverageClassSize,
];
/// The data sets of the table, in its order.
const DATASETS: [&str; 5] = ["adult", "cup", "fars", "atus", "ihis"];

/// A line of the table: its criteria, and percents by metric and data set.
struct Printed {
    letters: &'static str,
    promises: &'static str,
    percents: [[u32; 5]; 4],
}

const TABLE: [Printed; 4] = [
    Printed {
        letters: "k",
        promises: "k=5",
        percents: [[55, 64, 47, 38, 61], [48, 39, 24, 23, 39], [16, 6, 27, 41, 79], [4, 1, 9, 10, 13]],
    },
    Printed {
        letters: "l",
        promises: "lrecursive=3/4",
        percents: [[64, 63, 50, 78, 62], [57, 38, 26, 54, 41], [22, 6, 27, 78, 100], [6, 1, 2, 4, 11]],
    },
    Printed {
        letters: "t",
        promises: "thier=0.2",
        percents: [[94, 70, 67, 89, 100], [86, 50, 52, 85, 100], [82, 8, 22, 84, 100], [21, 2, 6, 12, 100]],
    },
    Printed {
        letters: "kl",
        promises: "k=5,lrecursive=3/4",
        percents: [[64, 64, 51, 78, 68], [57, 39, 26, 54, 41], [22, 6, 28, 78, 100], [6, 1, 2, 4, 15]],
    },
];

/// Measures a data set under every promise and metric of the table; those without a release are left out.
pub(crate) fn measure(
    dataset: &DataSet,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<Vec<SavedResult>, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
    let pool = pool.map_err(|error| BenchError::internal(error.to_string()))?;
    let mut results = Vec::new();
    for printed in TABLE {
        for (position, metric) in METRICS.into_iter().enumerate() {
            audience.run(metric.name(), 1);
            if audience.stop() {
                return Err(BenchError::Stopped);
            }
            let of = |share: &str| pool.install(|| loss(dataset, printed.promises, share, metric, settings));
            let (Some(without), Some(with)) = (of(SHARES[0])?, of(SHARES[1])?) else { continue };
            let column = DATASETS.iter().position(|name| *name == dataset.name);
            results.push(SavedResult {
                dataset: dataset.name.clone(),
                criteria: printed.letters,
                metric: metric.name(),
                without,
                with,
                printed: column.map(|column| printed.percents[position][column]),
            });
        }
    }
    Ok(results)
}

/// The least loss; `None` where nothing keeps the promise.
fn loss(
    dataset: &DataSet,
    promises: &str,
    suppression: &str,
    metric: Metric,
    settings: &Settings,
) -> Result<Option<f64>, BenchError> {
    let unread = |text: &str| BenchError::internal(text.to_owned());
    let mut parsed: Promises = promises.parse().map_err(|_| unread(promises))?;
    if !has_tree(&dataset.columns[dataset.sensitive]) {
        parsed = parsed.without_hierarchical_distance();
    }
    let suppression: Threshold = suppression.parse().map_err(|_| unread(suppression))?;
    let case = Case {
        workload: "suppression",
        quasi_identifiers: dataset.quasi_identifiers_beside_sensitive(),
        sensitive: dataset.sensitive,
        promises: parsed,
        suppression,
        metric,
        subset: Subset::Tenth,
    };
    let prepared = Prepared::new(dataset, &case)?;
    let effort = solve::Effort { threads: settings.thread_count(), ..solve::Effort::default() };
    let best = prepared.task.solve(Algorithm::BestFirst, &effort);
    let best = best.map_err(|error| BenchError::internal(error.to_string()))?;
    let told = |(own, value): &(Metric, f64)| (*own == metric).then_some(*value);
    let value = best.and_then(|solution| solution.losses.iter().find_map(told));
    // The precision is what is kept.
    Ok(value.map(|value| if metric == Metric::Precision { 1.0 - value } else { value }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;
    use paravent_core::search::Algorithm;

    #[test]
    fn suppression_never_costs_by_a_metric_that_is_minimised() {
        let dataset = DataSet::generate(&"adult,rows=400".parse().unwrap()).unwrap();
        let settings = Settings {
            algorithms: vec![Algorithm::BestFirst],
            threads: 1,
            snapshot_bytes: None,
            repeat: 1,
            warm_up: 0,
            time_limit: None,
        };
        let results = measure(&dataset, &settings, &Nobody).unwrap();
        assert!(results.len() >= 4, "{results:?}");
        for result in &results {
            assert!(result.percent() <= 100.0 + 1e-9, "{result:?}");
        }
    }
}
