//! `policy attack`: attacks that are made from the policy itself.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::{Attempt, Verdict, attack};
use std::fs;
use ward::{POLICY, Ward, rows};

fn attempts(policy: &str) -> Vec<Attempt> {
    let ward = Ward::with(policy, &rows(50));
    // Nothing may be read.
    fs::remove_file(ward.folder.path().join("patients.csv")).unwrap();
    let attempts = attack(&ward.policy, "research", "statistics").unwrap();
    assert!(!ward.folder.path().join("state").exists(), "nothing is paid");
    attempts
}

fn exposed(attempts: &[Attempt]) -> Vec<&str> {
    let hole = |attempt: &&Attempt| matches!(attempt.verdict, Verdict::Exposed(_));
    attempts.iter().filter(hole).map(|attempt| attempt.family).collect()
}

#[test]
fn the_wards_policy_leaves_no_hole_and_every_family_is_tried() {
    let attempts = attempts(POLICY);
    assert_eq!(exposed(&attempts), Vec::<&str>::new());
    let families: std::collections::BTreeSet<&str> = attempts.iter().map(|attempt| attempt.family).collect();
    for family in [
        "denied column in a condition",
        "tiny groups",
        "averaging",
        "complement",
        "extremes",
        "disguise",
        "a condition below its level",
    ] {
        assert!(families.contains(family), "{family}");
    }
    let answered: Vec<&Attempt> =
        attempts.iter().filter(|attempt| matches!(attempt.verdict, Verdict::Harmless(_))).collect();
    assert!(answered.iter().any(|attempt| attempt.family == "the whole table counted"));
    assert!(answered.iter().any(|attempt| attempt.family == "averaging"));
}

#[test]
fn holes_of_a_policy_are_found() {
    let trusted = POLICY
        .replace("trust = \"untrusted\"", "trust = \"trusted\"")
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "");
    // Exact sums without a demand on dominance.
    assert!(exposed(&attempts(&trusted)).contains(&"a sum that one person dominates"));
    let sound = format!("{trusted}dominance = 0.5\n");
    assert_eq!(exposed(&attempts(&sound)), Vec::<&str>::new());
    // Figures about two people.
    let few = sound.replace("min_people = 10", "min_people = 2");
    assert!(exposed(&attempts(&few)).contains(&"tiny groups"));
}
