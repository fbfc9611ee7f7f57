//! Calls in FROM become operators of the plan.

use super::call::Call;
use super::checks;
use super::draws::Draws;
use super::function::{FUNCTIONS, Known, RelationFunction};
use super::leaving;
use super::wording::{problem, unknown};
use crate::catalog::Catalog;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::sqlparser::ast::{FunctionArg, TableFactor};
use std::sync::Arc;

/// Plans the relation functions; everything else is left to the engine.
#[derive(Debug, Clone)]
pub struct OperatorPlanner {
    /// Roles and hierarchies.
    pub catalog: Arc<Catalog>,
    /// How draws are numbered.
    pub draws: Arc<Draws>,
}

impl RelationPlanner for OperatorPlanner {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. }) = &relation
        else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let Some(function) = RelationFunction::called(name) else {
            return match misspelt(&relation) {
                Some(error) => Err(error),
                None => Ok(RelationPlanning::Original(Box::new(relation))),
            };
        };
        let name = function.name;
        let TableFactor::Table {
            args: Some(arguments),
            alias,
            version: None,
            with_ordinality: false,
            sample: None,
            ..
        } = relation
        else {
            return Err(problem(format!(
                "{name}: LATERAL, TABLESAMPLE, versions and ordinality do not go with it"
            )));
        };
        let call = Call::read(function.name, function.arguments, arguments.args)?;
        let derived = TableFactor::Derived {
            lateral: false,
            subquery: call.relation.clone(),
            alias: None,
            sample: None,
        };
        let whole = without_renaming(context.plan(derived)?);
        // A private aggregate needs to know whose rows it counts; what it gives out are figures.
        let input = match name {
            "private" => whole,
            _ => leaving::without_identifying(whole, &call.relation, Some(name), &self.catalog)?,
        };
        checks::below_operator(function.name, &input)?;
        if name == "slice" {
            checks::order_reaches(name, &input)?;
        }
        let known = Known { catalog: &self.catalog, draws: &self.draws };
        let gone = leaving::left_out(&input, &self.catalog)?;
        let plan =
            (function.plan)(&call, input, &known).map_err(|error| leaving::absent(name, error, &gone))?;
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, alias))))
    }
}

/// Only our functions have named arguments.
fn misspelt(relation: &TableFactor) -> Option<DataFusionError> {
    let TableFactor::Table { name, args: Some(arguments), .. } = relation else { return None };
    let named = arguments.args.iter().any(|arg| !matches!(arg, FunctionArg::Unnamed(_)));
    let known = FUNCTIONS.iter().map(|function| function.name);
    named.then(|| {
        problem(unknown("function in FROM", "functions with named arguments", &name.to_string(), known))
    })
}

/// A projection to all columns in their order says nothing.
fn without_renaming(plan: LogicalPlan) -> LogicalPlan {
    let LogicalPlan::Projection(projection) = &plan else { return plan };
    let columns = projection.input.schema().columns();
    let same = projection.expr.len() == columns.len()
        && projection
            .expr
            .iter()
            .zip(&columns)
            .all(|(expr, column)| matches!(expr, Expr::Column(own) if own == column));
    match same {
        true => projection.input.as_ref().clone(),
        false => plan,
    }
}
