//! What a reader of the answer should know.

use super::Settings;
use crate::catalog::Catalog;
use crate::operator::{Distribution, Operator};
use crate::origin::{Origin, Shown, flow};
use crate::rules::{Choice, Trace};
use crate::sql::left_out;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use std::collections::BTreeSet;

/// Remarks on the plan that ran.
pub(super) fn of(plan: &LogicalPlan, settings: &Settings) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let mut random = false;
    plan.apply(|node| {
        random |= matches!(Operator::of(node), Some(Operator::Slice(_) | Operator::Randomize(_)));
        if let Some(Operator::Randomize(randomize)) = Operator::of(node) {
            let named: Vec<&str> = randomize
                .what()
                .noise
                .iter()
                .filter(|(_, noise)| noise.distribution.is_fixed())
                .map(|(column, _)| column.name.as_str())
                .collect();
            if !named.is_empty() {
                notes.push(format!(
                    "Cells of {} that are none of the named values are shown as one of them, by chance: an error would tell of them.",
                    named.join(", ")
                ));
            }
            let learnt = randomize.what().noise.iter().filter(|(_, noise)| !noise.distribution.is_fixed());
            notes.extend(learnt.map(|(column, noise)| match noise.distribution {
                Distribution::Learnt => {
                    format!("The noise of {} is distributed like the column itself, so it tells how often each value occurs.", column.name)
                }
                _ => format!(
                    "The noise of {} is drawn from the values that occur in it, so it tells which do; name them with uniform('…', '…').",
                    column.name
                ),
            }));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if let (Some(seed), true) = (settings.seed, random) {
        notes.push(format!(
            "Drawn from seed {seed}: whoever knows it can undo the draw. Good for tests; a release is made without a seed."
        ));
    }
    Ok(notes)
}

/// Rules that were asked for by name and not applied, with the reason.
pub(super) fn of_choices(choices: &[Choice], trace: &Trace) -> Vec<String> {
    let absent = choices
        .iter()
        .map(|choice| choice.rule.card().id)
        .filter(|id| !trace.applied().any(|step| step.rule == *id));
    let why =
        |id: &str| trace.refused().find(|refusal| refusal.rule == id).map(|refusal| refusal.because.clone());
    absent
        .map(|id| match why(id) {
            Some(because) => format!("Rule {id} was not applied: {because}."),
            None => format!("Rule {id} was not applied: nothing in the plan looks like it."),
        })
        .collect()
}

/// Remarks on the plan as it was written.
pub(super) fn as_written(plan: &LogicalPlan, catalog: &Catalog) -> Result<Vec<String>> {
    if catalog.job().is_none() {
        return Ok(Vec::new());
    }
    let mut notes: Vec<String> = identifying(plan, catalog)?.into_iter().collect();
    notes.extend(undeclared(plan, catalog)?);
    Ok(notes)
}

/// Which identifying columns `*` did not stand for, in the answer or in the relation of an operator.
fn identifying(plan: &LogicalPlan, catalog: &Catalog) -> Result<Option<String>> {
    let mut gone = left_out(plan, catalog)?;
    plan.apply(|node| {
        if let Some(operator) = Operator::of(node) {
            gone.extend(left_out(operator.input(), catalog)?);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    gone.sort_unstable();
    gone.dedup();
    Ok((!gone.is_empty()).then(|| format!("Left out of *: {} (identifying).", gone.join(", "))))
}

/// Columns that come with a join beside a generalization, and of which the job says nothing.
fn undeclared(plan: &LogicalPlan, catalog: &Catalog) -> Result<Option<String>> {
    let told = flow(plan)?;
    let declared = |origin: &Origin| catalog.attribute(&origin.column).is_some();
    let all: BTreeSet<&Origin> = told.columns.iter().flatten().collect();
    let people: BTreeSet<&str> =
        all.iter().filter(|origin| declared(origin)).map(|origin| origin.table.as_str()).collect();
    let mut new: Vec<String> = all
        .iter()
        .filter(|origin| origin.shown == Shown::Exactly && !declared(origin))
        .filter(|origin| !people.contains(origin.table.as_str()))
        .map(|origin| format!("{}.{}", origin.table, origin.column))
        .collect();
    new.dedup();
    Ok((told.generalized && !people.is_empty() && !new.is_empty()).then(|| {
        format!(
            "The job says nothing about {}, which a join brought in: beside the quasi-identifiers it may point at a person. Declare it in the job, or \
             put it into quasi => (…).",
            new.join(", ")
        )
    }))
}
