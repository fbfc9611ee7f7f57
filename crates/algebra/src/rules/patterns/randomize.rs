//! α^D at the root of a plan, and what its rules ask of it.

use super::columns::place;
use super::join::EquiJoin;
use super::projection::projects;
use crate::operator::{Noise, Operator, Randomize};
use crate::rules::Attempt;
use crate::rules::outcome::{equivalent, refused};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// α^D at the root.
pub(in crate::rules) fn randomize(plan: &LogicalPlan) -> Option<&Randomize> {
    match Operator::of(plan) {
        Some(Operator::Randomize(randomize)) => Some(randomize),
        _ => None,
    }
}

/// Noise directly over noise: the outer and the inner one.
pub(in crate::rules) fn nested(plan: &LogicalPlan) -> Option<(&Randomize, &Randomize)> {
    let outer = randomize(plan)?;
    Some((outer, randomize(outer.input())?))
}

/// The same noise, the same draw, over another relation with the same columns.
pub(in crate::rules) fn over(node: &Randomize, input: LogicalPlan) -> Result<LogicalPlan> {
    Randomize::plan(input, node.what().noise.clone(), node.what().draw)
}

/// Why the noise may not move to other rows: a distribution that is read off the column changes with them.
pub(in crate::rules) fn read_off_column(node: &Randomize) -> Option<String> {
    let changing = |(_, noise): &&(_, Noise)| !noise.distribution.is_fixed();
    let (column, _) = node.what().noise.iter().find(changing)?;
    Some(format!(
        "the noise distribution of {} is read off the column, which has other rows on the other side; give it a domain",
        column.name
    ))
}

/// Whether a projection, also one that drops duplicates, stands directly over noise.
pub(in crate::rules) fn projects_noise(plan: &LogicalPlan) -> bool {
    projects(plan, |below| randomize(below).is_some())
}

/// Whether a join, also below a projection, has noise on a side.
pub(in crate::rules) fn joins_noise(plan: &LogicalPlan) -> bool {
    let mut plan = plan;
    while let (LogicalPlan::Projection(_) | LogicalPlan::Distinct(_), Some(input)) =
        (plan, plan.inputs().first())
    {
        plan = input;
    }
    match EquiJoin::of(plan) {
        Some(Ok(join)) => randomize(join.left()).is_some() || randomize(join.right()).is_some(),
        _ => false,
    }
}

/// Two noises as one: p_z = 1 − (1 − p_x)(1 − p_y) for columns in both.
pub(in crate::rules) fn combined(outer: &Randomize, inner: &Randomize) -> Result<Attempt> {
    let schema = inner.input().schema();
    let mut noise = inner.what().noise.clone();
    let mut shared = false;
    for (column, second) in &outer.what().noise {
        let at = place(schema, column)?;
        let mut first = None;
        for (position, (own, _)) in noise.iter().enumerate() {
            if place(schema, own)? == at {
                first = Some(position);
            }
        }
        let Some(first) = first else {
            noise.push((column.clone(), second.clone()));
            continue;
        };
        shared = true;
        let first = &mut noise[first].1;
        if first.distribution != second.distribution {
            return refused(format!("{} is redrawn from different distributions", column.name));
        }
        if !second.distribution.is_static() {
            return refused(format!(
                "the noise of {} may depend on the old value; two dynamic steps are not one: on a cycle of three days, p = 0.16 \
                 twice keeps a value with probability 0.7184, the combined p with 0.7056",
                column.name
            ));
        }
        if !second.distribution.is_fixed() {
            return refused(format!(
                "the noise distribution of {} is read off the column, and the outer operator reads what the inner one has changed",
                column.name
            ));
        }
        let Some(probability) = first.probability.either(&second.probability) else {
            return refused(format!("the combined probability of {} has too many digits", column.name));
        };
        first.probability = probability;
    }
    if !shared {
        // Nothing to combine: that is D5.
        return Ok(Attempt::NoMatch);
    }
    let plan = Randomize::plan(inner.input().clone(), noise, outer.what().draw)?;
    equivalent(plan, "with static noise only the probability of being redrawn at least once counts")
}
