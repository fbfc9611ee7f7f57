//! α^D: every cell of some columns is redrawn with a known probability.

use super::{Draw, Noise, known_once, plan_of};
use datafusion::common::{Column, DFSchemaRef, DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};
use std::fmt;
use std::sync::Arc;

/// Which columns are randomised, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Randomization {
    /// P, sorted by column name; each column at most once.
    pub noise: Vec<(Column, Noise)>,
    /// Which draw it is.
    pub draw: Draw,
}

impl Randomization {
    /// Whether two randomisations add the same noise; their draws may differ.
    pub fn same_noise(&self, other: &Randomization) -> bool {
        self.noise == other.noise
    }

    /// attr(P)
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.noise.iter().map(|(column, _)| column)
    }
}

/// α^D_P(r): each cell of a column of P keeps its value with probability 1 − p, else it is redrawn from the column's noise distribution; all cells independently.
#[derive(Debug, Clone)]
pub struct Randomize {
    input: Arc<LogicalPlan>,
    what: Randomization,
}

impl Randomize {
    /// The operator over a relation.
    pub fn new(input: Arc<LogicalPlan>, mut what: Randomization) -> Result<Randomize> {
        known_once("randomize", input.schema(), what.columns())?;
        what.noise.sort_by(|(left, _), (right, _)| (&left.name, left).cmp(&(&right.name, right)));
        Ok(Randomize { input, what })
    }

    /// The operator as a plan.
    pub fn plan(input: LogicalPlan, noise: Vec<(Column, Noise)>, draw: Draw) -> Result<LogicalPlan> {
        Ok(plan_of(Randomize::new(Arc::new(input), Randomization { noise, draw })?))
    }

    /// The relation.
    pub fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// What is asked for.
    pub fn what(&self) -> &Randomization {
        &self.what
    }
}

same_if_asked_the_same!(Randomize);

impl UserDefinedLogicalNodeCore for Randomize {
    fn name(&self) -> &str {
        "Randomize"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noise: Vec<String> = self
            .what
            .noise
            .iter()
            .map(|(column, noise)| format!("{} {}", column.name, noise.probability))
            .collect();
        write!(f, "Randomize: {}", noise.join(", "))
    }

    fn with_exprs_and_inputs(&self, _exprs: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Randomize> {
        match (inputs.pop(), inputs.is_empty()) {
            (Some(input), true) => Randomize::new(Arc::new(input), self.what.clone()),
            _ => Err(DataFusionError::Internal("randomize has one input".to_owned())),
        }
    }
}
