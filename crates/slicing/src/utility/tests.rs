use super::*;
use crate::{ColumnGroups, Overlap};

#[test]
fn a_line_is_found_again() {
    let x = [1.0, 2.0, 3.0, 4.0];
    let y = [5.0, 7.0, 9.0, 11.0];
    let line = regression(&x, &y).unwrap();
    assert!((line.slope - 2.0).abs() < 1e-12 && (line.intercept - 3.0).abs() < 1e-12);
    assert!((line.r_squared - 1.0).abs() < 1e-12);
    assert!((correlation(&x, &[4.0, 3.0, 2.0, 1.0]).unwrap() + 1.0).abs() < 1e-12);
}

#[test]
fn missing_values_are_left_out_and_constants_have_no_correlation() {
    let with_gap = regression(&[1.0, f64::NAN, 2.0, 3.0], &[1.0, 9.0, 2.0, f64::NAN]).unwrap();
    assert!((with_gap.slope - 1.0).abs() < 1e-12);
    assert_eq!(correlation(&[0.1; 3], &[1.0, 2.0, 3.0]), None);
    assert_eq!(regression(&[0.1; 3], &[1.0, 2.0, 3.0]), None);
    let flat = regression(&[1.0, 2.0, 3.0], &[0.1; 3]).unwrap();
    assert_eq!((flat.slope, flat.r_squared), (0.0, 1.0));
    assert_eq!(regression(&[], &[]), None);
}

#[test]
fn association_is_one_for_equal_columns_and_zero_for_independent_ones() {
    let (v, information) = association(&[1, 1, 2, 2], &[7, 7, 9, 9]);
    assert!((v.unwrap() - 1.0).abs() < 1e-12 && (information - 1.0).abs() < 1e-12);
    let (v, information) = association(&[1, 1, 2, 2], &[7, 9, 7, 9]);
    assert_eq!((v, information), (Some(0.0), 0.0));
    assert_eq!(association(&[1, 1], &[2, 3]).0, None);
    assert_eq!(association(&[], &[]), (None, 0.0));
}

#[test]
fn a_pair_is_looked_up_in_the_group_that_has_both() {
    let groups =
        ColumnGroups::new(&["a", "b", "c"], &[vec!["a", "b"], vec!["b", "c"]], Overlap::Copies).unwrap();
    assert_eq!(fate(&groups, 0, 1), (Fate::Kept, 0, 1));
    assert_eq!(fate(&groups, 1, 2), (Fate::Kept, 3, 2));
    assert_eq!(fate(&groups, 0, 2), (Fate::Blurred, 0, 2));
    let (a, b, c) = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]);
    let (b_moved, c_moved) = ([2.0, 3.0, 1.0], [1.0, 2.0, 3.0]);
    let columns = [
        NumericColumn { column: 0, before: &a, after: &[&a] },
        NumericColumn { column: 1, before: &b, after: &[&b, &b_moved] },
        NumericColumn { column: 2, before: &c, after: &[&c_moved] },
    ];
    let pairs = numeric_pairs(&groups, &columns);
    let find = |columns| pairs.iter().find(|pair| pair.columns == columns).unwrap();
    for kept in [find((0, 1)), find((1, 2))] {
        assert_eq!(kept.fate, Fate::Kept);
        assert_eq!(kept.correlation.before, kept.correlation.after);
        assert_eq!(kept.regression.before, kept.regression.after);
    }
    assert_ne!(find((0, 2)).correlation.before, find((0, 2)).correlation.after);
}
