//! Zayatz 1991: which classes of the population could the unique rows have come from?

use super::Sampling;
use crate::risk::ClassSizes;
use crate::risk::special::ln_gamma;

/// `U = (c₁/π) · P(size 1 | sampled once)`, where the class sizes of the population are taken to be distributed like those of the
/// sample and a class of `j` people is sampled once with the hypergeometric probability `h(j)`:
/// `P(size 1 | sampled once) = c₁ h(1) / Σ_j c_j h(j)`. Always gives an estimate.
pub(super) fn uniques(sizes: &ClassSizes, sampling: &Sampling) -> f64 {
    let ones = sizes.classes_of(1) as f64;
    let once: f64 = sizes.counts().map(|(size, classes)| classes as f64 * sampled_once(size, sampling)).sum();
    let fraction = sampling.fraction();
    (ones / fraction * (ones * fraction / once)).min(sampling.population)
}

/// `h(j) = j · C(N−j, n−1) / C(N, n)`
fn sampled_once(size: u64, sampling: &Sampling) -> f64 {
    let (j, n, population) = (size as f64, sampling.sample, sampling.population);
    if size == 1 {
        return n / population;
    }
    let others = population - j - (n - 1.0);
    if others < 0.0 {
        return 0.0;
    }
    let ln_choose = |a: f64, b: f64| ln_gamma(a + 1.0) - ln_gamma(b + 1.0) - ln_gamma(a - b + 1.0);
    j * (ln_choose(population - j, n - 1.0) - ln_choose(population, n)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_agree_with_products() {
        // n/N · Π (N−n−i)/(N−1−i), i < j−1, times j places
        let sampling = Sampling { sample: 40.0, population: 200.0 };
        for size in 1..30u64 {
            let mut product = size as f64 * 40.0 / 200.0;
            for i in 0..size - 1 {
                product *= (200.0 - 40.0 - i as f64) / (200.0 - 1.0 - i as f64);
            }
            assert!((sampled_once(size, &sampling) - product).abs() < 1e-10, "{size}");
        }
        assert_eq!(sampled_once(180, &sampling), 0.0);
    }
}
