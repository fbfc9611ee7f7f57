//! Every rule on the plans of its fixture, and on random plans over tiny random relations.
//!
//! A fixture is the text file beside the rule; `fixtures` reads it.
//!
//! For each rule, plans are made around one of its sides, with its condition kept and with its condition broken, and put into random surroundings. Where the
//! rule rewrites, both plans are evaluated by the slow twin in `meaning`: equivalent plans must have equal bags (with chance: equal distributions of bags,
//! as exact fractions), partially equivalent ones what the algebra defines, and safe ones the guarantee. Where the condition is broken, nothing may be
//! rewritten. A rule that was never applied or never left a plan alone fails the test.
//!
//! `PARAVENT_PLANS=10000 cargo test -p paravent-algebra --release --test rules_random -- --nocapture` is the long run: so many plans per family.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

#[path = "../support/dice.rs"]
mod dice;
mod engine;
mod examples;
mod fixtures;
mod judge;
#[path = "../meaning/mod.rs"]
mod meaning;
mod planted;
mod run;
mod scenes;
mod surroundings;
mod workshop;

use run::{Tally, Trust, family, seed_of, try_rule};

/// Plans per family: enough for every rule in seconds, unless more are asked for.
fn plans() -> usize {
    std::env::var("PARAVENT_PLANS").map_or(400, |text| text.parse().expect("PARAVENT_PLANS is a number"))
}

#[track_caller]
fn sound(tally: &Tally) {
    println!("{tally}");
    sound_so_far(tally);
    assert_eq!(tally.vacuous(), Vec::<&str>::new(), "never applied, or never left alone:\n{tally}");
}

#[track_caller]
fn sound_so_far(tally: &Tally) {
    let wrong = &tally.wrong;
    wrong.iter().for_each(|why| println!("{}", why.lines().next().unwrap_or_default()));
    assert!(
        wrong.is_empty(),
        "{} plans are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
}

#[test]
fn rules_of_generalization_keep_what_they_say() {
    sound(&family("G", plans()));
}

#[test]
fn rules_of_slicing_keep_what_they_say() {
    sound(&family("S", plans()));
}

#[test]
fn rules_of_noise_keep_what_they_say() {
    sound(&family("D", plans()));
}

#[test]
fn classical_rules_keep_what_they_say() {
    sound(&family("C", plans()));
}

#[test]
fn every_planted_rule_is_found() {
    for wrong in planted::ALL {
        let mut tally = Tally::default();
        let mut number = 0;
        while tally.wrong.is_empty() && number < 1_000 {
            try_rule(wrong, wrong.of, seed_of(wrong.of, number), Trust::Planted, &mut tally);
            number += 1;
        }
        let (of, forgets) = (wrong.of, wrong.forgets);
        assert!(!tally.wrong.is_empty(), "{of}, which forgets {forgets}, is not found:\n{tally}");
        println!("{of}, which forgets {forgets}: found after {number} plans");
    }
}

#[tokio::test]
async fn the_engine_does_what_plans_mean() {
    let ran = engine::run(plans() / 4).await;
    println!(
        "{} plans were run, {} of them rewritten as well; {} refused",
        ran.plans, ran.rewritten, ran.refused
    );
    let wrong = &ran.wrong;
    assert!(
        wrong.is_empty(),
        "{} plans are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
    assert!(ran.rewritten > 0, "no rewritten plan was run");
}

/// `PARAVENT_PLAN="S7 2475229570600059079"` looks at the plan of a rule and a seed again.
#[test]
fn a_plan_can_be_repeated() {
    let which = std::env::var("PARAVENT_PLAN").unwrap_or_else(|_| "S7 2475229570600059079".to_owned());
    let (id, seed) = which.split_once(' ').expect("a rule and a seed");
    let rule = paravent_algebra::rules::rule(id).expect("a rule");
    let mut tally = Tally::default();
    try_rule(rule, rule.card().id, seed.parse().expect("a seed"), Trust::None, &mut tally);
    sound_so_far(&tally);
}
