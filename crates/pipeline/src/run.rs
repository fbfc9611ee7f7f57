//! The main job: from a job file to a verified release, in one call.

mod alternatives;
mod described;
mod make;
mod memory;
mod place;

use crate::choose::{ExploredLattice, Levels, explore, fix_levels, labels_of};
pub use crate::error::RunError;
use crate::register::{Beside, Register, ReleaseLog, others};
use crate::release::{SigningKey, Transform, key_for, left_out, opinion, recode, unchanged, useful, view};
use alternatives::alternatives;
pub use alternatives::{Alternative, pick};
use described::{document, settle_aggregates, settle_verdict};
use make::{Folders, Made, Making};
pub use memory::{Held, Release, SaveOptions, anonymize_table, dry_run_table};
use paravent_assess::attack::AttackOptions;
use paravent_assess::repeated::repeated;
use paravent_assess::risk::{before_after, released};
use paravent_core::release::Solution;
use paravent_evidence::columns::Repeated;
use paravent_job::{self as job, Job, Problems};
use paravent_prepare::study::{
    Found, Study, StudyError, Treatment, refuse, relaxations, relaxations_of_boxes,
};
use paravent_prepare::threads;
use paravent_report::{self as report, Document, OutputFacts};
pub use paravent_tables::digest::sha256;
use paravent_tables::read::Format;
use paravent_tables::watch::Watch;
use paravent_tables::write::{HeldFiles, Replace, Staging};
pub use place::counted_rows;
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
    /// Levels chosen by hand; the search finds those of the other columns.
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

/// Searches and reports; writes nothing.
pub fn dry_run(path: &Path, options: &RunOptions, watch: &dyn Watch) -> Result<Finished, RunError> {
    let (job, digest) = load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    called_like_a_folder(&job)?;
    let fixed = options.apply.as_deref().map(Transform::load).transpose()?;
    // What the run would refuse is refused now.
    if let Some(register) = job.register() {
        Register::look(&register, &job.resolve(&job.output.path))?;
    }
    in_pool(&job, || {
        let study = Study::prepare(job.clone(), fixed.as_ref(), options.show_values, watch)?;
        let mut solved = Solved::new(study, fixed.as_ref(), digest, watch)?;
        solved.hold_against_registers(watch)?;
        solved.looked_at(options.explore, watch)
    })
}

/// Runs a job file to its end: the release is on disk and verified, or nothing is.
pub fn anonymize(path: &Path, options: &RunOptions, watch: &dyn Watch) -> Result<Finished, RunError> {
    let (job, digest) = load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    called_like_a_folder(&job)?;
    let fixed = options.apply.as_deref().map(Transform::load).transpose()?;
    let target = job.resolve(&job.output.path);
    let place = place::target(&job)?;
    Staging::check(&target, options.replace)?;
    let register = job.register().filter(|_| options.register == Registering::AsTheJobSays);
    let key = key_for(options.sign.as_deref(), job.source.folder())?;
    Register::admit(register.as_deref(), &target)?;
    in_pool(&job, || {
        let study = Study::prepare(job.clone(), fixed.as_ref(), options.show_values, watch)?;
        if let Some(table) = &place {
            place::refuse_occupied(&study, table, options.replace)?;
        }
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
        // On a thread of its own: the search keeps its workers. Without one it is looked at afterwards.
        let (searched, repeated) = std::thread::scope(|scope| {
            let look = || repeated(&study.input, Some(&study.job));
            let looking = std::thread::Builder::new().spawn_scoped(scope, look);
            let searched = search(&study, fixed, watch);
            let repeated = match looking {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => look(),
            };
            (searched, repeated)
        });
        let (found, solution) = searched?;
        let mut document = document(&study, &found, &solution, job_sha256);
        document.solution.labels = labels_of(&study, &solution)?;
        document.warnings.extend(repeated?.iter().map(Repeated::warning));
        Ok(Solved { study, found, solution, document })
    }

    /// Tries what the release would tell together with those that were made before. It is made in memory for that, where there are any.
    fn hold_against_registers(&mut self, watch: &dyn Watch) -> Result<(), RunError> {
        let mut made: Option<(AttackOptions, String)> = None;
        let mut input: Option<String> = None;
        for file in others(&self.study.job, None) {
            if Register::read(&file)?.releases().is_empty() {
                continue;
            }
            let digest = match &input {
                Some(digest) => digest.clone(),
                None => input.insert(self.study.input.digest()?).clone(),
            };
            let Some(mut beside) = Beside::read::<RunError>(&self.study, &file, &digest, watch)? else {
                continue;
            };
            if beside.is_related() {
                let (target, data) = match &made {
                    Some(made) => made,
                    None => made.insert(self.in_memory(watch)?),
                };
                beside.attack(target, data, watch);
            }
            self.document.warnings.extend(beside.warnings());
            self.document.held_against.push(beside.told());
        }
        Ok(())
    }

    /// The release in memory as something to attack, and the digest of its data file.
    fn in_memory(&mut self, watch: &dyn Watch) -> Result<(AttackOptions, String), RunError> {
        self.study.settle_released_types(&self.solution)?;
        let making = Making { study: &self.study, found: &self.found, solution: &self.solution };
        let mut data = making.data(HeldFiles::new()?, watch)?;
        let view = view(&self.study, &self.found, &self.solution, self.document.clone())?;
        let outside = report::external(&view, released(&self.study, &self.solution)?);
        making.describe(&mut data, &outside, None, watch)?;
        Ok((data.folders.target(), data.written.sha256))
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
        let target = data.folders.target();
        let (opinion, useful) = rayon::join(
            || opinion(&self.study, target.clone(), watch),
            || useful(&self.study, target.clone(), watch),
        );
        self.document.opinion = Some(opinion);
        self.document.utility = useful;
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

/// Why a release cannot be called so, and what to write; `None` where it can. `place` is where `name` leads, and `written` is how a name is
/// given there.
///
/// Whoever names a file wants a file, and would get a folder of that name.
pub fn called_like_a_table(
    name: &Path,
    place: &Path,
    written: impl Fn(&Path) -> String,
) -> Option<(&'static str, String)> {
    if Format::of_path(name).is_none() || place.is_dir() {
        return None;
    }
    let advice = format!(
        "Name one, as in {}, and write format = under [output] for another format; --output - prints the data file alone",
        written(&name.with_extension(""))
    );
    Some(("a release is a folder", advice))
}

fn called_like_a_folder(job: &Job) -> Result<(), Problems> {
    let path = &job.output.path;
    let key = |name: &Path| format!("path = \"{}\"", name.display());
    match called_like_a_table(path, &job.resolve(path), key) {
        Some((why, advice)) => Err(job.problem("output.path", why).advise(advice).into()),
        None => Ok(()),
    }
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
    let boxes = fixed.and_then(|transform| Some((transform, transform.boxes.as_ref()?)));
    let relaxed = || match boxes {
        Some((transform, boxes)) => relaxations_of_boxes(study, transform, boxes),
        None => relaxations(study, watch),
    };
    find(study, fixed, watch)?.map_err(|complete| RunError::Infeasible { relaxations: relaxed(), complete })
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

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
