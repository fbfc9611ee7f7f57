//! The tables of a session, and its settings.

use super::failed::failure;
use crate::commands::run_error;
use crate::failure::Failure;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::session::{Session, name_of};
use paravent_pipeline::job::InputSource;
use std::path::{Path, PathBuf};

/// How random operators draw and which rules rewrite.
#[derive(Debug, clap::Args)]
pub struct Settings {
    /// The job file with roles, hierarchies and promises; its table is there under its file's name
    #[arg(long, short, value_name = "JOB")]
    pub job: Option<PathBuf>,
    /// Draw from this seed: repeatable, and whoever knows the seed can undo the draw
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What private aggregates may cost, all statements together: EPSILON or EPSILON,DELTA [default: 1,0.000001]
    #[arg(long, value_name = "EPSILON[,DELTA]")]
    pub budget: Option<String>,
}

impl Settings {
    /// A session without tables.
    pub fn open(&self) -> Result<Session, Failure> {
        let catalog = match &self.job {
            Some(job) => Catalog::load(job).map_err(|problems| run_error::of_problems(problems, job))?,
            None => Catalog::empty(),
        };
        let mut session = Session::new(catalog).map_err(failure)?;
        if let Some(seed) = self.seed {
            session.set("seed", &seed.to_string()).map_err(failure)?;
        }
        if let Some(budget) = &self.budget {
            let (epsilon, delta) = match budget.split_once(',') {
                Some((epsilon, delta)) => (epsilon, Some(delta)),
                None => (budget.as_str(), None),
            };
            session.set_budget(epsilon, delta).map_err(failure)?;
        }
        Ok(session)
    }
}

/// Makes the job's own table a table of the session, unless a file of that name was given.
pub fn register_job_table(session: &mut Session) -> Result<(), Failure> {
    let own = session.catalog().job().and_then(|job| match &job.input.source {
        InputSource::File(path) => Some(job.resolve(path)),
        InputSource::Stdin | InputSource::Postgres { .. } => None,
    });
    match own {
        Some(path) if !session.tables().contains_key(&name_of(&path)) => {
            session.register_file(None, &path).map(drop).map_err(failure)
        }
        _ => Ok(()),
    }
}

/// `name=path`, or a path after which the table is called.
pub fn register(session: &mut Session, file: &str) -> Result<(), Failure> {
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (name, path) = match file.split_once('=') {
        Some((name, path)) if is_name(name) => (Some(name), path),
        _ => (None, file),
    };
    if path == "-" && name.is_none() {
        let message = "a table on standard input needs a name: --file patients=-".to_owned();
        return Err(Failure::Usage { message });
    }
    session.register_file(name, Path::new(path)).map(drop).map_err(failure)
}
