//! Exact bounds of a probability from a number of successes. Clopper & Pearson, "The use of confidence or fiducial limits", Biometrika 26, 1934.

/// The greatest p that `successes` of `trials` or more have a probability of at most `miss` under: the true p is below it with at most that chance.
pub(super) fn lower(successes: u64, trials: u64, miss: f64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let (k, n) = (successes as f64, trials as f64);
    // P(X ≥ k) = I_p(k, n−k+1), which rises with p.
    bisect(|p| beta(k, n - k + 1.0, p) <= miss).0
}

/// The smallest p that `successes` of `trials` or fewer have a probability of at most `miss` under: the true p is above it with at most that chance.
pub(super) fn upper(successes: u64, trials: u64, miss: f64) -> f64 {
    // P(X ≤ k) = 1 − P(Y ≤ …) with failures and successes exchanged.
    1.0 - lower(trials - successes, trials, miss)
}

/// The last p for which `holds` holds and the first for which it does not, where it holds from 0 up to somewhere.
fn bisect(holds: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
    (low, high)
}

/// The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (Press et al., "Numerical Recipes", §6.4).
fn beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let small = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut d = 1.0 / small(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut result) = (1.0, d);
    for step in 1..100_000 {
        let m = f64::from(step);
        for numerator in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / small(1.0 + numerator * d);
            c = small(1.0 + numerator / c);
            result *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-14 {
            break;
        }
    }
    result
}

/// ln Γ(x) for x > 0, by Stirling's series after a shift.
fn ln_gamma(x: f64) -> f64 {
    let (mut shift, mut x) = (0.0, x);
    while x < 15.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(X ≥ k) for X ~ Bin(n, p), term by term.
    fn tail(k: u64, n: u64, p: f64) -> f64 {
        let term = |i: u64| {
            let choose: f64 = (0..i).map(|j| ((n - j) as f64 / (j + 1) as f64).ln()).sum();
            (choose + i as f64 * p.ln() + (n - i) as f64 * (1.0 - p).ln()).exp()
        };
        (k..=n).map(term).sum()
    }

    #[test]
    fn the_bounds_are_where_the_tails_are_as_rare_as_asked() {
        for (k, n) in [(1, 10), (5, 10), (10, 10), (3, 200), (150, 200)] {
            for miss in [0.05, 1e-6, 1e-11] {
                let low = lower(k, n, miss);
                assert!((tail(k, n, low) / miss - 1.0).abs() < 1e-6, "{k} of {n}: {low}");
                let high = upper(n - k, n, miss);
                assert!((high + low - 1.0).abs() < 1e-12);
            }
        }
        assert_eq!(lower(0, 10, 0.05), 0.0);
        assert_eq!(upper(10, 10, 0.05), 1.0);
    }

    #[test]
    fn a_known_interval_is_found() {
        // 95 % two-sided for 7 of 20: 0.153909 … 0.592188.
        assert!((lower(7, 20, 0.025) - 0.153_909).abs() < 1e-6);
        assert!((upper(7, 20, 0.025) - 0.592_188_9).abs() < 1e-6);
        let million = (lower(500_000, 1_000_000, 0.025), upper(500_000, 1_000_000, 0.025));
        assert!((million.0 - 0.499_020).abs() < 1e-5 && (million.1 - 0.500_980).abs() < 1e-5, "{million:?}");
    }
}
