//! What rules ask about the data, measured by queries.

use super::sources::with_rows;
use crate::bounded::{Bounds, collect};
use crate::catalog::Catalog;
use crate::operator::Operator;
use crate::rules::Facts;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Column, JoinType, Result, TableReference};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::SessionContext;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Handle;

/// Facts that are counted when they are asked for, and remembered.
///
/// Asks from synchronous code and waits, so it belongs on a thread that may block. A relation with an operator in it has no facts: its rows are not
/// decided yet.
pub struct MeasuredFacts {
    context: SessionContext,
    catalog: Arc<Catalog>,
    runtime: Handle,
    counted: Mutex<HashMap<LogicalPlan, Option<u64>>>,
    /// By relation: where it lives.
    sites: Arc<BTreeMap<String, String>>,
}

impl fmt::Debug for MeasuredFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeasuredFacts").finish_non_exhaustive()
    }
}

impl MeasuredFacts {
    /// Facts of the tables of a context; queries run on that runtime.
    pub fn new(context: SessionContext, catalog: Arc<Catalog>, runtime: Handle) -> MeasuredFacts {
        MeasuredFacts { context, catalog, runtime, counted: Mutex::default(), sites: Arc::default() }
    }

    /// The same, where these relations live in these places.
    #[must_use]
    pub fn with_sites(mut self, sites: Arc<BTreeMap<String, String>>) -> MeasuredFacts {
        self.sites = sites;
        self
    }

    /// The number of rows of a relation.
    fn count(&self, relation: Result<LogicalPlan>) -> Option<u64> {
        let relation = relation.ok()?;
        if Operator::is_in(&relation).unwrap_or(true) || !relation.all_out_ref_exprs().is_empty() {
            return None;
        }
        let known = |counted: &Mutex<HashMap<_, _>>| {
            counted.lock().unwrap_or_else(PoisonError::into_inner).get(&relation).copied()
        };
        if let Some(known) = known(&self.counted) {
            return known;
        }
        // A relation that takes too long to count has no facts.
        let limit = self.context.state().config().get_extension::<Bounds>().map(|bounds| bounds.time());
        let query = self.query(relation.clone());
        let asked = async {
            match limit {
                Some(limit) => tokio::time::timeout(limit, query).await.unwrap_or(Ok(None)),
                None => query.await,
            }
        };
        let counted = self.runtime.block_on(asked).ok().flatten();
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).insert(relation, counted);
        counted
    }

    async fn query(&self, relation: LogicalPlan) -> Result<Option<u64>> {
        let none: Vec<Expr> = Vec::new();
        let relation = with_rows(relation, &self.context).await?;
        let plan = LogicalPlanBuilder::from(relation).aggregate(none, vec![count(lit(1_i64))])?.build()?;
        let batches = collect(&self.context, plan).await?;
        let cell = batches.iter().find(|batch| batch.num_rows() == 1).map(|batch| batch.column(0));
        let number = cell.and_then(|cell| cell.as_primitive_opt::<Int64Type>()).map(|cell| cell.value(0));
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    }
}

fn projected(relation: &LogicalPlan, columns: &[Column]) -> Result<LogicalPlanBuilder> {
    LogicalPlanBuilder::from(relation.clone()).project(columns.iter().cloned().map(Expr::Column))
}

impl Facts for MeasuredFacts {
    fn rows(&self, relation: &LogicalPlan) -> Option<u64> {
        self.count(Ok(relation.clone()))
    }

    fn is_key(&self, relation: &LogicalPlan, columns: &[Column]) -> Option<bool> {
        if columns.is_empty() {
            return Some(self.rows(relation)? <= 1);
        }
        let different = projected(relation, columns).and_then(LogicalPlanBuilder::distinct);
        Some(self.count(different.and_then(LogicalPlanBuilder::build))? == self.rows(relation)?)
    }

    fn contained(&self, left: (&LogicalPlan, &[Column]), right: (&LogicalPlan, &[Column])) -> Option<bool> {
        if left.1.is_empty() || left.1.len() != right.1.len() {
            return None;
        }
        // Both sides may be the same table: an alias each keeps their columns apart.
        let side =
            |(relation, columns): (&LogicalPlan, &[Column]), alias: &str| -> Result<LogicalPlanBuilder> {
                let numbered = columns.iter().enumerate();
                let renamed: Vec<Expr> = numbered
                    .map(|(place, column)| Expr::Column(column.clone()).alias(format!("{alias}_{place}")))
                    .collect();
                LogicalPlanBuilder::from(relation.clone()).project(renamed)?.alias(alias)
            };
        let missing = || -> Result<LogicalPlan> {
            let names = |alias: &str| -> Vec<Column> {
                (0..left.1.len()).map(|place| Column::new(Some(alias), format!("{alias}_{place}"))).collect()
            };
            let right = side(right, "containing")?.build()?;
            side(left, "contained")?
                .join(right, JoinType::LeftAnti, (names("contained"), names("containing")), None)?
                .build()
        };
        Some(self.count(missing())? == 0)
    }

    fn may_be_shown(&self) -> bool {
        false
    }

    fn labels_from_data(&self, relation: &LogicalPlan, column: &Column) -> Option<bool> {
        Some(self.catalog.is_made_from_data(relation, column))
    }

    fn site(&self, relation: &TableReference) -> Option<&str> {
        let name = relation.table();
        self.sites.get(name).or_else(|| self.sites.get(&name.to_lowercase())).map(String::as_str)
    }

    fn least_level(&self, column: &Column) -> Option<u32> {
        Some(
            self.catalog
                .attribute(&column.name)
                .and_then(|attribute| attribute.min_level)
                .map_or(0, u32::from),
        )
    }
}
