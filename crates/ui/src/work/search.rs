//! The search, and one transformation in full.

use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{FoundView, LevelView, LossView, NodeView, PromiseView};
use paravent_core::lattice::Node;
use paravent_core::release::Solution;
use paravent_core::search::SearchError;
use paravent_job::{Recoding, Role};
use paravent_pipeline::run::RunError;
use paravent_prepare::study::{Exactness, Study, StudyError, achieved, gap, relaxations, required};
use paravent_prepare::threads::in_pool;

/// Finds the best transformation.
pub(super) fn solve(project: &Project, run: &Run) -> Result<FoundView, Fault> {
    let (study, known) = project.study(run)?;
    let found = in_pool(study.job.search.threads as usize, StudyError::Threads, || {
        match study.job.search.recoding {
            Recoding::Global => study.search(run),
            Recoding::Local | Recoding::Cells => study.recode(run),
        }
    })?;
    let Some(solution) = &found.solution else {
        let complete = found.report.complete;
        return Err(RunError::Infeasible { relaxations: relaxations(&study, run), complete }.into());
    };
    let loss = found.report.best.as_ref().map(|best| best.loss);
    let gap = if found.report.optimal { Some(0.0) } else { gap(loss, found.report.bound) };
    let mut warnings = study.warnings.clone();
    if !found.report.complete {
        warnings.push("the search ended before it was done: a better release may exist".to_owned());
    }
    let mut node = view(&study, solution)?;
    node.loss = loss.unwrap_or(node.loss);
    Ok(FoundView {
        node,
        metric: study.job.search.metric.name().to_owned(),
        local: solution.boxes.is_some(),
        optimal: found.report.optimal,
        gap: found.local.and_then(|local| local.gap).or(gap),
        checks: found.report.checks,
        nodes: study.task.lattice().node_count() as f64,
        algorithm: found.algorithm.name().to_owned(),
        reading_seconds: if known { 0.0 } else { study.elapsed.as_secs_f64() },
        search_seconds: found.elapsed.as_secs_f64(),
        warnings,
    })
}

/// One transformation, whether or not it keeps the promises.
pub(super) fn node(project: &Project, levels: &[u8], run: &Run) -> Result<NodeView, Fault> {
    let (study, _) = project.study(run)?;
    view(&study, &applied(&study, levels)?)
}

/// A transformation applied.
pub(super) fn applied(study: &Study, levels: &[u8]) -> Result<Solution, Fault> {
    let node = Node::new(levels.to_vec());
    if levels.len() != study.task.lattice().dimensions() || !study.task.lattice().contains(&node) {
        return Err(Fault::request("the job has no such transformation"));
    }
    study.checker().solution(&node).map_err(|error| StudyError::from(SearchError::from(error)).into())
}

/// The best transformation, or the one that was asked for.
pub(super) fn chosen(study: &Study, levels: Option<&[u8]>, run: &Run) -> Result<Solution, Fault> {
    if let Some(levels) = levels {
        return applied(study, levels);
    }
    let found = in_pool(study.job.search.threads as usize, StudyError::Threads, || {
        match study.job.search.recoding {
            Recoding::Global => study.search(run),
            Recoding::Local | Recoding::Cells => study.recode(run),
        }
    })?;
    let complete = found.report.complete;
    found
        .solution
        .ok_or_else(|| RunError::Infeasible { relaxations: relaxations(study, run), complete }.into())
}

fn view(study: &Study, solution: &Solution) -> Result<NodeView, Fault> {
    let rows = study.table.row_count();
    let released = rows - solution.suppressed_rows;
    let in_classes: u64 = solution.class_sizes.iter().map(|(size, classes)| size * classes).sum();
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let names = study.job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.clone());
    let levels = names.zip(solution.node.levels()).zip(study.task.ladders());
    let metric = study.job.search.metric.name();
    let losses: Vec<LossView> = solution
        .losses
        .iter()
        .map(|(metric, value)| LossView { metric: metric.name().to_owned(), value: *value })
        .collect();
    Ok(NodeView {
        levels: levels
            .map(|((column, &level), ladder)| LevelView { column, level, highest: ladder.max_level() })
            .collect(),
        holds: solution.holds,
        loss: losses.iter().find(|loss| loss.metric == metric).map_or(f64::NAN, |loss| loss.value),
        losses: losses.into_iter().filter(|loss| loss.value.is_finite()).collect(),
        rows,
        suppressed_rows: solution.suppressed_rows,
        suppression_limit: study.task.suppression_limit(),
        people_losing: solution.people.map(|people| people.losing),
        classes: solution.classes,
        smallest_class: solution.smallest_class,
        average_class: share(in_classes as f64, solution.classes as f64),
        highest_risk: share(1.0, solution.smallest_class as f64),
        average_risk: share(solution.classes as f64, released as f64),
        promises: promises(study, solution)?,
    })
}

/// Each promise: what the worst released class achieves, and which classes break it before rows are left out.
fn promises(study: &Study, solution: &Solution) -> Result<Vec<PromiseView>, Fault> {
    let members = study.task.criteria().members();
    let mut failing = vec![(0u64, 0u64); members.len()];
    if solution.boxes.is_none() {
        let visited = study.checker().visit_classes(&solution.node, |class| {
            for (member, (rows, classes)) in members.iter().zip(&mut failing) {
                if !member.holds(class) && (class.rows > 0 || member.judges_absent_classes()) {
                    *rows += class.rows;
                    *classes += 1;
                }
            }
        });
        visited.map_err(|error| StudyError::from(SearchError::from(error)))?;
    }
    let models = study.job.privacy.models.iter().zip(&solution.achieved).zip(failing);
    Ok(models
        .map(|((model, figures), (failing_rows, failing_classes))| PromiseView {
            model: model.name().name().to_owned(),
            required: required(model, Exactness::Number),
            achieved: achieved(model, figures),
            failing_rows,
            failing_classes,
        })
        .collect())
}
