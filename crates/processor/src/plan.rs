//! The relation that a question is about, below its guard.

use crate::adapt::{Adapted, Part, joins};
use crate::question::Figure;
use crate::refusal::AskError;
use crate::view::{self, Source};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, DFSchema, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
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
pub fn selections(part: &Part<'_>, policy: &Policy, state: &SessionState) -> Result<Vec<Expr>, AskError> {
    let fields = part.job.attributes.iter().map(|attribute| {
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
    for (rule, text) in &part.selections {
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

/// A table as the question may see it, and the conditions of the policy on its rows.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The view of the table.
    pub table: Arc<dyn TableProvider>,
    /// What its rows fulfil.
    pub selections: Vec<Expr>,
}

/// The rows that exist for the recipient; of several tables those that are of the same person. `relations` go with the parts of the question.
///
/// # Errors
/// Only where the engine cannot build a node: a bug.
pub fn existing(adapted: &Adapted<'_>, relations: &[Relation]) -> Result<LogicalPlan, AskError> {
    let one = |part: &Part<'_>, relation: &Relation| -> datafusion::common::Result<LogicalPlan> {
        let name = TableReference::bare(part.table.name.clone());
        let mut scan = LogicalPlanBuilder::scan(name, provider_as_source(Arc::clone(&relation.table)), None)?;
        for selection in &relation.selections {
            scan = scan.filter(selection.clone())?;
        }
        scan.build()
    };
    let key = |part: &Part<'_>| -> Vec<Column> {
        let own = joins::key_columns(part.table).into_iter();
        own.map(|column| Column::new(Some(part.table.name.clone()), column)).collect()
    };
    let build = || -> datafusion::common::Result<LogicalPlan> {
        let mut all = adapted.parts.iter().zip(relations);
        let Some((first, relation)) = all.next() else {
            return datafusion::common::plan_err!("no table");
        };
        let mut plan = LogicalPlanBuilder::from(one(first, relation)?);
        for (part, relation) in all {
            plan = plan.join(one(part, relation)?, JoinType::Inner, (key(first), key(part)), None)?;
        }
        plan.build()
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
    relations: &[Relation],
) -> Result<LogicalPlan, AskError> {
    let existing = existing(adapted, relations)?;
    let build = || -> datafusion::common::Result<LogicalPlan> {
        let column = |of: &str, source: Source| {
            let table = TableReference::bare(adapted.of(of).0.table.name.clone());
            Column::new(Some(table), source.name())
        };
        let mut relation = LogicalPlanBuilder::from(existing);
        for (of, level) in &adapted.conditions {
            let label = Expr::Column(column(of, Source::Filter(of.clone(), adapted.coarse(of, *level))));
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
                let column = column(of, Source::Measure(of.clone()));
                Bounded { column, lower: bounds.lower, upper: bounds.upper, decimals: bounds.decimals }
            };
            match figure {
                Figure::Count => Measure::Count,
                Figure::Sum(of) => Measure::Sum(bounded(of)),
                // The division comes last, wherever that is.
                Figure::Avg(of) => Measure::Parts(bounded(of)),
            }
        };
        let what = PrivateAggregation {
            by: adapted
                .groups
                .iter()
                .map(|(of, level)| column(of, Source::Group(of.clone(), adapted.coarse(of, *level))))
                .collect(),
            keys: adapted.keys.clone(),
            measures: adapted.question.figures.iter().map(measure).collect(),
            epsilon: noise.epsilon.as_str().to_owned(),
            delta: delta(noise).map(str::to_owned),
            contribution: adapted.contribution,
            draw: Draw::fresh(),
        };
        PrivateAggregate::plan(relation.build()?, what)
    };
    build().map_err(|error| AlgebraError::planning(&error).into())
}

/// δ of an answer; none for pure ε.
pub fn delta(noise: &Noise) -> Option<&str> {
    (noise.delta.scaled() > 0).then(|| noise.delta.as_str())
}

/// What the columns of the finished relation are called: groups in their order, then figures in theirs.
pub fn answer_columns(adapted: &Adapted<'_>) -> Vec<String> {
    let groups = adapted.groups.keys().cloned();
    groups.chain(adapted.question.figures.iter().map(Figure::name)).collect()
}

/// The names of the view's columns, for a first look without rows. `raw` goes with the parts of the question.
pub fn view_columns(adapted: &Adapted<'_>, raw: &[BTreeSet<String>]) -> Vec<String> {
    let of_part = |(part, raw): (&Part<'_>, &BTreeSet<String>)| -> Vec<String> {
        let own = |source: &Source| match (source, adapted.is_join()) {
            (Source::Raw(column), true) => format!("{}.{column}", part.table.name),
            _ => source.name(),
        };
        view::sources(adapted, part, raw).iter().map(own).collect()
    };
    adapted.parts.iter().zip(raw).flat_map(of_part).collect()
}
