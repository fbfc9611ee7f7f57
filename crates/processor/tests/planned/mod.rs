//! Plans without a look of the auditor.
#![allow(dead_code, reason = "each test file takes what it needs")]

use datafusion::datasource::MemTable;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use paravent_algebra::operator::Operator;
use paravent_algebra::session::Session;
use paravent_policy::{Policy, check_columns};
use paravent_processor::adapt::{Adapted, Part, Way, adapt};
use paravent_processor::ask::catalog;
use paravent_processor::plan::Relation;
use paravent_processor::question::Question;
use paravent_processor::{plan, view};
use std::sync::Arc;

pub struct Planned {
    pub session: Session,
    pub plan: LogicalPlan,
    pub physical: Arc<dyn ExecutionPlan>,
}

/// The tables of a question without rows.
pub fn relations(adapted: &Adapted<'_>, policy: &Policy, session: &Session) -> Vec<Relation> {
    let one = |part: &Part<'_>| {
        let selections = plan::selections(part, policy, &session.context().state()).unwrap();
        let schema = view::schema(adapted, part, &plan::read_by(&selections));
        Relation { table: Arc::new(MemTable::try_new(Arc::new(schema), vec![vec![]]).unwrap()), selections }
    };
    adapted.parts.iter().map(one).collect()
}

/// The plan of a question under a policy, without a look of the auditor.
pub fn planned(policy: &Policy, role: &str, purpose: &str, sql: &str) -> Planned {
    let jobs = check_columns(policy).unwrap();
    let asker = policy.asker(role, purpose).unwrap();
    let adapted = adapt(policy, asker, Question::read(sql).unwrap(), &jobs)
        .unwrap_or_else(|refusal| panic!("{sql}: {}", refusal.message));
    let session = Session::new(catalog(&adapted)).unwrap();
    let relations = relations(&adapted, policy, &session);
    let Way::Noisy(noise) = &adapted.way else { panic!("{sql}: exact") };
    let plan = plan::guarded(&adapted, noise, &relations).unwrap();
    let physical = session.physical(Operator::of(&plan).unwrap().input().clone()).unwrap();
    Planned { session, plan, physical }
}
