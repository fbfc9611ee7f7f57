//! Pitman's sampling formula, fitted by maximum likelihood (Hoshino 2001).

use super::Sampling;
use crate::risk::ClassSizes;
use crate::risk::special::{digamma, ln_gamma};

/// α is looked for between these; a maximum outside is no fit.
const ALPHA: (f64, f64) = (1e-3, 1.0 - 1e-6);

/// `E[S₁] = N · (θ+α)_{N−1} / (θ+1)_{N−1}` (rising factorials), the expected number of unique people among `N` at the maximum
/// likelihood estimates of θ and α. For large `N` it is Hoshino's `Γ(θ+1)/Γ(θ+α) · N^α`.
///
/// No estimate where the likelihood has no maximum with 0 < α < 1: all rows unique (α → 1), or sizes so alike that α → 0.
pub(super) fn uniques(sizes: &ClassSizes, sampling: &Sampling) -> Option<f64> {
    let Fit { theta, alpha } = fit(sizes)?;
    let people = sampling.population;
    let ln = people.ln() + ln_gamma(theta + alpha + people - 1.0) - ln_gamma(theta + alpha)
        + ln_gamma(theta + 1.0)
        - ln_gamma(theta + people);
    Some(ln.exp()).filter(|uniques| uniques.is_finite())
}

struct Fit {
    theta: f64,
    alpha: f64,
}

/// The maximum of the likelihood. For a fixed α the best θ is the one root of ∂L/∂θ; along these, ∂L/∂α changes its sign once.
fn fit(sizes: &ClassSizes) -> Option<Fit> {
    let (classes, rows) = (sizes.classes() as f64, sizes.rows() as f64);
    if classes < 2.0 || classes >= rows {
        return None;
    }
    let slope = |alpha: f64| {
        let theta = best_theta(alpha, classes, rows)?;
        Some((theta, slope_of_alpha(sizes, theta, alpha)))
    };
    let (mut low, mut high) = ALPHA;
    if slope(low)?.1 <= 0.0 || slope(high)?.1 >= 0.0 {
        return None;
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if slope(middle)?.1 > 0.0 { low = middle } else { high = middle }
    }
    let alpha = 0.5 * (low + high);
    Some(Fit { theta: best_theta(alpha, classes, rows)?, alpha })
}

/// `∂L/∂θ = Σ_{i=1}^{u−1} 1/(θ+iα) − Σ_{i=1}^{n−1} 1/(θ+i)`, θ > −α: positive at the lower end, negative for large θ.
fn best_theta(alpha: f64, classes: f64, rows: f64) -> Option<f64> {
    let slope =
        |theta: f64| sum_of_inverses(theta, alpha, classes) - (digamma(theta + rows) - digamma(theta + 1.0));
    // Bisection on ln(θ + α).
    let (mut low, mut high) = ((alpha * 1e-9).ln(), (rows * 1e9).ln());
    let theta = |at: f64| at.exp() - alpha;
    if slope(theta(low)) <= 0.0 || slope(theta(high)) >= 0.0 {
        return None;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if slope(theta(middle)) > 0.0 { low = middle } else { high = middle }
    }
    Some(theta(0.5 * (low + high)))
}

/// `Σ_{i=1}^{u−1} 1/(θ+iα) = (ψ(θ/α+u) − ψ(θ/α+1))/α`
fn sum_of_inverses(theta: f64, alpha: f64, classes: f64) -> f64 {
    (digamma(theta / alpha + classes) - digamma(theta / alpha + 1.0)) / alpha
}

/// `∂L/∂α = Σ_{i=1}^{u−1} i/(θ+iα) − Σ_j c_j Σ_{i=1}^{j−1} 1/(i−α)`
fn slope_of_alpha(sizes: &ClassSizes, theta: f64, alpha: f64) -> f64 {
    let classes = sizes.classes() as f64;
    let first = (classes - 1.0 - theta * sum_of_inverses(theta, alpha, classes)) / alpha;
    let base = digamma(1.0 - alpha);
    let second: f64 =
        sizes.counts().map(|(size, classes)| classes as f64 * (digamma(size as f64 - alpha) - base)).sum();
    first - second
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logarithm of Pitman's sampling formula as it is defined, up to a constant.
    fn likelihood(sizes: &ClassSizes, theta: f64, alpha: f64) -> f64 {
        let mut sum = 0.0;
        for i in 1..sizes.classes() {
            sum += (theta + i as f64 * alpha).ln();
        }
        for i in 1..sizes.rows() {
            sum -= (theta + i as f64).ln();
        }
        for (size, classes) in sizes.counts() {
            for i in 1..size {
                sum += classes as f64 * (i as f64 - alpha).ln();
            }
        }
        sum
    }

    #[test]
    fn no_parameters_nearby_are_likelier() {
        let sizes = ClassSizes::of_counts([(1, 400), (2, 90), (3, 40), (5, 12), (11, 7), (40, 3)]);
        let Fit { theta, alpha } = fit(&sizes).unwrap();
        let best = likelihood(&sizes, theta, alpha);
        for (more_theta, more_alpha) in
            [(1.01, 1.0), (0.99, 1.0), (1.0, 1.01), (1.0, 0.99), (1.05, 0.97), (0.9, 1.02)]
        {
            assert!(
                likelihood(&sizes, theta * more_theta, alpha * more_alpha) < best,
                "{more_theta} {more_alpha}"
            );
        }
    }

    #[test]
    fn the_expectation_is_that_of_the_sequential_scheme() {
        // The chance that the next person starts a class, and that a unique one stays unique, person by person.
        let (theta, alpha, people) = (3.0, 0.4, 500u32);
        let (mut uniques, mut classes) = (0.0, 0.0);
        for n in 0..people {
            let n = f64::from(n);
            let fresh = if n == 0.0 { 1.0 } else { (theta + alpha * classes) / (theta + n) };
            uniques += fresh - if n == 0.0 { 0.0 } else { uniques * (1.0 - alpha) / (theta + n) };
            classes += fresh;
        }
        let ln = |x: f64| ln_gamma(x);
        let n = f64::from(people);
        let closed = (n.ln() + ln(theta + alpha + n - 1.0) - ln(theta + alpha) + ln(theta + 1.0)
            - ln(theta + n))
        .exp();
        assert!((uniques - closed).abs() < 1e-9 * closed, "{uniques} and {closed}");
    }

    #[test]
    fn samples_without_a_maximum_give_no_estimate() {
        assert!(fit(&ClassSizes::of_counts([(1, 50)])).is_none(), "all unique");
        assert!(fit(&ClassSizes::of_counts([(7, 50), (8, 40), (6, 30), (1, 1)])).is_none(), "all alike");
        assert!(fit(&ClassSizes::of_counts([(9, 1)])).is_none());
    }
}
