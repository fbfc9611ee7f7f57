//! Numeric columns: correlation and regression.

use rayon::prelude::*;

use super::{Comparison, Fate, fate};
use crate::groups::ColumnGroups;

/// A numeric column before and after; missing values are NaN, and their rows are left out of a pair's figures.
#[derive(Clone, Copy)]
pub struct NumericColumn<'a> {
    /// Position in [`ColumnGroups::columns`].
    pub column: usize,
    /// Its values in the table.
    pub before: &'a [f64],
    /// Its values in the sliced table, one list per copy in the order of [`ColumnGroups::released`]; usually one.
    pub after: &'a [&'a [f64]],
}

/// A line `y = intercept + slope · x` fitted by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression {
    /// `ȳ − slope · x̄`.
    pub intercept: f64,
    /// `Σ(x−x̄)(y−ȳ) / Σ(x−x̄)²`.
    pub slope: f64,
    /// Share of the variance of y that the line explains, from 0 to 1; 1 when y is constant.
    pub r_squared: f64,
}

/// Two numeric columns before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct NumericPair {
    /// The columns, as positions in [`ColumnGroups::columns`]; x is the first, y the second.
    pub columns: (usize, usize),
    /// Do they share a group?
    pub fate: Fate,
    /// Pearson's correlation, from −1 to 1; `None` when a column is constant.
    pub correlation: Comparison<Option<f64>>,
    /// The regression of the second on the first; `None` when the first is constant.
    pub regression: Comparison<Option<Regression>>,
}

/// The figures of every two numeric columns, in the order given.
pub fn numeric_pairs(groups: &ColumnGroups, columns: &[NumericColumn<'_>]) -> Vec<NumericPair> {
    let pairs: Vec<(usize, usize)> = (0..columns.len())
        .flat_map(|first| (first + 1..columns.len()).map(move |second| (first, second)))
        .collect();
    pairs
        .into_par_iter()
        .map(|(first, second)| numeric_pair(groups, &columns[first], &columns[second]))
        .collect()
}

fn numeric_pair(groups: &ColumnGroups, x: &NumericColumn<'_>, y: &NumericColumn<'_>) -> NumericPair {
    let (fate, x_place, y_place) = fate(groups, x.column, y.column);
    let released = groups.released();
    // The number of the copy: how many columns of the same source come before this place.
    let copy = |column: usize, place: usize| {
        released[..place].iter().filter(|released| released.source == column).count()
    };
    let old = Moments::of(x.before, y.before);
    let new = Moments::of(x.after[copy(x.column, x_place)], y.after[copy(y.column, y_place)]);
    NumericPair {
        columns: (x.column, y.column),
        fate,
        correlation: Comparison { before: old.correlation(), after: new.correlation() },
        regression: Comparison { before: old.regression(), after: new.regression() },
    }
}

/// Pearson's correlation `Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²)`; `None` when a column is constant.
pub fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    Moments::of(x, y).correlation()
}

/// The line fitted to y over x; `None` when x is constant.
pub fn regression(x: &[f64], y: &[f64]) -> Option<Regression> {
    Moments::of(x, y).regression()
}

/// Means and centred sums over the pairs in the order of their values.
struct Moments {
    mean_x: f64,
    mean_y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Moments {
    fn of(x: &[f64], y: &[f64]) -> Moments {
        let mut pairs: Vec<(f64, f64)> =
            x.iter().copied().zip(y.iter().copied()).filter(|(x, y)| !x.is_nan() && !y.is_nan()).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let rows = pairs.len() as f64;
        let mean_x = pairs.iter().map(|pair| pair.0).sum::<f64>() / rows;
        let mean_y = pairs.iter().map(|pair| pair.1).sum::<f64>() / rows;
        let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
            pairs.iter().map(|&(x, y)| term(x - mean_x, y - mean_y)).sum()
        };
        // A mean can miss a constant by a rounding; its deviations would pass for variance.
        let constant =
            |value: fn(&(f64, f64)) -> f64| pairs.windows(2).all(|two| value(&two[0]) == value(&two[1]));
        Moments {
            mean_x,
            mean_y,
            xx: if constant(|pair| pair.0) { 0.0 } else { sum(&|x, _| x * x) },
            yy: if constant(|pair| pair.1) { 0.0 } else { sum(&|_, y| y * y) },
            xy: sum(&|x, y| x * y),
        }
    }

    fn correlation(&self) -> Option<f64> {
        let both = self.xx.sqrt() * self.yy.sqrt();
        (both > 0.0).then(|| (self.xy / both).clamp(-1.0, 1.0))
    }

    fn regression(&self) -> Option<Regression> {
        (self.xx > 0.0).then(|| {
            let slope = if self.yy > 0.0 { self.xy / self.xx } else { 0.0 };
            let explained = self.correlation().map_or(1.0, |r| r * r);
            Regression { intercept: self.mean_y - slope * self.mean_x, slope, r_squared: explained }
        })
    }
}
