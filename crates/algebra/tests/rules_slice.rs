//! S1–S11: every worked example as a plan before and after, every condition violated once, every other direction tried.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

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
fn s7_a_selection_moves_only_where_it_keeps_whole_buckets() {
    let above = |buckets, column: &str| {
        slice(filter(relation("r: A B"), column_is(column, "B0")), "r.A | r.B", buckets)
    };
    let below = |buckets, column: &str| {
        filter(slice(relation("r: A B"), "r.A | r.B", buckets), column_is(column, "B0"))
    };
    let by = || Buckets::By(named("r.B"));
    rewrites(
        "S7",
        LeftToRight,
        &NoFacts,
        &above(by(), "r.B"),
        "
        Filter: r.B != Utf8(\"B0\")
          Slice: {A} {B}, buckets by B
            TableScan: r",
    );
    rewrites(
        "S7",
        RightToLeft,
        &NoFacts,
        &below(by(), "r.B"),
        "
        Slice: {A} {B}, buckets by B
          Filter: r.B != Utf8(\"B0\")
            TableScan: r",
    );
    for (buckets, column) in [(TWO, "r.B"), (by(), "r.A"), (classes("r.B", 2), "r.B")] {
        refuses("S7", LeftToRight, &NoFacts, &above(buckets.clone(), column), "not constant on every bucket");
        refuses("S7", RightToLeft, &NoFacts, &below(buckets, column), "not constant on every bucket");
    }
    let random = filter(slice(relation("r: A B"), "r.A | r.B", by()), volatile());
    refuses("S7", RightToLeft, &NoFacts, &random, "random itself");
}

#[test]
fn s8_parts_are_sliced_apart_and_equivalent_where_windows_end() {
    let whole = |buckets| slice(union(relation("r: A B"), relation("s: A B")), "A | B", buckets);
    let known = |r, s| facts(&[("r", r), ("s", s)], &[], false);
    let apart = "
        Union
          Slice: {A} {B}, buckets of 2
            TableScan: r
          Slice: {A} {B}, buckets of 2
            TableScan: s";
    let rewrite = rewrites("S8", LeftToRight, &known(2, 2), &whole(TWO), apart);
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes), "borders are equal");
    let draws: Vec<Draw> = rewrite.plan.inputs().iter().map(|part| what_of(part).draw).collect();
    assert_eq!(draws, [Draw::numbered(7).part(0), Draw::numbered(7).part(1)]);
    // Seven rows in windows of 2 are 3, 2, 2; three and four rows by themselves are 3 and 2, 2.
    assert_eq!(rewrites("S8", LeftToRight, &known(3, 4), &whole(TWO), apart).kind, Kind::Equivalent);
    // Four and three rows are 2, 2 and 3: no longer the same.
    assert_eq!(rewrites("S8", LeftToRight, &known(4, 3), &whole(TWO), apart).kind, Kind::PartiallyEquivalent);
    refuses(
        "S8",
        LeftToRight,
        &known(1, 4),
        &whole(TWO),
        "part 1 of the union has fewer rows than the 2 of a bucket",
    );
    refuses("S8", LeftToRight, &NoFacts, &whole(TWO), "nobody knows how many rows part 1");
    refuses("S8", LeftToRight, &known(9, 9), &whole(Buckets::By(named("A"))), "too few rows with one value");
    let by_class = rewrites(
        "S8",
        LeftToRight,
        &known(9, 9),
        &whole(classes("A", 3)),
        "
        Union
          Slice: {A} {B}, classes of [A], k = 3
            TableScan: r
          Slice: {A} {B}, classes of [A], k = 3
            TableScan: s",
    );
    assert_eq!(by_class.kind, Kind::PartiallyEquivalent);
    let set = slice(distinct(union(relation("r: A B"), relation("s: A B"))), "A | B", TWO);
    refuses("S8", LeftToRight, &known(2, 2), &set, "UNION ALL only");
    let back = rewrites(
        "S8",
        RightToLeft,
        &known(2, 2),
        &rewrite.plan,
        "
        Slice: {A} {B}, buckets of 2
          Union
            TableScan: r
            TableScan: s",
    );
    assert_eq!(back.kind, Kind::Equivalent);
    refuses("S8", RightToLeft, &known(2, 2), &distinct(rewrite.plan), "UNION ALL only");
}

#[test]
fn s8_a_number_of_windows_is_shared_out() {
    let whole = |count| slice(union(relation("r: A B"), relation("s: A B")), "A | B", Buckets::Count(count));
    let shared = rewrites(
        "S8",
        LeftToRight,
        &facts(&[("r", 4), ("s", 6)], &[], false),
        &whole(5),
        "
        Union
          Slice: {A} {B}, 2 buckets
            TableScan: r
          Slice: {A} {B}, 3 buckets
            TableScan: s",
    );
    assert_eq!(shared.kind, Kind::Equivalent);
    let back = rewrites(
        "S8",
        RightToLeft,
        &facts(&[("r", 4), ("s", 6)], &[], false),
        &shared.plan,
        "
        Slice: {A} {B}, 5 buckets
          Union
            TableScan: r
            TableScan: s",
    );
    assert_eq!(back.kind, Kind::Equivalent);
    let uneven = rewrites(
        "S8",
        LeftToRight,
        &facts(&[("r", 5), ("s", 5)], &[], false),
        &whole(1),
        "
        Union
          Slice: {A} {B}, 1 buckets
            TableScan: r
          Slice: {A} {B}, 1 buckets
            TableScan: s",
    );
    assert_eq!(uneven.kind, Kind::PartiallyEquivalent, "one common bucket of ten is not two of five");
    refuses(
        "S8",
        LeftToRight,
        &facts(&[("r", 5), ("s", 5)], &[], false),
        &whole(3),
        "too few rows for 3 buckets of 2",
    );
}

#[test]
fn s8_parts_must_be_sliced_alike_and_buckets_by_a_column_are_only_merged() {
    let part = |name: &str, groups: &str, buckets| slice(relation(&format!("{name}: A B")), groups, buckets);
    let known = facts(&[("r", 9), ("s", 9), ("t", 9)], &[], false);
    let unlike = union(part("r", "r.A | r.B", TWO), part("s", "s.A s.B", TWO));
    refuses("S8", RightToLeft, &known, &unlike, "part 2 of the union is sliced differently");
    let unlike = union(part("r", "r.A | r.B", TWO), part("s", "s.A | s.B", Buckets::Size(3)));
    refuses("S8", RightToLeft, &known, &unlike, "part 2 of the union is sliced differently");
    let parts = ["r", "s", "t"].map(|name| {
        let groups = format!("{name}.A | {name}.B");
        Arc::new(part(name, &groups, Buckets::By(named(&format!("{name}.A")))))
    });
    let three = LogicalPlan::Union(Union::try_new(parts.to_vec()).unwrap());
    let merged = rewrites(
        "S8",
        RightToLeft,
        &known,
        &three,
        "
        Slice: {A} {B}, buckets by A
          Union
            TableScan: r
            TableScan: s
            TableScan: t",
    );
    assert_eq!(merged.kind, Kind::PartiallyEquivalent);
    ignores("S8", RightToLeft, &known, &union(part("r", "r.A | r.B", TWO), relation("s: A B")));
}

#[test]
fn s9_both_sides_of_a_join_on_a_key_are_sliced_with_the_id_apart() {
    let known = facts(&[("r", 4), ("s", 4)], &["r", "s"], true);
    let joined = || join(relation("r: ID A"), relation("s: ID B"), ("r.ID", "s.ID"));
    let whole = |buckets| slice(project(joined(), "r.A s.B"), "r.A | s.B", buckets);
    let rewrite = rewrites(
        "S9",
        LeftToRight,
        &known,
        &whole(TWO),
        "
        Projection: r.A, s.B
          Inner Join: r.ID = s.ID
            Slice: {A} {ID}, buckets of 2
              TableScan: r
            Slice: {B} {ID}, buckets of 2
              TableScan: s",
    );
    assert_eq!(
        (rewrite.kind, rewrite.safe),
        (Kind::PartiallyEquivalent, Safe::Yes),
        "the IDs may be elsewhere"
    );
    let back = rewrites(
        "S9",
        RightToLeft,
        &known,
        &rewrite.plan,
        "
        Slice: {A} {B}, buckets of 2
          Projection: r.A, s.B
            Inner Join: r.ID = s.ID
              TableScan: r
              TableScan: s",
    );
    assert_eq!(back.kind, Kind::PartiallyEquivalent);
    let single = rewrites(
        "S9",
        LeftToRight,
        &known,
        &whole(Buckets::Size(3)),
        "
        Projection: r.A, s.B
          Inner Join: r.ID = s.ID
            Slice: {A} {ID}, buckets of 3
              TableScan: r
            Slice: {B} {ID}, buckets of 3
              TableScan: s",
    );
    assert_eq!(single.kind, Kind::Equivalent, "four rows in buckets of three are one bucket, on both sides");

    refuses("S9", LeftToRight, &facts(&[], &["r"], true), &whole(TWO), "a key of the right relation");
    refuses("S9", LeftToRight, &facts(&[], &["r", "s"], false), &whole(TWO), "the same IDs");
    let missing = Known { missing: 1, ..facts(&[], &["r", "s"], true) };
    refuses("S9", LeftToRight, &missing, &whole(TWO), "ID of the left relation is not known to be there");
    refuses("S9", LeftToRight, &NoFacts, &whole(TWO), "not known to be a key");
    let kept = slice(project(joined(), "r.ID r.A s.B"), "r.ID | r.A | s.B", TWO);
    refuses("S9", LeftToRight, &known, &kept, "the join columns are kept");
    let across = slice(project(joined(), "r.A s.B"), "r.A s.B", TWO);
    refuses("S9", LeftToRight, &known, &across, "columns of both relations");
    refuses("S9", LeftToRight, &known, &whole(Buckets::By(named("r.A"))), "one of the sides does not have");
    let tied = join(
        slice(relation("r: ID A"), "r.ID r.A", TWO),
        slice(relation("s: ID B"), "s.ID | s.B", TWO),
        ("r.ID", "s.ID"),
    );
    refuses("S9", RightToLeft, &known, &project(tied, "r.A s.B"), "not a group of their own");
    let unlike = join(
        slice(relation("r: ID A"), "r.ID | r.A", TWO),
        slice(relation("s: ID B"), "s.ID | s.B", Buckets::Size(3)),
        ("r.ID", "s.ID"),
    );
    refuses("S9", RightToLeft, &known, &project(unlike, "r.A s.B"), "different buckets");
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
