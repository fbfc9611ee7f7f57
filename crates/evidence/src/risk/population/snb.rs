//! The slide negative binomial model (Chen & Keller-McNulty 1998).

use super::Sampling;
use crate::risk::ClassSizes;

/// `U = K β^α`: of the `K` classes of the population, each has `1 + NB(α, β)` people. `K` is Shlosser's estimate; α and β make the
/// expected numbers of classes of one and of two rows in the sample equal to those observed. With `x = (1−π)(1−β)`:
///
/// `E[c₁] = K π (β/(1−x))^α (1 + αx/(1−x))`, `E[c₂] = K π² α β^α (1−β) (2 − (1−α)x) / (2 (1−x)^(α+2))`.
///
/// No estimate without classes of two rows, or where no α > 0, 0 < β < 1 do.
pub(super) fn uniques(sizes: &ClassSizes, sampling: &Sampling) -> Option<f64> {
    let fraction = sampling.fraction();
    let (ones, twos) = (sizes.classes_of(1) as f64, sizes.classes_of(2) as f64);
    let all = classes_in_population(sizes, fraction)?;
    if twos == 0.0 || all > sampling.population {
        return None;
    }
    let gap = |logit: f64| {
        let beta = 1.0 / (1.0 + (-logit).exp());
        let alpha = alpha_of(beta, fraction, twos / ones);
        (all * expected_ones(alpha, beta, fraction) - ones, alpha, beta)
    };
    // Where several solutions exist, the one that explains the size of the sample best.
    let (steps, width) = (400, 20.0);
    let at = |step: u32| -width + 2.0 * width * f64::from(step) / f64::from(steps);
    let mut best: Option<(f64, f64)> = None;
    for step in 0..steps {
        let (mut low, mut high) = (at(step), at(step + 1));
        let (start, end) = (gap(low).0, gap(high).0);
        let has_root = start * end <= 0.0;
        if !has_root {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (gap(middle).0 > 0.0) == (start > 0.0) { low = middle } else { high = middle }
        }
        let (_, alpha, beta) = gap(0.5 * (low + high));
        let rows = all * fraction * (1.0 + alpha * (1.0 - beta) / beta);
        let misfit = (rows / sampling.sample).ln().abs();
        let uniques = all * beta.powf(alpha);
        if uniques.is_finite() && best.is_none_or(|(least, _)| misfit < least) {
            best = Some((misfit, uniques));
        }
    }
    best.map(|(_, uniques)| uniques)
}

/// Shlosser's estimate as modified by Haas & Stokes ("Estimating the number of classes in a finite population", JASA 93, 1998):
/// `u + c₁ · Σ j π²(1−π²)^(j−1) c_j / Σ (1−π)^j ((1+π)^j − 1) c_j · (Σ (1−π)^j c_j / Σ j π (1−π)^(j−1) c_j)²`.
fn classes_in_population(sizes: &ClassSizes, fraction: f64) -> Option<f64> {
    let square = fraction * fraction;
    let rest = 1.0 - fraction;
    let sum = |term: &dyn Fn(f64) -> f64| -> f64 {
        sizes.counts().map(|(size, classes)| classes as f64 * term(size as f64)).sum()
    };
    let first = sum(&|j| j * square * (1.0 - square).powf(j - 1.0));
    // (1−π)^j (1+π)^j = (1−π²)^j, which does not overflow.
    let second = sum(&|j| (1.0 - square).powf(j) - rest.powf(j));
    let third = sum(&|j| rest.powf(j));
    let fourth = sum(&|j| j * fraction * rest.powf(j - 1.0));
    let estimate =
        sizes.classes() as f64 + sizes.classes_of(1) as f64 * first / second * (third / fourth).powi(2);
    Some(estimate).filter(|estimate| estimate.is_finite())
}

/// `E[c₁]/K`
fn expected_ones(alpha: f64, beta: f64, fraction: f64) -> f64 {
    let x = (1.0 - fraction) * (1.0 - beta);
    fraction * (beta / (1.0 - x)).powf(alpha) * (1.0 + alpha * x / (1.0 - x))
}

/// The α that makes `E[c₂]/E[c₁]` equal to `ratio`: the ratio grows with α, and the equation is a quadratic one.
fn alpha_of(beta: f64, fraction: f64, ratio: f64) -> f64 {
    let x = (1.0 - fraction) * (1.0 - beta);
    let scale = fraction * (1.0 - beta) / (2.0 * (1.0 - x));
    // scale·x·α² + (scale·(2−x) − ratio·x)·α − ratio·(1−x) = 0
    let (a, b, c) = (scale * x, scale * (2.0 - x) - ratio * x, -ratio * (1.0 - x));
    let root = (b * b - 4.0 * a * c).sqrt();
    // The form without cancellation.
    if b > 0.0 { -2.0 * c / (b + root) } else { (root - b) / (2.0 * a) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected shares of classes with one and with two sampled rows, summed over the sizes in the population.
    fn by_sums(alpha: f64, beta: f64, fraction: f64) -> (f64, f64) {
        let mut probability = beta.powf(alpha);
        let (mut ones, mut twos) = (0.0, 0.0);
        for others in 0..20_000 {
            let size = f64::from(others) + 1.0;
            ones += probability * size * fraction * (1.0 - fraction).powf(size - 1.0);
            if others > 0 {
                let pairs = size * (size - 1.0) / 2.0;
                twos += probability * pairs * fraction * fraction * (1.0 - fraction).powf(size - 2.0);
            }
            probability *= (alpha + f64::from(others)) / (f64::from(others) + 1.0) * (1.0 - beta);
        }
        (ones, twos)
    }

    #[test]
    fn closed_forms_are_the_sums() {
        for (alpha, beta, fraction) in [(0.5, 0.1, 0.2), (1.0, 0.5, 0.3), (2.5, 0.05, 0.7), (0.1, 0.01, 0.15)]
        {
            let (ones, twos) = by_sums(alpha, beta, fraction);
            assert!((expected_ones(alpha, beta, fraction) - ones).abs() < 1e-9, "{alpha} {beta} {fraction}");
            let found = alpha_of(beta, fraction, twos / ones);
            assert!((found - alpha).abs() < 1e-6 * alpha, "{found} for {alpha} {beta} {fraction}");
        }
    }

    #[test]
    fn without_pairs_there_is_no_estimate() {
        let sampling = Sampling::of_fraction(100, 0.2).unwrap();
        assert_eq!(uniques(&ClassSizes::of_counts([(1, 100)]), &sampling), None);
    }
}
