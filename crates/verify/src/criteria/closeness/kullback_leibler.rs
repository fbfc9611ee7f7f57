//! Kullback-Leibler divergence of the class from the table: `Σ p ln(p/q)`, the sum over the values of the class.
//!
//! Kullback & Leibler, "On information and sufficiency", 1951. Finite whenever the table has every value of the class.

use super::Distribution;
use super::reference::Reference;

/// The divergence and a bound on its error. A class with the frequencies of the table has exactly 0, without error.
pub(super) fn divergence(class: &Distribution<'_>, reference: &Reference) -> (f64, f64) {
    let (n, total) = (u128::from(class.rows), reference.rows);
    let proportional =
        |&(at, count): &(usize, u64)| u128::from(count) * total == u128::from(reference.counts[at]) * n;
    let covered: u128 = class.counts.iter().map(|&(at, _)| u128::from(reference.counts[at])).sum();
    if covered == total && class.counts.iter().all(proportional) {
        return (0.0, 0.0);
    }
    let (mut sum, mut size) = (0.0, 0.0);
    for &(at, count) in class.counts {
        if reference.counts[at] == 0 {
            return (f64::INFINITY, 0.0);
        }
        let p = count as f64 / n as f64;
        let ratio = (u128::from(count) * total) as f64 / (u128::from(reference.counts[at]) * n) as f64;
        let term = p * ratio.ln();
        sum += term;
        size += term.abs() + p;
    }
    // Each term is off by a few units of its own size, or of p where the logarithm is near 0; so is the sum.
    (sum, (class.counts.len() as f64 + 16.0) * f64::EPSILON * size)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{distribution, reference, sparse};
    use super::*;

    #[test]
    fn divergence_of_known_classes() {
        for (class, expected) in [(&[3, 0, 0], 0.587787), (&[1, 1, 1], 0.195929), (&[1, 0, 2], 0.291823)] {
            let (value, error) = divergence(&distribution(&sparse(class)), &reference(&[5, 1, 3]));
            assert!((value - expected).abs() < 1e-6 && error < 1e-13);
        }
    }

    #[test]
    fn equal_frequencies_diverge_by_exactly_nothing() {
        assert_eq!(divergence(&distribution(&sparse(&[1, 4])), &reference(&[3, 12])), (0.0, 0.0));
        let (value, _) = divergence(&distribution(&sparse(&[1, 0])), &reference(&[0, 5]));
        assert!(value.is_infinite());
    }
}
