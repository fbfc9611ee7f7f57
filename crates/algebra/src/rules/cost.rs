//! What a plan costs: how much the operators must look at.

use super::estimate::estimated_rows;
use super::{Facts, site};
use crate::operator::Operator;
use datafusion::logical_expr::LogicalPlan;
use paravent_core::words::counted;
use serde::Serialize;
use std::fmt;

/// The price of a plan; the smaller is better, the first part that differs decides.
///
/// All parts are natural numbers, so a plan cannot become cheaper for ever: this is why rewriting for a lower price comes to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cost {
    /// Σ rows × columns of raw rows that leave the place where they live; 0 where no relation is said to live elsewhere.
    pub raw_cells: u64,
    /// Σ rows × columns of the relations that the operators work on.
    pub cells: u64,
    /// How many operators there are.
    pub operators: u64,
    /// How many nodes the plan has.
    pub nodes: u64,
}

impl Cost {
    /// The price of a plan. Numbers of rows are exact where they are known, else estimated from the plan's shape.
    pub fn of(plan: &LogicalPlan, facts: &dyn Facts) -> Cost {
        Cost { raw_cells: site::raw_cells(plan, facts), ..Cost::of_nodes(plan, facts) }
    }

    /// The price of the nodes, wherever they work.
    fn of_nodes(plan: &LogicalPlan, facts: &dyn Facts) -> Cost {
        let mut cost = Cost { raw_cells: 0, cells: 0, operators: 0, nodes: 1 };
        if let Some(operator) = Operator::of(plan) {
            let input = operator.input();
            let columns = input.schema().fields().len() as u64;
            cost.cells = estimated_rows(input, facts).saturating_mul(columns);
            cost.operators = 1;
        }
        for input in plan.inputs() {
            let below = Cost::of_nodes(input, facts);
            cost.cells = cost.cells.saturating_add(below.cells);
            cost.operators += below.operators;
            cost.nodes += below.nodes;
        }
        cost
    }
}

/// `6000 cells, 1 operator`, and before it `12000 raw cells leave their places` where some do
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.raw_cells > 0 {
            write!(f, "{} raw cells leave their places, ", self.raw_cells)?;
        }
        write!(f, "{} cells, {}", self.cells, counted(self.operators, "operator"))
    }
}
