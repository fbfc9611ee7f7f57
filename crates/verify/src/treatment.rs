//! What a document says was done to the cells of a column besides generalizing them.

use crate::VerifyError;
use crate::decimal::Decimal;
use crate::json::Node;

/// Rounding, top and bottom coding, microaggregation, pseudonyms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Treatment {
    pub(crate) round: Option<Decimal>,
    pub(crate) bottom: Option<Decimal>,
    pub(crate) top: Option<Decimal>,
    pub(crate) aggregate: Option<Aggregate>,
    pub(crate) pseudonyms: bool,
}

/// What every class shows of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Mean,
    Median,
    Interval,
}

impl Aggregate {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Aggregate::Mean => "mean",
            Aggregate::Median => "median",
            Aggregate::Interval => "interval",
        }
    }
}

impl Treatment {
    /// The `treatment` of an attribute; nothing where it has none.
    pub(crate) fn of(attribute: &Node<'_>) -> Result<Treatment, VerifyError> {
        let Some(node) = attribute.optional("treatment") else { return Ok(Treatment::default()) };
        let number = |key: &str| node.optional(key).map(|number| number.decimal()).transpose();
        let round = number("round")?;
        if round.as_ref().is_some_and(|step| !step.is_positive()) {
            return Err(node.get("round")?.bad("must be above 0"));
        }
        let aggregate = match node.optional("aggregate") {
            None => None,
            Some(name) => Some(match name.str()? {
                "mean" => Aggregate::Mean,
                "median" => Aggregate::Median,
                "interval" => Aggregate::Interval,
                _ => return Err(name.bad("must be mean, median or interval")),
            }),
        };
        let pseudonyms = match node.optional("pseudonyms") {
            None => false,
            Some(how) if how.str()? == "hmac-sha256" => true,
            Some(how) => return Err(how.bad("must be hmac-sha256")),
        };
        Ok(Treatment { round, bottom: number("bottom")?, top: number("top")?, aggregate, pseudonyms })
    }

    /// Whether numbers are held to something.
    pub(crate) fn bounds_numbers(&self) -> bool {
        self.round.is_some() || self.bottom.is_some() || self.top.is_some()
    }

    /// Whether a number may be left after the treatment.
    pub(crate) fn leaves(&self, number: &Decimal) -> bool {
        let is_multiple = |step: &Decimal| {
            let scale = step.scale().max(number.scale());
            match (number.scaled_to(scale), step.scaled_to(scale)) {
                (Some(number), Some(step)) => (number % step) == num_bigint::BigInt::ZERO,
                _ => false,
            }
        };
        self.round.as_ref().is_none_or(is_multiple)
            && self.bottom.as_ref().is_none_or(|bottom| bottom <= number)
            && self.top.as_ref().is_none_or(|top| number <= top)
    }
}
