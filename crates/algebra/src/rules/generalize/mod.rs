//! G1–G19: where a generalization may move.
//!
//! What all rules rest on: α^G is a function of the bag of its input. The level of every column of X depends on the values of X
//! and, for models that speak of them, on the sensitive columns; every measure of loss is computed from X alone (levels, class
//! sizes, entropies), never from other columns or from row numbers; and an input that keeps the promise leaves unchanged, because
//! no levels cost least under every measure. A search that is stopped by the clock is no function, so rules that claim equal bags
//! refuse it. Ties between equally good levels are broken in the order of the columns, so a rule never changes the order of X.

mod conditions;
mod g01;
mod g02;
mod g03;
mod g04;
mod g05;
mod g06;
mod g07;
mod g08;
mod g09;
mod g10;
mod g11;
mod g12;
mod g13;
mod g14;
mod g15;
mod g16;
mod g17;
mod g18;
mod g19;
mod shape;

use super::{Attempt, Kind, Rewrite, Rule, Safe};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// In the catalogue's order.
pub(super) const RULES: &[&dyn Rule] = &[
    &g01::NothingPromised,
    &g02::NoColumns,
    &g03::ForeignColumns,
    &g04::Twice,
    &g05::FewerColumnsAgain,
    &g06::StrongerAgain,
    &g07::StrongerAgainOnSeveral,
    &g08::WeakerAgain,
    &g09::BelowProjection,
    &g10::AboveProjection,
    &g11::ProjectedAway,
    &g12::EarlyProjection,
    &g13::PartlyProjectedAway,
    &g14::AboveSelection,
    &g15::PartByPart,
    &g16::BelowJoin,
    &g17::BelowKeyJoin,
    &g18::Intersection,
    &g19::Difference,
];

/// Where the rules come from, and what was put right.
macro_rules! source {
    () => {
        "thesis on anonymisation operators in relational algebra, 2020"
    };
    ($corrected:literal) => {
        concat!("thesis on anonymisation operators in relational algebra, 2020, corrected: ", $corrected)
    };
}
use source;

fn refused(because: impl Into<String>) -> Result<Attempt> {
    Ok(Attempt::Refused(because.into()))
}

fn equivalent(plan: LogicalPlan, because: impl Into<String>) -> Result<Attempt> {
    let because = because.into();
    Ok(Attempt::Rewritten(Rewrite { plan, kind: Kind::Equivalent, safe: Safe::Yes, because }))
}

fn partially(plan: LogicalPlan, safe: Safe, because: impl Into<String>) -> Result<Attempt> {
    let because = because.into();
    Ok(Attempt::Rewritten(Rewrite { plan, kind: Kind::PartiallyEquivalent, safe, because }))
}
