//! For every rule, random plans whose root is one of its sides: with its condition kept, and with its condition broken.

mod classical;
mod generalize;
mod noise;
mod slice;

use crate::workshop::Workshop;
use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::rules::Way;

/// Whether the condition of the rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Kept,
    Broken,
}

/// A plan to try a rule on.
#[derive(Debug)]
pub struct Scene {
    /// The node; nothing where the operator refuses to be built.
    pub node: Option<LogicalPlan>,
    pub way: Way,
    /// Names of the columns that partially equivalent sides may show differently.
    pub touched: Vec<String>,
    pub condition: Condition,
}

/// A side of a rule.
#[derive(Debug)]
struct Side {
    node: Option<LogicalPlan>,
    way: Way,
    touched: Vec<String>,
}

impl Side {
    fn new(way: Way, node: LogicalPlan) -> Side {
        Side { node: Some(node), way, touched: Vec::new() }
    }

    fn touching(mut self, names: &[&str]) -> Side {
        self.touched = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// An operator that cannot be built.
    fn impossible<T, E>(built: Result<T, E>) -> Side {
        assert!(built.is_err(), "the operator takes columns that its relation does not have");
        Side { node: None, way: Way::LeftToRight, touched: Vec::new() }
    }
}

/// A random plan for a rule.
pub fn scene(rule: &str, condition: Condition, shop: &mut Workshop) -> Scene {
    let side = match &rule[..1] {
        "G" => generalize::side(rule, condition, shop),
        "C" => classical::side(rule, condition, shop),
        "S" => slice::side(rule, condition, shop),
        _ => noise::side(rule, condition, shop),
    };
    Scene { node: side.node, way: side.way, touched: side.touched, condition }
}
