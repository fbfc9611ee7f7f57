//! No solution: what is the least that would have to be given up?

use super::task::criteria;
use super::{Study, local};
use crate::transform::{AppliedBox, Transform};
use paravent_core::criteria::{Achieved, Monotonicity};
use paravent_core::exact::Fraction;
use paravent_core::lattice::Node;
use paravent_core::recoding::Effort;
use paravent_core::solve::NodeChecker;
use paravent_core::task::{SuppressionLimit, Task};
use paravent_job::{Model, Recoding};
use paravent_tables::watch::Watch;
use serde::Serialize;

/// One change to the job that makes it feasible, all else left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relaxation {
    /// The key to change, as in `privacy.suppression_limit`.
    pub key: String,
    /// What it says now; empty where it says nothing.
    pub from: String,
    /// What to write instead.
    pub to: String,
    /// The same in words.
    pub advice: String,
}

/// Lattices up to this size are searched for the node that needs the least suppression.
const MOST_NODES: u64 = 4096;

/// The nearest changes that would each work alone. Every one of them was tried.
pub fn relaxations(study: &Study, watch: &dyn Watch) -> Vec<Relaxation> {
    let mut found = Vec::new();
    found.extend(more_suppression(study, watch));
    if !study.levels_are_given {
        found.extend(higher_levels(study));
    }
    found.extend(weaker_promises(study));
    found
}

/// For boxes of an earlier release, whose labels are given: the suppression that they need.
pub fn relaxations_of_boxes(study: &Study, transform: &Transform, boxes: &[AppliedBox]) -> Vec<Relaxation> {
    let Ok(applied) = study.with_boxes(transform, boxes) else { return Vec::new() };
    let left_out = applied.people.map_or(applied.suppressed_rows, |people| people.losing);
    let keeps_some = applied.classes > 0;
    allowing(study, left_out).filter(|_| keeps_some).into_iter().collect()
}

fn more_suppression(study: &Study, watch: &dyn Watch) -> Option<Relaxation> {
    // The question is about suppression, whatever the job allows now: fewer criteria are monotone then.
    let criteria = criteria(&study.translation(), &study.job.privacy.models).ok()?;
    let task = study.task.under(criteria, SuppressionLimit::AS_MUCH_AS_IT_TAKES).ok()?;
    let (checker, lattice) = (study.checker_of(&task), task.lattice());
    let is_global = study.job.search.recoding == Recoding::Global;
    let mut least = needed(&checker, &lattice.top());
    // Only a monotone criterion needs the least at the top.
    if task.criteria().monotonicity() != Monotonicity::Full
        && let Ok(nodes) = lattice.enumerable(MOST_NODES)
    {
        let going_on = (0..nodes).take_while(|_| !watch.stop()).map(|index| lattice.node(index));
        let allowed = going_on.filter(|node| local::may_show(&study.job, &task, node));
        least = allowed.filter_map(|node| needed(&checker, &node)).chain(least).min();
    }
    if !is_global {
        least = fewer_in_boxes(study, &task, least).or(least);
    }
    allowing(study, least?)
}

/// The suppression limit that allows to leave out so many rows or people.
fn allowing(study: &Study, least: u64) -> Option<Relaxation> {
    let (all, of) = match &study.people {
        Some(counted) => (counted.people.len() as u64, "people"),
        None => (study.table.row_count(), "rows"),
    };
    let limit = share_of_at_least(least, all)?;
    Some(Relaxation {
        key: "privacy.suppression_limit".into(),
        from: study.job.privacy.suppression_limit.as_str().into(),
        advice: format!("allow {} % suppression ({least} of {all} {of})", percent(&limit)),
        to: limit,
    })
}

/// Rows that boxes leave out where any number may be left out, or people who lose one: fewer than at a node, and enough if no more may be.
fn fewer_in_boxes(study: &Study, task: &Task, at_node: Option<u64>) -> Option<u64> {
    let look = Effort { moves: Some(0), ..Effort::default() };
    let left_out = |task: &Task| {
        let found = local::recoded(&study.job, task, &look).ok()??.solution;
        Some(found.people.map_or(found.suppressed_rows, |people| people.losing))
    };
    let fewer = left_out(task).filter(|&fewer| fewer > 0 && at_node.is_none_or(|at_node| fewer < at_node))?;
    let criteria = criteria(&study.translation(), &study.job.privacy.models).ok()?;
    let task = study.task.under(criteria, SuppressionLimit::Count(fewer)).ok()?;
    left_out(&task).map(|_| fewer)
}

/// Rows to suppress at a node, or people who lose one, where that helps at all and leaves something.
fn needed(checker: &NodeChecker<'_>, node: &Node) -> Option<u64> {
    let verdict = checker.check(node).ok().filter(|verdict| verdict.holds)?;
    match checker {
        NodeChecker::Rows(_) | NodeChecker::OneRowEach(..) => Some(verdict.suppressed_rows),
        NodeChecker::People(_) => checker.solution(node).ok()?.people.map(|people| people.losing),
    }
}

/// The smallest limit with up to 12 digits, first of few digits, whose share of `rows` is at least `least`; below 1.
fn share_of_at_least(least: u64, rows: u64) -> Option<String> {
    for digits in [3u32, 4, 6, 9, 12] {
        let scale = 10u64.pow(digits);
        let units = (u128::from(least) * u128::from(scale)).div_ceil(u128::from(rows));
        if units >= u128::from(scale) {
            continue;
        }
        let text = format!("0.{units:0width$}", width = digits as usize);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        let enough =
            Fraction::parse(text).is_ok_and(|limit| SuppressionLimit::Share(limit).of(rows) >= least);
        // Few digits are kinder to read, as long as they do not ask for much more than is needed.
        if enough
            && units * u128::from(rows) <= u128::from(least) * u128::from(scale) * 11 / 10 + u128::from(scale)
        {
            return Some(text.to_owned());
        }
    }
    None
}

fn percent(share: &str) -> String {
    let value: f64 = share.parse().unwrap_or(0.0);
    format!("{}", (value * 100.0 * 1e6).round() / 1e6)
}

fn higher_levels(study: &Study) -> Vec<Relaxation> {
    let (checker, lattice) = (study.checker(), study.task.lattice());
    let mut found = Vec::new();
    let quasi = study
        .job
        .attributes
        .iter()
        .enumerate()
        .filter(|(_, a)| a.role == paravent_job::Role::QuasiIdentifier);
    for (column, (index, attribute)) in quasi.enumerate() {
        let now = lattice.highest()[column];
        let works = (now..=study.task.ladders()[column].max_level())
            .skip(1)
            .find(|&level| needed(&checker, &lattice.top().with_level(column, level)).is_some());
        if let Some(level) = works {
            found.push(Relaxation {
                key: format!("attributes[{index}].max_level"),
                from: now.to_string(),
                to: level.to_string(),
                advice: format!("raise max_level of {} to {level}", attribute.name),
            });
        }
    }
    found
}

/// Each promise alone, weakened to what the most general node achieves once the worst classes are suppressed, as far as that is allowed.
fn weaker_promises(study: &Study) -> Vec<Relaxation> {
    let top = study.task.lattice().top();
    let translation = study.translation();
    let mut found = Vec::new();
    let Ok(unconstrained) = study.task.under(Vec::new(), SuppressionLimit::NONE) else { return found };
    let all = study.checker_of(&unconstrained);
    let limit = study.task.suppression_limit();
    for (index, model) in study.job.privacy.models.iter().enumerate() {
        let Ok(member) = translation.criterion(model, "") else { continue };
        let mut classes: Vec<(f64, u64, Achieved)> = Vec::new();
        let visited = all.visit_classes(&top, |class| {
            if class.rows == 0 {
                return;
            }
            let mut achieved = Achieved::default();
            member.gauge(class, &mut achieved);
            classes.push((model.badness(&achieved), class.rows, achieved));
        });
        if visited.is_err() {
            continue;
        }
        classes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut left_out = 0;
        let kept = classes.iter().find(|(_, rows, _)| {
            left_out += rows;
            left_out > limit
        });
        let Some((_, _, achieved)) = kept else { continue };
        let Some((name, weaker)) = model.weakened(achieved) else { continue };
        let mut models = study.job.privacy.models.clone();
        models[index] = weaker.clone();
        let Ok(criteria) = criteria(&translation, &models) else { continue };
        let Ok(task) = study.task.under(criteria, SuppressionLimit::Count(limit)) else { continue };
        if needed(&study.checker_of(&task), &top).is_none() {
            continue;
        }
        let value = |model: &Model| super::required(model, super::Exactness::Number)[name].to_string();
        let (from, to) = (value(model), value(&weaker));
        found.push(Relaxation {
            key: format!("privacy.models[{index}].{name}"),
            advice: format!("change {name} of {} from {from} to {to}", model.name().name()),
            from,
            to,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_limit_is_enough_and_short() {
        assert_eq!(share_of_at_least(62, 1000).as_deref(), Some("0.062"));
        assert_eq!(share_of_at_least(1, 3).as_deref(), Some("0.334"));
        assert_eq!(share_of_at_least(1, 1_000_000).as_deref(), Some("0.000001"));
        for (least, rows) in [(1, 3), (7, 9), (1508, 30162), (30161, 30162)] {
            let limit = Fraction::parse(&share_of_at_least(least, rows).unwrap()).unwrap();
            assert!(SuppressionLimit::Share(limit).of(rows) >= least);
        }
    }
}
