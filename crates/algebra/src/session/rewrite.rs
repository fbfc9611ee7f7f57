//! Plans rewritten and shown, without running them.

use super::answer::without_costs;
use super::run::Run;
use super::{MeasuredFacts, Session};
use crate::error::AlgebraError;
use crate::rules::{Choice, Cost, Leaving, Rewriter, Rewritten, Switches, Trace, leaving, tree};
use crate::sql::{self, Request, SqlTextError};
use crate::xml::{self, XmlError};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::runtime::Handle;

/// A plan as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// As a query over the tables of the session.
    Sql(String),
    /// As a document. Its relations need no table; where the session has one of the name, rules may ask about its rows.
    Xml(String),
}

/// Which rules are used, and how.
#[derive(Debug, Clone)]
pub enum Wish {
    /// As long as one of these makes the plan cheaper.
    Cheaper(Switches),
    /// One after the other, each wherever it fits.
    InTurn(Vec<Choice>),
}

/// A plan before and after.
#[derive(Debug, Clone)]
pub struct Rewriting {
    /// The tree as written.
    pub before: String,
    /// The tree after the rules.
    pub after: String,
    /// What the rules did, and what they refused.
    pub trace: Trace,
    /// What the operators must look at before and after, estimated from the plans alone; nothing where rows could be counted, since
    /// that would tell how many there are.
    pub cost: Option<(Cost, Cost)>,
    /// Raw rows that leave the place where they live, whatever the rules could do.
    pub leaving: Vec<Leaving>,
    /// The plan after the rules as a document.
    pub xml: Result<String, XmlError>,
    /// The plan after the rules as a statement, which runs again.
    pub sql: Result<String, SqlTextError>,
}

impl Rewriting {
    /// Whether any rule was applied.
    pub fn changed(&self) -> bool {
        self.trace.applied().next().is_some()
    }
}

impl Session {
    /// Rewrites a plan and shows it; runs nothing but counts that rules ask for. Consent is the setting `partial`.
    pub fn rewrite(&mut self, written: Written, wish: Wish) -> Result<Rewriting, AlgebraError> {
        let run = self.start();
        let tables = self.tables.clone();
        self.wait(async move {
            let plan = match written {
                Written::Xml(text) => document(&text, &tables)?,
                Written::Sql(text) => {
                    match Request::parse(&text).map_err(|error| AlgebraError::planning(&error))? {
                        Request::Rows(statement) | Request::Explain(statement) => run.plan(statement).await?,
                        Request::Set { .. } => {
                            return Err(AlgebraError::statement("a setting has no plan; write a query"));
                        }
                    }
                }
            };
            rewriting(&run, plan, wish, tables.is_empty()).await
        })
    }
}

async fn rewriting(
    run: &Run,
    plan: LogicalPlan,
    wish: Wish,
    countless: bool,
) -> Result<Rewriting, AlgebraError> {
    let context = run.world.context.clone();
    let (catalog, consent, handle) = (Arc::clone(&run.catalog), run.settings.consent(), Handle::current());
    let sites = Arc::clone(&run.settings.sites);
    known_relations(&plan, &sites)?;
    // Facts are waited for, so this belongs on a thread that may block.
    let work = move || -> Result<Rewriting, AlgebraError> {
        let facts = MeasuredFacts::new(context, catalog, handle).with_sites(sites);
        let rewriter = Rewriter::new(&facts).with_consent(consent);
        let done = match wish {
            Wish::Cheaper(switches) => rewriter.with_switches(switches).improve(plan.clone()),
            Wish::InTurn(steps) => rewriter.in_turn(plan.clone(), &steps),
        };
        let Rewritten { plan: after, trace } = done.map_err(|error| AlgebraError::planning(&error))?;
        Ok(Rewriting {
            before: tree(&plan),
            after: tree(&after),
            trace: if countless { trace } else { without_costs(trace) },
            cost: countless.then(|| (Cost::of(&plan, &facts), Cost::of(&after, &facts))),
            leaving: leaving(&after, &facts),
            xml: xml::write(&after),
            sql: sql::write(&after),
        })
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| AlgebraError::panicked())?
}

/// The plan of a document.
pub(super) fn document(
    text: &str,
    tables: &BTreeMap<String, Vec<String>>,
) -> Result<LogicalPlan, AlgebraError> {
    let plan = xml::read(text)?;
    known_columns(&plan, tables)?;
    Ok(plan)
}

/// Refuses places of relations that the plan does not read.
fn known_relations(plan: &LogicalPlan, sites: &BTreeMap<String, String>) -> Result<(), AlgebraError> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let walked = plan.apply(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            known.insert(scan.table_name.table().to_owned());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    walked.map_err(|error| AlgebraError::planning(&error))?;
    let is_known =
        |name: &&String| known.iter().any(|other| other == *name || other.to_lowercase() == **name);
    match sites.keys().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => Err(AlgebraError::statement(format!(
            "--at: the plan reads no relation {unknown:?}; it reads {}",
            known.into_iter().collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// Refuses a document whose relations have attributes that the table of that name does not have.
fn known_columns(plan: &LogicalPlan, tables: &BTreeMap<String, Vec<String>>) -> Result<(), AlgebraError> {
    let mut problem = None;
    let walked = plan.apply(|node| {
        let LogicalPlan::TableScan(scan) = node else { return Ok(TreeNodeRecursion::Continue) };
        let name = scan.table_name.table();
        let Some(columns) = tables.get(name).or_else(|| tables.get(&name.to_lowercase())) else {
            return Ok(TreeNodeRecursion::Continue);
        };
        let fields = scan.projected_schema.fields();
        match fields.iter().find(|field| !columns.contains(field.name())) {
            None => Ok(TreeNodeRecursion::Continue),
            Some(absent) => {
                problem = Some(format!(
                    "relation {name:?}: its table has no column {:?}; the columns are {}",
                    absent.name(),
                    columns.join(", ")
                ));
                Ok(TreeNodeRecursion::Stop)
            }
        }
    });
    walked.map_err(|error| AlgebraError::planning(&error))?;
    problem.map_or(Ok(()), |problem| Err(AlgebraError::statement(problem)))
}
