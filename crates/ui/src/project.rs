//! The project: a folder with a job file, its history, and the table that is looked at.
//!
//! The browser names no file. It may change the job, but every place that a change brings in must lie in the project folder; places
//! elsewhere have to be written into the file by somebody who can write files.

mod history;
mod known;
mod taken;

use crate::edit;
use crate::fault::{Fault, problem};
use crate::wire::{Change, DataView, JobView, SessionView};
use history::History;
use known::Known;
use paravent_job::{InputSource, Job};
use paravent_pipeline::release::{KEY_NAME, SigningKey};
use paravent_tables::digest::sha256;
use paravent_tables::read::Format;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use taken::{LOCK_FILE, TEMPORARY, clear, take};
use tempfile::TempDir;

const JOB_FILE: &str = "paravent.toml";

/// What the command line named.
#[derive(Debug, Clone, Default)]
pub struct Opened {
    /// The project folder; if there is none, that of the job file, or the current one.
    pub folder: Option<PathBuf>,
    /// A job file, a table, or a project folder.
    pub file: Option<PathBuf>,
}

/// A project that is open. One program at a time has it.
#[derive(Debug)]
pub struct Project {
    folder: PathBuf,
    job_file: PathBuf,
    history: Mutex<History>,
    data: Mutex<Option<Data>>,
    /// What is known of the table.
    known: Known,
    temporary: TempDir,
    lock: File,
}

#[derive(Debug, Clone)]
struct Data {
    path: PathBuf,
    name: String,
    dropped: bool,
}

/// A poisoned lock is that of a run that has failed; what it guards is replaced as a whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Project {
    /// Opens the project and takes it for this program.
    ///
    /// # Errors
    /// If the folder cannot be used, or another program has it.
    pub fn open(opened: &Opened) -> io::Result<Project> {
        let file = opened.file.as_deref();
        let is_job = file.is_some_and(|file| file.extension().is_some_and(|kind| kind == "toml"));
        let folder = match (file, &opened.folder) {
            (Some(file), None) if file.is_dir() => file.to_owned(),
            (Some(file), None) if is_job => match file.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
                _ => PathBuf::from("."),
            },
            (_, Some(folder)) => folder.clone(),
            _ => PathBuf::from("."),
        };
        fs::create_dir_all(&folder)?;
        let folder = folder.canonicalize()?;
        let name = match file {
            Some(file) if is_job => {
                let file = file.canonicalize()?;
                if file.parent() != Some(folder.as_path()) {
                    return Err(io::Error::other("the job file must lie in the project folder"));
                }
                file.file_name().map(PathBuf::from).unwrap_or_else(|| PathBuf::from(JOB_FILE))
            }
            _ => PathBuf::from(JOB_FILE),
        };
        let data = match file {
            Some(file) if !is_job && !file.is_dir() => Some(Data::named(file)?),
            _ => None,
        };
        let lock = take(&folder)?;
        clear(&folder);
        let private = Permissions::from_mode(0o700);
        let temporary =
            tempfile::Builder::new().prefix(TEMPORARY).permissions(private).tempdir_in(&folder)?;
        let job_file = folder.join(name);
        let project = Project {
            folder,
            job_file,
            history: Mutex::default(),
            data: Mutex::new(data),
            known: Known::default(),
            temporary,
            lock,
        };
        drop(project.notice());
        Ok(project)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The job file.
    pub fn job_file(&self) -> &Path {
        &self.job_file
    }

    /// A file that leads a browser to the page. Only this user can read it: on a command line everybody would see the token.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn doorway(&self, page: &str) -> io::Result<PathBuf> {
        let path = self.temporary.path().join("open.html");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        // The address has no character that HTML would read otherwise.
        write!(
            file,
            "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>\
                      <meta http-equiv=refresh content=\"0;url={page}\"><a href=\"{page}\">Paravent</a>"
        )?;
        Ok(path)
    }

    /// Reads the file; a text that somebody else wrote becomes a step of the history.
    fn notice(&self) -> MutexGuard<'_, History> {
        let text = fs::read_to_string(&self.job_file).ok();
        let mut history = lock(&self.history);
        if let Some(text) = text
            && history.texts.get(history.at) != Some(&text)
        {
            history.places.extend(edit::places(&edit::keys(&text)));
            history.step(text);
        }
        history
    }

    /// What the page must know to begin.
    pub fn session(&self, data_limit: u64) -> SessionView {
        let name = |path: &Path| {
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let job = self.job().ok();
        let data = self.data_view(job.as_ref());
        let asked = job.as_ref().and_then(|job| match &job.input.source {
            InputSource::File(path) => Some(name(path)),
            _ => None,
        });
        let release = job.as_ref().map(|job| job.resolve(&job.output.path));
        SessionView {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            project: name(&self.folder),
            job_file: name(&self.job_file),
            has_job: self.job_file.exists(),
            data_missing: asked.filter(|_| data.is_none()),
            data,
            key: SigningKey::load(&self.key_file()).ok().map(|key| key.public()),
            has_release: release.is_some_and(|release| release.join("manifest.json").exists()),
            data_limit,
            sql: cfg!(feature = "sql"),
        }
    }

    /// Folders that people need not read in messages, the inner one first.
    pub fn places(&self) -> [PathBuf; 2] {
        [self.temporary.path().to_owned(), self.folder.clone()]
    }

    /// Where the key that signs lies.
    pub fn key_file(&self) -> PathBuf {
        self.folder.join(KEY_NAME)
    }

    /// Where the policy lies.
    #[cfg(feature = "sql")]
    pub fn policy_file(&self) -> PathBuf {
        self.folder.join("policy.toml")
    }

    fn data_view(&self, job: Option<&Job>) -> Option<DataView> {
        let data = lock(&self.data).clone().or_else(|| match &job?.input.source {
            InputSource::File(path) => Data::named(&job?.resolve(path)).ok(),
            _ => None,
        })?;
        let bytes = fs::metadata(&data.path).ok()?.len();
        Some(DataView { name: data.name, bytes, dropped: data.dropped })
    }

    /// The job file as it is now.
    pub fn view(&self) -> JobView {
        let history = self.notice();
        let text = history.texts.get(history.at).cloned().unwrap_or_default();
        let problems = match Job::parse(&text, &self.job_file) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.iter().map(problem).collect(),
        };
        JobView {
            digest: sha256(text.as_bytes()),
            keys: edit::keys(&text),
            problems,
            can_undo: history.at > 0,
            can_redo: history.at + 1 < history.texts.len(),
            text,
        }
    }

    /// Writes a new text. `digest` is that of the text that was changed.
    ///
    /// # Errors
    /// If the file says something else by now, the text names places outside the project, or it cannot be written.
    pub fn put(&self, text: String, digest: Option<&str>) -> Result<JobView, Fault> {
        {
            let mut history = self.notice();
            let now = history.texts.get(history.at).cloned().unwrap_or_default();
            if digest.is_some_and(|digest| digest != sha256(now.as_bytes())) {
                return Err(Fault::conflict("the job file was changed in the meantime")
                    .advise("Look at the new text, and make the change again"));
            }
            for place in edit::places(&edit::keys(&text)) {
                if !history.places.contains(&place)
                    && (place.contains("://") || !self.is_inside(Path::new(&place)))
                {
                    return Err(Fault::request("the page can only name files in the project folder")
                        .advise("Move the file there, or write the path into the job file with an editor"));
                }
            }
            self.write(&text)?;
            history.step(text);
        }
        Ok(self.view())
    }

    /// Writes a job that this program has made itself; the places in it are those of files that were named or dropped.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn adopt(&self, text: String) -> Result<(), Fault> {
        let mut history = self.notice();
        self.write(&text)?;
        history.places.extend(edit::places(&edit::keys(&text)));
        history.step(text);
        Ok(())
    }

    /// Changes single keys.
    ///
    /// # Errors
    /// As [`put`](Self::put), and if a key has no place.
    pub fn patch(&self, changes: &[Change], digest: Option<&str>) -> Result<JobView, Fault> {
        let now = {
            let history = self.notice();
            history.texts.get(history.at).cloned().unwrap_or_default()
        };
        let text = edit::apply(&now, changes).map_err(|error| Fault::request(error.to_string()))?;
        if text == now {
            return Ok(self.view());
        }
        self.put(text, digest)
    }

    /// One step back, or forward.
    ///
    /// # Errors
    /// If there is none, or the file cannot be written.
    pub fn step(&self, back: bool) -> Result<JobView, Fault> {
        {
            let mut history = self.notice();
            let to = if back { history.at.checked_sub(1) } else { Some(history.at + 1) };
            let text = to.and_then(|to| history.texts.get(to).cloned());
            let (Some(to), Some(text)) = (to, text) else {
                return Err(Fault::conflict("there is no such step"));
            };
            self.write(&text)?;
            history.at = to;
        }
        Ok(self.view())
    }

    fn write(&self, text: &str) -> Result<(), Fault> {
        let fault =
            |error: io::Error| Fault::input_output(format!("the job file cannot be written: {error}"));
        // The user's umask decides who may read it; a job shows no cell.
        let mode = Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new().permissions(mode).tempfile_in(&self.folder).map_err(fault)?;
        file.write_all(text.as_bytes()).map_err(fault)?;
        file.persist(&self.job_file).map_err(|error| fault(error.error))?;
        Ok(())
    }

    /// Whether a path of the job stays in the project folder, links included.
    fn is_inside(&self, path: &Path) -> bool {
        if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return false;
        }
        // What is not there yet is where its nearest folder leads to.
        for place in self.folder.join(path).ancestors() {
            match place.canonicalize() {
                Ok(real) => return real.starts_with(&self.folder),
                Err(_) if place.symlink_metadata().is_ok() => return false,
                Err(_) => {}
            }
        }
        false
    }

    /// Where a dropped table of that name is put. Only this user can read it, and it goes when the program ends.
    ///
    /// # Errors
    /// If the name is none of a table, or the file cannot be made.
    pub fn receive(&self, name: &str) -> Result<(PathBuf, File), Fault> {
        let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let named = !base.is_empty()
            && base.len() <= 200
            && !base.starts_with('.')
            && !base.chars().any(char::is_control);
        if !named || Format::of_path(Path::new(base)).is_none() {
            return Err(Fault::request("this is no name of a table")
                .advise(format!("Drop a file that ends in {}", Format::endings())));
        }
        let fault = |error: io::Error| Fault::input_output(format!("the table cannot be kept: {error}"));
        let place = self.temporary.path().join("arriving");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&place)
            .map_err(fault)?;
        Ok((self.temporary.path().join(base), file))
    }

    /// The dropped table is complete.
    ///
    /// # Errors
    /// If it cannot be put into its place.
    pub fn received(&self, path: &Path) -> Result<(), Fault> {
        let fault = |error: io::Error| Fault::input_output(format!("the table cannot be kept: {error}"));
        let old = lock(&self.data).take();
        if let Some(old) = old.filter(|old| old.dropped) {
            let _ = fs::remove_file(old.path);
        }
        fs::rename(self.temporary.path().join("arriving"), path).map_err(fault)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        *lock(&self.data) = Some(Data { path: path.to_owned(), name, dropped: true });
        self.known.forget();
        Ok(())
    }

    /// It did not arrive.
    pub fn not_received(&self) {
        let _ = fs::remove_file(self.temporary.path().join("arriving"));
    }

    /// The table is the job's own from now on.
    pub fn forget_data(&self) {
        *lock(&self.data) = None;
        self.known.forget();
    }

    /// The job, parsed.
    ///
    /// # Errors
    /// If it has problems.
    pub fn job(&self) -> Result<Job, Fault> {
        let history = self.notice();
        match history.texts.get(history.at) {
            Some(text) => Ok(Job::parse(text, &self.job_file)?),
            None => {
                Err(Fault::conflict("there is no job yet")
                    .advise("Drop a table first, or begin with the demo"))
            }
        }
    }

    /// The table that was named or dropped, if it is not the one that the job names.
    pub fn data(&self) -> Option<PathBuf> {
        lock(&self.data).as_ref().map(|data| data.path.clone())
    }

    /// Whether the table was dropped, so that a command has to name it.
    pub fn dropped(&self) -> Option<String> {
        lock(&self.data).as_ref().filter(|data| data.dropped).map(|data| data.name.clone())
    }

    /// The job with the table that is looked at.
    ///
    /// # Errors
    /// As [`job`](Self::job).
    pub fn job_with_data(&self) -> Result<Job, Fault> {
        let mut job = self.job()?;
        if let Some(path) = self.data() {
            job.input.source = InputSource::File(path);
        }
        Ok(job)
    }

    /// Removes what was dropped, whoever still holds the project: the program ends.
    pub fn close(&self) {
        let _ = fs::remove_dir_all(self.temporary.path());
        let _ = fs::remove_file(self.folder.join(LOCK_FILE));
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        // The lock goes with the file; the temporary folder removes itself.
        let _ = rustix::fs::flock(&self.lock, rustix::fs::FlockOperation::Unlock);
        let _ = fs::remove_file(self.folder.join(LOCK_FILE));
    }
}

impl Data {
    fn named(path: &Path) -> io::Result<Data> {
        let path = path
            .canonicalize()
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Data { path, name, dropped: false })
    }
}
