//! α^G: the best full-domain generalization that keeps a promise.

use super::{Promise, known_once, list, plan_of};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Column, DFSchema, DFSchemaRef, DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};
use std::fmt;
use std::sync::Arc;

/// What is generalized, and to what end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Generalization {
    /// X, the quasi-identifiers, in the order of the input's columns.
    pub quasi: Vec<Column>,
    /// What the result keeps.
    pub promise: Promise,
}

/// `α^G_[X, promise](r)`: every column of X on one level of its hierarchy, such that the promise holds and the loss is least.
///
/// Columns of X leave as text (the labels of their level), all others as they came. Values that are labels already are lifted, never lowered.
#[derive(Debug, Clone)]
pub struct Generalize {
    input: Arc<LogicalPlan>,
    what: Generalization,
    schema: DFSchemaRef,
}

impl Generalize {
    /// The operator over a relation. X may be empty; every column of it must be one of the relation's.
    pub fn new(input: Arc<LogicalPlan>, what: Generalization) -> Result<Generalize> {
        known_once("generalize", input.schema(), what.quasi.iter())?;
        let place = |column: &Column| input.schema().index_of_column(column).unwrap_or(usize::MAX);
        let mut what = what;
        what.quasi.sort_by_key(place);
        for sensitive in what.promise.sensitive() {
            if !input.schema().fields().iter().any(|field| field.name() == sensitive) {
                return Err(DataFusionError::Plan(format!(
                    "generalize: there is no column {sensitive:?} to protect"
                )));
            }
            if what.quasi.iter().any(|column| column.name == sensitive) {
                let problem =
                    format!("generalize: column {sensitive:?} cannot be protected and be a quasi-identifier");
                return Err(DataFusionError::Plan(problem));
            }
        }
        let fields = input.schema().iter().map(|(qualifier, field)| {
            let column = Column::new(qualifier.cloned(), field.name());
            let field = match what.quasi.contains(&column) {
                true => Arc::new(Field::new(field.name(), DataType::Utf8, true)),
                false => Arc::clone(field),
            };
            (qualifier.cloned(), field)
        });
        let schema = DFSchema::new_with_metadata(fields.collect(), input.schema().metadata().clone())?;
        Ok(Generalize { input, what, schema: Arc::new(schema) })
    }

    /// The operator as a plan.
    pub fn plan(input: LogicalPlan, quasi: Vec<Column>, promise: Promise) -> Result<LogicalPlan> {
        Ok(plan_of(Generalize::new(Arc::new(input), Generalization { quasi, promise })?))
    }

    /// The relation.
    pub fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// What is asked for.
    pub fn what(&self) -> &Generalization {
        &self.what
    }
}

same_if_asked_the_same!(Generalize);

impl UserDefinedLogicalNodeCore for Generalize {
    fn name(&self) -> &str {
        "Generalize"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generalize: [{}], {}", list(&self.what.quasi), self.what.promise)
    }

    fn with_exprs_and_inputs(&self, _exprs: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Generalize> {
        match (inputs.pop(), inputs.is_empty()) {
            (Some(input), true) => Generalize::new(Arc::new(input), self.what.clone()),
            _ => Err(DataFusionError::Internal("generalize has one input".to_owned())),
        }
    }
}
