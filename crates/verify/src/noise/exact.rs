//! Exact numbers of noise: fractions of whole numbers of any size, and powers of e from below.

use num_bigint::{BigInt, BigUint};

/// A fraction that is not negative; not in lowest terms.
#[derive(Clone, Debug)]
pub(super) struct Rational {
    above: BigUint,
    below: BigUint,
}

/// Digits before and behind the point, and in both parts of a fraction.
const MOST_DIGITS: usize = 40;

impl Rational {
    pub(super) fn new(above: impl Into<BigUint>, below: impl Into<BigUint>) -> Option<Rational> {
        let below = below.into();
        (below != BigUint::ZERO).then(|| Rational { above: above.into(), below })
    }

    pub(super) fn whole(number: u64) -> Rational {
        Rational { above: number.into(), below: 1u8.into() }
    }

    /// Reads `0.25` or `1/3`.
    pub(super) fn parse(text: &str) -> Option<Rational> {
        let digits = |text: &str| {
            let plain = !text.is_empty()
                && text.len() <= MOST_DIGITS
                && text.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| text.parse::<BigUint>().ok()).flatten()
        };
        if let Some((above, below)) = text.split_once('/') {
            return Rational::new(digits(above)?, digits(below)?);
        }
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        if text.ends_with('.') {
            return None;
        }
        let above = digits(&format!("{whole}{part}"))?;
        Rational::new(above, BigUint::from(10u8).pow(u32::try_from(part.len()).ok()?))
    }

    pub(super) fn plus(&self, other: &Rational) -> Rational {
        if self.below == other.below {
            return Rational { above: &self.above + &other.above, below: self.below.clone() };
        }
        Rational {
            above: &self.above * &other.below + &other.above * &self.below,
            below: &self.below * &other.below,
        }
    }

    pub(super) fn times(&self, other: &Rational) -> Rational {
        Rational { above: &self.above * &other.above, below: &self.below * &other.below }
    }

    /// `self − other`, at least 0.
    pub(super) fn less(&self, other: &Rational) -> Rational {
        let (left, right) = (&self.above * &other.below, &other.above * &self.below);
        let above = if left > right { left - right } else { BigUint::ZERO };
        Rational { above, below: &self.below * &other.below }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.above == BigUint::ZERO
    }

    pub(super) fn sum<'a>(all: impl Iterator<Item = &'a Rational>) -> Rational {
        all.fold(Rational::whole(0), |sum, one| sum.plus(one))
    }

    /// Whether weights sum to 1. Noise can be drawn only where they have a common denominator of 60 bits; whatever goes far beyond is refused, before the numbers
    /// grow long.
    pub(super) fn are_shares<'a>(weights: impl Iterator<Item = &'a Rational>) -> bool {
        let mut sum = Rational::whole(0);
        for weight in weights {
            sum = sum.plus(weight).reduced();
            if sum.below.bits() > 128 {
                return false;
            }
        }
        sum == Rational::whole(1)
    }

    /// In lowest terms.
    fn reduced(&self) -> Rational {
        let (mut a, mut b) = (self.above.clone(), self.below.clone());
        while b != BigUint::ZERO {
            (a, b) = (b.clone(), a % b);
        }
        Rational { above: &self.above / &a, below: &self.below / &a }
    }

    /// `self / other`; `None` for a division by 0.
    pub(super) fn over(&self, other: &Rational) -> Option<Rational> {
        Rational::new(&self.above * &other.below, &self.below * &other.above)
    }

    /// `⌊self · 2^bits⌋`
    pub(super) fn scaled(&self, bits: usize) -> BigUint {
        (&self.above << bits) / &self.below
    }

    /// A number not above `e^self` and within 2⁻¹⁰⁰ of it, relatively. `None` above 64: such an ε protects nobody.
    pub(super) fn power_of_e(&self) -> Option<Rational> {
        const BITS: usize = 256;
        if *self > Rational::whole(64) {
            return None;
        }
        let x = self.scaled(BITS);
        let one = BigUint::from(1u8) << BITS;
        let (mut term, mut sum) = (one.clone(), one.clone());
        for i in 1u32..600 {
            term = ((term * &x) >> BITS) / i;
            if term == BigUint::ZERO {
                break;
            }
            sum += &term;
        }
        Rational::new(sum, one)
    }

    /// The shortest way to write it: a decimal where it ends, else a fraction in lowest terms.
    pub(super) fn shortest(&self) -> String {
        let Rational { above, below } = self.reduced();
        let (mut rest, mut powers) = (below.clone(), [0u32; 2]);
        for (power, prime) in powers.iter_mut().zip([2u8, 5]) {
            while &rest % prime == BigUint::ZERO {
                rest /= prime;
                *power += 1;
            }
        }
        let places = powers[0].max(powers[1]) as usize;
        if rest != BigUint::from(1u8) || places > 36 {
            return format!("{above}/{below}");
        }
        let digits = (above * BigUint::from(10u8).pow(places as u32) / below).to_string();
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
    }

    /// For messages.
    pub(super) fn to_f64(&self) -> f64 {
        let scaled = BigInt::from(self.scaled(64));
        scaled.to_string().parse::<f64>().unwrap_or(f64::INFINITY) / 2f64.powi(64)
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Rational) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rational {}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> std::cmp::Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly_or_not_at_all() {
        assert_eq!(Rational::parse("0.25"), Rational::new(1u8, 4u8));
        assert_eq!(Rational::parse("2/6"), Rational::new(1u8, 3u8));
        for bad in ["", ".", "1.", "-1", "1/0", "1/", "a", "1e3", "0x1"] {
            assert!(Rational::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_written_as_short_as_can_be() {
        for (text, short) in
            [("0.50", "0.5"), ("2/6", "1/3"), ("10/4", "2.5"), ("0", "0"), ("12", "12"), ("0.05", "0.05")]
        {
            assert_eq!(Rational::parse(text).unwrap().shortest(), short);
        }
    }

    #[test]
    fn shares_sum_to_one_and_endless_denominators_are_refused() {
        let all =
            |texts: &[&str]| texts.iter().map(|text| Rational::parse(text).unwrap()).collect::<Vec<_>>();
        assert!(Rational::are_shares(all(&["1/3", "1/6", "0.5"]).iter()));
        assert!(!Rational::are_shares(all(&["1/3", "1/6", "0.4"]).iter()));
        assert!(!Rational::are_shares([].iter()));
        let endless: Vec<Rational> =
            (0u32..200_000).filter_map(|n| Rational::new(1u8, 2 * n + 1_000_001)).collect();
        assert!(!Rational::are_shares(endless.iter()));
    }

    #[test]
    fn powers_of_e_are_just_below() {
        for (x, power) in
            [("0", 1.0), ("1", std::f64::consts::E), ("1.098612", 2.999_999_134), ("20", 485_165_195.409_79)]
        {
            let found = Rational::parse(x).unwrap().power_of_e().unwrap().to_f64();
            assert!((found / power - 1.0).abs() < 1e-9, "{x}: {found}");
        }
        let e = Rational::parse("2.718281828459045235360287471353").unwrap();
        assert!(Rational::whole(1).power_of_e().unwrap() < e);
        assert!(Rational::whole(65).power_of_e().is_none());
    }
}
