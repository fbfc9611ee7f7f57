//! Local recoding against the best full-domain release and the literature's heuristics, on the same table and promise.

use crate::audience::Audience;
use crate::case::{Case, Subset};
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::measure::Settings;
use crate::prepare::Prepared;
use crate::promise::Threshold;
use crate::results::{RecodingLine, RecodingResult, SettingResult};
use crate::timing::milliseconds;
use paravent_core::hierarchy::{Ladder, Rung, categorical_loss};
use paravent_core::quality::{Balance, Metric};
use paravent_core::recoding::{Baseline, Effort};
use paravent_core::release::Solution;
use paravent_core::search::Algorithm;
use paravent_core::solve;
use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
use std::sync::Arc;
use std::time::Instant;

/// What published comparisons promise.
const PROMISES: &str = "k=5,ldistinct=2";
/// Of the full-domain release.
const SUPPRESSION: &str = "0.05";
/// Moves for each tuple: none, the usual number, ten times as many.
const EFFORTS: [(&str, u64); 3] = [("local, no moves", 0), ("local", 6), ("local, ten times the moves", 60)];

/// The gs-factors of iterated full-domain recoding.
const GS_FACTORS: [f64; 5] = [0.0, 0.05, 0.1, 0.25, 0.5];
/// Promises under which local recoding is compared with it.
const SETTINGS: [&str; 10] = [
    "k=2",
    "k=5",
    "k=10",
    "k=20",
    "k=50",
    "k=5,ldistinct=2",
    "k=5,ldistinct=3",
    "k=5,lentropy=2",
    "k=5,lrecursive=4/3",
    "k=5,tequal=0.4",
];

/// Measures a data set. LM counts the values that are present, as published comparisons do.
pub(crate) fn measure(
    dataset: &DataSet,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<RecodingResult, BenchError> {
    let case = |suppression: &str| case(dataset, PROMISES, suppression);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
    let pool = pool.map_err(|error| BenchError::internal(error.to_string()))?;
    pool.install(|| {
        let failed = |error: String| BenchError::internal(error);
        let whole = with_present_leaves(
            dataset,
            &case(SUPPRESSION)?,
            &Prepared::new(dataset, &case(SUPPRESSION)?)?.task,
        )?;
        let kept = with_present_leaves(dataset, &case("0")?, &Prepared::new(dataset, &case("0")?)?.task)?;
        let mut lines = Vec::new();
        let mut add = |method: &str, suppression: &'static str, made: Option<Solution>, started: Instant| {
            lines.extend(made.map(|solution| line(method, suppression, &solution, started)));
        };
        let step = |name: &str| {
            audience.run(name, 1);
            if audience.stop() { Err(BenchError::Stopped) } else { Ok(Instant::now()) }
        };
        let started = step("full-domain")?;
        let effort = solve::Effort { threads: settings.thread_count(), ..solve::Effort::default() };
        let best = whole.solve(Algorithm::BestFirst, &effort).map_err(|error| failed(error.to_string()))?;
        add("best full-domain", SUPPRESSION, best, started);
        for baseline in Baseline::ALL {
            let (task, suppression) = match baseline {
                Baseline::Datafly => (&whole, SUPPRESSION),
                Baseline::TopDownSpecialization | Baseline::Mondrian => (&kept, "0"),
            };
            let started = step(baseline.name())?;
            let made = task.recode_by(baseline).map_err(|error| failed(error.to_string()))?;
            add(baseline.name(), suppression, made, started);
        }
        let suppressing =
            with_present_leaves(dataset, &case("0.99")?, &Prepared::new(dataset, &case("0.99")?)?.task)?;
        for factor in GS_FACTORS {
            let name = format!("iterated full-domain, gs-factor {factor}");
            let started = step(&name)?;
            add(&name, "0.99", iterated(&suppressing, factor, settings)?, started);
        }
        let mut lower_bound = None;
        for (name, moves) in EFFORTS {
            let started = step(name)?;
            let moves = Some(moves * kept.tuples().tuple_count() as u64);
            let effort = Effort { moves, ..Effort::default() };
            let made = kept.recode(&effort).map_err(|error| failed(error.to_string()))?;
            lower_bound = made.as_ref().map(|made| made.lower_bound);
            add(name, "0", made.map(|made| made.solution), started);
        }
        for line in &mut lines {
            line.times_bound = lower_bound.filter(|&bound| bound > 0.0).map(|bound| line.loss / bound);
        }
        let (rows, tuples) = (dataset.rows as u64, kept.tuples().tuple_count() as u64);
        Ok(RecodingResult {
            dataset: dataset.name.clone(),
            rows,
            tuples,
            privacy: PROMISES,
            lower_bound,
            lines,
        })
    })
}

/// Compares local recoding with the best of five gs-factors of iterated full-domain recoding.
pub(crate) fn settings(
    dataset: &DataSet,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<Vec<SettingResult>, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
    let pool = pool.map_err(|error| BenchError::internal(error.to_string()))?;
    let mut results = Vec::new();
    for promises in SETTINGS {
        audience.run(promises, 1);
        if audience.stop() {
            return Err(BenchError::Stopped);
        }
        results.extend(pool.install(|| setting(dataset, promises, settings))?);
    }
    Ok(results)
}

/// One promise; `None` where one of the two finds nothing.
fn setting(
    dataset: &DataSet,
    promises: &'static str,
    settings: &Settings,
) -> Result<Option<SettingResult>, BenchError> {
    let task = |suppression: &str| {
        let case = case(dataset, promises, suppression)?;
        with_present_leaves(dataset, &case, &Prepared::new(dataset, &case)?.task)
    };
    let suppressing = task("0.99")?;
    let mut best: Option<(f64, f64, f64)> = None;
    for factor in GS_FACTORS {
        let started = Instant::now();
        if let Some(solution) = iterated(&suppressing, factor, settings)? {
            let made = (line("", "", &solution, started).loss, factor, milliseconds(started.elapsed()));
            best = Some(best.map_or(made, |best| if made.0 < best.0 { made } else { best }));
        }
    }
    let started = Instant::now();
    let made =
        task("0")?.recode(&Effort::default()).map_err(|error| BenchError::internal(error.to_string()))?;
    let ms = milliseconds(started.elapsed());
    Ok(best.zip(made).map(|((iterated, gs_factor, iterated_ms), made)| SettingResult {
        dataset: dataset.name.clone(),
        privacy: promises.to_owned(),
        iterated,
        gs_factor,
        local: made.loss,
        lower_bound: made.lower_bound,
        ms: (iterated_ms, ms),
    }))
}

/// Iterated full-domain recoding by the metric that ARX uses; a row that stays suppressed loses everything.
fn iterated(task: &Task, factor: f64, settings: &Settings) -> Result<Option<Solution>, BenchError> {
    let effort = solve::Effort { threads: settings.thread_count(), ..solve::Effort::default() };
    let balance = Balance::of_gs_factor(factor).unwrap_or(Balance::EVEN);
    task.recode_iteratively(balance, &effort).map_err(|error| BenchError::internal(error.to_string()))
}

/// The sensitive column beside all others, under a promise.
fn case(dataset: &DataSet, promises: &str, suppression: &str) -> Result<Case, BenchError> {
    let unread = |text: &str| BenchError::internal(text.to_owned());
    let suppression: Threshold = suppression.parse().map_err(|_| unread(suppression))?;
    Ok(Case {
        workload: "recoding",
        quasi_identifiers: dataset.quasi_identifiers_beside_sensitive(),
        sensitive: dataset.sensitive,
        promises: promises.parse().map_err(|_| unread(promises))?,
        suppression,
        metric: Metric::Loss,
        subset: Subset::Tenth,
    })
}

fn line(method: &str, suppression: &'static str, solution: &Solution, started: Instant) -> RecodingLine {
    let loss = solution.losses.iter().find(|(metric, _)| *metric == Metric::Loss);
    RecodingLine {
        method: method.to_owned(),
        suppression,
        loss: loss.map_or(f64::NAN, |&(_, loss)| loss),
        times_bound: None,
        suppressed_rows: solution.suppressed_rows,
        classes: solution.classes,
        ms: milliseconds(started.elapsed()),
    }
}

/// The same task where the leaves of a label are the values that occur under it.
fn with_present_leaves(dataset: &DataSet, case: &Case, task: &Task) -> Result<Task, BenchError> {
    let failed = |error: String| BenchError::internal(format!("{}: {error}", dataset.name));
    let mut columns = Vec::new();
    for (name, ladder) in task.columns().names().iter().zip(task.ladders()) {
        let rungs = ladder.rungs().iter().map(|rung| {
            let mut leaves = vec![0usize; rung.labels.len()];
            rung.group_of.iter().for_each(|&group| leaves[group as usize] += 1);
            let loss = leaves.into_iter().map(|leaves| categorical_loss(leaves, ladder.values())).collect();
            Rung { loss, ..rung.clone() }
        });
        let ladder = Ladder::from_rungs(rungs.collect()).map_err(|error| failed(error.to_string()))?;
        columns.push(QuasiIdentifier::new(name, ladder));
    }
    let table = task.tuples().held().ok_or_else(|| failed("not in memory".to_owned()))?;
    let members = case.promises.0.iter();
    let members = members.map(|promise| crate::prepare::criterion(promise, dataset, case, table)).collect();
    let limit = SuppressionLimit::Share(case.suppression.value());
    QuasiIdentifiers::new(columns)
        .and_then(|columns| Task::new(Arc::new(table.clone()), columns, members, Metric::Loss, limit))
        .map_err(|error| failed(error.to_string()))
}
