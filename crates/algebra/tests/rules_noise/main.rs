//! D1–D17: every worked example as a plan before and after, every condition violated once, every other direction tried.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod moves;
#[path = "../support/mod.rs"]
mod support;

use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use paravent_algebra::operator::{Distribution, Draw, Operator, Randomize, Step, Tails};
use paravent_algebra::rules::{Direction, Kind, NoFacts, Safe, catalogue, rewriter_names, rewriter_rule};
use support::*;

fn draw_of(plan: &LogicalPlan) -> Draw {
    match Operator::of(plan) {
        Some(Operator::Randomize(node)) => node.what().draw,
        _ => panic!("no noise at the root"),
    }
}

fn neighbours() -> Distribution {
    let step = |by| Step { by, probability: noise_of("0.5", uniform()).probability };
    let domain = ["01.01.", "02.01.", "03.01."].map(str::to_owned).to_vec();
    Distribution::Steps { domain, steps: vec![step(-1), step(1)], tails: Tails::Cyclic }
}

#[test]
fn every_noise_rule_has_a_card() {
    let cards: Vec<_> =
        catalogue().iter().map(|rule| *rule.card()).filter(|card| card.id.starts_with('D')).collect();
    let ids: Vec<&str> = cards.iter().map(|card| card.id).collect();
    assert_eq!(
        ids,
        [
            "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15",
            "D16", "D17"
        ]
    );
    for card in cards {
        let beyond = matches!(card.id, "D16" | "D17");
        assert!(!card.example.is_empty() && (card.source.contains("corrected") || beyond), "{}", card.id);
        assert_eq!(card.direction == Direction::None, card.kind == Kind::None, "{}", card.id);
        assert_eq!(card.direction == Direction::None, card.safe == Safe::No, "{}", card.id);
    }
}

#[test]
fn d1_noise_on_no_column_is_dropped() {
    let idle = randomize(relation("r: A B"), "");
    let rewrite = rewrites("D1", LeftToRight, &NoFacts, &idle, "TableScan: r");
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes));
    ignores("D1", LeftToRight, &NoFacts, &randomize(relation("r: A B"), "r.A 0.5"));
    ignores("D1", RightToLeft, &NoFacts, &relation("r: A B"));
}

#[test]
fn d2_noise_that_never_happens_is_dropped() {
    rewrites("D2", LeftToRight, &NoFacts, &randomize(relation("r: A B"), "r.A 0, r.B 0.0"), "TableScan: r");
    refuses(
        "D2",
        LeftToRight,
        &NoFacts,
        &randomize(relation("r: A B"), "r.A 0, r.B 0.1"),
        "B is redrawn with probability 0.1",
    );
    ignores("D2", RightToLeft, &NoFacts, &relation("r: A B"));
}

#[test]
fn d3_noise_on_a_missing_column_is_refused_when_it_is_made() {
    let made = Randomize::plan(
        relation("r: A B"),
        vec![(named("C"), noise_of("0.5", uniform()))],
        Draw::numbered(1),
    );
    assert!(made.unwrap_err().to_string().contains("there is no column \"C\""));
    refuses(
        "D3",
        LeftToRight,
        &NoFacts,
        &randomize(relation("r: A B"), "r.A 0.5"),
        "A is a column of the relation",
    );
    ignores("D3", RightToLeft, &NoFacts, &relation("r: A B"));
}

#[test]
fn d4_the_same_noise_twice_is_once_only_at_the_extremes() {
    let twice = |noise: &str, from: Distribution| {
        randomize_from(randomize_from(relation("r: A B"), noise, from.clone(), 1), noise, from, 2)
    };
    refuses("D4", LeftToRight, &NoFacts, &twice("r.B 0.5", uniform()), "5/8");
    rewrites(
        "D4",
        LeftToRight,
        &NoFacts,
        &twice("r.A 0, r.B 1", uniform()),
        "Randomize: A 0, B 1\nTableScan: r",
    );
    rewrites(
        "D4",
        LeftToRight,
        &NoFacts,
        &twice("r.A 0", Distribution::Learnt),
        "Randomize: A 0\nTableScan: r",
    );
    refuses("D4", LeftToRight, &NoFacts, &twice("r.A 1", neighbours()), "changes the distribution of A");
    refuses(
        "D4",
        LeftToRight,
        &NoFacts,
        &twice("r.A 1", Distribution::Learnt),
        "changes the distribution of A",
    );
    refuses(
        "D4",
        LeftToRight,
        &NoFacts,
        &twice("r.A 1", Distribution::Declared),
        "changes the distribution of A",
    );
    refuses(
        "D4",
        RightToLeft,
        &NoFacts,
        &randomize(relation("r: A"), "r.A 1"),
        "does not hold in this direction",
    );
    ignores("D4", LeftToRight, &NoFacts, &randomize(randomize(relation("r: A"), "r.A 1"), "r.A 0.5"));
}

#[test]
fn d5_noise_on_different_columns_is_taken_at_once_and_apart_again() {
    let inner = randomize_from(relation("r: A B"), "r.B 0.5", Distribution::Learnt, 1);
    let nested = randomize_from(inner, "r.A 0.16", neighbours(), 2);
    let merged = rewrites("D5", LeftToRight, &NoFacts, &nested, "Randomize: A 0.16, B 0.5\nTableScan: r");
    assert_eq!(draw_of(&merged.plan), Draw::numbered(2), "the outer draw stays");
    let apart = rewrites(
        "D5",
        RightToLeft,
        &NoFacts,
        &merged.plan,
        "Randomize: A 0.16\nRandomize: B 0.5\nTableScan: r",
    );
    let inner = apart.plan.inputs()[0];
    assert_ne!(draw_of(&apart.plan), draw_of(inner), "parts are drawn independently");
    assert_eq!(draw_of(&apart.plan), Draw::numbered(2).part(0));
    let shared = randomize(randomize(relation("r: A B"), "r.A 0.5"), "r.A 0.1, r.B 0.1");
    refuses("D5", LeftToRight, &NoFacts, &shared, "A is randomised by both");
    ignores("D5", RightToLeft, &NoFacts, &randomize(relation("r: A B"), "r.A 0.5"));
}

#[test]
fn d6_the_same_static_noise_twice_has_an_exact_probability() {
    let twice = |from: Distribution| {
        let noise = "r.A 0.16, r.B 0.5";
        randomize_from(randomize_from(relation("r: A B"), noise, from.clone(), 1), noise, from, 2)
    };
    let rewrite =
        rewrites("D6", LeftToRight, &NoFacts, &twice(uniform()), "Randomize: A 0.2944, B 0.75\nTableScan: r");
    assert_eq!(draw_of(&rewrite.plan), Draw::numbered(2));
    refuses("D6", LeftToRight, &NoFacts, &twice(neighbours()), "0.7184");
    refuses("D6", LeftToRight, &NoFacts, &twice(Distribution::Declared), "may depend on the old value");
    refuses("D6", LeftToRight, &NoFacts, &twice(Distribution::Learnt), "read off the column");
    refuses(
        "D6",
        LeftToRight,
        &NoFacts,
        &twice(Distribution::Uniform { domain: None }),
        "read off the column",
    );
    refuses(
        "D6",
        RightToLeft,
        &NoFacts,
        &randomize(relation("r: A"), "r.A 0.2944"),
        "does not hold in this direction",
    );
    ignores("D6", LeftToRight, &NoFacts, &randomize(randomize(relation("r: A B"), "r.A 0.1"), "r.A 0.2"));
}

#[test]
fn d7_noise_after_noise_keeps_missing_columns_as_they_are() {
    let nested = randomize(randomize(relation("r: A B C"), "r.A 0.16, r.B 0.2"), "r.B 0.3, r.C 0.5");
    rewrites("D7", LeftToRight, &NoFacts, &nested, "Randomize: A 0.16, B 0.44, C 0.5\nTableScan: r");
    let other = Distribution::Uniform { domain: Some(vec!["BB".to_owned()]) };
    let nested = randomize(randomize_from(relation("r: A B"), "r.B 0.2", other, 1), "r.B 0.3");
    refuses("D7", LeftToRight, &NoFacts, &nested, "different distributions");
    // Columns in one of them only may have any noise.
    let nested = randomize(randomize_from(relation("r: A B"), "r.A 0.2", neighbours(), 1), "r.B 0.3");
    ignores("D7", LeftToRight, &NoFacts, &nested);
    refuses(
        "D7",
        RightToLeft,
        &NoFacts,
        &randomize(relation("r: A"), "r.A 0.44"),
        "does not hold in this direction",
    );
}

#[test]
fn d7_digits_that_no_longer_fit_are_refused() {
    let mut plan = randomize(relation("r: A"), "r.A 0.123456789012345678901234567891");
    plan = randomize(plan, "r.A 0.123456789012345678901234567891");
    refuses("D7", LeftToRight, &NoFacts, &plan, "too many digits");
}

#[test]
fn d14_and_d15_never_hold() {
    let (r, s) = (|| relation("r: B"), || relation("s: B"));
    for all in [true, false] {
        let both = LogicalPlanBuilder::intersect(r(), s(), all).unwrap();
        refuses("D14", LeftToRight, &NoFacts, &randomize(both, "r.B 0.5"), "3/8");
        let noisy =
            LogicalPlanBuilder::intersect(randomize(r(), "r.B 0.5"), randomize(s(), "s.B 0.5"), all).unwrap();
        refuses("D14", RightToLeft, &NoFacts, &noisy, "3/8");
        ignores("D15", RightToLeft, &NoFacts, &noisy);
        let rest = LogicalPlanBuilder::except(r(), s(), all).unwrap();
        refuses("D15", LeftToRight, &NoFacts, &randomize(rest, "r.B 0.5"), "3/8");
        let noisy =
            LogicalPlanBuilder::except(randomize(r(), "r.B 0.5"), randomize(s(), "s.B 0.5"), all).unwrap();
        refuses("D15", RightToLeft, &NoFacts, &noisy, "3/8");
    }
}

#[test]
fn the_rewriter_knows_its_five_rules_by_name() {
    let known: Vec<(&str, &str, _)> = rewriter_names()
        .map(|name| {
            let (rule, way) = rewriter_rule(name).unwrap();
            (name, rule.card().id, way)
        })
        .collect();
    assert_eq!(
        known,
        [
            ("DP01", "D12", LeftToRight),
            ("DP02", "D12", RightToLeft),
            ("DP03", "D8", LeftToRight),
            ("DP04", "D9", RightToLeft),
            ("DP05", "D10", RightToLeft),
        ]
    );
    assert!(rewriter_rule("DP06").is_none());
}

/// γ above noise: unseen noise goes, seen noise stays, and its counts are estimated and not rewritten.
#[test]
fn noise_that_a_grouping_cannot_see_goes() {
    use datafusion::functions_aggregate::expr_fn::{count, min};
    use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
    let noisy = || randomize(relation("r: A B C"), "r.C 0.5");
    let grouped = |by: &str, of: Option<&str>| -> LogicalPlan {
        let figure = of.map_or_else(|| count(lit(1_i64)), |name| min(any(name)));
        LogicalPlanBuilder::from(noisy()).aggregate(vec![any(by)], vec![figure]).unwrap().build().unwrap()
    };
    rewrites(
        "D16",
        RightToLeft,
        &NoFacts,
        &grouped("r.A", None),
        "Aggregate: groupBy=[[r.A]], aggr=[[count(Int64(1))]]
         TableScan: r",
    );
    rewrites(
        "D16",
        RightToLeft,
        &NoFacts,
        &grouped("r.A", Some("r.B")),
        "Aggregate: groupBy=[[r.A]], aggr=[[min(r.B)]]
         TableScan: r",
    );
    refuses("D16", RightToLeft, &NoFacts, &grouped("r.C", None), "C, which is randomised");
    refuses("D16", RightToLeft, &NoFacts, &grouped("r.A", Some("r.C")), "C, which is randomised");
    ignores("D16", LeftToRight, &NoFacts, &grouped("r.A", None));
    refuses("D17", LeftToRight, &NoFacts, &grouped("r.C", None), "3/2");
    ignores("D17", LeftToRight, &NoFacts, &grouped("r.A", None));
}
