//! The ε audit at length: `cargo run --release -p paravent-algebra --example epsilon_audit [DRAWS]`.
//!
//! Draws a million answers (or as many as asked for) of every query shape that `private` accepts, on neighbouring tables and at ε = 0.5, 1 and 2,
//! and looks for events that are more likely than the promise allows. Then plants faults, and expects to find them. Ends with 1 where a sound shape
//! breaks its promise or a fault is not found.

use paravent_algebra::audit::{ALPHA, Fault, LEVELS, MOST_EVENTS, Outcome, audit, shapes};
use paravent_algebra::error::AlgebraError;
use std::process::ExitCode;

fn main() -> Result<ExitCode, AlgebraError> {
    let draws = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let mut sound = Outcome::default();
    for shape in shapes() {
        for level in &LEVELS {
            let outcome = audit(&shape, level, draws, Fault::None)?;
            let verdict = if outcome.findings.is_empty() { "holds" } else { "BROKEN" };
            println!("{:<34} ε = {:<4} {:>6} events  {verdict}", shape.name, level.epsilon, outcome.events);
            sound = sound.and(outcome);
        }
    }
    println!(
        "{} answers, {} events (of at most {MOST_EVENTS}), chance of a false alarm {ALPHA}: {} findings",
        sound.draws,
        sound.events,
        sound.findings.len()
    );
    sound.findings.iter().for_each(|finding| println!("  {finding}"));
    let mut missed = 0;
    for (fault, names) in [
        (Fault::LittleNoise, &["people", "declared groups", "sum", "Gaussian"][..]),
        (Fault::ForgottenJoin, &["join on the person", "rows twice", "copies"]),
    ] {
        for shape in shapes().iter().filter(|shape| names.contains(&shape.name)) {
            let found = !audit(shape, &LEVELS[2], draws, fault)?.findings.is_empty();
            missed += usize::from(!found);
            println!("planted {fault:?} in {}: {}", shape.name, if found { "found" } else { "MISSED" });
        }
    }
    let good = sound.findings.is_empty() && sound.events <= MOST_EVENTS && missed == 0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
