//! How two columns go together.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Which measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Pearson's correlation of two columns of numbers, from −1 to 1.
    Correlation,
    /// Cramér's V of a contingency table, from 0 to 1.
    CramersV,
}

/// A measure and its value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Association {
    /// Rows in which both columns say something.
    pub rows: u64,
    /// The value; 0 where one of the columns does not vary.
    pub value: f64,
}

/// Pearson's r over the pairs that are both there.
pub(crate) fn correlation(pairs: &mut [(f64, f64)]) -> Association {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n.max(1.0);
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in pairs.iter() {
        xy += (a - x) * (b - y);
        xx += (a - x).powi(2);
        yy += (b - y).powi(2);
    }
    let value = if xx > 0.0 && yy > 0.0 { (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0) } else { 0.0 };
    Association { rows: pairs.len() as u64, value }
}

/// Cramér's V of the contingency table of two columns: √(χ² / (n · (min(r, c) − 1))).
pub(crate) fn cramers_v(a: &[Option<String>], b: &[Option<String>]) -> Association {
    let mut cells: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for pair in a.iter().zip(b) {
        if let (Some(a), Some(b)) = pair {
            *cells.entry((a, b)).or_insert(0) += 1;
        }
    }
    let (mut rows, mut columns): (BTreeMap<&str, u64>, BTreeMap<&str, u64>) = Default::default();
    for ((row, column), count) in &cells {
        *rows.entry(row).or_insert(0) += count;
        *columns.entry(column).or_insert(0) += count;
    }
    let n = cells.values().sum::<u64>();
    let least = rows.len().min(columns.len());
    if least < 2 {
        return Association { rows: n, value: 0.0 };
    }
    // χ² = n (Σ o² / (r c) − 1): empty cells add nothing.
    let sum: f64 = cells
        .iter()
        .map(|((row, column), &count)| (count as f64).powi(2) / (rows[row] as f64 * columns[column] as f64))
        .sum();
    let value = ((sum - 1.0).max(0.0) / (least - 1) as f64).sqrt().min(1.0);
    Association { rows: n, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Option<String>> {
        text.split(' ').map(|cell| (cell != "-").then(|| cell.to_owned())).collect()
    }

    #[test]
    fn columns_that_say_the_same_have_one() {
        assert!((cramers_v(&cells("a a b b"), &cells("x x y y")).value - 1.0).abs() < 1e-12);
        assert!(cramers_v(&cells("a a b b"), &cells("x y x y")).value.abs() < 1e-9);
        assert_eq!(cramers_v(&cells("a a - b"), &cells("x x y -")).rows, 2);
        assert_eq!(cramers_v(&cells("* * *"), &cells("x y z")).value, 0.0);
        let r = |pairs: &[(f64, f64)]| correlation(&mut pairs.to_vec()).value;
        assert!((r(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]) - 1.0).abs() < 1e-12);
        assert!((r(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]) + 1.0).abs() < 1e-12);
        assert_eq!(r(&[(1.0, 3.0), (1.0, 2.0)]), 0.0);
    }
}
