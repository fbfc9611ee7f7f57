//! The way of a statement: parse → plan → rewrite → lower → run.

use super::answer::{Answer, Explanation, without_costs};
use super::facts::MeasuredFacts;
use super::{
    Settings, counted_again, created, grouped, notes, order, people, recheck, selection, told, unchanged,
};
use crate::bounded::collect_answer;
use crate::catalog::Catalog;
use crate::error::AlgebraError;
use crate::lower::{Lowered, Truth, World, lower};
use crate::operator::Operator;
use crate::rules::{Rewriter, Rewritten};
use crate::sql::{Exact, may_leave, unknown, whole_plan, without_identifying};
use crate::{total, tracking};
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::DataFusionError;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SQLOptions;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as Sql;
use paravent_job::Role;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::runtime::Handle;

/// What a statement is run with.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) world: Arc<World>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) settings: Settings,
    /// Names of the table that the job is about.
    pub(super) own: BTreeSet<String>,
}

impl Run {
    fn state(&self) -> SessionState {
        self.world.context.state()
    }

    /// The plan of a statement, as written.
    pub(super) async fn plan(&self, statement: Statement) -> Result<LogicalPlan, AlgebraError> {
        let query = match &statement {
            Statement::Statement(sql) => match &**sql {
                Sql::Query(query) => Some(query.clone()),
                _ => None,
            },
            _ => None,
        };
        let plan = self.state().statement_to_plan(statement).await.map_err(|error| self.mistake(&error))?;
        let plan = match query {
            Some(query) => without_identifying(plan, &query, None, &self.catalog),
            None => Ok(plan),
        };
        let plan = plan.map_err(|error| AlgebraError::planning(&error))?;
        self.check(&plan)?;
        Ok(plan)
    }

    /// What the engine says of a statement. It calls a table by the catalog and the schema that it put around it, which nobody wrote.
    fn mistake(&self, error: &DataFusionError) -> AlgebraError {
        let AlgebraError::Statement(message) = AlgebraError::planning(error) else {
            return AlgebraError::planning(error);
        };
        let missing = message
            .strip_prefix("table 'datafusion.public.")
            .and_then(|rest| rest.strip_suffix("' not found"))
            .map(|written| {
                let tables = self.tables();
                unknown("table", "tables", written, tables.iter().map(String::as_str))
            });
        AlgebraError::statement(missing.or_else(|| self.held_back(&message)).unwrap_or(message))
    }

    /// A column that the engine does not find because no operator lets it through.
    fn held_back(&self, message: &str) -> Option<String> {
        let written = message.strip_prefix("No field named ")?.split(". ").next()?;
        let name = written.trim_end_matches('.').rsplit('.').next()?.trim_matches('"');
        let attribute =
            self.catalog.attribute(name).filter(|attribute| attribute.role == Role::Identifying)?;
        Some(format!("column {:?} is identifying and does not leave an operator", attribute.name))
    }

    fn tables(&self) -> Vec<String> {
        let schemas = self.world.context.catalog("datafusion").and_then(|catalog| catalog.schema("public"));
        let mut tables = schemas.map_or_else(Vec::new, |schema| schema.table_names());
        tables.sort_unstable();
        tables
    }

    /// Only reading, operators where they have a meaning, and types that go together.
    fn check(&self, plan: &LogicalPlan) -> Result<(), AlgebraError> {
        let reading =
            SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        reading.verify_plan(plan).map_err(|error| AlgebraError::planning(&error))?;
        whole_plan(plan).map_err(|error| AlgebraError::planning(&error))?;
        may_leave(plan, &self.catalog, self.settings.exact)
            .map_err(|error| AlgebraError::planning(&error))?;
        let state = self.state();
        let analyzed = state.analyzer().execute_and_check(plan.clone(), state.config_options(), |_, _| {});
        analyzed.map(drop).map_err(|error| AlgebraError::planning(&error))?;
        tracking::check(&self.total(plan.clone())?, &self.catalog)
            .map_err(|error| AlgebraError::planning(&error))
    }

    /// The plan with expressions that cannot fail below the operators.
    fn total(&self, plan: LogicalPlan) -> Result<LogicalPlan, AlgebraError> {
        total::below_operators(plan, &self.state()).map_err(|error| AlgebraError::planning(&error))
    }

    /// The plan after the rules. They ask about the data, and wait for the answers on a thread of their own.
    async fn rewrite(&self, plan: LogicalPlan) -> Result<Rewritten, AlgebraError> {
        let context = self.world.context.clone();
        let (catalog, settings, handle) =
            (Arc::clone(&self.catalog), self.settings.clone(), Handle::current());
        let work = move || {
            let facts = MeasuredFacts::new(context, catalog, handle).with_sites(Arc::clone(&settings.sites));
            let rewriter = Rewriter::new(&facts).with_consent(settings.consent());
            match settings.in_turn.is_empty() {
                true => rewriter.with_switches(settings.rules.clone()).improve(plan),
                false => rewriter.in_turn(plan, &settings.in_turn),
            }
        };
        let rewritten = tokio::task::spawn_blocking(work).await.map_err(|_| AlgebraError::panicked())?;
        let Rewritten { plan, trace } = rewritten.map_err(|error| AlgebraError::planning(&error))?;
        Ok(Rewritten { plan, trace: without_costs(trace) })
    }

    /// Runs a plan to its rows.
    pub(super) async fn rows(&self, plan: LogicalPlan) -> Result<Answer, AlgebraError> {
        let running = |error| AlgebraError::running(&error);
        self.check(&plan)?;
        let with_operators = Operator::is_in(&plan).map_err(running)?;
        let all = self.tables();
        let tables = people::Tables { all: &all, own: &self.own };
        let mut notes = people::one_row_each(&plan, tables, &self.catalog, &self.world).await?;
        notes.extend(notes::as_written(&plan, &self.catalog).map_err(running)?);
        let Rewritten { plan, trace } = match with_operators {
            // Before the rules: they count rows, and counting must not fail either.
            true => {
                let plan = self.total(plan)?;
                notes.extend(created::by_joins(&plan, &self.catalog, &self.world).await.map_err(running)?);
                let rewritten = self.rewrite(plan.clone()).await?;
                unchanged::ask(&plan, &rewritten.plan, &self.world)?;
                rewritten
            }
            false => Rewritten { plan, trace: Default::default() },
        };
        notes.extend(notes::of_choices(&self.settings.in_turn, &trace));
        for owed in &trace.rechecks {
            recheck::recheck(owed, &plan, &self.world).await?;
        }
        let schema = Arc::new(plan.schema().as_arrow().clone());
        notes.extend(notes::of(&plan, &self.settings).map_err(running)?);
        for late in selection::late(&plan) {
            counted_again::count(&late, &self.world).await?;
            notes.extend(selection::remarks(&late));
        }
        let mut told = told::told(&plan).map_err(running)?;
        if self.settings.exact == Exact::Nowhere {
            told.grouped = grouped::grouped(&plan, &self.world).await?;
        }
        let ordered = match with_operators {
            true => order::canonical(plan).map_err(running)?,
            false => plan,
        };
        let Lowered { plan, accounts } = lower(ordered, &self.world).await?;
        let batches = collect_answer(&self.world.context, plan).await.map_err(running)?;
        let schema = batches.first().map_or(schema, |batch| batch.schema());
        Ok(Answer { schema, batches, accounts, trace, notes, told })
    }

    /// The true figures behind the `private` of a plan.
    pub(super) async fn truth(&self, plan: LogicalPlan) -> Result<Truth, AlgebraError> {
        let plan = self.total(plan)?;
        let mut found = None;
        let looked = plan.apply(|node| {
            found = found.take().or_else(|| match Operator::of(node) {
                Some(Operator::Private(private)) => Some(private.clone()),
                _ => None,
            });
            Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        });
        looked.map_err(|error| AlgebraError::planning(&error))?;
        let Some(private) = found else {
            return Err(AlgebraError::statement("an audit is for private(…)"));
        };
        Ok(Truth::read(&private, &self.world).await?)
    }

    /// How a plan would be run.
    pub(super) async fn explain(&self, plan: LogicalPlan) -> Result<Explanation, AlgebraError> {
        let written = plan.display_indent().to_string();
        let Rewritten { plan, trace } = self.rewrite(self.total(plan)?).await?;
        Ok(Explanation { written, rewritten: plan.display_indent().to_string(), trace })
    }
}

/// Lines of text as rows of one column.
pub(super) fn lines(column: &str, text: &str) -> Result<Answer, AlgebraError> {
    let schema = Arc::new(Schema::new(vec![Field::new(column, DataType::Utf8, false)]));
    let lines: ArrayRef = Arc::new(StringArray::from(text.lines().collect::<Vec<&str>>()));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![lines]).map_err(|_| AlgebraError::Internal)?;
    let (accounts, trace, notes) = (Vec::new(), Default::default(), Vec::new());
    Ok(Answer { schema, batches: vec![batch], accounts, trace, notes, told: Default::default() })
}
