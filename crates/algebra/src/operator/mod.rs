//! The operators as nodes of a logical plan: what they are asked for, and what they give out.

#[macro_use]
mod sameness;

mod demands;
mod draw;
mod generalize;
mod noise;
mod private;
mod promise;
mod randomize;
mod slice;

pub use demands::{Demands, Merge};
pub use draw::Draw;
pub use generalize::{Generalization, Generalize};
pub use noise::{Distribution, Noise, Probability, ProbabilityError, Step, Tails};
pub use private::{Bounded, Measure, PrivateAggregate, PrivateAggregation};
pub use promise::Promise;
pub use randomize::{Randomization, Randomize};
pub use slice::{Buckets, Overlap, Slice, Slicing};

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, DFSchema, DataFusionError, Result};
use datafusion::logical_expr::{Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use std::sync::Arc;

/// A plan whose root is one of our operators.
#[derive(Debug, Clone, Copy)]
pub enum Operator<'a> {
    /// α^G
    Generalize(&'a Generalize),
    /// α^S
    Slice(&'a Slice),
    /// α^D
    Randomize(&'a Randomize),
    /// Noisy aggregates
    Private(&'a PrivateAggregate),
}

impl<'a> Operator<'a> {
    /// The operator at the root of a plan, where it is one of ours.
    pub fn of(plan: &'a LogicalPlan) -> Option<Operator<'a>> {
        let LogicalPlan::Extension(extension) = plan else { return None };
        let node = extension.node.as_any();
        if let Some(generalize) = node.downcast_ref() {
            return Some(Operator::Generalize(generalize));
        }
        if let Some(slice) = node.downcast_ref() {
            return Some(Operator::Slice(slice));
        }
        if let Some(randomize) = node.downcast_ref() {
            return Some(Operator::Randomize(randomize));
        }
        node.downcast_ref().map(Operator::Private)
    }

    /// Whether one of our operators is anywhere in a plan, its subqueries included.
    pub fn is_in(plan: &LogicalPlan) -> Result<bool> {
        let mut found = false;
        plan.apply_with_subqueries(|node| {
            found |= Operator::of(node).is_some();
            Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })?;
        Ok(found)
    }

    /// The relation it works on.
    pub fn input(&self) -> &'a LogicalPlan {
        match self {
            Operator::Generalize(node) => node.input(),
            Operator::Slice(node) => node.input(),
            Operator::Randomize(node) => node.input(),
            Operator::Private(node) => node.input(),
        }
    }
}

/// The node as a plan.
pub(crate) fn plan_of<N: UserDefinedLogicalNodeCore>(node: N) -> LogicalPlan {
    LogicalPlan::Extension(Extension { node: Arc::new(node) })
}

/// The columns of a schema, each with its qualifier.
pub fn columns_of(schema: &DFSchema) -> Vec<Column> {
    schema.columns()
}

/// Refuses columns that the input does not have, and columns named twice.
fn known_once<'a>(operator: &str, input: &DFSchema, columns: impl Iterator<Item = &'a Column>) -> Result<()> {
    let mut seen: Vec<&Column> = Vec::new();
    for column in columns {
        if !input.has_column(column) {
            let known: Vec<String> = input.columns().iter().map(|known| known.name.clone()).collect();
            return Err(DataFusionError::Plan(format!(
                "{operator}: there is no column {:?}; the columns are {}",
                column.name,
                known.join(", ")
            )));
        }
        if seen.contains(&column) {
            return Err(DataFusionError::Plan(format!(
                "{operator}: column {:?} is named twice",
                column.name
            )));
        }
        seen.push(column);
    }
    Ok(())
}

/// Names for people, separated by commas.
fn list<'a>(columns: impl IntoIterator<Item = &'a Column>) -> String {
    let names: Vec<&str> = columns.into_iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}
