//! Tests of distributions, at one level of significance.
//!
//! A test rejects when its p-value is below [`ALPHA`] = 10⁻⁶. Where the draws come from a fixed seed the outcome is fixed too; where they
//! come from the operating system a correct program fails one run in a million. Every test here is also run on a planted fault,
//! which it must reject: a test that cannot fail shows nothing.

/// The probability of rejecting a correct sampler. The critical value of χ² is 23.93 for 1 degree of freedom and 27.63 for 2; others are
/// computed by [`chi_square_tail`], which is held against tabulated values below.
pub(crate) const ALPHA: f64 = 1e-6;

/// Pearson's test: the p-value of observed counts under expected ones. Neighbouring cells are pooled until 10 are expected.
pub(crate) fn chi_square(cells: impl IntoIterator<Item = (u64, f64)>) -> f64 {
    let (statistic, pools) = pearson(cells);
    chi_square_tail(statistic, pools.saturating_sub(1))
}

/// χ² and the number of pooled cells.
pub(crate) fn pearson(cells: impl IntoIterator<Item = (u64, f64)>) -> (f64, u32) {
    const LEAST_EXPECTED: f64 = 10.0;
    let mut pools: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (observed, expected) in cells {
        open = (open.0 + observed as f64, open.1 + expected);
        if open.1 >= LEAST_EXPECTED {
            pools.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = pools.last_mut() {
        *last = (last.0 + open.0, last.1 + open.1);
    }
    (
        pools.iter().map(|(observed, expected)| (observed - expected).powi(2) / expected).sum(),
        pools.len() as u32,
    )
}

/// The p-value of whole numbers under a distribution on the whole numbers. What lies beyond `reach` falls into the outermost cells.
#[cfg(feature = "mechanism")]
pub(crate) fn chi_square_of_draws(draws: &[i128], reach: i64, mass: impl Fn(i64) -> f64) -> f64 {
    let cell =
        |draw: &i128| (draw.clamp(&-i128::from(reach), &i128::from(reach)) + i128::from(reach)) as usize;
    let mut observed = vec![0u64; 2 * reach as usize + 1];
    draws.iter().for_each(|draw| observed[cell(draw)] += 1);
    let mut expected: Vec<f64> = (-reach..=reach).map(|x| mass(x) * draws.len() as f64).collect();
    let beyond = (draws.len() as f64 - expected.iter().sum::<f64>()).max(0.0) / 2.0;
    expected[0] += beyond;
    expected[2 * reach as usize] += beyond;
    chi_square(observed.into_iter().zip(expected))
}

/// The exact two-sided p-value of `hits` among `trials` with probability `p`: twice the smaller tail.
pub(crate) fn binomial(hits: u64, trials: u64, p: f64) -> f64 {
    let (n, k) = (trials as f64, hits as f64);
    let log_mass = |k: f64| {
        ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0) + k * p.ln() + (n - k) * (1.0 - p).ln()
    };
    let tail: f64 = if k >= n * p {
        (hits..=trials).map(|k| log_mass(k as f64).exp()).sum()
    } else {
        (0..=hits).map(|k| log_mass(k as f64).exp()).sum()
    };
    (2.0 * tail).min(1.0)
}

/// `P(χ² > x)`: the regularised upper incomplete gamma function Q(df/2, x/2).
pub(crate) fn chi_square_tail(x: f64, degrees: u32) -> f64 {
    if degrees == 0 || x <= 0.0 {
        return 1.0;
    }
    let (a, x) = (f64::from(degrees) / 2.0, x / 2.0);
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        // The series of the lower function.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // The continued fraction of the upper function, by Lentz's method.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let factor = -i * (i - a);
        b += 2.0;
        d = 1.0 / (factor * d + b);
        c = b + factor / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// Stirling's series, shifted to where it is exact to the last digits.
fn ln_gamma(x: f64) -> f64 {
    if x < 15.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    let s = 1.0 / (x * x);
    let series = (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[test]
fn the_tail_of_chi_square_is_the_tabulated_one() {
    for (degrees, critical, level) in [
        (1, 3.841_459, 0.05),
        (1, 10.827_566, 0.001),
        (5, 20.515_006, 0.001),
        (10, 29.588_298, 0.001),
        (1, 23.928_127, 1e-6),
        (100, 149.449_253, 0.001),
    ] {
        let tail = chi_square_tail(critical, degrees);
        assert!((tail / level - 1.0).abs() < 1e-5, "{degrees}: {tail} {level}");
    }
    // Two degrees of freedom have a closed form.
    assert!((chi_square_tail(27.631_021, 2) / 1e-6 - 1.0).abs() < 1e-6);
}

#[test]
fn the_binomial_tail_is_exact() {
    assert!((binomial(10, 10, 0.5) - 2.0 / 1024.0).abs() < 1e-15);
    assert!((binomial(1, 10, 0.5) - 22.0 / 1024.0).abs() < 1e-14);
    assert!((binomial(5, 10, 0.5) - 1.0).abs() < 1e-12);
}
