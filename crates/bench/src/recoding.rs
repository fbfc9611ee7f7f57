//! Local recoding against the best full-domain release and the literature's heuristics, on the same table and promise.

use crate::audience::Audience;
use crate::case::{Case, Subset};
use crate::dataset::{DataSet, below, number};
use crate::error::BenchError;
use crate::measure::Settings;
use crate::prepare::Prepared;
use crate::promise::Threshold;
use crate::results::{Counted, RecodingLine, RecodingResult, SettingResult};
use crate::timing::milliseconds;
use paravent_core::hierarchy::{Ladder, Rung, categorical_loss};
use paravent_core::quality::{Balance, Metric};
use paravent_core::recoding::{Baseline, Effort};
use paravent_core::release::Solution;
use paravent_core::search::Algorithm;
use paravent_core::solve;
use paravent_core::table::{FrequencyTable, People, PeopleError};
use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// What published comparisons promise.
const PROMISES: &str = "k=5,ldistinct=2";
/// Of the full-domain release.
const SUPPRESSION: &str = "0.05";
/// Local searches: none, the usual number of moves, and ten times as many.
const EFFORTS: [(&str, Moves); 3] = [
    ("local, no moves", Moves::None),
    ("local", Moves::Usual),
    ("local, ten times the moves", Moves::TenTimesUsual),
];

/// How many moves a local search has.
#[derive(Debug, Clone, Copy)]
enum Moves {
    None,
    Usual,
    TenTimesUsual,
}

impl Moves {
    /// What the search is told; `usual` is what it tried when it was told nothing.
    fn number(self, usual: Option<u64>) -> Option<u64> {
        match self {
            Moves::None => Some(0),
            Moves::Usual => None,
            Moves::TenTimesUsual => usual.map(|usual| usual.saturating_mul(10)),
        }
    }
}

/// The gs-factors of iterated full-domain recoding.
const GS_FACTORS: [f64; 5] = [0.0, 0.05, 0.1, 0.25, 0.5];
/// Under which local recoding is compared with it: promises, what may be suppressed, and what is counted.
const SETTINGS: [(&str, &str, Counted); 18] = [
    ("k=2", "0", Counted::Rows),
    ("k=5", "0", Counted::Rows),
    ("k=10", "0", Counted::Rows),
    ("k=20", "0", Counted::Rows),
    ("k=50", "0", Counted::Rows),
    ("k=5,ldistinct=2", "0", Counted::Rows),
    ("k=5,ldistinct=3", "0", Counted::Rows),
    ("k=5,lentropy=2", "0", Counted::Rows),
    ("k=5,lrecursive=4/3", "0", Counted::Rows),
    ("k=5,tequal=0.4", "0", Counted::Rows),
    ("k=5", SUPPRESSION, Counted::Rows),
    ("k=5,ldistinct=2", SUPPRESSION, Counted::Rows),
    ("k=5,lentropy=2", SUPPRESSION, Counted::Rows),
    ("k=5,lrecursive=4/3", SUPPRESSION, Counted::Rows),
    ("k=5,tequal=0.4", SUPPRESSION, Counted::Rows),
    ("k=5", "0", Counted::People),
    ("k=5,ldistinct=2", "0", Counted::People),
    ("k=5,ldistinct=2", SUPPRESSION, Counted::People),
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
        let task = |suppression: &str| with_present_leaves(dataset, &case(suppression)?, Counted::Rows);
        let (whole, kept) = (task(SUPPRESSION)?, task("0")?);
        let mut lines: Vec<RecodingLine> = Vec::new();
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
        let suppressing = task("0.99")?;
        for factor in GS_FACTORS {
            let name = format!("iterated full-domain, gs-factor {factor}");
            let started = step(&name)?;
            add(&name, "0.99", iterated(&suppressing, factor, settings)?, started);
        }
        let (mut lower_bound, mut usual) = (None, None);
        for (name, moves) in EFFORTS {
            let started = step(name)?;
            let effort = Effort { moves: moves.number(usual), ..Effort::default() };
            let made = kept.recode(&effort).map_err(|error| failed(error.to_string()))?;
            let Some(made) = made else { continue };
            lower_bound = Some(made.lower_bound);
            usual = Some(made.moves);
            let line = line(name, "0", &made.solution, started);
            lines.push(RecodingLine { moves: Some(made.moves), ..line });
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
    for (promises, suppression, counted) in SETTINGS {
        audience.run(promises, 1);
        if audience.stop() {
            return Err(BenchError::Stopped);
        }
        results.extend(pool.install(|| setting(dataset, (promises, suppression, counted), settings))?);
    }
    Ok(results)
}

/// One setting; `None` where one of the two finds nothing. Iterated recoding may suppress what it likes: a suppressed row loses
/// everything, as in its coarsest box.
fn setting(
    dataset: &DataSet,
    (promises, suppression, counted): (&'static str, &'static str, Counted),
    settings: &Settings,
) -> Result<Option<SettingResult>, BenchError> {
    let task =
        |suppression: &str| with_present_leaves(dataset, &case(dataset, promises, suppression)?, counted);
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
    let made = task(suppression)?.recode(&Effort::default());
    let made = made.map_err(|error| BenchError::internal(error.to_string()))?;
    let ms = milliseconds(started.elapsed());
    Ok(best.zip(made).map(|((iterated, gs_factor, iterated_ms), made)| SettingResult {
        dataset: dataset.name.clone(),
        privacy: promises.to_owned(),
        suppression,
        counted,
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
        moves: None,
        suppressed_rows: solution.suppressed_rows,
        classes: solution.classes,
        ms: milliseconds(started.elapsed()),
    }
}

/// The task of a case where the leaves of a label are the values that occur under it.
fn with_present_leaves(dataset: &DataSet, case: &Case, counted: Counted) -> Result<Task, BenchError> {
    let failed = |error: String| BenchError::internal(format!("{}: {error}", dataset.name));
    let task = Prepared::new(dataset, case)?.task;
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
    let columns = QuasiIdentifiers::new(columns).map_err(|error| failed(error.to_string()))?;
    let (tuples, metric) = (Arc::new(table.clone()), Metric::Loss);
    let task = match counted {
        Counted::Rows => Task::new(tuples, columns, members, metric, limit),
        Counted::People => {
            let people = people(dataset, case, table).map_err(|error| failed(error.to_string()))?;
            Task::of_people(tuples, Arc::new(people), columns, members, metric, limit)
        }
    };
    task.map_err(|error| failed(error.to_string()))
}

/// Mean number of rows of a made-up person.
const ROWS_OF_A_PERSON: u64 = 2;

/// Whose rows these are. The tables have no people of their own, so each row is given to one by its number: some have one row, some have
/// several, and these need not be alike.
fn people(dataset: &DataSet, case: &Case, table: &FrequencyTable) -> Result<People, PeopleError> {
    let all = (dataset.rows as u64).div_ceil(ROWS_OF_A_PERSON);
    let persons: Vec<u32> =
        (0..dataset.rows as u64).map(|row| below(number(PEOPLE_SEED, row), all) as u32).collect();
    let codes: Vec<&[u32]> =
        case.quasi_identifiers.iter().map(|&position| &dataset.columns[position].codes[..]).collect();
    let tuple_of: HashMap<Vec<u32>, u32> = (0..table.tuple_count())
        .map(|tuple| ((0..codes.len()).map(|column| table.column(column).get(tuple)).collect(), tuple as u32))
        .collect();
    let tuples: Option<Vec<u32>> = (0..dataset.rows)
        .map(|row| tuple_of.get(&codes.iter().map(|codes| codes[row]).collect::<Vec<u32>>()).copied())
        .collect();
    let sensitive = case.promises.read_sensitive().then(|| &dataset.columns[case.sensitive].codes);
    let values: Vec<Vec<u32>> = sensitive.into_iter().cloned().collect();
    let cardinalities: Vec<usize> = table.sensitive().iter().map(|column| column.cardinality).collect();
    People::new(table, &persons, &tuples.ok_or(PeopleError::Ragged)?, &values, &cardinalities)
}

/// Which rows are whose.
const PEOPLE_SEED: u64 = 13;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;

    fn quick() -> Settings {
        let algorithms = vec![Algorithm::BestFirst];
        Settings { algorithms, threads: 1, snapshot_bytes: None, repeat: 1, warm_up: 0, time_limit: None }
    }

    #[test]
    fn local_has_the_moves_of_a_search_that_is_told_none() {
        let dataset = DataSet::generate(&"rows=300,qi=3,levels=3,distinct=9".parse().unwrap()).unwrap();
        let result = measure(&dataset, &quick(), &Nobody).unwrap();
        let moves: Vec<u64> = result.lines.iter().filter_map(|line| line.moves).collect();
        // What small tables have at least.
        assert!((50..125).contains(&result.tuples));
        assert_eq!(moves, [0, 8_000, 80_000]);
        let losses: Vec<f64> =
            result.lines.iter().filter(|line| line.moves.is_some()).map(|line| line.loss).collect();
        assert!(losses[1] <= losses[0] && losses[2] <= losses[0], "{losses:?}");
    }

    #[test]
    fn settings_with_suppression_and_with_people_are_compared() {
        let dataset = DataSet::generate(&"rows=300,qi=3,levels=3,distinct=9".parse().unwrap()).unwrap();
        let results = settings(&dataset, &quick(), &Nobody).unwrap();
        let compared = |suppression: &str, counted: Counted| {
            results
                .iter()
                .filter(|result| result.suppression == suppression && result.counted == counted)
                .count()
        };
        assert!(compared("0", Counted::Rows) >= 5 && compared(SUPPRESSION, Counted::Rows) >= 2);
        assert_eq!((compared("0", Counted::People), compared(SUPPRESSION, Counted::People)), (2, 1));
        for result in &results {
            assert!(result.lower_bound <= result.local + 1e-9, "{result:?}");
        }
    }

    #[test]
    fn every_row_is_somebodys_and_many_have_several() {
        let dataset = DataSet::generate(&"rows=300,qi=3,levels=3,distinct=9".parse().unwrap()).unwrap();
        let case = case(&dataset, PROMISES, "0").unwrap();
        let task = with_present_leaves(&dataset, &case, Counted::People).unwrap();
        let people = task.people().unwrap();
        assert!(people.len() <= 150 && people.len() > 100, "{}", people.len());
        assert!(!people.have_one_row_each());
    }
}
