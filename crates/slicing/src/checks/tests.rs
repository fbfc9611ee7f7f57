use super::*;
use crate::{ColumnGroups, MinimumSize, Overlap, Windows};

fn groups(columns: &[&str], groups: &[Vec<&str>]) -> ColumnGroups {
    ColumnGroups::new(columns, groups, Overlap::Copies).unwrap()
}

fn windows(rows: usize, size: u32) -> Layout {
    Layout::by_rank(rows, Windows::Size(size), MinimumSize::TWO).unwrap()
}

#[test]
fn projections_are_numbered_in_their_order() {
    let (a, b) = ([5, 1, 5, 1, 9], [0, 3, 0, 2, 0]);
    let (numbers, distinct) = numbered(&[&a, &b], &[0, 1, 2, 3, 4]);
    assert_eq!((numbers.as_slice(), distinct), (&[2, 1, 2, 0, 3][..], 4));
    let (numbers, distinct) = numbered(&[&a], &[4, 0, 2]);
    assert_eq!((numbers.as_slice(), distinct), (&[1, 0, 0][..], 2));
    assert_eq!(numbered(&[&a], &[]).1, 0);
}

#[test]
fn projections_that_do_not_fit_into_one_number_are_compared() {
    let small = [[2, 0, 1, 2, 0, 1], [0, 1, 1, 0, 1, 0], [1, 0, 0, 1, 0, 1]];
    let large = small.map(|column| column.map(|code| code * (u32::MAX / 2)));
    let all = [0, 1, 2, 3, 4, 5];
    let numbers = |columns: &[[u32; 6]; 3]| numbered(&[&columns[0], &columns[1], &columns[2]], &all);
    assert!(packed(&[&large[0], &large[1], &large[2]], &all).is_none());
    assert_eq!(numbers(&small), numbers(&large));
}

#[test]
fn a_row_in_the_wrong_bucket_breaks_the_invariants() {
    let groups = groups(&["a", "b"], &[vec!["a"], vec!["b"]]);
    let layout = windows(4, 2);
    let (a, b) = ([1, 2, 3, 4], [5, 6, 7, 8]);
    let before = Sliced { columns: &[&a, &b], layout: &layout };
    let with =
        |a: &[u32], b: &[u32]| invariants(&groups, before, Sliced { columns: &[a, b], layout: &layout });
    assert_eq!(with(&[2, 1, 3, 4], &[5, 6, 8, 7]), Ok(()));
    assert_eq!(
        with(&[1, 2, 3, 4], &[5, 7, 6, 8]),
        Err(Violation::Rebuilt { broken: 2, bucket: 1, group: 2 })
    );
    assert_eq!(with(&[1, 2, 3], &[5, 6, 7]), Err(Violation::Rows { before: 4, after: 3 }));
    let undivided = Layout::undivided(4).unwrap();
    let after = Sliced { columns: &[&[1, 2, 3, 4], &[5, 7, 6, 8]], layout: &undivided };
    assert_eq!(invariants(&groups, before, after), Err(Violation::Buckets));
    let whole = Sliced { columns: before.columns, layout: &undivided };
    assert_eq!(invariants(&groups, whole, after), Ok(()));
}

#[test]
fn diversity_counts_distinct_values_per_bucket() {
    let layout = windows(6, 3);
    let sensitive = [1, 1, 2, 4, 4, 4];
    let table = Sliced { columns: &[&sensitive], layout: &layout };
    let found = diversity(table, &[0], 2);
    assert_eq!(found, Diversity { least: 1, buckets_below: 1, rows_below: 3, buckets: 2 });
    assert_eq!(diversity(table, &[0], 1).buckets_below, 0);
}

#[test]
fn shared_values_that_are_rare_link_groups_again() {
    let groups = groups(&["a", "b", "c"], &[vec!["a", "b"], vec!["b", "c"]]);
    let layout = windows(8, 4);
    let b = [1, 1, 2, 3, 5, 5, 5, 5];
    let table = Sliced { columns: &[&[0; 8], &b, &[0; 8]], layout: &layout };
    let found = &relinking(&groups, table, 2)[0];
    assert_eq!((found.groups, found.columns.as_slice(), found.least), ((1, 2), &[1][..], 1));
    assert_eq!((found.values_below, found.rows_below, found.certain_rows), (2, 2, 2));
    assert!(!found.holds());
    // Three values in the first bucket and one in the second, among eight rows; without sharing two buckets.
    assert_eq!((found.expected, found.without), (0.5, 0.25));
}

#[test]
fn dependencies_between_groups_are_found_and_those_inside_left_out() {
    let zip = [1, 1, 2, 2, 3, 3, 4, 4];
    let city = [7, 7, 7, 7, 8, 8, 8, 8];
    let street = [0, 1, 2, 3, 4, 5, 6, 7];
    let columns: [&[u32]; 3] = [&zip, &city, &street];
    let apart = groups(&["zip", "city", "street"], &[vec!["zip"], vec!["city"], vec!["street"]]);
    let found = dependencies(&apart, &columns, 0.95);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].determinant, found[0].dependent), (0, 1));
    assert!(found[0].is_exact() && found[0].without == 0.5 && found[0].rows_per_value == 2.0);
    let together = groups(&["zip", "city", "street"], &[vec!["zip", "city"], vec!["street"]]);
    assert!(dependencies(&together, &columns, 0.95).is_empty());
    let mistaken = [7, 7, 7, 8, 8, 8, 8, 8];
    let near = dependencies(&apart, &[&zip, &mistaken, &street], 0.8);
    assert_eq!((near[0].share, near[0].is_exact()), (0.875, false));
}

#[test]
fn an_identity_and_a_sort_are_noticed_on_large_buckets_only() {
    let groups = groups(&["a", "b"], &[vec!["a"], vec!["b"]]);
    let a: Vec<u32> = (0..40).map(|row| row * 7 % 40).collect();
    let b: Vec<u32> = (0..40).map(|row| row * 11 % 40).collect();
    let layout = windows(40, 40);
    let before = Sliced { columns: &[&a, &b], layout: &layout };
    let found = suspicions(&groups, before, before);
    assert_eq!((found[0].groups, found[0].fault, found[0].buckets), ((1, 2), Fault::Unchanged, 1));
    let sorted: Vec<u32> = (0..40).collect();
    let falling: Vec<u32> = (0..40).rev().collect();
    for second in [&sorted, &falling] {
        let after = Sliced { columns: &[&sorted, second], layout: &layout };
        assert_eq!(suspicions(&groups, before, after)[0].fault, Fault::Sorted);
    }
    let shifted: Vec<u32> = (0..40).map(|row| (row + 9) * 11 % 40).collect();
    assert!(suspicions(&groups, before, Sliced { columns: &[&a, &shifted], layout: &layout }).is_empty());
    let small = windows(40, 4);
    let before = Sliced { columns: &[&a, &b], layout: &small };
    assert!(suspicions(&groups, before, before).is_empty());
}
