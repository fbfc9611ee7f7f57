//! Slicing moves past selections, unions and joins.

use super::*;

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
