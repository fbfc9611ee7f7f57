//! How the cells of one column are redrawn.

use paravent_core::exact::Fraction;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A probability as written: exact, and shown as it was given.
#[derive(Debug, Clone)]
pub struct Probability {
    text: String,
    value: Fraction,
}

/// Text that is no probability.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a probability; write a number from 0 to 1")]
pub struct ProbabilityError(String);

impl Probability {
    /// A decimal number from 0 to 1, with up to 36 digits after the point, or a fraction such as `4/1461`.
    pub fn parse(text: &str) -> Result<Probability, ProbabilityError> {
        let value = exact_value(text).ok_or_else(|| ProbabilityError(text.to_owned()))?;
        if value < Fraction::ZERO || value > Fraction::ONE {
            return Err(ProbabilityError(text.to_owned()));
        }
        Ok(Probability { text: text.to_owned(), value })
    }

    /// A value that was computed, shown as a fraction or decimal.
    pub fn exactly(value: Fraction, text: impl Into<String>) -> Probability {
        Probability { text: text.into(), value }
    }

    /// A value that was computed: shown as a decimal where it has one, else as a fraction.
    fn computed(value: Fraction) -> Probability {
        let text = decimal(value).unwrap_or_else(|| format!("{}/{}", value.numerator(), value.denominator()));
        Probability { text, value }
    }

    /// 1 − p, exactly; `None` for a value above 1.
    pub fn complement(&self) -> Option<Probability> {
        self.value.complement().map(Probability::computed)
    }

    /// p · q, exactly: both of two independent events. `None` where the digits no longer fit.
    pub fn both(&self, other: &Probability) -> Option<Probability> {
        self.value.times(other.value).map(Probability::computed)
    }

    /// 1 − (1 − p)(1 − q), exactly: at least one of two independent events. `None` where the digits no longer fit.
    pub fn either(&self, other: &Probability) -> Option<Probability> {
        self.complement()?.both(&other.complement()?)?.complement()
    }

    /// The exact value.
    pub fn value(&self) -> &Fraction {
        &self.value
    }
}

/// 10^36 is the largest power of ten whose multiples up to 1 are sure to fit.
const MOST_DIGITS: usize = 36;

fn exact_value(text: &str) -> Option<Fraction> {
    if let Ok(short) = Fraction::parse(text) {
        return Some(short);
    }
    let number = |digits: &str| {
        let plain =
            !digits.is_empty() && digits.len() <= MOST_DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse::<u128>().ok()).flatten()
    };
    if let Some((above, below)) = text.split_once('/') {
        return Fraction::of_terms(number(above)?, number(below)?);
    }
    let (whole, part) = text.split_once('.')?;
    if number(whole)? > 0 {
        return None;
    }
    Fraction::of_terms(number(part)?, 10u128.checked_pow(u32::try_from(part.len()).ok()?)?)
}

/// `0.2944`; `None` where the decimal does not end, or is too long to be read again.
fn decimal(value: Fraction) -> Option<String> {
    let mut text = (value.numerator() / value.denominator()).to_string();
    let mut rest = value.numerator() % value.denominator();
    if rest > 0 {
        text.push('.');
    }
    for _ in 0..MOST_DIGITS {
        if rest == 0 {
            return Some(text);
        }
        let shifted = rest.checked_mul(10)?;
        text.push_str(&(shifted / value.denominator()).to_string());
        rest = shifted % value.denominator();
    }
    (rest == 0).then_some(text)
}

impl PartialEq for Probability {
    fn eq(&self, other: &Probability) -> bool {
        self.value == other.value
    }
}

impl Eq for Probability {}

impl Hash for Probability {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl PartialOrd for Probability {
    fn partial_cmp(&self, other: &Probability) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One move of a dynamic distribution along an ordered domain.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Step {
    /// Places up (or down, where negative).
    pub by: i32,
    /// How likely.
    pub probability: Probability,
}

/// What happens to moves beyond the ends of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub enum Tails {
    /// They come in again at the other end.
    Cyclic,
    /// They stop at the end.
    Clamped,
}

/// Where a redrawn cell comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub enum Distribution {
    /// Static: all values of the domain are equally likely.
    Uniform {
        /// The domain, sorted; without one, the values that the column has, which makes the noise depend on the data.
        domain: Option<Vec<String>>,
    },
    /// Static: these values with these probabilities, sorted by value; they sum to 1.
    Given(Vec<(String, Probability)>),
    /// Static: the same where a cell may be missing, and be redrawn as missing.
    GivenOrMissing {
        /// The values, sorted, with their probabilities.
        values: Vec<(String, Probability)>,
        /// How likely a redrawn cell is missing; the probabilities of the values and this one sum to 1.
        missing: Probability,
    },
    /// Static, but learnt: as often as in the column itself, which makes the noise depend on the data.
    Learnt,
    /// The one that is declared for the column outside of the plan, as in documents that give a probability only. It belongs to the column, not to
    /// the relation, so it is the same everywhere; whether it is static is not known.
    Declared,
    /// Dynamic: a move along the domain from the old value.
    Steps {
        /// The domain in its order.
        domain: Vec<String>,
        /// The moves; their probabilities sum to 1.
        steps: Vec<Step>,
        /// What happens at the ends.
        tails: Tails,
    },
}

impl Distribution {
    /// Whether a redrawn cell is known to be independent of the old one.
    pub fn is_static(&self) -> bool {
        !matches!(self, Distribution::Steps { .. } | Distribution::Declared)
    }

    /// Whether the distribution is the same for every relation it is applied to. One that is read off the column changes with the
    /// column's rows, so it may not move past operators that change them.
    pub fn is_fixed(&self) -> bool {
        !matches!(self, Distribution::Learnt | Distribution::Uniform { domain: None })
    }
}

/// The noise of one column: with probability p a cell is redrawn, else it stays.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Noise {
    /// p
    pub probability: Probability,
    /// Where a redrawn cell comes from.
    pub distribution: Distribution,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn p(text: &str) -> Probability {
        Probability::parse(text).unwrap()
    }

    #[test]
    fn computed_probabilities_are_shown_exactly() {
        assert_eq!(p("0.16").either(&p("0.16")).unwrap().to_string(), "0.2944");
        assert_eq!(p("0.3").either(&p("0.2")).unwrap().to_string(), "0.44");
        assert_eq!(p("1").complement().unwrap().to_string(), "0");
        assert_eq!(p("0.5").both(&p("1")).unwrap().to_string(), "0.5");
        assert_eq!(p("1/3").either(&p("1/3")).unwrap().to_string(), "5/9");
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for text in
            ["", ".", "1.5", "-0.5", "1e-3", "1/0", "3/2", "/2", "1/", "a", "0.5 ", "NaN", "1.0000000000001"]
        {
            assert!(Probability::parse(text).is_err(), "{text}");
        }
        assert!(Probability::parse(&format!("0.{}", "1".repeat(36))).is_ok());
        assert!(Probability::parse(&format!("0.{}", "1".repeat(37))).is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_again(a in 0u64..=1_000_000, b in 0u64..=1_000_000, d in 1u64..=1_000_000) {
            let exact = |n: u64| Probability::computed(Fraction::new(n.min(d), d).unwrap());
            let combined = exact(a).either(&exact(b)).unwrap();
            prop_assert_eq!(Probability::parse(&combined.to_string()), Ok(combined));
        }
    }
}
