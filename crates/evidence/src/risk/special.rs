//! The gamma function's logarithm and its derivative.

/// From here on the asymptotic series are accurate to about 15 digits.
const LARGE: f64 = 12.0;

/// `ln Γ(x)` for `x > 0`.
pub(super) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < LARGE {
        shift -= x.ln();
        x += 1.0;
    }
    let square = (x * x).recip();
    let series = (1.0 / 12.0
        - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))))
        / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

/// `ψ(x) = (ln Γ)'(x)` for `x > 0`.
pub(super) fn digamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < LARGE {
        shift -= x.recip();
        x += 1.0;
    }
    let square = (x * x).recip();
    let series = square
        * (1.0 / 12.0
            - square
                * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square * (5.0 / 660.0)))));
    shift + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_and_harmonic_numbers() {
        let mut factorial = 1.0f64;
        let mut harmonic = 0.0;
        for n in 1..60 {
            let x = f64::from(n);
            assert!((ln_gamma(x) - factorial.ln()).abs() < 1e-12 * (1.0 + factorial.ln()), "Γ({n})");
            assert!((digamma(x) - (harmonic - 0.577_215_664_901_532_9)).abs() < 1e-13, "ψ({n})");
            factorial *= x;
            harmonic += x.recip();
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
    }

    #[test]
    fn the_derivative_is_one() {
        for x in [0.01, 0.3, 1.7, 11.9, 12.1, 345.6] {
            let slope = (ln_gamma(x + 1e-6 * x) - ln_gamma(x - 1e-6 * x)) / (2e-6 * x);
            assert!((slope - digamma(x)).abs() < 1e-6 * (1.0 + digamma(x).abs()), "{x}");
        }
    }
}
