//! The tables of a session, and its settings.

use super::failed::failure;
use crate::commands::run_error;
use crate::commands::spending::Spending;
use crate::failure::Failure;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::session::{Session, name_of};
use paravent_pipeline::job::InputSource;
use std::path::{Path, PathBuf};

/// How random operators draw and which rules rewrite.
#[derive(Debug, Default, clap::Args)]
pub struct Settings {
    /// The job file with roles, hierarchies and promises; its table is there under its file's name
    #[arg(long, short, value_name = "JOB")]
    pub job: Option<PathBuf>,
    /// Draw from this seed: repeatable, and whoever knows the seed can undo the draw
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What noisy answers are paid from.
    #[command(flatten)]
    pub spending: Spending,
    /// Seconds that a statement may take [default: 60]
    #[arg(long, value_name = "N")]
    pub seconds: Option<u64>,
    /// Memory that a statement may take beside its tables, e.g. 4GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
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
        if let Some(seconds) = self.seconds {
            session.set("seconds", &seconds.to_string()).map_err(failure)?;
        }
        if let Some(memory) = &self.memory {
            session.set("memory", memory).map_err(failure)?;
        }
        let book = self.spending.book(session.catalog().job());
        session.keep_book(book);
        Ok(session)
    }

    /// Belongs after the tables: without a job, each of them brings its ledger.
    pub fn lower_budget(&self, session: &mut Session) -> Result<(), Failure> {
        match self.spending.lowered() {
            Some((epsilon, delta)) => session.lower_budget(epsilon, delta).map_err(failure),
            None => Ok(()),
        }
    }
}

/// Makes the job's own table a table of the session, unless a file of that name was given.
pub fn register_job_table(session: &mut Session) -> Result<(), Failure> {
    let own = session.catalog().job().and_then(|job| match &job.input.source {
        InputSource::File(path) => Some(job.resolve(path)),
        InputSource::Stdin | InputSource::Engine { .. } => None,
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
