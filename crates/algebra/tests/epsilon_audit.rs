//! The ε audit in small: accepted query shapes keep their promise, and planted faults are found. At length: `examples/epsilon_audit.rs`.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::audit::{Fault, LEVELS, MOST_EVENTS, Outcome, Shape, audit, shapes};

fn named(name: &str) -> Shape {
    shapes().into_iter().find(|shape| shape.name == name).unwrap()
}

/// A small sample of what `examples/epsilon_audit.rs` does at length.
#[test]
fn no_accepted_shape_tells_more_than_it_may() {
    let mut outcome = Outcome::default();
    for (place, shape) in shapes().iter().enumerate() {
        let result = audit(shape, &LEVELS[place % LEVELS.len()], 500, Fault::None);
        outcome = outcome.and(result.unwrap_or_else(|error| panic!("{}: {error}", shape.name)));
    }
    assert!(outcome.findings.is_empty(), "{}", outcome.findings[0]);
    assert!((1_000..MOST_EVENTS / LEVELS.len()).contains(&outcome.events), "{} events", outcome.events);
}

#[test]
fn too_little_noise_is_found() {
    let outcome = audit(&named("people"), &LEVELS[2], 16_000, Fault::LittleNoise).unwrap();
    assert!(!outcome.findings.is_empty(), "15 % too little noise passed");
}

#[test]
fn a_forgotten_join_is_found() {
    for name in ["join on the person", "rows twice"] {
        let outcome = audit(&named(name), &LEVELS[1], 1_500, Fault::ForgottenJoin).unwrap();
        assert!(!outcome.findings.is_empty(), "{name}: a person that counts twice passed");
    }
}
