//! Noise moves past projections, selections, unions and joins.

use super::*;

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
