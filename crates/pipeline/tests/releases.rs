//! Whole runs on random small tables: every release is optimal, accepted by the verifier, and the same bytes whatever the number of
//! threads or the order of the rows.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod cases;

use cases::{Case, case};
use paravent_pipeline::run::{RunError, RunOptions, anonymize, dry_run};
use paravent_tables::watch::Unwatched;
use paravent_tables::write::Replace;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// Loss and data file of a run, or that there is no solution.
fn run(case: &Case, reversed: bool, threads: u32) -> Option<(f64, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    case.write(folder.path(), reversed, threads, r#"algorithm = "auto""#);
    match anonymize(&folder.path().join("paravent.toml"), &RunOptions::default(), &Unwatched) {
        Ok(finished) => {
            assert!(finished.document.output.unwrap().verified);
            let data = fs::read(folder.path().join("release").join(format!("data.{}", case.format))).unwrap();
            Some((finished.document.solution.loss, data))
        }
        Err(RunError::Infeasible { relaxations, complete }) => {
            assert!(complete);
            assert!(!folder.path().join("release").exists());
            each_relaxation_works(case, folder.path(), &relaxations);
            None
        }
        // Random wishes may contradict the table, as k beyond its rows; that is said, not run.
        Err(RunError::Problems(_)) => None,
        Err(RunError::Refuted(verification)) => {
            panic!("the verifier refuses: {:?}", verification.violations().collect::<Vec<_>>())
        }
        Err(other) => panic!("{other}"),
    }
}

fn each_relaxation_works(case: &Case, folder: &Path, relaxations: &[paravent_prepare::study::Relaxation]) {
    for relaxation in relaxations.iter().filter(|relaxation| relaxation.key == "privacy.suppression_limit") {
        case.write(folder, false, 1, r#"algorithm = "auto""#);
        let job = fs::read_to_string(folder.join("paravent.toml")).unwrap();
        let relaxed = job.replace(
            &format!("suppression_limit = {}\n", case.limit),
            &format!("suppression_limit = {}\n", relaxation.to),
        );
        assert_ne!(job, relaxed);
        fs::write(folder.join("relaxed.toml"), relaxed).unwrap();
        let finished = dry_run(&folder.join("relaxed.toml"), &RunOptions::default(), &Unwatched);
        assert!(finished.is_ok(), "{} does not work: {:?}", relaxation.to, finished.err());
    }
}

fn exhaustive_loss(case: &Case) -> Option<f64> {
    let folder = tempfile::tempdir().unwrap();
    case.write(folder.path(), false, 2, r#"algorithm = "exhaustive""#);
    let finished = dry_run(&folder.path().join("paravent.toml"), &RunOptions::default(), &Unwatched);
    finished.ok().map(|finished| finished.document.solution.loss)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn releases_are_optimal_verified_and_repeatable(case in case()) {
        let first = run(&case, false, 1);
        let again = run(&case, true, 2);
        prop_assert_eq!(&first, &again);
        prop_assert_eq!(first.map(|(loss, _)| loss), exhaustive_loss(&case));
    }
}

const ALGORITHMS: [&str; 11] = [
    "best-first",
    "flash",
    "flash-parallel",
    "flash-two-phase",
    "flash-dfs",
    "ola",
    "incognito",
    "samarati",
    "bfs",
    "dfs",
    "exhaustive",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 60, ..ProptestConfig::default() })]

    // What an algorithm claims to be optimal is; what it finds when forced keeps the promises, and "there is none" is never guessed.
    #[test]
    fn every_algorithm_is_right_or_says_that_it_may_not_be(case in case()) {
        let best = exhaustive_loss(&case);
        let folder = tempfile::tempdir().unwrap();
        let job = folder.path().join("paravent.toml");
        for algorithm in ALGORITHMS {
            case.write(folder.path(), false, 2, &format!("algorithm = {algorithm:?}"));
            let asked = dry_run(&job, &RunOptions::default(), &Unwatched);
            case.write(folder.path(), false, 2, &format!("algorithm = {algorithm:?}\nforce = true"));
            let force = RunOptions { replace: Replace::Force, ..RunOptions::default() };
            let forced = anonymize(&job, &force, &Unwatched);
            match asked {
                Ok(asked) => {
                    let forced = forced.unwrap().document;
                    prop_assert!(asked.document.search.optimal && forced.search.optimal, "{}", algorithm);
                    prop_assert_eq!(Some(asked.document.solution.loss), best);
                    prop_assert_eq!(Some(forced.solution.loss), best);
                }
                Err(RunError::Problems(problems)) if problems.0[0].key.as_deref() == Some("search.algorithm") => {
                    prop_assert!(problems.to_string().contains("cannot guarantee"));
                    prop_assert_eq!(forced.is_ok(), best.is_some(), "{}", algorithm);
                    let Ok(forced) = forced else { continue };
                    prop_assert!(forced.document.output.unwrap().verified);
                    // If it found nothing, best-first was asked.
                    let repeated = forced.document.search.algorithm != algorithm;
                    prop_assert_eq!(forced.document.search.optimal, repeated);
                    prop_assert!(repeated || forced.document.warnings.iter().any(|line| line.contains("better release")));
                    let best = best.unwrap();
                    prop_assert!(forced.document.solution.loss >= best - 1e-9 * best.abs());
                }
                Err(_) => prop_assert!(best.is_none() && forced.is_err()),
            }
        }
    }
}

fn six_alike(metric: &'static str) -> Case {
    Case {
        rows: vec![[30, 1, 2, 0, 0, 1]; 6],
        models: vec!["model = \"k-anonymity\", k = 2".into()],
        limit: "0",
        metric,
        format: "csv",
        persons: Vec::new(),
        person_rows: "apart",
    }
}

#[test]
fn an_algorithm_without_a_guarantee_is_refused_with_the_ones_that_have_it() {
    let folder = tempfile::tempdir().unwrap();
    six_alike("nuem").write(folder.path(), false, 1, "algorithm = \"samarati\"");
    let job = folder.path().join("paravent.toml");
    let refused = dry_run(&job, &RunOptions::default(), &Unwatched).unwrap_err().to_string();
    let told = "search.algorithm: samarati cannot guarantee the best release here: it looks for the lowest transformation";
    assert!(refused.contains(told), "{refused}");
    assert!(refused.contains("\"auto\", or one of best-first, flash, flash-parallel,"), "{refused}");
    assert!(refused.contains("force = true"), "{refused}");
    six_alike("height").write(folder.path(), false, 1, "algorithm = \"samarati\"");
    let found = dry_run(&job, &RunOptions::default(), &Unwatched).unwrap().document;
    assert_eq!((found.search.algorithm, found.search.optimal), ("samarati", true));
    // Columns of unequal weight: the lowest is not the best.
    let text = fs::read_to_string(&job).unwrap();
    fs::write(&job, text.replacen("name = \"sex\"", "name = \"sex\"\nweight = 2.0", 1)).unwrap();
    assert!(matches!(dry_run(&job, &RunOptions::default(), &Unwatched), Err(RunError::Problems(_))));
}

#[test]
fn a_release_is_replaced_only_when_told_to() {
    let case = six_alike("nuem");
    let folder = tempfile::tempdir().unwrap();
    case.write(folder.path(), false, 1, r#"algorithm = "auto""#);
    let job = folder.path().join("paravent.toml");
    anonymize(&job, &RunOptions::default(), &Unwatched).unwrap();
    assert!(matches!(anonymize(&job, &RunOptions::default(), &Unwatched), Err(RunError::Write(_))));
    let force = RunOptions { replace: Replace::Force, ..RunOptions::default() };
    anonymize(&job, &force, &Unwatched).unwrap();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains(".paravent-")), "{left:?}");
}
