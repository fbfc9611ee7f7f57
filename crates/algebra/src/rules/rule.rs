//! A rule at work.

use super::{Card, Facts, Kind, Safe};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use serde::Serialize;
use std::fmt;

/// Which side is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// The plan is the left side; the right one replaces it.
    LeftToRight,
    /// The plan is the right side; the left one replaces it.
    RightToLeft,
}

/// `left to right`
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::LeftToRight => "left to right",
            Way::RightToLeft => "right to left",
        })
    }
}

/// What came of trying a rule at the root of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    /// The root does not look like that side of the rule.
    NoMatch,
    /// It does, but the condition does not hold or cannot be checked: why, in words, without cell values.
    Refused(String),
    /// It does, and this replaces it.
    Rewritten(Rewrite),
}

/// A rewritten plan, and what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// The plan that replaces the old one.
    pub plan: LogicalPlan,
    /// What is the same: never [`Kind::None`], never undecided.
    pub kind: Kind,
    /// Whether the guarantee must be checked again.
    pub safe: Safe,
    /// Why it was allowed, in words.
    pub because: String,
}

/// A rule of the algebra.
pub trait Rule: fmt::Debug + Send + Sync {
    /// What it says about itself.
    fn card(&self) -> &'static Card;

    /// Tries the rule at the root of a plan, one way. Ways that the card does not allow give [`Attempt::Refused`] where they match.
    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt>;

    /// Whether both sides give out their rows in the same order, or in orders of the same distribution. Bags have none, but a slicing above may cut it
    /// into windows.
    fn keeps_rank(&self) -> bool {
        true
    }
}
