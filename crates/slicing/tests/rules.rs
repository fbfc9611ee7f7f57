//! The rewrite rules of slicing on their printed instances, by listing all outcomes. Klein 2020.
#![allow(clippy::unwrap_used, reason = "the instances are tiny")]

mod common;

use common::coded;
use paravent_slicing::outcomes::{Bags, Outcomes, Ratio};
use paravent_slicing::reference::Row;
use paravent_slicing::{ColumnGroups, Overlap};

const S4: &str = "
    01.01. 00 +
    05.01. A0 -
    20.03. A0 +
    25.03. B0 -";

const THREE: &str = "
    01.01. 00 + 18
    05.01. A0 - 24
    20.03. A0 + 36";

fn table(text: &str) -> Outcomes {
    let [rows] = coded([text]);
    Outcomes::certain(rows)
}

fn bags(outcomes: &Outcomes) -> Bags {
    outcomes.bags().unwrap()
}

fn ratio(numerator: u128, denominator: u128) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

const PAIRS: [[usize; 2]; 2] = [[0, 1], [2, 3]];

fn pairs() -> Vec<Vec<usize>> {
    PAIRS.map(Vec::from).to_vec()
}

fn union(left: &[Row], right: &[Row]) -> Vec<Row> {
    [left, right].concat()
}

#[test]
fn s1_one_group_changes_nothing() {
    let table = table(S4);
    let sliced = table.slice(&[vec![0, 1, 2]], &pairs()).unwrap();
    assert_eq!(bags(&sliced), bags(&table));
}

#[test]
fn s2_twice_is_once_with_the_same_buckets_only() {
    let groups = [vec![0], vec![1, 2]];
    let once = table(S4).slice(&groups, &pairs()).unwrap();
    assert_eq!(bags(&once).len(), 4);
    assert!(bags(&once).iter().all(|(_, probability)| probability == ratio(1, 4)));
    assert_eq!(bags(&once.slice(&groups, &pairs()).unwrap()), bags(&once));
    let others = [vec![0, 2], vec![1, 3]];
    assert_ne!(bags(&once.slice(&groups, &others).unwrap()), bags(&once));
}

#[test]
fn s3_two_slicings_are_one_when_their_overlaps_make_a_forest() {
    let (inner, outer) = ([vec![0], vec![1, 2]], [vec![0, 1], vec![2]]);
    let nested = table(S4).slice(&inner, &pairs()).unwrap().slice(&outer, &pairs()).unwrap();
    let direct = table(S4).slice(&[vec![0], vec![1], vec![2]], &pairs()).unwrap();
    assert_eq!(bags(&nested).len(), 16);
    assert_eq!(bags(&nested), bags(&direct));
    let two = table("01.01. 00 + 18\n05.01. A0 - 24");
    let bucket = [vec![0, 1]];
    let cyclic = two
        .slice(&[vec![0, 2], vec![1, 3]], &bucket)
        .unwrap()
        .slice(&[vec![0, 1], vec![2, 3]], &bucket)
        .unwrap();
    let direct = two.slice(&[vec![0], vec![1], vec![2], vec![3]], &bucket).unwrap();
    assert_eq!((bags(&cyclic).len(), bags(&direct).len()), (4, 8));
}

/// All partitions of the first `columns` letters.
fn partitions(columns: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![vec![]];
    for column in 0..columns {
        let mut longer = Vec::new();
        for partition in all {
            for group in 0..=partition.len() {
                let mut next = partition.clone();
                if group == partition.len() {
                    next.push(vec![]);
                }
                next[group].push(column);
                longer.push(next);
            }
        }
        all = longer;
    }
    all
}

fn named(columns: usize, groups: &[Vec<usize>]) -> ColumnGroups {
    let name = |column: usize| char::from(b'A' + column as u8).to_string();
    let columns: Vec<String> = (0..columns).map(name).collect();
    let groups: Vec<Vec<String>> =
        groups.iter().map(|group| group.iter().map(|&c| name(c)).collect()).collect();
    ColumnGroups::new(&columns, &groups, Overlap::Forbidden).unwrap()
}

#[test]
fn s3_holds_exactly_for_forests_among_all_pairs_of_partitions() {
    let mut seen = 0;
    for (columns, rows) in [(4, 2), (3, 3)] {
        let table: Vec<Row> = (0..rows).map(|row| vec![row; columns]).collect();
        let table = Outcomes::certain(table);
        let bucket = [(0..rows as usize).collect::<Vec<_>>()];
        for inner in partitions(columns) {
            let first = table.slice(&inner, &bucket).unwrap();
            for outer in partitions(columns) {
                let (v1, v2) = (named(columns, &outer), named(columns, &inner));
                let nested = first.slice(&outer, &bucket).unwrap();
                let direct = table.slice(v1.refine(&v2).unwrap().groups(), &bucket).unwrap();
                assert_eq!(bags(&nested) == bags(&direct), v1.overlap_graph_is_forest(&v2).unwrap());
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 15 * 15 + 5 * 5);
}

#[test]
fn s4_slicing_a_projection_is_projecting_a_slicing_with_the_rest_as_a_group() {
    let bucket = [vec![0, 1, 2]];
    let small = named(2, &[vec![0], vec![1]]);
    let wide = small.extend_to(&["A", "B", "C", "D"]).unwrap();
    let left = table(THREE).project(&[0, 1]).unwrap().slice(small.groups(), &bucket).unwrap();
    let right = table(THREE).slice(wide.groups(), &bucket).unwrap().project(&[0, 1]).unwrap();
    assert_eq!(bags(&left).len(), 3);
    assert_eq!(bags(&left), bags(&right));
}

#[test]
fn s5_projection_restricts_the_groups() {
    let bucket = [vec![0, 1, 2]];
    let wide = named(4, &[vec![0], vec![1, 2], vec![3]]);
    let small = wide.restrict(&["A", "B"]).unwrap();
    assert_eq!(small.groups(), [vec![0], vec![1]]);
    let left = table(THREE).project(&[0, 1]).unwrap().slice(small.groups(), &bucket).unwrap();
    let right = table(THREE).slice(wide.groups(), &bucket).unwrap().project(&[0, 1]).unwrap();
    assert_eq!(bags(&left).len(), 3);
    assert_eq!(bags(&left), bags(&right));
}

#[test]
fn s6_a_projection_inside_one_group_needs_no_slicing() {
    let sliced = table(THREE).slice(&[vec![0], vec![1, 2, 3]], &[vec![0, 1, 2]]).unwrap();
    assert_eq!(bags(&sliced.project(&[1, 2]).unwrap()), bags(&table(THREE).project(&[1, 2]).unwrap()));
    assert_ne!(bags(&sliced.project(&[0, 1]).unwrap()), bags(&table(THREE).project(&[0, 1]).unwrap()));
}

#[test]
fn s7_selection_does_not_pass_slicing() {
    let table = table("01.01. 00\n05.01. 00\n31.01. B0");
    let groups = [vec![0], vec![1]];
    let is_00 = |row: &Row| row[1] == 0;
    let left = table.select(is_00).unwrap().slice(&groups, &[vec![0, 1]]).unwrap();
    let right = table.slice(&groups, &[vec![0, 1, 2]]).unwrap().select(is_00).unwrap();
    assert_eq!((bags(&left).len(), bags(&right).len()), (1, 3));
    assert_eq!(bags(&right).probability(&[vec![0, 0], vec![1, 0]]), ratio(1, 3));
}

#[test]
fn s7_a_selection_that_is_constant_on_buckets_does() {
    let [rows] = coded(["1 a 0\n2 b 0\n3 c 1\n4 d 1"]);
    let table = Outcomes::certain(rows);
    let groups = [vec![0, 2], vec![1]];
    let kept = |row: &Row| row[2] == 0;
    let left = table.select(kept).unwrap().slice(&groups, &[vec![0, 1]]).unwrap();
    let right = table.slice(&groups, &pairs()).unwrap().select(kept).unwrap();
    assert_eq!(bags(&left), bags(&right));
}

#[test]
fn s8_union_passes_slicing_when_its_border_is_one_of_buckets() {
    let [first, second] = coded(["01.01. 00\n05.01. A0", "20.03. B0\n25.03. AB"]);
    let groups = [vec![0], vec![1]];
    let whole = Outcomes::certain(union(&first, &second));
    let bucket = [vec![0, 1]];
    let parts = Outcomes::certain(first)
        .slice(&groups, &bucket)
        .unwrap()
        .combine(&Outcomes::certain(second).slice(&groups, &bucket).unwrap(), union)
        .unwrap();
    assert_eq!(bags(&parts).len(), 4);
    assert_eq!(bags(&parts), bags(&whole.slice(&groups, &pairs()).unwrap()));
    assert_eq!(bags(&whole.slice(&groups, &[vec![0, 1, 2, 3]]).unwrap()).len(), 24);
}

#[test]
fn s9_join_on_a_key_passes_slicing_with_the_same_buckets_only() {
    let [left, right] = coded(["1 01.01.\n2 05.01.\n3 20.03.\n4 25.03.", "1 00\n2 A0\n3 B0\n4 AB"]);
    let join = |left: &[Row], right: &[Row]| -> Vec<Row> {
        let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
        pairs.filter(|(l, r)| l[0] == r[0]).map(|(l, r)| vec![l[1], r[1]]).collect()
    };
    let groups = [vec![0], vec![1]];
    let (left, right) = (Outcomes::certain(left), Outcomes::certain(right));
    let joined = left.combine(&right, join).unwrap();
    let apart = |buckets: &[Vec<usize>]| {
        let sliced = left.slice(&groups, &pairs()).unwrap();
        bags(&sliced.combine(&right.slice(&groups, buckets).unwrap(), join).unwrap())
    };
    let direct = bags(&joined.slice(&groups, &pairs()).unwrap());
    assert_eq!(apart(&pairs()), direct);
    assert_ne!(apart(&[vec![0, 2], vec![1, 3]]), direct);
}

#[test]
fn s10_and_s11_intersection_and_difference_do_not_pass_slicing() {
    let [rows] = coded(["01.01. 00\n05.01. A0"]);
    let sliced = Outcomes::certain(rows).slice(&[vec![0], vec![1]], &[vec![0, 1]]).unwrap();
    let both = |l: &[Row], r: &[Row]| l.iter().filter(|row| r.contains(row)).cloned().collect::<Vec<_>>();
    let without = |l: &[Row], r: &[Row]| l.iter().filter(|row| !r.contains(row)).cloned().collect::<Vec<_>>();
    let intersection = bags(&sliced.combine(&sliced, both).unwrap());
    assert_eq!(intersection.probability(&[]), ratio(1, 2));
    let difference = bags(&sliced.combine(&sliced, without).unwrap());
    let two_rows: Vec<Ratio> = difference.iter().filter(|(bag, _)| bag.len() == 2).map(|(_, p)| p).collect();
    assert_eq!(two_rows.into_iter().try_fold(Ratio::ZERO, Ratio::plus), Some(ratio(1, 2)));
}
