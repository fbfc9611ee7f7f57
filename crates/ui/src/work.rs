//! What can be run. Each file is a library call or two, and what the page is shown of their answer.

mod columns;
mod command;
mod compare;
mod hierarchy;
mod joint;
mod labels;
mod measure;
#[cfg(feature = "sql")]
mod policy;
mod proposal;
mod register;
mod release;
mod search;
mod space;

pub use hierarchy::import as import_hierarchy;
pub use register::withdraw;
pub use release::file as release_file;

use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::RunRequest;
use serde::Serialize;
use serde_json::Value;

/// The kind of a run: of each kind only the last one is of interest.
pub fn kind(request: &RunRequest) -> &'static str {
    match request {
        RunRequest::Propose { .. } => "propose",
        RunRequest::Columns => "columns",
        RunRequest::Preview => "preview",
        RunRequest::Hierarchy { .. } => "hierarchy",
        RunRequest::Solve => "solve",
        RunRequest::Explore => "explore",
        RunRequest::Node { .. } => "node",
        RunRequest::Compare { .. } => "compare",
        RunRequest::Utility { .. } => "utility",
        RunRequest::RiskOfTable => "risk-of-table",
        RunRequest::RiskOfRelease => "risk-of-release",
        RunRequest::Attack => "attack",
        RunRequest::Release { .. } => "release",
        RunRequest::Verify => "verify",
        RunRequest::Policy => "policy",
        RunRequest::Ask { .. } => "ask",
        RunRequest::Explain { .. } => "explain",
        RunRequest::Joint { .. } => "joint",
        RunRequest::Register => "register",
    }
}

/// Does it.
///
/// # Errors
/// What the library says, as a fault. Files are named as the project's folder sees them.
pub fn run(project: &Project, request: &RunRequest, run: &Run) -> Result<Value, Fault> {
    answer(project, request, run).map_err(|fault| fault.seen_from(&project.places()))
}

fn answer(project: &Project, request: &RunRequest, run: &Run) -> Result<Value, Fault> {
    match request {
        RunRequest::Propose { k } => told(proposal::propose(project, *k, run)?),
        RunRequest::Columns => told(columns::columns(project, run)?),
        RunRequest::Preview => told(columns::preview(project)?),
        RunRequest::Hierarchy { column, values } => told(hierarchy::view(project, column, *values, run)?),
        RunRequest::Solve => told(search::solve(project, run)?),
        RunRequest::Explore => told(space::explore(project, run)?),
        RunRequest::Node { levels } => told(search::node(project, levels, run)?),
        RunRequest::Compare { levels, column, other } => {
            told(compare::compare(project, levels.as_deref(), column, other.as_deref(), run)?)
        }
        RunRequest::Utility { target } => measure::utility_of_release(project, target.as_ref(), run),
        RunRequest::RiskOfTable => measure::risk_of_table(project, run),
        RunRequest::RiskOfRelease => measure::risk_of_release(project, run),
        RunRequest::Attack => measure::attacks(project, run),
        RunRequest::Release { levels, replace } => {
            told(release::release(project, levels.as_deref(), *replace, run)?)
        }
        RunRequest::Verify => told(release::verify_again(project)?),
        #[cfg(feature = "sql")]
        RunRequest::Policy => told(policy::view(project)?),
        #[cfg(feature = "sql")]
        RunRequest::Ask { role, purpose, statement } => {
            told(policy::ask(project, role, purpose, statement, run)?)
        }
        #[cfg(feature = "sql")]
        RunRequest::Explain { role, purpose, statement } => {
            told(policy::explain(project, role, purpose, statement)?)
        }
        #[cfg(not(feature = "sql"))]
        RunRequest::Policy | RunRequest::Ask { .. } | RunRequest::Explain { .. } => {
            Err(Fault::request("this program was built without SQL"))
        }
        RunRequest::Joint { me } => told(joint::view(project, me.as_deref())?),
        RunRequest::Register => told(register::view(project)?),
    }
}

fn told(view: impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(view).map_err(|_| Fault::internal())
}
