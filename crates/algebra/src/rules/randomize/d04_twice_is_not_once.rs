//! D4: the same noise twice is not the same as once.

use crate::operator::Noise;
use crate::rules::outcome::{SOURCE, equivalent, refused, wrong_way};
use crate::rules::patterns::randomize::{nested, randomize};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use paravent_core::exact::Fraction;

/// The same noise twice is not the same as once.
#[derive(Debug)]
pub(super) struct TwiceIsNotOnce;

static CARD: Card = Card {
    id: "D4",
    statement: "α^D_P(α^D_P(r)) ≠ α^D_P(r)",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "does not hold. Where it is asked for by name it is used in the one case in which both sides are the same: every p is 0, or 1 \
        with a static distribution that is not read off the column",
    source: SOURCE,
    example: "B = 00, p = 0.5, static {00 1/2, A0 1/2}: P(00) is 3/4 after one application and 5/8 \
        after two",
};

impl Rule for TwiceIsNotOnce {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::RightToLeft {
            return match randomize(plan) {
                Some(_) => {
                    let why = "a second application adds noise, or is idle. Counter-example";
                    wrong_way(&CARD, &format!("{why}: {}", CARD.example))
                }
                None => Ok(Attempt::NoMatch),
            };
        }
        let Some((outer, inner)) = nested(plan) else { return Ok(Attempt::NoMatch) };
        if !outer.what().same_noise(inner.what()) {
            return Ok(Attempt::NoMatch);
        }
        let noisy = outer.what().noise.iter().find(|(_, noise)| !is_idempotent(noise));
        match noisy {
            Some((column, noise)) => refused(format!(
                "a second application with p = {} changes the distribution of {}: with p = 0.5 and two equally likely \
                 values a value stays with probability 3/4 after one application and 5/8 after two; D6 says what two make together",
                noise.probability, column.name
            )),
            None => equivalent(
                crate::rules::patterns::randomize::over(outer, inner.input().clone())?,
                "every probability is 0, or 1 with static noise: the last draw decides alone",
            ),
        }
    }
}

/// Whether a second application of the same noise changes nothing.
fn is_idempotent(noise: &Noise) -> bool {
    let redrawn = *noise.probability.value();
    let independent = noise.distribution.is_static() && noise.distribution.is_fixed();
    redrawn == Fraction::ZERO || (redrawn == Fraction::ONE && independent)
}
