//! The estimators of population uniqueness against populations whose truth is known.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its data has failed")]

mod simulation;

use paravent_evidence::risk::population::Model;
use simulation::{Population, Trial, quality, trial};

fn trials(population: Population, fraction: f64) -> Vec<Trial> {
    (0..5).map(|seed| trial(population, 20_000, fraction, 7 + seed)).collect()
}

#[test]
fn pitman_recovers_populations_of_its_own_kind() {
    for (theta, alpha) in [(20.0, 0.5), (200.0, 0.3), (50.0, 0.7)] {
        for fraction in [0.05, 0.1, 0.3] {
            let found =
                quality(&trials(Population::Pitman { theta, alpha }, fraction), |trial| trial.found.pitman);
            assert_eq!(found.available, 1.0, "θ = {theta}, α = {alpha}, π = {fraction}");
            assert!(
                found.bias.abs() < 1.5 && found.covered == 1.0,
                "θ = {theta}, α = {alpha}, π = {fraction}: {found:?}"
            );
        }
    }
}

#[test]
fn the_rule_errs_on_the_careful_side_and_less_with_more_rows() {
    // Columns like those of real tables: small samples exaggerate, none of them belittles.
    let mut last = f64::INFINITY;
    for (fraction, most) in [(0.05, 15.0), (0.1, 10.0), (0.2, 5.0), (0.5, 2.0), (0.8, 1.0)] {
        let found = quality(&trials(Population::Columns, fraction), |trial| Some(trial.found.estimate));
        assert!(found.bias > -1.0 && found.bias < most && found.covered >= 0.8, "π = {fraction}: {found:?}");
        assert!(found.bias < last, "π = {fraction}: {found:?}");
        last = found.bias;
    }
}

#[test]
fn zayatz_and_the_negative_binomial_converge_to_the_count() {
    for population in [Population::Columns, Population::Zipf { cells: 20_000 }] {
        let near_all = trials(population, 0.95);
        for found in
            [quality(&near_all, |trial| trial.found.zayatz), quality(&near_all, |trial| trial.found.snb)]
        {
            assert!(found.bias.abs() < 1.0 && found.covered == 1.0, "{population:?}: {found:?}");
        }
    }
}

#[test]
fn where_all_cells_are_alike_pitman_gives_no_estimate() {
    // 20 people in every cell, of whom one or two are sampled: nobody is unique.
    let found = trials(Population::Uniform { cells: 1000 }, 0.05);
    assert!(found.iter().all(|trial| trial.found.pitman.is_none() && trial.found.model == Model::Zayatz));
}
