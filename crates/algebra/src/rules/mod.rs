//! When an operator may move past π, σ, ∪, ⋈ or another operator: the rules, each in a file of its own.
//!
//! A rule matches the root of a plan, checks its condition (also on the data, through [`Facts`]) and either rewrites, or refuses and
//! says why. Rules that do not hold are in the catalogue, too: they match, and always refuse, with their counter-example.

mod card;
mod facts;
mod generalize;
mod names;
mod outcome;
mod randomize;
mod relational;
mod rule;
mod slice;

pub use card::{Card, Direction, Kind, Safe};
pub use facts::{Facts, NoFacts};
pub use names::{rewriter_names, rewriter_rule};
pub use rule::{Attempt, Rewrite, Rule, Way};

/// All rules in the catalogue's order: G1–G19, S1–S11, D1–D15.
pub fn catalogue() -> Vec<&'static dyn Rule> {
    [generalize::RULES, slice::RULES, randomize::RULES].concat()
}
