//! Prints bias and coverage of the estimators of population uniqueness, over populations whose truth is known.
//!
//! `cargo run --release -p paravent-evidence --example population_uniqueness`
#![allow(clippy::unwrap_used, reason = "the grid is fixed and valid")]

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use simulation::{Population, Quality, Trial, quality, trial};

/// A way to get an estimate out of a trial.
type Estimator = (&'static str, fn(&Trial) -> Option<f64>);

fn main() {
    let populations = [
        Population::Columns,
        Population::Pitman { theta: 100.0, alpha: 0.5 },
        Population::Zipf { cells: 50_000 },
        Population::Uniform { cells: 20_000 },
    ];
    let estimators: [Estimator; 4] = [
        ("Pitman", |trial| trial.found.pitman),
        ("Zayatz", |trial| trial.found.zayatz),
        ("SNB", |trial| trial.found.snb),
        ("rule", |trial| Some(trial.found.estimate)),
    ];
    println!(
        "50,000 people, 10 samples each. Bias in percentage points of the population; coverage is the share of estimates"
    );
    println!("within a factor of two of the truth, or one percentage point.\n");
    println!(
        "{:<36} {:>5} {:>8}  {:<7} {:>9} {:>8} {:>8}",
        "population", "π", "unique %", "by", "estimates", "bias", "covered"
    );
    for population in populations {
        for fraction in [0.01, 0.05, 0.1, 0.2, 0.5, 0.9] {
            let trials: Vec<Trial> =
                (0..10).map(|seed| trial(population, 50_000, fraction, 1 + seed)).collect();
            let truth = trials.iter().map(|trial| 100.0 * trial.truth / trial.people).sum::<f64>() / 10.0;
            for (name, estimator) in estimators {
                let Quality { available, bias, covered } = quality(&trials, estimator);
                let figures = if available == 0.0 {
                    format!("{:>9} {:>8} {:>8}", "none", "", "")
                } else {
                    format!("{:>8.0}% {bias:>8.2} {:>7.0}%", 100.0 * available, 100.0 * covered)
                };
                println!("{:<36} {fraction:>5} {truth:>8.2}  {name:<7} {figures}", format!("{population:?}"));
            }
        }
    }
}
