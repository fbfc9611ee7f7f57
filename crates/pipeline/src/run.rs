//! The main job: from a job file to a verified release, in one call.

mod make;
mod memory;
mod place;

use crate::choose::{ExploredLattice, Levels, explore, fix_levels, labels_at, labels_of};
pub use crate::error::RunError;
use crate::register::Register;
use crate::release::{SigningKey, Transform, key_for, left_out, opinion, recode, unchanged, useful, view};
use make::{Folders, Made, Making};
pub use memory::{Held, Release, SaveOptions, anonymize_table, dry_run_table};
use paravent_assess::repeated::repeated;
use paravent_assess::risk::{before_after, released};
use paravent_core::lattice::Node;
use paravent_core::release::Solution;
use paravent_evidence::columns::Repeated;
use paravent_job::{self as job, Job, Problems};
use paravent_prepare::study::{
    Exactness, Found, Study, StudyError, Treatment, achieved, gap, refuse, relaxations, required,
    treatment_json,
};
use paravent_prepare::threads;
use paravent_report::{
    self as report, AboutFacts, Document, InputFacts, LatticeFacts, OutputFacts, PeopleFacts, PromiseFacts,
    SampleFacts, SearchFacts, SolutionFacts, TreatmentFacts, VerdictFacts,
};
pub use paravent_tables::digest::sha256;
use paravent_tables::watch::Watch;
use paravent_tables::write::{Replace, Staging};
pub use place::counted_rows;
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
    /// Single keys of the job that say something else.
    pub settings: Vec<job::Setting>,
    /// Levels that somebody has chosen; the search finds those of the other columns.
    pub levels: Levels,
    /// Whether a dry run also looks at every node of the lattice.
    pub explore: bool,
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
            settings: Vec::new(),
            levels: Levels::default(),
            explore: false,
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
    /// The lattice with a verdict on every node, where that was asked for.
    pub lattice: Option<ExploredLattice>,
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
            lattice: None,
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
    /// What it shows of the columns that the solution shows otherwise.
    pub labels: Map<String, Value>,
}

/// The levels of the alternative with this number, counted from 1, as a dry run lists them.
///
/// # Errors
/// As [`dry_run`]; and if there are fewer.
pub fn pick(path: &Path, options: &RunOptions, number: usize, watch: &dyn Watch) -> Result<Levels, RunError> {
    let finished = dry_run(path, options, watch)?;
    let alternatives = finished.alternatives.len();
    let picked = number.checked_sub(1).and_then(|index| finished.alternatives.get(index));
    let Some(picked) = picked else {
        let message = format!("--pick {number}: there are {alternatives} alternatives, counted from 1");
        let problem = job::Problem::new(path, message);
        return Err(Problems::from(problem.advise("List them with --dry-run")).into());
    };
    let level = |(name, level): (&String, &Value)| Some((name.clone(), u8::try_from(level.as_u64()?).ok()?));
    Ok(Levels(picked.transformation.iter().filter_map(level).collect()))
}

/// Searches and reports; writes nothing.
pub fn dry_run(path: &Path, options: &RunOptions, watch: &dyn Watch) -> Result<Finished, RunError> {
    let (job, digest) = load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    let fixed = options.apply.as_deref().map(Transform::load).transpose()?;
    in_pool(&job, || {
        let study = Study::prepare(job.clone(), fixed.as_ref(), options.show_values, watch)?;
        Solved::new(study, fixed.as_ref(), digest, watch)?.looked_at(options.explore, watch)
    })
}

/// Runs a job file to its end: the release is on disk and verified, or nothing is.
pub fn anonymize(path: &Path, options: &RunOptions, watch: &dyn Watch) -> Result<Finished, RunError> {
    let (job, digest) = load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    let fixed = options.apply.as_deref().map(Transform::load).transpose()?;
    let target = job.resolve(&job.output.path);
    let place = place::target(&job)?;
    Staging::check(&target, options.replace)?;
    let register = job.register().filter(|_| options.register == Registering::AsTheJobSays);
    let key = key_for(options.sign.as_deref(), job.source.folder())?;
    if let Some(register) = &register {
        Register::check(register, &target)?;
    }
    in_pool(&job, || {
        let study = Study::prepare(job.clone(), fixed.as_ref(), options.show_values, watch)?;
        // Nobody needs the digest before the release is described; without a thread of its own it is made then.
        let (input, again) = (study.input.clone(), study.input.clone());
        let input_digest = std::thread::Builder::new().spawn(move || input.digest());
        let solved = Solved::new(study, fixed.as_ref(), digest, watch)?;
        let staging = Staging::beside(&target)?;
        let (mut made, staging, placed) = match place.clone() {
            None => {
                let (made, staging) = solved.made(staging, &job.output.path, key.as_ref(), watch)?;
                (made, staging, None)
            }
            Some(table) => {
                let (made, staging, placed) = solved.placed(table, staging, key.as_ref(), watch)?;
                (made, staging, Some(placed))
            }
        };
        let digest = match input_digest {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
            Err(_) => again.digest()?,
        };
        made.solved.document.input.sha256 = Some(digest);
        let to = Published { target: &target, replace: options.replace, register: register.as_deref() };
        let document = match placed {
            None => made.publish(staging, &to, watch)?,
            Some(placed) => placed.publish(&made, staging, &to, watch)?,
        };
        Ok(Finished::new(&made.solved.study, document, Some(target.clone()), Vec::new()))
    })
}

/// A study with its solution, and what is said of it so far.
#[derive(Debug)]
struct Solved {
    study: Study,
    found: Found,
    solution: Solution,
    document: Document,
}

impl Solved {
    fn new(
        study: Study,
        fixed: Option<&Transform>,
        job_sha256: String,
        watch: &dyn Watch,
    ) -> Result<Solved, RunError> {
        let (searched, repeated) =
            rayon::join(|| search(&study, fixed, watch), || repeated(&study.input, Some(&study.job)));
        let (found, solution) = searched?;
        let mut document = document(&study, &found, &solution, job_sha256);
        document.solution.labels = labels_of(&study, &solution)?;
        document.warnings.extend(repeated?.iter().map(Repeated::warning));
        Ok(Solved { study, found, solution, document })
    }

    /// What a dry run tells.
    fn looked_at(self, explored: bool, watch: &dyn Watch) -> Result<Finished, RunError> {
        let Solved { study, solution, mut document, .. } = self;
        document.risk = Some(before_after(&study, &solution)?);
        if study
            .columns
            .released()
            .any(|(_, column)| !matches!(column.treatment, Treatment::QuasiIdentifier(_)))
        {
            let released = recode(&study, &solution, watch)?;
            document.unchanged = unchanged::<RunError>(&study, &solution, &released)?;
            settle_aggregates(&mut document, &released.lost);
        }
        settle_verdict(&mut document);
        let alternatives = alternatives(&study, &solution);
        let mut finished = Finished::new(&study, document, None, alternatives);
        if explored && solution.boxes.is_none() {
            finished.lattice = Some(explore(&study, Some(&solution.node), watch)?);
        }
        Ok(finished)
    }

    /// Recodes, writes, describes and verifies. `shown` is the folder that the report names.
    fn made<F: Folders>(
        mut self,
        folders: F,
        shown: &Path,
        key: Option<&SigningKey>,
        watch: &dyn Watch,
    ) -> Result<(Made, F), RunError> {
        self.study.settle_released_types(&self.solution)?;
        let started = Instant::now();
        let making = Making { study: &self.study, found: &self.found, solution: &self.solution };
        let (risk, data) =
            rayon::join(|| before_after(&self.study, &self.solution), || making.data(folders, watch));
        let mut data = data?;
        self.document.risk = Some(risk?);
        self.document.unchanged = data.unchanged.clone();
        settle_aggregates(&mut self.document, &data.released.lost);
        self.document.output = Some(OutputFacts {
            path: shown.join(&data.name).display().to_string(),
            rows: data.written.rows,
            sha256: data.written.sha256.clone(),
            verified: true,
            seconds: 0.0,
            signed_by: key.map(|key| key.public()),
        });
        let view = view(&self.study, &self.found, &self.solution, self.document.clone())?;
        let outside = report::external(&view, released(&self.study, &self.solution)?);
        let verification = making.describe(&mut data, &outside, key, watch)?;
        if !verification.holds() {
            return Err(RunError::Refuted(Box::new(verification)));
        }
        if let Some(output) = &mut self.document.output {
            output.seconds = seconds(started);
        }
        self.document.opinion = Some(opinion(&self.study, data.folders.target(), watch));
        self.document.utility = useful(&self.study, data.folders.target(), watch);
        let left_out = left_out(&self.study, &self.solution)?;
        self.document.suppressed = Some(left_out).filter(|left_out| left_out.classes > 0);
        let make::Data { folders, name, written, released, .. } = data;
        Ok((Made { solved: self, view, verification, name, written, released }, folders))
    }
}

/// Where a release goes.
struct Published<'a> {
    target: &'a Path,
    replace: Replace,
    register: Option<&'a Path>,
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
pub(crate) fn load(path: &Path, options: &RunOptions) -> Result<(Job, String), RunError> {
    let (mut job, bytes) = Job::load_with_bytes(path, &options.settings)?;
    // Paths given beside the job are seen from where the program runs, not from the job file.
    if let Some(input) = &options.input {
        job.input.source = job::InputSource::given(input);
    }
    if path == Path::new("-") && job.input.source == job::InputSource::Stdin {
        let problem = job.problem("input.path", "the job and its table cannot both be on standard input");
        return Err(Problems::from(problem.advise("Put one of them into a file")).into());
    }
    if let Some(output) = &options.output {
        job.output.path = from_here(output);
    }
    job.search.memory = options.memory.or(job.search.memory);
    fix_levels(&mut job, &options.levels)?;
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
    find(study, fixed, watch)?
        .map_err(|complete| RunError::Infeasible { relaxations: relaxations(study, watch), complete })
}

/// The solution; the inner error says that there is none, and whether the whole lattice was looked at.
pub(crate) fn find(
    study: &Study,
    fixed: Option<&Transform>,
    watch: &dyn Watch,
) -> Result<Result<(Found, Solution), bool>, RunError> {
    let given = fixed.and_then(|transform| Some((transform, transform.boxes.as_ref()?)));
    let mut found = match (given, study.job.search.recoding) {
        (Some((transform, boxes)), _) => study.apply_boxes(transform, boxes, watch)?,
        (None, job::Recoding::Local | job::Recoding::Cells) if fixed.is_none() => study.recode(watch)?,
        _ => study.search(watch)?,
    };
    match found.solution.take() {
        Some(solution) => Ok(Ok((found, solution))),
        None => Ok(Err(found.report.complete)),
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
    if let Some(known) = study.job.privacy.most_known {
        warnings.push(format!(
            "the promises hold for whoever knows at most {known} of the {} quasi-identifiers of a person: whoever knows more may \
             single people out",
            study.task.ladders().len()
        ));
    }
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
        about: AboutFacts::of(&study.job.about),
        input: InputFacts {
            rows: study.table.row_count(),
            distinct_tuples: study.table.tuple_count() as u64,
            seconds: study.elapsed.as_secs_f64(),
            spilled_bytes: Some(study.table.spilled_bytes()).filter(|&bytes| bytes > 0),
            received_bytes: study.input.engine().map(|table| table.engine().traffic().received),
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
            labels: Map::new(),
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
            most_known: study.job.privacy.most_known,
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
        treatments: treatments(study),
        risk: None,
        unchanged: None,
        verdict: None,
        output: None,
        suppressed: None,
        opinion: None,
        utility: None,
        register: None,
        warnings,
    }
}

/// What is done besides generalizing and suppressing.
fn treatments(study: &Study) -> TreatmentFacts {
    let job = &study.job;
    let told =
        |attribute: &job::Attribute| Some((attribute.name.clone(), treatment_json(&attribute.treatments)?));
    TreatmentFacts {
        sample: job.input.sample.as_ref().map(|sample| SampleFacts {
            share: sample.share.as_str().to_owned(),
            of: if job.privacy.person.is_empty() { "rows" } else { "people" },
            rows_of_table: study.input.sample().map(|sample| sample.rows_of_table()),
        }),
        gs_factor: job.search.gs_factor.as_ref().map(|factor| factor.as_str().to_owned()),
        columns: job.attributes.iter().filter_map(told).collect(),
    }
}

/// Tells how much aggregates lose, once that is known.
fn settle_aggregates(document: &mut Document, lost: &[(String, Option<f64>)]) {
    for (column, lost) in lost {
        if let Some(treatment) = document.treatments.columns.get_mut(column) {
            treatment["lost"] = json!(lost);
        }
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
                    let labels = other_labels(study, &solution.node, &node);
                    found.push(Alternative { transformation, loss, suppressed_rows, labels });
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

/// By column on another level: labels that enough rows would show.
fn other_labels(study: &Study, solution: &Node, other: &Node) -> Map<String, Value> {
    let least = study.task.criteria().least_class_size();
    let levels = solution.levels().iter().zip(other.levels()).enumerate();
    let changed = levels.filter(|(_, (now, then))| now != then);
    let labels = changed.map(|(position, (_, &level))| {
        let shown =
            labels_at(&study.task.ladders()[position], level, study.counted.rows_by_code(position), least);
        let name = study.counted.columns[position].name.clone();
        (name, json!({ "shown": shown.named, "distinct": shown.distinct }))
    });
    labels.collect()
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
