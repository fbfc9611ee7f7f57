//! Local recoding: a box of labels for every class of a study.

use super::prepare::{Study, StudyError};
use super::question::Question;
use super::search::{Found, Patience, threads};
use crate::transform::{AppliedBox, Transform};
use paravent_core::grouping::Class;
use paravent_core::hierarchy::Rung;
use paravent_core::lattice::Node;
use paravent_core::quality::Reads;
use paravent_core::recoding::{Effort, Observer, Progress, Recoding, RecodingError};
use paravent_core::release::{Boxes, LabelBox, Solution};
use paravent_core::search::{Algorithm, Best, Flow, NodeCounts, SearchReport};
use paravent_core::task::Task;
use paravent_job::{self as job, Job, Model, PersonRows, Problems};
use paravent_tables::encode::ScanError;
use paravent_tables::watch::{Phase, Watch};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

/// What a local recoding adds to what a search found.
#[derive(Debug, Clone, Copy)]
pub struct LocalFacts {
    /// Moves that were tried.
    pub moves: u64,
    /// No local recoding has a lower loss; `None` where the boxes were given.
    pub lower_bound: Option<f64>,
    /// `(loss − bound) / bound`; `None` where the bound is 0 or not known.
    pub gap: Option<f64>,
}

/// What a job asks for that does not go together, or that boxes do not have, told before anything is read.
pub fn refuse(job: &Job) -> Result<(), Problems> {
    let mut problems = Problems::default();
    super::treatments::refuse(job, &mut problems);
    if job.search.recoding == job::Recoding::Global {
        if job.privacy.most_known.is_some() {
            let problem = job.problem("privacy.most_known", "is for local recoding and for single cells");
            problems.push(problem.advise("Add recoding = \"cells\" to [search], or leave it out"));
        }
        return problems.into_result(());
    }
    let mut refused = |key: &str, message: String, advice: &str| {
        problems.push(job.problem(key, message).advise(advice.to_owned()));
    };
    let metric = job.search.metric;
    let boxed = job::Metric::listed("\"", job::Metric::has_balance_on_boxes);
    if !metric.is_defined_on_boxes() {
        refused(
            "search.metric",
            format!("{metric} is not defined where labels of a column come from several levels"),
            "Write metric = \"loss\", or recoding = \"global\"",
        );
    }
    if job.search.gs_factor.is_some() && metric.is_defined_on_boxes() && !metric.has_balance_on_boxes() {
        refused(
            "search.gs_factor",
            format!(
                "{metric} has no balance of generalization and suppression where every class has a box of its own"
            ),
            &format!("Write metric = {boxed}, or leave it out"),
        );
    }
    for (index, model) in job.privacy.models.iter().enumerate() {
        if model.judges_absent_classes() {
            refused(
                &format!("privacy.models[{index}].min"),
                "a share above 0 needs one class for every row of the population, and boxes overlap"
                    .to_owned(),
                "Write min = 0, or recoding = \"global\"",
            );
        }
        if model.population().is_some() && !job.privacy.person.is_empty() {
            refused(
                &format!("privacy.models[{index}].model"),
                format!("{} counts rows where boxes overlap, not people", model.name()),
                "Leave out person or the model, or write recoding = \"global\"",
            );
        }
    }
    if job.privacy.person_rows != PersonRows::Apart {
        refused(
            "privacy.person_rows",
            "boxes are chosen tuple by tuple, and a person's rows may show several".to_owned(),
            "Write person_rows = \"apart\", or recoding = \"global\"",
        );
    }
    if job.privacy.most_known.is_some() {
        known_columns(job, &mut refused);
    }
    if job.search.recoding == job::Recoding::Cells {
        let limited = job.attributes.iter().position(|attribute| attribute.most_levels.is_some());
        if let Some(index) = limited {
            let key = format!("attributes[{index}].recoding");
            refused(&key, "is for recoding = \"local\"".to_owned(), "Leave it out");
        }
    }
    for (key, is_said) in [
        ("search.algorithm", job.search.algorithm != job::Algorithm::Auto),
        ("search.force", job.search.force),
        ("search.practical_monotonicity", job.search.practical_monotonicity),
    ] {
        if is_said {
            refused(key, "is for global recoding".to_owned(), "Leave it out");
        }
    }
    problems.into_result(())
}

/// What does not go together with columns of which only some are known.
fn known_columns(job: &Job, refused: &mut impl FnMut(&str, String, &str)) {
    let metric = job.search.metric;
    if metric.reads() == Reads::ClassSizes {
        refused(
            "search.metric",
            format!(
                "{metric} counts classes, and where only some columns are known every choice has its own"
            ),
            "Write metric = \"loss\", or leave out most_known",
        );
    }
    if job.search.gs_factor.is_some() {
        refused("search.gs_factor", "does not go with most_known".to_owned(), "Leave one of them out");
    }
    if !job.privacy.person.is_empty() {
        refused("privacy.most_known", "counts rows, not people".to_owned(), "Leave out person or most_known");
    }
    for (index, model) in job.privacy.models.iter().enumerate() {
        if !matches!(model, Model::KAnonymity(_) | Model::DistinctLDiversity(_)) {
            refused(
                &format!("privacy.models[{index}].model"),
                format!("{} is not counted for choices of columns", model.name().name()),
                "Write k-anonymity or distinct-l-diversity, or leave out most_known",
            );
        }
    }
    for (index, attribute) in job.attributes.iter().enumerate() {
        if attribute.most_levels.is_some() {
            let key = format!("attributes[{index}].recoding");
            refused(&key, "does not go with most_known".to_owned(), "Leave one of them out");
        }
    }
}

/// Boxes for the classes of a task, chosen as the job says.
pub(super) fn recoded(
    job: &Job,
    task: &Task,
    effort: &Effort<'_>,
) -> Result<Option<Recoding>, RecodingError> {
    let quasi = job.with_role(job::Role::QuasiIdentifier);
    let most: Vec<Option<u8>> = quasi.map(|attribute| attribute.most_levels).collect();
    let is_cells = job.search.recoding == job::Recoding::Cells;
    match (job.privacy.most_known, most.iter().all(Option::is_none)) {
        (Some(known), _) => {
            let levels = if is_cells { ends(task) } else { all_levels(task) };
            task.recode_known(&levels, known as usize, effort)
        }
        (None, _) if is_cells => task.recode_within(&ends(task), effort),
        (None, true) => task.recode(effort),
        (None, false) => task.recode_limited(&most, effort),
    }
}

/// Whether all rows may show the levels of a node: single cells show the finest and the coarsest levels only.
pub(super) fn may_show(job: &Job, task: &Task, node: &Node) -> bool {
    let shows = |(ends, level): (Vec<u8>, &u8)| ends.contains(level);
    job.search.recoding != job::Recoding::Cells || ends(task).into_iter().zip(node.levels()).all(shows)
}

/// A job and its task, to be recoded locally.
#[derive(Clone, Copy)]
struct LocalSearch<'a> {
    job: &'a Job,
    task: &'a Task,
}

impl LocalSearch<'_> {
    /// Looks for boxes that lose little, and says how far from the best they may be.
    fn recode(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        watch.begin(Phase::Searching);
        let started = Instant::now();
        let deadline = self.job.search.time_limit().map(|limit| started + limit);
        let patience = Patience { watch, deadline };
        let effort = Effort { moves: self.job.search.moves, seed: 0, observer: &patience };
        let recoded = recoded(self.job, self.task, &effort);
        let recoded = recoded.map_err(|error| recoding_problem(self.job, error))?;
        if watch.stop() {
            return Err(ScanError::Stopped.into());
        }
        Ok(self.found(recoded, started))
    }

    fn found(&self, recoded: Option<Recoding>, started: Instant) -> Found {
        let gap = recoded.as_ref().and_then(Recoding::gap);
        let bound = recoded.as_ref().map(|recoded| recoded.lower_bound);
        let moves = recoded.as_ref().map_or(0, |recoded| recoded.moves);
        let best = recoded.as_ref().map(|recoded| (recoded.loss, &recoded.solution));
        let report = SearchReport {
            complete: recoded.as_ref().is_none_or(|recoded| recoded.complete),
            optimal: gap == Some(0.0),
            bound,
            ..account(best)
        };
        let local = LocalFacts { moves, lower_bound: bound, gap };
        self.found_local(report, local, recoded.map(|recoded| recoded.solution), started)
    }

    fn found_local(
        &self,
        report: SearchReport,
        local: LocalFacts,
        solution: Option<Solution>,
        started: Instant,
    ) -> Found {
        Found {
            case: self.task.case().number(),
            report,
            solution,
            algorithm: Algorithm::BestFirst,
            doubt: None,
            rollups: 0,
            peak_bytes: 0,
            threads: threads(self.job.search.threads),
            elapsed: started.elapsed(),
            local: Some(local),
        }
    }
}

impl Question {
    /// Boxes for the classes of tuples that another engine counted.
    pub fn recode(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        LocalSearch { job: &self.job, task: &self.task }.recode(watch)
    }
}

impl Study {
    /// Looks for boxes that lose little, and says how far from the best they may be.
    pub fn recode(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        LocalSearch { job: &self.job, task: &self.task }.recode(watch)
    }

    /// Gives every row the finest of the boxes of an earlier release that covers it; rows without one are suppressed.
    pub fn apply_boxes(
        &self,
        transform: &Transform,
        boxes: &[AppliedBox],
        watch: &dyn Watch,
    ) -> Result<Found, StudyError> {
        if self.job.privacy.most_known.is_some() {
            let problem = self.job.problem(
                "privacy.most_known",
                "labels were chosen for all rows of a table together, and do not fit new ones",
            );
            return Err(problem.advise("Run it without --apply").into());
        }
        watch.begin(Phase::Searching);
        let started = Instant::now();
        let solution = self.with_boxes(transform, boxes)?;
        let metric = self.task.metric();
        let loss = solution.losses.iter().find(|(of, _)| *of == metric);
        let loss = loss.map_or(f64::NAN, |&(_, value)| metric.as_defined(value));
        let solution = Some(solution).filter(|solution| solution.holds);
        let best = solution.as_ref().map(|solution| (loss, solution));
        let report = SearchReport { complete: true, ..account(best) };
        let local = LocalFacts { moves: 0, lower_bound: None, gap: None };
        Ok(LocalSearch { job: &self.job, task: &self.task }.found_local(report, local, solution, started))
    }

    /// The same, whether or not as many rows may be suppressed as that takes.
    pub(super) fn with_boxes(
        &self,
        transform: &Transform,
        boxes: &[AppliedBox],
    ) -> Result<Solution, StudyError> {
        let labels = |rung: &'_ Rung| -> HashMap<Option<String>, u32> {
            rung.labels.iter().cloned().zip(0u32..).collect()
        };
        let places: Vec<Vec<HashMap<Option<String>, u32>>> =
            self.task.ladders().iter().map(|ladder| ladder.rungs().iter().map(labels).collect()).collect();
        // The columns of the transformation are in the order of its input, those of the task in the order of the job.
        let names: Vec<&str> = transform.quasi_identifiers().collect();
        let of_task = self.task.columns().names().iter();
        let order: Vec<Option<usize>> =
            of_task.map(|name| names.iter().position(|known| known == name)).collect();
        let place = |shown: &AppliedBox| -> Option<LabelBox> {
            let (mut levels, mut groups) = (Vec::new(), Vec::new());
            for ((places, &at), ladder) in places.iter().zip(&order).zip(self.task.ladders()) {
                // An aggregated column is in no box: all its rows are on the highest level.
                if at.is_none() {
                    levels.push(ladder.max_level());
                    groups.push(0);
                    continue;
                }
                let (level, label) = (*shown.levels.get(at?)?, shown.labels.get(at?)?);
                levels.push(level);
                // A label that no value of this table has covers none of its rows.
                groups.push(*places.get(usize::from(level))?.get(label)?);
            }
            Some(LabelBox { levels: levels.into(), groups: groups.into(), rows: 0 })
        };
        let boxes: Vec<LabelBox> = boxes.iter().filter_map(place).collect();
        self.task.apply_boxes(&boxes).map_err(|error| recoding_problem(&self.job, error))
    }

    /// Calls `visit` with every released class of a local recoding.
    pub fn visit_boxes(&self, boxes: &Boxes, visit: impl FnMut(&Class<'_>)) -> Result<(), StudyError> {
        self.task.visit_boxes(boxes, visit).map_err(|error| recoding_problem(&self.job, error))
    }

    /// By quasi-identifier, in job order: the lowest, the highest and the mean level of its released cells.
    pub fn levels_shown(&self, boxes: &Boxes) -> Map<String, Value> {
        let names = self.job.with_role(job::Role::QuasiIdentifier).map(|attribute| attribute.name.clone());
        let heights = self.task.ladders().iter().map(|ladder| ladder.max_level());
        let shown = boxes.cells_by_level(heights).into_iter().map(|cells| {
            let used = || (0u64..).zip(&cells).filter(|&(_, &cells)| cells > 0);
            let all: u64 = cells.iter().sum();
            let sum: u64 = used().map(|(level, cells)| level * cells).sum();
            json!({
                "lowest": used().map(|(level, _)| level).min().unwrap_or(0),
                "highest": used().map(|(level, _)| level).max().unwrap_or(0),
                "mean": sum as f64 / all.max(1) as f64,
            })
        });
        names.zip(shown).collect()
    }

    /// The labels that a column shows and the released rows of each, in the order of the labels.
    pub fn rows_by_label(&self, boxes: &Boxes, column: usize) -> Vec<(Option<String>, u64)> {
        let mut rows: BTreeMap<Option<&str>, u64> = BTreeMap::new();
        for shown in &boxes.boxes {
            let rung = self.task.ladders()[column].rung(shown.levels[column]);
            let label = rung.labels[shown.groups[column] as usize].as_deref();
            *rows.entry(label).or_insert(0) += shown.rows;
        }
        rows.into_iter().map(|(label, rows)| (label.map(str::to_owned), rows)).collect()
    }
}

fn recoding_problem(job: &Job, error: RecodingError) -> StudyError {
    match error {
        RecodingError::Search(error) => error.into(),
        RecodingError::InPieces => job
            .problem("search.memory", "local recoding holds all different combinations in memory".to_owned())
            .advise("Raise memory, or write recoding = \"global\"")
            .into(),
        other => job.problem("search.recoding", other.to_string()).into(),
    }
}

/// By column: the finest and the coarsest level that it may show, so that a cell is as it came in or tells nothing.
fn ends(task: &Task) -> Vec<Vec<u8>> {
    let ends = task.lattice().lowest().iter().zip(task.lattice().highest());
    ends.map(|(&low, &high)| if low == high { vec![low] } else { vec![low, high] }).collect()
}

/// By column: the levels that it may show.
fn all_levels(task: &Task) -> Vec<Vec<u8>> {
    let ends = task.lattice().lowest().iter().zip(task.lattice().highest());
    ends.map(|(&low, &high)| (low..=high).collect()).collect()
}

/// An account of a search that looked at no node.
fn account(best: Option<(f64, &Solution)>) -> SearchReport {
    SearchReport {
        best: best.map(|(loss, solution)| Best {
            node: solution.node.clone(),
            loss,
            suppressed_rows: solution.suppressed_rows,
        }),
        complete: true,
        optimal: false,
        bound: None,
        checks: 0,
        subset_tests: 0,
        nodes: NodeCounts::default(),
        states: Vec::new(),
    }
}

impl Observer for Patience<'_> {
    fn after_round(&self, progress: &Progress) -> Flow {
        self.watch.advance(progress.moves, Some(progress.of));
        if let Some(gap) = super::search::gap(Some(progress.loss), Some(progress.lower_bound)) {
            self.watch.gap(gap);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.watch.stop() { Flow::Stop } else { Flow::Continue }
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}
