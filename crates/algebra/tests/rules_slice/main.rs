//! S1–S11: every worked example as a plan before and after, every condition violated once, every other direction tried.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod moves;
#[path = "../support/mod.rs"]
mod support;

use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, Union};
use paravent_algebra::operator::{Buckets, Draw, Generalization, Operator, Overlap, Promise, Slice, Slicing};
use paravent_algebra::rules::{Direction, Kind, NoFacts, Safe, catalogue};
use std::sync::Arc;
use support::*;

const TWO: Buckets = Buckets::Size(2);

fn classes(quasi: &str, k: u32) -> Buckets {
    let quasi = quasi.split(' ').map(named).collect();
    Buckets::Classes(Generalization { quasi, promise: Promise::k_anonymity(k) })
}

fn what_of(plan: &LogicalPlan) -> &Slicing {
    match Operator::of(plan) {
        Some(Operator::Slice(node)) => node.what(),
        _ => panic!("no slicing at the root"),
    }
}

#[test]
fn every_slicing_rule_has_a_card() {
    let cards: Vec<_> =
        catalogue().iter().map(|rule| *rule.card()).filter(|card| card.id.starts_with('S')).collect();
    let ids: Vec<&str> = cards.iter().map(|card| card.id).collect();
    assert_eq!(ids, ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "S12"]);
    for card in cards {
        assert!(
            !card.example.is_empty() && (card.source.contains("corrected") || card.id == "S12"),
            "{}",
            card.id
        );
        assert_eq!(card.direction == Direction::None, card.kind == Kind::None, "{}", card.id);
        assert_eq!(card.direction == Direction::None, card.safe == Safe::No, "{}", card.id);
    }
}

#[test]
fn s1_a_single_group_is_the_relation() {
    let one = slice(relation("r: A B C"), "r.A r.B r.C", TWO);
    let rewrite = rewrites("S1", LeftToRight, &NoFacts, &one, "TableScan: r");
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes));
    refuses("S1", LeftToRight, &NoFacts, &slice(relation("r: A B C"), "r.A | r.B r.C", TWO), "2 groups");
    ignores("S1", RightToLeft, &NoFacts, &relation("r: A B"));
}

#[test]
fn overlapping_groups_are_outside_of_every_rule() {
    let overlapping = |input: LogicalPlan, groups: &str| {
        let groups = groups.split(" | ").map(|group| group.split(' ').map(named).collect()).collect();
        let overlap = Overlap::Allowed { least: 2 };
        Slice::plan(
            input,
            Slicing {
                groups,
                buckets: TWO,
                least_rows: 2,
                overlap,
                draw: Draw::numbered(1),
                demands: Default::default(),
            },
        )
        .unwrap()
    };
    let why = "the groups may overlap";
    let r = || relation("r: A B");
    refuses("S1", LeftToRight, &NoFacts, &overlapping(r(), "r.A r.B"), why);
    let twice = overlapping(overlapping(r(), "r.A | r.B"), "r.A | r.B");
    refuses("S2", LeftToRight, &NoFacts, &twice, why);
    refuses("S3", LeftToRight, &NoFacts, &twice, why);
    refuses(
        "S4",
        LeftToRight,
        &NoFacts,
        &overlapping(project(relation("r: A B C"), "r.A r.B"), "r.A | r.B"),
        why,
    );
    refuses("S5", RightToLeft, &NoFacts, &project(overlapping(r(), "r.A | r.B"), "r.A"), why);
    refuses("S6", RightToLeft, &NoFacts, &project(overlapping(r(), "r.A | r.B"), "r.A"), why);
    refuses("S7", LeftToRight, &NoFacts, &overlapping(filter(r(), column_is("r.A", "x")), "r.A | r.B"), why);
    refuses("S8", LeftToRight, &NoFacts, &overlapping(union(r(), relation("s: A B")), "A | B"), why);
    let joined = join(relation("r: ID A"), relation("s: ID B"), ("r.ID", "s.ID"));
    refuses("S9", LeftToRight, &NoFacts, &overlapping(project(joined, "r.A s.B"), "r.A | s.B"), why);
}

#[test]
fn s2_the_same_slicing_twice_is_once_with_the_same_buckets() {
    let twice = |first: Buckets, second: Buckets| {
        let inner = slice(relation("r: A B C"), "r.A | r.B r.C", first);
        // The order of groups and of columns in them means nothing.
        slice(inner, "r.C r.B | r.A", second)
    };
    let once = "Slice: {C, B} {A}, buckets of 2\nTableScan: r";
    let rewrite = rewrites("S2", LeftToRight, &NoFacts, &twice(TWO, TWO), once);
    assert_eq!(rewrite.kind, Kind::Equivalent);
    let by = || Buckets::By(named("r.A"));
    rewrites(
        "S2",
        LeftToRight,
        &NoFacts,
        &twice(by(), by()),
        "Slice: {C, B} {A}, buckets by A\nTableScan: r",
    );
    refuses(
        "S2",
        LeftToRight,
        &NoFacts,
        &twice(TWO, Buckets::Size(3)),
        "the buckets of the two slicings differ",
    );
    refuses("S2", LeftToRight, &NoFacts, &twice(TWO, by()), "the buckets of the two slicings differ");
    let together = "Slice: {C, B} {A}, classes of [B, C], k = 2\nTableScan: r";
    rewrites("S2", LeftToRight, &NoFacts, &twice(classes("r.B r.C", 2), classes("r.B r.C", 2)), together);
    let torn = twice(classes("r.A r.B", 2), classes("r.A r.B", 2));
    refuses("S2", LeftToRight, &NoFacts, &torn, "the classes may change");
    ignores("S2", LeftToRight, &NoFacts, &slice(slice(relation("r: A B"), "r.A | r.B", TWO), "r.A r.B", TWO));
    let apart = "Slice: {C, B} {A}, buckets of 2\nSlice: {C, B} {A}, buckets of 2\nTableScan: r";
    let apart = rewrites("S2", RightToLeft, &NoFacts, &rewrite.plan, apart);
    assert_ne!(
        what_of(&apart.plan).draw,
        what_of(apart.plan.inputs()[0]).draw,
        "two permutations, two draws"
    );
}

#[test]
fn s3_groups_that_overlap_without_a_cycle_are_refined() {
    let nested = |inner: &str, outer: &str, first: Buckets, second: Buckets| {
        slice(slice(relation("r: A B C D"), inner, first), outer, second)
    };
    let forest = nested("r.A | r.B r.C r.D", "r.A r.B | r.C r.D", TWO, TWO);
    let rewrite =
        rewrites("S3", LeftToRight, &NoFacts, &forest, "Slice: {A} {B} {C, D}, buckets of 2\nTableScan: r");
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes));
    let cycle = nested("r.A r.C | r.B r.D", "r.A r.B | r.C r.D", TWO, TWO);
    let rewrite =
        rewrites("S3", LeftToRight, &NoFacts, &cycle, "Slice: {A} {B} {C} {D}, buckets of 2\nTableScan: r");
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::PartiallyEquivalent, Safe::Yes));
    // One bucket mixed everything; the result would mix pairs only.
    let mixed = nested("r.A | r.B r.C r.D", "r.A r.B | r.C r.D", Buckets::Count(1), TWO);
    let rewrite =
        rewrites("S3", LeftToRight, &NoFacts, &mixed, "Slice: {A} {B} {C, D}, buckets of 2\nTableScan: r");
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::PartiallyEquivalent, Safe::AfterCheck));
    refuses("S3", RightToLeft, &NoFacts, &rewrite.plan, "does not hold in this direction");
}

#[test]
fn s4_slicing_goes_below_a_bag_projection() {
    let above = slice(project(relation("r: A B C D"), "r.A r.B"), "r.A | r.B", TWO);
    let rewrite = rewrites(
        "S4",
        LeftToRight,
        &NoFacts,
        &above,
        "
        Projection: r.A, r.B
          Slice: {A} {B} {C, D}, buckets of 2
            TableScan: r",
    );
    assert_eq!(rewrite.kind, Kind::Equivalent);
    let all = slice(project(relation("r: A B"), "r.B r.A"), "r.A | r.B", Buckets::By(named("r.A")));
    rewrites(
        "S4",
        LeftToRight,
        &NoFacts,
        &all,
        "
        Projection: r.B, r.A
          Slice: {A} {B}, buckets by A
            TableScan: r",
    );
    let dropped = slice(project(relation("r: A B C"), "r.A r.B"), "r.A | r.B", Buckets::By(named("r.C")));
    refuses("S4", LeftToRight, &NoFacts, &dropped, "depend on a column");
    let set = slice(distinct(project(relation("r: A B C"), "r.A r.B")), "r.A | r.B", TWO);
    refuses("S4", LeftToRight, &NoFacts, &set, "drops duplicates");
    refuses("S4", RightToLeft, &NoFacts, &rewrite.plan, "S5 is the rule");
}

#[test]
fn s5_slicing_goes_above_a_bag_projection() {
    let below = |buckets| project(slice(relation("r: A B C D"), "r.A | r.B r.C | r.D", buckets), "r.A r.B");
    let rewrite = rewrites(
        "S5",
        RightToLeft,
        &NoFacts,
        &below(TWO),
        "
        Slice: {A} {B}, buckets of 2
          Projection: r.A, r.B
            TableScan: r",
    );
    assert_eq!(rewrite.kind, Kind::Equivalent);
    rewrites(
        "S5",
        RightToLeft,
        &NoFacts,
        &below(classes("r.A r.B", 2)),
        "
        Slice: {A} {B}, classes of [A, B], k = 2
          Projection: r.A, r.B
            TableScan: r",
    );
    refuses("S5", RightToLeft, &NoFacts, &below(Buckets::By(named("r.D"))), "projected away");
    refuses("S5", RightToLeft, &NoFacts, &below(classes("r.A r.D", 2)), "projected away");
    refuses("S5", RightToLeft, &NoFacts, &distinct(below(TWO)), "drops duplicates");
    refuses("S5", LeftToRight, &NoFacts, &rewrite.plan, "S4 is the rule");
}

#[test]
fn s6_slicing_inside_one_group_is_dropped_also_without_duplicates() {
    let sliced = || slice(relation("r: A B C D"), "r.A | r.B r.C r.D", TWO);
    let inside = project(sliced(), "r.B r.C");
    rewrites(
        "S6",
        RightToLeft,
        &NoFacts,
        &inside,
        "
        Projection: r.B, r.C
          TableScan: r",
    );
    rewrites(
        "S6",
        RightToLeft,
        &NoFacts,
        &distinct(inside),
        "
        Distinct:
          Projection: r.B, r.C
            TableScan: r",
    );
    refuses("S6", RightToLeft, &NoFacts, &project(sliced(), "r.A r.B"), "columns of 2 groups");
    ignores("S6", LeftToRight, &NoFacts, &project(relation("r: A B"), "r.A"));
}

#[test]
fn s10_and_s11_never_hold() {
    let (r, s) = (|| relation("r: A B"), || relation("s: A B"));
    let (left, right) = (|| slice(r(), "r.A | r.B", TWO), || slice(s(), "s.A | s.B", TWO));
    for all in [true, false] {
        let both = LogicalPlanBuilder::intersect(r(), s(), all).unwrap();
        refuses("S10", LeftToRight, &NoFacts, &slice(both, "r.A | r.B", TWO), "probability 1/2");
        let sliced = LogicalPlanBuilder::intersect(left(), right(), all).unwrap();
        refuses("S10", RightToLeft, &NoFacts, &sliced, "probability 1/2");
        ignores("S11", RightToLeft, &NoFacts, &sliced);
        let rest = LogicalPlanBuilder::except(r(), s(), all).unwrap();
        refuses("S11", LeftToRight, &NoFacts, &slice(rest, "r.A | r.B", TWO), "probability 1/2");
        let sliced = LogicalPlanBuilder::except(left(), right(), all).unwrap();
        refuses("S11", RightToLeft, &NoFacts, &sliced, "probability 1/2");
    }
}
