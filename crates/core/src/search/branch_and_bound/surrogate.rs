//! A model of the suppression ratio of nodes that were not checked.

use crate::lattice::{Lattice, Node};

/// `ln ratio ≈ a + b · information + Σ_column effect(column, level)`, fitted to the verdicts so far by ridge regression. A verdict weighs
/// more the closer its ratio is to 1, where predictions have to be good.
///
/// `information` is what the columns keep together, in bits. The more of it, the smaller the classes and the more rows are suppressed.
pub(super) struct Surrogate<'a> {
    lattice: &'a Lattice,
    /// By column and level above the lowest.
    information: Vec<Vec<f64>>,
    /// Position of each column's first effect among the features.
    effects: Vec<usize>,
    features: usize,
    /// The normal equations: sums of products of features, and of features with the observations.
    products: Vec<f64>,
    targets: Vec<f64>,
    coefficients: Vec<f64>,
    /// Features and value of the latest verdicts.
    recent: Vec<(Vec<usize>, f64, f64)>,
    verdicts: usize,
}

/// A prediction for every node: the sum of one for its first columns and one for its last.
#[derive(Debug, Default)]
pub(super) struct Predictions {
    head: Vec<f32>,
    tail: Vec<f32>,
}

impl Predictions {
    /// The prediction for a node.
    pub(super) fn of(&self, index: usize) -> f32 {
        // An open set has far fewer than 2³² nodes, and 32-bit division is faster.
        let (index, tail) = (index as u32, self.tail.len() as u32);
        self.head[(index / tail) as usize] + self.tail[(index % tail) as usize]
    }
}

// The constants of this file were chosen together on the tuning set of `docs/guide/bench.md`: 78 problems on adult, cup and fars, with k
// from 2 to 20 but not 5, at 2 % and 5 %, and with t-closeness and δ-presence. They change the number of checks, never the result.

/// Logarithms of ratios are cut off here: further out they say nothing about where the ratio crosses 1.
const FARTHEST_RATIO: f64 = 4.0;
/// A verdict with this logarithm of the ratio weighs half as much as one with a ratio of 1.
const HALF_WEIGHT_RATIO: f64 = 1.0;
/// Verdicts that the deviation is estimated from.
const RECENT_CHECKS: usize = 40;
/// Least deviation that is assumed.
const LEAST_DEVIATION: f64 = 0.15;
/// Deviation before there are verdicts to estimate it from.
const FIRST_DEVIATION: f64 = 2.0;
/// Predictions are trusted more than their deviation justifies.
const CONFIDENCE: f64 = 2.0;
/// Predictions lean towards refuting, in deviations: a check in vain still shows how far to go.
const OPTIMISM: f64 = 0.5;
/// Weight of the prior "no effect", in verdicts.
const PRIOR_EFFECT: f64 = 2.0;
/// Weight and value of the prior of the slope per bit.
const PRIOR_SLOPE: (f64, f64) = (1e-3, 0.5);
/// Weight of the prior "intercept 0"; keeps the system solvable.
const PRIOR_INTERCEPT: f64 = 1e-6;

impl<'a> Surrogate<'a> {
    /// `information(column, level)` is what a column keeps at a level, in bits.
    pub(super) fn new(lattice: &'a Lattice, information: impl Fn(usize, u8) -> f64) -> Surrogate<'a> {
        let columns = lattice.lowest().iter().zip(lattice.highest()).enumerate();
        let information: Vec<Vec<f64>> = columns
            .map(|(column, (&low, &high))| {
                (low..=high).map(|level| information(column, level) - information(column, low)).collect()
            })
            .collect();
        let mut effects = Vec::new();
        let mut features = 2;
        for levels in &information {
            effects.push(features);
            features += levels.len();
        }
        let mut products = vec![0.0; features * features];
        let mut targets = vec![0.0; features];
        products[0] = PRIOR_INTERCEPT;
        products[features + 1] = PRIOR_SLOPE.0;
        targets[1] = PRIOR_SLOPE.0 * PRIOR_SLOPE.1;
        for effect in 2..features {
            products[effect * features + effect] = PRIOR_EFFECT;
        }
        let coefficients = vec![0.0; features];
        Surrogate {
            lattice,
            information,
            effects,
            features,
            products,
            targets,
            coefficients,
            recent: Vec::new(),
            verdicts: 0,
        }
    }

    /// Learns from a verdict.
    pub(super) fn learn(&mut self, node: &Node, suppression_ratio: f64) {
        let value = suppression_ratio.max(f64::MIN_POSITIVE).ln().clamp(-FARTHEST_RATIO, FARTHEST_RATIO);
        let weight = 1.0 / (1.0 + (value / HALF_WEIGHT_RATIO).powi(2));
        let digits =
            node.levels().iter().zip(self.lattice.lowest()).map(|(level, low)| usize::from(level - low));
        let digits: Vec<usize> = digits.collect();
        let bits: f64 = self.information.iter().zip(&digits).map(|(levels, &digit)| levels[digit]).sum();
        let effects: Vec<usize> =
            self.effects.iter().zip(&digits).map(|(first, digit)| first + digit).collect();
        let terms: Vec<(usize, f64)> =
            [(0, 1.0), (1, bits)].into_iter().chain(effects.iter().map(|&effect| (effect, 1.0))).collect();
        for &(i, x) in &terms {
            self.targets[i] += weight * x * value;
            for &(j, y) in &terms {
                self.products[i * self.features + j] += weight * x * y;
            }
        }
        if self.recent.len() == RECENT_CHECKS {
            self.recent.remove(0);
        }
        self.recent.push((effects, bits, value));
        self.verdicts += 1;
    }

    /// Fits the model to the verdicts so far.
    pub(super) fn fit(&mut self) {
        self.coefficients = solve(self.products.clone(), self.targets.clone());
    }

    /// The prediction for every node, in deviations above (refutes) or below (does not) a ratio, with [`CONFIDENCE`] and [`OPTIMISM`].
    pub(super) fn predict(&self, suppression_ratio: f64) -> Predictions {
        let scale = CONFIDENCE / self.deviation();
        let terms = |column: usize| -> Vec<f32> {
            let effects = &self.coefficients[self.effects[column]..];
            let term = |(bits, effect): (&f64, &f64)| ((self.coefficients[1] * bits + effect) * scale) as f32;
            self.information[column].iter().zip(effects).map(term).collect()
        };
        // The index counts the last column fastest: every prefix is followed by all levels of the next column.
        let sums = |start: f32, columns: std::ops::Range<usize>| {
            columns.fold(vec![start], |sums, column| {
                let terms = terms(column);
                sums.iter().flat_map(|sum| terms.iter().map(move |term| sum + term)).collect()
            })
        };
        let columns = self.information.len();
        let nodes: usize = self.information.iter().map(Vec::len).product();
        let mut tail = 1;
        let mut split = columns;
        while split > 0 && tail * tail < nodes {
            split -= 1;
            tail *= self.information[split].len();
        }
        Predictions {
            head: sums(((self.coefficients[0] - suppression_ratio.ln()) * scale + OPTIMISM) as f32, 0..split),
            tail: sums(0.0, split..columns),
        }
    }

    fn deviation(&self) -> f64 {
        if self.verdicts < 3 {
            return FIRST_DEVIATION;
        }
        let squares = self.recent.iter().map(|(effects, bits, value)| {
            let effects: f64 = effects.iter().map(|&effect| self.coefficients[effect]).sum();
            (value - self.coefficients[0] - self.coefficients[1] * bits - effects).powi(2)
        });
        (squares.sum::<f64>() / self.recent.len() as f64).sqrt().max(LEAST_DEVIATION)
    }
}

/// Solves a symmetric positive definite system by Cholesky's decomposition.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let (above, row) = matrix.split_at_mut(i * n);
            let other = if i == j { &row[..j] } else { &above[j * n..j * n + j] };
            let dot: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            let rest = row[j] - dot;
            row[j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / above[j * n + j] };
        }
    }
    for i in 0..n {
        let dot: f64 = matrix[i * n..i * n + i].iter().zip(&right).map(|(a, b)| a * b).sum();
        right[i] = (right[i] - dot) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|j| matrix[j * n + i] * right[j]).sum();
        right[i] = (right[i] - dot) / matrix[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let solution = solve(vec![4.0, 2.0, 2.0, 3.0], vec![10.0, 9.0]);
        assert!((solution[0] - 1.5).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_depends_on_the_columns_one_by_one_is_learnt() {
        let lattice = Lattice::new(vec![0, 1], vec![2, 2]).unwrap();
        let mut surrogate = Surrogate::new(&lattice, |_, level| -f64::from(level));
        let truth = |node: &Node| 2.0 - f64::from(node.levels()[0]) - 0.5 * f64::from(node.levels()[1]);
        for _ in 0..50 {
            for index in [0, 1, 2, 5] {
                let node = lattice.node(index);
                surrogate.learn(&node, truth(&node).exp());
            }
        }
        surrogate.fit();
        let predictions = surrogate.predict(1.0);
        for index in 0..6 {
            let predict = predictions.of(index);
            let expected = OPTIMISM + CONFIDENCE * truth(&lattice.node(index as u64)) / LEAST_DEVIATION;
            assert!((f64::from(predict) - expected).abs() < 1.0, "{index}: {predict} instead of {expected}");
        }
    }
}
