//! The relation that a question is about, below its guard.

use crate::adapt::Adapted;
use crate::question::Figure;
use crate::refusal::AskError;
use crate::view::{self, Source};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, DFSchema, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use paravent_algebra::error::AlgebraError;
use paravent_algebra::operator::{Bounded, Draw, Measure, PrivateAggregate, PrivateAggregation};
use paravent_job::{DataType as Declared, Problems};
use paravent_policy::{Noise, Policy};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The conditions of the policy as expressions over the table's own columns.
///
/// # Errors
/// A problem of the policy, where a condition is none of one row.
pub fn selections(
    adapted: &Adapted<'_>,
    policy: &Policy,
    state: &SessionState,
) -> Result<Vec<Expr>, AskError> {
    let fields = adapted.job.attributes.iter().map(|attribute| {
        let data_type = match attribute.data_type {
            Some(Declared::Integer) => DataType::Int64,
            Some(Declared::Decimal) => DataType::Float64,
            Some(Declared::Date) => DataType::Date32,
            Some(Declared::Boolean) => DataType::Boolean,
            _ => DataType::Utf8,
        };
        Field::new(&attribute.name, data_type, true)
    });
    let schema =
        DFSchema::try_from(Schema::new(fields.collect::<Vec<_>>())).map_err(|_| AlgebraError::Internal)?;
    let mut expressions = Vec::new();
    for (rule, text) in &adapted.selections {
        let read = state.create_logical_expr(text, &schema).ok().filter(of_one_row);
        let Some(expression) = read else {
            let place = policy.rules.iter().position(|known| known.id == *rule).unwrap_or_default();
            let problem = policy.source.problem(
                &format!("rules[{place}].where"),
                "is no condition on the columns of a row that the job declares",
            );
            return Err(Problems::from(problem.advise("Write e.g. where = \"ward <> 'psychiatry'\"")).into());
        };
        expressions.push(expression);
    }
    Ok(expressions)
}

fn of_one_row(expression: &Expr) -> bool {
    let other = expression.exists(|expr| {
        Ok(matches!(
            expr,
            Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::AggregateFunction(_)
                | Expr::WindowFunction(_)
                | Expr::Placeholder(_)
        ))
    });
    matches!(other, Ok(false)) && !expression.is_volatile()
}

/// The columns that they read.
pub fn read_by(selections: &[Expr]) -> BTreeSet<String> {
    selections.iter().flat_map(|expr| expr.column_refs()).map(|column| column.name.clone()).collect()
}

/// The rows that exist for the recipient.
///
/// # Errors
/// Only where the engine cannot build a node: a bug.
pub fn existing(
    adapted: &Adapted<'_>,
    selections: &[Expr],
    table: Arc<dyn TableProvider>,
) -> Result<LogicalPlan, AskError> {
    let build = || -> datafusion::common::Result<LogicalPlan> {
        let name = TableReference::bare(adapted.table.name.clone());
        let mut relation = LogicalPlanBuilder::scan(name, provider_as_source(table), None)?;
        for selection in selections {
            relation = relation.filter(selection.clone())?;
        }
        relation.build()
    };
    build().map_err(|error| AlgebraError::planning(&error).into())
}

/// Noisy figures over the rows that the question is about.
///
/// # Errors
/// Only where the engine cannot build a node: a bug.
pub fn guarded(
    adapted: &Adapted<'_>,
    noise: &Noise,
    selections: &[Expr],
    table: Arc<dyn TableProvider>,
) -> Result<LogicalPlan, AskError> {
    let existing = existing(adapted, selections, table)?;
    let build = || -> datafusion::common::Result<LogicalPlan> {
        let name = TableReference::bare(adapted.table.name.clone());
        let column = |source: Source| Column::new(Some(name.clone()), source.name());
        let mut relation = LogicalPlanBuilder::from(existing);
        for (of, level) in &adapted.conditions {
            let label = Expr::Column(column(Source::Filter(of.clone(), *level)));
            let constants = adapted.question.conditions[of]
                .iter()
                .map(|constant| lit(constant.as_str()))
                .collect::<Vec<_>>();
            relation = relation.filter(match constants.is_empty() {
                true => lit(false),
                false => label.in_list(constants, false),
            })?;
        }
        let measure = |figure: &Figure| {
            let bounded = |of: &String| {
                let bounds = adapted.bounds[of];
                let column = column(Source::Measure(of.clone()));
                Bounded { column, lower: bounds.lower, upper: bounds.upper, decimals: bounds.decimals }
            };
            match figure {
                Figure::Count => Measure::Count,
                Figure::Sum(of) => Measure::Sum(bounded(of)),
                Figure::Avg(of) => Measure::Mean(bounded(of)),
            }
        };
        let delta = (noise.delta.scaled() > 0).then(|| noise.delta.as_str().to_owned());
        let what = PrivateAggregation {
            by: adapted.groups.iter().map(|(of, level)| column(Source::Group(of.clone(), *level))).collect(),
            keys: adapted.keys.clone(),
            measures: adapted.question.figures.iter().map(measure).collect(),
            epsilon: noise.epsilon.as_str().to_owned(),
            delta,
            contribution: adapted.table.contribution,
            draw: Draw::fresh(),
        };
        PrivateAggregate::plan(relation.build()?, what)
    };
    build().map_err(|error| AlgebraError::planning(&error).into())
}

/// What the columns of the finished relation are called: groups in their order, then figures in theirs.
pub fn answer_columns(adapted: &Adapted<'_>) -> Vec<String> {
    let groups = adapted.groups.keys().cloned();
    groups.chain(adapted.question.figures.iter().map(Figure::name)).collect()
}

/// The names of the view's columns, for a first look without rows.
pub fn view_columns(adapted: &Adapted<'_>, raw: &BTreeSet<String>) -> Vec<String> {
    view::sources(adapted, raw).iter().map(Source::name).collect()
}
