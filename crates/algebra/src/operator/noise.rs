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
    /// A decimal number from 0 to 1.
    pub fn parse(text: &str) -> Result<Probability, ProbabilityError> {
        let value = Fraction::parse(text).map_err(|_| ProbabilityError(text.to_owned()))?;
        if value < Fraction::ZERO || value > Fraction::ONE {
            return Err(ProbabilityError(text.to_owned()));
        }
        Ok(Probability { text: text.to_owned(), value })
    }

    /// A value that was computed, shown as a fraction or decimal.
    pub fn exactly(value: Fraction, text: impl Into<String>) -> Probability {
        Probability { text: text.into(), value }
    }

    /// The exact value.
    pub fn value(&self) -> &Fraction {
        &self.value
    }
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
    /// Static, but learnt: as often as in the column itself, which makes the noise depend on the data.
    Learnt,
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
    /// Whether a redrawn cell is independent of the old one.
    pub fn is_static(&self) -> bool {
        !matches!(self, Distribution::Steps { .. })
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
