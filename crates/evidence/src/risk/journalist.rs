//! How large is a class in the population, given how large it is in the sample?

/// From this number of rows on, the class is taken to be `f/π` people: the error is below 1 in 10⁵ of the risk.
const LARGE: u64 = 100_000;

/// The recursion goes upwards while rounding grows to at most e to this power, which leaves ten digits and more.
const MOST_GROWTH: f64 = 10.0;

/// `E[1/F | f]` for a class of `f` sampled rows and the sampling fraction `π`: the risk of a row under the journalist.
///
/// Under Bernoulli sampling and an uninformed prior, `F | f` is negative binomial:
/// `P(F = h) = C(h−1, f−1) π^f (1−π)^(h−f)`, so that `E[1/F] = π ∫₀¹ y^(f−1) / (π + (1−π) y) dy`. At most 1/f;
/// π = 1 gives 1/f. Benedetti & Franconi 1998; the individual risk of μ-Argus and sdcMicro.
#[must_use]
pub fn expected_inverse(f: u64, sampling_fraction: f64) -> f64 {
    if f == 0 {
        return 0.0;
    }
    let (pi, rest) = (sampling_fraction, 1.0 - sampling_fraction);
    if rest <= 0.0 {
        return 1.0 / f as f64;
    }
    if f >= LARGE {
        return pi / f as f64;
    }
    // r(f+1) = π/(1−π) · (1/f − r(f)). Upwards every step multiplies what was rounded by the factor, downwards it divides what the start lacks.
    let growth = (pi / rest).ln();
    if growth * f as f64 <= MOST_GROWTH {
        let mut risk = -pi * pi.ln() / rest;
        for size in 1..f {
            risk = pi / rest * (1.0 / size as f64 - risk);
        }
        return risk;
    }
    let start = f + (40.0 / growth.max(0.005)) as u64 + 40;
    let mut risk = pi / start as f64;
    for size in (f..start).rev() {
        risk = 1.0 / size as f64 - rest / pi * risk;
    }
    risk
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sum as it is defined.
    fn series(f: u64, pi: f64) -> f64 {
        let mut probability = pi.powi(f as i32);
        let mut sum = 0.0;
        for h in f..f + 200_000 {
            sum += probability / h as f64;
            probability *= h as f64 / (h - f + 1) as f64 * (1.0 - pi);
        }
        sum
    }

    #[test]
    fn a_unique_row_in_a_tenth_of_the_population() {
        let expected = 0.1 * 10f64.ln() / 0.9;
        assert!((expected_inverse(1, 0.1) - expected).abs() < 1e-12);
        assert_eq!(expected_inverse(4, 1.0), 0.25);
    }

    #[test]
    fn just_above_one_half() {
        let pi = 0.500_428_329_805_795_8_f64;
        let expected = -pi * pi.ln() / (1.0 - pi);
        assert!((expected_inverse(1, pi) - expected).abs() < 1e-12);
        for f in [2, 7, 59] {
            let (fast, slow) = (expected_inverse(f, pi), series(f, pi));
            assert!((fast - slow).abs() < 1e-7 * slow, "{f}: {fast} and {slow}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_recursion_is_the_series(f in 1u64..60, pi in 0.05f64..0.999) {
            let (fast, slow) = (expected_inverse(f, pi), series(f, pi));
            prop_assert!((fast - slow).abs() < 1e-7 * slow, "f = {f}, π = {pi}: {fast} and {slow}");
        }
    }
}
