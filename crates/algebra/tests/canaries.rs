//! Random statements never give away what they must not. At length: `examples/canaries.rs`.

mod canary;

use canary::{FAULTS, Fault, statements};

#[test]
fn no_statement_gives_away_what_it_must_not() {
    let outcome = statements(500, 1, Fault::None);
    for (what, sql) in &outcome.leaks {
        eprintln!("{what}\n  {sql}");
    }
    eprintln!("{} answers, {} refusals, {} counted", outcome.answers, outcome.refusals, outcome.counted);
    assert!(outcome.leaks.is_empty(), "{} leaks", outcome.leaks.len());
    // The test means something only where statements are answered.
    assert!(
        outcome.answers >= 100 && outcome.counted >= 15,
        "{} answers, {} counted",
        outcome.answers,
        outcome.counted
    );
}

#[test]
fn planted_leaks_are_noticed() {
    for fault in FAULTS {
        let outcome = statements(100, 2, fault);
        assert!(!outcome.leaks.is_empty(), "{fault:?} was not noticed");
    }
}
