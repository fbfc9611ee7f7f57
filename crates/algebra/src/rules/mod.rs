//! When an operator may move past π, σ, ∪, ⋈ or another operator: the rules, each in a file of its own.
//!
//! A rule matches the root of a plan, checks its condition (also on the data, through [`Facts`]) and either rewrites, or refuses and
//! says why. Rules that do not hold are in the catalogue, too: they match, and always refuse, with their counter-example.

/// Makes a family from its list, in the catalogue's order: a file and a line per rule.
macro_rules! rules {
    ($($module:ident::$name:ident),+ $(,)?) => {
        $(mod $module;)+

        /// In the catalogue's order.
        pub(super) const RULES: &[&dyn $crate::rules::Rule] = &[$(&$module::$name),+];
    };
}
use rules;

mod card;
mod choice;
mod classical;
mod cost;
mod document;
mod equations;
mod estimate;
mod facts;
mod generalize;
mod names;
mod notation;
mod outcome;
mod patterns;
mod place;
mod randomize;
mod reach;
mod rewriter;
mod rewriter_names;
mod rule;
mod selections;
mod site;
mod slice;
mod switches;
mod trace;
mod tree;

pub use card::{Card, Direction, Kind, Safe};
pub use choice::Choice;
pub use cost::Cost;
pub use document::document;
pub use estimate::estimated_rows;
pub use facts::{Facts, NoFacts};
pub use place::Place;
pub use rewriter::{Consent, Rewriter, Rewritten};
pub use rewriter_names::{rewriter_name, rewriter_names, rewriter_rule};
pub use rule::{Attempt, Rewrite, Rule, Way};
pub use site::{Leaving, leaving};
pub use switches::{Switch, SwitchError, Switches};
pub use trace::{Application, Demand, Event, Recheck, Refusal, Trace};
pub use tree::tree;

/// All rules in the catalogue's order: G1–G19, S1–S12, D1–D17, C1–C7.
pub fn catalogue() -> Vec<&'static dyn Rule> {
    [generalize::RULES, slice::RULES, randomize::RULES, classical::RULES].concat()
}

/// The rule with that id, `G9` or `g9`.
pub fn rule(id: &str) -> Option<&'static dyn Rule> {
    catalogue().into_iter().find(|rule| rule.card().id.eq_ignore_ascii_case(id))
}
