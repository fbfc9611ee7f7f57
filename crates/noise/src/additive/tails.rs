//! Thresholds of added noise: exponentials in fixed point, rounded to words.

use super::Law;
use crate::draw::WORDS;
use crate::exact::{Delta, Epsilon, Ratio};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

/// Bits behind the point.
const BITS: usize = 160;

/// `e^(−x)` in fixed point, x ≥ 0.
fn exponential(x: &RBig) -> UBig {
    // Halved until it is small, squared as often.
    let mut halvings = 0;
    let mut small = x.clone();
    while small > RBig::ONE {
        small /= RBig::from(2u8);
        halvings += 1;
    }
    let one = UBig::ONE << BITS;
    let (above, below) = (small.numerator().clone(), small.denominator().clone());
    let above = UBig::try_from(above).unwrap_or(UBig::ZERO);
    let (mut term, mut sum) = (one.clone(), one.clone());
    for i in 1u32..200 {
        term = term * &above / (&below * UBig::from(i));
        if term.is_zero() {
            break;
        }
        sum += &term;
    }
    let mut power = (&one << BITS) / sum;
    for _ in 0..halvings {
        power = (&power * &power) >> BITS;
    }
    power
}

fn times(a: &UBig, b: &UBig) -> UBig {
    (a * b) >> BITS
}

/// A fixed-point number from 0 to 1 as a number of words.
fn words(number: &UBig) -> u64 {
    u64::try_from((number * UBig::from(WORDS)) >> BITS).unwrap_or(WORDS).min(WORDS / 2)
}

/// The tails of Laplace and geometric noise, from one step on.
pub(super) fn of(law: Law, steps: u32, epsilon: &Ratio) -> Vec<u64> {
    let per_step = epsilon.as_big() / RBig::from(steps);
    let alpha = exponential(&per_step);
    let one = UBig::ONE << BITS;
    let mut tail = match law {
        Law::Geometric => (&alpha << BITS) / (&one + &alpha),
        // e^(−x/2) / 2 is the tail of one step.
        Law::Laplace | Law::Gaussian => exponential(&(per_step / RBig::from(2u8))) >> 1,
    };
    let mut tails = Vec::with_capacity(steps as usize);
    for _ in 0..steps {
        tails.push(words(&tail));
        tail = times(&tail, &alpha);
    }
    tails
}

/// The tails of the discrete Gaussian with this σ in steps, from one step on.
pub(super) fn gaussian(steps: u32, width: &Ratio) -> Vec<u64> {
    // e^(−k²/2σ²) by two multiplications: each factor is the one before times e^(−1/σ²).
    let square = width.as_big() * width.as_big();
    let inverse = RBig::ONE / square;
    let slope = exponential(&inverse);
    let mut factor = exponential(&(inverse / RBig::from(2u8)));
    let mut mass = UBig::ONE << BITS;
    let mut masses = Vec::new();
    // Beyond 2⁻¹⁰⁰ nothing reaches a word.
    let least = UBig::ONE << (BITS - 100);
    while mass > least || masses.len() <= steps as usize {
        masses.push(mass.clone());
        mass = times(&mass, &factor);
        factor = times(&factor, &slope);
    }
    let beside: UBig = masses[1..].iter().sum();
    let total = &masses[0] + (&beside << 1);
    let mut tail = beside;
    let mut tails = Vec::with_capacity(steps as usize);
    for mass in &masses[1..=steps as usize] {
        tails.push(words(&((&tail << BITS) / &total)));
        tail -= mass;
    }
    tails
}

/// ε, and numbers just below it: rounded thresholds may miss the promise by a little.
pub(super) fn slightly_less(epsilon: &Ratio) -> impl Iterator<Item = Ratio> + '_ {
    (3..=9).rev().map(move |bits| {
        let part = Ratio(RBig::from_parts(IBig::ONE, UBig::ONE << (bits * 6)));
        epsilon - &(epsilon * &part)
    })
}

/// Widths in steps, of three digits each, in half per cents: from a hundredth of one that is surely enough to that one and somewhat beyond.
///
/// The closed form is Mechanism 1 of Zhao et al., "Reviewing and Improving the Gaussian Mechanism for Differential Privacy", 2019. It is for noise that
/// is not cut at bounds; cut noise may be much narrower, because the far tails, which tell most, are not seen.
pub(super) fn gaussian_widths(steps: u32, epsilon: &Epsilon, delta: &Delta) -> Vec<Ratio> {
    let (epsilon, delta) = (epsilon.ratio().to_f64(), delta.ratio().to_f64());
    let c = (2.0 / ((16.0 * delta + 1.0).sqrt() - 1.0)).ln().max(0.0).sqrt();
    let enough = (c + (c * c + epsilon).sqrt()) * f64::from(steps) / (epsilon * std::f64::consts::SQRT_2);
    let enough = enough.clamp(0.1, 1e9);
    let mut widths: Vec<Ratio> =
        (0..1_000).map(|i| three_digits(enough / 100.0 * 1.005f64.powi(i))).collect();
    widths.dedup();
    widths
}

/// Three digits, so that the last bit of a logarithm decides nothing.
fn three_digits(number: f64) -> Ratio {
    let exponent = number.log10().floor() as i32 - 2;
    let digits = (number / 10f64.powi(exponent)).round() as i64;
    let power = 10i64.pow(exponent.unsigned_abs().min(15));
    let rounded =
        if exponent < 0 { Ratio::new(digits, power.unsigned_abs()) } else { Ratio::new(digits * power, 1) };
    rounded.unwrap_or_else(Ratio::one)
}
