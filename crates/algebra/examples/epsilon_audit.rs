//! The ε audit at length: `cargo run --release -p paravent-algebra --example epsilon_audit [DRAWS] [sound | faults] [SHAPE]`.
//!
//! Draws a million answers (or as many as asked for) from each table of every query shape that `private` accepts, on neighbouring tables and at
//! ε = 0.5, 1 and 2, and looks for events that are more likely than the promise allows. Then plants faults, and expects to find them. Ends with 1
//! where a sound shape breaks its promise or a fault is not found. `sound` or `faults` is one half of it, and a name one shape.

use paravent_algebra::audit::{
    ALPHA, Fault, LEVELS, MOST_EVENTS, Outcome, Shape, audit, shapes, shows_little_noise,
};
use paravent_algebra::error::AlgebraError;
use std::process::ExitCode;

fn main() -> Result<ExitCode, AlgebraError> {
    let draws = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let half = std::env::args().nth(2);
    let sound = half.as_deref() == Some("faults") || sound(draws)?;
    let faults = half.as_deref() == Some("sound") || faults(draws)?;
    Ok(if sound && faults { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn asked_for(shape: &Shape) -> bool {
    std::env::args().nth(3).is_none_or(|name| shape.name.starts_with(&name))
}

fn sound(draws: u64) -> Result<bool, AlgebraError> {
    let mut sound = Outcome::default();
    for shape in shapes().into_iter().filter(asked_for) {
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
    Ok(sound.findings.is_empty() && sound.events <= MOST_EVENTS)
}

fn faults(draws: u64) -> Result<bool, AlgebraError> {
    let mut missed = 0;
    for (fault, names) in [
        (Fault::LittleNoise, None),
        (Fault::ForgottenJoin, Some(["join on the person", "rows twice", "copies", "WITH, used twice"])),
    ] {
        let planted = shapes().into_iter().filter(asked_for).filter(|shape| match names {
            Some(names) => names.contains(&shape.name),
            None => shows_little_noise(shape),
        });
        for shape in planted {
            let found = !audit(&shape, &LEVELS[2], draws, fault)?.findings.is_empty();
            missed += usize::from(!found);
            println!("planted {fault:?} in {}: {}", shape.name, if found { "found" } else { "MISSED" });
        }
    }
    Ok(missed == 0)
}
