//! G9–G19: a generalization beside π, σ, ∪, ⋈, ∩ and −.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod donors;

use Way::{LeftToRight, RightToLeft};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use donors::*;
use paravent_algebra::operator::Promise;
use paravent_algebra::rules::{Kind, NoFacts, Safe, Way};
use paravent_job::{Model, Population};

const ABOVE: &str = "
    Generalize: [day], k = 3
      Projection: donors.day, donors.group
        TableScan: donors
";
const BELOW: &str = "
    Projection: donors.day, donors.group
      Generalize: [day], k = 3
        TableScan: donors
";

#[test]
fn g9_moves_below_a_projection() {
    let above = alpha(&["day"], 3, pi(&["day", "group"], donors()));
    let rewrite = becomes("G9", LeftToRight, &above, ABOVE, BELOW);
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes));
    assert!(refusal("G9", RightToLeft, &rewrite.plan, &TOLD).contains("G10"));
    let set = alpha(&["day"], 3, pi_distinct(&["day", "group"], donors()));
    assert!(refusal("G9", LeftToRight, &set, &TOLD).contains("removes duplicates"));
    rewritten(
        "G9",
        LeftToRight,
        &alpha_with(&["day"], suppressing(3), pi(&["day", "group"], donors())),
        &TOLD,
    );
    rewritten("G9", LeftToRight, &alpha_with(&["day"], local(3), pi(&["day", "group"], donors())), &TOLD);
    let hurried = alpha_with(&["day"], hurried(3), pi(&["day", "group"], donors()));
    assert!(refusal("G9", LeftToRight, &hurried, &TOLD).contains("time limit"));
}

#[test]
fn g10_moves_above_a_projection_that_keeps_all_it_needs() {
    let below = pi(&["day", "group"], alpha(&["day"], 3, donors()));
    let rewrite = becomes("G10", RightToLeft, &below, BELOW, ABOVE);
    assert!(refusal("G10", LeftToRight, &rewrite.plan, &TOLD).contains("G9"));
    let dropped = pi(&["group"], alpha(&["day"], 3, donors()));
    assert!(refusal("G10", RightToLeft, &dropped, &TOLD).contains("drops columns that are generalized"));
    let sensitive = alpha_with(&["day"], promise(3, vec![diverse("rhesus")]), donors());
    assert!(
        refusal("G10", RightToLeft, &pi(&["day", "group"], sensitive.clone()), &TOLD)
            .contains("\"rhesus\" is protected")
    );
    rewritten("G10", RightToLeft, &pi(&["day", "rhesus"], sensitive), &TOLD);
    rewritten("G10", RightToLeft, &pi(&["day"], alpha_with(&["day"], suppressing(3), donors())), &TOLD);
}

#[test]
fn g10_keeps_the_order_that_breaks_ties() {
    let swapped = pi(&["group", "day"], alpha(&["day", "group"], 3, donors()));
    assert!(refusal("G10", RightToLeft, &swapped, &TOLD).contains("order"));
    fits_not("G10", RightToLeft, &sigma("group", "B0", alpha(&["day"], 3, donors())));
    let computed = LogicalPlanBuilder::from(alpha(&["day"], 3, donors()));
    let computed = computed.project([datafusion::logical_expr::col("donors.day").alias("month")]).unwrap();
    fits_not("G10", RightToLeft, &computed.build().unwrap());
}

#[test]
fn g11_drops_what_nobody_sees() {
    let plan = pi(&["group", "rhesus"], alpha(&["day"], 3, donors()));
    let rewrite = becomes(
        "G11",
        RightToLeft,
        &plan,
        "
        Projection: donors.group, donors.rhesus
          Generalize: [day], k = 3
            TableScan: donors
        ",
        "
        Projection: donors.group, donors.rhesus
          TableScan: donors
        ",
    );
    assert!(refusal("G11", LeftToRight, &rewrite.plan, &TOLD).contains("changes nothing"));
    fits_not("G11", RightToLeft, &pi(&["day"], alpha(&["day"], 3, donors())));
    let left_out = pi(&["group"], alpha_with(&["day"], suppressing(3), donors()));
    assert!(refusal("G11", RightToLeft, &left_out, &TOLD).contains("left out"));
    rewritten(
        "G11",
        RightToLeft,
        &pi(&["group"], alpha_with(&["day"], promise(3, vec![close("rhesus")]), donors())),
        &TOLD,
    );
}

#[test]
fn g12_projects_early() {
    let plan = pi(&["day", "rhesus"], alpha(&["day", "group"], 3, donors()));
    let rewrite = becomes(
        "G12",
        RightToLeft,
        &plan,
        "
        Projection: donors.day, donors.rhesus
          Generalize: [day, group], k = 3
            TableScan: donors
        ",
        "
        Projection: donors.day, donors.rhesus
          Generalize: [day, group], k = 3
            Projection: donors.day, donors.group, donors.rhesus
              TableScan: donors
        ",
    );
    assert_eq!(rewrite.kind, Kind::Equivalent);
    fits_not("G12", RightToLeft, &rewrite.plan);
    assert!(refusal("G12", LeftToRight, &rewrite.plan, &TOLD).contains("nobody looks at"));
    let set = pi(&["day"], alpha(&["day"], 3, pi_distinct(&["day", "group"], donors())));
    assert!(refusal("G12", LeftToRight, &set, &TOLD).contains("removes duplicates"));
    rewritten("G12", RightToLeft, &pi(&["day"], alpha_with(&["day"], suppressing(3), donors())), &TOLD);
}

#[test]
fn g12_carries_sensitive_columns() {
    let plan = pi(&["day"], alpha_with(&["day"], promise(3, vec![diverse("rhesus")]), donors()));
    let shown = lines(&rewritten("G12", RightToLeft, &plan, &TOLD).plan);
    assert!(shown.contains("Projection: donors.day, donors.rhesus\n"), "{shown}");
}

#[test]
fn g13_protects_only_what_comes_out() {
    let plan = pi(&["day", "rhesus"], alpha(&["day", "group"], 3, donors()));
    let rewrite = becomes(
        "G13",
        RightToLeft,
        &plan,
        "
        Projection: donors.day, donors.rhesus
          Generalize: [day, group], k = 3
            TableScan: donors
        ",
        "
        Generalize: [day], k = 3
          Projection: donors.day, donors.rhesus
            TableScan: donors
        ",
    );
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::PartiallyEquivalent, Safe::Yes));
    assert!(refusal("G13", LeftToRight, &rewrite.plan, &TOLD).contains("nobody looks at"));
    fits_not("G13", RightToLeft, &pi(&["rhesus"], alpha(&["day", "group"], 3, donors())));
    fits_not("G13", RightToLeft, &pi(&["day", "group"], alpha(&["day", "group"], 3, donors())));
    let left_out = pi(&["day"], alpha_with(&["day", "group"], suppressing(3), donors()));
    assert!(refusal("G13", RightToLeft, &left_out, &TOLD).contains("left out"));
    let sensitive = alpha_with(&["day", "group"], promise(3, vec![diverse("rhesus")]), donors());
    assert!(refusal("G13", RightToLeft, &pi(&["day"], sensitive), &TOLD).contains("protected"));
    let set = alpha(&["day"], 3, pi_distinct(&["day"], donors()));
    assert!(refusal("G13", LeftToRight, &set, &TOLD).contains("removes duplicates"));
}

#[test]
fn g14_selects_early_and_never_late() {
    let late = sigma("group", "B0", alpha(&["day"], 3, donors()));
    let rewrite = becomes(
        "G14",
        RightToLeft,
        &late,
        "
        Filter: donors.group != Utf8(\"B0\")
          Generalize: [day], k = 3
            TableScan: donors
        ",
        "
        Generalize: [day], k = 3
          Filter: donors.group != Utf8(\"B0\")
            TableScan: donors
        ",
    );
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::PartiallyEquivalent, Safe::Yes));
    let why = refusal("G14", LeftToRight, &rewrite.plan, &TOLD);
    assert!(why.contains("breaks the guarantee") && why.contains("k = 2"), "{why}");
}

#[test]
fn g14_needs_enough_rows_and_columns_left_alone() {
    let late = |promise: Promise| sigma("group", "B0", alpha_with(&["day"], promise, donors()));
    let k = Promise::k_anonymity;
    assert!(refusal("G14", RightToLeft, &late(k(3)), &NoFacts).contains("the number of rows is not known"));
    assert!(refusal("G14", RightToLeft, &late(k(7)), &TOLD).contains("fewer than k = 7"));
    assert!(refusal("G14", RightToLeft, &late(suppressing(3)), &TOLD).contains("left out"));
    assert!(
        refusal("G14", RightToLeft, &late(promise(3, vec![diverse("rhesus")])), &TOLD)
            .contains("k-anonymity only")
    );
    let reads = sigma("day", "Jan", alpha(&["day"], 3, donors()));
    assert!(refusal("G14", RightToLeft, &reads, &TOLD).contains("reads a generalized column"));
}

fn parts() -> (LogicalPlan, LogicalPlan) {
    (relation("north", &["day", "group", "age"]), relation("south", &["day", "group", "age"]))
}

#[test]
fn g15_splits_a_union_and_merges_it_again() {
    let (north, south) = parts();
    let whole = alpha(&["day", "age"], 2, union(north, south));
    let whole_lines = "
        Generalize: [day, age], k = 2
          Union
            TableScan: north
            TableScan: south
    ";
    let split_lines = "
        Union
          Generalize: [day, age], k = 2
            TableScan: north
          Generalize: [day, age], k = 2
            TableScan: south
    ";
    let split = becomes("G15", LeftToRight, &whole, whole_lines, split_lines);
    assert_eq!((split.kind, split.safe), (Kind::PartiallyEquivalent, Safe::Yes));
    becomes("G15", RightToLeft, &split.plan, split_lines, whole_lines);
}

#[test]
fn g15_refuses_what_does_not_survive_apart() {
    let whole = |promise: Promise| {
        let (north, south) = parts();
        alpha_with(&["day"], promise, union(north, south))
    };
    let apart = |promise: Promise| {
        let (north, south) = parts();
        union(alpha_with(&["day"], promise.clone(), north), alpha_with(&["day"], promise, south))
    };
    rewritten("G15", LeftToRight, &whole(promise(2, vec![diverse("group")])), &TOLD);
    let close = promise(2, vec![close("group")]);
    assert!(refusal("G15", LeftToRight, &whole(close.clone()), &TOLD).contains("t-closeness"));
    rewritten("G15", RightToLeft, &apart(close), &TOLD);
    let (min, max) = (decimal("0"), decimal("0.5"));
    let presence = Model::DeltaPresence(paravent_job::models::DeltaPresence {
        min,
        max,
        population: Population::Table("all.csv".into()),
    });
    assert!(
        refusal("G15", LeftToRight, &whole(promise(2, vec![presence])), &TOLD).contains("delta-presence")
    );
    assert!(refusal("G15", LeftToRight, &whole(suppressing(2)), &TOLD).contains("left out"));
    assert!(refusal("G15", LeftToRight, &whole(Promise::k_anonymity(2)), &NoFacts).contains("not known"));
    assert!(refusal("G15", RightToLeft, &apart(Promise::k_anonymity(7)), &TOLD).contains("part 1 has fewer"));
}

#[test]
fn g15_needs_bags_and_parts_alike() {
    let (north, south) = parts();
    let set = LogicalPlanBuilder::from(union(north.clone(), south)).distinct().unwrap().build().unwrap();
    assert!(refusal("G15", LeftToRight, &alpha(&["day"], 2, set), &TOLD).contains("UNION ALL"));
    let renamed = alpha(&["day"], 2, union(north.clone(), relation("south", &["date", "group", "age"])));
    assert!(refusal("G15", LeftToRight, &renamed, &TOLD).contains("another name"));
    let other =
        union(alpha(&["day"], 2, north), alpha(&["group"], 2, relation("south", &["day", "group", "age"])));
    assert!(refusal("G15", RightToLeft, &other, &TOLD).contains("different columns"));
}

fn visits() -> (LogicalPlan, LogicalPlan) {
    (relation("r1", &["day", "v"]), relation("r2", &["v", "group"]))
}

#[test]
fn g16_moves_below_a_join_but_owes_a_check() {
    let (r1, r2) = visits();
    let plan = alpha(&["day"], 3, join("v", r1, r2));
    let rewrite = becomes(
        "G16",
        LeftToRight,
        &plan,
        "
        Generalize: [day], k = 3
          Inner Join: r1.v = r2.v
            TableScan: r1
            TableScan: r2
        ",
        "
        Inner Join: r1.v = r2.v
          Generalize: [day], k = 3
            TableScan: r1
          TableScan: r2
        ",
    );
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::PartiallyEquivalent, Safe::AfterCheck));
    assert!(refusal("G16", RightToLeft, &rewrite.plan, &TOLD).contains("people"));
    let dangling = Told { contained: Some(false), ..TOLD };
    assert!(refusal("G16", LeftToRight, &plan, &dangling).contains("no partner"));
    assert!(refusal("G16", LeftToRight, &plan, &Told { contained: None, ..TOLD }).contains("not known"));
    assert!(refusal("G16", LeftToRight, &plan, &Told { rows: None, ..TOLD }).contains("number of rows"));
}

#[test]
fn g16_asks_where_the_columns_are() {
    let (r1, r2) = visits();
    let joined = join("v", r1, r2);
    let second = rewritten("G16", LeftToRight, &alpha(&["group"], 3, joined.clone()), &TOLD);
    assert!(
        lines(&second.plan).ends_with("  TableScan: r1\n  Generalize: [group], k = 3\n    TableScan: r2")
    );
    let both = alpha(&["day", "group"], 3, joined.clone());
    assert!(refusal("G16", LeftToRight, &both, &TOLD).contains("both relations"));
    assert!(refusal("G16", LeftToRight, &alpha(&["v"], 3, joined.clone()), &TOLD).contains("joined on"));
    let left_out = alpha_with(&["day"], suppressing(3), joined);
    assert!(refusal("G16", LeftToRight, &left_out, &TOLD).contains("left out"));
}

fn split_donors() -> (LogicalPlan, LogicalPlan) {
    (relation("r1", &["id", "day"]), relation("r2", &["id", "group", "rhesus"]))
}

const OUTSIDE: &str = "
    Generalize: [day], k = 3
      Projection: r1.day, r2.group, r2.rhesus
        Inner Join: r1.id = r2.id
          TableScan: r1
          TableScan: r2
";
const INSIDE: &str = "
    Projection: r1.day, r2.group, r2.rhesus
      Inner Join: r1.id = r2.id
        Generalize: [day], k = 3
          TableScan: r1
        TableScan: r2
";

#[test]
fn g17_moves_through_a_join_on_keys_both_ways() {
    let (r1, r2) = split_donors();
    let outside = alpha(&["day"], 3, pi(&["day", "group", "rhesus"], join("id", r1, r2)));
    let rewrite = becomes("G17", LeftToRight, &outside, OUTSIDE, INSIDE);
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes));
    becomes("G17", RightToLeft, &rewrite.plan, INSIDE, OUTSIDE);
    for way in [LeftToRight, RightToLeft] {
        let plan = if way == LeftToRight { &outside } else { &rewrite.plan };
        assert!(refusal("G17", way, plan, &Told { key: Some(false), ..TOLD }).contains("no key"));
        assert!(refusal("G17", way, plan, &Told { key: None, ..TOLD }).contains("not known"));
        assert!(
            refusal("G17", way, plan, &Told { contained: Some(false), ..TOLD }).contains("different keys")
        );
        assert!(refusal("G17", way, plan, &Told { contained: None, ..TOLD }).contains("not known"));
    }
}

#[test]
fn g17_does_not_let_the_key_out_and_keeps_protected_columns_together() {
    let (r1, r2) = split_donors();
    let joined = join("id", r1, r2);
    let key_shown = alpha(&["day"], 3, pi(&["id", "day", "group"], joined.clone()));
    assert!(refusal("G17", LeftToRight, &key_shown, &TOLD).contains("identify every row"));
    let elsewhere = pi(&["day", "group", "rhesus"], joined.clone());
    let elsewhere = alpha_with(&["day"], promise(3, vec![diverse("rhesus")]), elsewhere);
    assert!(refusal("G17", LeftToRight, &elsewhere, &TOLD).contains("protected"));
    let suppressed = alpha_with(&["day"], suppressing(3), pi(&["day", "group", "rhesus"], joined));
    rewritten("G17", LeftToRight, &suppressed, &TOLD);
}

#[test]
fn g18_and_g19_refuse_with_their_counter_examples() {
    let (north, south) = parts();
    for all in [true, false] {
        let both = LogicalPlanBuilder::intersect(north.clone(), south.clone(), all).unwrap();
        let why = refusal("G18", LeftToRight, &alpha(&["day"], 2, both.clone()), &TOLD);
        assert!(why.contains("months ∩ quarters"), "{why}");
        fits_not("G19", LeftToRight, &alpha(&["day"], 2, both));
        let (left, right) = (alpha(&["day"], 2, north.clone()), alpha(&["day"], 2, south.clone()));
        let apart = LogicalPlanBuilder::intersect(left.clone(), right.clone(), all).unwrap();
        refusal("G18", RightToLeft, &apart, &TOLD);
        let less = LogicalPlanBuilder::except(north.clone(), south.clone(), all).unwrap();
        let why = refusal("G19", LeftToRight, &alpha(&["day"], 2, less), &TOLD);
        assert!(why.contains("all six rows"), "{why}");
        refusal("G19", RightToLeft, &LogicalPlanBuilder::except(left, right, all).unwrap(), &TOLD);
    }
    let same = LogicalPlanBuilder::intersect(north.clone(), north.clone(), true).unwrap();
    refusal("G18", LeftToRight, &alpha(&["day"], 2, same), &TOLD);
}

#[test]
fn a_subset_of_the_rows_stays_where_it_is() {
    let (min, max) = (decimal("0"), decimal("0.5"));
    let subset = Model::DeltaPresence(paravent_job::models::DeltaPresence {
        min,
        max,
        population: Population::Subset("rhesus".to_owned()),
    });
    let promise = promise(3, vec![subset]);
    let below = pi(&["day", "rhesus"], alpha_with(&["day"], promise.clone(), donors()));
    assert!(refusal("G10", RightToLeft, &below, &TOLD).contains("subset"));
    assert!(
        refusal("G11", RightToLeft, &pi(&["group"], alpha_with(&["day"], promise, donors())), &TOLD)
            .contains("subset")
    );
}
