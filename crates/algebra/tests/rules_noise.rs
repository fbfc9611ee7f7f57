//! D1–D17: every worked example as a plan before and after, every condition violated once, every other direction tried.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

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
fn d8_noise_goes_below_a_bag_projection() {
    let above = randomize_from(
        project(relation("r: A B C"), "r.A r.B"),
        "r.A 0.16, r.B 0.5",
        Distribution::Learnt,
        7,
    );
    let rewrite = rewrites(
        "D8",
        LeftToRight,
        &NoFacts,
        &above,
        "
        Projection: r.A, r.B
          Randomize: A 0.16, B 0.5
            TableScan: r",
    );
    assert_eq!(draw_of(rewrite.plan.inputs()[0]), Draw::numbered(7), "one operator stays one draw");
    let set = randomize(distinct(project(relation("r: A B C"), "r.A r.B")), "r.A 0.16");
    refuses("D8", LeftToRight, &NoFacts, &set, "drops duplicates");
    refuses("D8", RightToLeft, &NoFacts, &rewrite.plan, "D9 is the rule");
    let computed = LogicalPlanBuilder::from(relation("r: A B"))
        .project([any("r.A").alias("Z")])
        .unwrap()
        .build()
        .unwrap();
    refuses("D8", LeftToRight, &NoFacts, &randomize(computed, "Z 0.5"), "computes or renames");
}

#[test]
fn d9_noise_goes_above_a_bag_projection_without_what_is_dropped() {
    let below = project(randomize(relation("r: A B C"), "r.A 0.16, r.B 0.5, r.C 0.16"), "r.B r.A");
    rewrites(
        "D9",
        RightToLeft,
        &NoFacts,
        &below,
        "
        Randomize: A 0.16, B 0.5
          Projection: r.B, r.A
            TableScan: r",
    );
    let gone = project(randomize(relation("r: A B C"), "r.C 0.16"), "r.A r.B");
    rewrites(
        "D9",
        RightToLeft,
        &NoFacts,
        &gone,
        "
        Projection: r.A, r.B
          TableScan: r",
    );
    refuses("D9", RightToLeft, &NoFacts, &distinct(below), "drops duplicates");
    let above = randomize(project(relation("r: A B C"), "r.A r.B"), "r.A 0.16");
    refuses("D9", LeftToRight, &NoFacts, &above, "D8 is the rule");
    ignores("D9", RightToLeft, &NoFacts, &project(relation("r: A B C"), "r.A"));
}

#[test]
fn d10_noise_that_is_projected_away_is_dropped_also_without_duplicates() {
    let unseen = project(randomize(relation("r: A B C"), "r.B 0.5"), "r.A r.C");
    rewrites(
        "D10",
        RightToLeft,
        &NoFacts,
        &unseen,
        "
        Projection: r.A, r.C
          TableScan: r",
    );
    rewrites(
        "D10",
        RightToLeft,
        &NoFacts,
        &distinct(unseen),
        "
        Distinct:
          Projection: r.A, r.C
            TableScan: r",
    );
    let seen = project(randomize(relation("r: A B C"), "r.B 0.5"), "r.A r.B");
    refuses("D10", RightToLeft, &NoFacts, &seen, "B is randomised and kept");
    ignores("D10", LeftToRight, &NoFacts, &project(relation("r: A B"), "r.A"));
}

#[test]
fn d11_noise_moves_past_a_selection_on_other_columns() {
    let above = randomize(filter(relation("r: A B"), column_is("r.B", "A0")), "r.A 0.5");
    let rewrite = rewrites(
        "D11",
        LeftToRight,
        &NoFacts,
        &above,
        "
        Filter: r.B != Utf8(\"A0\")
          Randomize: A 0.5
            TableScan: r",
    );
    rewrites(
        "D11",
        RightToLeft,
        &NoFacts,
        &rewrite.plan,
        "
        Randomize: A 0.5
          Filter: r.B != Utf8(\"A0\")
            TableScan: r",
    );
    let read = filter(randomize(relation("r: A B"), "r.B 0.5"), column_is("r.B", "A0"));
    refuses("D11", RightToLeft, &NoFacts, &read, "the selection reads B");
    let read = randomize(filter(relation("r: A B"), column_is("r.B", "A0")), "r.B 0.5");
    refuses("D11", LeftToRight, &NoFacts, &read, "the selection reads B");
    for from in [Distribution::Learnt, Distribution::Uniform { domain: None }] {
        let learnt = randomize_from(filter(relation("r: A B"), column_is("r.B", "A0")), "r.A 0.5", from, 7);
        refuses("D11", LeftToRight, &NoFacts, &learnt, "read off the column");
    }
    refuses(
        "D11",
        RightToLeft,
        &NoFacts,
        &filter(randomize(relation("r: A B"), "r.A 0.5"), volatile()),
        "random itself",
    );
}

#[test]
fn d12_noise_moves_into_and_out_of_bag_unions() {
    let whole = randomize(union(relation("r: A B"), relation("s: A B")), "B 0.5");
    let rewrite = rewrites(
        "D12",
        LeftToRight,
        &NoFacts,
        &whole,
        "
        Union
          Randomize: B 0.5
            TableScan: r
          Randomize: B 0.5
            TableScan: s",
    );
    let draws: Vec<Draw> = rewrite.plan.inputs().iter().map(|part| draw_of(part)).collect();
    assert_eq!(draws, [Draw::numbered(7).part(0), Draw::numbered(7).part(1)]);
    assert_ne!(draws[0], draws[1], "parts are drawn independently");
    rewrites(
        "D12",
        RightToLeft,
        &NoFacts,
        &rewrite.plan,
        "
        Randomize: B 0.5
          Union
            TableScan: r
            TableScan: s",
    );
    let set = randomize(distinct(union(relation("r: A B"), relation("s: A B"))), "B 0.5");
    refuses("D12", LeftToRight, &NoFacts, &set, "UNION ALL only");
    refuses("D12", RightToLeft, &NoFacts, &distinct(rewrite.plan), "UNION ALL only");
    let learnt =
        randomize_from(union(relation("r: A B"), relation("s: A B")), "B 0.5", Distribution::Learnt, 7);
    refuses("D12", LeftToRight, &NoFacts, &learnt, "read off the column");
    let part = |name: &str, noise: &str| randomize(relation(&format!("{name}: A B")), noise);
    refuses("D12", RightToLeft, &NoFacts, &union(part("r", "r.B 0.5"), part("s", "s.B 0.4")), "part 2");
    refuses("D12", RightToLeft, &NoFacts, &union(part("r", "r.B 0.5"), part("s", "s.A 0.5")), "part 2");
    ignores("D12", RightToLeft, &NoFacts, &union(part("r", "r.B 0.5"), relation("s: A B")));
}

#[test]
fn d12_columns_of_parts_are_found_by_place_in_unions_of_any_number() {
    let three = LogicalPlan::Union(
        datafusion::logical_expr::Union::try_new(
            ["r: A B", "s: X Y", "t: B A"].map(|text| std::sync::Arc::new(relation(text))).to_vec(),
        )
        .unwrap(),
    );
    let rewrite = rewrites(
        "D12",
        LeftToRight,
        &NoFacts,
        &randomize(three, "B 0.5"),
        "
        Union
          Randomize: B 0.5
            TableScan: r
          Randomize: Y 0.5
            TableScan: s
          Randomize: A 0.5
            TableScan: t",
    );
    rewrites(
        "D12",
        RightToLeft,
        &NoFacts,
        &rewrite.plan,
        "
        Randomize: B 0.5
          Union
            TableScan: r
            TableScan: s
            TableScan: t",
    );
}

#[test]
fn d13_noise_moves_to_both_sides_of_a_join_on_a_key() {
    let keys = facts(&[], &["r", "s"], false);
    let joined = || join(relation("r: ID A"), relation("s: ID B"), ("r.ID", "s.ID"));
    let whole = randomize(project(joined(), "r.A s.B"), "r.A 0.16, s.B 0.5");
    let rewrite = rewrites(
        "D13",
        LeftToRight,
        &keys,
        &whole,
        "
        Projection: r.A, s.B
          Inner Join: r.ID = s.ID
            Randomize: A 0.16
              TableScan: r
            Randomize: B 0.5
              TableScan: s",
    );
    rewrites(
        "D13",
        RightToLeft,
        &keys,
        &rewrite.plan,
        "
        Randomize: A 0.16, B 0.5
          Projection: r.A, s.B
            Inner Join: r.ID = s.ID
              TableScan: r
              TableScan: s",
    );
    let one_side = randomize(project(joined(), "r.A s.B"), "r.A 0.16");
    rewrites(
        "D13",
        LeftToRight,
        &keys,
        &one_side,
        "
        Projection: r.A, s.B
          Inner Join: r.ID = s.ID
            Randomize: A 0.16
              TableScan: r
            TableScan: s",
    );
    for one_to_many in [facts(&[], &["r"], true), facts(&[], &["s"], true)] {
        refuses("D13", LeftToRight, &one_to_many, &whole, "would share their noise");
        refuses("D13", RightToLeft, &one_to_many, &rewrite.plan, "would share their noise");
    }
    refuses("D13", LeftToRight, &NoFacts, &whole, "nobody knows");
    let noisy_id = randomize(project(joined(), "r.ID r.A s.B"), "r.ID 0.1");
    refuses("D13", LeftToRight, &keys, &noisy_id, "ID is a join column");
    let noisy_id = join(randomize(relation("r: ID A"), "r.ID 0.1"), relation("s: ID B"), ("r.ID", "s.ID"));
    refuses("D13", RightToLeft, &keys, &noisy_id, "partners would be lost");
    let learnt = randomize_from(project(joined(), "r.A s.B"), "r.A 0.16", Distribution::Learnt, 7);
    refuses("D13", LeftToRight, &keys, &learnt, "read off the column");
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
