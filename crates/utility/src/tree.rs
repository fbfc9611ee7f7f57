//! Decision trees, grown by smartcore: one for classes, one for numbers.
//!
//! Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees", 1984. A tree is what studies of anonymized data mostly train
//! (Iyengar, KDD 2002; Fung, Wang & Yu, ICDE 2005; LeFevre et al., KDD 2006): it asks whether a label or a number separates, not how.

use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters};
use smartcore::tree::decision_tree_regressor::{DecisionTreeRegressor, DecisionTreeRegressorParameters};
use std::collections::BTreeMap;

/// Questions in a row.
const DEPTH: u16 = 8;
/// Rows that an answer rests on.
const LEAST_ROWS: usize = 5;
/// In which order equally good questions are tried.
const SEED: u64 = 1;

/// Classes of the lines in `test`, as a tree grown on `train` tells them.
pub(crate) fn classes(train: &[Vec<f64>], y: &[u32], test: &[Vec<f64>]) -> Vec<u32> {
    let told = matrix(train).zip(matrix(test)).and_then(|(train, test)| {
        let parameters = DecisionTreeClassifierParameters {
            max_depth: Some(DEPTH),
            min_samples_leaf: LEAST_ROWS,
            seed: Some(SEED),
            ..DecisionTreeClassifierParameters::default()
        };
        DecisionTreeClassifier::fit(&train, &y.to_vec(), parameters).ok()?.predict(&test).ok()
    });
    // No tree grows where all rows are of one class.
    told.unwrap_or_else(|| vec![most_frequent(y); test.len()])
}

/// Numbers of the lines in `test`, as a tree grown on `train` tells them.
pub(crate) fn numbers(train: &[Vec<f64>], y: &[f64], test: &[Vec<f64>]) -> Vec<f64> {
    let told = matrix(train).zip(matrix(test)).and_then(|(train, test)| {
        let parameters = DecisionTreeRegressorParameters {
            max_depth: Some(DEPTH),
            min_samples_leaf: LEAST_ROWS,
            seed: Some(SEED),
            ..DecisionTreeRegressorParameters::default()
        };
        DecisionTreeRegressor::fit(&train, &y.to_vec(), parameters).ok()?.predict(&test).ok()
    });
    let mean = y.iter().sum::<f64>() / y.len().max(1) as f64;
    told.unwrap_or_else(|| vec![mean; test.len()])
}

/// `None` for no lines.
fn matrix(lines: &[Vec<f64>]) -> Option<DenseMatrix<f64>> {
    (!lines.is_empty()).then(|| DenseMatrix::from_2d_vec(&lines.to_vec()).ok()).flatten()
}

/// Of several the first.
fn most_frequent(y: &[u32]) -> u32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    y.iter().for_each(|class| *counts.entry(*class).or_insert(0) += 1);
    let most = counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    most.map_or(0, |(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_numbers_are_told_from_features() {
        let x: Vec<Vec<f64>> = (0..400).map(|i| vec![f64::from(i % 40), f64::from(i % 7)]).collect();
        let class = |line: &Vec<f64>| if line[0] < 10.0 { 0 } else { 1 + u32::from(line[1] > 3.0) };
        let y: Vec<u32> = x.iter().map(class).collect();
        assert_eq!(classes(&x[..300], &y[..300], &x[300..]), y[300..]);
        let y: Vec<f64> = x.iter().map(|line| 3.0 * line[0] - 2.0).collect();
        let told = numbers(&x[..300], &y[..300], &x[300..]);
        assert!(told.iter().zip(&y[300..]).all(|(told, y)| (told - y).abs() < 5.0));
    }

    #[test]
    fn what_never_varies_does_no_harm() {
        let x = vec![vec![0.0, 1.0]; 40];
        let y: Vec<u32> = (0..40).map(|i| u32::from(i % 4 == 0)).collect();
        assert_eq!(classes(&x, &y, &x), vec![0; 40]);
        assert_eq!(classes(&x, &[3; 40], &x[..2]), [3, 3]);
        assert!(classes(&x, &y, &[]).is_empty());
        let numbers: Vec<f64> = y.iter().map(|&class| f64::from(class)).collect();
        assert!(super::numbers(&x, &numbers, &x).iter().all(|told| (told - 0.25).abs() < 1e-9));
    }
}
