//! Whose rows they are: every relation below `private` carries its people with it.
//!
//! Noise hides one person only where it is known what one person can change. A relation is *about people* when it is the disjoint union of
//! parts, each computed from the rows of one person alone: `R(D) = ⊎ₚ f(Dₚ)`. Then adding or removing a person adds or removes that
//! person's part, and nothing else. This module proves it node by node over the engine's plan, and rewrites the plan so that the columns of
//! the person travel up, hidden, even where the query drops them. Whatever it does not know is refused, by name; that is the default for
//! every kind of node.
//!
//! | property | relation |
//! |---|---|
//! | [`Property::Public`] | about nobody: `VALUES`, `SELECT 1`, `generate_series` |
//! | [`Property::People`] | about people, with their hidden columns and the most rows that one of them can have |
//! | [`Property::Released`] | what `private` gave out |
//! | [`Mixed`] | rows that may depend on several people; with the reason |
//!
//! | node | becomes |
//! |---|---|
//! | table | about people: the owner's `person` columns say whose row it is, or the row itself is a person; rows without a person are left out |
//! | σ, π, ρ | as below |
//! | ⋈, inner or outer, on all columns of the person | about people, m₁·m₂ rows |
//! | ∪ ALL | about people, m₁ + m₂ rows |
//! | γ with all columns of the person among the groups | about people |
//! | window with all columns of the person in PARTITION BY | about people |
//! | everything else | mixed |
//!
//! Several rows of one person are then clipped to the `contribution` (see [`crate::lower`]); where a row is a person there is nothing to clip
//! by, and the noise grows with m.

mod beside;
mod error;
mod group;
mod join;
mod people;
mod relation;
mod unit;
mod window;

pub use error::Mixed;
pub use people::{People, Property};
pub use unit::{Key, Unit};

use crate::catalog::Catalog;
use crate::operator::Operator;
use datafusion::common::DataFusionError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use relation::Tracker;

/// The people of a relation that stands below `private`, or why they cannot be told apart.
pub fn people(plan: &LogicalPlan, unit: &Unit) -> Result<People, Mixed> {
    match Tracker::new(unit).relation(plan)? {
        Property::People(people) => Ok(*people),
        Property::Public(what) => Err(Mixed::new(what, "it is about nobody, so there is nobody to hide")),
        Property::Released => Err(Mixed::new(
            "an answer of private",
            "it is released already; what is computed from it needs no further noise",
        )),
    }
}

/// Refuses a plan in which a relation below `private` is not about people, or a table about people stands beside it.
pub fn check(plan: &LogicalPlan, catalog: &Catalog) -> Result<(), DataFusionError> {
    let unit = Unit::of(catalog);
    plan.apply_with_subqueries(|node| {
        if let Some(Operator::Private(private)) = Operator::of(node) {
            people(private.input(), &unit)?;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    beside::check(plan, catalog)
}
