//! Two linear models, fitted exactly enough to be compared: ridge regression, and logistic regression for several classes.

/// How much large weights cost. Features are scaled.
const PENALTY: f64 = 1.0;
/// Steps of the logistic fit; each lessens the loss.
const STEPS: usize = 60;

/// `ŷ = w₀ + w·x` with the least `Σ (y − ŷ)² + Σ w²`; Hoerl & Kennard, Technometrics 12(1), 1970.
pub(crate) struct Ridge {
    weights: Vec<f64>,
}

impl Ridge {
    pub(crate) fn fit(x: &[Vec<f64>], y: &[f64]) -> Ridge {
        let factor = factor(x, 1.0);
        let mut right = vec![0.0; width(x)];
        for (line, y) in x.iter().zip(y) {
            add(&mut right, line, *y);
        }
        Ridge { weights: solved(&factor, &right) }
    }

    pub(crate) fn predict(&self, line: &[f64]) -> f64 {
        dot(&self.weights, line)
    }
}

/// Softmax regression: the class with the largest `w₀ + w·x`.
///
/// Fitted by Böhning's fixed bound of the curvature, `½ XᵀX + I`, which is factored once and makes every step lessen the loss:
/// "Multinomial logistic regression algorithm", Annals of the Institute of Statistical Mathematics 44, 1992.
pub(crate) struct Logistic {
    /// By class.
    weights: Vec<Vec<f64>>,
}

impl Logistic {
    /// `y` are classes below `classes`.
    pub(crate) fn fit(x: &[Vec<f64>], y: &[u32], classes: usize) -> Logistic {
        let factor = factor(x, 0.5);
        let mut model = Logistic { weights: vec![vec![0.0; width(x)]; classes] };
        for _ in 0..STEPS {
            // The penalty pulls every weight but the first back to 0.
            let mut gradients: Vec<Vec<f64>> = model
                .weights
                .iter()
                .map(|weights| {
                    let pull = weights.iter().enumerate();
                    pull.map(|(at, weight)| if at == 0 { 0.0 } else { -PENALTY * weight }).collect()
                })
                .collect();
            for (line, &class) in x.iter().zip(y) {
                let chances = model.chances(line);
                for (number, (gradient, chance)) in gradients.iter_mut().zip(chances).enumerate() {
                    let is_it = if number == class as usize { 1.0 } else { 0.0 };
                    add(gradient, line, is_it - chance);
                }
            }
            let mut largest: f64 = 0.0;
            for (weights, gradient) in model.weights.iter_mut().zip(&gradients) {
                for (weight, step) in weights.iter_mut().zip(solved(&factor, gradient)) {
                    *weight += step;
                    largest = largest.max(step.abs());
                }
            }
            if largest < 1e-6 {
                break;
            }
        }
        model
    }

    /// How likely each class is.
    fn chances(&self, line: &[f64]) -> Vec<f64> {
        let scores: Vec<f64> = self.weights.iter().map(|weights| dot(weights, line)).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let all: f64 = powers.iter().sum();
        powers.into_iter().map(|power| power / all).collect()
    }

    /// The likeliest class; of several the first.
    pub(crate) fn predict(&self, line: &[f64]) -> u32 {
        let mut best = (0, f64::NEG_INFINITY);
        for (class, weights) in (0u32..).zip(&self.weights) {
            let score = dot(weights, line);
            if score > best.1 {
                best = (class, score);
            }
        }
        best.0
    }
}

/// Weights of a line: one for each feature, and a first one that stands alone.
fn width(x: &[Vec<f64>]) -> usize {
    1 + x.first().map_or(0, Vec::len)
}

fn dot(weights: &[f64], line: &[f64]) -> f64 {
    weights[0] + weights[1..].iter().zip(line).map(|(weight, value)| weight * value).sum::<f64>()
}

fn add(sum: &mut [f64], line: &[f64], times: f64) {
    sum[0] += times;
    sum[1..].iter_mut().zip(line).for_each(|(sum, value)| *sum += times * value);
}

/// The Cholesky factor of `share · XᵀX + penalty`, lower triangle, row by row. The first weight is hardly penalised.
fn factor(x: &[Vec<f64>], share: f64) -> Vec<Vec<f64>> {
    let width = width(x);
    let mut matrix = vec![vec![0.0; width]; width];
    for line in x {
        for (row, sums) in matrix.iter_mut().enumerate() {
            let value = share * if row == 0 { 1.0 } else { line[row - 1] };
            if value != 0.0 {
                add(&mut sums[..=row], line, value);
            }
        }
    }
    for (row, sums) in matrix.iter_mut().enumerate() {
        sums[row] += if row == 0 { 1e-9 } else { PENALTY };
    }
    for row in 0..width {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| matrix[row][at] * matrix[column][at]).sum();
            let rest = matrix[row][column] - known;
            matrix[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / matrix[column][column] };
        }
    }
    matrix
}

/// Solves `L Lᵀ w = right`.
fn solved(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut w = right.to_vec();
    for row in 0..w.len() {
        let known: f64 = (0..row).map(|at| factor[row][at] * w[at]).sum();
        w[row] = (w[row] - known) / factor[row][row];
    }
    for row in (0..w.len()).rev() {
        let known: f64 = (row + 1..w.len()).map(|at| factor[at][row] * w[at]).sum();
        w[row] = (w[row] - known) / factor[row][row];
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let x: Vec<Vec<f64>> =
            (0..200).map(|i| vec![f64::from(i % 10) / 5.0 - 1.0, f64::from(i % 7) - 3.0]).collect();
        let y: Vec<f64> = x.iter().map(|line| 4.0 + 2.0 * line[0] - 3.0 * line[1]).collect();
        let model = Ridge::fit(&x, &y);
        for (line, y) in x.iter().zip(&y) {
            assert!((model.predict(line) - y).abs() < 0.1);
        }
    }

    #[test]
    fn classes_are_told_apart_and_steps_lessen_the_loss() {
        let x: Vec<Vec<f64>> = (0..300).map(|i| vec![f64::from(i % 30) / 10.0 - 1.5]).collect();
        let y: Vec<u32> = x
            .iter()
            .map(|line| {
                if line[0] < -0.5 {
                    0
                } else if line[0] < 0.5 {
                    1
                } else {
                    2
                }
            })
            .collect();
        let model = Logistic::fit(&x, &y, 3);
        let right = x.iter().zip(&y).filter(|(line, class)| model.predict(line) == **class).count();
        assert!(right > 270, "{right}");
        let chances = model.chances(&x[0]);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn features_that_never_vary_do_no_harm() {
        let x = vec![vec![0.0, 1.0]; 40];
        let y: Vec<u32> = (0..40).map(|i| u32::from(i % 4 == 0)).collect();
        assert_eq!(Logistic::fit(&x, &y, 2).predict(&x[0]), 0);
        let numbers: Vec<f64> = y.iter().map(|&class| f64::from(class)).collect();
        assert!((Ridge::fit(&x, &numbers).predict(&x[0]) - 0.25).abs() < 0.05);
    }
}
