//! The main job: from a job file to a verified release, in one call.

mod make;

pub use crate::error::RunError;
use crate::files::{pretty, put_private};
use crate::register::{Announced, Entry, Register};
use crate::release::{Transform, key_for, left_out, recode, unchanged, view};
use make::Making;
use paravent_assess::repeated::repeated;
use paravent_assess::risk::{before_after, released};
use paravent_core::release::Solution;
use paravent_evidence::columns::Repeated;
use paravent_job::{self as job, Job};
use paravent_prepare::study::{
    Exactness, Found, Study, StudyError, Treatment, achieved, gap, refuse, relaxations, required,
};
use paravent_prepare::threads;
use paravent_report::{
    self as report, Document, InputFacts, LatticeFacts, OutputFacts, PeopleFacts, PromiseFacts, SearchFacts,
    SolutionFacts, VerdictFacts,
};
pub use paravent_tables::digest::sha256;
use paravent_tables::watch::Watch;
use paravent_tables::write::{Replace, Staging};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How to run a job, beyond what the job file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOptions {
    /// Whether a release may be replaced.
    pub replace: Replace,
    /// Whether messages may quote cells.
    pub show_values: bool,
    /// Reads this table instead of the job's.
    pub input: Option<PathBuf>,
    /// Writes here instead of where the job says.
    pub output: Option<PathBuf>,
    /// Repeats the transformation of this release (its directory, its private folder, or `transform.json`) instead of searching for one.
    /// Rows that break a promise under it are suppressed within the job's limit.
    pub apply: Option<PathBuf>,
    /// Signs the manifest with this key, instead of one that lies beside the job.
    pub sign: Option<PathBuf>,
    /// Whether the release is registered.
    pub register: Registering,
    /// Memory to use, instead of what the job says.
    pub memory: Option<job::Memory>,
}

/// Whether a release gets a line in the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registering {
    /// As the job says.
    AsTheJobSays,
    /// Not even if the job says so: for releases that are thrown away.
    Never,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            replace: Replace::Refuse,
            show_values: false,
            input: None,
            output: None,
            apply: None,
            sign: None,
            register: Registering::AsTheJobSays,
            memory: None,
        }
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Finished {
    /// What `--json` prints.
    pub document: Document,
    /// The release directory; `None` after a dry run.
    pub release: Option<PathBuf>,
    /// The best nodes met, best first, for those who want to choose themselves.
    pub alternatives: Vec<Alternative>,
    /// Highest level of every quasi-identifier's hierarchy, in job order.
    pub max_levels: Vec<u8>,
    /// Rows that could have been suppressed.
    pub suppression_limit: u64,
}

impl Finished {
    fn new(
        study: &Study,
        document: Document,
        release: Option<PathBuf>,
        alternatives: Vec<Alternative>,
    ) -> Finished {
        let max_levels = study.task.ladders().iter().map(|ladder| ladder.max_level()).collect();
        Finished {
            document,
            release,
            alternatives,
            max_levels,
            suppression_limit: study.task.suppression_limit(),
        }
    }
}

/// Another anonymous node.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Alternative {
    /// Level of every quasi-identifier, in job order.
    pub transformation: Map<String, Value>,
    /// Its loss.
    pub loss: f64,
    /// Rows it would suppress.
    pub suppressed_rows: u64,
}

/// Searches and reports; writes nothing.
pub fn dry_run(path: &Path, options: &RunOptions, watch: &dyn Watch) -> Result<Finished, RunError> {
    let (job, digest) = load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    let fixed = options.apply.as_deref().map(Transform::load).transpose()?;
    in_pool(&job, || {
        let study = Study::prepare(job.clone(), fixed.as_ref(), options.show_values, watch)?;
        let (searched, repeated) = rayon::join(
            || search(&study, fixed.as_ref(), watch),
            || repeated(&study.input, Some(&study.job)),
        );
        let (found, solution) = searched?;
        let mut document = document(&study, &found, &solution, digest.clone());
        document.warnings.extend(repeated?.iter().map(Repeated::warning));
        document.risk = Some(before_after(&study, &solution)?);
        if study
            .columns
            .released()
            .any(|(_, column)| !matches!(column.treatment, Treatment::QuasiIdentifier(_)))
        {
            let released = recode(&study, &solution, watch)?;
            document.unchanged = unchanged::<RunError>(&study, &solution, &released)?;
        }
        settle_verdict(&mut document);
        let alternatives = alternatives(&study, &solution);
        Ok(Finished::new(&study, document, None, alternatives))
    })
}

/// Runs a job file to its end: the release is on disk and verified, or nothing is.
pub fn anonymize(path: &Path, options: &RunOptions, watch: &dyn Watch) -> Result<Finished, RunError> {
    let (job, digest) = load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    let fixed = options.apply.as_deref().map(Transform::load).transpose()?;
    let target = job.resolve(&job.output.path);
    Staging::check(&target, options.replace)?;
    let register = job.register().filter(|_| options.register == Registering::AsTheJobSays);
    let key = key_for(options.sign.as_deref(), job.source.folder())?;
    if let Some(register) = &register {
        Register::check(register, &target)?;
    }
    in_pool(&job, || {
        let mut study = Study::prepare(job.clone(), fixed.as_ref(), options.show_values, watch)?;
        // Nobody needs the digest before the manifest is written.
        let input = study.input.clone();
        let input_digest =
            std::thread::Builder::new().spawn(move || input.digest()).map_err(RunError::Threads)?;
        let (searched, repeated) = rayon::join(
            || search(&study, fixed.as_ref(), watch),
            || repeated(&study.input, Some(&study.job)),
        );
        let (found, solution) = searched?;
        study.settle_released_types(&solution)?;
        let mut document = document(&study, &found, &solution, digest.clone());
        document.warnings.extend(repeated?.iter().map(Repeated::warning));

        let started = Instant::now();
        let making = Making { study: &study, found: &found, solution: &solution };
        let (risk, data) = rayon::join(|| before_after(&study, &solution), || making.data(&target, watch));
        let data = data?;
        document.risk = Some(risk?);
        document.unchanged = data.unchanged.clone();
        document.output = Some(OutputFacts {
            path: job.output.path.join(&data.name).display().to_string(),
            rows: data.written.rows,
            sha256: data.written.sha256.clone(),
            verified: true,
            seconds: 0.0,
            signed_by: key.as_ref().map(|key| key.public()),
        });
        let mut view = view(&study, &found, &solution, document.clone())?;
        let outside = report::external(&view, released(&study, &solution)?);
        let (input_digest, verification) =
            making.describe(&data, &outside, key.as_ref(), input_digest, watch)?;
        if !verification.holds() {
            return Err(RunError::Refuted(Box::new(verification)));
        }
        if let Some(output) = &mut document.output {
            output.seconds = seconds(started);
        }
        document.input.sha256 = Some(input_digest.clone());
        document.suppressed = Some(left_out(&study, &solution)?).filter(|left_out| left_out.classes > 0);
        let (staging, written) = (data.staging, data.written);
        let entry = match &register {
            Some(register) => {
                let made =
                    Announced { input: &input_digest, job: &digest, data: (&data.name, &written.sha256) };
                Some(Entry::prepare::<RunError>(&study, (register, &target), &staging, &made, watch)?)
            }
            None => None,
        };
        if let Some(entry) = &entry {
            document.warnings.extend(entry.warnings());
            document.register = Some(entry.facts());
        }
        settle_verdict(&mut document);
        view.document = document.clone();
        put_private(&staging, "report.html", report::render(&view).as_bytes())?;
        put_private(&staging, "report.json", &pretty(&json!(document)))?;
        if watch.stop() {
            return Err(RunError::Stopped);
        }
        match entry {
            Some(entry) => entry.publish::<RunError>(staging, options.replace, written.rows)?,
            None => staging.publish(options.replace)?,
        }
        Ok(Finished::new(&study, document, Some(target.clone()), Vec::new()))
    })
}

/// The verdict over all that is known, and a warning for each column that passes on the owner's word.
fn settle_verdict(document: &mut Document) {
    document.verdict = Some(VerdictFacts::of(document));
    for column in document.unchanged.iter().flat_map(|unchanged| &unchanged.columns) {
        if let Some(looks) = column.looks {
            document.warnings.push(format!(
                "{} looks like {looks}, and leaves because the job says release = \"as it is\"",
                column.column
            ));
        }
    }
}

/// Reads the job file and its digest.
fn load(path: &Path, options: &RunOptions) -> Result<(Job, String), RunError> {
    let (mut job, bytes) = Job::load_with_bytes(path)?;
    // Paths given beside the job are seen from where the program runs, not from the job file.
    if let Some(input) = &options.input {
        job.input.source = match input.as_os_str() == "-" {
            true => job::InputSource::Stdin,
            false => job::InputSource::File(from_here(input)),
        };
    }
    if let Some(output) = &options.output {
        job.output.path = from_here(output);
    }
    job.search.memory = options.memory.or(job.search.memory);
    Ok((job, sha256(&bytes)))
}

fn from_here(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Runs with as many threads as the job allows.
pub(crate) fn in_pool<T: Send>(
    job: &Job,
    run: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    threads::in_pool(job.search.threads as usize, RunError::Threads, run)
}

fn search(
    study: &Study,
    fixed: Option<&Transform>,
    watch: &dyn Watch,
) -> Result<(Found, Solution), RunError> {
    let given = fixed.and_then(|transform| Some((transform, transform.boxes.as_ref()?)));
    let mut found = match (given, study.job.search.recoding) {
        (Some((transform, boxes)), _) => study.apply_boxes(transform, boxes, watch)?,
        (None, job::Recoding::Local | job::Recoding::Cells) if fixed.is_none() => study.recode(watch)?,
        _ => study.search(watch)?,
    };
    match found.solution.take() {
        Some(solution) => Ok((found, solution)),
        None => Err(RunError::Infeasible {
            relaxations: relaxations(study, watch),
            complete: found.report.complete,
        }),
    }
}

fn document(study: &Study, found: &Found, solution: &Solution, job_sha256: String) -> Document {
    let levels = study.task.lattice();
    let best_loss = found.report.best.as_ref().map_or(f64::NAN, |best| best.loss);
    let losses = solution.losses.iter().map(|(metric, value)| (metric.name().to_owned(), json!(value)));
    let released = study.table.row_count() - solution.suppressed_rows;
    let promises = study.job.privacy.models.iter().zip(&solution.achieved);
    let mut warnings = study.warnings.clone();
    let gap_percent = if found.report.optimal { Some(0.0) } else { gap(Some(best_loss), found.report.bound) };
    if !found.report.complete {
        let how_much =
            gap_percent.map_or_else(String::new, |gap| format!(", with at most {gap:.1} % less loss"));
        warnings.push(format!("the search ended before it was done: a better release may exist{how_much}"));
    }
    if let Some(doubt) = found.doubt {
        warnings.push(format!("{} may have missed a better release: {doubt}", found.algorithm.name()));
    }
    Document {
        paravent: env!("CARGO_PKG_VERSION"),
        job_sha256,
        input: InputFacts {
            rows: study.table.row_count(),
            distinct_tuples: study.table.tuple_count() as u64,
            seconds: study.elapsed.as_secs_f64(),
            spilled_bytes: Some(study.table.spilled_bytes()).filter(|&bytes| bytes > 0),
            sha256: None,
        },
        lattice: LatticeFacts { nodes: levels.node_count(), levels: levels.level_count() },
        search: SearchFacts {
            algorithm: match found.local {
                Some(_) => "large-neighbourhood",
                None => found.algorithm.name(),
            },
            moves: found.local.map(|local| local.moves),
            case: found.case,
            optimal: found.report.optimal,
            checks: found.report.checks,
            subset_tests: found.report.subset_tests,
            tagged: found.report.tagged(),
            bound: found.report.bound.filter(|bound| bound.is_finite()),
            gap_percent,
            rollups: found.rollups,
            threads: found.threads,
            seconds: found.elapsed.as_secs_f64(),
            peak_bytes: found.peak_bytes,
        },
        solution: SolutionFacts {
            recoding: solution.boxes.as_ref().map(|_| match study.job.search.recoding {
                job::Recoding::Cells if found.local.is_some_and(|local| local.lower_bound.is_some()) => {
                    "cells"
                }
                _ => "local",
            }),
            transformation: match &solution.boxes {
                None => study.transformation(&solution.node),
                Some(_) => Map::new(),
            },
            levels: solution.boxes.as_ref().map(|boxes| study.levels_shown(boxes)).unwrap_or_default(),
            metric: study.job.search.metric.name(),
            loss: best_loss,
            lower_bound: found.local.and_then(|local| local.lower_bound),
            gap: found.local.and_then(|local| local.gap),
            losses: losses.collect(),
            suppressed_rows: solution.suppressed_rows,
            people: solution.people.map(|people| PeopleFacts {
                read: people.people,
                losing: people.losing,
                limit: study.task.suppression_limit(),
                rows: study.job.privacy.person_rows.name(),
            }),
            classes: solution.classes,
            smallest_class: solution.smallest_class,
            average_class: match (solution.classes, solution.people) {
                (0, _) => 0.0,
                (classes, None) => released as f64 / classes as f64,
                (classes, Some(_)) => {
                    let in_all: u64 = solution.class_sizes.iter().map(|(size, classes)| size * classes).sum();
                    in_all as f64 / classes as f64
                }
            },
        },
        privacy: promises
            .map(|(model, figures)| PromiseFacts {
                model: model.name().name(),
                required: required(model, Exactness::Number),
                achieved: achieved(model, figures),
                holds: solution.holds,
            })
            .collect(),
        risk: None,
        unchanged: None,
        verdict: None,
        output: None,
        suppressed: None,
        register: None,
        warnings,
    }
}

/// Alternatives shown by a dry run.
const MOST_ALTERNATIVES: usize = 10;

/// Direct neighbours of the solution, up and down, that keep the promises: what a user would try next.
fn alternatives(study: &Study, solution: &Solution) -> Vec<Alternative> {
    let checker = study.checker();
    let lattice = study.task.lattice();
    let mut found: Vec<Alternative> = Vec::new();
    // Boxes have no neighbours that somebody would name.
    if solution.boxes.is_some() {
        return found;
    }
    for column in 0..lattice.dimensions() {
        let level = solution.node.levels()[column];
        let below = level.checked_sub(1).filter(|&lower| lower >= lattice.lowest()[column]);
        let above = level.checked_add(1).filter(|&higher| higher <= lattice.highest()[column]);
        for level in below.into_iter().chain(above) {
            let neighbour = solution.node.with_level(column, level);
            for other in [None].into_iter().chain((0..lattice.dimensions()).map(Some)) {
                // One level less here paid for by one more there.
                let node = match other {
                    None => neighbour.clone(),
                    Some(other)
                        if other != column && neighbour.levels()[other] < lattice.highest()[other] =>
                    {
                        neighbour.with_level(other, neighbour.levels()[other] + 1)
                    }
                    Some(_) => continue,
                };
                if let Ok(verdict) = checker.check(&node)
                    && verdict.holds
                {
                    let transformation = study.transformation(&node);
                    let (loss, suppressed_rows) = (verdict.loss, verdict.suppressed_rows);
                    found.push(Alternative { transformation, loss, suppressed_rows });
                }
            }
        }
    }
    found.sort_by(|a, b| {
        a.loss
            .total_cmp(&b.loss)
            .then_with(|| json!(a.transformation).to_string().cmp(&json!(b.transformation).to_string()))
    });
    found.dedup_by(|a, b| a.transformation == b.transformation);
    found.truncate(MOST_ALTERNATIVES);
    found
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
