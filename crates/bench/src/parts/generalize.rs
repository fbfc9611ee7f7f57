//! α^G on parts: each by itself, with levels that all share, or one search over the counts of all.

use super::{PARTS, Timer};
use crate::case::{Case, Subset};
use crate::dataset::{DataSet, below, number};
use crate::error::BenchError;
use crate::prepare::Prepared;
use crate::promise::Threshold;
use crate::results::PartsLine;
use paravent_core::lattice::Node;
use paravent_core::quality::Metric;
use paravent_core::release::Solution;
use paravent_core::search::Algorithm;
use paravent_core::solve;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What is promised.
pub(super) const PROMISES: &str = "k=5";
/// The shares of rows that may be suppressed.
const SUPPRESSION: [&str; 2] = ["0", "0.05"];
/// Which random parts.
const SEED: u64 = 7;

pub(super) fn measure(dataset: &DataSet, timer: &Timer<'_>) -> Result<Vec<PartsLine>, BenchError> {
    let mut lines = Vec::new();
    for suppression in SUPPRESSION {
        let case = case(dataset, suppression)?;
        let whole = Prepared::new(dataset, &case)?;
        let best = solved(&whole)?;
        for parts in PARTS {
            let rows = random_parts(dataset.rows, parts);
            lines.push(line(dataset, (&case, suppression), (&whole, best.as_ref()), &rows, timer)?);
        }
    }
    Ok(lines)
}

fn line(
    dataset: &DataSet,
    (case, suppression): (&Case, &'static str),
    (whole, best): (&Prepared, Option<&Solution>),
    parts: &[Vec<usize>],
    timer: &Timer<'_>,
) -> Result<PartsLine, BenchError> {
    let counted = |rows: &Vec<usize>| Prepared::of_rows(dataset, case, rows);
    let (own, own_ms) = timer.time("parts by themselves", || {
        let one = |rows: &Vec<usize>| Ok((rows.len(), solved(&counted(rows)?)?));
        parts.par_iter().map(one).collect::<Result<Vec<(usize, Option<Solution>)>, BenchError>>()
    })?;
    let (added, added_ms) = timer.time("counts of all parts", || {
        let counted: Vec<Prepared> = parts.par_iter().map(counted).collect::<Result<_, BenchError>>()?;
        solved(&Prepared::added(dataset, case, &counted)?)
    })?;
    let mut shared: Option<Vec<u8>> = None;
    let (mut loss, mut suppressed, mut nodes) = (0.0, 0, BTreeSet::new());
    for (rows, solution) in &own {
        let Some(solution) = solution else { return Err(unsolved(dataset)) };
        loss += loss_of(solution) * *rows as f64 / dataset.rows as f64;
        suppressed += solution.suppressed_rows;
        let levels = solution.node.levels().to_vec();
        shared = Some(match shared {
            None => levels.clone(),
            Some(shared) => shared.iter().zip(&levels).map(|(a, b)| *a.max(b)).collect(),
        });
        nodes.insert(levels);
    }
    let node = Node::new(shared.unwrap_or_default());
    let with_shared = whole.task.checker(0).solution(&node);
    let with_shared = with_shared.map_err(|error| BenchError::internal(error.to_string()))?;
    let told =
        |solution: Option<&Solution>| solution.map(|found| (found.node.clone(), found.suppressed_rows));
    Ok(PartsLine {
        suppression,
        parts: parts.len(),
        levels: nodes.len(),
        loss,
        suppressed_rows: suppressed,
        loss_with_shared_levels: loss_of(&with_shared),
        ms: own_ms,
        ms_with_added_counts: added_ms,
        same_by_added_counts: told(added.as_ref()) == told(best),
    })
}

fn case(dataset: &DataSet, suppression: &str) -> Result<Case, BenchError> {
    let unread = |text: &str| BenchError::internal(text.to_owned());
    let suppression: Threshold = suppression.parse().map_err(|_| unread(suppression))?;
    Ok(Case {
        workload: "parts",
        quasi_identifiers: dataset.quasi_identifiers(),
        sensitive: dataset.sensitive,
        promises: PROMISES.parse().map_err(|_| unread(PROMISES))?,
        suppression,
        metric: Metric::Loss,
        subset: Subset::Tenth,
    })
}

fn solved(prepared: &Prepared) -> Result<Option<Solution>, BenchError> {
    let best = prepared.task.solve(Algorithm::BestFirst, &solve::Effort::default());
    best.map_err(|error| BenchError::internal(error.to_string()))
}

fn loss_of(solution: &Solution) -> f64 {
    let loss = solution.losses.iter().find(|(metric, _)| *metric == Metric::Loss);
    loss.map_or(f64::NAN, |&(_, loss)| loss)
}

fn unsolved(dataset: &DataSet) -> BenchError {
    BenchError::internal(format!("{}: a part has no 5-anonymous generalization", dataset.name))
}

/// The rows in a random order, dealt out in turns.
fn random_parts(rows: usize, parts: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        order.swap(last, below(number(SEED, last as u64), last as u64 + 1) as usize);
    }
    (0..parts).map(|part| order.iter().skip(part).step_by(parts).copied().collect()).collect()
}
